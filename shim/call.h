/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a generated typed wrapper does around one vendor call. The wrappers and `via` functions are the only users.
 *
 *	TYPE NAME(A a, B b)
 *	{
 *		struct gw_call call;
 *		TYPE (*real)(A, B) = gw_enter(&call, GW_FN_NAME, __builtin_return_address(0));
 *		TYPE result;
 *		if (!call.flags)			// nothing watches and nothing is translated
 *			result = real(a, b);
 *		else
 *			(as below: translate, call or via, translate back, report)
 *		gw_exit(&call);
 *		return result;
 *	}
 *
 * gw_enter never fails: a function that the loaded release lacks is answered by a stand-in of its result's class, so `real` is
 * never NULL. errno leaves gw_enter, gw_leave and gw_exit as it came.
 */
#ifndef GW_CALL_H
#define GW_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "table.h"

struct gw_binding;

enum gw_call_flags {
	GW_CALL_REPORT = 1,	/* the log wants arguments, result and time: fill values[], call gw_leave */
	GW_CALL_TRANSLATE = 2,	/* statuses differ between caller and loaded release */
	GW_CALL_VIA = 4,	/* a `via` function answers, if this function has one: caller and loaded release differ, the loaded
				 * one lacks the function, or the treatment says `always` */
	GW_CALL_TRACE = 8,	/* the trace counts the call: gw_trace_count ends it */
	GW_CALL_RECORD = 16,	/* and has a record of it */
	GW_CALL_TIMED = 32,	/* the trace wants its duration: `end` */
	GW_CALL_SHARED = 64,	/* `slot` belongs to all threads */
	GW_CALL_STACK = 128,	/* the record has the backtrace */
};

struct gw_trace_count;

struct gw_call {
	const struct gw_binding *binding;	/* who was called, for whom; never NULL */
	const void *caller;		/* return address */
	uint64_t start;			/* CLOCK_MONOTONIC, ns; only when GW_CALL_REPORT */
	uint32_t fn;			/* enum gw_fn */
	uint8_t flags;
	uint8_t nested;			/* inside another intercepted call: neither counted nor logged */
	uint8_t absent;			/* the loaded release lacks it; the stand-in answered in the caller's own numbering */
	uint8_t counted;		/* trace: its duration goes into the counts, too */
	uint32_t shape;			/* trace: number of the definition; only when GW_CALL_TRACE, as all below */
	struct gw_trace_count *slot;	/* where it is counted */
	uint64_t stamp, end;		/* GW_CALL_RECORD: when it began; GW_CALL_TIMED: and ended */
};

/* One argument or result, for the log. */
union gw_value {
	int64_t i;	/* sign- or zero-extended by the wrapper */
	double d;	/* float and double */
	const void *p;
};

/* Decides who answers this call. Returns the function to call, to be cast to its own type. Fast path: no lock, allocation or system call. */
void *gw_enter(struct gw_call *call, uint32_t fn, const void *caller) __attribute__((nonnull(1), returns_nonnull));

/* Ends what gw_enter began. Must run on every return. */
void gw_exit(struct gw_call *call) __attribute__((nonnull));

/* Status of the loaded release -> status as the caller's release numbers it, and the other way. Identity unless GW_CALL_TRANSLATE. */
int32_t gw_status_out(const struct gw_call *call, int32_t status) __attribute__((nonnull));
int32_t gw_status_in(const struct gw_call *call, int32_t status) __attribute__((nonnull));

/*
 * The statuses of a finished call that lie in the caller's memory, translated in place as gw_status_out does: one at OFFSET of each of
 * the first min(COUNT, MOST) elements of SIZE bytes. Nothing when ARRAY is NULL or COUNT is not positive.
 */
void gw_carried_out(const struct gw_call *call, void *array, int64_t count, int64_t most, size_t size, size_t offset)
	__attribute__((nonnull(1)));

/* Writes the log record of a finished call. values: the arguments in order (NULL when there are none); result as the caller will see it. */
void gw_leave(struct gw_call *call, const union gw_value *values, union gw_value result) __attribute__((nonnull(1)));

#endif
