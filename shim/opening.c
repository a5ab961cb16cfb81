/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen: which file. With the auditor nothing is left to do but RTLD_DEEPBIND; without it, a name that a facade could serve and that
 * the caller's own search would not find is replaced by an absolute path. The search itself stays the C library's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "deepbind.h"
#include "find.h"
#include "finding.h"
#include "hooks.h"
#include "ldcache.h"
#include "line.h"
#include "objects.h"
#include "process.h"
#include "real.h"
#include "settings.h"

#define SERVED 32

/* Paths given out live as long as the process: one for each file that ever took another's place. */
static struct {
	char path[PATH_MAX];
	_Atomic int state;	/* 0: free, 1: being written, 2: ready */
} served[SERVED];

static bool is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool under(char *path, const char *directory, const char *name)
{
	struct gw_line line;

	gw_line_start(&line, path, PATH_MAX);
	gw_line_text(&line, directory);
	gw_line_char(&line, '/');
	gw_line_text(&line, name);
	line.text[line.length] = 0;
	return !line.cut && is_file(path);
}

/* Would the C library find NAME for CALLER? Asks it for the caller's search list, which covers everything but the cache. */
static bool would_be_found(const char *name, const struct gw_object *caller)
{
	char path[PATH_MAX];
	union {
		Dl_serinfo info;
		char bytes[16384];
	} list;
	void *handle;
	bool found = false;
	unsigned i;

	if (gw_object_named(name) || gw_ldcache_find(name, path, sizeof(path)))
		return true;
	/* Code that no object holds has no search list of its own: the loader takes the program's. */
	handle = gw_real()->dlopen(caller->identity && *caller->path ? caller->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return true;	/* cannot tell: leave the call alone */
	if (!dlinfo(handle, RTLD_DI_SERINFOSIZE, &list.info) && list.info.dls_size <= sizeof(list) &&
	    !dlinfo(handle, RTLD_DI_SERINFO, &list.info))
		for (i = 0; i < list.info.dls_cnt && !found; i++)
			found = under(path, list.info.dls_serpath[i].dls_name, name);
	else
		found = true;
	gw_real()->dlclose(handle);
	return found;
}

/* Is NAME among the sonames in GANGWAY_FACADES ("auto" allows all)? */
static bool facade_allowed(const char *name)
{
	const char *list = gw_setting(GW_SETTING_FACADES);
	size_t length = strlen(name);

	if (!list || !strcmp(list, "auto"))
		return true;
	while (*list) {
		size_t here = strcspn(list, ",");

		if (here == length && !memcmp(list, name, here))
			return true;
		list += here + (list[here] == ',');
	}
	return false;
}

static bool find_replacement(const char *name, const struct gw_object *caller, char *path)
{
	const char *directory = gw_setting(GW_SETTING_FACADE_DIR);
	char facade[PATH_MAX];

	if (!directory || !facade_allowed(name) || !under(facade, directory, name) || would_be_found(name, caller))
		return false;
	if (!gw_find_on_python_paths(name, path, PATH_MAX))
		strcpy(path, facade);
	return true;
}

/* Asked anew each time: another caller searches elsewhere, and what was missing may be there by now. */
static const char *replacement(const char *name, const struct gw_object *caller)
{
	char path[PATH_MAX];
	unsigned i;

	if (!find_replacement(name, caller, path))
		return NULL;
	for (i = 0; i < SERVED; i++) {
		int expected = 0;

		if (atomic_load_explicit(&served[i].state, memory_order_acquire) == 2 && !strcmp(served[i].path, path))
			return served[i].path;
		if (!atomic_compare_exchange_strong(&served[i].state, &expected, 1))
			continue;
		strcpy(served[i].path, path);
		atomic_store_explicit(&served[i].state, 2, memory_order_release);
		return served[i].path;
	}
	return NULL;
}

static void tell_deepbind(const char *file)
{
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, file);
	gw_line_text(&line, " is opened with RTLD_DEEPBIND and calls the vendor's libraries");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_DEEPBIND, file, text, NULL);
}

/* Does our auditor see every search of this process? */
static bool audited(void)
{
	const char *auditors = gw_setting(GW_SETTING_AUDITED);

	return auditors && strstr(auditors, "libgangway-audit.so");
}

void *gw_hook_dlopen(struct gw_dl_request *request)
{
	const char *file = (const char *)(uintptr_t)request->first, *path;
	int flags = (int)request->second, error = errno;
	void *real = (void *)gw_real()->dlopen;

	if (!file || gw_setting_on(GW_SETTING_DISABLE))
		return real;
	if (!strchr(file, '/') && !strncmp(file, "lib", 3) && !audited() && !(flags & RTLD_NOLOAD) &&
	    (path = replacement(file, gw_object_of(request->caller))))
		request->first = (uint64_t)(uintptr_t)path;
	if (flags & RTLD_DEEPBIND && strchr(file, '/') && !gw_setting_on(GW_SETTING_KEEP_DEEPBIND) && gw_deepbind_matters(file)) {
		request->second = (uint64_t)(unsigned)(flags & ~RTLD_DEEPBIND);
		tell_deepbind(file);
	}
	errno = error;
	return real;
}
