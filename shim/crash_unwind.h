/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a function's registers to its caller's, one frame at a time, by what was recorded of objects before (objects.h). Async-signal-safe, asks
 * nobody, allocates nothing; for one thread at a time.
 */
#ifndef GW_CRASH_UNWIND_H
#define GW_CRASH_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include "crash_cfi.h"

struct gw_unwind {
	uintptr_t registers[GW_CFI_REGISTERS];	/* [GW_CFI_RA]: the instruction */
	uint32_t unknown;	/* bit i: nobody knows register i */
	bool interrupted;	/* there, and not behind a call */
};

enum gw_unwind_end {
	GW_UNWIND_ON,		/* there is a caller, and this is it now */
	GW_UNWIND_OUTERMOST,	/* a thread begins here */
	GW_UNWIND_LOST,		/* code without frame data, or a damaged stack */
};

/* CONTEXT: a ucontext_t. */
void gw_unwind_start(struct gw_unwind *at, const void *context) __attribute__((nonnull));
enum gw_unwind_end gw_unwind_step(struct gw_unwind *at) __attribute__((nonnull));

/*
 * Where a step got lost: goes on with the first word on the stack that follows a call, and is no more than likely to be the caller. False: there is none, and
 * AT is as it was.
 */
bool gw_unwind_guess(struct gw_unwind *at) __attribute__((nonnull));

/*
 * The exported function that ADDRESS lies in, and where it begins; NULL where it lies in none. The name is in the object's memory, and can be read up to
 * its end.
 */
const char *gw_unwind_name(uintptr_t address, uintptr_t *begin) __attribute__((nonnull));

#endif
