/* SPDX-License-Identifier: Apache-2.0 */
/* See doctor_frameworks.h. */
#include "doctor_frameworks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi.h"

/* How many words follow each; MOST 0: any number. */
static const struct {
	const char *word;
	size_t least, most;
} kinds[] = {
	[GW_FRAMEWORK] = {"framework", 2, 2},	 [GW_FRAMEWORK_PACKAGE] = {"package", 1, 0}, [GW_FRAMEWORK_SOURCE] = {"source", 1, 0},
	[GW_FRAMEWORK_AFTER] = {"after", 1, 1},	 [GW_FRAMEWORK_OPENS] = {"opens", 1, 1},     [GW_FRAMEWORK_LATER] = {"later", 1, 1},
	[GW_FRAMEWORK_INSTEAD] = {"instead", 1, 1},
	[GW_FRAMEWORK_PRELOADS] = {"preloads", 2, 2}, [GW_FRAMEWORK_ASKS] = {"asks", 3, 0},  [GW_FRAMEWORK_CUDA] = {"cuda", 2, 2},
	[GW_FRAMEWORK_CUDNN] = {"cudnn", 2, 2},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The words of TEXT, which they then are in. */
static bool split(struct gw_framework_line *line, const char *text)
{
	size_t room = strlen(text) / 2 + 2;
	char *rest, *word;

	line->text = strdup(text);
	line->word = calloc(room, sizeof *line->word);
	if (!line->text || !line->word)
		return false;
	for (word = strtok_r(line->text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		line->word[line->words++] = word;
	return true;
}

static void free_line(struct gw_framework_line *line)
{
	free(line->text);
	free(line->word);
}

static int parse_line(struct gw_frameworks *frameworks, char *text, const char *path, unsigned number, struct abi_error *error)
{
	struct gw_framework_line line = {0}, *more;
	char *rest = text, *word = strsep(&rest, " \t");
	size_t kind = 0;

	if (!*word || *word == '#')
		return 0;
	while (kind < KINDS && strcmp(word, kinds[kind].word) != 0)
		kind++;
	if (kind == KINDS)
		return gw_abi_fail(error, -EINVAL, "%s:%u: '%s' is no word that begins a line", path, number, word);
	if (!frameworks->count && kind != GW_FRAMEWORK)
		return gw_abi_fail(error, -EINVAL, "%s:%u: `%s` comes before any `framework`", path, number, word);
	more = reallocarray(frameworks->line, frameworks->count + 1, sizeof *more);
	if (more)
		frameworks->line = more;
	if (!more || !split(&line, rest ? rest : "")) {
		free_line(&line);
		return gw_abi_fail(error, -ENOMEM, "%s: out of memory", path);
	}
	line.kind = (enum gw_framework_kind)kind;
	more[frameworks->count++] = line;
	if (line.words < kinds[kind].least || (kinds[kind].most && line.words > kinds[kind].most))
		return gw_abi_fail(error, -EINVAL, "%s:%u: `%s` has %zu words after it", path, number, word, line.words);
	return 0;
}

int gw_frameworks_load(struct gw_frameworks *frameworks, const char *path, struct abi_error *error)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	unsigned number = 0;
	size_t room = 0;
	int result = 0;

	*frameworks = (struct gw_frameworks){0};
	if (!file)
		return gw_abi_fail(error, -errno, "%s: %s", path, strerror(errno));
	while (!result && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		result = parse_line(frameworks, line, path, ++number, error);
	}
	if (!result && ferror(file))
		result = gw_abi_fail(error, -EIO, "%s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	if (result)
		gw_frameworks_finish(frameworks);
	return result;
}

void gw_frameworks_finish(struct gw_frameworks *frameworks)
{
	for (size_t i = 0; i < frameworks->count; i++)
		free_line(&frameworks->line[i]);
	free(frameworks->line);
	*frameworks = (struct gw_frameworks){0};
}
