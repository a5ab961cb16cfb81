/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a running process has mapped (scan.h), read from /proc alone. Libraries that it has opened out
 * of each other's sight (RTLD_LOCAL) are known from its loader's own lists (process_scope.h); where
 * these cannot be read, that is said, and a symbol counts as there where any of them has it.
 */
#include "scan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "json_text.h"
#include "process_scope.h"

#define MAX_FILES 8192

struct mapped_files {
	char **path;
	size_t count;
};

static bool has(const struct mapped_files *files, const char *path)
{
	/* Parts of a file follow each other. */
	for (size_t i = files->count; i-- > 0;)
		if (strcmp(files->path[i], path) == 0)
			return true;
	return false;
}

/* The path of one line of maps, where it is a file that is still there; else NULL. */
static char *path_of(char *line)
{
	static const char deleted[] = " (deleted)";
	char *path = strchr(line, '/');
	size_t length;

	line[strcspn(line, "\n")] = '\0';
	length = path ? strlen(path) : 0;
	if (!length ||
	    (length > strlen(deleted) && strcmp(path + length - strlen(deleted), deleted) == 0))
		return NULL;
	return path;
}

static int read_maps(struct mapped_files *files, int pid)
{
	char name[64], *line = NULL;
	size_t size = 0;
	FILE *maps;
	int result = 0;

	snprintf(name, sizeof name, "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return -errno;
	files->path = calloc(MAX_FILES, sizeof *files->path);
	while (files->path && files->count < MAX_FILES && getline(&line, &size, maps) > 0) {
		char *path = path_of(line);

		if (!path || has(files, path))
			continue;
		files->path[files->count] = strdup(path);
		if (!files->path[files->count])
			break;
		files->count++;
	}
	if (ferror(maps))
		result = -EIO;
	free(line);
	fclose(maps);
	return files->path ? result : -ENOMEM;
}

/* What the kernel started comes first in the map, as in the process. */
static void program_first(struct mapped_files *files, int pid)
{
	char name[64], program[PATH_MAX];
	ssize_t length;

	snprintf(name, sizeof name, "/proc/%d/exe", pid);
	length = readlink(name, program, sizeof program - 1);
	if (length <= 0)
		return;
	program[length] = '\0';
	for (size_t i = 1; i < files->count; i++)
		if (strcmp(files->path[i], program) == 0) {
			char *path = files->path[i];

			memmove(files->path + 1, files->path, i * sizeof *files->path);
			files->path[0] = path;
			return;
		}
}

static json_t *needs_of(struct gw_scan *scan, const struct gw_mapped *object)
{
	json_t *needs = json_array();

	for (size_t i = 0; i < object->file->elf.needed_count; i++) {
		const struct gw_need *need = &object->needs[i];
		const char *path = need->object ? need->object->file->path : NULL;
		char *release = path ? gw_scan_release(scan, path, false) : NULL;
		json_t *entry = json_pack("{s:o,s:s,s:o,s:s?}", "soname", gw_json_text(need->name), "status",
					  path ? "found" : "missing", "path", gw_json_text(path), "family",
					  gw_scan_family_name(scan, need->name));

		if (release)
			json_object_set_new(entry, "release", json_string(release));
		json_array_append_new(needs, entry);
		free(release);
	}
	return needs;
}

static json_t *entry_of(struct gw_scan_walk *walk, const struct gw_faults *faults,
			const struct gw_mapped *object)
{
	struct gw_scan *scan = walk->scan;
	struct gw_elf *elf = &object->file->elf;
	char host[PATH_MAX];
	struct gw_strings strings;
	json_t *imports, *entry;
	char *info;

	if (gw_elf_list_imports(elf) != 0 ||
	    gw_loader_host(&scan->loader, object->file->path, host) != 0)
		return NULL;
	walk->findings = json_array();
	imports = gw_scan_imports(&scan->db, elf, walk->findings, walk->severe);
	gw_scan_faults(walk, faults, object, imports, true);
	gw_scan_partners(walk, faults, object);
	gw_strings_read(&strings, &scan->known, elf);
	info = gw_scan_package_info(scan, host);
	entry = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "path", gw_json_text(object->file->path), "soname",
			  gw_json_text(elf->soname), "needs", needs_of(scan, object), "imports", imports,
			  "built_for", gw_scan_built(scan, elf, &strings, info), "findings", walk->findings);
	free(info);
	if (entry && walk->scopes_known)
		json_object_set_new(entry, "scope", json_string(object->is_global ? "global" : object->is_apart ? "other" : "local"));
	return entry;
}

