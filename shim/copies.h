/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about two files of one library: are they the same, which release is each, which would serve a caller. Reads files and
 * directories, changes nothing, allocates nothing, keeps errno, any thread. Used by the auditor and by libgangway.so. Paths are at most
 * GW_COPY_PATH bytes; a longer one is answered as if nothing were known.
 */
#ifndef GW_COPIES_H
#define GW_COPIES_H

#include "partners.h"

#define GW_COPY_PATH 4096

/* One file by two names, or two files of equal content. */
bool gw_copies_equal(const char *a, const char *b) __attribute__((nonnull));

/*
 * Does it make no difference which of A and B, copies of NAME, is taken: are they equal, and what lies beside both, too? cuDNN's front library
 * is the same in several releases, and opens the parts that lie beside it.
 */
bool gw_copies_alike(const char *a, const char *b, const struct gw_partners_name *name) __attribute__((nonnull));

/*
 * The release of PATH, a library of NAME's set: what the wheel says that it lies in, else the numbers of the file that PATH leads to, else what
 * the library itself holds, or one beside it. Count 0 where none says it.
 */
void gw_copy_release(const char *path, const struct gw_partners_name *name, struct gw_partners_release *release) __attribute__((nonnull));

/* Where PATH leads to, without links. TO: GW_COPY_PATH bytes. */
bool gw_copy_real(const char *path, char *to) __attribute__((nonnull));

/* Has the library PATH what the file NEEDER imports from LIBRARY? False also where a file cannot be read, or NEEDER imports nothing of it. */
bool gw_copy_serves(const char *needer, const char *library, const char *path) __attribute__((nonnull));
/* Does it lack something of that? False likewise. LACKED (128 bytes) gets the first such name. */
bool gw_copy_lacks(const char *needer, const char *library, const char *path, char *lacked) __attribute__((nonnull));

/*
 * Can the directory of the file NEWER, a library of NAME's set, take the place of OLDER's directory: has it each library of the set that is
 * there, of the same major release, and do these need no other set's libraries that those do not need?
 */
bool gw_copy_replaces(const char *newer, const char *older, const struct gw_partners_name *name) __attribute__((nonnull));

/* Directory and file name of PATH: the length of the first, without its slash; 0 where it has none. */
size_t gw_copy_directory(const char *path) __attribute__((nonnull));
/* DIRECTORY, LENGTH bytes, and NAME, joined in TO (GW_COPY_PATH bytes); false when that does not fit. */
bool gw_copy_join(char *to, const char *directory, size_t length, const char *name) __attribute__((nonnull));

#endif
