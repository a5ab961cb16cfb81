/* SPDX-License-Identifier: Apache-2.0 */
/* Looks where shim/find.c will look (target.h). What a process maps by itself cannot be known. */
#include "target.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd.h"

struct facade {
	const char *soname, *group, *setting; /* group: its suite, or family */
	const char *const *targets;           /* best first, NULL-terminated */
};

#include "facade_table.h"

static const struct facade *facade_of(const char *soname)
{
	for (const struct facade *facade = facades; facade->soname; facade++)
		if (strcmp(facade->soname, soname) == 0)
			return facade;
	return NULL;
}

bool gw_target_has_facade(const char *soname)
{
	return facade_of(soname);
}

const char *gw_target_group(const char *soname)
{
	const struct facade *facade = facade_of(soname);
	return facade ? facade->group : NULL;
}

/* DIRECTORY/NAME, to free, where it is a file and no facade itself. */
static char *try_directory(const struct gw_target_places *places, const char *directory,
			   const char *name)
{
	char path[PATH_MAX], real[PATH_MAX];
	struct stat info;

	if (!*directory ||
	    snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path ||
	    stat(path, &info) != 0 || !S_ISREG(info.st_mode))
		return NULL;
	if (places->facades && realpath(path, real)) {
		size_t length = strlen(places->facades);

		if (strncmp(real, places->facades, length) == 0 && real[length] == '/')
			return NULL;
	}
	return strdup(path);
}

static char *try_list(const struct gw_target_places *places, const char *list, const char *name)
{
	char *found = NULL;

	while (list && *list && !found) {
		size_t length = strcspn(list, ":");
		char *directory = strndup(list, length);

		found = directory ? try_directory(places, directory, name) : NULL;
		free(directory);
		list += length + (list[length] == ':');
	}
	return found;
}

/* In each directory that matches PATTERN. */
static char *try_pattern(const struct gw_target_places *places, const char *pattern,
			 const char *name)
{
	char *found = NULL;
	glob_t matches;

	if (glob(pattern, 0, NULL, &matches) != 0)
		return NULL;
	for (size_t i = 0; i < matches.gl_pathc && !found; i++)
		found = try_directory(places, matches.gl_pathv[i], name);
	globfree(&matches);
	return found;
}

static char *try_python(const struct gw_target_places *places, const char *name)
{
	char pattern[PATH_MAX], *found = NULL;

	for (size_t i = 0; i < places->python->count && !found; i++)
		if (snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib",
			     places->python->directory[i]) < (int)sizeof pattern)
			found = try_pattern(places, pattern, name);
	return found;
}

static char *try_cache(const struct gw_target_places *places, const char *name)
{
	char *found = NULL;

	for (size_t i = 0; i < places->loader->cache.count && !found; i++) {
		const struct gw_cache_entry *entry = &places->loader->cache.entry[i];
		const char *slash = strrchr(entry->path, '/');
		char *directory;

		if (strcmp(entry->name, name) != 0 || !slash)
			continue;
		directory = strndup(entry->path, (size_t)(slash - entry->path));
		found = directory ? try_directory(places, directory, name) : NULL;
		free(directory);
	}
	return found;
}

static char *try_toolkits(const struct gw_target_places *places, const char *name)
{
	static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
	const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
			       "/usr/local/cuda-*"};
	char pattern[PATH_MAX], *found = NULL;

	for (size_t i = 0; i < sizeof roots / sizeof *roots && !found; i++)
		for (size_t k = 0; k < sizeof below / sizeof *below && !found; k++)
			if (roots[i] && *roots[i] &&
			    snprintf(pattern, sizeof pattern, "%s/%s", roots[i], below[k]) <
				    (int)sizeof pattern)
				found = try_pattern(places, pattern, name);
	return found;
}

static char *try_stage(const struct gw_target_places *places, const char *own, unsigned stage,
		       const char *name)
{
	switch (stage) {
	case 0:
		return try_list(places, own, name);
	case 1:
		return try_list(places, getenv("GANGWAY_LIBRARY_PATH"), name);
	case 2:
		return try_list(places, places->loader_path, name);
	case 3:
		return try_python(places, name);
	case 4:
		return try_cache(places, name);
	default:
		return try_toolkits(places, name);
	}
}

char *gw_target_find(const struct gw_target_places *places, const char *soname, char *names,
		     size_t size)
{
	const struct facade *facade = facade_of(soname);
	const char *own = facade ? getenv(facade->setting) : NULL;
	unsigned stages = own && *own ? 1 : 6;
	size_t used = 0;
	char *found;

	names[0] = '\0';
	for (unsigned stage = 0; facade && stage < stages; stage++)
		for (size_t i = 0; facade->targets[i]; i++)
			if ((found = try_stage(places, own, stage, facade->targets[i])))
				return found;
	for (size_t i = 0; facade && facade->targets[i] && used < size; i++)
		used += (size_t)snprintf(names + used, size - used, "%s%s", i ? " and " : "",
					 facade->targets[i]);
	if (stages == 1 && used < size)
		snprintf(names + used, size - used, " in %s", facade->setting);
	return NULL;
}

void gw_target_explain(const struct gw_target_places *places)
{
	char names[512];

	for (const struct facade *facade = facades; facade->soname; facade++) {
		char *path = gw_target_find(places, facade->soname, names, sizeof names);

		if (path)
			gw_complain("facade %s: would forward to %s", facade->soname, path);
		else
			gw_complain("facade %s: nothing to forward to (looked for %s)",
				    facade->soname, names);
		free(path);
	}
}

void gw_target_names(char *names, size_t size)
{
	size_t used = 0;

	names[0] = '\0';
	for (const struct facade *facade = facades; facade->soname && used < size; facade++)
		used += (size_t)snprintf(names + used, size - used, "%s%s",
					 facade == facades ? "" : ", ", facade->soname);
}
