/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which libraries belong together (abi/partners), by their names alone. Used by the auditor and by libgangway.so, so it needs no C library
 * beyond <string.h>, allocates nothing and keeps errno.
 */
#ifndef GW_PARTNERS_H
#define GW_PARTNERS_H

#include <stdbool.h>
#include <stddef.h>

/* One `set` line. Arrays, not pointers: each of those would be a relocation at every program's start. */
struct gw_partners {
	char name[16];
	char wheel[16];	  /* its packages are called nvidia_WHEEL…, or WHEEL… */
	char stems[64];	  /* each with a blank after it; `*` at the end of one: any rest */
	char spare[32];	  /* those of them that the others go on without; likewise */
	char told[128];	  /* where a library tells its release: KIND:STEM:SYMBOL, likewise */
	bool exact;	  /* a newer copy does not do for an older one */
	bool minor;	  /* its plain names may have two numbers: libcudart.so.11.0 */
};

/* The table's length; the last has no name. */
extern const struct gw_partners gw_partners_table[];

/* What a file's name says. */
struct gw_partners_name {
	const struct gw_partners *set;
	const char *stem, *version;	/* in the name: not terminated by the stem's end; what follows ".so.", or "" */
	size_t stem_length;
	size_t major_length;		/* of version's first number */
	bool bundled;			/* -HASH stands behind the stem, as tools that repair wheels write it */
	bool plain;			/* the name that other files are linked to: libcudnn_ops.so.9, not libcudnn_ops.so.9.1.0 */
};

/* False where NAME, a file's name without directory, is of no set. NAME must outlive RESULT. */
bool gw_partners_of(const char *name, struct gw_partners_name *result) __attribute__((nonnull));

/* Of one set and one major release? */
bool gw_partners_together(const struct gw_partners_name *a, const struct gw_partners_name *b) __attribute__((nonnull));

/* Copies of one library, of whatever release of a major one? */
bool gw_partners_same_library(const struct gw_partners_name *a, const struct gw_partners_name *b) __attribute__((nonnull));

/* Do the other libraries of its set go on without it? */
bool gw_partners_is_spare(const struct gw_partners_name *name) __attribute__((nonnull));

/*
 * Calls VISIT for each place where a library of SET tells its release, until it returns true; then true. STEM and SYMBOL are not terminated
 * within their lengths. DATA: four bytes of which each is a number, the lowest the patch; else a function's code, which holds one number that
 * is MAJOR * 10000 + minor * 100 + patch.
 */
struct gw_partners_place {
	const char *stem, *symbol;
	size_t stem_length, symbol_length;
	bool data;
};
bool gw_partners_places(const struct gw_partners *set, bool (*visit)(const struct gw_partners_place *place, void *data), void *data)
	__attribute__((nonnull(1, 2)));

/* A release, such as 12.8.5.5: its numbers. COUNT 0: not known. */
struct gw_partners_release {
	unsigned count;
	unsigned number[4];
};

/* Reads a release out of LENGTH bytes of TEXT that are digits and dots; fewer than MINIMUM numbers are none. */
bool gw_partners_release_read(struct gw_partners_release *release, const char *text, size_t length, unsigned minimum)
	__attribute__((nonnull));

/* Below, at, above 0: A is older than, as far as both say equal to, newer than B. Both must be known. */
int gw_partners_release_compare(const struct gw_partners_release *a, const struct gw_partners_release *b) __attribute__((nonnull));

#endif
