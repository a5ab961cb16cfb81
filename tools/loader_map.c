/* SPDX-License-Identifier: Apache-2.0 */
/* Maps what is needed, breadth first, as the loader does (loader_map.h). */
#include "loader_map.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "find.h"

#define MAX_OBJECTS 4096
#define MAX_PRELOADS 256
#define MAX_PLACES (1u << 17) /* that are looked into for one map */

static int scope_add(struct gw_scope *scope, struct gw_mapped *object)
{
	struct gw_mapped **more;

	if ((scope->count & (scope->count - 1)) == 0) {
		more = realloc(scope->object, (scope->count ? scope->count * 2 : 1) * sizeof *more);
		if (!more)
			return -ENOMEM;
		scope->object = more;
	}
	scope->object[scope->count++] = object;
	return 0;
}

static bool scope_has(const struct gw_scope *scope, const struct gw_mapped *object)
{
	for (size_t i = 0; i < scope->count; i++)
		if (scope->object[i] == object)
			return true;
	return false;
}

static int add_name(struct gw_mapped *object, const char *name)
{
	char **more = realloc(object->names, (object->name_count + 1) * sizeof *more);

	if (!more)
		return -ENOMEM;
	object->names = more;
	more[object->name_count] = strdup(name);
	return more[object->name_count++] ? 0 : -ENOMEM;
}

/* Is it one of the names that the loader has written down? A SONAME is, once it was asked for. */
static bool answers(const struct gw_mapped *object, const char *name)
{
	if (strcmp(object->file->path, name) == 0)
		return true;
	for (size_t i = 0; i < object->name_count; i++)
		if (strcmp(object->names[i], name) == 0)
			return true;
	return false;
}

struct gw_mapped *gw_map_named(const struct gw_map *map, const char *name)
{
	for (size_t i = 0; i < map->all.count; i++)
		if (answers(map->all.object[i], name))
			return map->all.object[i];
	return NULL;
}

static struct gw_mapped *mapped_as(const struct gw_map *map, const char *name)
{
	for (size_t i = 0; i < map->all.count; i++) {
		struct gw_mapped *object = map->all.object[i];
		const char *soname = object->file->elf.soname;

		if (answers(object, name))
			return object;
		if (soname && strcmp(soname, name) == 0)
			return add_name(object, name) ? NULL : object;
	}
	return NULL;
}

static struct gw_mapped *add_object(struct gw_map *map, struct gw_file *file, struct gw_mapped *by)
{
	struct gw_mapped *object = map->all.count < MAX_OBJECTS ? calloc(1, sizeof *object) : NULL;

	if (!object)
		return NULL;
	object->file = file;
	object->by = by;
	object->needer = (struct gw_needer){file, by ? &by->needer : NULL};
	object->needs = calloc(file->elf.needed_count + 1, sizeof *object->needs);
	for (size_t i = 0; object->needs && i < file->elf.needed_count; i++) {
		object->needs[i].name = file->elf.needed[i];
		object->needs[i].kind = file->elf.needed_kind[i];
	}
	if (!object->needs || scope_add(&map->all, object) != 0) {
		free(object->needs);
		free(object);
		return NULL;
	}
	return object;
}

/* Why the loader refuses to map a whole ELF file as a library; NULL where it does not. */
static const char *refusal(const struct gw_elf *elf)
{
	if (elf->abi != ELFOSABI_NONE && elf->abi != ELFOSABI_GNU)
		return "ELF file OS ABI invalid";
	if (elf->type == ET_EXEC)
		return "cannot dynamically load executable";
	if (elf->is_pie)
		return "cannot dynamically load position-independent executable";
	return elf->is_dynamic ? NULL : "object file has no dynamic section";
}

/* What the search found first. */
struct found {
	char *path;
	enum gw_rule rule;
	const struct gw_file *owner;
};

static bool take_first(void *context, const struct gw_candidate *candidate)
{
	struct found *found = context;

	*found = (struct found){strdup(candidate->path), candidate->rule, candidate->owner};
	return true;
}

/* Has the loader mapped this very file, under whatever name? It does not know the program's. */
static struct gw_mapped *same_file(const struct gw_map *map, const struct gw_file *file)
{
	for (size_t i = 0; i < map->all.count; i++) {
		struct gw_mapped *object = map->all.object[i];

		if (object->file->elf.device == file->elf.device &&
		    object->file->elf.inode == file->elf.inode && (i || !file->elf.interpreter))
			return object;
	}
	return NULL;
}

