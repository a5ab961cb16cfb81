/* SPDX-License-Identifier: Apache-2.0 */
/* See search.h. */
#include "search.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "copies.h"
#include "ldcache.h"
#include "objects.h"
#include "real.h"

static bool is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The loader looks into its cache before these. */
static bool is_default(const char *directory)
{
	return !strncmp(directory, "/lib", 4) || !strncmp(directory, "/usr/lib", 8);
}

static enum gw_search_end in_list(const Dl_serinfo *list, const char *name, char *path)
{
	char cached[GW_COPY_PATH];

	for (unsigned i = 0; i < list->dls_cnt; i++) {
		const char *directory = list->dls_serpath[i].dls_name;

		if (!gw_copy_join(path, directory, strlen(directory), name) || !is_file(path))
			continue;
		if (is_default(directory) && gw_ldcache_find(name, cached, sizeof(cached)))
			strcpy(path, cached);
		return GW_SEARCH_FOUND;
	}
	return gw_ldcache_find(name, path, GW_COPY_PATH) ? GW_SEARCH_FOUND : GW_SEARCH_NOWHERE;
}

enum gw_search_end gw_search_first(const char *name, const struct gw_object *caller, char *path)
{
	union {
		Dl_serinfo info;
		char bytes[16384];
	} list;
	enum gw_search_end end = GW_SEARCH_UNKNOWN;
	int error = errno;
	void *handle;

	if (gw_object_named(name))
		return GW_SEARCH_UNKNOWN;
	/* Code that no object holds has no search list of its own: the loader takes the program's. */
	handle = gw_real()->dlopen(caller->identity && *caller->path ? caller->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
	if (handle && !dlinfo(handle, RTLD_DI_SERINFOSIZE, &list.info) && list.info.dls_size <= sizeof(list) &&
	    !dlinfo(handle, RTLD_DI_SERINFO, &list.info))
		end = in_list(&list.info, name, path);
	if (handle)
		gw_real()->dlclose(handle);
	errno = error;
	return end;
}
