/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numberings of each family's status. A neutral id stands for one meaning: all names that share
 * a value in some numbering mean the same (a release that renames a status keeps the old name as an
 * alias). A meaning that a numbering has no name for gets the value that a `fold` line names for
 * it; without one there is no output.
 */
#include "gen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct names {
	const char **name;
	size_t *parent;    /* union-find: equal root, equal meaning */
	uint16_t *neutral; /* of a root */
	size_t count;
};

/* One numbering's whole list, aliases included, sorted by value, then name. */
struct pairs {
	struct gen_constant *pair;
	size_t count;
};

static int by_value(const void *a, const void *b)
{
	const struct gen_constant *x = a, *y = b;

	return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

/* The release of OWNER that published the enum which RELEASE of FAMILY uses (they are the same but
 * for cublasLt). */
static int release_in(const struct abi_family *owner, const struct abi_family *family,
		      size_t release)
{
	return owner == family ? (int)release
			       : abi_family_release(owner, family->releases[release].version);
}

static struct pairs pairs_of(const struct gen *gen, const struct gen_family *family, size_t release)
{
	const struct abi_family *owner = facts_owner(gen, family->facts, ABI_ENUM, family->status);
	struct gen_range range = facts_named(owner, ABI_ENUM, family->status);
	struct pairs pairs = {.pair = gen_alloc((range.count + 1) * sizeof(*pairs.pair))};
	int index = release_in(owner, family->facts, release);

	for (size_t i = 0; index >= 0 && i < range.count; i++) {
		if (abi_set_has(&range.first[i].releases, (size_t)index))
			pairs.pair[pairs.count++] = (struct gen_constant){
				.value = (int32_t)strtol(range.first[i].column[2], NULL, 10),
				.name = range.first[i].column[1],
			};
	}
	if (!pairs.count)
		treatment_fail(&gen->treatment, family->bridge, 2,
			       "enum '%s' has no constants in release %s of '%s'", family->status,
			       family->facts->releases[release].version, family->facts->name);
	qsort(pairs.pair, pairs.count, sizeof(*pairs.pair), by_value);
	return pairs;
}

static bool equal_pairs(const struct pairs *a, const struct pairs *b)
{
	for (size_t i = 0; a->count == b->count && i < a->count; i++) {
		if (by_value(&a->pair[i], &b->pair[i]))
			return false;
	}
	return a->count == b->count;
}

static size_t find_name(struct names *names, const char *name)
{
	size_t i = 0;

	while (i < names->count && strcmp(names->name[i], name))
		i++;
	if (i == names->count) {
		names->name[i] = name;
		names->parent[i] = i;
		names->count++;
	}
	return i;
}

static size_t root_of(const struct names *names, size_t i)
{
	while (names->parent[i] != i)
		i = names->parent[i];
	return i;
}

static void unite(struct names *names, const struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		size_t here = root_of(names, find_name(names, pairs->pair[i].name));

		if (i && pairs->pair[i - 1].value == pairs->pair[i].value) {
			size_t before = root_of(names, find_name(names, pairs->pair[i - 1].name));

			/* The older (lower) root wins, so ids are the same in every run. */
			if (before < here)
				names->parent[here] = before;
			else
				names->parent[before] = here;
		}
	}
}

static size_t number_meanings(struct names *names)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (root_of(names, i) == i)
			names->neutral[i] = (uint16_t)count++;
	}
	return count;
}

/* The name to show: one that other numberings know too, where there is a choice. */
static const char *shown_name(const struct pairs *all, size_t numberings, const struct pairs *own,
			      size_t first)
{
	const char *best = own->pair[first].name;
	size_t most = 0;

	for (size_t i = first; i < own->count && own->pair[i].value == own->pair[first].value;
	     i++) {
		size_t known = 0;

		for (size_t n = 0; n < numberings; n++) {
			for (size_t k = 0; k < all[n].count; k++)
				known += !strcmp(all[n].pair[k].name, own->pair[i].name);
		}
		if (known > most) {
			most = known;
			best = own->pair[i].name;
		}
	}
	return best;
}

