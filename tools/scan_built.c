/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which releases of each family a file may have been built for, and what says so (scan.h): the version nodes and libraries that it needs,
 * the functions that it imports, sonames that stand in it where it needs none (it opens them), and what the Python package that it belongs
 * to requires. Published binaries hold no other word of the releases of these libraries that they were built with.
 */
#include "scan.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "json_text.h"
#include "mapping.h"

#define MAX_STRINGS 64
/* A hostile file has as many strings, of as many bytes, as it likes. */
#define MAX_LOOKS (1u << 16)
#define MAX_BYTES (1ul << 30)
#define WINDOW (1ul << 20)  /* of a file that is kept in memory at a time */
#define LONGEST 64	     /* of a soname */

struct range {
	const struct abi_family *family;
	size_t first, last;
	char *first_why, *last_why; /* NULL: nothing bounds it */
};

/* A whole file, read-only; SIZE 0 where it cannot be had. */
struct mapped {
	const char *text;
	size_t size;
	struct gw_mapping mapping;
};

static struct mapped map_file(const char *path)
{
	struct mapped mapped = {0};

	if (gw_mapping_open(&mapped.mapping, path) == 0) {
		mapped.text = (const char *)mapped.mapping.bytes;
		mapped.size = mapped.mapping.size;
	}
	return mapped;
}

static void unmap(struct mapped mapped)
{
	gw_mapping_close(&mapped.mapping);
}

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
		/* As the shim reads it: whoever asks whether a function is there can do without it. */
		before = import->file;
		if (!import->weak && strncmp(import->name, "cu", 2) == 0 && bounds_of_function(range->family, import->name, &first, &last) &&
		    (first > range->first || last < range->last))
			narrow(range, first, last, format("imports", import->name));
	}
}

/* Strings of a file that look like sonames of the vendor's. */
struct sonames {
	const char *name[MAX_STRINGS];
	size_t count;
	unsigned looks;
	size_t bytes;
	int file; /* the same file, to ask where it holds something */
	bool looked;
};

static void note_sonames(struct sonames *sonames, const char *at, const char *end)
{
	while (at < end && (at = memmem(at, (size_t)(end - at), "libcu", 5)) && ++sonames->looks < MAX_LOOKS) {
		size_t room = end - at < LONGEST ? (size_t)(end - at) : LONGEST;
		size_t length = strnlen(at, room), i;

		for (i = 0; i < sonames->count && strcmp(sonames->name[i], at) != 0;)
			i++;
		if (length < room && memmem(at, length, ".so", 3) && i == sonames->count &&
		    i < MAX_STRINGS)
			sonames->name[sonames->count++] = at;
		at += 5;
	}
}

/* The same, a window at a time, and of a sparse file only what it holds. */
static void look_between(struct sonames *sonames, struct mapped file, const char *at, const char *end)
{
	while (at < end && sonames->bytes < MAX_BYTES) {
		off_t data = lseek(sonames->file, at - file.text, SEEK_DATA), hole = lseek(sonames->file, data, SEEK_HOLE);
		size_t size, more;

		if (data < 0 || hole <= data || data >= end - file.text)
			return;
		at = file.text + data;
		size = (size_t)(hole - data < end - at ? hole - data : end - at);
		size = size < WINDOW ? size : WINDOW;
		more = (size_t)(end - at) - size < LONGEST ? (size_t)(end - at) - size : LONGEST;
		note_sonames(sonames, at, at + size + more);
		gw_mapping_forget((const unsigned char *)at, size);
		sonames->bytes += size;
		at += size;
	}
}

/* Is it a section with code for the GPU, as large as all the rest, or bigger? */
static bool is_for_gpu(struct mapped file, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
	static const char *const words[] = {".nv_fatbin", "__nv_relfatbin", ".cask_resource"};
	uint64_t at = names->sh_offset + section->sh_name;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (at < file.size && file.size - at > strlen(words[i]) &&
		    strcmp(file.text + at, words[i]) == 0)
			return true;
	return false;
}

