/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what the loader would end with, and why (scan.h): GW-110 to GW-119. Faults of one object with one other are one finding, which names
 * both files, their releases and the rule that brought them together.
 */
#include "scan_fault.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_text.h"

#define MAX_TOLD 4096 /* faults that are looked into: more are a hostile file's, or hide no other cause */
#define MAX_MISSING 256 /* names in "missing" of one family, for the same reason */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* A version that is not defined: often a link of one soname to a library of another. */
static void tell_version(struct gw_fault_group *group)
{
	const struct gw_fault *fault = group->first;
	struct gw_scan *scan = group->walk->scan;
	const char *path = fault->named->file->path, *soname = fault->named->file->elf.soname;
	char real[PATH_MAX];
	bool is_link = gw_loader_real(&scan->loader, path, real) == 0 && strcmp(real, path) != 0 &&
		       soname && strcmp(soname, base_of(path)) != 0 &&
		       strcmp(soname, fault->version->file) != 0;
	bool facade = gw_scan_has_facade(scan, fault->version->file);
	char *named = gw_fault_described(scan, path);

	if (is_link && facade)
		gw_scan_finding(group->walk->findings, GW_FINDING_VERSION_MISSING,
				"remove that link, and start the program with gangway run, which "
				"has a facade of it; or install the library itself",
				"version `%s' not found: %s is a link to %s, which is a %s, and %s "
				"was linked to another library",
				fault->version->node, path, real, soname,
				fault->object->file->path);
	else if (is_link)
		gw_scan_finding(group->walk->findings, GW_FINDING_VERSION_MISSING,
				"remove that link, and install the library that it stands for",
				"version `%s' not found: %s is a link to %s, which is a %s, and %s "
				"was linked to another library",
				fault->version->node, path, real, soname,
				fault->object->file->path);
	else
		gw_scan_finding(group->walk->findings, GW_FINDING_VERSION_MISSING, NULL,
				"version `%s' not found in %s, which %s was linked to",
				fault->version->node, named ? named : path,
				fault->object->file->path);
	*group->walk->severe = true;
	free(named);
}

static void tell_assertion(struct gw_fault_group *group)
{
	const struct gw_fault *fault = group->first;

	if (fault->kind == GW_FAULT_UNMAPPED)
		gw_scan_finding(group->walk->findings, GW_FINDING_LOADER_ENDS, NULL,
				"%s needs versions of %s, and does not name it as needed: unless "
				"it is loaded already, the loader ends the process",
				fault->object->file->path, fault->version->file);
	else
		gw_scan_finding(group->walk->findings, GW_FINDING_LOADER_ENDS,
				"install the vendor's own library in its place",
				"%s has no versions, and %s needs %s of it with version %s: the "
				"loader ends the process",
				fault->named ? fault->named->file->path : fault->version->file,
				fault->object->file->path, fault->name, fault->version->node);
	*group->walk->severe = true;
}

/* "missing" of the imports, where the release that is there lacks what others have. */
static void note_missing(const struct gw_fault_group *group, const struct gw_fault *fault, json_t *imports)
{
	const struct abi_family *family =
		fault->version && fault->version->file
			? gw_scan_family(&group->walk->scan->db, fault->version->file)
			: NULL;
	json_t *missing =
		       family ? json_object_get(json_object_get(imports, family->name), "missing")
			      : NULL,
	       *item;
	size_t i;

	if (json_array_size(missing) >= MAX_MISSING)
		return;
	json_array_foreach(missing, i,
			   item) if (strcmp(json_string_value(json_object_get(item, "name")),
					    fault->name) == 0) return;
	if (missing)
		json_array_append_new(missing,
				      json_pack("{s:o,s:o,s:s?}", "name", gw_json_text(fault->name), "node",
						gw_json_text(fault->version->node), "first_release",
						gw_scan_first_release(family, fault->name)));
}

static void tell(struct gw_fault_group *group)
{
	switch (group->first->kind) {
	case GW_FAULT_VERSION:
		tell_version(group);
		break;
	case GW_FAULT_UNMAPPED:
	case GW_FAULT_PLAIN:
		tell_assertion(group);
		break;
	default:
		if (group->first->named)
			gw_fault_tell_symbols(group);
		else
			gw_fault_tell_plain(group);
	}
}

/* Is it the first fault of its group? Each group is told once. A missing version is told alone. */
static bool opens_group(struct gw_fault_group *group, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (gw_fault_belongs(group, &group->faults->fault[i]) &&
		    (group->first->kind != GW_FAULT_VERSION ||
		     strcmp(group->faults->fault[i].version->node, group->first->version->node) ==
			     0))
			return false;
	for (size_t i = index; i < group->faults->count; i++)
		group->count += gw_fault_belongs(group, &group->faults->fault[i]);
	return true;
}

void gw_scan_faults(struct gw_scan_walk *walk, const struct gw_faults *all,
		    const struct gw_mapped *first, json_t *imports, bool one)
{
	const struct gw_faults told = {all->fault, all->count < MAX_TOLD ? all->count : MAX_TOLD}, *faults = &told;

	for (size_t i = 0; i < faults->count; i++) {
		const struct gw_fault *fault = &faults->fault[i];
		struct gw_fault_group group = {.walk = walk, .faults = faults, .first = fault, .more = all->count > MAX_TOLD};

		if (one && fault->object != first)
			continue;
		if (fault->object == first && fault->named &&
		    (fault->kind == GW_FAULT_SYMBOL || fault->kind == GW_FAULT_CALL))
			note_missing(&group, fault, imports);
		if (opens_group(&group, i))
			tell(&group);
	}
}
