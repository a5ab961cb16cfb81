/* SPDX-License-Identifier: Apache-2.0 */
/* See measured.h. */
#include "measured.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY "cublasLt"
#define COLUMNS 8

const struct measured_kind measured_kinds[MEASURED_KINDS] = {
	{"MATMUL_DESC", "cublasLtMatmulDescAttributes_t", "cublasLtMatmulDescOpaque_t"},
	{"MATRIX_LAYOUT", "cublasLtMatrixLayoutAttribute_t", "cublasLtMatrixLayoutOpaque_t"},
	{"MATMUL_PREFERENCE", "cublasLtMatmulPreferenceAttributes_t",
	 "cublasLtMatmulPreferenceOpaque_t"},
	{"MATRIX_TRANSFORM_DESC", "cublasLtMatrixTransformDescAttributes_t",
	 "cublasLtMatrixTransformDescOpaque_t"},
};

struct line {
	const char *path;
	unsigned number;
	char *column[COLUMNS];
	unsigned at[COLUMNS]; /* 1-based */
	size_t count;
};

static __attribute__((noreturn, format(printf, 3, 4))) void fail(const struct line *line,
								 size_t column, const char *format,
								 ...)
{
	va_list arguments;
	char text[256];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	gen_fail(line->path, line->number, line->at[column], "%s", text);
}

static void split(struct line *line, char *text)
{
	char *start = text;

	line->count = 0;
	for (char *at = text, *next; at; at = next) {
		next = strchr(at, '\t');
		if (next)
			*next++ = 0;
		if (line->count == COLUMNS)
			gen_fail(line->path, line->number, (unsigned)(at - start) + 1,
				 "more columns than any line has");
		line->at[line->count] = (unsigned)(at - start) + 1;
		line->column[line->count++] = at;
	}
}

static unsigned number(const struct line *line, size_t column, const char *text, char **end,
		       unsigned most)
{
	unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, end, 10) : most + 1ul;

	if (value > most)
		fail(line, column, "expected a number from 0 to %u", most);
	return (unsigned)value;
}

static unsigned whole(const struct line *line, size_t column, unsigned most)
{
	char *end;
	unsigned value = number(line, column, line->column[column], &end, most);

	if (*end)
		fail(line, column, "'%s' after the number", end);
	return value;
}

/* "0-8,10", or "-" for none. */
static uint64_t list(const struct line *line, size_t column)
{
	char *at = line->column[column];
	uint64_t bits = 0;

	while (strcmp(at, "-") != 0 && *at) {
		unsigned first = number(line, column, at, &at, MEASURED_IDS - 1), last = first;

		if (*at == '-')
			last = number(line, column, at + 1, &at, MEASURED_IDS - 1);
		for (unsigned i = first; i <= last; i++)
			bits |= UINT64_C(1) << i;
		if (*at == ',' && at[1])
			at++;
		else if (*at)
			fail(line, column, "expected ',' between attributes");
	}
	return bits;
}

static size_t release(const struct line *line, size_t column, const struct abi_family *family,
		      char *text, size_t length)
{
	int found = abi_family_release(family, gen_slice(text, length));

	if (found < 0)
		fail(line, column, "release '%.*s' has no `release` line in %s", (int)length, text,
		     family->path);
	return (size_t)found;
}

static struct abi_set set_of(const struct line *line, size_t column,
			     const struct abi_family *family)
{
	struct abi_set set = {{0}};

	for (char *item = line->column[column], *next; item; item = next) {
		size_t length = strcspn(item, ","), first, last;
		char *dots = memmem(item, length, "..", 2);

		next = item[length] ? item + length + 1 : NULL;
		first = last = release(line, column, family, item,
				       dots ? (size_t)(dots - item) : length);
		if (dots)
			last = dots + 2 == item + length
				       ? family->release_count - 1
				       : release(line, column, family, dots + 2,
						 (size_t)(item + length - dots - 2));
		for (size_t i = first; i <= last; i++)
			abi_set_add(&set, i);
	}
	return set;
}

static unsigned kind_of(const struct line *line, bool block)
{
	for (unsigned i = 0; i < MEASURED_KINDS; i++) {
		if (!strcmp(line->column[1],
			    block ? measured_kinds[i].block : measured_kinds[i].attributes))
			return i;
	}
	fail(line, 1, "'%s' is no kind of block", line->column[1]);
}

