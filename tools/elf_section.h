/* SPDX-License-Identifier: Apache-2.0 */
/* The section headers of an ELF file: what the loader does not read, and what tells code for the
 * host, its strings and code for GPUs apart. A file may have none (stripped of them). */
#ifndef GW_TOOLS_ELF_SECTION_H
#define GW_TOOLS_ELF_SECTION_H

#include "elf_read.h"

struct gw_elf_section {
	const char *name; /* "" where it has none */
	uint32_t type;
	uint64_t flags, offset, size;
	const unsigned char *bytes; /* SIZE of them; NULL where the file has none (SHT_NOBITS) */
};

/* How many section headers the file has; 0 where they do not lie in it. */
size_t gw_elf_section_count(const struct gw_elf *elf) __attribute__((nonnull));
/* False where it is not wholly in the file. INDEX from 1 on: the first is empty by definition. */
bool gw_elf_section_read(const struct gw_elf *elf, size_t index, struct gw_elf_section *section)
	__attribute__((nonnull));
/* Is it a section that holds code for GPUs? Those are larger than all the rest, and none of the
 * host's strings lies in them. */
bool gw_elf_section_is_for_gpu(const struct gw_elf_section *section) __attribute__((nonnull));

#endif
