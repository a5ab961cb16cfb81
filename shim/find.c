/* SPDX-License-Identifier: Apache-2.0 */
/* See find.h. */
#include "find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "ldcache.h"
#include "objects.h"
#include "settings.h"

#define SEARCH_PATHS 64u	/* Python paths looked at, at most */

struct search {
	const struct gw_find *find;
	char *directory;
	size_t size;
	const char **target;
	const char *wanted;	/* the target of this round */
	bool found;
};

/* Joins A, "/", B; false when it does not fit. */
static bool join(char *out, size_t size, const char *a, size_t a_length, const char *b)
{
	size_t b_length = strlen(b);

	if (a_length + 1 + b_length + 1 > size)
		return false;
	memmove(out, a, a_length);
	out[a_length] = '/';
	memcpy(out + a_length + 1, b, b_length + 1);
	return true;
}

static bool is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The directory that a facade was mapped from, where no setting says it: LD_LIBRARY_PATH alone leads to facades, too. */
static bool note_facade(struct gw_object *object, void *data)
{
	char *directory = data;
	const char *slash = object->role == GW_ROLE_FACADE ? strrchr(object->path, '/') : NULL;

	if (!slash || slash - object->path >= PATH_MAX)
		return true;
	memcpy(directory, object->path, (size_t)(slash - object->path));
	directory[slash - object->path] = 0;
	return false;
}

static bool same_file(const char *first, const char *second)
{
	struct stat a, b;

	return !stat(first, &a) && !stat(second, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A facade must never find a facade: compare with where ours are, by inode, since paths have many spellings. */
static bool is_facade_directory(const char *directory)
{
	const char *ours = gw_setting(GW_SETTING_FACADE_DIR);
	char mapped[PATH_MAX] = "";

	if (ours && same_file(ours, directory))
		return true;
	gw_objects_each(note_facade, mapped);
	return *mapped && same_file(mapped, directory);
}

static bool has_partners(const struct search *s, const char *directory, size_t length)
{
	const char *suffix = strstr(s->wanted, ".so.");
	char name[256], path[PATH_MAX];
	unsigned i;

	for (i = 0; s->find->partners && s->find->partners[i]; i++) {
		size_t stem = strlen(s->find->partners[i]);

		if (!suffix || stem + strlen(suffix) + 1 > sizeof(name))
			return false;
		memcpy(name, s->find->partners[i], stem);
		strcpy(name + stem, suffix);
		if (!join(path, sizeof(path), directory, length, name))
			return false;
		if (!is_file(path)) {
			if (s->find->lacking && !*s->find->lacking)
				strcpy(s->find->lacking, path);
			return false;
		}
	}
	return true;
}

/* Takes DIRECTORY when it holds the wanted target and its partners. */
static bool try_directory(struct search *s, const char *directory, size_t length)
{
	char path[PATH_MAX];

	if (s->found || !length || !join(path, sizeof(path), directory, length, s->wanted) || !is_file(path))
		return s->found;
	path[length] = 0;
	if (is_facade_directory(path) || !has_partners(s, directory, length) || length >= s->size)
		return false;
	memcpy(s->directory, directory, length);
	s->directory[length] = 0;
	*s->target = s->wanted;
	return s->found = true;
}

static bool try_list(struct search *s, const char *list)
{
	while (list && *list && !s->found) {
		size_t length = strcspn(list, ":");

		try_directory(s, list, length);
		list += length + (list[length] == ':');
	}
	return s->found;
}

/* Calls USE for DIRECTORY/nvidia/ANY/lib. */
static void each_nvidia(const char *site, size_t length, bool (*use)(void *data, const char *directory, size_t length),
			void *data)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *list;

	if (!join(path, sizeof(path), site, length, "nvidia"))
		return;
	list = opendir(path);
	if (!list)
		return;
	while ((entry = readdir(list))) {
		size_t used = length + strlen("/nvidia");

		if (*entry->d_name == '.')
			continue;
		if (!join(path, sizeof(path), path, used, entry->d_name) ||
		    !join(path, sizeof(path), path, strlen(path), "lib"))
			continue;
		if (use(data, path, strlen(path)))
			break;
	}
	closedir(list);
}

struct sites {
	bool (*use)(void *data, const char *directory, size_t length);
	void *data;
	uint64_t seen[SEARCH_PATHS];
	unsigned count;
};

static void use_site(struct sites *sites, const char *site, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)site[i]) * UINT64_C(0x100000001b3);
	for (i = 0; i < sites->count; i++)
		if (sites->seen[i] == hash)
			return;
	if (!length || sites->count == SEARCH_PATHS)
		return;
	sites->seen[sites->count++] = hash;
	each_nvidia(site, length, sites->use, sites->data);
}

static void use_list(struct sites *sites, const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ":");

		use_site(sites, list, length);
		list += length + (list[length] == ':');
	}
}

/* A mapped library inside a site-packages directory tells of that directory. Copies it: the loader's lock is held. */
struct mapped_sites {
	char paths[SEARCH_PATHS / 2][512];
	unsigned count;
};

