/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where libgangway.so, the auditor and the facades lie: beside the installed program (PREFIX/bin,
 * PREFIX/lib/gangway), or in the build directory (tools, shim).
 */
#ifndef GW_TOOLS_LAYOUT_H
#define GW_TOOLS_LAYOUT_H

struct gw_layout {
	char *shim, *audit, *facades;
};

/* 0; -ENOENT when there is no libgangway.so in either place; -ENOMEM. audit and facades are NULL
 * where they are missing. */
int gw_layout_find(struct gw_layout *layout) __attribute__((warn_unused_result, nonnull));
void gw_layout_finish(struct gw_layout *layout) __attribute__((nonnull));

#endif
