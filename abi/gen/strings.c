/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of the tables' strings (shim/table.h: gw_strings): each text once, known by its offset.
 * An offset needs no relocation, so that the loader has nothing to do for the names, and touches
 * none of their pages.
 */
#include "gen.h"

#include <search.h>
#include <string.h>

struct pooled {
	const char *text;
	uint32_t offset;
	struct pooled *next;
};

static struct {
	void *tree;
	struct pooled *first, **end;
	uint32_t size;
} pool;

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct pooled *)a)->text, ((const struct pooled *)b)->text);
}

uint32_t strings_add(const char *text)
{
	struct pooled key = {.text = text}, *entry;
	struct pooled *const *found = tfind(&key, &pool.tree, by_text);
	size_t length = strlen(text) + 1;

	if (found)
		return (*found)->offset;
	if (length > INT32_MAX - pool.size)
		gen_fail("gw_table.c", 0, 0, "the names do not fit into an offset of 31 bits");
	entry = gen_alloc(sizeof(*entry));
	*entry = (struct pooled){.text = gen_slice(text, length - 1), .offset = pool.size};
	if (!tsearch(entry, &pool.tree, by_text))
		gen_fail("gw_table.c", 0, 0, "out of memory");
	if (!pool.end)
		pool.end = &pool.first;
	*pool.end = entry;
	pool.end = &entry->next;
	pool.size += (uint32_t)length;
	return entry->offset;
}

/* Names are C identifiers and versions: nothing in them needs a backslash. "\0" stands alone, lest
 * a digit follow it. */
void strings_write(FILE *file)
{
	fputs("\nconst char gw_strings[] =\n", file);
	for (const struct pooled *entry = pool.first; entry; entry = entry->next)
		fprintf(file, "\t\"%s\" \"\\0\" /* %u */\n", entry->text, entry->offset);
	fputs("\t\"\";\n", file);
}

static void forget(void *entry)
{
	(void)entry; /* gen_release_memory frees it */
}

void strings_finish(void)
{
	tdestroy(pool.tree, forget);
	memset(&pool, 0, sizeof(pool));
}
