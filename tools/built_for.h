/* SPDX-License-Identifier: Apache-2.0 */
/* The value of `gangway run --built-for` and GANGWAY_BUILT_FOR: FILE:FAMILY=RELEASE[,FAMILY=RELEASE…][;…], as shim/built_told.c reads it. */
#ifndef GW_TOOLS_BUILT_FOR_H
#define GW_TOOLS_BUILT_FOR_H

#include <stddef.h>

/* NULL, or what is wrong at *AT. */
const char *gw_built_for_check(const char *value, const char **at) __attribute__((nonnull));

#endif
