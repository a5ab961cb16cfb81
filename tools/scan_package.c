/* SPDX-License-Identifier: Apache-2.0 */
/* The Python package that a file belongs to, and what that requires (scan.h): read from its .dist-info. */
#include "scan.h"

#include <glob.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mapping.h"

/* A whole file, read-only; SIZE 0 where it cannot be had. */
struct mapped {
	const char *text;
	size_t size;
	struct gw_mapping mapping;
};

static struct mapped map_file(const char *path)
{
	struct mapped mapped = {0};

	if (gw_mapping_open(&mapped.mapping, path) == 0) {
		mapped.text = (const char *)mapped.mapping.bytes;
		mapped.size = mapped.mapping.size;
	}
	return mapped;
}

static void unmap(struct mapped mapped)
{
	gw_mapping_close(&mapped.mapping);
}

/* One line "Requires-Dist: NAME (==VERSION) ; CONDITION", with or without the parentheses. */
static void read_requirement(const char *line, size_t length, gw_scan_requirement *each, void *context)
{
	static const char key[] = "Requires-Dist: ";
	char text[256], *equal;
	size_t name;

	if (length <= sizeof key || length >= sizeof text || strncmp(line, key, sizeof key - 1) != 0)
		return;
	memcpy(text, line + sizeof key - 1, length - sizeof key + 1);
	text[length - sizeof key + 1] = 0;
	name = strcspn(text, " (=;<>!~[");
	text[strcspn(text, ";")] = 0;
	equal = strstr(text, "==");
	if (!equal)
		return;
	equal += 2;
	equal += strspn(equal, " ");
	equal[strspn(equal, "0123456789.")] = '\0';
	text[name] = '\0';
	for (char *at = text; *at; at++)
		*at = *at == '_' || *at == '.' ? '-' : *at;
	each(context, text, equal);
}

void gw_scan_each_requirement(const char *info, gw_scan_requirement *each, void *context)
{
	char path[PATH_MAX];
	struct mapped file;

	if (snprintf(path, sizeof path, "%s/METADATA", info) >= (int)sizeof path)
		return;
	file = map_file(path);
	for (size_t at = 0; at < file.size;) {
		const char *end = memchr(file.text + at, '\n', file.size - at);
		size_t length = end ? (size_t)(end - file.text) - at : file.size - at;

		if (!length)
			break; /* the headers end, the description begins */
		read_requirement(file.text + at, length, each, context);
		at += length + 1;
	}
	unmap(file);
}

struct pin {
	const char *package;
	char *version;
};

static void note_pin(void *context, const char *name, const char *version)
{
	struct pin *pin = context;

	if (!pin->version && strcmp(name, pin->package) == 0)
		pin->version = strdup(version);
}

char *gw_scan_pin(const char *info, const char *package)
{
	struct pin pin = {.package = package};

	if (info)
		gw_scan_each_requirement(info, note_pin, &pin);
	return pin.version;
}

/* Does the package's RECORD list the file NAME of its directory? */
static bool records(const char *info, const char *name)
{
	char path[PATH_MAX];
	size_t length = strlen(name);
	struct mapped file;
	bool found = false;

	if (snprintf(path, sizeof path, "%s/RECORD", info) >= (int)sizeof path)
		return false;
	file = map_file(path);
	for (const char *at = file.text, *end = at + file.size; at && at < end && !found;) {
		at = memmem(at, (size_t)(end - at), name, length);
		if (!at)
			break;
		found = (at == file.text || at[-1] == '\n') && at + length < end && at[length] == ',';
		at += length;
	}
	unmap(file);
	return found;
}

/* The .dist-info directories of one directory: looked for once a run. */
struct packages {
	char *directory;
	glob_t infos;
};

static int compare_packages(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const struct packages *packages_in(struct gw_scan *scan, const char *directory)
{
	struct packages **found = tfind(&directory, &scan->packages, compare_packages), *new;
	char pattern[PATH_MAX + 16];

	if (found)
		return *found;
	new = calloc(1, sizeof *new);
	if (!new)
		return NULL;
	new->directory = strdup(directory);
	snprintf(pattern, sizeof pattern, "%s/*.dist-info", directory);
	if (glob(pattern, GLOB_NOSORT, NULL, &new->infos) != 0)
		new->infos = (glob_t){0};
	if (new->directory && tsearch(new, &scan->packages, compare_packages))
		return new;
	globfree(&new->infos);
	free(new->directory);
	free(new);
	return NULL;
}

static void free_packages(void *node)
{
	struct packages *packages = node;

	globfree(&packages->infos);
	free(packages->directory);
	free(packages);
}

void gw_scan_forget_packages(struct gw_scan *scan)
{
	tdestroy(scan->packages, free_packages);
	scan->packages = NULL;
}

char *gw_scan_package_info(struct gw_scan *scan, const char *path)
{
	char whole[PATH_MAX], *slash, *info = NULL;

	if (!realpath(path, whole))
		return NULL;
	for (slash = strrchr(whole, '/'); slash && slash > whole && !info;) {
		const struct packages *packages;

		*slash = 0;
		packages = packages_in(scan, whole);
		for (size_t i = 0; packages && i < packages->infos.gl_pathc && !info; i++)
			if (records(packages->infos.gl_pathv[i], slash + 1))
				info = strdup(packages->infos.gl_pathv[i]);
		/* What was cut off stays behind the 0: "a/b" of "/site/a/b" is found at /site. */
		char *upper = strrchr(whole, '/');
		*slash = '/';
		slash = upper;
	}
	return info;
}
