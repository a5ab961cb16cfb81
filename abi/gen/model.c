/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions are bridged, in which family, with which signature and method; and every check of
 * the treatment against the facts that concerns them.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

static int by_function_name(const void *a, const void *b)
{
	return strcmp(((const struct gen_function *)a)->name,
		      ((const struct gen_function *)b)->name);
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_family_name(const void *a, const void *b)
{
	return strcmp(((const struct gen_family *)a)->facts->name,
		      ((const struct gen_family *)b)->facts->name);
}

int model_function(const struct gen *gen, const char *name)
{
	const struct gen_function key = {.name = name}, *found;

	found = gen->function_count ? bsearch(&key, gen->functions, gen->function_count,
					      sizeof(key), by_function_name)
				    : NULL;
	return found ? (int)(found - gen->functions) : -1;
}

int model_family(const struct gen *gen, const char *name)
{
	for (size_t i = 0; i < gen->family_count; i++) {
		if (!strcmp(gen->families[i].facts->name, name))
			return (int)i;
	}
	return -1;
}

int model_enum(const struct gen *gen, const char *name)
{
	const char **found = NULL;

	if (name && gen->enum_count)
		found = bsearch(&name, gen->enums, gen->enum_count, sizeof(*gen->enums), by_string);
	return found ? (int)(found - gen->enums) : -1;
}

static const struct abi_family *family_at(const struct gen *gen, const struct treatment_line *line,
					  size_t word)
{
	const struct abi_family *family = abi_db_family(&gen->db, line->words[word].text);

	if (!family)
		treatment_fail(&gen->treatment, line, word,
			       "unknown family '%s': no facts were read for it",
			       line->words[word].text);
	return family;
}

static void collect_families(struct gen *gen)
{
	const struct treatment_line *line;
	size_t cursor = 0;

	gen->families = gen_alloc(gen->treatment.count * sizeof(*gen->families));
	while ((line = treatment_next(&gen->treatment, TREATMENT_BRIDGE, &cursor))) {
		struct gen_family *family = &gen->families[gen->family_count];

		family->facts = family_at(gen, line, 1);
		if (model_family(gen, family->facts->name) >= 0)
			treatment_fail(&gen->treatment, line, 1, "family '%s' is bridged twice",
				       family->facts->name);
		family->bridge = line;
		family->status = treatment_option(line, "status");
		family->prefix = treatment_option(line, "symbols");
		gen->family_count++;
	}
	for (cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_GENERIC, &cursor));)
		(void)family_at(gen, line, 1);
	qsort(gen->families, gen->family_count, sizeof(*gen->families), by_family_name);
}

static void collect_suites(struct gen *gen)
{
	const struct treatment_line *line;
	size_t cursor = 0;
	unsigned suite = 0;

	while ((line = treatment_next(&gen->treatment, TREATMENT_SUITE, &cursor))) {
		for (size_t w = 2; w < line->count; w++) {
			int id;

			(void)family_at(gen, line, w);
			id = model_family(gen, line->words[w].text);
			if (id < 0)
				continue;
			if (gen->families[id].suite_name)
				treatment_fail(&gen->treatment, line, w,
					       "family '%s' is in two suites", line->words[w].text);
			gen->families[id].suite = suite;
			gen->families[id].suite_name = line->words[1].text;
			gen->families[id].suite_first = w == 2;
		}
		suite++;
	}
	for (size_t i = 0; i < gen->family_count; i++) {
		if (!gen->families[i].suite_name)
			treatment_fail(&gen->treatment, gen->families[i].bridge, 1,
				       "family '%s' is in no `suite` line",
				       gen->families[i].facts->name);
	}
}

static bool exported(const struct abi_family *family, const char *name)
{
	struct gen_range range = facts_of(family, ABI_EXPORT);

	for (size_t i = 0; i < range.count; i++) {
		size_t length = strcspn(range.first[i].column[1], "@");

		if (strlen(name) == length && !strncmp(range.first[i].column[1], name, length))
			return true;
	}
	return false;
}

static bool same_type(const struct gen_type *a, const struct gen_type *b)
{
	return a->class == b->class &&
	       (a->class != GW_CLASS_STRUCT || !strcmp(a->canonical, b->canonical));
}

/* Two declarations of one function: what changes the calling convention cannot be served by one
 * wrapper. */
