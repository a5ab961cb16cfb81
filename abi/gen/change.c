/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says how each difference is treated: by a line of abi/changes, else by what was decided elsewhere (a function's method, a facade, the
 * struct or enum that a field or typedef belongs to). A difference that nothing treats is an error, and so is a line that treats nothing.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>
#include "../subject.h"

#define EXACT 10000 /* above the length of any pattern */
#define TOLD 40 /* untreated differences that are named, of more the number alone */

/* `*` stands for any characters. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t length = star ? (size_t)(star - pattern) : strlen(pattern);

	if (strncmp(pattern, name, length))
		return false;
	if (!star)
		return !name[length];
	for (name += length; ; name++) {
		if (matches(star + 1, name))
			return true;
		if (!*name)
			return false;
	}
}

static unsigned precision(const char *pattern)
{
	unsigned letters = 0;

	if (!strchr(pattern, '*'))
		return EXACT;
	for (; *pattern; pattern++)
		letters += *pattern != '*';
	return letters;
}

static bool fits(const struct treatment_line *line, const struct gen *gen, const struct gen_change *row)
{
	const struct treatment_word *words = line->words;

	return !strcmp(words[1].text, gen->families[row->family].facts->name) &&
	       !strcmp(words[2].text, abi_kinds[row->kind].name) &&
	       !strcmp(words[4].text, gen_form_words[row->form]) && matches(words[3].text, row->name);
}

/* The most precise line; two of one precision leave it open which decides. */
static const struct treatment_line *find_line(const struct gen *gen, const struct gen_change *row)
{
	const struct treatment_line *line, *best = NULL;

	for (size_t cursor = 0;
	     (line = treatment_next(&gen->changes_file, TREATMENT_CHANGE, &cursor));) {
		if (!fits(line, gen, row))
			continue;
		if (best && precision(line->words[3].text) == precision(best->words[3].text))
			treatment_fail(&gen->changes_file, line, 3,
				       "'%s' is treated by line %u, too, which is as precise", row->name,
				       best->line);
		if (!best || precision(line->words[3].text) > precision(best->words[3].text))
			best = line;
	}
	return best;
}

static const char *text_of(const struct treatment_line *line)
{
	const char *text = "";

	for (size_t w = 6; w < line->count; w++) {
		if (*text || !strchr(line->words[w].text, '='))
			text = gen_format("%s%s%s", text, *text ? " " : "", line->words[w].text);
	}
	return text;
}

static void set(struct gen_change *row, const char *how, const char *status, const char *finding,
		const char *note)
{
	row->how = how;
	row->status = status ? status : "-";
	row->finding = finding ? finding : "-";
	row->note = note;
}

static void copy(struct gen_change *row, const struct gen_change *from, const char *note)
{
	set(row, from->how, from->status, from->finding, note);
}

static const struct treatment_line *method_line(const struct gen *gen, const char *function)
{
	const struct treatment_line *line;

	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_METHOD, &cursor));) {
		if (!strcmp(line->words[2].text, function))
			return line;
	}
	return NULL;
}

static const char *refusal(const struct gen *gen, size_t family)
{
	return treatment_option(gen->families[family].bridge, "refuse");
}

/* A function that comes or goes: by its method. */
static void follow_method(const struct gen *gen, struct gen_change *row)
{
	const struct treatment_line *line = method_line(gen, row->name);
	int id = model_function(gen, row->name);
	const struct gen_function *function = id < 0 ? NULL : &gen->functions[id];

	/* One that is asked at every call has other work to do than to stand in. */
	if (row->form == GEN_CHANGES || (!line && !(function && function->narrow)) || (function && function->via_always))
		return;
	if (function && function->narrow)
		set(row, "emulated", function->refusal, "GW-318",
		    "carried by its namesake of 32 bits; a number that these cannot hold is refused");
	else if (function && function->via)
		set(row, "emulated", NULL, NULL,
		    gen_format("%s answers where the loaded release lacks it", function->via));
	else
		set(row, "refused", function && function->returns_status ? refusal(gen, row->family) : NULL,
		    "GW-303", "where the loaded release lacks it");
}

