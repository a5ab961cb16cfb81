/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of redirections: an execution that the library refused is handed to the rescuers that abi/redirects names for its function, one
 * after the other, until one has done it. Here is what they have in common: whether one is wanted (the policy), and that each is told once
 * for each place that calls. A call that succeeds never comes here. Any thread; no lock, nothing allocated.
 */
#ifndef GW_REDIRECT_H
#define GW_REDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "call.h"
#include "redirect_table.h"	/* of abi/redirects */

enum gw_rescue {
#define GW_RESCUE_ENUM(function, id, name) GW_RESCUE_##id,
	GW_RESCUES(GW_RESCUE_ENUM)
#undef GW_RESCUE_ENUM
	GW_RESCUE_COUNT
};

/* What a product is like, as far as the policy asks. */
struct gw_shape {
	int64_t m, n, k, batch;
	int architecture;	/* 90; 0: not known */
};

const char *gw_rescue_name(enum gw_rescue rescue) __attribute__((returns_nonnull));

/* Is RESCUE to be tried on CALL, which is about SHAPE? */
bool gw_redirect_wanted(const struct gw_call *call, enum gw_rescue rescue, const struct gw_shape *shape) __attribute__((nonnull));

/* RESCUE has done CALL: tells it once for each place that calls. WHAT the library refused, and HOW it was done. errno kept. */
void gw_redirect_tell(const struct gw_call *call, enum gw_rescue rescue, const char *what, const char *how) __attribute__((nonnull));

/* RESCUE could have done CALL but for WHY; the program gets the library's own answer. Once for each place and WHY, which is static text. */
void gw_redirect_tell_not(const struct gw_call *call, enum gw_rescue rescue, const char *why) __attribute__((nonnull));

#endif
