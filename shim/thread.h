/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shim keeps for each thread: initial-exec TLS, so that touching it never allocates, and small, because a facade that is
 * dlopened without a preload takes it from the loader's static surplus.
 */
#ifndef GW_THREAD_H
#define GW_THREAD_H

#include <stdint.h>

struct gw_thread {
	uint32_t origin;	/* set by a thunk for the wrapper it jumps to; first, gw_thunks.S relies on it */
	uint32_t depth;		/* intercepted calls that this thread is inside of */
	uintptr_t outermost;	/* frame of the outermost of them: a lower depth than it claims means it was left by longjmp */
	int64_t absent;		/* what the stand-in for a missing function answers */
	int32_t shard;		/* 1 + index of its counters; 0: not chosen yet */
	int32_t trail;		/* 1 + index of its last calls (crash_trail.h); 0: not chosen yet, -1: none */
	/* The trace's (trace_thread.h): valid in the process that has this epoch. */
	uint32_t trace_epoch;
	uint16_t trace_busy;	/* inside what a signal handler of the same thread must not enter */
	uint16_t trace_chance;	/* which calls are sampled */
	unsigned char *trace_next, *trace_end;	/* where in its block the next record goes; the block's end */
	struct gw_trace_count *trace_counts;	/* its block of counts, seen as an array; NULL: none */
};

extern __thread struct gw_thread gw_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
