/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target for what scan reads of a file beside what the loader does: sections, fat binaries, strings.
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. tests/run/fuzz_contents.c \
 *         tools/elf_*.c tools/fatbin.c tools/known.c tools/scan_strings.c abi/db.c -lelf
 * Starts in the source directory, whose lists it reads.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/scan_strings.h"

static struct gw_known known;

static void use(const struct gw_elf *elf)
{
	struct gw_strings strings;
	struct gw_fatbin fatbin;
	struct gw_known_cuda cuda;
	char stem[GW_KNOWN_STEM];
	const char *version;

	if (gw_fatbin_read(&fatbin, elf) != 0)
		abort();
	for (size_t i = 0; i < fatbin.count; i++) {
		gw_fatbin_fits(&fatbin, fatbin.code[i].gpu.arch);
		gw_known_ptx(&known, fatbin.code[i].major, fatbin.code[i].minor, &cuda);
	}
	gw_fatbin_finish(&fatbin);
	gw_strings_read(&strings, &known, elf);
	for (size_t i = 0; i < strings.name_count; i++)
		if (!gw_known_family(&known, strings.name[i], stem, &version) || strlen(stem) >= sizeof stem)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], error[512];
	struct gw_elf elf;
	int file;

	if (!known.count && gw_known_load(&known, "abi", error, sizeof error) != 0) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
	file = memfd_create("fuzz", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (gw_elf_read(&elf, path, path, error, sizeof error) == 0) {
		use(&elf);
		gw_elf_finish(&elf);
	}
	close(file);
	return 0;
}