/* Maps the file PATH for NEED. 0 or -ENOMEM. */
static int take(struct gw_map *map, struct gw_mapped *by, struct gw_need *need,
		const struct found *found)
{
	struct gw_file *file = gw_loader_file(map->loader, found->path);
	struct gw_mapped *object;
	const char *why;

	if (!file)
		return -ENOMEM;
	if (file->status) {
		need->refused = strdup(file->error ? file->error : file->path);
		need->refused_path = strdup(file->path);
		return need->refused ? 0 : -ENOMEM;
	}
	why = refusal(&file->elf);
	object = same_file(map, file);
	if (object) {
		need->object = object;
		return add_name(object, need->name);
	}
	if (why) {
		need->refused_path = strdup(file->path);
		return asprintf(&need->refused, "%s: %s", file->path, why) < 0 ? -ENOMEM : 0;
	}
	object = add_object(map, file, by);
	if (!object)
		return -ENOMEM;
	object->rule = found->rule;
	object->owner = found->owner;
	need->object = object;
	return add_name(object, need->name);
}

static int load(struct gw_map *map, struct gw_mapped *by, struct gw_need *need)
{
	struct found found = {0};
	struct gw_search search = {
		.loader = map->loader,
		.needer = &by->needer,
		.program = map->all.object[0]->file,
		.secure = map->secure,
		.visit = take_first,
		.context = &found,
	};
	int result = 0;

	/* All that is mapped is asked first. */
	map->loader->budget -= map->loader->budget < map->all.count / 16 ? map->loader->budget : map->all.count / 16;
	need->object = mapped_as(map, need->name);
	if (need->object)
		return map->loader->budget ? 0 : -ELOOP;
	if (gw_loader_search(&search, need->name))
		result = found.path ? take(map, by, need, &found) : -ENOMEM;
	else if (search.other[0])
		need->other = strdup(search.other);
	if (!result && !map->loader->budget)
		result = -ELOOP;
	free(found.path);
	return result;
}

/* Puts a filtee before its filter, which stands at *AT and moves on: unless it stands before that already. */
static int put_before(struct gw_scope *list, size_t *at, struct gw_mapped *filtee)
{
	size_t place = 0;
	int result = 0;

	while (place < list->count && list->object[place] != filtee)
		place++;
	if (place <= *at)
		return 0;
	if (place == list->count)
		result = scope_add(list, filtee);
	if (result)
		return result;
	memmove(list->object + *at + 1, list->object + *at, (place - *at) * sizeof *list->object);
	list->object[(*at)++] = filtee;
	return 0;
}

/* Loads what the object at *AT needs, and adds it to LIST. *AT is behind what stands before it then. */
static int follow_one(struct gw_map *map, struct gw_scope *list, size_t *at)
{
	struct gw_mapped *object = list->object[*at];

	for (size_t i = 0; i < object->file->elf.needed_count; i++) {
		struct gw_need *need = &object->needs[i];
		int result = 0;

		if (!need->object && !need->refused && !need->other)
			result = load(map, object, need);
		if (!result && need->object && need->kind != GW_ELF_NEEDED)
			result = put_before(list, at, need->object);
		else if (!result && need->object && !scope_has(list, need->object))
			result = scope_add(list, need->object);
		if (result)
			return result;
	}
	return 0;
}

/* Adds to LIST whatever its objects need, breadth first; but filtees are followed at once, as they come before their filters. */
static int follow(struct gw_map *map, struct gw_scope *list)
{
	unsigned walk = ++map->walks;

	for (size_t o = 0; o < list->count; o++) {
		size_t at = o;
		int result;

		if (list->object[o]->walk == walk)
			continue;
		list->object[o]->walk = walk;
		result = follow_one(map, list, &at);
		if (result)
			return result;
		if (at > o)
			o--; /* what was put there has not been followed */
	}
	return 0;
}

/* The loader is mapped before all, and answers to the name that the program has for it. */
static int add_loader(struct gw_map *map)
{
	const char *path = map->all.object[0]->file->elf.interpreter;
	struct gw_file *file;
	struct gw_mapped *object;

	file = gw_loader_file(map->loader, path ? path : "/lib64/ld-linux-x86-64.so.2");
	if (!file)
		return -ENOMEM;
	if (file->status || same_file(map, file))
		return 0; /* without one, nothing runs; that is for others to say */
	object = add_object(map, file, NULL);
	if (!object)
		return -ENOMEM;
	object->is_loader = true;
	return 0;
}

/* Names with spaces or colons between them. */
static int add_preloads(struct gw_map *map, char *names)
{
	struct gw_mapped *program = map->all.object[0];
	int result = 0;

	for (char *rest, *name = strtok_r(names, " :\n", &rest); name && !result;
	     name = strtok_r(NULL, " :\n", &rest)) {
		struct gw_need *need = &map->preloads[map->preload_count];

		if (map->preload_count == MAX_PRELOADS)
			return 0;
		if (map->secure && strchr(name, '/'))
			continue;
		*need = (struct gw_need){.name = strdup(name)};
		if (!need->name)
			return -ENOMEM;
		map->preload_count++;
		result = load(map, program, need);
		if (!result && need->object && !scope_has(&map->global, need->object))
			result = scope_add(&map->global, need->object);
	}
	return result;
}