static bool section_of(struct mapped file, const Elf64_Ehdr *header, size_t index,
		       Elf64_Shdr *section)
{
	uint64_t at = header->e_shoff + index * sizeof *section;

	if (header->e_shentsize != sizeof *section || header->e_shoff > file.size ||
	    at > file.size || file.size - at < sizeof *section)
		return false;
	memcpy(section, file.text + at, sizeof *section);
	return section->sh_offset <= file.size &&
	       (section->sh_type == SHT_NOBITS || section->sh_size <= file.size - section->sh_offset);
}

/* All of the file but what is for the GPU, where its sections tell. */
static void look_for_sonames(struct sonames *sonames, struct mapped file)
{
	const char *at = file.text, *end = file.text + file.size;
	Elf64_Ehdr header;
	Elf64_Shdr names, section;

	sonames->looked = true;
	if (file.size < sizeof header)
		return;
	memcpy(&header, file.text, sizeof header);
	if (section_of(file, &header, header.e_shstrndx, &names))
		for (size_t i = 1; i < header.e_shnum; i++) {
			if (!section_of(file, &header, i, &section) ||
			    section.sh_type == SHT_NOBITS ||
			    !is_for_gpu(file, &names, &section) ||
			    file.text + section.sh_offset < at)
				continue;
			look_between(sonames, file, at, file.text + section.sh_offset);
			at = file.text + section.sh_offset + section.sh_size;
		}
	look_between(sonames, file, at, end);
}

