/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor's questions to the file system: would the loader find this name here? Reads, never
 * changes; no allocation. What it cannot tell it answers with 'yes, a file is there', so that the
 * loader's own search stays as it is.
 */
#include "audit.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "audit_system.h"

#define MAX_DEFAULTS 32
#define CACHE_FILE "/etc/ld.so.cache"
#define CACHE_LIMIT (64u << 20)

/* Sub-directories that some glibc from 2.17 on tries inside each directory of a search. */
static const char *const hwcaps[] = {
	"",
	"glibc-hwcaps/x86-64-v4/",
	"glibc-hwcaps/x86-64-v3/",
	"glibc-hwcaps/x86-64-v2/",
	"tls/haswell/avx512_1/x86_64/",
	"tls/haswell/avx512_1/",
	"tls/haswell/x86_64/",
	"tls/haswell/",
	"tls/avx512_1/x86_64/",
	"tls/avx512_1/",
	"tls/x86_64/",
	"tls/",
	"haswell/avx512_1/x86_64/",
	"haswell/avx512_1/",
	"haswell/x86_64/",
	"haswell/",
	"avx512_1/x86_64/",
	"avx512_1/",
	"x86_64/",
};

/* Where a glibc that cannot be asked has its defaults. */
static const char *const usual_defaults[] = {
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

static char defaults[MAX_DEFAULTS][GW_AUDIT_NAME];
static uint32_t default_caps[MAX_DEFAULTS]; /* which of hwcaps exist there, as bits */
static unsigned default_count;

_Static_assert(sizeof hwcaps / sizeof *hwcaps <= 32, "they are bits of a uint32_t");

static bool put(char *path, size_t *length, const char *text, size_t text_length)
{
	if (*length + text_length >= GW_AUDIT_PATH)
		return false;
	memcpy(path + *length, text, text_length);
	*length += text_length;
	path[*length] = '\0';
	return true;
}

bool gw_audit_file_stops(const char *path)
{
	unsigned char head[20];
	int file = (int)gw_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	long count;

	if (file < 0)
		return false;
	count = gw_sys_read(file, head, sizeof head);
	gw_sys_close(file);
	if (count < (long)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0)
		return true; /* the loader will complain about it, and stop there */
	return head[EI_CLASS] == ELFCLASS64 && (head[18] | head[19] << 8) == EM_X86_64;
}

/* CAPS: which of the hwcaps directories to try, as bits. PATH: the file, where there is one. */
static bool directory_find(const char *directory, size_t length, const char *name, uint32_t caps,
			   char *path)
{

	for (size_t i = 0; i < sizeof hwcaps / sizeof *hwcaps; i++) {
		size_t end = 0;

		if (!(caps >> i & 1))
			continue;
		if (!put(path, &end, directory, length) || !put(path, &end, "/", 1) ||
		    !put(path, &end, hwcaps[i], strlen(hwcaps[i])) ||
		    !put(path, &end, name, strlen(name)))
			return false;
		if (gw_audit_file_stops(path))
			return true;
	}
	return false;
}

static bool directory_has(const char *directory, size_t length, const char *name, uint32_t caps)
{
	static char path[GW_AUDIT_PATH];

	return directory_find(directory, length, name, caps, path);
}

bool gw_audit_directory_has(const char *directory, size_t length, const char *name)
{
	return directory_has(directory, length, name, UINT32_MAX);
}

/* Which of the hwcaps directories there are in a directory. The loader, too, looks once and
 * remembers. */
static uint32_t caps_of(const char *directory, size_t length)
{
	static char path[GW_AUDIT_PATH];
	uint32_t caps = 0;

	for (size_t i = 0; i < sizeof hwcaps / sizeof *hwcaps; i++) {
		size_t end = 0;

		if (put(path, &end, directory, length) && put(path, &end, "/", 1) &&
		    put(path, &end, hwcaps[i], strlen(hwcaps[i])) && gw_sys_access(path, X_OK) == 0)
			caps |= UINT32_C(1) << i;
	}
	return caps;
}

static void default_add(const char *directory, size_t length)
{
	while (length > 1 && directory[length - 1] == '/')
		length--;
	if (!length || length >= sizeof defaults[0] || default_count == MAX_DEFAULTS)
		return;
	for (unsigned i = 0; i < default_count; i++)
		if (strlen(defaults[i]) == length && memcmp(defaults[i], directory, length) == 0)
			return;
	memcpy(defaults[default_count], directory, length);
	defaults[default_count][length] = '\0';
	default_caps[default_count++] = caps_of(directory, length);
}

static void defaults_learn(void)
{
	const Dl_serinfo *list = gw_audit_loader_defaults();

	for (unsigned i = 0; list && i < list->dls_cnt; i++)
		default_add(list->dls_serpath[i].dls_name, strlen(list->dls_serpath[i].dls_name));
	for (size_t i = 0; i < sizeof usual_defaults / sizeof *usual_defaults; i++)
		default_add(usual_defaults[i], strlen(usual_defaults[i]));
}

static void default_add_shown(const char *shown)
{
	const char *end = strrchr(shown, '/');
	size_t length = end ? (size_t)(end - shown) : 0;

	for (size_t i = 1; i < sizeof hwcaps / sizeof *hwcaps; i++) {
		size_t cap = strlen(hwcaps[i]);

		if (length + 1 > cap + 1 && memcmp(shown + length + 1 - cap, hwcaps[i], cap) == 0 &&
		    shown[length - cap] == '/') {
			length -= cap;
			break;
		}
	}
	default_add(shown, length);
}

bool gw_audit_defaults_have(const char *name, const char *shown)
{
	if (!default_count)
		defaults_learn();
	if (shown)
		default_add_shown(shown);
	for (unsigned i = 0; i < default_count; i++)
		if (directory_has(defaults[i], strlen(defaults[i]), name, default_caps[i]))
			return true;
	return false;
}

/* The first string of the cache that ends in "/NAME" and whose file is still there, into PATH. Needs no
 * knowledge of the cache's layout. */
static bool cache_names(const char *cache, size_t size, const char *name, char *path)
{
	size_t length = strlen(name) + 1;
	const char *at = cache, *end = cache + size;

	while ((at = memmem(at, (size_t)(end - at), name, length)) != NULL) {
		const char *start = at;

		while (start > cache && start[-1])
			start--;
		if (start < at && *start == '/' && at[-1] == '/' &&
		    (size_t)(at - start) + length < GW_AUDIT_PATH) {
			memcpy(path, start, (size_t)(at - start) + length);
			if (gw_audit_file_stops(path))
				return true;
		}
		at++;
	}
	return false;
}

static bool cache_find(const char *name, char *path)
{
	struct stat info;
	int file = (int)gw_sys_open(CACHE_FILE, O_RDONLY | O_CLOEXEC, 0);
	bool found = false;

	if (file < 0)
		return false;
	if (gw_sys_fstat(file, &info) == 0 && info.st_size > 0 && info.st_size <= CACHE_LIMIT) {
		size_t size = (size_t)info.st_size;
		void *cache = gw_sys_map(file, size);

		if (cache) {
			found = cache_names(cache, size, name, path);
			gw_sys_unmap(cache, size);
		}
	}
	gw_sys_close(file);
	return found;
}

bool gw_audit_cache_has(const char *name)
{
	static char path[GW_AUDIT_PATH];

	return cache_find(name, path);
}

bool gw_audit_search_has(struct link_map *map, const char *name)
{
	const Dl_serinfo *list = gw_audit_loader_searches(map);

	if (map && !list)
		return true;
	for (unsigned i = 0; list && i < list->dls_cnt; i++) {
		const char *directory = list->dls_serpath[i].dls_name;
		if (gw_audit_directory_has(directory, strlen(directory), name))
			return true;
	}
	return gw_audit_cache_has(name) || gw_audit_defaults_have(name, NULL);
}

/* Is DIRECTORY one of LD_LIBRARY_PATH? */
static bool is_on_loader_path(const char *directory)
{
	const char *at = gw_audit_settings.loader_path;
	size_t length = strlen(directory);

	for (size_t here; *at; at += here + (at[here] != '\0')) {
		size_t trimmed;

		here = trimmed = strcspn(at, ":;");
		while (trimmed > 1 && at[trimmed - 1] == '/')
			trimmed--;
		if (trimmed == length && memcmp(at, directory, length) == 0)
			return true;
	}
	return false;
}

/* Among those learnt are those of LD_LIBRARY_PATH, which the loader itself searches, too. */
static bool is_default(const char *directory)
{
	if (is_on_loader_path(directory))
		return false;
	for (unsigned i = 0; i < default_count; i++)
		if (strcmp(defaults[i], directory) == 0)
			return true;
	return false;
}

/*
 * Each of the directories BEGIN to END of LIST that has NAME. The list does not say which rule has brought a directory into it
 * (glibc leaves dls_flags 0), but its end are the defaults, and LD_LIBRARY_PATH is known.
 */
static bool each_listed(const Dl_serinfo *list, unsigned begin, unsigned end, bool defaulted, const char *name,
			gw_audit_visit *visit, void *data)
{
	static char path[GW_AUDIT_PATH];

	for (unsigned i = begin; i < end; i++) {
		const char *directory = list->dls_serpath[i].dls_name;
		unsigned rule = defaulted ? LA_SER_DEFAULT : is_on_loader_path(directory) ? LA_SER_LIBPATH : LA_SER_RUNPATH;

		if (directory_find(directory, strlen(directory), name, UINT32_MAX, path) &&
		    !visit(path, rule, data))
			return false;
	}
	return true;
}

bool gw_audit_search_each(struct link_map *map, const char *name, gw_audit_visit *visit, void *data)
{
	static char path[GW_AUDIT_PATH];
	const Dl_serinfo *list;
	unsigned named;

	if (!default_count)
		defaults_learn();
	list = gw_audit_loader_searches(map);
	if (!list)
		return false;
	for (named = list->dls_cnt; named > 0 && is_default(list->dls_serpath[named - 1].dls_name);)
		named--;
	if (each_listed(list, 0, named, false, name, visit, data) &&
	    (!cache_find(name, path) || visit(path, LA_SER_CONFIG, data)))
		each_listed(list, named, list->dls_cnt, true, name, visit, data);
	return true;
}