static int preload(struct gw_map *map)
{
	const char *list = map->loader->preload;
	char *names;
	int result;

	if (!list || !*list)
		return 0;
	map->preloads = calloc(MAX_PRELOADS + 1, sizeof *map->preloads);
	names = strdup(list);
	result = map->preloads && names ? add_preloads(map, names) : -ENOMEM;
	free(names);
	return result;
}

static struct gw_file *open_first(struct gw_map *map, const char *path, char *error, size_t size,
				  int *result)
{
	struct gw_file *file = gw_loader_file(map->loader, path);

	*result = file ? file->status : -ENOMEM;
	if (*result)
		snprintf(error, size, "%s", file && file->error ? file->error : "out of memory");
	return *result ? NULL : file;
}

static void mark(struct gw_map *map)
{
	for (size_t i = 0; i < map->global.count; i++)
		map->global.object[i]->is_global = true;
	for (size_t i = 0; i < map->local.count; i++)
		map->local.object[i]->is_local = true;
}

static int out_of_memory(struct gw_map *map, const char *path, int why, char *error, size_t size)
{
	snprintf(error, size, "%s: too many libraries or places to look for them, or out of memory",
		 path);
	gw_map_finish(map);
	return why;
}

int gw_map_program(struct gw_map *map, struct gw_loader *loader, const char *path, char *error,
		   size_t error_size)
{
	struct gw_file *file;
	struct gw_mapped *object;
	int result;

	*map = (struct gw_map){.loader = loader, .bind_now = loader->bind_now};
	loader->budget = MAX_PLACES;
	loader->steps = ULONG_MAX;
	file = open_first(map, path, error, error_size, &result);
	if (!file)
		return result;
	map->secure = !*loader->root && file->elf.interpreter && gw_find_gains_rights(path);
	object = add_object(map, file, NULL);
	result = object ? scope_add(&map->global, object) : -ENOMEM;
	if (!result)
		result = add_loader(map);
	if (!result)
		result = preload(map);
	if (!result)
		result = follow(map, &map->global);
	if (result)
		return out_of_memory(map, path, result, error, error_size);
	mark(map);
	return 0;
}

int gw_map_open(struct gw_map *map, const char *path, char *error, size_t error_size)
{
	struct gw_file *file;
	struct gw_mapped *object;
	int result;

	file = open_first(map, path, error, error_size, &result);
	if (!file)
		return result;
	object = same_file(map, file);
	if (!object)
		object = add_object(map, file, map->all.object[0]);
	result = object ? scope_add(&map->local, object) : -ENOMEM;
	if (!result)
		result = add_name(object, path);
	if (!result)
		result = follow(map, &map->local);
	if (result)
		return out_of_memory(map, path, result, error, error_size);
	map->bind_now = true;
	mark(map);
	return 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int add_mapped(struct gw_map *map, const char *path)
{
	struct gw_file *file = gw_loader_file(map->loader, path);
	struct gw_mapped *object;
	int result;

	if (!file)
		return -ENOMEM;
	if (file->status || same_file(map, file))
		return 0;
	object = add_object(map, file, NULL);
	if (!object)
		return -ENOMEM;
	object->is_loader = file->elf.soname && strncmp(file->elf.soname, "ld-linux", 8) == 0;
	result = scope_add(&map->global, object);
	if (!result && file->elf.soname)
		result = add_name(object, file->elf.soname);
	return result ? result : add_name(object, base_of(path));
}

int gw_map_files(struct gw_map *map, struct gw_loader *loader, char *const *paths, size_t count)
{
	int result = 0;

	*map = (struct gw_map){.loader = loader};
	loader->budget = MAX_PLACES;
	loader->steps = ULONG_MAX;
	for (size_t i = 0; i < count && !result; i++)
		result = add_mapped(map, paths[i]);
	for (size_t o = 0; o < map->all.count && !result; o++)
		for (size_t i = 0; i < map->all.object[o]->file->elf.needed_count; i++) {
			struct gw_need *need = &map->all.object[o]->needs[i];

			need->object = mapped_as(map, base_of(need->name));
		}
	if (result)
		gw_map_finish(map);
	else
		mark(map);
	return result;
}

static void free_need(struct gw_need *need)
{
	free(need->refused);
	free(need->refused_path);
	free(need->other);
}

void gw_map_finish(struct gw_map *map)
{
	for (size_t i = 0; i < map->all.count; i++) {
		struct gw_mapped *object = map->all.object[i];

		for (size_t n = 0; n < object->file->elf.needed_count; n++)
			free_need(&object->needs[n]);
		for (size_t n = 0; n < object->name_count; n++)
			free(object->names[n]);
		free(object->needs);
		free(object->names);
		free(object->own.object);
		free(object);
	}
	for (size_t i = 0; i < map->preload_count; i++) {
		free((char *)(uintptr_t)map->preloads[i].name);
		free_need(&map->preloads[i]);
	}
	free(map->preloads);
	free(map->all.object);
	free(map->global.object);
	free(map->local.object);
	*map = (struct gw_map){.loader = map->loader};
}
