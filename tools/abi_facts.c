/* SPDX-License-Identifier: Apache-2.0 */
/* Facts while they are collected: a list with its own strings, sorted and freed of repetition at
 * the end. */
#include "abi.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

void gw_facts_init(struct gw_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	obstack_init(&facts->strings);
}

void gw_facts_finish(struct gw_facts *facts)
{
	free(facts->fact);
	obstack_free(&facts->strings, NULL);
	memset(facts, 0, sizeof(*facts));
}

const char *gw_facts_text(struct gw_facts *facts, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	obstack_vprintf(&facts->strings, format, arguments);
	va_end(arguments);
	obstack_1grow(&facts->strings, '\0');
	return obstack_finish(&facts->strings);
}

static const char *copy(struct gw_facts *facts, const char *text)
{
	return text && *text ? obstack_copy0(&facts->strings, text, strlen(text)) : "-";
}

void gw_facts_add(struct gw_facts *facts, enum abi_kind kind, const char *source,
		  const char *const column[])
{
	struct abi_fact *fact;

	if (facts->count == facts->room) {
		facts->room = facts->room ? 2 * facts->room : 1024;
		facts->fact = reallocarray(facts->fact, facts->room, sizeof(*facts->fact));
		if (!facts->fact)
			obstack_alloc_failed_handler();
	}
	fact = &facts->fact[facts->count++];
	*fact = (struct abi_fact){.kind = kind, .source = copy(facts, source)};
	for (unsigned i = 0; i < abi_kinds[kind].columns; i++)
		fact->column[i] = copy(facts, column[i]);
}

uint64_t gw_abi_hash(const char **names, size_t count)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < count; i++)
		for (const char *c = names[i];; c++) {
			hash = (hash ^ (*c ? (unsigned char)*c : '\n')) * UINT64_C(0x100000001b3);
			if (!*c)
				break;
		}
	return hash;
}

int gw_source_compare(const char *a, const char *b)
{
	const char *colon_a = strrchr(a, ':'), *colon_b = strrchr(b, ':');
	size_t length_a = colon_a ? (size_t)(colon_a - a) : strlen(a);
	size_t length_b = colon_b ? (size_t)(colon_b - b) : strlen(b);
	int order = memcmp(a, b, length_a < length_b ? length_a : length_b);
	unsigned long line_a, line_b;

	if (!order && length_a != length_b)
		order = length_a < length_b ? -1 : 1;
	if (order || !colon_a || !colon_b)
		return order ? order : strcmp(a, b);
	line_a = strtoul(colon_a + 1, NULL, 10);
	line_b = strtoul(colon_b + 1, NULL, 10);
	return line_a < line_b ? -1 : line_a > line_b;
}

static int compare(const void *a, const void *b)
{
	const struct abi_fact *x = a, *y = b;
	int order = abi_fact_compare(x, y);

	return order ? order : gw_source_compare(x->source, y->source);
}

void gw_facts_sort(struct gw_facts *facts)
{
	size_t kept = 0;

	if (!facts->count)
		return;
	qsort(facts->fact, facts->count, sizeof(*facts->fact), compare);
	for (size_t i = 1; i < facts->count; i++)
		if (abi_fact_compare(&facts->fact[kept], &facts->fact[i]))
			facts->fact[++kept] = facts->fact[i];
	facts->count = kept + 1;
}
