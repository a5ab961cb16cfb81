/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the strings of one file say (scan_strings.c): names of the vendor's libraries, which it opens itself; texts that stand in copies of
 * the vendor's code; PTX that lies there as text. Only sections with the host's data are read, never code for GPUs.
 */
#ifndef GW_TOOLS_SCAN_STRINGS_H
#define GW_TOOLS_SCAN_STRINGS_H

#include "elf_read.h"
#include "known.h"

#define GW_STRINGS_NAMES 96
#define GW_STRINGS_MARKS 16

struct gw_strings {
	const char *name[GW_STRINGS_NAMES]; /* whole strings such as "libcublas.so.12", "libcudnn_ops.so", "libcublas.so."; in the file */
	size_t name_count;
	const struct gw_known_line *mark[GW_STRINGS_MARKS]; /* `static` lines whose text stands in it, each once */
	size_t mark_count;
	struct gw_fatbin_code ptx; /* as text: that of the newest version; its count is 0 where there is none */
	bool unread; /* it has no section headers: nothing was read */
};

void gw_strings_read(struct gw_strings *strings, const struct gw_known *known, const struct gw_elf *elf) __attribute__((nonnull));

#endif