/* Sonames of the family that stand in the file as strings, with which it opens libraries itself. */
static void by_strings(struct range *range, const struct sonames *sonames)
{
	const struct abi_family *family = range->family;
	size_t least = family->release_count, most = 0, first, last;
	const char *named = NULL;

	for (size_t i = 0; i < sonames->count; i++) {
		if (!bounds(family, ABI_SONAME, 0, sonames->name[i], &first, &last))
			continue;
		least = least < first ? least : first;
		most = most > last ? most : last;
		named = sonames->name[i];
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

/* One line "Requires-Dist: NAME (==VERSION) ; CONDITION", with or without the parentheses. */
static void by_requirement(struct range *range, const char *line, size_t length, const char *package)
{
	static const char key[] = "Requires-Dist: ";
	char text[256], *equal, *why = NULL;
	size_t name, first, last, digits;
	unsigned part[4];

	if (length <= sizeof key || length >= sizeof text || strncmp(line, key, sizeof key - 1) != 0)
		return;
	memcpy(text, line + sizeof key - 1, length - sizeof key + 1);
	text[length - sizeof key + 1] = 0;
	name = strcspn(text, " (=;<>!~[");
	text[strcspn(text, ";")] = 0;
	equal = strstr(text, "==");
	if (!equal || !is_package(range->family, text, name))
		return;
	equal += 2;
	equal += strspn(equal, " ");
	digits = strspn(equal, "0123456789.");
	if (!abi_version_parse(equal, digits, part))
		return;
	neighbours(range->family, part, &first, &last);
	if (first > range->last || last < range->first)
		return; /* what it requires is not what the file was built for */
	if (asprintf(&why, "%s requires %.*s %.*s", package, (int)name, text, (int)digits, equal) >= 0)
		narrow(range, first, last, why);
}

static void by_metadata(struct range *range, const char *info, const char *package)
{
	char path[PATH_MAX];
	struct mapped file;

	if (snprintf(path, sizeof path, "%s/METADATA", info) >= (int)sizeof path)
		return;
	file = map_file(path);
	for (size_t at = 0; at < file.size;) {
		const char *end = memchr(file.text + at, '\n', file.size - at);
		size_t length = end ? (size_t)(end - file.text) - at : file.size - at;

		if (!length)
			break; /* the headers end, the description begins */
		by_requirement(range, file.text + at, length, package);
		at += length + 1;
	}
	unmap(file);
}

/* Does the package's RECORD list the file NAME of its directory? */
static bool records(const char *info, const char *name)
{
	char path[PATH_MAX];
	size_t length = strlen(name);
	struct mapped file;
	bool found = false;

	if (snprintf(path, sizeof path, "%s/RECORD", info) >= (int)sizeof path)
		return false;
	file = map_file(path);
	for (const char *at = file.text, *end = at + file.size; at && at < end && !found;) {
		at = memmem(at, (size_t)(end - at), name, length);
		if (!at)
			break;
		found = (at == file.text || at[-1] == '\n') && at + length < end && at[length] == ',';
		at += length;
	}
	unmap(file);
	return found;
}

/* The .dist-info directories of one directory: looked for once a run. */
struct packages {
	char *directory;
	glob_t infos;
};

static int compare_packages(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const struct packages *packages_in(struct gw_scan *scan, const char *directory)
{
	struct packages **found = tfind(&directory, &scan->packages, compare_packages), *new;
	char pattern[PATH_MAX + 16];

	if (found)
		return *found;
	new = calloc(1, sizeof *new);
	if (!new)
		return NULL;
	new->directory = strdup(directory);
	snprintf(pattern, sizeof pattern, "%s/*.dist-info", directory);
	if (glob(pattern, GLOB_NOSORT, NULL, &new->infos) != 0)
		new->infos = (glob_t){0};
	if (new->directory && tsearch(new, &scan->packages, compare_packages))
		return new;
	globfree(&new->infos);
	free(new->directory);
	free(new);
	return NULL;
}

static void free_packages(void *node)
{
	struct packages *packages = node;

	globfree(&packages->infos);
	free(packages->directory);
	free(packages);
}

void gw_scan_forget_packages(struct gw_scan *scan)
{
	tdestroy(scan->packages, free_packages);
	scan->packages = NULL;
}

/* The .dist-info of the Python package that PATH belongs to, or NULL; to be freed. */
static char *package_of(struct gw_scan *scan, const char *path)
{
	char whole[PATH_MAX], *slash, *info = NULL;

	if (!realpath(path, whole))
		return NULL;
	for (slash = strrchr(whole, '/'); slash && slash > whole && !info;) {
		const struct packages *packages;

		*slash = 0;
		packages = packages_in(scan, whole);
		for (size_t i = 0; packages && i < packages->infos.gl_pathc && !info; i++)
			if (records(packages->infos.gl_pathv[i], slash + 1))
				info = strdup(packages->infos.gl_pathv[i]);
		/* What was cut off stays behind the 0: "a/b" of "/site/a/b" is found at /site. */
		char *upper = strrchr(whole, '/');
		*slash = '/';
		slash = upper;
	}
	return info;
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

json_t *gw_scan_built(struct gw_scan *scan, const struct gw_elf *elf, const char *path)
{
	const struct abi_db *db = &scan->db;
	json_t *result = json_array();
	char *info = package_of(scan, path);
	const char *slash = info ? strrchr(info, '/') : NULL;
	struct mapped file = {0};
	struct sonames sonames = {0};

	for (size_t i = 0; i < db->family_count; i++) {
		struct range range = {.family = &db->families[i], .last = db->families[i].release_count - 1};
		json_t *one;
		size_t first, last;

		/* A release's own file is not built for one. */
		if (!db->families[i].release_count || (elf->soname && bounds(range.family, ABI_SONAME, 0, elf->soname, &first, &last)))
			continue;
		by_imports(&range, elf);
		for (size_t n = 0; n < elf->needed_count; n++)
			by_soname(&range, elf->needed[n], "needs");
		if (!range.first_why && !range.last_why) {
			if (!sonames.looked) {
				file = map_file(path);
				sonames.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
				look_for_sonames(&sonames, file);
				if (sonames.file >= 0)
					close(sonames.file);
			}
			by_strings(&range, &sonames);
		}
		if (slash && (range.first_why || range.last_why))
			by_metadata(&range, info, slash + 1);
		one = entry(&range);
		if (one)
			json_array_append_new(result, one);
		free(range.first_why);
		free(range.last_why);
	}
	unmap(file);
	free(info);
	return result;
}
