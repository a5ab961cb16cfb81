/* SPDX-License-Identifier: Apache-2.0 */
/* See copies.h. */
#include "copies.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "audit_system.h"
#include "directory_list.h"
#include "elf_file.h"

#define SAMPLE (256u << 10) /* bytes compared at each end of two files, and */
#define SAMPLES 64u	    /* as many pages between, where no build id tells: kernels are hundreds of megabytes */
#define PAGE 4096u

size_t gw_copy_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

bool gw_copy_join(char *to, const char *directory, size_t length, const char *name)
{
	size_t more = strlen(name);

	if (length + more + 2 > GW_COPY_PATH)
		return false;
	memcpy(to, directory, length);
	to[length] = '/';
	memcpy(to + length + 1, name, more + 1);
	return true;
}

/* Through the kernel's own name of an open file: it follows each kind of link, and ends. */
bool gw_copy_real(const char *path, char *to)
{
	char link[32] = "/proc/self/fd/";
	int file = (int)gw_sys_open(path, O_PATH | O_CLOEXEC, 0);
	size_t end = strlen(link), digits = 1;
	long length;

	if (file < 0)
		return false;
	for (int rest = file; rest >= 10; rest /= 10)
		digits++;
	link[end + digits] = '\0';
	for (int rest = file; digits; rest /= 10)
		link[end + --digits] = (char)('0' + rest % 10);
	length = gw_sys_readlink(link, to, GW_COPY_PATH - 1);
	gw_sys_close(file);
	if (length <= 0 || *to != '/')
		return false;
	to[length] = '\0';
	return true;
}

static bool equal_samples(const struct gw_elf_file *a, const struct gw_elf_file *b)
{
	size_t end = a->size < SAMPLE ? a->size : SAMPLE, step = a->size / SAMPLES;

	if (memcmp(a->data, b->data, end) || memcmp(a->data + a->size - end, b->data + a->size - end, end))
		return false;
	for (size_t at = step; step > PAGE && at + PAGE < a->size; at += step)
		if (memcmp(a->data + at, b->data + at, PAGE))
			return false;
	return true;
}

static bool equal_files(const struct gw_elf_file *a, const struct gw_elf_file *b)
{
	size_t length_a = 0, length_b = 0;
	const unsigned char *id_a = gw_elf_file_build_id(a, &length_a), *id_b = gw_elf_file_build_id(b, &length_b);

	if (a->size != b->size)
		return false;
	if (id_a && id_b && length_a && (length_a != length_b || memcmp(id_a, id_b, length_a)))
		return false;
	return equal_samples(a, b);
}

bool gw_copies_equal(const char *a, const char *b)
{
	struct gw_elf_file one, other;
	struct stat info_a, info_b;
	bool equal = false;

	if (gw_sys_stat(a, &info_a) < 0 || gw_sys_stat(b, &info_b) < 0)
		return false;
	if (info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino)
		return true;
	if (info_a.st_size != info_b.st_size || !gw_elf_file_open(&one, a))
		return false;
	if (gw_elf_file_open(&other, b)) {
		equal = equal_files(&one, &other);
		gw_elf_file_close(&other);
	}
	gw_elf_file_close(&one);
	return equal;
}

struct alike {
	const struct gw_partners_name *name;
	const char *a, *b;
	size_t length_a, length_b;
	bool differ;
};

static bool note_beside(const char *entry, void *data)
{
	struct alike *alike = data;
	char one[GW_COPY_PATH], other[GW_COPY_PATH];
	struct gw_partners_name name;

	if (!gw_partners_of(entry, &name) || !name.plain || !gw_partners_together(&name, alike->name) ||
	    !gw_copy_join(one, alike->a, alike->length_a, entry) || !gw_copy_join(other, alike->b, alike->length_b, entry))
		return true;
	alike->differ = gw_sys_access(one, 4) == 0 && !gw_copies_equal(one, other);
	return !alike->differ;
}

bool gw_copies_alike(const char *a, const char *b, const struct gw_partners_name *name)
{
	struct alike alike = { .name = name, .a = a, .b = b, .length_a = gw_copy_directory(a), .length_b = gw_copy_directory(b) };
	char directory[GW_COPY_PATH];

	if (!gw_copies_equal(a, b))
		return false;
	if (!alike.length_b || alike.length_b >= sizeof directory)
		return true;
	memcpy(directory, b, alike.length_b);
	directory[alike.length_b] = '\0';
	gw_directory_each(directory, note_beside, &alike);
	return !alike.differ;
}

struct wheel {
	const char *name;
	struct gw_partners_release *release;
	unsigned found;
};