static int release_of(const struct abi_family *facts, const char *soname)
{
	struct abi_set releases;

	return facts_soname(facts, soname, &releases) ? facts_newest(facts, &releases) : -1;
}

/* A soname that vanishes has a facade onto a newer one, or one that appears a facade onto an older one. */
static void follow_facade(const struct gen *gen, struct gen_change *row)
{
	const struct abi_family *facts = gen->families[row->family].facts;

	for (size_t i = 0; i < gen->facade_count; i++) {
		const struct gen_facade *facade = &gen->facades[i];
		const char *targets = "";

		if (facade->facts != facts || strcmp(facade->soname, row->name))
			continue;
		for (size_t w = 4; w < facade->line->count; w++) {
			const char *target = facade->line->words[w].text;
			bool newer = release_of(facts, target) > (int)facade->answer;

			if (newer == (row->form == GEN_VANISHES))
				targets = gen_format("%s%s%s", targets, *targets ? ", " : "", target);
		}
		if (*targets)
			set(row, "translated", NULL, NULL,
			    gen_format("a facade of this name forwards to %s", targets));
	}
}

/* What comes and goes with its library is treated as the library is. */
static void follow_library(const struct gen *gen, struct gen_change *row)
{
	const struct abi_family *facts = gen->families[row->family].facts;
	const char *soname = row->fact->column[0];
	size_t length = abi_subject_stem(soname);
	struct abi_set set = differ_library(facts, soname, length);

	if (row->form == GEN_CHANGES || !facts_equal(&set, &row->releases))
		return;
	for (size_t i = 0; i < gen->change_count; i++) {
		const struct gen_change *library = &gen->changes[i];

		if (library->family != row->family || library->kind != ABI_SONAME || library->form != row->form ||
		    strncmp(library->name, soname, length + strlen(".so")))
			continue;
		copy(row, library, gen_format("as %s", library->name));
		return;
	}
}

/* How a facade of this library, whatever its number, has the symbol. */
static const struct gen_facade_symbol *facade_symbol(const struct gen *gen, const struct gen_change *row)
{
	const char *soname = row->fact->column[0], *symbol = row->fact->column[1];
	size_t length = abi_subject_stem(soname), bytes = strcspn(symbol, "@");

	for (size_t i = 0; i < gen->facade_count; i++) {
		const struct gen_facade *facade = &gen->facades[i];

		if (facade->facts != gen->families[row->family].facts ||
		    abi_subject_stem(facade->soname) != length ||
		    strncmp(facade->soname, soname, length))
			continue;
		for (size_t k = 0; k < facade->count; k++) {
			if (strlen(facade->symbols[k].name) == bytes &&
			    !strncmp(facade->symbols[k].name, symbol, bytes))
				return &facade->symbols[k];
		}
	}
	return NULL;
}

/* Where this library lacks the symbol, has another of the release it? */
static bool exported_elsewhere(const struct gen *gen, const struct gen_change *row)
{
	const struct abi_family *facts = gen->families[row->family].facts;
	struct gen_range range = facts_of(facts, ABI_EXPORT);
	struct abi_set set = {0};
	bool before = false, gap = false;

	for (size_t i = 0; i < range.count; i++) {
		if (!strcmp(range.first[i].column[1], row->fact->column[1]))
			facts_join(&set, &range.first[i].releases);
	}
	for (size_t r = 0; r < facts->release_count; r++) {
		bool has = abi_set_has(&set, r), from = row->form == GEN_VANISHES;

		gap |= before && has != from;
		before |= has == from;
	}
	return !gap;
}

