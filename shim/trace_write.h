/* SPDX-License-Identifier: Apache-2.0 */
/* What a generated wrapper does to trace a call (abi/gen/emit_trace.c writes the code that uses this). Any thread, errno kept. */
#ifndef GW_TRACE_WRITE_H
#define GW_TRACE_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "call.h"

#define GW_TRACE_HIDDEN __attribute__((visibility("hidden")))

/* The trace's clock: enum gw_trace_clock. */
uint64_t gw_trace_now(void) GW_TRACE_HIDDEN;

/*
 * Room for a record with LENGTH bytes of arguments and contents; its head is written, the rest zero. Returns where they go; NULL: the record is
 * dropped, and counted so. gw_trace_publish must follow, with the same LENGTH.
 */
unsigned char *gw_trace_claim(struct gw_call *call, uint32_t length, uint64_t result) __attribute__((nonnull)) GW_TRACE_HIDDEN;
void gw_trace_publish(struct gw_call *call, unsigned char *to, uint32_t length) __attribute__((nonnull)) GW_TRACE_HIDDEN;

/* All of that for a call with an integer that does not fit 4 bytes. */
void gw_trace_long(struct gw_call *call, const union gw_value *values, uint64_t result) __attribute__((nonnull)) GW_TRACE_HIDDEN;

/* Counts a call that has ended. */
void gw_trace_count(struct gw_call *call, bool failed) __attribute__((nonnull)) GW_TRACE_HIDDEN;

/* What a call's opaque arguments held, or its sizes: the number of a definition "shape"; 0: not known. */
uint32_t gw_trace_shape_lt_matmul(struct gw_call *call, const union gw_value *values) __attribute__((nonnull)) GW_TRACE_HIDDEN;
uint32_t gw_trace_shape_lt_heuristic(struct gw_call *call, const union gw_value *values) __attribute__((nonnull)) GW_TRACE_HIDDEN;
uint32_t gw_trace_shape_lt_check(struct gw_call *call, const union gw_value *values) __attribute__((nonnull)) GW_TRACE_HIDDEN;
uint32_t gw_trace_shape_lt_transform(struct gw_call *call, const union gw_value *values) __attribute__((nonnull)) GW_TRACE_HIDDEN;
uint32_t gw_trace_shape_sizes(struct gw_call *call, const union gw_value *values) __attribute__((nonnull)) GW_TRACE_HIDDEN;

/* 0 or 1, for several to be put together without a branch each. */
static inline unsigned gw_trace_fits(uint64_t value)
{
	return value <= UINT32_MAX;
}

static inline unsigned gw_trace_fits_signed(int64_t value)
{
	return value == (int32_t)value;
}

static inline uint64_t gw_trace_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline void gw_trace_put_4(unsigned char *to, uint32_t value)
{
	memcpy(to, &value, sizeof(value));
}

static inline void gw_trace_put_8(unsigned char *to, uint64_t value)
{
	memcpy(to, &value, sizeof(value));
}

/* The first SIZE, at most MOST, bytes; the rest stays zero. What an address holds was read or written by the library just now. */
static inline void gw_trace_copy(unsigned char *to, const void *from, size_t size, size_t most)
{
	const unsigned char *byte = from;

	if (size >= most && most == 8) {
		memcpy(to, from, 8);
	} else if (size == 4 || (size >= most && most == 4)) {
		memcpy(to, from, 4);
	} else {
		for (size_t i = 0; i < size && i < most; i++)
			to[i] = byte[i];
	}
}

#endif
