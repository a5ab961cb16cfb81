/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the vendor's libraries, of frameworks and of drivers beside the database of facts: abi/libraries, abi/opened,
 * abi/architectures and abi/drivers, each of which documents its lines. Strings live until gw_known_finish.
 */
#ifndef GW_TOOLS_KNOWN_H
#define GW_TOOLS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include "fatbin.h"

#define GW_KNOWN_WORDS 24

struct gw_known_line {
	char *word[GW_KNOWN_WORDS]; /* the first is the kind; NULL behind the last */
	size_t count;
	const char *rest; /* of a `static` or `gpu` line: its text */
};

struct gw_known {
	struct gw_known_line *line;
	size_t count;
};

/* Reads all these files of DIRECTORY. 0, or -errno with "FILE:LINE: what is wrong" in ERROR; what was read before stays. */
int gw_known_load(struct gw_known *known, const char *directory, char *error, size_t error_size)
	__attribute__((warn_unused_result, nonnull));
void gw_known_finish(struct gw_known *known) __attribute__((nonnull));
/* The next line of KIND from *AT on, which is moved behind it; NULL at the end. Start with *AT = 0. */
const struct gw_known_line *gw_known_next(const struct gw_known *known, const char *kind, size_t *at) __attribute__((nonnull));

#define GW_KNOWN_STEM 64
/*
 * The family of a library by its file's base name; NULL. STEM gets "libcudnn_ops", *VERSION what follows ".so" ("", ".9", ".so.9.1.0" of
 * "libcudnn_ops.so.9.1.0" gives ".9.1.0"); a hash that a repaired wheel put in ("libcudnn-74a4c495.so.9.1.0") is left out of both.
 */
const char *gw_known_family(const struct gw_known *known, const char *base, char stem[GW_KNOWN_STEM], const char **version)
	__attribute__((nonnull));
/* The packages that hold SONAME, the usual one first: words from 2 on. NULL where none is known. Parts of a library are in its package. */
const struct gw_known_line *gw_known_wheel(const struct gw_known *known, const char *soname) __attribute__((nonnull));
/* Do calls of FAMILY go through gangway? */
bool gw_known_is_reached(const struct gw_known *known, const char *family) __attribute__((nonnull));

/* One to four numbers, such as a driver's "535.104.05", whose zeros abi_version_parse refuses. */
bool gw_known_version(const char *text, unsigned part[4]) __attribute__((nonnull));

/* A release of CUDA: "12.2", its PTX "8.2", the first driver of it "535.54.03" (NULL: not known). */
struct gw_known_cuda {
	const char *release, *ptx, *driver;
};
/* The first release whose compiler writes that version of PTX, or where none does, of the next newer one. False beyond the newest. */
bool gw_known_ptx(const struct gw_known *known, unsigned major, unsigned minor, struct gw_known_cuda *cuda) __attribute__((nonnull));
/* The newest release that DRIVER ("535.104.05") is of. False where it is older than all. */
bool gw_known_driver(const struct gw_known *known, const char *driver, struct gw_known_cuda *cuda) __attribute__((nonnull));
/* The first release whose compiler knows an architecture; false where none is known to. */
bool gw_known_arch(const struct gw_known *known, unsigned arch, struct gw_known_cuda *cuda) __attribute__((nonnull));
/* The newest release of all whose compiler writes that version of PTX at most; NULL: any. NULL where none is known. */
const char *gw_known_newest_cuda(const struct gw_known *known, const char *ptx) __attribute__((nonnull(1)));
/* <0, 0, >0: of releases, drivers and versions of PTX. */
int gw_known_compare(const char *a, const char *b) __attribute__((nonnull));
/* The architecture of a GPU by the driver's name of it ("NVIDIA H200"); 0. */
unsigned gw_known_gpu(const struct gw_known *known, const char *name) __attribute__((nonnull));

#endif
