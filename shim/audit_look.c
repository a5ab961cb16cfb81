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
#define MAX_PYTHON 96
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

static char python[MAX_PYTHON][GW_AUDIT_NAME * 2];
static unsigned python_count;
static bool python_known;

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

/* CAPS: which of the hwcaps directories to try, as bits. */
static bool directory_has(const char *directory, size_t length, const char *name, uint32_t caps)
{
	static char path[GW_AUDIT_PATH];

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

/* Is there a string of the cache that ends in "/NAME", and is its file still there? Needs no
 * knowledge of the cache's layout. */
static bool cache_names(const char *cache, size_t size, const char *name)
{
	static char path[GW_AUDIT_PATH];
	size_t length = strlen(name) + 1;
	const char *at = cache, *end = cache + size;

	while ((at = memmem(at, (size_t)(end - at), name, length)) != NULL) {
		const char *start = at;

		while (start > cache && start[-1])
			start--;
		if (start < at && *start == '/' && at[-1] == '/' &&
		    (size_t)(at - start) + length < sizeof path) {
			memcpy(path, start, (size_t)(at - start) + length);
			if (gw_audit_file_stops(path))
				return true;
		}
		at++;
	}
	return false;
}

bool gw_audit_cache_has(const char *name)
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
			found = cache_names(cache, size, name);
			gw_sys_unmap(cache, size);
		}
	}
	gw_sys_close(file);
	return found;
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

struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* Remembers every <site>/nvidia/<package>/lib. */
static void python_add_site(const char *site, size_t length)
{
	static char path[GW_AUDIT_PATH];
	static _Alignas(struct entry) char buffer[16 << 10];
	size_t end = 0;
	long count;
	int directory;

	if (!length || !put(path, &end, site, length) || !put(path, &end, "/nvidia", 7))
		return;
	directory = (int)gw_sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (directory < 0)
		return;
	while ((count = gw_sys_getdents(directory, buffer, sizeof buffer)) > 0) {
		for (long at = 0; at < count;) {
			struct entry *entry = (struct entry *)(buffer + at);
			size_t here = end;

			at += entry->length;
			if (entry->name[0] == '.' || python_count == MAX_PYTHON)
				continue;
			if (!put(path, &here, "/", 1) ||
			    !put(path, &here, entry->name, strlen(entry->name)) ||
			    !put(path, &here, "/lib", 4) || here >= sizeof python[0] ||
			    gw_sys_access(path, X_OK) != 0)
				continue;
			memcpy(python[python_count++], path, here + 1);
		}
	}
	gw_sys_close(directory);
}

static void python_learn(void)
{
	const char *sites = gw_audit_settings.python_paths;

	python_known = true;
	for (size_t length; *sites; sites += length + (sites[length] == ':')) {
		length = strcspn(sites, ":");
		python_add_site(sites, length);
	}
}

unsigned gw_audit_python_find(const char *name, char *path)
{
	static char candidate[GW_AUDIT_PATH];
	unsigned found = 0;
	dev_t device = 0;
	ino_t inode = 0;

	if (!python_known)
		python_learn();
	for (unsigned i = 0; i < python_count; i++) {
		struct stat info;
		size_t end = 0;

		if (!put(candidate, &end, python[i], strlen(python[i])) ||
		    !put(candidate, &end, "/", 1) || !put(candidate, &end, name, strlen(name)) ||
		    gw_sys_stat(candidate, &info) != 0 || !S_ISREG(info.st_mode) ||
		    !gw_audit_file_stops(candidate))
			continue;
		if (found && info.st_dev == device && info.st_ino == inode)
			continue;
		if (!found++)
			memcpy(path, candidate, end + 1);
		device = info.st_dev;
		inode = info.st_ino;
	}
	return found;
}

static bool setting_has(const char *directories, const char *name)
{
	for (size_t length; *directories; directories += length + (directories[length] == ':')) {
		length = strcspn(directories, ":");
		if (length && gw_audit_directory_has(directories, length, name))
			return true;
	}
	return false;
}

/* In ROOT, a toolkit's directory. */
static bool toolkit_has(const char *root, const char *name)
{
	static const char *const below[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib"};
	static char path[GW_AUDIT_PATH];

	for (size_t i = 0; *root && i < sizeof below / sizeof *below; i++) {
		size_t end = 0;

		if (put(path, &end, root, strlen(root)) &&
		    put(path, &end, below[i], strlen(below[i])) &&
		    gw_audit_directory_has(path, end, name))
			return true;
	}
	return false;
}

static bool toolkits_have(const char *name)
{
	static _Alignas(struct entry) char buffer[16 << 10];
	static char root[GW_AUDIT_PATH] = "/usr/local/";
	size_t start = strlen("/usr/local/");
	bool found = toolkit_has(gw_audit_setting("CUDA_HOME"), name) ||
		     toolkit_has(gw_audit_setting("CUDA_PATH"), name) ||
		     toolkit_has("/usr/local/cuda", name);
	int directory =
		found ? -1 : (int)gw_sys_open("/usr/local", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long count;

	if (directory < 0)
		return found;
	while (!found && (count = gw_sys_getdents(directory, buffer, sizeof buffer)) > 0) {
		for (long at = 0; at < count && !found;) {
			struct entry *entry = (struct entry *)(buffer + at);
			size_t end = start;

			at += entry->length;
			found = strncmp(entry->name, "cuda-", 5) == 0 &&
				put(root, &end, entry->name, strlen(entry->name)) &&
				toolkit_has(root, name);
		}
	}
	gw_sys_close(directory);
	return found;
}

bool gw_audit_target_exists(const struct gw_audit_facade *facade)
{
	static char path[GW_AUDIT_PATH];
	const char *own = gw_audit_setting(facade->setting);

	for (const char *const *target = facade->targets; *target; target++) {
		if (*own ? setting_has(own, *target)
			 : setting_has(gw_audit_settings.library_path, *target) ||
				    setting_has(gw_audit_settings.loader_path, *target) ||
				    gw_audit_python_find(*target, path) ||
				    gw_audit_cache_has(*target) || toolkits_have(*target))
			return true;
	}
	return false;
}
