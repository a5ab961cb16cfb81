/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target for what the loader model reads: the first byte says whether the rest is an
 * ELF file (0) or a loader's cache. Everything that is read is used: versions, references,
 * searches.
 *   clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. tests/run/fuzz_loader.c \
 *         tools/elf_*.c tools/loader_*.c tools/find.c -lelf
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/loader_bind.h"

static void use_elf(const char *path)
{
	struct gw_elf_version version = {.node = "V1", .file = "libthing.so.1", .hash = 0x5a1};
	struct gw_loader loader = {.root = ""};
	struct gw_elf_query query;
	struct gw_faults faults;
	struct gw_map map;
	struct gw_file *file;
	char error[512];
	uint32_t index;

	if (gw_platform_init(&loader.platform, "/nowhere") != 0)
		abort();
	loader.preload = path;
	file = gw_loader_file(&loader, path);
	if (file && !file->status && gw_elf_list_imports(&file->elf) == 0 &&
	    gw_file_references(file) == 0) {
		for (size_t i = 0; i < file->reference_count; i++) {
			gw_elf_query_init(&query, file->references[i].name,
					  i % 2 ? &version : file->references[i].version);
			gw_elf_find(&file->elf, &query, &index);
		}
		gw_elf_exports_prefix(&file->elf, "PyInit_");
	}
	if (gw_map_program(&map, &loader, path, error, sizeof error) == 0) {
		if (gw_bind_check(&map, &faults) == 0)
			gw_faults_finish(&faults);
		gw_map_finish(&map);
	} else if (!strstr(error, path)) {
		abort(); /* an error that does not name its file */
	}
	gw_loader_finish(&loader);
}

static void use_cache(const char *path)
{
	struct gw_platform platform;
	struct gw_cache cache;
	char error[512];

	if (gw_platform_init(&platform, path) != 0)
		abort();
	if (gw_cache_read(&cache, path, error, sizeof error) == 0) {
		gw_cache_find(&cache, &platform, "libc.so.6");
		for (size_t i = 0; i < cache.count && i < 100; i++)
			gw_cache_find(&cache, &platform, cache.entry[i].name);
		gw_cache_finish(&cache);
	} else if (!strstr(error, path)) {
		abort();
	}
	gw_platform_finish(&platform);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int file;

	if (!size)
		return 0;
	file = memfd_create("fuzz", MFD_CLOEXEC);
	if (file < 0 || write(file, data + 1, size - 1) != (ssize_t)(size - 1))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (data[0])
		use_cache(path);
	else
		use_elf(path);
	close(file);
	return 0;
}