static void follow_export(const struct gen *gen, struct gen_change *row)
{
	const char *symbol = row->fact->column[1];
	const char *name = gen_slice(symbol, strcspn(symbol, "@"));
	const struct gen_facade_symbol *entry = facade_symbol(gen, row);
	const struct gen_change *function;

	if (model_function(gen, name) >= 0) {
		function = differ_find(gen, row->family, ABI_FUNCTION, name);
		while (function && function->form != row->form)
			function = function + 1 < gen->changes + gen->change_count &&
						   !strcmp(function[1].name, name)
					   ? function + 1
					   : NULL;
		/* told of the function, where nothing treats that */
		if (function)
			copy(row, function, "as the function");
		else if (!row->how && exported_elsewhere(gen, row))
			set(row, "unchanged", NULL, NULL, "the function is looked up in each library of the release");
	} else if (entry && entry->how == GW_FACADE_REFUSE) {
		set(row, "refused", refusal(gen, row->family), "GW-304",
		    "private to the vendor's libraries; a call through a facade is refused");
	} else if (entry) {
		set(row, "unchanged", NULL, NULL, "private, of the same interface: forwarded by the facade");
	} else {
		set(row, "unchanged", NULL, NULL,
		    "private to the vendor's libraries, which come from one directory and are not intercepted");
	}
}

static void follow_struct(const struct gen *gen, struct gen_change *row)
{
	struct gen_range range =
		facts_named(gen->families[row->family].facts, ABI_STRUCT, row->fact->column[0]);
	struct abi_set set = {0};
	const struct gen_change *owner =
		differ_find(gen, row->family, ABI_STRUCT, row->fact->column[0]);

	for (size_t i = 0; i < range.count; i++)
		facts_join(&set, &range.first[i].releases);
	for (; owner && owner < gen->changes + gen->change_count && owner->kind == ABI_STRUCT &&
	       !strcmp(owner->name, row->fact->column[0]);
	     owner++) {
		if (owner->form == row->form && owner->how && facts_equal(&set, &row->releases))
			copy(row, owner, "as the struct");
	}
}

/* A typedef that names an enum or struct, which comes and goes with it. */
static void follow_type(const struct gen *gen, struct gen_change *row)
{
	for (size_t i = 0; i < gen->change_count; i++) {
		const struct gen_change *type = &gen->changes[i];

		if (type->family != row->family || type->form != row->form || !type->how ||
		    (type->kind != ABI_ENUM && type->kind != ABI_STRUCT) ||
		    strcmp(type->fact->column[0], row->name) || !facts_equal(&type->releases, &row->releases))
			continue;
		copy(row, type, type->kind == ABI_ENUM ? "as the enum's constants" : "as the struct");
		return;
	}
}

static void follow(const struct gen *gen, struct gen_change *row)
{
	switch (row->kind) {
	case ABI_SONAME:
		follow_facade(gen, row);
		break;
	case ABI_FUNCTION:
		follow_method(gen, row);
		break;
	case ABI_FIELD:
		follow_struct(gen, row);
		break;
	case ABI_TYPEDEF:
		follow_type(gen, row);
		break;
	case ABI_NODE:
	case ABI_NEEDED:
	case ABI_OTHERS:
		follow_library(gen, row);
		break;
	case ABI_EXPORT:
		follow_library(gen, row);
		if (!row->how || model_function(gen, row->fact->column[1]) >= 0 ||
		    (facade_symbol(gen, row) && facade_symbol(gen, row)->how == GW_FACADE_REFUSE))
			follow_export(gen, row);
		break;
	default:
		break;
	}
}

/* A line's NAME must say more than which family it is, and the enum, struct or library at least. */
static void check_pattern(const struct gen *gen, const struct treatment_line *line, int family)
{
	const char *kind = line->words[2].text, *name = line->words[3].text, *star = strchr(name, '*'),
		   *form = line->words[4].text;
	const char *owner = strcspn(name, ".:") < strlen(name) ? name + strcspn(name, ".:") : NULL;
	size_t prefix = strlen(gen->families[family].prefix);

	if (!star)
		return;
	if (!strcmp(form, "changes") && strcmp(kind, "macro"))
		treatment_fail(&gen->changes_file, line, 3,
			       "'%s' would cover a change that nobody has seen: name each", name);
	if (!strcmp(form, "reuses"))
		treatment_fail(&gen->changes_file, line, 3,
			       "'%s' would cover a value that nobody has seen: name each", name);
	if (!strcmp(kind, "enum") || !strcmp(kind, "field") || !strcmp(kind, "export")) {
		if (!owner || owner > star)
			treatment_fail(&gen->changes_file, line, 3,
				       "'%s' names no enum, struct or library before its `*`", name);
	} else if ((strcmp(kind, "function") && strcmp(kind, "macro")) ||
		   precision(name) < prefix + 3) {
		treatment_fail(&gen->changes_file, line, 3, "'%s' would cover anything: name each",
			       name);
	}
}

