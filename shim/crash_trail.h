/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last calls of each thread, for the crash report. A thread takes one of a fixed number of rings at its first call and writes into it
 * without asking anybody; threads beyond that have none. Nothing is written where the report is off.
 */
#ifndef GW_CRASH_TRAIL_H
#define GW_CRASH_TRAIL_H

#include <stdatomic.h>
#include <stdint.h>
#include "thread.h"

#define GW_TRAIL_CALLS 16u	/* a power of two */
#define GW_TRAILS 256u

struct gw_trail_call {
	const void *caller;	/* return address */
	uint32_t fn;		/* enum gw_fn */
};

struct gw_trail {
	_Atomic int32_t owner;	/* kernel id of the thread; 0: free */
	uint32_t next;		/* how many were ever written */
	struct gw_trail_call calls[GW_TRAIL_CALLS];
} __attribute__((aligned(64)));

extern struct gw_trail gw_trails[GW_TRAILS] __attribute__((visibility("hidden")));

/* The thread's first call: finds a ring for it, and prepares the crash report. errno kept. */
void gw_trail_begin(struct gw_thread *thread) __attribute__((nonnull, cold));

/* In a fork's child: its thread has another id. */
void gw_trail_forked(void);

static inline void gw_trail_note(struct gw_thread *thread, uint32_t fn, const void *caller)
{
	struct gw_trail *trail;
	struct gw_trail_call *call;

	if (__builtin_expect(!thread->trail, 0))
		gw_trail_begin(thread);
	if (thread->trail < 0)
		return;
	trail = &gw_trails[thread->trail - 1];
	call = &trail->calls[trail->next % GW_TRAIL_CALLS];
	call->caller = caller;
	call->fn = fn;
	atomic_signal_fence(memory_order_release);	/* read by this thread's own signal handler alone */
	trail->next++;
}

#endif
