/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which releases of each family a file may have been built for, and what says so (scan.h): the version nodes and libraries that it needs,
 * the functions that it imports, sonames that stand in it where it needs none (it opens them), and what the Python package that it belongs
 * to requires. Published binaries hold no other word of the releases of these libraries that they were built with.
 */
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_text.h"

struct range {
	const struct abi_family *family;
	size_t first, last;
	char *first_why, *last_why; /* NULL: nothing bounds it */
};

/* Takes WHY over; the oldest reason for a bound stays. */
static void narrow(struct range *range, size_t first, size_t last, char *why)
{
	if (!why)
		return;
	if (first > range->first) {
		range->first = first;
		free(range->first_why);
		range->first_why = strdup(why);
	}
	if (last < range->last) {
		range->last = last;
		free(range->last_why);
		range->last_why = strdup(why);
	}
	free(why);
}

static char *format(const char *how, const char *what)
{
	char *text;

	return asprintf(&text, "%s %s", how, what) < 0 ? NULL : text;
}

/* The releases that a set of facts stands for, from the oldest to the newest. False when there are none. */
static bool bounds(const struct abi_family *family, enum abi_kind kind, unsigned column, const char *name, size_t *first, size_t *last)
{
	bool found = false;

	for (size_t f = family->first[kind]; f < family->first[kind + 1]; f++) {
		if (strcmp(family->facts[f].column[column], name) != 0)
			continue;
		for (size_t r = 0; r < family->release_count; r++) {
			if (!abi_set_has(&family->facts[f].releases, r))
				continue;
			*first = found && *first < r ? *first : r;
			*last = found && *last > r ? *last : r;
			found = true;
		}
	}
	return found;
}

static void by_soname(struct range *range, const char *soname, const char *how)
{
	size_t first, last;

	if (bounds(range->family, ABI_SONAME, 0, soname, &first, &last))
		narrow(range, first, last, format(how, soname));
}

/* By the function's name; the facts are sorted by it. */
static bool bounds_of_function(const struct abi_family *family, const char *name, size_t *first, size_t *last)
{
	size_t low = family->first[ABI_FUNCTION], high = family->first[ABI_FUNCTION + 1], found = 0;

	*first = *last = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(family->facts[middle].column[0], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t f = low; f < family->first[ABI_FUNCTION + 1] && strcmp(family->facts[f].column[0], name) == 0; f++)
		for (size_t r = 0; r < family->release_count; r++) {
			if (!abi_set_has(&family->facts[f].releases, r))
				continue;
			*first = found && *first < r ? *first : r;
			*last = found && *last > r ? *last : r;
			found++;
		}
	return found;
}

static void by_imports(struct range *range, const struct gw_elf *elf)
{
	const char *before = NULL;

	for (size_t i = 0; i < elf->import_count; i++) {
		const struct gw_elf_import *import = &elf->imports[i];
		size_t first, last;

		if (import->file && import->file != before)
			by_soname(range, import->file, "node");
		/* Wheels rename what they bring along, libcudnn-74a4c495.so.9.1.0; the nodes keep the soname. */
		if (import->node)
			by_soname(range, import->node, "node");
		/* As the shim reads it: whoever asks whether a function is there can do without it. */
		before = import->file;
		if (!import->weak && strncmp(import->name, "cu", 2) == 0 && bounds_of_function(range->family, import->name, &first, &last) &&
		    (first > range->first || last < range->last))
			narrow(range, first, last, format("imports", import->name));
	}
}

/* Sonames of the family that stand in the file as strings, with which it opens libraries itself. */
static void by_strings(struct range *range, const struct gw_strings *strings)
{
	const struct abi_family *family = range->family;
	size_t least = family->release_count, most = 0, first, last;
	const char *named = NULL;

	for (size_t i = 0; i < strings->name_count; i++) {
		if (!bounds(family, ABI_SONAME, 0, strings->name[i], &first, &last))
			continue;
		least = least < first ? least : first;
		most = most > last ? most : last;
		named = strings->name[i];
	}
	if (named)
		narrow(range, least, most, format("opens", named));
}

/* The next older and the next newer known release; the same where VERSION is known. */
static void neighbours(const struct abi_family *family, const unsigned part[4], size_t *first, size_t *last)
{
	*first = 0;
	*last = family->release_count - 1;
	for (size_t r = 0; r < family->release_count; r++) {
		int order = abi_version_compare(family->releases[r].part, part);

		if (order <= 0)
			*first = r;
		if (order >= 0) {
			*last = r;
			return;
		}
	}
}

