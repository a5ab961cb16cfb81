/* SPDX-License-Identifier: Apache-2.0 */
/* How a `via` function refuses a call that the loaded release's functions cannot carry. */
#ifndef GW_REFUSE_H
#define GW_REFUSE_H

#include "call.h"

/*
 * Tells GW-319 once for CALL's function: it cannot be carried, and WHY. Returns the family's `refuse` status for the `via` function to
 * return, in the loaded release's numbering like all that a `via` function returns. errno kept.
 */
int32_t gw_refuse(struct gw_call *call, const char *why) __attribute__((nonnull));

#endif
