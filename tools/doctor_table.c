/* SPDX-License-Identifier: Apache-2.0 */
/* See doctor_table.h. */
#include "doctor_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi.h"

int gw_release_compare(const char *a, const char *b)
{
	while (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
		char *after_a, *after_b;
		unsigned long x = strtoul(a, &after_a, 10), y = strtoul(b, &after_b, 10);

		if (x != y)
			return x < y ? -1 : 1;
		a = after_a + (*after_a == '.');
		b = after_b + (*after_b == '.');
	}
	return 0;
}

static int parse_line(struct gw_table *table, char *line, const char *path, unsigned number, struct abi_error *error)
{
	static const char *const kinds[] = {"cuda", "within", "ptx", "gpu"};
	char *rest = line, *word = strsep(&rest, " \t"), *name = strsep(&rest, " \t"), *value = rest;
	struct gw_table_row *more;
	size_t kind = 0;

	if (!*word || *word == '#' || strcmp(word, "source") == 0)
		return 0;
	while (kind < 4 && strcmp(word, kinds[kind]) != 0)
		kind++;
	if (kind == 4)
		return gw_abi_fail(error, -EINVAL, "%s:%u: '%s' is none of source, cuda, within, ptx, gpu", path, number, word);
	if (!name || !isdigit((unsigned char)*name) || !value || !*value || (kind != GW_TABLE_GPU && !isdigit((unsigned char)*value)))
		return gw_abi_fail(error, -EINVAL, "%s:%u: `%s` needs two releases%s", path, number, word, kind == GW_TABLE_GPU ? ", the second a name" : "");
	more = reallocarray(table->row, table->count + 1, sizeof *more);
	if (!more)
		return gw_abi_fail(error, -ENOMEM, "%s: out of memory", path);
	table->row = more;
	more[table->count] = (struct gw_table_row){(enum gw_table_kind)kind, strdup(name), strdup(value)};
	if (!more[table->count].name || !more[table->count].value) {
		free(more[table->count].name);
		free(more[table->count].value);
		return gw_abi_fail(error, -ENOMEM, "%s: out of memory", path);
	}
	table->count++;
	return 0;
}

int gw_table_load(struct gw_table *table, const char *path, struct abi_error *error)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	unsigned number = 0;
	size_t room = 0;
	int result = 0;

	*table = (struct gw_table){0};
	if (!file)
		return gw_abi_fail(error, -errno, "%s: %s", path, strerror(errno));
	while (!result && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		result = parse_line(table, line, path, ++number, error);
	}
	if (!result && ferror(file))
		result = gw_abi_fail(error, -EIO, "%s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	if (result)
		gw_table_finish(table);
	return result;
}

void gw_table_finish(struct gw_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->row[i].name);
		free(table->row[i].value);
	}
	free(table->row);
	*table = (struct gw_table){0};
}

/* A branch of drivers has one maximum, from its first beta on: 550.40.07 says 12.4 of itself, too. */
static unsigned long branch_of(const char *driver)
{
	return strtoul(driver, NULL, 10);
}

const char *gw_table_maximum(const struct gw_table *table, const char *driver, bool *newer)
{
	const struct gw_table_row *best = NULL, *newest = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct gw_table_row *row = &table->row[i];

		if (row->kind != GW_TABLE_CUDA)
			continue;
		if (!newest || gw_release_compare(row->name, newest->name) > 0)
			newest = row;
		if (branch_of(driver) >= branch_of(row->value) && (!best || gw_release_compare(row->name, best->name) > 0))
			best = row;
	}
	*newer = best && best == newest && branch_of(driver) > branch_of(best->value);
	return best ? best->name : NULL;
}

static const char *value_of(const struct gw_table *table, enum gw_table_kind kind, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->row[i].kind == kind && gw_release_compare(table->row[i].name, name) == 0)
			return table->row[i].value;
	return NULL;
}

const char *gw_table_driver(const struct gw_table *table, const char *cuda)
{
	return strchr(cuda, '.') ? value_of(table, GW_TABLE_CUDA, cuda) : NULL;
}

const char *gw_table_within(const struct gw_table *table, const char *cuda)
{
	return value_of(table, GW_TABLE_WITHIN, cuda);
}

const char *gw_table_ptx(const struct gw_table *table, unsigned major, unsigned minor)
{
	char name[32];

	snprintf(name, sizeof name, "%u.%u", major, minor);
	return value_of(table, GW_TABLE_PTX, name);
}

/* Does WORD, of LENGTH letters, stand in TEXT by itself? "L4" is no word of "L40". */
static bool has_word(const char *text, const char *word, size_t length)
{
	for (const char *at = text; (at = strstr(at, word)); at++) {
		bool begins = at == text || !isalnum((unsigned char)at[-1]);

		if (begins && !isalnum((unsigned char)at[length]))
			return true;
	}
	return false;
}

const char *gw_table_gpu(const struct gw_table *table, const char *model)
{
	for (size_t i = 0; i < table->count; i++) {
		bool all = table->row[i].kind == GW_TABLE_GPU;

		for (const char *at = table->row[i].value; all && *at;) {
			size_t length = strcspn(at, " ");
			char word[64];

			snprintf(word, sizeof word, "%.*s", (int)length, at);
			all = has_word(model, word, strlen(word));
			at += length + (at[length] == ' ');
		}
		if (all)
			return table->row[i].name;
	}
	return NULL;
}
