/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which symbols each facade has and how each is answered: to a typed wrapper, straight on, or
 * refused. A private symbol is never passed on by its name alone; a generic family's public one
 * only where every release concerned declares it alike.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct gen *gen;
	struct gen_facade *facade;
	struct abi_set own;     /* the releases of the facade's soname */
	struct abi_set targets; /* the releases of all its targets */
};

static int by_symbol(const void *a, const void *b)
{
	return strcmp(((const struct gen_facade_symbol *)a)->name,
		      ((const struct gen_facade_symbol *)b)->name);
}

static bool meet(const struct abi_set *a, const struct abi_set *b)
{
	for (size_t i = 0; i < ABI_MAX_RELEASES / 64; i++) {
		if (a->bits[i] & b->bits[i])
			return true;
	}
	return false;
}

static const struct treatment_line *generic_line(const struct gen *gen, const char *family)
{
	const struct treatment_line *line;

	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_GENERIC, &cursor));) {
		if (!strcmp(line->words[1].text, family))
			return line;
	}
	return NULL;
}

static bool targets_export(const struct work *work, const char *name)
{
	const struct gen_facade *facade = work->facade;

	for (size_t w = 4; w < facade->line->count; w++) {
		struct gen_range range =
			facts_named(facade->facts, ABI_EXPORT, facade->line->words[w].text);

		for (size_t i = 0; i < range.count; i++) {
			size_t length = strcspn(range.first[i].column[1], "@");

			if (strlen(name) == length &&
			    !strncmp(name, range.first[i].column[1], length))
				return true;
		}
	}
	return false;
}

static void refuse(struct gen_facade_symbol *symbol, const char *why)
{
	symbol->how = GW_FACADE_REFUSE;
	symbol->why = why;
}

/* A generic family's public function: forwarded where all declarations concerned are one,
 * qualifiers aside. */
static void treat_generic(const struct work *work, struct gen_facade_symbol *symbol,
			  struct gen_range declared)
{
	const struct abi_family *facts = work->facade->facts;
	const char *signature = NULL;
	bool old = false, new = false;

	symbol->how = GW_FACADE_FORWARD;
	for (size_t i = 0; i < declared.count; i++) {
		bool in_own = meet(&declared.first[i].releases, &work->own);
		bool in_target = meet(&declared.first[i].releases, &work->targets);
		struct gen_signature theirs;
		const char *text;

		if (!in_own && !in_target)
			continue;
		theirs = type_signature(work->gen, facts, &declared.first[i]);
		text = type_canonical_signature(&theirs);
		if (in_own)
			symbol->result = theirs.result.class;
		if (signature && strcmp(signature, text)) {
			refuse(symbol, "its signature differs between releases");
			return;
		}
		signature = text;
		old |= in_own;
		new |= in_target;
	}
	if (!old)
		refuse(symbol, "private: no header of this soname's releases declares it");
	else if (!new || !targets_export(work, symbol->name))
		refuse(symbol, "gone: no release of the targets has it");
}

static void treat_private(const struct work *work, struct gen_facade_symbol *symbol)
{
	const struct treatment_line *line;

	refuse(symbol, "private");
	for (size_t cursor = 0;
	     (line = treatment_next(&work->gen->treatment, TREATMENT_PRIVATE, &cursor));) {
		bool own = false, target = false;

		if (strcmp(line->words[1].text, work->facade->facts->name) ||
		    strcmp(line->words[2].text, symbol->name))
			continue;
		for (size_t w = 4; w < line->count; w++) {
			own |= !strcmp(line->words[w].text, work->facade->soname);
			for (size_t t = 4; t < work->facade->line->count; t++)
				target |= !strcmp(line->words[w].text,
						  work->facade->line->words[t].text);
		}
		if (own && target) {
			symbol->how = GW_FACADE_FORWARD;
			symbol->why = NULL;
		}
	}
}

/* The releases whose library, under whatever number, exports the symbol. A generic family's are in no table of the shim's. */
static void find_releases(const struct work *work, struct gen_facade_symbol *symbol)
{
	const struct gen_facade *facade = work->facade;
	struct gen_range range = facts_of(facade->facts, ABI_EXPORT);
	size_t stem = (size_t)(strstr(facade->soname, ".so") - facade->soname), length = strlen(symbol->name);
	struct abi_set releases = {0};

	symbol->first = 1;
	symbol->last = 0;
	if (facade->family < 0)
		return;
	for (size_t i = 0; i < range.count; i++) {
		const char *name = range.first[i].column[1];

		if (!strncmp(range.first[i].column[0], facade->soname, stem + strlen(".so")) &&
		    !strncmp(name, symbol->name, length) && (!name[length] || name[length] == '@'))
			facts_join(&releases, &range.first[i].releases);
	}
	symbol->first = facts_oldest(facade->facts, &releases);
	symbol->last = facts_newest(facade->facts, &releases);
}

static void treat(const struct work *work, struct gen_facade_symbol *symbol)
{
	const struct gen *gen = work->gen;
	struct gen_range declared = facts_named(work->facade->facts, ABI_FUNCTION, symbol->name);

	symbol->fn = work->facade->family < 0 ? -1 : model_function(gen, symbol->name);
	symbol->result = GW_CLASS_INT32;
	find_releases(work, symbol);
	if (symbol->fn >= 0) {
		symbol->how = GW_FACADE_FUNCTION;
		symbol->result = gen->functions[symbol->fn].signature.result.class;
	} else if (work->facade->family < 0 && declared.count) {
		treat_generic(work, symbol, declared);
	} else {
		treat_private(work, symbol);
	}
}

