/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the release that a file names (doctor_read.h), and parses JSON whose memory is bounded. */
#include "doctor_read.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PARSED (64u << 20)

static size_t budget;

static void *allocate(size_t size)
{
	if (size > budget)
		return NULL;
	budget -= size;
	return malloc(size);
}

/* `[],[],…` takes fifty times its size. */
json_t *gw_json_parse(const char *text, json_error_t *error)
{
	json_t *all;

	budget = MAX_PARSED;
	json_set_alloc_funcs(allocate, free);
	all = json_loads(text, 0, error);
	json_set_alloc_funcs(malloc, free);
	if (!all && (!error->text[0] || error->line < 1)) {
		error->line = error->line < 1 ? 1 : error->line;
		snprintf(error->text, sizeof error->text, "holds more than it can mean");
	}
	return all;
}

bool gw_version_number(const char *text, const char *end, unsigned least, char release[GW_RELEASE_SIZE])
{
	for (const char *at = text; (at = strpbrk(at, "0123456789")) && at < end;) {
		size_t length = strspn(at, "0123456789."), used = length;
		/* "V12.4.131", but not the 64 of "x86_64" */
		bool alone = at == text || strchr(". vV\t-\"'(=>~<", at[-1]);
		unsigned parts = 1;

		while (used && at[used - 1] == '.')
			used--;
		for (size_t i = 0; i < used; i++)
			parts += at[i] == '.';
		if (alone && parts >= least && used < GW_RELEASE_SIZE && at + used <= end) {
			memcpy(release, at, used);
			release[used] = '\0';
			return true;
		}
		at += length;
	}
	return false;
}

int gw_version_json(const char *text, char release[GW_RELEASE_SIZE], char *error, size_t error_size)
{
	json_error_t why;
	json_t *all = gw_json_parse(text, &why);
	const char *value = json_string_value(json_object_get(json_object_get(all, "cuda"), "version"));
	bool found = value && gw_version_number(value, value + strlen(value), 2, release);

	if (!all)
		snprintf(error, error_size, "%d: %s", why.line, why.text);
	else if (!found)
		snprintf(error, error_size, "1: names no version of cuda");
	json_decref(all);
	return found ? 0 : -1;
}

int gw_version_text(const char *text, char release[GW_RELEASE_SIZE], char *error, size_t error_size)
{
	if (gw_version_number(text, text + strcspn(text, "\n"), 2, release))
		return 0;
	snprintf(error, error_size, "1: names no version");
	return -1;
}

int gw_version_after(const char *text, const char *key, unsigned least, char release[GW_RELEASE_SIZE], char *error, size_t error_size)
{
	unsigned line = 1;

	for (const char *at = text; *at; line++) {
		size_t length = strcspn(at, "\n");
		const char *found = memmem(at, length, key, strlen(key));

		if (found && gw_version_number(found + strlen(key), at + length, least, release))
			return 0;
		at += length + (at[length] == '\n');
	}
	snprintf(error, error_size, "%u: names no version after '%s'", line > 1 ? line - 1 : 1, key);
	return -1;
}

bool gw_version_required(const char *text, const char *package, char release[GW_RELEASE_SIZE])
{
	static const char field[] = "Requires-Dist: ";
	static const char *const signs[] = {"==", ">=", "~="};

	for (const char *at = text; (at = strstr(at, field));) {
		const char *name = at + strlen(field), *end = name + strcspn(name, "\n"), *rest = name + strlen(package);

		at = end;
		if (strncmp(name, package, strlen(package)) != 0 || (*rest != ' ' && *rest != '=' && *rest != '>' && *rest != '(' && strncmp(rest, "-cu", 3) != 0))
			continue;
		for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
			const char *sign = memmem(name, (size_t)(end - name), signs[i], 2);

			if (sign && gw_version_number(sign + 2, end, 1, release))
				return true;
		}
	}
	return false;
}

unsigned long gw_version_define(const char *text, const char *name)
{
	for (const char *at = text; (at = strstr(at, "#define")); at++) {
		const char *word = at + strlen("#define");

		word += strspn(word, " \t");
		if (strncmp(word, name, strlen(name)) == 0 && (word[strlen(name)] == ' ' || word[strlen(name)] == '\t'))
			return strtoul(word + strlen(name), NULL, 10);
	}
	return 0;
}

int gw_metadata_check(const char *text, char *error, size_t error_size)
{
	bool name = false, version = false;
	unsigned line = 1;

	/* the header ends at the first empty line; a line that begins with a blank goes on with the one before */
	for (const char *at = text; *at && *at != '\n' && *at != '\r'; line++) {
		size_t length = strcspn(at, "\n");

		if (*at != ' ' && *at != '\t' && !memchr(at, ':', length)) {
			snprintf(error, error_size, "%u: is no `Field: value`", line);
			return -1;
		}
		name |= strncmp(at, "Name:", 5) == 0;
		version |= strncmp(at, "Version:", 8) == 0;
		at += length + (at[length] == '\n');
	}
	if (name && version)
		return 0;
	snprintf(error, error_size, "1: names no %s", name ? "version" : "package");
	return -1;
}
