/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a file's undefined symbols with what the known releases export (scan.h). */
#include "scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPORT_SONAME, EXPORT_SYMBOL };

void gw_scan_finding(json_t *findings, enum gw_finding which, const char *remedy, const char *format,
		     ...)
{
	va_list arguments;
	char *text = NULL;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	json_array_append_new(findings, json_pack("{s:s,s:s,s:s,s:s}", "code", gw_finding_code(which),
						  "severity", gw_finding_severity(which), "text", text,
						  "remedy", remedy ? remedy : gw_finding_remedy(which)));
	free(text);
}

const struct abi_family *gw_scan_family(const struct abi_db *db, const char *soname)
{
	for (size_t i = 0; i < db->family_count; i++) {
		const struct abi_family *family = &db->families[i];

		for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++)
			if (strcmp(family->facts[f].column[EXPORT_SONAME], soname) == 0)
				return family;
	}
	return NULL;
}

/* A symbol column is SYMBOL or SYMBOL@NODE. */
static int compare(const struct abi_fact *fact, const char *soname, const char *symbol)
{
	int order = strcmp(fact->column[EXPORT_SONAME], soname);
	const char *name = fact->column[EXPORT_SYMBOL];
	size_t length = strcspn(name, "@");

	if (!order)
		order = strncmp(name, symbol, length);
	return order ? order : -(symbol[length] != '\0');
}

/* Does some known release of SONAME export SYMBOL? The facts are sorted, but `@` stands between
 * digits and letters: look around. */
static bool exports(const struct abi_family *family, const char *soname, const char *symbol)
{
	size_t low = family->first[ABI_EXPORT], high = family->first[ABI_EXPORT + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct abi_fact *fact = &family->facts[middle];
		int order = strcmp(fact->column[EXPORT_SONAME], soname);

		if (!order)
			order = strcmp(fact->column[EXPORT_SYMBOL], symbol);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < family->first[ABI_EXPORT + 1]; low++) {
		const struct abi_fact *fact = &family->facts[low];

		if (compare(fact, soname, symbol) == 0)
			return true;
		if (strcmp(fact->column[EXPORT_SONAME], soname) != 0 ||
		    strncmp(fact->column[EXPORT_SYMBOL], symbol, strlen(symbol)) != 0)
			return false;
	}
	return false;
}

const char *gw_scan_first_release(const struct abi_family *family, const char *symbol)
{
	size_t first = family->release_count;

	for (size_t f = family->first[ABI_EXPORT]; f < family->first[ABI_EXPORT + 1]; f++) {
		const struct abi_fact *fact = &family->facts[f];

		if (compare(fact, fact->column[EXPORT_SONAME], symbol) != 0)
			continue;
		for (size_t r = 0; r < first; r++)
			if (abi_set_has(&fact->releases, r)) {
				first = r;
				break;
			}
	}
	return first < family->release_count ? family->releases[first].version : NULL;
}

/* The family that a symbol without a version belongs to: by the sonames that the file needs, else
 * by any that exports it. */
static const struct abi_family *family_of_plain(const struct abi_db *db, const char *symbol)
{
	for (size_t i = 0; i < db->family_count; i++) {
		const struct abi_family *family = &db->families[i];

		for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++)
			if (exports(family, family->facts[f].column[EXPORT_SONAME], symbol))
				return family;
	}
	return NULL;
}

static json_t *entry_of(json_t *imports, const char *family)
{
	json_t *entry = json_object_get(imports, family);

	if (entry)
		return entry;
	entry = json_pack("{s:i,s:[]}", "count", 0, "missing");
	json_object_set_new(imports, family, entry);
	return json_object_get(imports, family);
}

/* The vendor's own libraries import more from each other than the database lists; whether they get
 * it, the loader model says. */
static bool is_own(const struct abi_db *db, const struct gw_elf *elf, const struct abi_family *family)
{
	const char *mine = elf->soname ? gw_scan_suite(db, elf->soname) : NULL;
	size_t fact = family->first[ABI_SONAME];
	const char *its = fact < family->first[ABI_SONAME + 1]
				  ? gw_scan_suite(db, family->facts[fact].column[EXPORT_SONAME])
				  : NULL;

	return mine && its && strcmp(mine, its) == 0;
}

json_t *gw_scan_imports(const struct abi_db *db, const struct gw_elf *elf, json_t *findings,
			bool *severe)
{
	json_t *imports = json_object();

	for (size_t i = 0; i < elf->import_count; i++) {
		const struct gw_elf_import *import = &elf->imports[i];
		const struct abi_family *family = import->file ? gw_scan_family(db, import->file)
							       : family_of_plain(db, import->name);
		const char *first;
		json_t *entry;

		if (!family)
			continue;
		entry = entry_of(imports, family->name);
		json_object_set_new(
			entry, "count",
			json_integer(json_integer_value(json_object_get(entry, "count")) + 1));
		if (!import->file || exports(family, import->file, import->name) || is_own(db, elf, family))
			continue;
		first = gw_scan_first_release(family, import->name);
		json_array_append_new(json_object_get(entry, "missing"),
				      json_pack("{s:s,s:s,s:s?}", "name", import->name, "node",
						import->node, "first_release", first));
		*severe = true;
		gw_scan_finding(findings, GW_FINDING_IMPORT_UNKNOWN,
				first ? "install that release, and the version of this file that "
					"is built for it"
				      : NULL,
				"%s is imported from %s, and no known release of that has it%s%s",
				import->name, import->file, first ? "; the first that has is " : "",
				first ? first : "");
	}
	return imports;
}
