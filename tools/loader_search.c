/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the directories that the loader would walk, in its order (loader_search.h). */
#include "loader_search.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum outcome { GO_ON, STOP_LIST, ENDED };

struct token {
	const char *name, *value;
};

/* How much of TEXT is one of the loader's tokens; VALUE gets what it stands for. 0: none. */
static size_t token_at(const char *text, size_t length, const struct token *tokens, size_t count,
		       const char **value)
{
	bool braces = length > 1 && text[1] == '{';

	for (size_t t = 0; t < count; t++) {
		size_t name = strlen(tokens[t].name), after = 1 + braces + name;

		if (after + braces > length ||
		    strncmp(text + 1 + braces, tokens[t].name, name) != 0)
			continue;
		if (braces ? text[after] != '}'
			   : after < length &&
				     (isalnum((unsigned char)text[after]) || text[after] == '_'))
			continue;
		*value = tokens[t].value;
		return after + braces;
	}
	return 0;
}

/* Expands $ORIGIN, ${ORIGIN}, … into PATH. False where it does not fit, or has no origin. */
static bool expand(const struct gw_loader *loader, const char *origin, const char *text,
		   size_t length, char *path, size_t size)
{
	const struct token tokens[] = {{"ORIGIN", origin},
				       {"LIB", loader->platform.lib},
				       {"PLATFORM", loader->platform.platform}};
	size_t end = 0;

	for (size_t i = 0; i < length;) {
		const char *value = text + i;
		size_t taken =
			text[i] == '$' ? token_at(text + i, length - i, tokens, 3, &value) : 0;
		size_t room = taken ? (value ? strlen(value) : size) : 1;

		if (end + room >= size)
			return false;
		memcpy(path + end, value, room);
		end += room;
		i += taken ? taken : 1;
	}
	path[end] = '\0';
	return true;
}

/* A file can name a million directories for each of a thousand names: that is not walked. */
static bool spend(struct gw_search *search)
{
	if (search->loader->budget)
		search->loader->budget--;
	return search->loader->budget;
}

/*
 * Looks at PATH as the loader does when it opens a candidate. 0: it would take it, or choke on it;
 * else the errno that the search goes on with. It passes over other classes and machines.
 */
static int examine(struct gw_search *search, const char *path)
{
	char host[PATH_MAX];
	unsigned char head[20];
	ssize_t count;
	int file, result = spend(search) ? gw_loader_host(search->loader, path, host) : -ENOENT;

	if (result)
		return -result;
	file = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return errno;
	count = read(file, head, sizeof head);
	close(file);
	if (count < (ssize_t)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0)
		return 0;
	if (head[EI_CLASS] == ELFCLASS64 && (head[18] | head[19] << 8) == EM_X86_64)
		return 0;
	if (!search->other[0])
		snprintf(search->other, sizeof search->other, "%s", path);
	return ENOENT;
}

static enum outcome offer(struct gw_search *search, const char *path, enum gw_rule rule,
			  const struct gw_file *owner)
{
	const struct gw_candidate candidate = {path, rule, owner};
	int why = examine(search, path);

	if (!why)
		return search->visit(search->context, &candidate) ? ENDED : GO_ON;
	return why == ENOENT || why == EACCES ? GO_ON : STOP_LIST;
}

/* One directory of a list, DIRECTORY without a slash at its end unless it is "/"; "": the working
 * directory. */
static enum outcome try_directory(struct gw_search *search, const char *directory, const char *name,
				  enum gw_rule rule, const struct gw_file *owner)
{
	const struct gw_platform *platform = &search->loader->platform;
	unsigned has = gw_loader_directory(search->loader, directory);
	const char *slash = *directory && strcmp(directory, "/") != 0 ? "/" : "";
	char path[2 * PATH_MAX];

	for (size_t i = 0; i < platform->capability_count; i++) {
		enum outcome outcome;

		if (!(has >> i & 1))
			continue;
		snprintf(path, sizeof path, "%s%s%s%s", directory, slash, platform->capability[i],
			 name);
		outcome = offer(search, path, rule, owner);
		/* What stops a list is asked of the directory itself alone. */
		if (outcome == ENDED || (outcome == STOP_LIST && !*platform->capability[i]))
			return outcome;
	}
	return GO_ON;
}

/* A list of directories. OWNER: whose it is, and whose $ORIGIN it has. */
static bool try_list(struct gw_search *search, const char *list, const char *separators,
		     const char *name, enum gw_rule rule, const struct gw_file *owner)
{
	char directory[PATH_MAX];

	if (!list || !*list)
		return false;
	for (;; list++) {
		size_t length = strcspn(list, separators), end;

		if (!spend(search))
			return false;
		if (expand(search->loader, owner ? owner->origin : NULL, list, length, directory,
			   sizeof directory) &&
		    (*directory || !length)) {
			for (end = strlen(directory); end > 1 && directory[end - 1] == '/';)
				directory[--end] = '\0';
			switch (try_directory(search, directory, name, rule, owner)) {
			case ENDED:
				return true;
			case STOP_LIST:
				return false;
			default:
				break;
			}
		}
		list += length;
		if (!*list)
			return false;
	}
}