/* Two files of one soname, or two of one family. */
static void tell_copies(struct gw_scan_walk *walk, json_t *findings)
{
	const struct gw_scope *all = &walk->map.all;
	struct gw_scan *scan = walk->scan;

	for (size_t a = 0; a < all->count; a++)
		for (size_t b = a + 1; b < all->count; b++) {
			const struct gw_elf *one = &all->object[a]->file->elf,
					    *other = &all->object[b]->file->elf;
			char *left, *right;

			if (!one->soname || !other->soname ||
			    strcmp(one->soname, other->soname) != 0 ||
			    !gw_scan_family(&scan->db, one->soname))
				continue;
			left = gw_scan_release(scan, one->path, true);
			right = gw_scan_release(scan, other->path, true);
			gw_scan_finding(findings, GW_FINDING_TWO_MAPPED, NULL,
					"two copies of %s are mapped: %s (release %s) and %s "
					"(release %s)",
					one->soname, one->path, left ? left : "unknown",
					other->path, right ? right : "unknown");
			free(left);
			free(right);
		}
}

/* Where _rtld_global lies in the loader that the process has mapped; 0 where it has none. */
static uint64_t global_offset(const struct gw_map *map)
{
	struct gw_elf_query query;
	uint32_t index;

	gw_elf_query_init(&query, "_rtld_global", NULL);
	for (size_t i = 0; i < map->all.count; i++)
		if (map->all.object[i]->is_loader && gw_elf_find(&map->all.object[i]->file->elf, &query, &index) == GW_ELF_FOUND)
			return gw_elf_value(&map->all.object[i]->file->elf, index);
	return 0;
}

/* The object of the map that the loader calls NAME. */
static size_t index_of(const struct gw_map *map, const char *name)
{
	struct gw_file *file = *name ? gw_loader_file(map->loader, name) : map->all.object[0]->file;
	size_t i = 0;

	while (i < map->all.count && (!file || file->status || map->all.object[i]->file->elf.device != file->elf.device ||
				      map->all.object[i]->file->elf.inode != file->elf.inode))
		i++;
	return i;
}

static int set_scopes(struct gw_scan_walk *walk, const struct gw_process_objects *objects)
{
	struct gw_map *map = &walk->map;
	enum gw_visibility *visibility = calloc(map->all.count, sizeof *visibility);
	int result = visibility ? 0 : -ENOMEM;

	for (size_t i = 0; i < map->all.count && !result; i++)
		visibility[i] = GW_VISIBLE_ELSEWHERE;
	for (size_t i = 0; i < objects->count && !result; i++) {
		size_t at = index_of(map, objects->object[i].name);

		if (at < map->all.count)
			visibility[at] = objects->object[i].is_global ? GW_VISIBLE_TO_ALL : GW_VISIBLE_TO_SOME;
	}
	if (!result)
		result = gw_map_set_scopes(map, visibility);
	free(visibility);
	walk->scopes_known = !result;
	return result;
}

static int read_scopes(struct gw_scan_walk *walk, int pid, json_t *findings)
{
	uint64_t offset = global_offset(&walk->map);
	struct gw_process_objects objects;
	char why[256];
	int result;

	/* A static program has no loader, and opens nothing. */
	if (!walk->map.all.object[0]->file->elf.interpreter && walk->map.all.count == 1)
		return 0;
	if (!offset)
		snprintf(why, sizeof why, "its loader's file cannot be read");
	if (!offset || gw_process_objects_read(&objects, pid, offset, why, sizeof why) != 0) {
		gw_scan_finding(findings, GW_FINDING_SCOPES_UNKNOWN, NULL,
				"which libraries of process %d see which (RTLD_LOCAL) cannot be told: %s; a symbol counts as there where any of them has it", pid,
				why);
		return 0;
	}
	result = set_scopes(walk, &objects);
	gw_process_objects_finish(&objects);
	return result;
}

static int report(struct gw_scan_walk *walk, json_t *files, json_t *findings)
{
	struct gw_faults faults;

	if (gw_bind_check(&walk->map, &faults) != 0)
		return -ENOMEM;
	for (size_t i = 0; i < walk->map.all.count; i++) {
		json_t *entry = entry_of(walk, &faults, walk->map.all.object[i]);

		if (entry)
			json_array_append_new(files, entry);
	}
	tell_copies(walk, findings);
	gw_faults_finish(&faults);
	return 0;
}

int gw_scan_process(struct gw_scan *scan, int pid, json_t *files, json_t *findings, bool *severe,
		    char *error, size_t error_size)
{
	struct gw_scan_walk walk = {.scan = scan, .severe = severe};
	struct mapped_files mapped = {0};
	int result = read_maps(&mapped, pid);

	if (!result) {
		program_first(&mapped, pid);
		result = gw_map_files(&walk.map, &scan->loader, mapped.path, mapped.count);
		if (!result && !walk.map.all.count)
			result = -ESRCH;
	}
	walk.python = !result ? gw_scan_python(scan, walk.map.all.object[0]->file->path) : NULL;
	if (!result)
		result = read_scopes(&walk, pid, findings);
	if (!result)
		result = walk.python ? report(&walk, files, findings) : -ENOMEM;
	if (result)
		snprintf(error, error_size, "process %d: %s", pid, strerror(-result));
	for (size_t i = 0; i < mapped.count; i++)
		free(mapped.path[i]);
	free(mapped.path);
	gw_map_finish(&walk.map);
	return result ? -1 : 0;
}
