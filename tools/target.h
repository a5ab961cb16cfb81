/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file a facade would forward to: the places of shim/find.c, in its order, as they look
 * before the program runs. Executes nothing, loads nothing.
 */
#ifndef GW_TOOLS_TARGET_H
#define GW_TOOLS_TARGET_H

#include <stdbool.h>
#include "loader.h"
#include "python.h"

struct gw_target_places {
	const char *loader_path;              /* what LD_LIBRARY_PATH will be; NULL for none */
	const char *facades;                  /* where facades lie, which are no targets; or NULL */
	const struct gw_python_paths *python; /* the program's */
	const struct gw_loader *loader;       /* its cache */
};

/* Does gangway have a facade of this soname? */
bool gw_target_has_facade(const char *soname) __attribute__((nonnull));
/* The suite, of which all must come from one directory, that a facade's soname belongs to; NULL
 * where there is no facade. */
const char *gw_target_group(const char *soname) __attribute__((nonnull));

/*
 * The file that the facade SONAME would forward to, to free. NULL where there is none; NAMES then
 * says what was looked for: "libx.so.3 and libx.so.2", in SETTING where a variable of that name
 * forbids any other place.
 */
char *gw_target_find(const struct gw_target_places *places, const char *soname, char *names,
		     size_t size) __attribute__((nonnull));

/* Says on stderr, for each facade, which file it would forward to. */
void gw_target_explain(const struct gw_target_places *places) __attribute__((nonnull));

/* The sonames of all facades, as a list with commas. */
void gw_target_names(char *names, size_t size) __attribute__((nonnull));

#endif
