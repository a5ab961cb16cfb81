/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the installed library that a facade forwards to. Looks in this order: the suite's own setting (then nowhere else),
 * GANGWAY_LIBRARY_PATH, what is already mapped, LD_LIBRARY_PATH, the nvidia directories of the Python paths, the loader's cache, toolkit directories.
 * Reads directories; never loads anything.
 */
#ifndef GW_FIND_H
#define GW_FIND_H

#include <stdbool.h>
#include <stddef.h>

struct gw_find {
	const char *const *targets;	/* sonames, best first, NULL-terminated */
	const char *suite;		/* "cublas": names the setting */
	/* Stems ("libcublasLt") that the same directory must hold with the target's version suffix; NULL-terminated, or NULL. */
	const char *const *partners;
	/* Where there is one (PATH_MAX bytes, empty before): gets the path of the first partner that was missing beside a target. */
	char *lacking;
};

/* Copies directory and target of the best match; false when there is none. TARGET points into find->targets. */
bool gw_find_library(const struct gw_find *find, char *directory, size_t size, const char **target) __attribute__((nonnull));

/* One file of that name on the Python paths; false when there is none, or more than one directory has it. */
bool gw_find_on_python_paths(const char *name, char *path, size_t size) __attribute__((nonnull));

#endif
