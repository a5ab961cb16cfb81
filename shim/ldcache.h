/* SPDX-License-Identifier: Apache-2.0 */
/* Looks a name up in the loader's cache file, without the loader: dlopen by soname would hand back a facade of that soname. */
#ifndef GW_LDCACHE_H
#define GW_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the first x86-64 path that the cache gives for NAME; false when it has none or cannot be read. Opens the file. */
bool gw_ldcache_find(const char *name, char *path, size_t size) __attribute__((nonnull));

#endif
