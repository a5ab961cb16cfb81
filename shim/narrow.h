/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of 64 bit integers, where the loaded release has only those of 32: what the generated gw_narrow.c calls. Each of its
 * functions looks for the one that carries it, refuses what does not fit, calls, and widens what was written through a pointer.
 * Nothing is kept between calls, nothing is allocated; any thread.
 */
#ifndef GW_NARROW_H
#define GW_NARROW_H

#include "call.h"

/* The function FN of the loaded release, when CALL's own is missing and FN is there; then CALL counts as answered. Else NULL. */
void *gw_narrow_target(struct gw_call *call, uint32_t fn) __attribute__((nonnull));

/* Tells GW-318: PARAMETER is VALUE, which 32 bits cannot hold. Returns STATUS, the answer to the caller. */
int32_t gw_narrow_refuse(struct gw_call *call, const char *parameter, int64_t value, int32_t status) __attribute__((nonnull));

/* One integer that the carrying function writes through a pointer. */
struct gw_wide {
	int64_t *place;	/* the caller's */
	int value;	/* where the function writes, when the result belongs into host memory */
	int device;	/* the result belongs into device memory */
	int32_t status;	/* of asking HANDLE where */
};

/* Where the carrying function shall write what belongs to PLACE, by HANDLE's pointer mode. NULL for a PLACE of NULL. */
int *gw_wide_begin(struct gw_wide *wide, struct gw_call *call, void *handle, int64_t *place) __attribute__((nonnull(1, 2)));

/*
 * After the call, which answered STATUS: the upper half of the result. In host memory it is written here; in device memory by the
 * library itself, behind the function in its stream, so nothing waits. Returns STATUS, or that of the second step.
 */
int32_t gw_wide_end(struct gw_wide *wide, struct gw_call *call, void *handle, int32_t status) __attribute__((nonnull(1, 2)));

#endif
