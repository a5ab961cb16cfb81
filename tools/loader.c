/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the directories that the loader would walk (loader.h), in its order. */
#include "loader.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of Debian's loader; other systems have some of them. */
static const char defaults[] =
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";

/* Would the loader open this file, rather than go on looking? It passes over other classes and
 * machines. */
static bool acceptable(const char *path)
{
	unsigned char head[20];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t count;

	if (file < 0)
		return false;
	count = read(file, head, sizeof head);
	close(file);
	if (count < (ssize_t)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0)
		return count >= 0;
	return head[EI_CLASS] == ELFCLASS64 && (head[18] | head[19] << 8) == EM_X86_64;
}

struct token {
	const char *name, *value;
};

/* Expands $ORIGIN, ${ORIGIN}, … of one directory into PATH. False where it does not fit. */
static bool expand(char *path, size_t size, const char *text, size_t length, const char *origin)
{
	const struct token tokens[] = {
		{"ORIGIN", origin}, {"LIB", "lib/x86_64-linux-gnu"}, {"PLATFORM", "x86_64"}};
	size_t end = 0;

	for (size_t i = 0; i < length;) {
		const char *value = NULL;
		size_t taken = 1;

		for (size_t t = 0; text[i] == '$' && t < sizeof tokens / sizeof *tokens && !value;
		     t++) {
			size_t name = strlen(tokens[t].name);
			bool braces = i + 1 < length && text[i + 1] == '{';
			size_t start = i + 1 + braces, after = start + name;

			if (after + braces > length ||
			    strncmp(text + start, tokens[t].name, name) != 0 ||
			    (braces && text[after] != '}'))
				continue;
			value = tokens[t].value;
			taken = after + braces - i;
		}
		if (end + (value ? strlen(value) : 1) >= size)
			return false;
		end += value ? (size_t)sprintf(path + end, "%s", value)
			     : (path[end] = text[i], (size_t)1);
		i += taken;
	}
	path[end] = '\0';
	return true;
}

/* The directory of a file, links resolved as the kernel does for a program and the loader does not
 * for a library: as it is named. */
static void origin_of(const char *path, char *origin)
{
	char *slash;

	if (path[0] == '/' || !realpath(path, origin))
		snprintf(origin, PATH_MAX, "%s", path);
	slash = strrchr(origin, '/');
	if (slash)
		*(slash == origin ? slash + 1 : slash) = '\0';
	else
		strcpy(origin, ".");
}

static char *try_list(const char *list, const char *name, const struct gw_elf *owner)
{
	char directory[PATH_MAX], path[2 * PATH_MAX], origin[PATH_MAX];

	if (!list || !*list)
		return NULL;
	origin_of(owner ? owner->path : "", origin);
	for (;;) {
		size_t length = strcspn(list, ":;");

		if (expand(directory, sizeof directory, list, length, origin)) {
			snprintf(path, sizeof path, "%s%s%s", directory, *directory ? "/" : "",
				 name);
			if (acceptable(path))
				return strdup(path);
		}
		if (!list[length])
			return NULL;
		list += length + 1;
	}
}

static char *try_cache(const struct gw_loader *loader, const char *name)
{
	for (size_t i = 0; i < loader->cache_count; i++)
		if (strcmp(loader->cache[i].name, name) == 0 && acceptable(loader->cache[i].path))
			return strdup(loader->cache[i].path);
	return NULL;
}

char *gw_loader_search(const struct gw_loader *loader, const struct gw_needer *needer,
		       const char *name)
{
	const struct gw_elf *elf = needer->elf;
	char *found = NULL;

	if (strchr(name, '/')) {
		char path[PATH_MAX], origin[PATH_MAX];

		origin_of(elf->path, origin);
		return expand(path, sizeof path, name, strlen(name), origin) && acceptable(path)
			       ? strdup(path)
			       : NULL;
	}
	/* An object with a RUNPATH uses no RPATH, neither its own nor an inherited one. */
	if (!elf->runpath)
		for (const struct gw_needer *at = needer; at && !found; at = at->by)
			if (!at->elf->runpath)
				found = try_list(at->elf->rpath, name, at->elf);
	if (!found)
		found = try_list(loader->library_path, name, NULL);
	if (!found)
		found = try_list(elf->runpath, name, elf);
	if (!found)
		found = try_cache(loader, name);
	if (!found && !elf->no_default)
		found = try_list(defaults, name, NULL);
	return found;
}

void gw_loader_finish(struct gw_loader *loader)
{
	free(loader->cache);
	free(loader->cache_bytes);
	*loader = (struct gw_loader){0};
}
