/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor's questions for places that the loader does not know: the Python paths' packages, and
 * where a facade's target may be. Reads, never changes; no allocation.
 */
#include "audit.h"

#include <string.h>
#include <unistd.h>
#include "audit_system.h"
#include "copies.h"
#include "directory_list.h"

#define MAX_PYTHON 96

static char python[MAX_PYTHON][GW_AUDIT_NAME * 2];
static unsigned python_count;
static bool python_known;

static bool put(char *path, size_t *length, const char *text, size_t text_length)
{
	if (*length + text_length >= GW_AUDIT_PATH)
		return false;
	memcpy(path + *length, text, text_length);
	*length += text_length;
	path[*length] = '\0';
	return true;
}

struct place {
	char path[GW_AUDIT_PATH];
	size_t length;
	const char *name;
	bool found;
};

static bool python_add_package(const char *package, void *data)
{
	struct place *place = data;
	size_t end = place->length;

	if (python_count == MAX_PYTHON)
		return false;
	if (put(place->path, &end, "/", 1) && put(place->path, &end, package, strlen(package)) &&
	    put(place->path, &end, "/lib", 4) && end < sizeof python[0] &&
	    gw_sys_access(place->path, X_OK) == 0)
		memcpy(python[python_count++], place->path, end + 1);
	return true;
}

/* Remembers every <site>/nvidia/<package>/lib. */
static void python_add_site(const char *site, size_t length)
{
	static struct place place;

	place.length = 0;
	if (length && put(place.path, &place.length, site, length) &&
	    put(place.path, &place.length, "/nvidia", 7))
		gw_directory_each(place.path, python_add_package, &place);
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

void gw_audit_python_each(const char *name, gw_audit_visit *visit, void *data)
{
	static char candidate[GW_AUDIT_PATH];
	struct stat info;
	bool on = true;

	if (!python_known)
		python_learn();
	for (unsigned i = 0; on && i < python_count; i++) {
		size_t end = 0;

		if (put(candidate, &end, python[i], strlen(python[i])) &&
		    put(candidate, &end, "/", 1) && put(candidate, &end, name, strlen(name)) &&
		    gw_sys_stat(candidate, &info) == 0 && S_ISREG(info.st_mode) &&
		    gw_audit_file_stops(candidate))
			on = visit(candidate, 0, data);
	}
}

struct several {
	const struct gw_partners_name *name; /* NULL: of no set */
	char *path;
	unsigned count;
};

static bool note_different(const char *path, unsigned rule, void *data)
{
	struct several *several = data;

	(void)rule;
	if (several->count && (several->name ? gw_copies_alike(several->path, path, several->name)
					     : gw_copies_equal(several->path, path)))
		return true;
	if (!several->count++)
		memcpy(several->path, path, strlen(path) + 1);
	return true;
}

unsigned gw_audit_python_find(const char *name, char *path)
{
	struct gw_partners_name partners;
	struct several several = {.path = path, .name = gw_partners_of(name, &partners) ? &partners : NULL};

	gw_audit_python_each(name, note_different, &several);
	return several.count;
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

static bool toolkit_is(const char *directory, void *data)
{
	struct place *place = data;
	size_t end = place->length;

	place->found = strncmp(directory, "cuda-", 5) == 0 &&
		       put(place->path, &end, directory, strlen(directory)) &&
		       toolkit_has(place->path, place->name);
	return !place->found;
}

static bool toolkits_have(const char *name)
{
	static struct place place;

	if (toolkit_has(gw_audit_setting("CUDA_HOME"), name) ||
	    toolkit_has(gw_audit_setting("CUDA_PATH"), name) ||
	    toolkit_has("/usr/local/cuda", name))
		return true;
	place.length = 0;
	place.found = false;
	place.name = name;
	put(place.path, &place.length, "/usr/local/", strlen("/usr/local/"));
	gw_directory_each("/usr/local", toolkit_is, &place);
	return place.found;
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
