/* SPDX-License-Identifier: Apache-2.0 */
/* Reads abi/trace (abi/README.md documents it): what the trace keeps of a call beyond its arguments. Every name must be one of the facts. */
#include "gen.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 };

static struct gen_parameter *find_parameter(struct gen_function *function, const char *name)
{
	for (size_t i = 0; i < function->signature.count; i++)
		if (!strcmp(function->signature.parameters[i].name, name))
			return &function->signature.parameters[i];
	return NULL;
}

static void keep(struct gen *gen, const char *path, unsigned line, char **words, size_t count)
{
	int at = model_function(gen, words[1]);
	struct gen_function *function;
	struct gen_parameter *parameter, *size = NULL;
	char *end;
	unsigned long bytes;

	if (count < 4 || count > 5)
		gen_fail(path, line, 1, "the form is `%s FUNCTION PARAMETER BYTES [SIZE-PARAMETER]`", words[0]);
	if (at < 0)
		gen_fail(path, line, 1, "no function '%s' is bridged", words[1]);
	function = &gen->functions[at];
	parameter = find_parameter(function, words[2]);
	if (!parameter || parameter->type.class != GW_CLASS_POINTER)
		gen_fail(path, line, 1, "%s has no parameter '%s' that is a pointer", words[1], words[2]);
	if (parameter->kept)
		gen_fail(path, line, 1, "'%s' of %s has two lines", words[2], words[1]);
	bytes = strtoul(words[3], &end, 10);
	if (*end || !bytes || bytes > MOST_BYTES || bytes % 4)
		gen_fail(path, line, 1, "'%s' is no multiple of 4 up to %d", words[3], MOST_BYTES);
	if (count == 5 && (!(size = find_parameter(function, words[4])) || size->type.class != GW_CLASS_UINT64))
		gen_fail(path, line, 1, "%s has no parameter '%s' that is a size_t", words[1], words[4]);
	parameter->kept = (unsigned)bytes;
	parameter->kept_after = words[0][0] == 'o';
	parameter->kept_size = size ? size->name : NULL;
}

static void shape(struct gen *gen, const char *path, unsigned line, char **words, size_t count)
{
	size_t found = 0;

	if (count != 3)
		gen_fail(path, line, 1, "the form is `shape FUNCTION KIND`");
	for (size_t i = 0; i < gen->function_count; i++)
		if (!fnmatch(words[1], gen->functions[i].name, 0)) {
			gen->functions[i].shape = gen_slice(words[2], strlen(words[2]));
			found++;
		}
	if (!found)
		gen_fail(path, line, 1, "no function '%s' is bridged", words[1]);
}

static void name_enum(struct gen *gen, const char *path, unsigned line, char **words, size_t count)
{
	const char *name = gen_slice(words[1], strlen(words[1]));

	if (count != 2)
		gen_fail(path, line, 1, "the form is `enum NAME`");
	if (!facts_owner(gen, NULL, ABI_ENUM, name))
		gen_fail(path, line, 1, "no header declares an enum '%s'", name);
	if (gen->named_count == sizeof(gen->named) / sizeof(*gen->named))
		gen_fail(path, line, 1, "there are too many enums");
	gen->named[gen->named_count++] = name;
}

/* The lines of enums, or all others. */
static void read_lines(struct gen *gen, const char *path, bool enums)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		gen_fail(path, 0, 0, "cannot be read");
	gen->trace_path = path;
	for (unsigned line = 1; getline(&text, &size, file) >= 0; line++) {
		char *words[6], *rest = text;
		size_t count = 0;

		text[strcspn(text, "#\n")] = 0;
		while (count < 6 && (words[count] = strsep(&rest, " \t")) != NULL)
			count += *words[count] != 0;
		if (!count)
			continue;
		if (count < 2)
			gen_fail(path, line, 1, "'%s' says of nothing what is kept", words[0]);
		if (!strcmp(words[0], "enum") && enums)
			name_enum(gen, path, line, words, count);
		if (!strcmp(words[0], "enum") || enums)
			continue;
		if (!strcmp(words[0], "in") || !strcmp(words[0], "out"))
			keep(gen, path, line, words, count);
		else if (!strcmp(words[0], "shape"))
			shape(gen, path, line, words, count);
		else
			gen_fail(path, line, 1, "'%s' is none of in, out, shape, enum", words[0]);
	}
	free(text);
	fclose(file);
}

void trace_load_enums(struct gen *gen, const char *path)
{
	read_lines(gen, path, true);
}

void trace_load(struct gen *gen, const char *path)
{
	read_lines(gen, path, false);
}