static void check_agreement(const struct abi_family *family, const struct gen_function *function,
			    const struct abi_fact *other, const struct gen_signature *theirs)
{
	const struct gen_signature *ours = &function->signature;
	const char *release =
		family->releases[facts_newest(family, &function->fact->releases)].version;

	if (!same_type(&ours->result, &theirs->result))
		gen_fail(family->path, other->line, facts_column(other, 1),
			 "%s: returns '%s' here and '%s' in %s (line %u): the calling convention "
			 "differs",
			 function->name, theirs->result.spelling, ours->result.spelling, release,
			 function->fact->line);
	if (ours->count != theirs->count)
		gen_fail(family->path, other->line, facts_column(other, 2),
			 "%s: %zu parameters here and %zu in %s (line %u): the calling convention "
			 "differs",
			 function->name, theirs->count, ours->count, release, function->fact->line);
	for (size_t i = 0; i < ours->count; i++) {
		if (!same_type(&ours->parameters[i].type, &theirs->parameters[i].type))
			gen_fail(family->path, other->line, facts_column(other, 2),
				 "%s: parameter %zu is '%s' here and '%s' in %s (line %u): the "
				 "calling convention differs",
				 function->name, i + 1, theirs->parameters[i].type.spelling,
				 ours->parameters[i].type.spelling, release, function->fact->line);
	}
}

static void add_function(struct gen *gen, size_t id, const char *name)
{
	const struct abi_family *family = gen->families[id].facts;
	struct gen_range range = facts_named(family, ABI_FUNCTION, name);
	struct gen_function *function = &gen->functions[gen->function_count++];
	int newest = -1;

	*function = (struct gen_function){.name = name, .family = id};
	for (size_t i = 0; i < range.count; i++) {
		int last = facts_newest(family, &range.first[i].releases);

		facts_join(&function->releases, &range.first[i].releases);
		if (last > newest) {
			newest = last;
			function->fact = &range.first[i];
		}
	}
	function->signature = type_signature(gen, family, function->fact);
	for (size_t i = 0; i < range.count; i++) {
		struct gen_signature other = type_signature(gen, family, &range.first[i]);

		check_agreement(family, function, &range.first[i], &other);
	}
	function->returns_status =
		function->signature.result.enum_name &&
		!strcmp(function->signature.result.enum_name, gen->families[id].status);
	for (size_t i = 0; i < function->signature.count; i++) {
		struct gen_parameter *parameter = &function->signature.parameters[i];

		parameter->status = parameter->type.enum_name &&
				    !strcmp(parameter->type.enum_name, gen->families[id].status);
	}
}

static void collect_functions(struct gen *gen)
{
	size_t most = 0;

	for (size_t i = 0; i < gen->family_count; i++)
		most += facts_of(gen->families[i].facts, ABI_FUNCTION).count;
	gen->functions = gen_alloc(most * sizeof(*gen->functions));
	for (size_t i = 0; i < gen->family_count; i++) {
		const struct gen_family *family = &gen->families[i];
		struct gen_range range = facts_of(family->facts, ABI_FUNCTION);
		const char *before = "";

		for (size_t k = 0; k < range.count; k++) {
			const char *name = range.first[k].column[0];

			if (strcmp(name, before) &&
			    !strncmp(name, family->prefix, strlen(family->prefix)) &&
			    exported(family->facts, name))
				add_function(gen, i, name);
			before = name;
		}
	}
	qsort(gen->functions, gen->function_count, sizeof(*gen->functions), by_function_name);
	for (size_t i = 1; i < gen->function_count; i++) {
		const struct gen_function *a = &gen->functions[i - 1], *b = &gen->functions[i];

		if (!strcmp(a->name, b->name))
			gen_fail(gen->families[b->family].facts->path, b->fact->line,
				 facts_column(b->fact, 0), "%s: also a function of family '%s'",
				 b->name, gen->families[a->family].facts->name);
	}
}

static void collect_enums(struct gen *gen)
{
	size_t most = gen->family_count + gen->named_count, kept = 0;

	for (size_t i = 0; i < gen->function_count; i++)
		most += gen->functions[i].signature.count + 1;
	gen->enums = gen_alloc(most * sizeof(*gen->enums));
	for (size_t i = 0; i < gen->family_count; i++)
		gen->enums[gen->enum_count++] = gen->families[i].status;
	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_signature *signature = &gen->functions[i].signature;

		if (signature->result.enum_name)
			gen->enums[gen->enum_count++] = signature->result.enum_name;
		for (size_t k = 0; k < signature->count; k++) {
			if (signature->parameters[k].type.enum_name)
				gen->enums[gen->enum_count++] =
					signature->parameters[k].type.enum_name;
		}
	}
	for (size_t i = 0; i < gen->named_count; i++)
		gen->enums[gen->enum_count++] = gen->named[i];
	qsort(gen->enums, gen->enum_count, sizeof(*gen->enums), by_string);
	for (size_t i = 0; i < gen->enum_count; i++) {
		if (!kept || strcmp(gen->enums[kept - 1], gen->enums[i]))
			gen->enums[kept++] = gen->enums[i];
	}
	gen->enum_count = kept;
}

