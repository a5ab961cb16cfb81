/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the loader model says of a file, for tests/run/loader.py to compare with the loader:
 *   map PATH                       each object, in the order of the search list
 *   missing NAME                   a needed name that nothing was found for
 *   refused MESSAGE
 *   version NODE FILE OBJECT       a version that FILE lacks
 *   assertion OBJECT
 *   undefined SYMBOL NODE OBJECT   (late: at the first call)
 *   bind OBJECT PROVIDER SYMBOL NODE     with --bindings: each reference; PROVIDER - for a unique
 *                                        symbol, of which any copy may be the one
 * FILE alone: as a program. MAIN FILE: MAIN opens FILE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/loader_bind.h"

static const char *node_of(const struct gw_elf_version *version)
{
	return version ? version->node : "-";
}

static void print_scope(const struct gw_scope *scope)
{
	for (size_t i = 0; i < scope->count; i++) {
		const struct gw_mapped *object = scope->object[i];

		printf("map %s\n", object->file->path);
		for (size_t n = 0; n < object->file->elf.needed_count; n++) {
			const struct gw_need *need = &object->needs[n];

			if (need->refused)
				printf("refused %s\n", need->refused);
			else if (!need->object) /* the loader names an auxiliary one, too, when it traces, and goes on without it */
				printf("missing %s\n", need->name);
		}
	}
}

static void print_faults(const struct gw_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct gw_fault *fault = &faults->fault[i];
		const char *object = fault->object->file->path;

		if (fault->kind == GW_FAULT_VERSION)
			printf("version %s %s %s\n", fault->version->node, fault->named->file->path,
			       object);
		else if (fault->kind == GW_FAULT_UNMAPPED || fault->kind == GW_FAULT_PLAIN)
			printf("assertion %s\n", object);
		else
			printf("%s %s %s %s\n",
			       fault->kind == GW_FAULT_SYMBOL ? "undefined" : "late", fault->name,
			       node_of(fault->version), object);
	}
}

static void print_bindings(const struct gw_map *map)
{
	for (size_t o = 0; o < map->all.count; o++) {
		const struct gw_mapped *object = map->all.object[o];
		struct gw_file *file = object->file;

		if (object->is_loader || gw_file_references(file) != 0)
			continue;
		for (size_t i = 0; i < file->reference_count; i++) {
			const struct gw_elf_reference *reference = &file->references[i];
			bool plain;
			const struct gw_mapped *found =
				gw_bind_find(map, object, reference, &plain);

			if (found)
				printf("bind %s %s %s %s\n", file->path,
				       reference->unique ? "-" : found->file->path, reference->name,
				       node_of(reference->version));
		}
	}
}

int main(int argc, char **argv)
{
	bool bindings = argc > 1 && strcmp(argv[1], "--bindings") == 0;
	char **paths = argv + 1 + bindings;
	struct gw_loader loader;
	struct gw_map map;
	struct gw_faults faults;
	char error[1024] = "";
	int result;

	if (!paths[0])
		return 2;
	result = gw_loader_init(&loader, getenv("GW_ROOT") ? getenv("GW_ROOT") : "", error,
				sizeof error);
	if (result)
		fprintf(stderr, "%s\n", error);
	loader.library_path = getenv("GW_LIBRARY_PATH");
	loader.preload = getenv("GW_PRELOAD");
	loader.bind_now = getenv("GW_BIND_NOW");
	result = gw_map_program(&map, &loader, paths[0], error, sizeof error);
	if (!result && paths[1])
		result = gw_map_open(&map, paths[1], error, sizeof error);
	if (result) {
		printf("error %s\n", error);
		gw_loader_finish(&loader);
		return 1;
	}
	print_scope(paths[1] ? &map.local : &map.global);
	if (bindings)
		print_bindings(&map);
	else if (gw_bind_check(&map, &faults) == 0) {
		print_faults(&faults);
		gw_faults_finish(&faults);
	}
	gw_map_finish(&map);
	gw_loader_finish(&loader);
	return 0;
}