/* A constant may vanish unnamed with its whole enum alone. */
static void check_vanishing(const struct gen *gen, const struct gen_change *row)
{
	const struct abi_family *facts = gen->families[row->family].facts;
	struct gen_range range = facts_named(facts, ABI_ENUM, row->fact->column[0]);

	if (row->kind != ABI_ENUM || row->form != GEN_VANISHES || !strchr(row->line->words[3].text, '*'))
		return;
	for (size_t i = 0; i < range.count; i++) {
		if (abi_set_has(&range.first[i].releases, facts->release_count - 1))
			treatment_fail(&gen->changes_file, row->line, 3,
				       "'%s' vanishes, its enum does not: name it", row->name);
	}
}

static void check_values(const struct gen *gen, const struct gen_change *row)
{
	const char *values = treatment_option(row->line, "values");
	bool needed = row->form == GEN_CHANGES && (row->kind == ABI_ENUM || row->kind == ABI_STRUCT ||
						   row->kind == ABI_MACRO);

	if (!needed && values)
		treatment_fail(&gen->changes_file, row->line, 6,
			       "`values=` belongs to an enum, struct or macro that changes");
	if (!needed || (values && !strcmp(values, "*") && row->kind != ABI_STRUCT))
		return;
	if (!values || strcmp(values, row->values))
		treatment_fail(&gen->changes_file, row->line, values ? 6 : 4,
			       "'%s' has the values %s: the line must list them, as `values=%s`",
			       row->name, row->values, row->values);
}

static void check_function(const struct gen *gen, const struct gen_change *row)
{
	const struct treatment_line *method = method_line(gen, row->name);
	int id = model_function(gen, row->name);
	bool via = id >= 0 && gen->functions[id].via, always = via && gen->functions[id].via_always;
	bool refused = !strcmp(row->how, "refused");

	if (row->kind != ABI_FUNCTION || row->form == GEN_CHANGES)
		return;
	if (id < 0) {
		if (strcmp(row->how, "unchanged"))
			treatment_fail(&gen->changes_file, row->line, 5,
				       "'%s' is no bridged function: no call of it is seen", row->name);
	} else if (via == refused && !always) {
		treatment_fail(&gen->changes_file, row->line, 5,
			       "'%s' is %s here, and its method in the treatment is `%s`", row->name,
			       row->how, method ? method->words[3].text : "the family's");
	}
}

static void apply(const struct gen *gen, struct gen_change *row)
{
	set(row, row->line->words[5].text, treatment_option(row->line, "status"),
	    treatment_option(row->line, "finding"), text_of(row->line));
	check_vanishing(gen, row);
	check_values(gen, row);
	check_function(gen, row);
}

/* A soname's own facade, and a function's own hand where others of the line have none, say more than a line for several. */
static void decide(const struct gen *gen, struct gen_change *row)
{
	bool several = row->line && strchr(row->line->words[3].text, '*');

	if (row->line && (row->kind == ABI_SONAME || (row->kind == ABI_FUNCTION && several &&
						      !strcmp(row->line->words[5].text, "refused")))) {
		follow(gen, row);
		if (row->how)
			return;
	}
	if (row->line)
		apply(gen, row);
	else
		follow(gen, row);
}

static void check_line(const struct gen *gen, const struct treatment_line *line)
{
	int family = model_family(gen, line->words[1].text);
	const char *status = treatment_option(line, "status");
	size_t word = 6;

	if (family < 0)
		treatment_fail(&gen->changes_file, line, 1, "family '%s' has no `bridge` line",
			       line->words[1].text);
	check_pattern(gen, line, family);
	if (!status)
		return;
	while (strncmp(line->words[word].text, "status=", 7))
		word++;
	const struct abi_family *owner = facts_owner(gen, gen->families[family].facts, ABI_ENUM,
						     gen->families[family].status);
	struct gen_range range = facts_named(owner, ABI_ENUM, gen->families[family].status);

	for (size_t i = 0; i < range.count; i++) {
		if (!strcmp(range.first[i].column[1], status))
			return;
	}
	treatment_fail(&gen->changes_file, line, word, "'%s' is no constant of '%s'", status,
		       gen->families[family].status);
}

