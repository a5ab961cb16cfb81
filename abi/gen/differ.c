/* SPDX-License-Identifier: Apache-2.0 */
/* Finds each difference between any two releases of a bridged family. Decides nothing: change.c does. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>
#include "../subject.h"

const char *const gen_form_words[GEN_FORM_COUNT] = {"appears", "vanishes", "changes", "reuses"};

struct item {
	const char *name;
	const struct abi_fact *fact;
	int oldest; /* release that says so */
};

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->oldest - y->oldest;
}

static int by_place(const void *a, const void *b)
{
	const struct gen_change *x = a, *y = b;
	int order;

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : (int)x->form - (int)y->form;
}

struct gen_change *differ_find(const struct gen *gen, size_t family, enum abi_kind kind,
			       const char *name)
{
	size_t low = 0, high = gen->change_count;
	struct gen_change key = {.family = family, .kind = kind, .name = name, .form = 0};

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_place(&gen->changes[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == gen->change_count || gen->changes[low].family != family ||
	    gen->changes[low].kind != kind || strcmp(gen->changes[low].name, name))
		return NULL;
	return &gen->changes[low];
}

struct abi_set differ_library(const struct abi_family *facts, const char *stem, size_t length)
{
	struct gen_range range = facts_of(facts, ABI_SONAME);
	struct abi_set set = {0};

	for (size_t i = 0; i < range.count; i++) {
		const char *soname = range.first[i].column[0];

		if (abi_subject_stem(soname) == length && !strncmp(soname, stem, length))
			facts_join(&set, &range.first[i].releases);
	}
	return set;
}

/* One fact, for people. */
static const char *describe(const struct abi_fact *fact)
{
	const char *const *column = fact->column;

	switch (fact->kind) {
	case ABI_FUNCTION:
		return gen_format("%s (%s)", column[1], strcmp(column[2], "-") ? column[2] : "");
	case ABI_STRUCT:
		return gen_format("%s bytes", column[1]);
	case ABI_FIELD:
		return gen_format("%s at %s, %s bytes", column[4], column[2], column[3]);
	case ABI_ENUM:
		return column[2];
	case ABI_OTHERS:
		return gen_format("%s names", column[1]);
	case ABI_TYPEDEF:
	case ABI_MACRO:
		return column[1];
	default:
		return "";
	}
}

/* "96 bytes in 11.10.3.66, 184 bytes in 11.11.3.6 to 12.1.0.26"; of many the first and the last. */
static const char *describe_change(const struct abi_family *facts, const struct item *item,
				   size_t count)
{
	const char *text = "";

	if (count > 4)
		return gen_format("%s in %s, … %s in %s (%zu in all)", describe(item[0].fact),
				  facts->releases[item[0].oldest].version,
				  describe(item[count - 1].fact),
				  facts->releases[item[count - 1].oldest].version, count);
	for (size_t i = 0; i < count; i++)
		text = gen_format("%s%s%s in %s", text, i ? "; " : "", describe(item[i].fact),
				  facts_ranges(facts, &item[i].fact->releases));
	return text;
}

/* What `values=` must list. */
static const char *list_values(const struct item *item, size_t count)
{
	const char *text = "";

	for (size_t i = 0; i < count; i++)
		text = gen_format("%s%s%s", text, i ? "," : "",
				  item[i].fact->column[abi_subject_columns(item[i].fact->kind)]);
	return text;
}

static struct gen_change *add(struct gen *gen, const struct gen_change *row, enum gen_form form)
{
	static size_t room;

	if (gen->change_count == room) {
		struct gen_change *more = gen_alloc((room = room * 2 + 256) * sizeof(*more));

		if (gen->change_count)
			memcpy(more, gen->changes, gen->change_count * sizeof(*more));
		gen->changes = more;
	}
	gen->changes[gen->change_count] = *row;
	gen->changes[gen->change_count].form = form;
	return &gen->changes[gen->change_count++];
}

/* All facts about one thing. */
static void compare(struct gen *gen, size_t family, const struct item *item, size_t count)
{
	const struct abi_family *facts = gen->families[family].facts;
	struct gen_change row = {.family = family, .kind = item->fact->kind, .name = item->name};
	bool same = true, present = false, absent = false, appears = false, vanishes = false;

	for (size_t i = 0; i < count; i++) {
		facts_join(&row.releases, &item[i].fact->releases);
		same &= abi_subject_same(item[0].fact, item[i].fact);
		if (!row.fact || facts_newest(facts, &item[i].fact->releases) >
					 facts_newest(facts, &row.fact->releases))
			row.fact = item[i].fact;
	}
	for (size_t r = 0; r < facts->release_count; r++) {
		bool has = abi_set_has(&row.releases, r);

		appears |= has && absent;
		vanishes |= !has && present;
		present |= has;
		absent |= !has;
	}
	row.what = same ? describe(row.fact) : "";
	if (appears)
		add(gen, &row, GEN_APPEARS);
	if (vanishes)
		add(gen, &row, GEN_VANISHES);
	row.what = same ? "" : describe_change(facts, item, count);
	row.values = same ? NULL : list_values(item, count);
	if (!same)
		add(gen, &row, GEN_CHANGES);
}

static void compare_kind(struct gen *gen, size_t family, enum abi_kind kind)
{
	const struct abi_family *facts = gen->families[family].facts;
	struct gen_range range = facts_of(facts, kind);
	struct item *item = gen_alloc((range.count + 1) * sizeof(*item));

	for (size_t i = 0; i < range.count; i++) {
		char *name = abi_subject(&range.first[i]);

		if (!name)
			abort();
		item[i] = (struct item){gen_format("%s", name), &range.first[i],
					facts_oldest(facts, &range.first[i].releases)};
		free(name);
	}
	qsort(item, range.count, sizeof(*item), by_name);
	for (size_t i = 0, end; i < range.count; i = end) {
		for (end = i; end < range.count && !strcmp(item[i].name, item[end].name); end++)
			;
		compare(gen, family, &item[i], end - i);
	}
}

/* Does a constant of this name (of any value, where VALUE is NULL) exist in a release? */
static bool has_constant(struct gen_range range, const char *name, const char *value, size_t release)
{
	for (size_t i = 0; i < range.count; i++) {
		const struct abi_fact *fact = &range.first[i];

		if (!strcmp(fact->column[1], name) && abi_set_has(&fact->releases, release) &&
		    (!value || !strcmp(fact->column[2], value)))
			return true;
	}
	return false;
}

/* Does a name that VALUE has in release A have it in release B, too? */
static bool shares_name(struct gen_range range, const char *value, size_t a, size_t b)
{
	for (size_t i = 0; i < range.count; i++) {
		const struct abi_fact *fact = &range.first[i];

		if (!strcmp(fact->column[2], value) && abi_set_has(&fact->releases, a) &&
		    has_constant(range, fact->column[1], value, b))
			return true;
	}
	return false;
}

/*
 * A value that changed hands, because the constant that had it is gone. (One that merely moved is a row of its own, GEN_CHANGES.)
 */
static void find_reuse(struct gen *gen, size_t family, struct gen_range range,
		       const struct abi_fact *now)
{
	const struct abi_family *facts = gen->families[family].facts;
	size_t last = (size_t)facts_newest(facts, &now->releases);

	for (size_t i = 0; i < range.count; i++) {
		const struct abi_fact *then = &range.first[i];
		size_t first = (size_t)facts_oldest(facts, &then->releases);
		char *name;

		if (strcmp(then->column[2], now->column[2]) || first >= last ||
		    has_constant(range, then->column[1], NULL, last) ||
		    shares_name(range, now->column[2], first, last))
			continue;
		name = abi_subject(now);
		if (!name)
			abort();
		add(gen,
		    &(struct gen_change){
			    .family = family,
			    .kind = ABI_ENUM,
			    .name = gen_format("%s", name),
			    .fact = now,
			    .releases = now->releases,
			    .what = gen_format("%s, which is %s in %s", now->column[2],
					       then->column[1],
					       facts_ranges(facts, &then->releases)),
		    },
		    GEN_REUSES);
		free(name);
		return;
	}
}

void differ_build(struct gen *gen)
{
	for (size_t f = 0; f < gen->family_count; f++) {
		const struct abi_family *facts = gen->families[f].facts;
		struct gen_range range = facts_of(facts, ABI_ENUM);

		for (int kind = 0; kind < ABI_KIND_COUNT; kind++)
			compare_kind(gen, f, (enum abi_kind)kind);
		for (size_t i = 0; i < range.count; i++)
			find_reuse(gen, f,
				   facts_named(facts, ABI_ENUM, range.first[i].column[0]),
				   &range.first[i]);
	}
	if (gen->change_count)
		qsort(gen->changes, gen->change_count, sizeof(*gen->changes), by_place);
}
