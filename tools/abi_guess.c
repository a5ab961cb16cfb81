/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guesses which release a library file on disk belongs to: by the metadata of its wheel, by the
 * headers beside it, or by which known release's exports it resembles most.
 */
#include "abi_guess.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_TEXT (64 << 20) /* no header or RECORD has more; what has wants our memory */

/* The whole file, up to a NUL, into *TEXT (to free): the caller's variable, as getdelim keeps its address. */
static bool read_text(const char *path, char **text)
{
	struct stat info;
	FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= MAX_TEXT ? fopen(path, "re") : NULL;
	size_t room = 0;
	bool good = file && getdelim(text, &room, '\0', file) >= 0;

	if (file)
		fclose(file);
	return good;
}

/* Does a RECORD list PATH (relative to the directory that holds the dist-info)? */
static bool records(const char *record, const char *path)
{
	size_t length = strlen(path);

	for (const char *line = record; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, path, length) && line[length] == ',')
			return true;
	}
	return false;
}

static bool metadata_version(const char *metadata, char *version, size_t size)
{
	const char *line = strstr(metadata, "\nVersion: ");

	if (!line)
		return false;
	line += strlen("\nVersion: ");
	snprintf(version, size, "%.*s", (int)strcspn(line, "\r\n"), line);
	return true;
}

/* One directory above the library: is there a wheel's metadata that lists it? */
static bool look_in(const char *directory, const char *relative, char *version, size_t size)
{
	DIR *dir = opendir(directory);
	char path[PATH_MAX + 512];
	bool found = false;

	for (struct dirent *entry; !found && dir && (entry = readdir(dir));) {
		char *record = NULL, *metadata = NULL;
		bool whole;
		const char *suffix = strstr(entry->d_name, ".dist-info");

		if (!suffix || suffix[strlen(".dist-info")])
			continue;
		snprintf(path, sizeof(path), "%s/%s/RECORD", directory, entry->d_name);
		whole = read_text(path, &record);
		snprintf(path, sizeof(path), "%s/%s/METADATA", directory, entry->d_name);
		whole = read_text(path, &metadata) && whole;
		found = whole && records(record, relative) &&
			metadata_version(metadata, version, size);
		free(record);
		free(metadata);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool gw_guess_wheel(const char *library, char *version, size_t size)
{
	char real[PATH_MAX], directory[PATH_MAX];

	if (!realpath(library, real))
		return false;
	strcpy(directory, real);
	for (int up = 0; up < 5; up++) {
		char *slash = strrchr(directory, '/');

		if (!slash || slash == directory)
			return false;
		*slash = '\0';
		if (look_in(directory, real + strlen(directory) + 1, version, size))
			return true;
	}
	return false;
}

/* The number that TEXT's `#define NAME number` gives; -1 when it does not. */
static long macro(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		const char *value = at + length, *line = at;

		while (line > text && line[-1] != '\n')
			line--;
		line += strspn(line, " \t");
		if (*line != '#' || strncmp(line + 1 + strspn(line + 1, " \t"), "define", 6) ||
		    !isblank((unsigned char)*value))
			continue;
		value += strspn(value, " \t");
		if (isdigit((unsigned char)*value))
			return strtol(value, NULL, 10);
	}
	return -1;
}

/* Looks through the headers of FOLDER for the rule's macros. */
static bool look_at_headers(const char *folder, const struct gw_family_rule *rule, char *version,
			    size_t size)
{
	long value[4] = {-1, -1, -1, -1};
	DIR *dir = opendir(folder);
	size_t parts = 0;
	char path[PATH_MAX + 512];

	while (rule->version[parts] && parts < 4)
		parts++;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		size_t length = strlen(entry->d_name);
		char *text = NULL;
		bool whole;

		if (length < 2 || strcmp(entry->d_name + length - 2, ".h"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		whole = !strncmp(entry->d_name, "cu", 2) && read_text(path, &text);
		for (size_t i = 0; whole && i < parts; i++)
			if (value[i] < 0)
				value[i] = macro(text, rule->version[i]);
		free(text);
	}
	if (dir)
		closedir(dir);
	*version = '\0';
	for (size_t i = 0; i < parts; i++) {
		size_t length = strlen(version);

		if (value[i] < 0)
			return false;
		snprintf(version + length, size - length, "%s%ld", i ? "." : "", value[i]);
	}
	return parts > 0;
}

bool gw_guess_headers(const char *library, const struct gw_family_rule *rule, char *version, size_t size)
{
	char real[PATH_MAX], folder[PATH_MAX + 16];
	char *slash;

	if (!rule || !realpath(library, real) || !(slash = strrchr(real, '/')))
		return false;
	*slash = '\0';
	snprintf(folder, sizeof(folder), "%s/../include", real);
	return look_at_headers(folder, rule, version, size);
}

int gw_guess_exports(const struct abi_family *family, const char *soname, const char **exports,
		     size_t count)
{
	size_t first = family->first[ABI_EXPORT], last = family->first[ABI_EXPORT + 1];
	long *score = calloc(family->release_count, sizeof(*score));
	bool *known = calloc(family->release_count, sizeof(*known));
	int best = -1;

	for (size_t i = family->first[ABI_SONAME]; known && i < family->first[ABI_SONAME + 1]; i++)
		for (size_t r = 0;
		     !strcmp(family->facts[i].column[0], soname) && r < family->release_count; r++)
			known[r] |= abi_set_has(&family->facts[i].releases, r);
	for (size_t i = first; score && i < last; i++) {
		const struct abi_fact *fact = &family->facts[i];
		bool there;

		if (strcmp(fact->column[0], soname))
			continue;
		there = gw_guess_has(exports, count, fact->column[1],
				     gw_query_symbol_length(fact->column[1]));
		for (size_t r = 0; r < family->release_count; r++)
			if (abi_set_has(&fact->releases, r))
				score[r] += there ? 1 : -1;
	}
	for (size_t r = 0; score && known && r < family->release_count; r++)
		if (known[r] && (best < 0 || score[r] >= score[best]))
			best = (int)r;
	free(score);
	free(known);
	return best;
}

bool gw_guess_has(const char **exports, size_t count, const char *name, size_t length)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(exports[middle], name, length);

		if (!order && !exports[middle][length])
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