static void collect_symbols(struct work *work)
{
	struct gen_facade *facade = work->facade;
	struct gen_range range = facts_named(facade->facts, ABI_EXPORT, facade->soname);
	size_t kept = 0;

	facade->symbols = gen_alloc((range.count + 1) * sizeof(*facade->symbols));
	for (size_t i = 0; i < range.count; i++) {
		const char *text = range.first[i].column[1], *at = strchr(text, '@');
		struct gen_facade_symbol *symbol = &facade->symbols[facade->count++];

		symbol->name = at ? gen_slice(text, (size_t)(at - text)) : text;
		symbol->node = at ? at + strspn(at, "@") : facade->node;
	}
	qsort(facade->symbols, facade->count, sizeof(*facade->symbols), by_symbol);
	for (size_t i = 0; i < facade->count; i++) {
		if (kept && !strcmp(facade->symbols[kept - 1].name, facade->symbols[i].name)) {
			if (strcmp(facade->symbols[kept - 1].node, facade->symbols[i].node))
				treatment_fail(&work->gen->treatment, facade->line, 1,
					       "'%s' exports '%s' under two version nodes",
					       facade->soname, facade->symbols[i].name);
			continue;
		}
		facade->symbols[kept++] = facade->symbols[i];
	}
	facade->count = kept;
	if (!kept)
		treatment_fail(&work->gen->treatment, facade->line, 1,
			       "no `export` line names '%s'", facade->soname);
	for (size_t i = 0; i < facade->count; i++)
		treat(work, &facade->symbols[i]);
}

static int32_t generic_refusal(const struct gen *gen, const struct treatment_line *line,
			       const struct gen_facade *facade)
{
	const char *status = treatment_option(line, "status"),
		   *constant = treatment_option(line, "refuse");
	struct gen_range range = facts_named(facade->facts, ABI_ENUM, status);

	for (size_t i = 0; i < range.count; i++) {
		if (!strcmp(range.first[i].column[1], constant) &&
		    abi_set_has(&range.first[i].releases, facade->answer))
			return (int32_t)strtol(range.first[i].column[2], NULL, 10);
	}
	treatment_fail(&gen->treatment, line, range.count ? 3 : 2,
		       "'%s' of enum '%s' is unknown in release %s", constant, status,
		       facade->facts->releases[facade->answer].version);
}

static void find_targets(struct work *work)
{
	const struct gen_facade *facade = work->facade;
	const struct treatment_line *line = facade->line;

	for (size_t w = 4; w < line->count; w++) {
		struct abi_set releases;

		if (!strcmp(line->words[w].text, facade->soname))
			treatment_fail(&work->gen->treatment, line, w,
				       "'%s' cannot stand in for itself", facade->soname);
		if (!facts_soname(facade->facts, line->words[w].text, &releases))
			treatment_fail(
				&work->gen->treatment, line, w,
				"unknown target '%s': no `soname` line of family '%s' has it",
				line->words[w].text, facade->family_name);
		facts_join(&work->targets, &releases);
	}
}

static void build(struct gen *gen, struct gen_facade *facade, const struct treatment_line *line)
{
	struct work work = {.gen = gen, .facade = facade};
	const struct treatment_line *generic;
	struct gen_range nodes;

	facade->line = line;
	facade->soname = line->words[1].text;
	facade->family_name = line->words[2].text;
	facade->facts = abi_db_family(&gen->db, facade->family_name);
	facade->family = model_family(gen, facade->family_name);
	generic = generic_line(gen, facade->family_name);
	if (!facade->facts || (facade->family < 0 && !generic))
		treatment_fail(&gen->treatment, line, 2,
			       "unknown family '%s': no `bridge` or `generic` line names it",
			       facade->family_name);
	if (!facts_soname(facade->facts, facade->soname, &work.own))
		treatment_fail(&gen->treatment, line, 1,
			       "unknown soname '%s': no `soname` line of family '%s' has it",
			       facade->soname, facade->family_name);
	for (const struct gen_facade *other = gen->facades; other < facade; other++) {
		if (!strcmp(other->soname, facade->soname))
			treatment_fail(&gen->treatment, line, 1, "facade '%s' stands twice",
				       facade->soname);
	}
	find_targets(&work);
	nodes = facts_named(facade->facts, ABI_NODE, facade->soname);
	facade->node = nodes.count ? nodes.first[nodes.count - 1].column[1] : "-";
	facade->answer = (size_t)facts_newest(facade->facts, &work.own);
	if (facade->family >= 0) {
		const struct gen_family *family = &gen->families[facade->family];

		facade->refuse = family->numberings[family->numbering_of[facade->answer]].refuse;
	} else {
		facade->refuse = generic_refusal(gen, generic, facade);
	}
	collect_symbols(&work);
}

void facade_build(struct gen *gen)
{
	const struct treatment_line *line;

	gen->facades = gen_alloc(gen->treatment.count * sizeof(*gen->facades));
	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_FACADE, &cursor));) {
		build(gen, &gen->facades[gen->facade_count], line);
		gen->facade_count++;
	}
	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_PRIVATE, &cursor));) {
		const struct abi_family *family = abi_db_family(&gen->db, line->words[1].text);
		struct abi_set releases;

		if (!family)
			treatment_fail(&gen->treatment, line, 1, "unknown family '%s'",
				       line->words[1].text);
		for (size_t w = 4; w < line->count; w++) {
			if (!facts_soname(family, line->words[w].text, &releases))
				treatment_fail(&gen->treatment, line, w, "unknown soname '%s'",
					       line->words[w].text);
		}
	}
}
