/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes one element of any numeric type that the fake libraries handle. No state, any thread.
 * Every value passes through a pair of doubles: exact for all integers up to 32 bits and all floats up to 64.
 */
#ifndef FAKE_NUMBER_H
#define FAKE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_type {
	FAKE_F64, FAKE_F32, FAKE_F16, FAKE_BF16, FAKE_E4M3, FAKE_E5M2, FAKE_I8, FAKE_U8, FAKE_I32, FAKE_I64, FAKE_C32,
	FAKE_C64, FAKE_TYPE_COUNT
};

struct fake_number {
	double re, im;
};

size_t fake_size(enum fake_type type);
bool fake_is_complex(enum fake_type type);
bool fake_is_integer(enum fake_type type);

/* Element INDEX of the array DATA. */
struct fake_number fake_load(const void *data, enum fake_type type, int64_t index);

/* Rounds to nearest, ties to even; integers saturate, and so do the 8 bit floats (as the vendor's conversions do). */
void fake_store(void *data, enum fake_type type, int64_t index, struct fake_number value);

#endif
