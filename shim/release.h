/* SPDX-License-Identifier: Apache-2.0 */
/* Which release a mapped vendor library is, by its own word, and which known release is nearest to it. */
#ifndef GW_RELEASE_H
#define GW_RELEASE_H

#include <stddef.h>
#include <stdint.h>
#include "gw_findings.h"
#include "table.h"

struct gw_object;

/*
 * Asks LIBRARY, which costs a call into it. Copies "13.1.0" to VERSION ("" when it does not say). Returns the newest known release
 * of the same soname that is not newer than that, else the oldest of that soname; never NULL for a family with releases. A
 * release that the database does not know is told as a finding.
 */
const struct gw_release *gw_release_of(struct gw_object *library, unsigned family, char *version, size_t size)
	__attribute__((nonnull));

/* The same of a library that a program chose itself: NULL when it does not say, and no finding. */
const struct gw_release *gw_release_asked(struct gw_object *library, unsigned family, char *version, size_t size)
	__attribute__((nonnull));
struct gw_line;

/* "cublas has it from 12.4.2.65 on", "cudnn has it up to 8.9.7.29": which known releases declare function FN. */
void gw_release_range(struct gw_line *line, uint32_t fn) __attribute__((nonnull));

/* The same of releases FIRST to LAST of FAMILY, by index. */
void gw_release_range_of(struct gw_line *line, unsigned family, unsigned first, unsigned last) __attribute__((nonnull));

/* What to do about FN, which the loaded release lacks: WHICH's own remedy, and the releases that have FN. */
void gw_release_remedy(struct gw_line *line, enum gw_finding which, uint32_t fn) __attribute__((nonnull));

#endif