static bool overlap(const struct abi_set *a, const struct abi_set *b)
{
	for (size_t i = 0; i < ABI_MAX_RELEASES / 64; i++) {
		if (a->bits[i] & b->bits[i])
			return true;
	}
	return false;
}

static void read_attribute(struct measured *measured, const struct line *line,
			   const struct abi_family *family)
{
	struct measured_attribute *attribute = &measured->attributes[measured->attribute_count++];
	const char *text = line->column[4];

	attribute->kind = kind_of(line, false);
	attribute->id = whole(line, 2, MEASURED_IDS - 1);
	attribute->size = whole(line, 3, 8);
	attribute->given = !strcmp(text, "-");
	if (!attribute->given && (strlen(text) != 2 * attribute->size ||
				  strspn(text, "0123456789abcdef") != strlen(text)))
		fail(line, 4, "expected %u bytes in hexadecimal, or '-'", attribute->size);
	for (unsigned i = 0; !attribute->given && i < attribute->size; i++) {
		char byte[3] = {text[2 * i], text[2 * i + 1], 0};

		attribute->value |= (uint64_t)strtoul(byte, NULL, 16) << 8 * i;
	}
	attribute->releases = set_of(line, 5, family);
	for (const struct measured_attribute *other = measured->attributes; other < attribute;
	     other++) {
		if (other->kind == attribute->kind && other->id == attribute->id &&
		    overlap(&other->releases, &attribute->releases))
			fail(line, 5, "a line above says otherwise of one of these releases");
		if (other->kind == attribute->kind && other->id > attribute->id)
			fail(line, 2, "lines are sorted by attribute");
		if (other->kind == attribute->kind && other->id == attribute->id &&
		    other->size == attribute->size)
			fail(line, 4, "an attribute whose default changes is not treated");
	}
}

static void read_block(struct measured *measured, const struct line *line,
		       const struct abi_family *family)
{
	struct measured_block *block = &measured->blocks[measured->block_count++];
	char *end;

	block->kind = kind_of(line, true);
	block->size = whole(line, 2, 4096);
	block->format_at = -1;
	if (strcmp(line->column[3], "-") != 0) {
		block->format_at = (int)number(line, 3, line->column[3], &end, 4096);
		if (*end != ':')
			fail(line, 3, "expected OFFSET:VALUE, or '-'");
		block->format = number(line, 3, end + 1, &end, 255);
		if (*end)
			fail(line, 3, "'%s' after the value", end);
	}
	block->held = list(line, 4);
	block->beyond = list(line, 5);
	block->releases = set_of(line, 6, family);
	block->line = line->number;
	if (block->beyond && block->format_at < 0)
		fail(line, 3, "attributes beyond a block that nothing tells from a larger one");
}

void measured_load(struct measured *measured, const struct gen *gen, const char *path)
{
	const struct abi_family *family = abi_db_family(&gen->db, FAMILY);
	struct line line = {.path = path};
	size_t room = 0, size = 0;
	FILE *file = path ? fopen(path, "r") : NULL;
	char *text = NULL;

	memset(measured, 0, sizeof(*measured));
	if (!path)
		return;
	measured->path = path;
	if (!file)
		gen_fail(path, 0, 0, "cannot be read");
	if (!family)
		gen_fail(path, 0, 0, "there are no facts of " FAMILY);
	while (getline(&text, &size, file) >= 0)
		room++;
	rewind(file);
	measured->attributes = gen_alloc(room * sizeof(*measured->attributes));
	measured->blocks = gen_alloc(room * sizeof(*measured->blocks));
	while (getline(&text, &size, file) >= 0) {
		line.number++;
		text[strcspn(text, "\n")] = 0;
		if (*text == '#')
			continue;
		split(&line, text);
		if (!strcmp(line.column[0], "attribute") && line.count == 7)
			read_attribute(measured, &line, family);
		else if (!strcmp(line.column[0], "block") && line.count == 8)
			read_block(measured, &line, family);
		else
			fail(&line, 0, "expected `attribute` with 7 columns or `block` with 8");
	}
	free(text);
	fclose(file);
}