static enum gw_method method_of(const char *word)
{
	static const char *const words[] = {"pass", "table", "via", "gone", "new"};
	size_t i = 0;

	while (strcmp(words[i], word))
		i++;
	return (enum gw_method)i;
}

/* One hand-written function may answer for several, if they are of one signature. */
static void apply_via(struct gen *gen, const struct treatment_line *line,
		      struct gen_function *function)
{
	const char *via = line->words[4].text,
		   *own = type_canonical_signature(&function->signature);

	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_function *other = &gen->functions[i];

		if (other->via && !strcmp(other->via, via) &&
		    strcmp(type_canonical_signature(&other->signature), own))
			treatment_fail(&gen->treatment, line, 4,
				       "'%s' answers '%s' already, whose signature differs", via,
				       other->name);
	}
	function->via = via;
	function->via_always = line->count > 5;
}

static void apply_method(struct gen *gen, const struct treatment_line *line)
{
	const char *name = line->words[2].text;
	int family = model_family(gen, line->words[1].text), id = model_function(gen, name);
	struct gen_function *function = id < 0 ? NULL : &gen->functions[id];
	const struct abi_family *facts = gen->families[family].facts;

	if (!function || function->family != (size_t)family)
		treatment_fail(&gen->treatment, line, 2,
			       "unknown function '%s': family '%s' has no such public function",
			       name, facts->name);
	function->method = method_of(line->words[3].text);
	if (function->method == GW_METHOD_GONE &&
	    abi_set_has(&function->releases, facts->release_count - 1))
		treatment_fail(&gen->treatment, line, 3,
			       "'%s' is not gone: the newest release (%s) declares it", name,
			       facts->releases[facts->release_count - 1].version);
	if (function->method == GW_METHOD_NEW && abi_set_has(&function->releases, 0))
		treatment_fail(&gen->treatment, line, 3,
			       "'%s' is not new: the oldest release (%s) declares it", name,
			       facts->releases[0].version);
	if (function->method == GW_METHOD_VIA)
		apply_via(gen, line, function);
}

static void apply_methods(struct gen *gen)
{
	const struct treatment_line *line;
	enum gw_method *defaults = gen_alloc(gen->family_count * sizeof(*defaults));
	bool *given = gen_alloc(gen->family_count * sizeof(*given));
	bool *treated = gen_alloc(gen->function_count * sizeof(*treated));

	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_METHOD, &cursor));) {
		int family = model_family(gen, line->words[1].text);

		(void)family_at(gen, line, 1);
		if (family < 0)
			treatment_fail(&gen->treatment, line, 1, "family '%s' has no `bridge` line",
				       line->words[1].text);
		if (strcmp(line->words[2].text, "*"))
			continue;
		if (given[family])
			treatment_fail(&gen->treatment, line, 2,
				       "family '%s' has a default already", line->words[1].text);
		given[family] = true;
		defaults[family] = method_of(line->words[3].text);
	}
	for (size_t i = 0; i < gen->family_count; i++) {
		if (!given[i])
			treatment_fail(&gen->treatment, gen->families[i].bridge, 1,
				       "family '%s' has no `method %s *` line",
				       gen->families[i].facts->name, gen->families[i].facts->name);
		gen->families[i].translates = defaults[i] == GW_METHOD_TABLE;
	}
	for (size_t i = 0; i < gen->function_count; i++)
		gen->functions[i].method = defaults[gen->functions[i].family];
	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_METHOD, &cursor));) {
		int id = model_function(gen, line->words[2].text);

		if (!strcmp(line->words[2].text, "*"))
			continue;
		if (id >= 0 && treated[id])
			treatment_fail(&gen->treatment, line, 2, "'%s' has a method already",
				       line->words[2].text);
		apply_method(gen, line);
		treated[id] = true;
	}
	narrow_apply(gen, treated);
	until_check(gen);
	for (size_t i = 0; i < gen->function_count; i++) {
		struct gen_function *function = &gen->functions[i];

		/* What comes and goes is translated as the rest of its family is. */
		function->translates = function->method == GW_METHOD_TABLE ||
				       function->method == GW_METHOD_VIA ||
				       (function->method >= GW_METHOD_GONE &&
					gen->families[function->family].translates);
	}
}

void model_build(struct gen *gen)
{
	collect_families(gen);
	collect_suites(gen);
	for (size_t i = 0; i < gen->family_count; i++) {
		const struct gen_family *family = &gen->families[i];

		if (!facts_owner(gen, family->facts, ABI_ENUM, family->status))
			treatment_fail(&gen->treatment, family->bridge, 2, "unknown enum '%s'",
				       family->status);
	}
	collect_functions(gen);
	apply_methods(gen);
	collect_enums(gen);
}
