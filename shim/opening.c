/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen: which file. With the auditor nothing is left to do but RTLD_DEEPBIND; without it, a name that a facade could serve or that belongs with
 * others (partners.h), and that the caller's own search would not find, or find elsewhere, is replaced by an absolute path. The search itself stays
 * the C library's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"
#include "deepbind.h"
#include "find.h"
#include "finding.h"
#include "hooks.h"
#include "line.h"
#include "objects.h"
#include "pair.h"
#include "real.h"
#include "search.h"
#include "settings.h"

#define SERVED 32

/* Paths given out live as long as the process: one for each file that ever took another's place. */
static struct {
	char path[GW_COPY_PATH];
	_Atomic int state;	/* 0: free, 1: being written, 2: ready */
} served[SERVED];

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

static bool has_facade(const char *name, char *path)
{
	const char *directory = gw_setting(GW_SETTING_FACADE_DIR);

	return directory && facade_allowed(name) && gw_copy_join(path, directory, strlen(directory), name) && !access(path, R_OK);
}

static bool find_replacement(const char *name, const struct gw_object *caller, char *path)
{
	char facade[GW_COPY_PATH], found[GW_COPY_PATH];
	struct gw_partners_name wanted = { 0 };
	bool belongs = gw_partners_of(name, &wanted), stands_in = has_facade(name, facade);
	enum gw_search_end end = belongs || stands_in ? gw_search_first(name, caller, found) : GW_SEARCH_UNKNOWN;

	if (end == GW_SEARCH_UNKNOWN)
		return false;
	if (belongs && gw_pair_find(&wanted, caller, end == GW_SEARCH_FOUND ? found : NULL, path))
		return true;
	if (end == GW_SEARCH_FOUND)
		return false;
	if (gw_find_on_python_paths(name, path, GW_COPY_PATH))
		return true;
	if (stands_in)
		strcpy(path, facade);
	else if (wanted.plain)
		gw_pair_tell_missing(name, caller);
	return stands_in;
}

/* Asked anew each time: another caller searches elsewhere, and what was missing may be there by now. */
static const char *replacement(const char *name, const struct gw_object *caller)
{
	char path[GW_COPY_PATH];
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