/* [nvidia_]NAME[_cuNN]-RELEASE.dist-info? */
static bool note_wheel(const char *entry, void *data)
{
	static const char prefix[] = "nvidia_", suffix[] = ".dist-info";
	struct wheel *wheel = data;
	const char *at = strncmp(entry, prefix, sizeof prefix - 1) ? entry : entry + sizeof prefix - 1;
	size_t length = strlen(wheel->name), end = strlen(at);
	struct gw_partners_release read;

	if (strncmp(at, wheel->name, length) || end < length + sizeof suffix || strcmp(at + end - (sizeof suffix - 1), suffix))
		return true;
	at += length;
	end -= length + sizeof suffix - 1;
	if (!strncmp(at, "_cu", 3))
		while (end && *at != '-')
			at++, end--;
	if (end < 2 || *at != '-' || !gw_partners_release_read(&read, at + 1, end - 1, 2))
		return true;
	*wheel->release = read;
	return ++wheel->found < 2;
}

/* The release of the wheel in whose nvidia/ANY/lib PATH lies. Several of one name are none: nobody knows whose file it is. */
static bool by_wheel(const char *path, const struct gw_partners_name *name, struct gw_partners_release *release)
{
	struct wheel wheel = { .name = name->set->wheel, .release = release };
	const char *site = NULL, *next = path, *rest;
	size_t length;
	char directory[GW_COPY_PATH];

	while ((next = strstr(next, "/nvidia/")))
		site = next++;
	if (!site)
		return false;
	rest = site + strlen("/nvidia/");
	rest += strcspn(rest, "/");
	length = (size_t)(site - path);
	if (strncmp(rest, "/lib/", 5) || length >= sizeof directory)
		return false;
	memcpy(directory, path, length);
	directory[length] = '\0';
	gw_directory_each(length ? directory : "/", note_wheel, &wheel);
	if (wheel.found != 1)
		*release = (struct gw_partners_release){ 0 };
	return wheel.found == 1;
}

/* Toolkits and Debian packages name the file by its release, and link the soname to it; so do repaired wheels. */
static bool by_name(const char *path, struct gw_partners_release *release)
{
	const char *base = path + gw_copy_directory(path), *version = strstr(base, ".so.");

	return version && gw_partners_release_read(release, version + 4, strlen(version + 4), 3);
}

struct telling {
	const char *path;
	const struct gw_partners_name *name;
	struct gw_partners_release *release;
};

/* The one number between MAJOR * 10000 and what follows that stands in CODE; 0 where there is none, or several. */
static uint32_t number_in_code(const unsigned char *code, size_t size, uint32_t major)
{
	uint32_t found = 0, number;

	for (size_t i = 0; i + sizeof number <= size; i++) {
		memcpy(&number, code + i, sizeof number);
		if (number / 10000 != major || number == found)
			continue;
		if (found)
			return 0;
		found = number;
	}
	return found;
}

static void read_number(struct gw_partners_release *release, const unsigned char *bytes, size_t size, bool data, const char *version)
{
	struct gw_partners_release major;
	uint32_t number;

	if (!bytes || !gw_partners_release_read(&major, version, strcspn(version, "."), 1))
		return;
	if (data && size == sizeof number) {
		memcpy(&number, bytes, sizeof number);
		*release = (struct gw_partners_release){ 3, { number >> 16, number >> 8 & 0xff, number & 0xff } };
	} else if (!data && (number = number_in_code(bytes, size, major.number[0]))) {
		*release = (struct gw_partners_release){ 3, { number / 10000, number / 100 % 100, number % 100 } };
	}
	if (release->count && release->number[0] != major.number[0])
		release->count = 0;
}

/* In the library itself, or in the one beside it that tells: a directory is taken to be of one release. */
static bool by_library(const struct gw_partners_place *place, void *data)
{
	struct telling *telling = data;
	char path[GW_COPY_PATH], name[128];
	size_t major = telling->name->major_length, end = place->stem_length, size;
	const unsigned char *bytes;
	struct gw_elf_file file;

	if (end + major + 5 > sizeof name || place->symbol_length >= sizeof name || !major)
		return false;
	memcpy(name, place->stem, end);
	memcpy(name + end, ".so.", 4);
	memcpy(name + end + 4, telling->name->version, major);
	name[end + 4 + major] = '\0';
	if (!gw_copy_join(path, telling->path, gw_copy_directory(telling->path), name) || !gw_elf_file_open(&file, path))
		return false;
	memcpy(name, place->symbol, place->symbol_length);
	name[place->symbol_length] = '\0';
	bytes = gw_elf_file_symbol(&file, name, &size);
	read_number(telling->release, bytes, size, place->data, telling->name->version);
	gw_elf_file_close(&file);
	return telling->release->count != 0;
}

