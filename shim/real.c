/* SPDX-License-Identifier: Apache-2.0 */
/* See real.h. */
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

#include "image.h"

static struct gw_real real;
static _Atomic int state;	/* 2: complete */

/* Stand-ins where the C library has none of its own, which no supported one does: fail as it would. */
static void *no_dlopen(const char *file, int flags)
{
	(void)file, (void)flags;
	return NULL;
}

static void *no_dlsym(void *handle, const char *name)
{
	(void)handle, (void)name;
	return NULL;
}

static void *no_dlvsym(void *handle, const char *name, const char *version)
{
	(void)handle, (void)name, (void)version;
	return NULL;
}

static int no_dlclose(void *handle)
{
	(void)handle;
	return -1;
}

static char *no_dlerror(void)
{
	return NULL;
}

static void take(struct gw_real *found, const struct gw_image *image)
{
	if (!found->dlopen)
		found->dlopen = (void *(*)(const char *, int))gw_image_function(image, "dlopen", NULL);
	if (!found->dlsym)
		found->dlsym = (void *(*)(void *, const char *))gw_image_function(image, "dlsym", NULL);
	if (!found->dlvsym)
		found->dlvsym = (void *(*)(void *, const char *, const char *))gw_image_function(image, "dlvsym", NULL);
	if (!found->dlclose)
		found->dlclose = (int (*)(void *))gw_image_function(image, "dlclose", NULL);
	if (!found->dlerror)
		found->dlerror = (char *(*)(void))gw_image_function(image, "dlerror", NULL);
}

/*
 * The debugger's list of objects, not dl_iterate_phdr: a sanitizer's runtime replaces that one, and asks for dlsym before its own
 * replacement works. The C library stands in the list from the start, so objects that come and go behind it do not matter.
 */
static void look(struct gw_real *found)
{
	const struct link_map *map;
	struct gw_image image;

	for (map = _r_debug.r_map; map; map = map->l_next) {
		if (!gw_image_read(&image, map->l_addr, map->l_ld) || !image.soname)
			continue;
		if (gw_same(image.soname, "libc.so.6") || gw_same(image.soname, "libdl.so.2"))
			take(found, &image);
		if (found->dlopen && found->dlsym && found->dlvsym && found->dlclose && found->dlerror)
			return;
	}
}

const struct gw_real *gw_real(void)
{
	struct gw_real found = { 0 };

	if (atomic_load_explicit(&state, memory_order_acquire) == 2)
		return &real;
	look(&found);
	/* Every thread finds the same addresses, so writing them twice is harmless; each is one aligned store. */
	__atomic_store_n(&real.dlopen, found.dlopen ? found.dlopen : no_dlopen, __ATOMIC_RELAXED);
	__atomic_store_n(&real.dlsym, found.dlsym ? found.dlsym : no_dlsym, __ATOMIC_RELAXED);
	__atomic_store_n(&real.dlvsym, found.dlvsym ? found.dlvsym : no_dlvsym, __ATOMIC_RELAXED);
	__atomic_store_n(&real.dlerror, found.dlerror ? found.dlerror : no_dlerror, __ATOMIC_RELAXED);
	__atomic_store_n(&real.dlclose, found.dlclose ? found.dlclose : no_dlclose, __ATOMIC_RELAXED);
	atomic_store_explicit(&state, 2, memory_order_release);
	return &real;
}
