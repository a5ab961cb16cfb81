/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the loader's search for a name, as far as a first look needs: RPATH and its
 * inheritance, LD_LIBRARY_PATH, RUNPATH, $ORIGIN, $LIB and $PLATFORM, the loader's cache, the
 * default directories. Executes nothing. Not modelled: hwcaps directories, and libraries that are
 * already mapped by the time of a dlopen.
 */
#ifndef GW_TOOLS_LOADER_H
#define GW_TOOLS_LOADER_H

#include <stddef.h>
#include "elf_read.h"

#define GW_CACHE_FILE "/etc/ld.so.cache"

struct gw_cache_entry {
	const char *name, *path;
};

struct gw_loader {
	const char *library_path;     /* what LD_LIBRARY_PATH will be; NULL or empty for none */
	struct gw_cache_entry *cache; /* x86-64 entries, in the file's order */
	size_t cache_count;
	char *cache_bytes; /* what its strings point into */
};

/* One object of the chain that led to a search: it, and the one that needed it. */
struct gw_needer {
	const struct gw_elf *elf;
	const struct gw_needer *by; /* NULL for the first */
};

/* Reads the cache CACHE_FILE; a missing one is no error. 0, -EINVAL with ERROR (file:0xoffset), or
 * -ENOMEM. */
int gw_loader_init(struct gw_loader *loader, const char *cache_file, char *error, size_t error_size)
	__attribute__((warn_unused_result, nonnull));
void gw_loader_finish(struct gw_loader *loader) __attribute__((nonnull));

/* The file that the loader would take for NAME, to free; NULL when there is none. */
char *gw_loader_search(const struct gw_loader *loader, const struct gw_needer *needer,
		       const char *name) __attribute__((nonnull));

#endif
