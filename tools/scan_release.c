/* SPDX-License-Identifier: Apache-2.0 */
/* Which release a library is (scan.h): by the wheel that it lies in, by its file's name, or by what
 * it exports, against the database. Its own version function cannot be called. */
#include "scan.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target.h"

enum { EXPORT_SONAME, EXPORT_SYMBOL };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/*
 * The release that a wheel's own metadata gives for a file in <site>/nvidia/<package>/lib: the one
 * nvidia_<package>*-RELEASE.dist-info beside it. To free; NULL where there is none, or several.
 */
static char *by_wheel(const char *path)
{
	const char *site_end = strstr(path, "/nvidia/"), *package, *name, *dash, *end;
	char pattern[PATH_MAX];
	char *release = NULL;
	glob_t matches;
	size_t length;

	for (const char *next = site_end; next; next = strstr(next + 1, "/nvidia/"))
		site_end = next;
	if (!site_end)
		return NULL;
	package = site_end + strlen("/nvidia/");
	length = strcspn(package, "/");
	if (strncmp(package + length, "/lib/", 5) != 0 ||
	    snprintf(pattern, sizeof pattern, "%.*s/nvidia_%.*s*-*.dist-info",
		     (int)(site_end - path), path, (int)length, package) >= (int)sizeof pattern ||
	    glob(pattern, GLOB_ONLYDIR, NULL, &matches) != 0)
		return NULL;
	if (matches.gl_pathc == 1) {
		name = base_of(matches.gl_pathv[0]);
		dash = strchr(name, '-');
		end = strstr(name, ".dist-info");
		if (dash && end && dash < end)
			release = strndup(dash + 1, (size_t)(end - dash - 1));
	}
	globfree(&matches);
	return release;
}

/* Toolkits name the file itself by its release, and link the soname to it: libx.so.12.8.5.5. */
static char *by_name(const struct gw_loader *loader, const char *path)
{
	char real[PATH_MAX];
	const char *digits;
	unsigned dots = 0;

	if (gw_loader_real(loader, path, real) != 0)
		return NULL;
	digits = strstr(base_of(real), ".so.");
	if (!digits)
		return NULL;
	digits += 4;
	for (const char *at = digits; *at; at++) {
		if (!isdigit((unsigned char)*at) && *at != '.')
			return NULL;
		dots += *at == '.';
	}
	return dots >= 2 ? strdup(digits) : NULL;
}

static bool has_export(const struct gw_elf *elf, const char *column)
{
	char name[256];
	size_t length = strcspn(column, "@");
	struct gw_elf_version version = {0};
	struct gw_elf_query query;
	uint32_t index;

	if (length >= sizeof name)
		return false;
	memcpy(name, column, length);
	name[length] = '\0';
	if (column[length]) {
		gw_elf_query_init(&query, column + length + 1, NULL);
		version.node = column + length + 1;
		version.hash = query.old_hash;
	}
	gw_elf_query_init(&query, name, column[length] ? &version : NULL);
	query.plt = true;
	return gw_elf_find(elf, &query, &index) != GW_ELF_ABSENT;
}

/* The releases of its soname that export no more and no less of what any release does. */
static char *by_exports(struct gw_scan *scan, const char *path)
{
	struct gw_file *file = gw_loader_file(&scan->loader, path);
	const char *soname = file && !file->status ? file->elf.soname : NULL;
	const struct abi_family *family = soname ? gw_scan_family(&scan->db, soname) : NULL;
	struct abi_set fits;
	size_t first = SIZE_MAX, last = 0;
	char *text = NULL;

	if (!family)
		return NULL;
	memset(&fits, 0, sizeof fits);
	for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++)
		if (strcmp(family->facts[f].column[0], soname) == 0)
			fits = family->facts[f].releases;
	for (size_t f = family->first[ABI_EXPORT]; f < family->first[ABI_EXPORT + 1]; f++) {
		const struct abi_fact *fact = &family->facts[f];
		bool has;

		if (strcmp(fact->column[EXPORT_SONAME], soname) != 0)
			continue;
		has = has_export(&file->elf, fact->column[EXPORT_SYMBOL]);
		for (size_t i = 0; i < ABI_MAX_RELEASES / 64; i++)
			fits.bits[i] &= has ? fact->releases.bits[i] : ~fact->releases.bits[i];
	}
	for (size_t r = 0; r < family->release_count; r++)
		if (abi_set_has(&fits, r)) {
			first = first == SIZE_MAX ? r : first;
			last = r;
		}
	if (first == SIZE_MAX)
		return NULL;
	if (first == last)
		return strdup(family->releases[first].version);
	if (asprintf(&text, "%s to %s", family->releases[first].version,
		     family->releases[last].version) < 0)
		return NULL;
	return text;
}

char *gw_scan_release(struct gw_scan *scan, const char *path, bool exports_too)
{
	const struct gw_file *file = gw_loader_file(&scan->loader, path);
	const char *soname = file && !file->status ? file->elf.soname : NULL;
	char host[PATH_MAX], plain[PATH_MAX];
	char *release = NULL;

	/* A RUNPATH leads from one package to another: nvidia/cudnn/lib/../../cublas/lib. */
	if (gw_loader_host(&scan->loader, path, host) == 0)
		release = by_wheel(strstr(host, "/../") && realpath(host, plain) ? plain : host);

	if (!release && soname && gw_scan_family(&scan->db, soname))
		release = by_name(&scan->loader, path);
	if (!release && exports_too)
		release = by_exports(scan, path);
	return release;
}

char *gw_scan_package(const struct abi_family *family, const char *release)
{
	for (size_t r = 0; r < family->release_count; r++) {
		const char *wheel = family->releases[r].wheels;
		char *name;

		if (strcmp(family->releases[r].version, release) != 0)
			continue;
		name = strndup(wheel, strcspn(wheel, "-,"));
		for (char *at = name; at && *at; at++)
			*at = *at == '_' ? '-' : *at;
		return name;
	}
	return NULL;
}

const char *gw_scan_suite(const struct abi_db *db, const char *soname)
{
	const struct abi_family *family = gw_scan_family(db, soname);
	const char *group = NULL;

	/* Not each soname has a facade, but each family that is told apart has one with. */
	for (size_t f = family ? family->first[ABI_SONAME] : 0;
	     family && f < family->first[ABI_SONAME + 1] && !group; f++)
		group = gw_target_group(family->facts[f].column[0]);
	return group;
}
