/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the installed library behind a facade: finds it, opens its suite's libraries from one directory by absolute path, and asks
 * it for its release. Holds no lock of ours: the loader runs constructors meanwhile.
 */
#ifndef GW_TARGET_H
#define GW_TARGET_H

#include <limits.h>
#include "table.h"

struct gw_object;

struct gw_target {
	struct gw_object *library;		/* NULL when there is none; the finding has been told */
	const struct gw_release *release;	/* nearest known one; NULL for generic families */
	void *handle;
	char path[PATH_MAX];
	char version[32];			/* what the library says of itself; "" when it says nothing */
};

void gw_target_open(const struct gw_facade *facade, struct gw_target *target) __attribute__((nonnull));
/* Takes back one gw_target_open whose result was not used. */
void gw_target_close(struct gw_target *target) __attribute__((nonnull));

#endif
