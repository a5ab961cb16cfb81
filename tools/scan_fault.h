/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of gw_scan_faults share (scan.h): scan_faults.c, scan_fault_words.c, scan_fault_symbols.c; and scan_partners.c its words. */
#ifndef GW_TOOLS_SCAN_FAULT_H
#define GW_TOOLS_SCAN_FAULT_H

#include "scan.h"

/* Faults of one kind between two objects. */
struct gw_fault_group {
	struct gw_scan_walk *walk;
	const struct gw_faults *faults;
	const struct gw_fault *first;
	size_t count;
	bool more; /* there are too many faults for all to be told */
	const char *newest; /* the first release that has all of them; NULL: not known */
	bool is_public;     /* each is declared by a header */
};

/* Is FAULT one of the group's? */
bool gw_fault_belongs(const struct gw_fault_group *group, const struct gw_fault *fault) __attribute__((nonnull));

/* scan_fault_words.c: texts, each to free; NULL: out of memory. */
char *gw_fault_text(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull));
/* "PATH (release R)" */
char *gw_fault_described(struct gw_scan *scan, const char *path) __attribute__((nonnull));
/* "a, b, c and 4 more" */
char *gw_fault_names(const struct gw_fault_group *group) __attribute__((nonnull));
/* Why NAMED was taken: the rule, in words. */
char *gw_fault_reason(const struct gw_mapped *named) __attribute__((nonnull));

/* scan_fault_symbols.c: symbols of a library that is there; and those without a version, or whose library nobody names: whoever is in scope may
 * have them. */
void gw_fault_tell_symbols(struct gw_fault_group *group) __attribute__((nonnull));
void gw_fault_tell_plain(struct gw_fault_group *group) __attribute__((nonnull));

#endif