/* Is NAME ("nvidia-cudnn-cu12") the package of one of the family's wheels? */
static bool is_package(const struct abi_family *family, const char *name, size_t length)
{
	for (size_t r = 0; r < family->release_count; r++) {
		const char *wheel = family->releases[r].wheels;
		size_t i = 0;

		while (i < length && (wheel[i] == name[i] || (wheel[i] == '_' && (name[i] == '-' || name[i] == '.'))))
			i++;
		if (i == length && wheel[i] == '-')
			return true;
	}
	return false;
}

/* A requirement "NAME ==VERSION" of the package that the file belongs to. */
struct requirement {
	struct range *range;
	const char *package; /* "torch-2.3.1.dist-info" */
};

static void by_requirement(void *context, const char *name, const char *version)
{
	const struct requirement *of = context;
	struct range *range = of->range;
	size_t first, last;
	unsigned part[4];
	char *why = NULL;

	if (!is_package(range->family, name, strlen(name)) || !abi_version_parse(version, strlen(version), part))
		return;
	neighbours(range->family, part, &first, &last);
	if (first > range->last || last < range->first)
		return; /* what it requires is not what the file was built for */
	if (asprintf(&why, "%s requires %s %s", of->package, name, version) >= 0)
		narrow(range, first, last, why);
}

static json_t *entry(struct range *range)
{
	const struct abi_family *family = range->family;
	char *why = NULL;
	json_t *result;

	if ((!range->first_why && !range->last_why) || range->first > range->last)
		return NULL;
	if (!range->first_why || !range->last_why || strcmp(range->first_why, range->last_why) == 0)
		why = strdup(range->first_why ? range->first_why : range->last_why);
	else if (asprintf(&why, "%s; %s", range->first_why, range->last_why) < 0)
		why = NULL;
	result = json_pack("{s:s,s:s,s:s,s:o}", "family", family->name, "min", family->releases[range->first].version, "max",
			   family->releases[range->last].version, "evidence", gw_json_text(why ? why : ""));
	free(why);
	return result;
}

static bool has_family(json_t *built, const char *family)
{
	json_t *item;
	size_t i;

	json_array_foreach(built, i, item) if (strcmp(json_string_value(json_object_get(item, "family")), family) == 0) return true;
	return false;
}

/* A family that the database does not know, of which the file needs or opens SONAME: by what its package requires alone. */
static void by_pin(struct gw_scan *scan, const char *soname, const char *info, json_t *built)
{
	const struct gw_known_line *wheel = gw_known_wheel(&scan->known, soname);
	const char *family = wheel ? gw_scan_family_name(scan, soname) : NULL;

	for (size_t i = 2; family && i < wheel->count && !gw_scan_family(&scan->db, soname) && !has_family(built, family); i++) {
		char *pin = gw_scan_pin(info, wheel->word[i]), *why = NULL;

		if (pin && asprintf(&why, "%s requires %s %s", strrchr(info, '/') + 1, wheel->word[i], pin) >= 0)
			json_array_append_new(built, json_pack("{s:o,s:o,s:o,s:o}", "family", gw_json_text(family), "min", gw_json_text(pin), "max", gw_json_text(pin), "evidence", gw_json_text(why)));
		free(pin);
		free(why);
	}
}

json_t *gw_scan_built(struct gw_scan *scan, const struct gw_elf *elf, const struct gw_strings *strings, const char *info)
{
	const struct abi_db *db = &scan->db;
	json_t *result = json_array();
	const char *slash = info ? strrchr(info, '/') : NULL;

	for (size_t i = 0; i < db->family_count; i++) {
		struct range range = {.family = &db->families[i], .last = db->families[i].release_count - 1};
		struct requirement requirement = {&range, slash ? slash + 1 : NULL};
		json_t *one;
		size_t first, last;

		/* A release's own file is not built for one. */
		if (!db->families[i].release_count || (elf->soname && bounds(range.family, ABI_SONAME, 0, elf->soname, &first, &last)))
			continue;
		by_imports(&range, elf);
		for (size_t n = 0; n < elf->needed_count; n++)
			by_soname(&range, elf->needed[n], "needs");
		if (!range.first_why && !range.last_why)
			by_strings(&range, strings);
		if (slash && (range.first_why || range.last_why))
			gw_scan_each_requirement(info, by_requirement, &requirement);
		one = entry(&range);
		if (one)
			json_array_append_new(result, one);
		free(range.first_why);
		free(range.last_why);
	}
	for (size_t n = 0; n < elf->needed_count && slash; n++)
		by_pin(scan, elf->needed[n], info, result);
	for (size_t n = 0; n < strings->name_count && slash; n++)
		by_pin(scan, strings->name[n], info, result);
	return result;
}