static void fill_constants(struct gen_family *family, struct names *names, const struct pairs *all,
			   size_t n)
{
	struct gen_numbering *numbering = &family->numberings[n];
	const struct pairs *own = &all[n];

	numbering->constants = gen_alloc(own->count * sizeof(*numbering->constants));
	numbering->neutral_of = gen_alloc(own->count * sizeof(*numbering->neutral_of));
	for (size_t i = 0; i < own->count; i++) {
		if (i && own->pair[i - 1].value == own->pair[i].value)
			continue;
		numbering->constants[numbering->count] = own->pair[i];
		numbering->constants[numbering->count].name =
			shown_name(all, family->numbering_count, own, i);
		numbering->neutral_of[numbering->count++] =
			names->neutral[root_of(names, find_name(names, own->pair[i].name))];
	}
}

static bool value_here(const struct gen_numbering *numbering, size_t neutral, int32_t *value)
{
	for (size_t i = 0; i < numbering->count; i++) {
		if (numbering->neutral_of[i] == neutral) {
			*value = numbering->constants[i].value;
			return true;
		}
	}
	return false;
}

static bool named_value(const struct pairs *pairs, const char *name, int32_t *value)
{
	for (size_t i = 0; i < pairs->count; i++) {
		if (!strcmp(pairs->pair[i].name, name)) {
			*value = pairs->pair[i].value;
			return true;
		}
	}
	return false;
}

/* A meaning that numbering N lacks: its value in the newest numbering that has it picks the `fold`
 * line. */
static int32_t fold(const struct gen *gen, const struct gen_family *family, const struct pairs *all,
		    size_t n, size_t neutral)
{
	const struct abi_family *facts = family->facts;
	const struct treatment_line *line;
	int32_t value = 0, folded;
	size_t from = family->numbering_count, cursor = 0;

	while (from-- > 0 && !value_here(&family->numberings[from], neutral, &value))
		;
	while ((line = treatment_next(&gen->treatment, TREATMENT_FOLD, &cursor))) {
		if (strcmp(line->words[1].text, facts->name) ||
		    value < strtol(line->words[2].text, NULL, 10) ||
		    value > strtol(line->words[3].text, NULL, 10))
			continue;
		if (!named_value(&all[n], line->words[4].text, &folded))
			treatment_fail(&gen->treatment, line, 4,
				       "'%s' is no status of release %s, which needs it for %d",
				       line->words[4].text,
				       facts->releases[family->numberings[n].newest].version,
				       value);
		return folded;
	}
	treatment_fail(&gen->treatment, family->bridge, 1,
		       "status %d of release %s has no name in release %s: add `fold %s %d %d "
		       "CONSTANT`",
		       value, facts->releases[family->numberings[from].newest].version,
		       facts->releases[family->numberings[n].newest].version, facts->name, value,
		       value);
}

/* The same lines once more, for what releases yet unknown will answer. */
static void fill_folds(const struct gen *gen, const struct gen_family *family,
		       const struct pairs *own, struct gen_numbering *numbering)
{
	const struct treatment_line *line;
	size_t cursor = 0;

	numbering->folds = gen_alloc(gen->treatment.count * sizeof(*numbering->folds));
	while ((line = treatment_next(&gen->treatment, TREATMENT_FOLD, &cursor))) {
		struct gw_fold *fold = &numbering->folds[numbering->fold_count];

		if (strcmp(line->words[1].text, family->facts->name) ||
		    !named_value(own, line->words[4].text, &fold->value))
			continue;
		fold->first = (int32_t)strtol(line->words[2].text, NULL, 10);
		fold->last = (int32_t)strtol(line->words[3].text, NULL, 10);
		numbering->fold_count++;
	}
}

static void fill_values(const struct gen *gen, struct gen_family *family, const struct pairs *all,
			size_t n)
{
	struct gen_numbering *numbering = &family->numberings[n];
	const char *refuse = treatment_option(family->bridge, "refuse");

	numbering->value_of = gen_alloc(family->neutral_count * sizeof(*numbering->value_of));
	for (size_t i = 0; i < family->neutral_count; i++) {
		if (!value_here(numbering, i, &numbering->value_of[i]))
			numbering->value_of[i] = fold(gen, family, all, n, i);
	}
	fill_folds(gen, family, &all[n], numbering);
	if (!named_value(&all[n], refuse, &numbering->refuse))
		treatment_fail(&gen->treatment, family->bridge, 3,
			       "'%s' is no status of release %s", refuse,
			       family->facts->releases[numbering->newest].version);
}

