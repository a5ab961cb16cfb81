/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The treatment's `spans` lines: which number a constant of an enum has in which releases, and which
 * size a struct. With them the shim translates what a status is not: old -> name -> new. A `typed` line
 * tells two constants of one number apart by what is passed with them.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const struct gen_span *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->first != y->first ? (x->first < y->first ? -1 : 1) : strcmp(x->name, y->name);
}

/* One for each run of releases that follow one another. */
static void add_runs(struct gen_spans *spans, const struct abi_family *family,
		     const struct abi_fact *fact, const char *name, int32_t value, int typed)
{
	for (size_t i = 0; i < family->release_count; i++) {
		size_t first = i;

		if (!abi_set_has(&fact->releases, i))
			continue;
		while (i + 1 < family->release_count && abi_set_has(&fact->releases, i + 1))
			i++;
		spans->span[spans->count++] = (struct gen_span){
			.name = name, .value = value, .first = first, .last = i, .typed = typed};
	}
}

static int value_of(const struct gen *gen, const struct abi_family *family, const struct treatment_line *line,
		    size_t word)
{
	struct gen_range range = facts_of(family, ABI_ENUM);
	const struct abi_fact *found = NULL;

	for (size_t i = 0; i < range.count; i++) {
		if (strcmp(range.first[i].column[1], line->words[word].text))
			continue;
		if (found && strcmp(found->column[2], range.first[i].column[2]))
			treatment_fail(&gen->treatment, line, word, "'%s' is not the same in all releases",
				       line->words[word].text);
		found = &range.first[i];
	}
	if (!found)
		treatment_fail(&gen->treatment, line, word, "unknown constant '%s'", line->words[word].text);
	return (int)strtol(found->column[2], NULL, 10);
}

static int typed_as(const struct gen *gen, const struct abi_family *family, const char *constant)
{
	const struct treatment_line *line;

	for (size_t cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_TYPED, &cursor));) {
		if (!strcmp(line->words[1].text, family->name) && !strcmp(line->words[2].text, constant))
			return value_of(gen, family, line, 3);
	}
	return -1;
}

static void fill(const struct gen *gen, struct gen_spans *spans, const struct treatment_line *line)
{
	const struct abi_family *family = gen->families[spans->family].facts;
	const char *name = line->words[2].text, *end = treatment_option(line, "end");
	struct gen_range structs = facts_named(family, ABI_STRUCT, name),
			 constants = facts_named(family, ABI_ENUM, name);
	bool ended = !end;

	if (!structs.count && !constants.count)
		treatment_fail(&gen->treatment, line, 2, "family '%s' has no enum or struct '%s'", family->name, name);
	spans->span = gen_alloc((structs.count + constants.count) * family->release_count * sizeof(*spans->span));
	for (size_t i = 0; i < structs.count; i++)
		add_runs(spans, family, &structs.first[i], name, (int32_t)strtol(structs.first[i].column[1], NULL, 10), -1);
	for (size_t i = 0; i < constants.count; i++) {
		const char *constant = constants.first[i].column[1];

		if (end && !strcmp(end, constant)) {
			ended = true;
			continue;
		}
		add_runs(spans, family, &constants.first[i], constant,
			 (int32_t)strtol(constants.first[i].column[2], NULL, 10), typed_as(gen, family, constant));
	}
	if (!ended)
		treatment_fail(&gen->treatment, line, 3, "enum '%s' has no constant '%s'", name, line->words[3].text);
	qsort(spans->span, spans->count, sizeof(*spans->span), by_value);
	for (size_t i = 1; i < spans->count; i++) {
		for (size_t k = i; k-- > 0 && spans->span[k].value == spans->span[i].value;) {
			if (spans->span[k].last >= spans->span[i].first)
				treatment_fail(&gen->treatment, line, 2, "'%s' and '%s' have the same value in release %s",
					       spans->span[k].name, spans->span[i].name,
					       family->releases[spans->span[i].first].version);
		}
	}
}

void spans_build(struct gen *gen)
{
	const struct treatment_line *line;

	gen->spans = gen_alloc((gen->treatment.count + 1) * sizeof(*gen->spans));
	for (size_t cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_SPANS, &cursor));) {
		struct gen_spans *spans = &gen->spans[gen->spans_count++];
		int family = model_family(gen, line->words[1].text);

		if (family < 0)
			treatment_fail(&gen->treatment, line, 1, "family '%s' has no `bridge` line", line->words[1].text);
		*spans = (struct gen_spans){.name = line->words[2].text, .family = (size_t)family};
		fill(gen, spans, line);
	}
	for (size_t cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_TYPED, &cursor));) {
		bool used = false;

		for (size_t i = 0; i < gen->spans_count; i++) {
			for (size_t k = 0; k < gen->spans[i].count; k++)
				used |= !strcmp(gen->spans[i].span[k].name, line->words[2].text);
		}
		if (!used)
			treatment_fail(&gen->treatment, line, 2, "no `spans` line has a constant '%s'", line->words[2].text);
	}
}