static bool in_defaults(const struct gw_platform *platform, const char *path)
{
	for (size_t i = 0; i < platform->default_count; i++) {
		size_t length = strlen(platform->defaults[i]);

		if (strncmp(path, platform->defaults[i], length) == 0 && path[length] == '/')
			return true;
	}
	return false;
}

/* RPATHs of the object, of what needed it, and so on up, and of the program; where the object has
 * no RUNPATH. An object's RPATH is as good as absent where it has a RUNPATH, too. */
static bool try_rpaths(struct gw_search *search, const char *name)
{
	bool program_done = false;

	if (search->needer->file->elf.runpath)
		return false;
	for (const struct gw_needer *at = search->needer; at; at = at->by) {
		program_done |= at->file == search->program;
		if (try_list(search, at->file->elf.rpath, ":", name, GW_RULE_RPATH, at->file))
			return true;
	}
	return search->program && !program_done &&
	       try_list(search, search->program->elf.rpath, ":", name, GW_RULE_RPATH,
			search->program);
}

/* What ldconfig would put into the cache that is not there yet. */
static bool try_configured(struct gw_search *search, const char *name)
{
	const struct gw_loader *loader = search->loader;

	for (size_t i = 0; i < loader->configured_count; i++) {
		const char *directory = loader->configured[i];
		char path[PATH_MAX];

		snprintf(path, sizeof path, "%s/", directory);
		if (search->needer->file->elf.no_default && in_defaults(&loader->platform, path))
			continue;
		if (try_directory(search, directory, name, GW_RULE_CACHE, NULL) == ENDED)
			return true;
	}
	return false;
}

static bool try_cache(struct gw_search *search, const char *name)
{
	const struct gw_loader *loader = search->loader;
	const char *path = gw_cache_find(&loader->cache, &loader->platform, name);

	if (!loader->cache.bytes)
		return try_configured(search, name);
	return path &&
	       !(search->needer->file->elf.no_default && in_defaults(&loader->platform, path)) &&
	       offer(search, path, GW_RULE_CACHE, NULL) == ENDED;
}

static bool try_defaults(struct gw_search *search, const char *name)
{
	const struct gw_platform *platform = &search->loader->platform;

	if (search->needer->file->elf.no_default)
		return false;
	for (size_t i = 0; i < platform->default_count; i++)
		switch (try_directory(search, platform->defaults[i], name, GW_RULE_DEFAULT, NULL)) {
		case ENDED:
			return true;
		case STOP_LIST:
			return false;
		default:
			break;
		}
	return false;
}

static bool try_fallback(struct gw_search *search, const char *name)
{
	const struct gw_loader *loader = search->loader;
	char *path = loader->fallback ? loader->fallback(loader->fallback_context, name) : NULL;
	bool ended = path && offer(search, path, GW_RULE_FALLBACK, NULL) == ENDED;

	free(path);
	return ended;
}

bool gw_loader_search(struct gw_search *search, const char *name)
{
	const struct gw_loader *loader = search->loader;
	const struct gw_file *file = search->needer->file;

	search->other[0] = '\0';
	if (strchr(name, '/')) {
		char path[PATH_MAX];

		return expand(loader, file->origin, name, strlen(name), path, sizeof path) &&
		       offer(search, path, GW_RULE_PATH, NULL) == ENDED;
	}
	return (loader->against &&
		try_directory(search, loader->against, name, GW_RULE_AGAINST, NULL) == ENDED) ||
	       try_rpaths(search, name) ||
	       (!search->secure && try_list(search, loader->library_path, ":;", name,
					    GW_RULE_LIBRARY_PATH, search->program)) ||
	       try_list(search, file->elf.runpath, ":", name, GW_RULE_RUNPATH, file) ||
	       try_cache(search, name) || try_defaults(search, name) || try_fallback(search, name);
}

const char *gw_rule_name(enum gw_rule rule)
{
	static const char *const names[] = {
		[GW_RULE_PATH] = "its path",
		[GW_RULE_AGAINST] = "--against",
		[GW_RULE_RPATH] = "RPATH",
		[GW_RULE_LIBRARY_PATH] = "LD_LIBRARY_PATH",
		[GW_RULE_RUNPATH] = "RUNPATH",
		[GW_RULE_CACHE] = "the loader's cache",
		[GW_RULE_DEFAULT] = "the default directories",
		[GW_RULE_FALLBACK] = "the Python paths",
	};

	return names[rule];
}

int gw_loader_init(struct gw_loader *loader, const char *root, char *error, size_t error_size)
{
	char host[PATH_MAX];
	int result;

	*loader = (struct gw_loader){.root = root};
	if (gw_loader_host(loader, "/lib64/ld-linux-x86-64.so.2", host) != 0)
		host[0] = '\0';
	result = gw_platform_init(&loader->platform, host);
	if (result)
		return result;
	if (gw_loader_host(loader, GW_CACHE_FILE, host) != 0)
		return 0;
	result = gw_cache_read(&loader->cache, host, error, error_size);
	if (!result && !loader->cache.bytes && *root)
		result = gw_conf_read(loader);
	return result;
}

void gw_loader_finish(struct gw_loader *loader)
{
	gw_loader_forget(loader);
	gw_cache_finish(&loader->cache);
	gw_conf_finish(loader);
	gw_platform_finish(&loader->platform);
	*loader = (struct gw_loader){.root = ""};
}
