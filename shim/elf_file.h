/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an ELF file that nobody has mapped as a library: what it needs, what it imports from whom, what it defines. Every offset is checked
 * against the file's size, since the file may be anything. Used by the auditor and by libgangway.so: no C library beyond <string.h>, nothing
 * allocated, errno kept; an open file is address space alone, of which only the pages that are looked at are read.
 */
#ifndef GW_ELF_FILE_H
#define GW_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_elf_file {
	const unsigned char *data;
	size_t size;
	const Elf64_Phdr *segments;
	unsigned segment_count;
	const Elf64_Dyn *dynamic;
	size_t dynamic_count;
	uint64_t strings, strings_size, symbols, versions, needed, defined, gnu_hash, sysv_hash; /* offsets in the file; 0: there is none */
};

/* False where PATH is no 64 bit x86-64 object with a dynamic section, or the address space has no room for it. */
bool gw_elf_file_open(struct gw_elf_file *file, const char *path) __attribute__((nonnull));
void gw_elf_file_close(struct gw_elf_file *file) __attribute__((nonnull));

/* Its build id; NULL where it has none. */
const unsigned char *gw_elf_file_build_id(const struct gw_elf_file *file, size_t *length) __attribute__((nonnull));

/* The N-th DT_NEEDED name, NULL past the last. */
const char *gw_elf_file_needed(const struct gw_elf_file *file, unsigned n) __attribute__((nonnull));

/* Does it define NAME with the version NODE? Any definition of it where it defines no versions. */
bool gw_elf_file_defines(const struct gw_elf_file *file, const char *name, const char *node) __attribute__((nonnull));

/* The bytes of the function or variable NAME, of whatever version; NULL where it defines none, or they are not in the file. */
const unsigned char *gw_elf_file_symbol(const struct gw_elf_file *file, const char *name, size_t *size) __attribute__((nonnull));

/*
 * Calls VISIT for each symbol that the file must find in a library that it calls LIBRARY, with the version that it wants of it, until VISIT
 * returns false.
 */
void gw_elf_file_imports(const struct gw_elf_file *file, const char *library, bool (*visit)(const char *name, const char *node, void *data),
			 void *data) __attribute__((nonnull(1, 2, 3)));

#endif
