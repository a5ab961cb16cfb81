/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a status travels other than as a result or an argument of its own: behind a pointer, in a
 * struct, in a callback's parameters. Found in every declaration of every release; what is found in
 * a family whose statuses are translated must be treated by a `carries` line, so that no import can
 * add one unseen.
 */
#include "gen.h"

#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 8 /* structs in structs, callbacks in callbacks; deeper carries nothing we know */

struct search {
	const struct gen *gen;
	const struct abi_family *family;
	size_t release;
	const char *status; /* canonical: "enum TAG" */
};

/* The database's name of a struct or union, which may be its tag's or its typedef's; or NULL. */
static const char *record_named(const struct search *search, const char *keyword, const char *tag)
{
	struct gen_range typedefs = facts_of(search->family, ABI_TYPEDEF);
	const char *type = gen_format("%s %s", keyword, tag);

	if (facts_named(search->family, ABI_FIELD, tag).count)
		return tag;
	for (size_t i = 0; i < typedefs.count; i++) {
		if (!strcmp(typedefs.first[i].column[1], type) &&
		    facts_named(search->family, ABI_FIELD, typedefs.first[i].column[0]).count)
			return typedefs.first[i].column[0];
	}
	return NULL;
}

static bool mentions(const struct search *search, const char *canonical, unsigned depth);

static bool record_mentions(const struct search *search, const char *record, unsigned depth)
{
	struct gen_range fields = facts_named(search->family, ABI_FIELD, record);

	for (size_t i = 0; i < fields.count; i++) {
		const struct abi_fact *field = &fields.first[i];
		size_t release = (size_t)facts_newest(search->family, &field->releases);
		const char *type = field->column[4];

		/* A bit-field is no status, and a nameless member's fields have lines of their own. */
		if (strstr(type, " : ") || strstr(type, "{…}"))
			continue;
		if (mentions(search,
			     type_canonical(search->gen, search->family, release, type, field, 4),
			     depth + 1))
			return true;
	}
	return false;
}

/* Does a value of this type hold, or lead to, a status? */
static bool mentions(const struct search *search, const char *canonical, unsigned depth)
{
	const char *keyword = NULL;

	for (const char *p = canonical; depth < MAX_DEPTH && *p;) {
		size_t length = 0;
		const char *word;

		while (isalnum((unsigned char)p[length]) || p[length] == '_')
			length++;
		if (!length) {
			p++;
			continue;
		}
		word = gen_slice(p, length);
		p += length;
		if (keyword && !strcmp(keyword, "enum")) {
			if (!strcmp(search->status + strlen("enum "), word))
				return true;
		} else if (keyword) {
			const char *record = record_named(search, keyword, word);

			if (record && record_mentions(search, record, depth))
				return true;
		}
		keyword = !strcmp(word, "enum") || !strcmp(word, "struct") || !strcmp(word, "union")
				  ? word
				  : NULL;
	}
	return false;
}