/* Names what nothing treats, each at its fact, and ends. */
static void tell_untreated(const struct gen *gen)
{
	size_t untreated = 0;

	for (size_t i = 0; i < gen->change_count; i++) {
		const struct gen_change *row = &gen->changes[i];
		const struct abi_family *facts = gen->families[row->family].facts;

		if (row->how || row->note || untreated++ >= TOLD)
			continue;
		fprintf(stderr, "%s:%u:1: nothing treats that %s '%s' %s%s%s: add `%s`\n", facts->path,
			row->fact->line, abi_kinds[row->kind].name, row->name, gen_form_words[row->form],
			*row->what && row->kind != ABI_FUNCTION ? ": " : "",
			row->kind != ABI_FUNCTION ? row->what : "",
			row->kind == ABI_FUNCTION && row->form != GEN_CHANGES
				? gen_format("method %s %s …` to the treatment, or `change %s function %s %s …",
					     facts->name, row->name, facts->name, row->name,
					     gen_form_words[row->form])
				: gen_format("change %s %s %s %s …", facts->name,
					     abi_kinds[row->kind].name, row->name,
					     gen_form_words[row->form]));
	}
	if (untreated)
		gen_fail(gen->changes_file.path, 0, 0, "%zu difference%s between releases %s untreated",
			 untreated, untreated > 1 ? "s" : "", untreated > 1 ? "are" : "is");
}

/* What a row says is told has to be something that is told. */
static void check_findings(const struct gen *gen)
{
	for (size_t i = 0; gen->findings.count && i < gen->change_count; i++) {
		const struct gen_change *row = &gen->changes[i];
		const struct abi_finding *finding = abi_findings_find(&gen->findings, row->finding);
		size_t word = 6;

		if (!strcmp(row->finding, "-") || (finding && !finding->retired))
			continue;
		if (!row->line || !treatment_option(row->line, "finding"))
			gen_fail(gen->changes_file.path, 0, 0, "%s, which '%s' is answered with, is none that abi/findings tells of", row->finding, row->name);
		while (strncmp(row->line->words[word].text, "finding=", 8))
			word++;
		treatment_fail(&gen->changes_file, row->line, word, "%s is none that abi/findings tells of", row->finding);
	}
}

void change_build(struct gen *gen)
{
	/* What follows from other decisions comes after them. */
	static const enum abi_kind order[] = {ABI_SONAME, ABI_FUNCTION, ABI_ENUM,   ABI_STRUCT,
					      ABI_FIELD,  ABI_TYPEDEF,	ABI_MACRO,  ABI_NODE,
					      ABI_NEEDED, ABI_OTHERS,	ABI_EXPORT};
	const struct treatment_line *line;
	bool *used = gen_alloc(gen->changes_file.count + 1);

	for (size_t cursor = 0;
	     (line = treatment_next(&gen->changes_file, TREATMENT_CHANGE, &cursor));)
		check_line(gen, line);
	for (size_t k = 0; k < ABI_KIND_COUNT; k++) {
		for (size_t i = 0; i < gen->change_count; i++) {
			struct gen_change *row = &gen->changes[i];

			if (row->kind != order[k])
				continue;
			row->line = find_line(gen, row);
			if (row->line)
				used[row->line - gen->changes_file.lines] = true;
			decide(gen, row);
		}
	}
	tell_untreated(gen);
	check_findings(gen);
	for (size_t i = 0; i < gen->changes_file.count; i++) {
		line = &gen->changes_file.lines[i];
		if (!used[i])
			treatment_fail(&gen->changes_file, line, 3,
				       "no %s '%s' %s that no other line treats: the line is stale",
				       line->words[2].text, line->words[3].text, line->words[4].text);
	}
}