static bool note_site(struct gw_object *object, void *data)
{
	struct mapped_sites *found = data;
	static const char *const names[] = { "/site-packages/", "/dist-packages/" };
	unsigned i, k;

	for (i = 0; i < 2; i++) {
		const char *at = strstr(object->path, names[i]);
		size_t length = at ? (size_t)(at - object->path) + strlen(names[i]) - 1 : 0;

		if (!at || length >= sizeof(found->paths[0]) || found->count == SEARCH_PATHS / 2)
			continue;
		for (k = 0; k < found->count; k++)
			if (!strncmp(found->paths[k], object->path, length) && !found->paths[k][length])
				return true;
		memcpy(found->paths[found->count], object->path, length);
		found->paths[found->count++][length] = 0;
	}
	return true;
}

static void use_virtual_env(struct sites *sites, const char *root)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *list;

	if (!root || !join(path, sizeof(path), root, strlen(root), "lib") || !(list = opendir(path)))
		return;
	while ((entry = readdir(list))) {
		size_t used = strlen(root) + strlen("/lib");

		if (strncmp(entry->d_name, "python", 6) || !join(path, sizeof(path), path, used, entry->d_name) ||
		    !join(path, sizeof(path), path, strlen(path), "site-packages"))
			continue;
		use_site(sites, path, strlen(path));
	}
	closedir(list);
}

static void each_python_library_directory(bool (*use)(void *data, const char *directory, size_t length), void *data)
{
	struct sites sites = { .use = use, .data = data };
	struct mapped_sites mapped = { .count = 0 };
	unsigned i;

	use_list(&sites, gw_setting(GW_SETTING_PYTHON_PATHS));
	gw_objects_each(note_site, &mapped);
	for (i = 0; i < mapped.count; i++)
		use_site(&sites, mapped.paths[i], strlen(mapped.paths[i]));
	use_list(&sites, gw_setting(GW_SETTING_PYTHONPATH));
	use_virtual_env(&sites, gw_setting(GW_SETTING_VIRTUAL_ENV));
}

static bool try_python_directory(void *data, const char *directory, size_t length)
{
	return try_directory(data, directory, length);
}

static bool try_mapped(struct search *s)
{
	char path[PATH_MAX];
	struct gw_object *object = gw_object_named(s->wanted);
	const char *slash;

	if (!object || object->role == GW_ROLE_FACADE)
		return false;
	slash = strrchr(object->path, '/');
	if (!slash || (size_t)(slash - object->path) >= sizeof(path))
		return false;
	/* Copied first: stat below may take long, and the record is the loader's. */
	memcpy(path, object->path, (size_t)(slash - object->path));
	return try_directory(s, path, (size_t)(slash - object->path));
}

static bool try_cache(struct search *s)
{
	char path[PATH_MAX];
	const char *slash;

	if (!gw_ldcache_find(s->wanted, path, sizeof(path)) || !(slash = strrchr(path, '/')))
		return false;
	return try_directory(s, path, (size_t)(slash - path));
}

static bool try_toolkits(struct search *s)
{
	static const char *const below[] = { "lib64", "lib", "targets/x86_64-linux/lib" };
	const char *roots[] = { gw_setting(GW_SETTING_CUDA_HOME), gw_setting(GW_SETTING_CUDA_PATH), "/usr/local/cuda" };
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned i, k;
	DIR *list;

	for (i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		for (k = 0; roots[i] && k < sizeof(below) / sizeof(*below); k++)
			if (join(path, sizeof(path), roots[i], strlen(roots[i]), below[k]) &&
			    try_directory(s, path, strlen(path)))
				return true;
	list = opendir("/usr/local");
	while (list && !s->found && (entry = readdir(list)))
		for (k = 0; !strncmp(entry->d_name, "cuda-", 5) && k < sizeof(below) / sizeof(*below); k++) {
			char root[PATH_MAX];

			if (join(root, sizeof(root), "/usr/local", 10, entry->d_name) &&
			    join(path, sizeof(path), root, strlen(root), below[k]))
				try_directory(s, path, strlen(path));
		}
	if (list)
		closedir(list);
	return s->found;
}

bool gw_find_library(const struct gw_find *find, char *directory, size_t size, const char **target)
{
	struct search s = { .find = find, .directory = directory, .size = size, .target = target };
	const char *own = gw_setting_of_suite(find->suite);
	int error = errno;
	unsigned stage, i;

	for (stage = 0; stage < (own ? 1 : 7) && !s.found; stage++)
		for (i = 0; find->targets[i] && !s.found; i++) {
			s.wanted = find->targets[i];
			switch (stage) {
			case 0: try_list(&s, own); break;
			case 1: try_list(&s, gw_setting(GW_SETTING_LIBRARY_PATH)); break;
			case 2: try_mapped(&s); break;
			case 3: try_list(&s, gw_setting(GW_SETTING_LOADER_PATH)); break;
			case 4: each_python_library_directory(try_python_directory, &s); break;
			case 5: try_cache(&s); break;
			default: try_toolkits(&s); break;
			}
		}
	errno = error;
	return s.found;
}

struct single {
	const char *name;
	char *path;
	size_t size;
	unsigned count;
};

static bool note_single(void *data, const char *directory, size_t length)
{
	struct single *single = data;
	char path[PATH_MAX];

	if (!join(path, sizeof(path), directory, length, single->name) || !is_file(path) || strlen(path) >= single->size)
		return false;
	strcpy(single->path, path);
	return ++single->count > 1;
}

bool gw_find_on_python_paths(const char *name, char *path, size_t size)
{
	struct single single = { .name = name, .path = path, .size = size };
	int error = errno;

	each_python_library_directory(note_single, &single);
	errno = error;
	return single.count == 1;
}