/* One pointer, to what may be written, with nothing before it but this name. */
static const char *pointed_to(const struct gen_type *type, const char *keyword)
{
	size_t length = strlen(keyword), whole = strlen(type->canonical);
	const char *star = strchr(type->spelling, '*'), *constant = strstr(type->spelling, "const ");

	if (strncmp(type->canonical, keyword, length) ||
	    strspn(type->canonical + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789_") != whole - length - 1 ||
	    type->canonical[whole - 1] != '*' || !star || (constant && constant < star))
		return NULL;
	return gen_slice(type->canonical + length, whole - length - 1);
}

/* All statuses of the record are fields of its own, at places that never changed. */
static bool is_plain(const struct search *search, const char *record)
{
	struct gen_range fields = facts_named(search->family, ABI_FIELD, record);

	if (facts_named(search->family, ABI_STRUCT, record).count != 1)
		return false;
	for (size_t i = 0; i < fields.count; i++) {
		const struct abi_fact *field = &fields.first[i];
		size_t release = (size_t)facts_newest(search->family, &field->releases);
		const char *type = field->column[4], *canonical;

		if (strstr(type, " : ") || strstr(type, "{…}"))
			continue;
		canonical = type_canonical(search->gen, search->family, release, type, field, 4);
		if (!mentions(search, canonical, 0))
			continue;
		if (strcmp(canonical, search->status) || strchr(field->column[1], '.') ||
		    (i + 1 < fields.count && !strcmp(fields.first[i + 1].column[1], field->column[1])))
			return false;
	}
	return true;
}

static void look_at(const struct search *search, const struct gen_type *type,
		    struct gen_carrier *carrier)
{
	const char *tag;

	/* By value: translated as an argument or result. */
	if (!strcmp(type->canonical, search->status) || !mentions(search, type->canonical, 0))
		return;
	carrier->carries = true;
	carrier->plain = false;
	carrier->record = NULL;
	if (pointed_to(type, "enum "))
		carrier->plain = true;
	tag = pointed_to(type, "struct ");
	if (tag && (carrier->record = record_named(search, "struct", tag)))
		carrier->plain = is_plain(search, carrier->record);
}

/* Every declaration is looked at; the newest, which the wrapper has, last. */
static void find_in(const struct gen *gen, struct gen_function *function)
{
	const struct abi_family *family = gen->families[function->family].facts;
	struct gen_range range = facts_named(family, ABI_FUNCTION, function->name);

	for (size_t i = 0; i <= range.count; i++) {
		const struct abi_fact *fact = i < range.count ? &range.first[i] : function->fact;
		struct gen_signature signature = type_signature(gen, family, fact);
		struct search search = {gen, family,
					(size_t)facts_newest(family, &fact->releases), NULL};

		search.status = type_canonical(gen, family, search.release,
					       gen->families[function->family].status, fact, 1);
		look_at(&search, &signature.result, &function->result_carrier);
		for (size_t k = 0; k < signature.count; k++)
			look_at(&search, &signature.parameters[k].type,
				&function->signature.parameters[k].carrier);
	}
}

static size_t parameter_named(const struct gen_signature *signature, const char *name)
{
	size_t k = 0;

	while (k < signature->count && strcmp(signature->parameters[k].name, name))
		k++;
	return k;
}

/* The parameter that `count=` or `most=` names: an integer, behind a pointer or by value. */
static const char *number_parameter(const struct gen *gen, const struct treatment_line *line,
				    const struct gen_function *function, const char *option)
{
	const struct gen_signature *signature = &function->signature;
	const char *name = treatment_option(line, option), *words;
	size_t length, k, w = 4;

	if (!name)
		return NULL;
	while (strncmp(line->words[w].text, option, strlen(option)))
		w++;
	k = parameter_named(signature, name);
	if (k == signature->count)
		treatment_fail(&gen->treatment, line, w, "'%s' has no parameter '%s'",
			       function->name, name);
	words = signature->parameters[k].type.canonical;
	length = strlen(words);
	if (!strcmp(option, "count")) {
		if (!length || words[length - 1] != '*')
			length = 0;
		else
			length--;
	}
	if (!type_is_integer(gen_slice(words, length)))
		treatment_fail(&gen->treatment, line, w, "parameter '%s' of '%s' is %s", name,
			       function->name,
			       strcmp(option, "count") ? "no integer" : "no pointer to an integer");
	return name;
}

static struct gen_carrier *carrier_at(const struct gen *gen, const struct treatment_line *line,
				      struct gen_function *function)
{
	const char *name = line->words[3].text;
	size_t k = parameter_named(&function->signature, name);

	if (!strcmp(name, "return"))
		return &function->result_carrier;
	if (k == function->signature.count)
		treatment_fail(&gen->treatment, line, 3, "'%s' has no parameter '%s'",
			       function->name, name);
	return &function->signature.parameters[k].carrier;
}

static void apply_line(const struct gen *gen, const struct treatment_line *line)
{
	int family = model_family(gen, line->words[1].text),
	    id = model_function(gen, line->words[2].text);
	struct gen_function *function = id < 0 ? NULL : &gen->functions[id];
	struct gen_carrier *carrier;

	if (family < 0)
		treatment_fail(&gen->treatment, line, 1, "family '%s' has no `bridge` line",
			       line->words[1].text);
	if (!function || function->family != (size_t)family)
		treatment_fail(&gen->treatment, line, 2,
			       "unknown function '%s': family '%s' has no such public function",
			       line->words[2].text, line->words[1].text);
	carrier = carrier_at(gen, line, function);
	if (!carrier->carries)
		treatment_fail(&gen->treatment, line, 3, "'%s' of '%s' carries no status",
			       line->words[3].text, function->name);
	if (carrier->line)
		treatment_fail(&gen->treatment, line, 3, "'%s' of '%s' is treated already",
			       line->words[3].text, function->name);
	if (!function->translates)
		treatment_fail(&gen->treatment, line, 2,
			       "'%s' has the method `pass`, which translates nothing",
			       function->name);
	carrier->line = line;
	carrier->via = !strcmp(line->words[4].text, "via");
	if (carrier->via && !function->via)
		treatment_fail(&gen->treatment, line, 4,
			       "'%s' has no `method … via` line that could treat it",
			       function->name);
	if (!carrier->via && !carrier->plain)
		treatment_fail(&gen->treatment, line, 4,
			       "'%s' of '%s' is neither a pointer to statuses nor one to structs "
			       "whose statuses keep their places: only `via` can treat it",
			       line->words[3].text, function->name);
	carrier->count = number_parameter(gen, line, function, "count");
	carrier->most = number_parameter(gen, line, function, "most");
}

static void check_treated(const struct gen *gen, const struct gen_function *function,
			  const struct gen_carrier *carrier, unsigned column, const char *name)
{
	const struct gen_family *family = &gen->families[function->family];

	if (!carrier->carries || carrier->line || !family->translates)
		return;
	gen_fail(family->facts->path, function->fact->line, facts_column(function->fact, column),
		 "%s: '%s' carries a status (%s): add `carries %s %s %s one`, `… count=PARAMETER` "
		 "or `… via` to the treatment",
		 function->name, name, family->status, family->facts->name, function->name, name);
}

void carry_build(struct gen *gen)
{
	const struct treatment_line *line;

	for (size_t i = 0; i < gen->function_count; i++)
		find_in(gen, &gen->functions[i]);
	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_CARRIES, &cursor));)
		apply_line(gen, line);
	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_function *function = &gen->functions[i];

		check_treated(gen, function, &function->result_carrier, 1, "return");
		for (size_t k = 0; k < function->signature.count; k++)
			check_treated(gen, function, &function->signature.parameters[k].carrier, 2,
				      function->signature.parameters[k].name);
	}
}

bool carry_is_status(const struct gen *gen, size_t id, const struct abi_fact *field)
{
	const struct abi_family *family = gen->families[id].facts;
	size_t release = (size_t)facts_newest(family, &field->releases);
	const char *status = gen->families[id].status, *type = field->column[4];

	if (strstr(type, " : ") || strstr(type, "{…}"))
		return false;
	return !strcmp(type_canonical(gen, family, release, type, field, 4),
		       type_canonical(gen, family, release, status, field, 4));
}

bool carry_has_status(const struct gen *gen, size_t id, const char *record)
{
	struct gen_range fields = facts_named(gen->families[id].facts, ABI_FIELD, record);

	for (size_t i = 0; i < fields.count; i++) {
		if (carry_is_status(gen, id, &fields.first[i]))
			return true;
	}
	return false;
}
