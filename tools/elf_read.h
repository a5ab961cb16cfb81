/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of an ELF file what the dynamic loader reads of it: through the program headers, as the
 * loader does, not through sections. Every offset is checked against the file before use.
 */
#ifndef GW_TOOLS_ELF_READ_H
#define GW_TOOLS_ELF_READ_H

#include <stdbool.h>
#include <stddef.h>

struct gw_elf_import {
	const char *name;
	const char *file; /* the soname whose version it needs; NULL where it needs none */
	const char *node; /* that version */
	bool weak;        /* it may be missing */
};

/* All strings live until gw_elf_finish. */
struct gw_elf {
	char *path;
	const char *soname, *rpath, *runpath; /* NULL where absent */
	bool no_default;                      /* DF_1_NODEFLIB */
	bool is_dynamic;                      /* has a dynamic section */
	const char **needed;
	size_t needed_count;
	struct gw_elf_import *imports; /* undefined symbols of the dynamic symbol table */
	size_t import_count;
	void *storage; /* private to elf_read.c */
};

/*
 * 0, or -errno with "FILE: what is wrong" (FILE:0xOFFSET where there is one) in ERROR: -ENOEXEC for
 * a file that is no whole x86-64 ELF object. WITH_IMPORTS: false leaves imports empty, which is
 * much quicker.
 */
int gw_elf_read(struct gw_elf *elf, const char *path, bool with_imports, char *error,
		size_t error_size) __attribute__((warn_unused_result, nonnull));
void gw_elf_finish(struct gw_elf *elf) __attribute__((nonnull));

#endif