static void check_folds(const struct gen *gen)
{
	const struct treatment_line *line;

	for (size_t cursor = 0;
	     (line = treatment_next(&gen->treatment, TREATMENT_FOLD, &cursor));) {
		int id = model_family(gen, line->words[1].text);
		const struct abi_family *owner;
		struct gen_range range;
		bool found = false;

		if (id < 0)
			treatment_fail(&gen->treatment, line, 1,
				       "unknown family '%s': no `bridge` line names it",
				       line->words[1].text);
		owner = facts_owner(gen, gen->families[id].facts, ABI_ENUM,
				    gen->families[id].status);
		range = facts_named(owner, ABI_ENUM, gen->families[id].status);
		for (size_t i = 0; i < range.count; i++)
			found |= !strcmp(range.first[i].column[1], line->words[4].text);
		if (!found)
			treatment_fail(&gen->treatment, line, 4,
				       "unknown constant '%s': enum '%s' has none of that name",
				       line->words[4].text, gen->families[id].status);
	}
}

/* What the release's own version function answers: the macro that the treatment names. */
static void fill_numbers(const struct gen *gen, struct gen_family *family)
{
	const char *macro = treatment_option(family->bridge, "version");
	bool known = false;

	family->number_of = gen_alloc(family->facts->release_count * sizeof(*family->number_of));
	for (size_t f = 0; macro && !known && f <= gen->db.family_count; f++) {
		const struct abi_family *owner = f ? &gen->db.families[f - 1] : family->facts;
		struct gen_range range = facts_named(owner, ABI_MACRO, macro);

		for (size_t r = 0; range.count && r < family->facts->release_count; r++) {
			int index = release_in(owner, family->facts, r);

			for (size_t i = 0; index >= 0 && i < range.count; i++) {
				if (!abi_set_has(&range.first[i].releases, (size_t)index))
					continue;
				family->number_of[r] =
					(int32_t)strtol(range.first[i].column[1], NULL, 10);
				known = true;
			}
		}
	}
	if (macro && !known)
		treatment_fail(&gen->treatment, family->bridge, 4, "unknown macro '%s'", macro);
}

static void build_family(struct gen *gen, struct gen_family *family)
{
	const struct abi_family *facts = family->facts;
	const struct abi_family *owner = facts_owner(gen, facts, ABI_ENUM, family->status);
	size_t most = facts_named(owner, ABI_ENUM, family->status).count;
	struct pairs *all = gen_alloc(facts->release_count * sizeof(*all));
	struct names names = {
		.name = gen_alloc(most * sizeof(*names.name)),
		.parent = gen_alloc(most * sizeof(*names.parent)),
		.neutral = gen_alloc(most * sizeof(*names.neutral)),
	};

	family->numberings = gen_alloc(facts->release_count * sizeof(*family->numberings));
	family->numbering_of = gen_alloc(facts->release_count * sizeof(*family->numbering_of));
	for (size_t r = 0; r < facts->release_count; r++) {
		struct pairs pairs = pairs_of(gen, family, r);
		size_t n = 0;

		while (n < family->numbering_count && !equal_pairs(&all[n], &pairs))
			n++;
		if (n == family->numbering_count) {
			all[family->numbering_count++] = pairs;
			unite(&names, &pairs);
		}
		family->numbering_of[r] = n;
		family->numberings[n].newest = r;
	}
	if (family->numbering_count >
	    sizeof(((struct gw_family_data *)NULL)->refuse) / sizeof(int32_t))
		treatment_fail(&gen->treatment, family->bridge, 2,
			       "enum '%s' has %zu numberings, more than gw_family_data.refuse "
			       "of shim/table.h holds",
			       family->status, family->numbering_count);
	family->neutral_count = number_meanings(&names);
	for (size_t n = 0; n < family->numbering_count; n++)
		fill_constants(family, &names, all, n);
	for (size_t n = 0; n < family->numbering_count; n++)
		fill_values(gen, family, all, n);
}

void status_build(struct gen *gen)
{
	check_folds(gen);
	for (size_t i = 0; i < gen->family_count; i++) {
		build_family(gen, &gen->families[i]);
		fill_numbers(gen, &gen->families[i]);
	}
}
