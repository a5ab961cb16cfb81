/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library's own dlopen, dlsym, dlvsym, dlclose, dlerror. Calling them by name would call our hooks, and asking dlsym for dlsym
 * likewise, so they are looked up in the mapped libc (libdl before glibc 2.34) without the loader's help. Never NULL.
 */
#ifndef GW_REAL_H
#define GW_REAL_H

struct gw_real {
	void *(*dlopen)(const char *file, int flags);
	void *(*dlsym)(void *handle, const char *name);
	void *(*dlvsym)(void *handle, const char *name, const char *version);
	int (*dlclose)(void *handle);
	char *(*dlerror)(void);
};

const struct gw_real *gw_real(void) __attribute__((returns_nonnull));

#endif
