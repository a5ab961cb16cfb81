/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ELF programs and libraries of this machine below a directory, in the order of their
 * names. Links are not followed: what they lead to is found where it lies, or is not of here. */
#ifndef GW_TOOLS_SCAN_TREE_H
#define GW_TOOLS_SCAN_TREE_H

#include <stdbool.h>

typedef void gw_scan_tree_visit(void *context, const char *path);

/* 0 or -errno. What cannot be read below is left out. */
int gw_scan_tree(const char *directory, gw_scan_tree_visit *visit, void *context)
	__attribute__((nonnull(1, 2)));

#endif
