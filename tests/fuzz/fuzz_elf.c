/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file, as a program, as a library that it preloads, and bound to itself: all that the loader model reads of one. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "tools/loader_bind.h"

static struct gw_loader loader = {.root = ""};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* Directories of this machine would be looked into for each name, and make runs differ. */
	loader.platform = (struct gw_platform){.defaults = {"/nowhere"}, .default_count = 1, .lib = "lib", .platform = "x86_64",
					       .capability = {""}, .capability_count = 1};
	return 0;
}

static void use_alone(struct gw_file *file)
{
	struct gw_elf_version version = {.node = "V1", .file = "libthing.so.1", .hash = 0x5a1};
	struct gw_elf_query query;
	uint32_t index;

	if (gw_elf_list_imports(&file->elf) != 0 || gw_file_references(file) != 0)
		abort();
	for (size_t i = 0; i < file->reference_count && i < 1000; i++) {
		gw_elf_query_init(&query, file->references[i].name, i % 2 ? &version : file->references[i].version);
		gw_elf_find(&file->elf, &query, &index);
	}
	gw_elf_exports_prefix(&file->elf, "PyInit_");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = gw_fuzz_file(data, size);
	struct gw_faults faults;
	struct gw_file *file;
	struct gw_map map;
	char error[512];

	loader.preload = path;
	file = gw_loader_file(&loader, path);
	if (file && !file->status)
		use_alone(file);
	if (gw_map_program(&map, &loader, path, error, sizeof error) == 0) {
		if (gw_bind_check(&map, &faults) == 0)
			gw_faults_finish(&faults);
		gw_map_finish(&map);
	} else {
		gw_fuzz_error(error, path);
	}
	gw_loader_forget(&loader);
	return 0;
}
