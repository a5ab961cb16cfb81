/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a file's undefined symbols with what the known releases export (scan.h). */
#include "scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_text.h"

enum { EXPORT_SONAME, EXPORT_SYMBOL };

#define MAX_SYMBOL 512 /* no known function has so long a name */
#define MAX_PLAIN (1u << 17) /* symbols without a version that all libraries' names are compared with: real files have some thousands */
#define MAX_TOLD 256   /* functions of one file that are told one by one: more are a hostile file's */

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
	json_array_append_new(findings, json_pack("{s:s,s:s,s:o,s:o}", "code", gw_finding_code(which),
						  "severity", gw_finding_severity(which), "text", gw_json_text(text),
						  "remedy", gw_json_text(remedy ? remedy : gw_finding_remedy(which))));
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

/* A symbol column is SYMBOL or SYMBOL@NODE: NEXT is what follows SYMBOL. */
static int compare(const struct abi_fact *fact, const char *soname, const char *symbol, size_t length, char next)
{
	int order = strcmp(fact->column[EXPORT_SONAME], soname);
	const char *name = fact->column[EXPORT_SYMBOL];

	if (!order)
		order = strncmp(name, symbol, length);
	return order ? order : (unsigned char)name[length] - (unsigned char)next;
}

/* The first fact about SYMBOL of SONAME; NULL where there is none. The facts are sorted. */
static const struct abi_fact *find(const struct abi_family *family, const char *soname, const char *symbol)
{
	size_t length = strnlen(symbol, MAX_SYMBOL);

	for (int with_node = 0; with_node < 2 && length < MAX_SYMBOL; with_node++) {
		size_t low = family->first[ABI_EXPORT], high = family->first[ABI_EXPORT + 1];
		char next = with_node ? '@' : '\0';

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (compare(&family->facts[middle], soname, symbol, length, next) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < family->first[ABI_EXPORT + 1] && compare(&family->facts[low], soname, symbol, length, next) == 0)
			return &family->facts[low];
	}
	return NULL;
}

/* Does some known release of SONAME export SYMBOL? */
static bool exports(const struct abi_family *family, const char *soname, const char *symbol)
{
	return find(family, soname, symbol) != NULL;
}

/* The index of the oldest release that FACT and those behind it, of the same symbol, hold of. */
static size_t oldest(const struct abi_family *family, const struct abi_fact *fact, const char *symbol, size_t first)
{
	const struct abi_fact *end = family->facts + family->first[ABI_EXPORT + 1];
	const char *soname = fact->column[EXPORT_SONAME];
	size_t length = strlen(symbol);

	for (; fact < end && strcmp(fact->column[EXPORT_SONAME], soname) == 0 && strncmp(fact->column[EXPORT_SYMBOL], symbol, length) == 0; fact++) {
		const char *rest = fact->column[EXPORT_SYMBOL] + length;

		for (size_t r = 0; (!*rest || *rest == '@') && r < first; r++)
			if (abi_set_has(&fact->releases, r))
				first = r;
	}
	return first;
}

const char *gw_scan_first_release(const struct abi_family *family, const char *symbol)
{
	size_t first = family->release_count;

	for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++) {
		const struct abi_fact *fact = find(family, family->facts[f].column[EXPORT_SONAME], symbol);

		if (fact)
			first = oldest(family, fact, symbol, first);
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
	size_t told = 0, plain = 0;

	for (size_t i = 0; i < elf->import_count; i++) {
		const struct gw_elf_import *import = &elf->imports[i];
		const struct abi_family *family = import->file		? gw_scan_family(db, import->file)
						  : plain++ < MAX_PLAIN ? family_of_plain(db, import->name)
									: NULL;
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
		*severe = true;
		if (++told > MAX_TOLD)
			continue;
		first = gw_scan_first_release(family, import->name);
		json_array_append_new(json_object_get(entry, "missing"),
				      json_pack("{s:o,s:o,s:s?}", "name", gw_json_text(import->name), "node",
						gw_json_text(import->node), "first_release", first));
		gw_scan_finding(findings, GW_FINDING_IMPORT_UNKNOWN,
				first ? "install that release, and the version of this file that "
					"is built for it"
				      : NULL,
				"%s is imported from %s, and no known release of that has it%s%s",
				import->name, import->file, first ? "; the first that has is " : "",
				first ? first : "");
	}
	if (told > MAX_TOLD)
		gw_scan_finding(findings, GW_FINDING_IMPORT_UNKNOWN, NULL, "%zu more functions are imported that no known release has", told - MAX_TOLD);
	return imports;
}
