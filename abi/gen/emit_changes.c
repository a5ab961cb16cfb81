/* SPDX-License-Identifier: Apache-2.0 */
/* Writes translations.md, for people, and translations.txt, for `gangway abi diff`: each difference between releases with its treatment. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>
#include "../subject.h"

#define NAMED 8 /* exports that one row names; of more the first, and the number */

static const char *const titles[ABI_KIND_COUNT] = {
	[ABI_SONAME] = "Sonames",	   [ABI_NODE] = "Version nodes",
	[ABI_NEEDED] = "Needed libraries", [ABI_EXPORT] = "Exports",
	[ABI_OTHERS] = "Other exports",	   [ABI_FUNCTION] = "Functions",
	[ABI_ENUM] = "Enum constants",	   [ABI_STRUCT] = "Structs",
	[ABI_FIELD] = "Fields",		   [ABI_TYPEDEF] = "Typedefs",
	[ABI_MACRO] = "Macros",
};

/* The enum, struct or library that a row belongs to; "" for what stands alone. */
static size_t owner_length(const struct gen_change *row)
{
	switch (row->kind) {
	case ABI_ENUM:
	case ABI_FIELD:
		return strlen(row->fact->column[0]);
	case ABI_NEEDED:
	case ABI_EXPORT:
		return abi_subject_stem(row->fact->column[0]);
	default:
		return 0;
	}
}

/* Rows of one treatment that a reader need not tell apart come next to each other. */
static int by_group(const void *a, const void *b)
{
	const struct gen_change *x = *(const struct gen_change *const *)a,
				*y = *(const struct gen_change *const *)b;
	size_t m = owner_length(x), n = owner_length(y);
	int order;

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if ((order = strncmp(x->fact->column[0], y->fact->column[0], m > n ? m : n)))
		return order;
	if (m != n)
		return m < n ? -1 : 1;
	if (x->form != y->form)
		return x->form < y->form ? -1 : 1;
	if ((order = memcmp(&x->releases, &y->releases, sizeof(x->releases))) ||
	    (order = strcmp(x->how, y->how)) || (order = strcmp(x->status, y->status)) ||
	    (order = strcmp(x->finding, y->finding)) || (order = strcmp(x->note, y->note)))
		return order;
	return strcmp(x->name, y->name);
}

static bool one_group(const struct gen_change *a, const struct gen_change *b)
{
	size_t owner = owner_length(a);

	/* what changed or reuses a value says so itself */
	return a->family == b->family && a->kind == b->kind && a->form == b->form &&
	       a->form <= GEN_VANISHES && a->kind != ABI_SONAME && owner == owner_length(b) &&
	       !strncmp(a->fact->column[0], b->fact->column[0], owner) &&
	       facts_equal(&a->releases, &b->releases) && !strcmp(a->how, b->how) &&
	       !strcmp(a->status, b->status) && !strcmp(a->finding, b->finding) && !strcmp(a->note, b->note);
}

/* A `|` would end a cell. */
static void write_cell(FILE *file, const char *text)
{
	for (; *text; text++)
		fprintf(file, *text == '|' ? "\\%c" : "%c", *text);
}

static void write_row(FILE *file, const struct gen *gen, struct gen_change *const *row, size_t count)
{
	const struct abi_family *facts = gen->families[row[0]->family].facts;
	size_t owner = owner_length(row[0]), named = count;

	if (row[0]->kind == ABI_EXPORT && count > NAMED)
		named = 1;
	fputs("| ", file);
	if (owner)
		fprintf(file, "%.*s: ", (int)owner, row[0]->fact->column[0]);
	for (size_t i = 0; i < named; i++)
		fprintf(file, "%s`%s`", i ? ", " : "", row[i]->name + (owner ? owner + 1 : 0));
	if (named < count)
		fprintf(file, " and %zu more", count - named);
	else if (count > NAMED)
		fprintf(file, " (%zu)", count);
	fprintf(file, " | %s | %s", facts_ranges(facts, &row[0]->releases), gen_form_words[row[0]->form]);
	if (count == 1 && *row[0]->what && row[0]->kind != ABI_FUNCTION) {
		fputs(": ", file);
		write_cell(file, row[0]->what);
	}
	fprintf(file, " | %s | %s | %s | ", row[0]->how, row[0]->status, row[0]->finding);
	write_cell(file, row[0]->note);
	fputs(" |\n", file);
}

