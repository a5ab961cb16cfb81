/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of DWARF, one after the other: past the end, or where no memory is, every further value is 0 and `bad` is set. */
#ifndef GW_CRASH_READ_H
#define GW_CRASH_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_bytes {
	uintptr_t at, end;
	bool bad;
};

uint64_t gw_bytes_number(struct gw_bytes *bytes, unsigned size) __attribute__((nonnull));	/* 1, 2, 4, 8 */
int64_t gw_bytes_signed(struct gw_bytes *bytes, unsigned size) __attribute__((nonnull));
uint64_t gw_bytes_uleb(struct gw_bytes *bytes) __attribute__((nonnull));
int64_t gw_bytes_sleb(struct gw_bytes *bytes) __attribute__((nonnull));
void gw_bytes_skip(struct gw_bytes *bytes, uint64_t count) __attribute__((nonnull));

#endif
