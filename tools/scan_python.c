/* SPDX-License-Identifier: Apache-2.0 */
/* The Python environment of a file that is scanned (scan.h): its paths, its python, and what the
 * wheels of its paths hold. */
#include "scan.h"

#include <glob.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "find.h"

/* Libraries of one directory have one environment: it is worked out once. */
struct environment {
	char *directory;
	struct gw_python_paths paths;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_environment(void *node)
{
	struct environment *environment = node;

	gw_python_paths_finish(&environment->paths);
	free(environment->directory);
	free(environment);
}

void gw_scan_forget_python(struct gw_scan *scan)
{
	tdestroy(scan->environments, free_environment);
	scan->environments = NULL;
}

const struct gw_python_paths *gw_scan_python(struct gw_scan *scan, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct gw_file *file = gw_loader_file(&scan->loader, path);
	/* What may be a Python has an environment of its own. */
	size_t length = slash && file && !file->status && !file->elf.interpreter
				? (size_t)(slash - path) + 1
				: strlen(path);
	struct environment **found, *new;
	char key[PATH_MAX];
	const char *at = key;

	if (scan->given.count || *scan->loader.root || length >= sizeof key)
		return &scan->given;
	memcpy(key, path, length);
	key[length] = '\0';
	found = tfind(&at, &scan->environments, compare);
	if (found)
		return &(*found)->paths;
	new = calloc(1, sizeof *new);
	if (!new)
		return NULL;
	new->directory = strdup(key);
	if (new->directory && gw_python_paths_of_program(&new->paths, path) == 0 &&
	    tsearch(new, &scan->environments, compare))
		return &new->paths;
	free_environment(new);
	return NULL;
}

char *gw_scan_search_python(void *context, const char *name)
{
	const struct gw_scan_walk *walk = context;
	const struct gw_python_paths *paths = walk->python;
	char *found = NULL;
	struct stat first = {0}, info;

	for (size_t i = 0; i < paths->count; i++) {
		char pattern[PATH_MAX];
		glob_t matches;

		if (strpbrk(name, "*?[\\") ||
		    snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib/%s", paths->directory[i],
			     name) >= (int)sizeof pattern ||
		    glob(pattern, 0, NULL, &matches) != 0)
			continue;
		for (size_t m = 0; m < matches.gl_pathc; m++) {
			if (stat(matches.gl_pathv[m], &info) != 0 || !S_ISREG(info.st_mode))
				continue;
			if (found && (info.st_dev != first.st_dev || info.st_ino != first.st_ino)) {
				free(found);
				globfree(&matches);
				return NULL;
			}
			if (!found)
				found = strdup(
					gw_loader_inside(&walk->scan->loader, matches.gl_pathv[m]));
			first = info;
		}
		globfree(&matches);
	}
	return found;
}

char *gw_scan_python_program(const struct gw_scan_walk *walk)
{
	const struct gw_loader *loader = &walk->scan->loader;
	const struct gw_python_paths *paths = walk->python;
	int status, reason;
	char *found, *python;

	for (size_t i = 0; i < paths->count; i++) {
		const char *site = paths->directory[i], *lib = strstr(site, "/lib/python");
		size_t version = lib ? strcspn(lib + strlen("/lib/"), "/") : 0;
		char path[PATH_MAX];

		if (lib &&
		    snprintf(path, sizeof path, "%.*s/bin/%.*s", (int)(lib - site), site,
			     (int)version, lib + strlen("/lib/")) < (int)sizeof path &&
		    access(path, X_OK) == 0)
			return strdup(gw_loader_inside(loader, path));
	}
	if (*loader->root)
		return strdup("/usr/bin/python3");
	found = gw_find_program("python3", &status, &reason);
	python = found ? gw_python_behind(found) : NULL;
	free(found);
	return python;
}
