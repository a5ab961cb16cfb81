/* SPDX-License-Identifier: Apache-2.0 */
/* Scans one file: has the loader model map it, and puts together what came of it (scan.h). */
#include "scan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_text.h"

#define MAX_FILES 8192

/* A Python extension is opened by a python, which has what it imports from Python. */
static int map_extension(struct gw_scan_walk *walk, const char *path)
{
	char *python = gw_scan_python_program(walk), error[1024];
	int result = -1;

	if (python &&
	    gw_map_program(&walk->map, &walk->scan->loader, python, error, sizeof error) == 0)
		result = gw_map_open(&walk->map, path, error, sizeof error);
	free(python);
	return result;
}

static int map_file(struct gw_scan_walk *walk, const char *path, char *error, size_t size)
{
	struct gw_file *file = gw_loader_file(&walk->scan->loader, path);

	if (file && !file->status && !file->elf.interpreter &&
	    gw_elf_exports_prefix(&file->elf, "PyInit_") && map_extension(walk, path) == 0)
		return 0;
	return gw_map_program(&walk->map, &walk->scan->loader, path, error, size);
}

static int report_faults(struct gw_scan_walk *walk, const struct gw_mapped *first, json_t *imports)
{
	struct gw_faults faults;
	int result = gw_bind_check(&walk->map, &faults);

	if (result)
		return result;
	gw_scan_faults(walk, &faults, first, imports, false);
	gw_scan_partners(walk, &faults, NULL);
	gw_faults_finish(&faults);
	return 0;
}

/* What the files that were mapped said counts for nothing where one of them was cut short meanwhile. */
static const char *cut_short(const struct gw_map *map, char *error, size_t size)
{
	for (size_t i = 0; i < map->all.count; i++)
		if (gw_elf_is_cut(&map->all.object[i]->file->elf, error, size))
			return error;
	return NULL;
}

static json_t *put_together(struct gw_scan_walk *walk, const char *path, char *error, size_t size)
{
	struct gw_scan *scan = walk->scan;
	const struct gw_scope *scope = walk->map.local.count ? &walk->map.local : &walk->map.global;
	const struct gw_mapped *first = scope->object[0];
	struct gw_elf *elf = &first->file->elf;
	char host[PATH_MAX];
	json_t *imports, *result, *gpu, *contents;
	int faults;

	if (gw_elf_list_imports(elf) != 0 || gw_loader_host(&scan->loader, path, host) != 0) {
		snprintf(error, size, "%s: out of memory", path);
		return NULL;
	}
	walk->first = first;
	walk->info = gw_scan_package_info(scan, host);
	gw_strings_read(&walk->strings, &scan->known, elf);
	walk->built = gw_scan_built(scan, elf, &walk->strings, walk->info);
	gw_scan_needs(walk, scope);
	gw_scan_major(walk);
	gw_scan_opened(walk);
	gpu = gw_scan_gpu(walk);
	contents = gw_scan_contents(walk);
	imports = gw_scan_imports(&scan->db, elf, walk->findings, walk->severe);
	faults = report_faults(walk, first, imports);
	gw_scan_note_copies(walk);
	result = json_pack("{s:o,s:o,s:O,s:o,s:O,s:O}", "path", gw_json_text(path), "soname", gw_json_text(elf->soname),
			   "needs", walk->needs, "imports", imports, "built_for", walk->built, "findings", walk->findings);
	if (result) {
		json_object_set(result, "gpu", gpu);
		json_object_update(result, contents);
	}
	json_decref(gpu);
	json_decref(contents);
	if (!result || faults)
		snprintf(error, size, faults == -ELOOP ? "%s:0x0: the hash tables of it, or of what it needs, are so made that looking up its "
							 "symbols would take minutes" : "%s: out of memory", path);
	if ((result && faults) || cut_short(&walk->map, error, size)) {
		json_decref(result);
		result = NULL;
	}
	return result;
}

json_t *gw_scan_file(struct gw_scan *scan, const char *path, bool *severe, char *error,
		     size_t error_size)
{
	struct gw_scan_walk walk = {.scan = scan, .severe = severe};
	json_t *result = NULL;

	/* Each file stays mapped, and the kernel allows a process so many mappings. */
	if (scan->loader.file_count > MAX_FILES)
		gw_loader_forget(&scan->loader);
	walk.needs = json_array();
	walk.findings = json_array();
	scan->loader.fallback = gw_scan_search_python;
	scan->loader.fallback_context = &walk;
	walk.python = gw_scan_python(scan, path);
	if (!walk.python)
		snprintf(error, error_size, "%s: out of memory", path);
	else if (map_file(&walk, path, error, error_size) == 0)
		result = put_together(&walk, path, error, error_size);
	scan->loader.fallback = NULL;
	json_decref(walk.needs);
	json_decref(walk.findings);
	json_decref(walk.built);
	free(walk.info);
	gw_map_finish(&walk.map);
	return result;
}
