/* SPDX-License-Identifier: Apache-2.0 */
/* Where the C library's search for a name would end, for one caller: asked of the loader, without searching. */
#ifndef GW_SEARCH_H
#define GW_SEARCH_H

struct gw_object;

enum gw_search_end {
	GW_SEARCH_UNKNOWN,	/* cannot tell, or a library of that name is mapped */
	GW_SEARCH_FOUND,
	GW_SEARCH_NOWHERE,
};

/* PATH (GW_COPY_PATH bytes, copies.h) gets the file. errno kept. */
enum gw_search_end gw_search_first(const char *name, const struct gw_object *caller, char *path) __attribute__((nonnull));

#endif