void gw_copy_release(const char *path, const struct gw_partners_name *name, struct gw_partners_release *release)
{
	char real[GW_COPY_PATH];

	*release = (struct gw_partners_release){ 0 };
	if (by_wheel(path, name, release) || !gw_copy_real(path, real))
		return;
	if (!by_wheel(real, name, release) && !by_name(real, release) && !name->bundled)
		gw_partners_places(name->set, by_library, &(struct telling){ path, name, release });
}

struct lacking {
	const struct gw_elf_file *library;
	char *lacked;
	unsigned had;
	bool lacks;
};

static bool note_import(const char *name, const char *node, void *data)
{
	struct lacking *lacking = data;
	size_t length = strlen(name);

	lacking->lacks = !gw_elf_file_defines(lacking->library, name, node);
	lacking->had += !lacking->lacks;
	if (lacking->lacks && lacking->lacked) {
		length = length < 127 ? length : 127;
		memcpy(lacking->lacked, name, length);
		lacking->lacked[length] = '\0';
	}
	return !lacking->lacks;
}

/* False where a file cannot be read. */
static bool compare_imports(const char *needer, const char *library, const char *path, struct lacking *lacking)
{
	struct gw_elf_file mine, other;

	if (!gw_elf_file_open(&mine, needer))
		return false;
	if (gw_elf_file_open(&other, path)) {
		lacking->library = &other;
		gw_elf_file_imports(&mine, library, note_import, lacking);
		gw_elf_file_close(&other);
	}
	gw_elf_file_close(&mine);
	return lacking->library != NULL;
}

bool gw_copy_serves(const char *needer, const char *library, const char *path)
{
	struct lacking lacking = { 0 };

	return compare_imports(needer, library, path, &lacking) && !lacking.lacks && lacking.had;
}

bool gw_copy_lacks(const char *needer, const char *library, const char *path, char *lacked)
{
	struct lacking lacking = { .lacked = lacked };

	*lacked = '\0';
	return compare_imports(needer, library, path, &lacking) && lacking.lacks;
}

static bool needs(const struct gw_elf_file *file, const char *name)
{
	const char *needed;

	for (unsigned i = 0; (needed = gw_elf_file_needed(file, i)); i++)
		if (!strcmp(needed, name))
			return true;
	return false;
}

/* Does the file NEWER need a library of another set that OLDER does not? */
static bool needs_more(const char *newer, const char *older, const struct gw_partners *set)
{
	struct gw_elf_file file, before;
	struct gw_partners_name name;
	const char *needed;
	bool more = false;

	if (!gw_elf_file_open(&file, newer))
		return true;
	if (!gw_elf_file_open(&before, older)) {
		gw_elf_file_close(&file);
		return true;
	}
	for (unsigned i = 0; !more && (needed = gw_elf_file_needed(&file, i)); i++)
		more = gw_partners_of(needed, &name) && name.set != set && !needs(&before, needed);
	gw_elf_file_close(&before);
	gw_elf_file_close(&file);
	return more;
}

struct replacing {
	const struct gw_partners_name *name;
	const char *newer, *older;
	size_t newer_length, older_length;
	bool refused;
};

static bool note_member(const char *entry, void *data)
{
	struct replacing *replacing = data;
	char there[GW_COPY_PATH], here[GW_COPY_PATH];
	struct gw_partners_name name;

	if (!gw_partners_of(entry, &name) || !name.plain || !gw_partners_together(&name, replacing->name))
		return true;
	replacing->refused = !gw_copy_join(here, replacing->older, replacing->older_length, entry) ||
			     !gw_copy_join(there, replacing->newer, replacing->newer_length, entry) ||
			     gw_sys_access(there, 4) != 0 || needs_more(there, here, name.set);
	return !replacing->refused;
}

bool gw_copy_replaces(const char *newer, const char *older, const struct gw_partners_name *name)
{
	struct replacing replacing = { .name = name, .newer = newer, .older = older,
				       .newer_length = gw_copy_directory(newer), .older_length = gw_copy_directory(older) };
	char directory[GW_COPY_PATH];

	if (!replacing.older_length || replacing.older_length >= sizeof directory)
		return false;
	memcpy(directory, older, replacing.older_length);
	directory[replacing.older_length] = '\0';
	return gw_directory_each(directory, note_member, &replacing) && !replacing.refused;
}
