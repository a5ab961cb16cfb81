/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which releases of a family a calling object may have been built for, by what costs nothing to know of it: what the user says
 * (GANGWAY_BUILT_FOR), the version nodes and libraries it needs, and the functions it imports, each of which some release was the first,
 * and some the last, to declare. Worked out once for each object and family, at its first call; written to the log then.
 */
#ifndef GW_BUILT_H
#define GW_BUILT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gw_fn.h"

struct gw_object;

/* Oldest and newest release, indices into the family's releases; KNOWN is false where nothing tells. */
struct gw_built {
	uint16_t first, last;
	bool known;
};

/* Any thread; allocates nothing; one load once it is known. OBJECT must stay mapped: it is the one that is calling. */
struct gw_built gw_built_for(struct gw_object *object, unsigned family) __attribute__((nonnull));

/*
 * OBJECT has told the library that its struct has SIZE bytes; LIST has the struct's sizes (gw_spans). Narrows what is known of OBJECT from the next
 * call on, where that fits to the rest and the user has not decided.
 */
void gw_built_size(struct gw_object *object, unsigned family, enum gw_spans_id list, size_t size) __attribute__((nonnull));

/* Are the enums and structs of all releases from FIRST to LAST the same? Then any of them may stand for the one that is meant. */
bool gw_built_alike(unsigned family, unsigned first, unsigned last);

/*
 * What VALUE, in the grammar of GANGWAY_BUILT_FOR (docs/environment.md), says of an object's PATH and a family. 1: *BUILT is narrowed to it
 * (not KNOWN: it says `any`); 0: nothing; -1: VALUE is no such list, and *WRONG says where, *WHY what.
 */
int gw_built_told(const char *value, const char *path, unsigned family, struct gw_built *built, const char **wrong, const char **why)
	__attribute__((nonnull));

#endif
