/* SPDX-License-Identifier: Apache-2.0 */
/* See translations.h. Lines of columns separated by TABs: `treatment NUMBER HOW STATUS FINDING NOTE`, then `FAMILY KIND NAME FORM NUMBER`. */
#include "translations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"

#define COLUMNS 6

struct gw_translation {
	int kind;
	const char *name, *form;
	size_t treated;
};

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static unsigned split(char *line, char *column[COLUMNS])
{
	unsigned count = 0;

	for (char *at = line, *next; at && count < COLUMNS; at = next) {
		next = strchr(at, '\t');
		if (next)
			*next++ = '\0';
		column[count++] = at;
	}
	return count;
}

static int kind_of(const char *word)
{
	for (int kind = 0; kind < ABI_KIND_COUNT; kind++)
		if (!strcmp(abi_kinds[kind].name, word))
			return kind;
	return -1;
}

static int compare(const void *a, const void *b)
{
	const struct gw_translation *x = a, *y = b;
	int order = x->kind - y->kind;

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->form, y->form);
}

/* Takes one line in; false where it is none that the build writes. */
static bool take(struct gw_translations *translations, char *line, const char *family)
{
	static const char treatment[] = "treatment\t";
	size_t length = strlen(family);
	char *column[COLUMNS], *end;
	unsigned long number;

	if (!strncmp(line, treatment, strlen(treatment))) {
		if (split(line, column) != COLUMNS ||
		    strtoul(column[1], &end, 10) != translations->treated_count || *end)
			return false;
		translations->treated[translations->treated_count++] =
			(struct gw_treated){column[2], column[3], column[4], column[5]};
		return true;
	}
	if (strncmp(line, family, length) || line[length] != '\t')
		return true;
	if (split(line, column) != 5 || kind_of(column[1]) < 0)
		return false;
	number = strtoul(column[4], &end, 10);
	if (*end || number >= translations->treated_count)
		return false;
	translations->row[translations->row_count++] =
		(struct gw_translation){kind_of(column[1]), column[2], column[3], number};
	return true;
}

void gw_translations_load(struct gw_translations *translations, const char *family)
{
	char *path = gw_data_path("translations.txt");
	size_t lines = 0;

	*translations = (struct gw_translations){.text = path ? read_all(path) : NULL};
	free(path);
	if (!translations->text)
		return;
	for (const char *at = translations->text; (at = strchr(at, '\n')); at++)
		lines++;
	translations->treated = calloc(lines + 1, sizeof(*translations->treated));
	translations->row = calloc(lines + 1, sizeof(*translations->row));
	if (!translations->treated || !translations->row) {
		gw_translations_finish(translations);
		return;
	}
	for (char *line = translations->text, *next; (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		if (!take(translations, line, family)) {
			gw_translations_finish(translations);
			return;
		}
	}
	qsort(translations->row, translations->row_count, sizeof(*translations->row), compare);
}

void gw_translations_finish(struct gw_translations *translations)
{
	free(translations->text);
	free(translations->treated);
	free(translations->row);
	*translations = (struct gw_translations){0};
}

const struct gw_treated *gw_translations_find(const struct gw_translations *translations, enum abi_kind kind,
					      const char *name, const char *form)
{
	const struct gw_translation key = {(int)kind, name, form, 0}, *row = NULL;

	if (translations->row_count)
		row = bsearch(&key, translations->row, translations->row_count, sizeof(key), compare);
	return row ? &translations->treated[row->treated] : NULL;
}