static void write_summary(FILE *file, const struct gen *gen)
{
	static const char *const hows[] = {"unchanged", "translated", "emulated", "refused"};

	fputs("| family | releases | differences |", file);
	for (size_t h = 0; h < 4; h++)
		fprintf(file, " %s |", hows[h]);
	fputs("\n| --- | --- | --- | --- | --- | --- | --- |\n", file);
	for (size_t f = 0; f < gen->family_count; f++) {
		size_t all = 0, count[4] = {0};

		for (size_t i = 0; i < gen->change_count; i++) {
			for (size_t h = 0; gen->changes[i].family == f && h < 4; h++)
				count[h] += !strcmp(gen->changes[i].how, hows[h]);
			all += gen->changes[i].family == f;
		}
		fprintf(file, "| %s | %zu | %zu |", gen->families[f].facts->name,
			gen->families[f].facts->release_count, all);
		for (size_t h = 0; h < 4; h++)
			fprintf(file, " %zu |", count[h]);
		fputc('\n', file);
	}
}

static void write_page(const struct gen *gen)
{
	FILE *file = gen_open(gen, "translations.md");
	struct gen_change **row = gen_alloc((gen->change_count + 1) * sizeof(*row));

	fputs("# Translations\n\nGenerated from abi/facts, abi/treatment and abi/changes: every difference between "
	      "any two releases, and what is done about it.\ndocs/translations.md says how to read it.\n\n",
	      file);
	write_summary(file, gen);
	for (size_t i = 0; i < gen->change_count; i++)
		row[i] = &gen->changes[i];
	if (gen->change_count)
		qsort(row, gen->change_count, sizeof(*row), by_group);
	for (size_t i = 0, end; i < gen->change_count; i = end) {
		bool family = !i || row[i - 1]->family != row[i]->family;

		if (family)
			fprintf(file, "\n## %s\n", gen->families[row[i]->family].facts->name);
		if (family || row[i - 1]->kind != row[i]->kind)
			fprintf(file,
				"\n### %s\n\n| name | releases that have it | difference | treatment | status | finding "
				"| note |\n| --- | --- | --- | --- | --- | --- | --- |\n",
				titles[row[i]->kind]);
		for (end = i + 1; end < gen->change_count && one_group(row[i], row[end]); end++)
			;
		write_row(file, gen, row + i, end - i);
	}
	gen_close(file, "translations.md");
}

static int by_decision(const void *a, const void *b)
{
	const struct gen_change *x = *(const struct gen_change *const *)a,
				*y = *(const struct gen_change *const *)b;
	int order;

	if ((order = strcmp(x->how, y->how)) || (order = strcmp(x->status, y->status)) ||
	    (order = strcmp(x->finding, y->finding)))
		return order;
	return strcmp(x->note, y->note);
}

/* Lines of words separated by TABs: `treatment NUMBER HOW STATUS FINDING NOTE`, then `FAMILY KIND NAME FORM NUMBER`, sorted so. */
static void write_data(const struct gen *gen)
{
	FILE *file = gen_open(gen, "translations.txt");
	struct gen_change **row = gen_alloc((gen->change_count + 1) * sizeof(*row));
	size_t *number = gen_alloc((gen->change_count + 1) * sizeof(*number)), decisions = 0;

	for (size_t i = 0; i < gen->change_count; i++)
		row[i] = &gen->changes[i];
	if (gen->change_count)
		qsort(row, gen->change_count, sizeof(*row), by_decision);
	for (size_t i = 0; i < gen->change_count; i++) {
		if (!i || by_decision(&row[i - 1], &row[i]))
			fprintf(file, "treatment\t%zu\t%s\t%s\t%s\t%s\n", decisions++, row[i]->how,
				row[i]->status, row[i]->finding, row[i]->note);
		number[row[i] - gen->changes] = decisions - 1;
	}
	for (size_t i = 0; i < gen->change_count; i++) {
		const struct gen_change *change = &gen->changes[i];

		fprintf(file, "%s\t%s\t%s\t%s\t%zu\n", gen->families[change->family].facts->name,
			abi_kinds[change->kind].name, change->name, gen_form_words[change->form],
			number[i]);
	}
	gen_close(file, "translations.txt");
}

void emit_changes(const struct gen *gen)
{
	write_page(gen);
	write_data(gen);
}
