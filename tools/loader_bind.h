/* SPDX-License-Identifier: Apache-2.0 */
/* Which definition each reference of a link map would get, and what would fail: versions when the
 * objects are mapped, symbols then or at the first call. */
#ifndef GW_TOOLS_LOADER_BIND_H
#define GW_TOOLS_LOADER_BIND_H

#include "loader_map.h"

enum gw_fault_kind {
	GW_FAULT_VERSION,  /* the loader ends: version `X' not found */
	GW_FAULT_UNMAPPED, /* the loader ends with an assertion: a version is needed of a file that
			      is not mapped under its name */
	GW_FAULT_PLAIN,    /* the loader ends with an assertion: the file that a version is needed
			      of has no versions, and defines the symbol all the same */
	GW_FAULT_SYMBOL,   /* undefined symbol at load time */
	GW_FAULT_CALL,     /* undefined symbol at the first call, and not before */
};

struct gw_fault {
	enum gw_fault_kind kind;
	const struct gw_mapped *object;       /* whose need or reference it is */
	const struct gw_mapped *named;        /* what its version is needed of; NULL: none */
	const char *name;                     /* of the symbol; NULL for the first two kinds */
	const struct gw_elf_version *version; /* NULL: none */
};

struct gw_faults {
	struct gw_fault *fault;
	size_t count;
};

/*
 * All that would fail, of what was opened where something was opened; the first 65536 of it. References
 * that a missing library may explain are left out: versions of it, and symbols without a version where
 * any library is missing. 0, -ENOMEM, or -ELOOP where tables are so made that looking up all symbols
 * would take minutes.
 */
int gw_bind_check(const struct gw_map *map, struct gw_faults *faults)
	__attribute__((warn_unused_result, nonnull));
void gw_faults_finish(struct gw_faults *faults) __attribute__((nonnull));

/* Who answers one reference of one object; NULL: nobody. PLAIN is set where the loader ends with
 * its assertion instead. */
const struct gw_mapped *gw_bind_find(const struct gw_map *map, const struct gw_mapped *object,
				     const struct gw_elf_reference *reference, bool *plain)
	__attribute__((nonnull));

/* Is the reference resolved when the object is mapped? */
bool gw_bind_is_immediate(const struct gw_map *map, const struct gw_mapped *object,
			  const struct gw_elf_reference *reference) __attribute__((nonnull));

#endif
