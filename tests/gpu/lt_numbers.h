/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of CUDA's types, named as in library_types.h without CUDA_ (R_16BF, C_32F, …), made from bits, so that no header is needed. */
#ifndef GPU_LT_NUMBERS_H
#define GPU_LT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Bits of an element, 0: a type that nothing here makes. */
int numbers_bits(const char *type);

/* Random numbers of magnitude 1/8 to 2 (integers: all bytes, or -128 to 127), always the same for the same seed. */
void numbers_fill(const char *type, uint64_t seed, void *memory, size_t size);

/* One number, its imaginary part 0, of a value that the type has exactly. */
void numbers_scalar(const char *type, double value, void *memory);

uint64_t numbers_hash(uint64_t before, const void *memory, size_t size);

#endif
