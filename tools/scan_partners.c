/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that must come from one directory, and do not (scan.h): GW-106 and GW-115. */
#include "scan_fault.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_directory(const struct gw_loader *loader, const char *a, const char *b)
{
	char left[PATH_MAX], right[PATH_MAX];

	if (gw_loader_real(loader, a, left) != 0 || gw_loader_real(loader, b, right) != 0)
		return true;
	return strrchr(left, '/') - left == strrchr(right, '/') - right &&
	       strncmp(left, right, (size_t)(strrchr(left, '/') - left)) == 0;
}

/* "A" or "A to B". */
static bool parse_range(const char *text, unsigned first[4], unsigned last[4])
{
	const char *to = strstr(text, " to ");

	return abi_version_parse(text, to ? (size_t)(to - text) : strlen(text), first) &&
	       abi_version_parse(to ? to + 4 : text, strlen(to ? to + 4 : text), last);
}

/* Can the two not be one release? */
static bool differ(const char *a, const char *b)
{
	unsigned a_first[4], a_last[4], b_first[4], b_last[4];

	if (!parse_range(a, a_first, a_last) || !parse_range(b, b_first, b_last))
		return strcmp(a, b) != 0;
	return abi_version_compare(a_last, b_first) < 0 || abi_version_compare(b_last, a_first) < 0;
}

/* A and B, which A needs, of one suite: from two directories, and of two releases. */
static void check_partners(struct gw_scan_walk *walk, const struct gw_mapped *a,
			   const struct gw_mapped *b)
{
	char *left = gw_scan_release(walk->scan, a->file->path, true);
	char *right = gw_scan_release(walk->scan, b->file->path, true);
	char *why = gw_fault_reason(b), *remedy = NULL;
	const char *good = a->file->origin;

	if (good)
		remedy = gw_fault_text("%s: LD_LIBRARY_PATH=%s", gw_finding_remedy(GW_FINDING_PARTNERS_DIFFER), good);
	if (left && right && why && remedy && differ(left, right)) {
		gw_scan_finding(walk->findings, GW_FINDING_PARTNERS_DIFFER, remedy,
				"%s is release %s, and %s, which it needs, is release %s (%s): "
				"they call each other through an interface that changes with every "
				"release, and calls will fail",
				a->file->path, left, b->file->path, right, why);
		*walk->severe = true;
	} else if (!(left && right && strcmp(left, right) == 0) && why && remedy) {
		gw_scan_finding(walk->findings, GW_FINDING_PARTNERS_APART, remedy,
				"%s and %s, which it needs, come from two directories (%s), and "
				"their releases cannot be told",
				a->file->path, b->file->path, why);
	}
	free(left);
	free(right);
	free(why);
	free(remedy);
}

/* Is it told already that A misses something of B? */
static bool is_told(const struct gw_faults *faults, const struct gw_mapped *a,
		    const struct gw_mapped *b)
{
	for (size_t i = 0; i < faults->count; i++)
		if (faults->fault[i].object == a && faults->fault[i].named == b)
			return true;
	return false;
}

void gw_scan_partners(struct gw_scan_walk *walk, const struct gw_faults *faults,
		      const struct gw_mapped *one)
{
	const struct abi_db *db = &walk->scan->db;

	for (size_t o = 0; o < walk->map.all.count; o++) {
		const struct gw_mapped *object = walk->map.all.object[o];
		const char *soname = object->file->elf.soname, *suite;

		suite = soname && (!one || one == object) ? gw_scan_suite(db, soname) : NULL;
		for (size_t i = 0; suite && i < object->file->elf.needed_count; i++) {
			const struct gw_mapped *partner = object->needs[i].object;
			const char *other = partner ? partner->file->elf.soname : NULL, *its;

			its = other ? gw_scan_suite(db, other) : NULL;
			if (its && strcmp(its, suite) == 0 && !is_told(faults, object, partner) &&
			    !same_directory(&walk->scan->loader, object->file->path,
					    partner->file->path))
				check_partners(walk, object, partner);
		}
	}
}
