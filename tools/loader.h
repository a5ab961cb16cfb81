/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of glibc's dynamic loader: what it would do for a file, without executing anything. This
 * header has what one run of `gangway` knows about a machine: settings, the loader's cache, what
 * kind of loader it is, the files that were read. loader_map.h builds on it.
 *
 * Paths are those that the program would see: below a --root, they are inside it.
 */
#ifndef GW_TOOLS_LOADER_H
#define GW_TOOLS_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include "elf_read.h"
#include "elf_symbol.h"
#include "loader_platform.h"

#define GW_CACHE_FILE "/etc/ld.so.cache"

struct gw_cache_entry {
	const char *name, *path;
	const char *capability; /* the glibc-hwcaps directory that it lies in; NULL for none */
};

struct gw_cache {
	struct gw_cache_entry *entry; /* x86-64 entries, in the file's order */
	size_t count;
	char *bytes; /* what the strings point into */
};

/* One file, read once, however many need it. */
struct gw_file {
	char *path;
	struct gw_elf elf; /* not where STATUS is not 0 */
	int status;        /* 0 or -errno, with a message in ERROR */
	char *error;
	char *origin; /* what $ORIGIN stands for in it */
	struct gw_elf_reference *references;
	size_t reference_count;
	const struct gw_file **hints; /* who answered each reference the last time */
	unsigned long in_map;         /* private to loader_bind.c */
};

struct gw_loader {
	const char *root;         /* "" for none; without a slash at its end */
	const char *library_path; /* what LD_LIBRARY_PATH will be; NULL or empty for none */
	const char *preload;      /* what LD_PRELOAD will be; the same */
	const char *against;      /* a directory that comes before all; NULL for none */
	bool bind_now;            /* is LD_BIND_NOW set? */
	/* Who is asked where the search ends with nothing: a path to free, or NULL. May be NULL. */
	char *(*fallback)(void *context, const char *name);
	void *fallback_context;
	struct gw_cache cache;
	char **configured; /* directories of ld.so.conf; only where a root has no cache */
	size_t configured_count;
	struct gw_platform platform;
	void *files, *directories; /* trees, private to loader_file.c */
	size_t file_count;
	unsigned budget; /* how many more places may be looked into for this map */
	unsigned long generation; /* private to loader_bind.c */
	unsigned long steps; /* the same: how many entries of symbol tables may still be looked at */
};

/*
 * Reads the cache and the kind of loader below ROOT ("" for none). A missing cache is no error. 0,
 * -EINVAL with ERROR (FILE:0xOFFSET: what is wrong with the cache; all else works), or -ENOMEM.
 */
int gw_loader_init(struct gw_loader *loader, const char *root, char *error, size_t error_size)
	__attribute__((warn_unused_result, nonnull));
void gw_loader_finish(struct gw_loader *loader) __attribute__((nonnull));

/* loader_cache.c. As gw_loader_init. */
int gw_cache_read(struct gw_cache *cache, const char *file, char *error, size_t error_size)
	__attribute__((warn_unused_result, nonnull));
/* The one path that the loader would try for NAME; NULL where there is none. */
const char *gw_cache_find(const struct gw_cache *cache, const struct gw_platform *platform,
			  const char *name) __attribute__((nonnull));
void gw_cache_finish(struct gw_cache *cache) __attribute__((nonnull));

/* loader_conf.c: fills gw_loader.configured. 0 or -ENOMEM. */
int gw_conf_read(struct gw_loader *loader) __attribute__((warn_unused_result, nonnull));
void gw_conf_finish(struct gw_loader *loader) __attribute__((nonnull));

/* loader_root.c: where PATH, as a program below the root sees it, lies on this machine: links are
 * followed inside the root. HOST has PATH_MAX bytes. 0 or -errno; a path whose last component is
 * not there is no error. */
int gw_loader_host(const struct gw_loader *loader, const char *path, char *host)
	__attribute__((nonnull));
/* The same as a path inside the root, for REAL with PATH_MAX bytes. -ENOENT where nothing is. */
int gw_loader_real(const struct gw_loader *loader, const char *path, char *real)
	__attribute__((nonnull));
/* PATH as it is seen inside the root, where it lies in it by its name on this machine; else PATH.
 */
const char *gw_loader_inside(const struct gw_loader *loader, const char *path)
	__attribute__((nonnull));

/* loader_file.c: a file by its path, read on first use; owned by LOADER. NULL: out of memory. */
struct gw_file *gw_loader_file(struct gw_loader *loader, const char *path) __attribute__((nonnull));
/* Its references, listed on first use. 0 or -ENOMEM. */
int gw_file_references(struct gw_file *file) __attribute__((warn_unused_result, nonnull));
/* Bit i: DIRECTORY has the subdirectory i of the platform's list, of which the last is itself. */
unsigned gw_loader_directory(struct gw_loader *loader, const char *directory)
	__attribute__((nonnull));
/* Lets go of all files and directories; no map of theirs may be in use. */
void gw_loader_forget(struct gw_loader *loader) __attribute__((nonnull));

#endif
