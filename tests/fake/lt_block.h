/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The semi-opaque blocks of cuBLASLt: callers may allocate them with the size that their own header knows, copy them by
 * assignment and never destroy them. A block begins with its format number and this library's mark; an attribute is honoured
 * where this release names it and where it fits the block. Any thread, one block at a time.
 */
#ifndef FAKE_LT_BLOCK_H
#define FAKE_LT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fake_api.h"

/* The first eight bytes of every block. */
struct lt_head {
	uint32_t format;
	uint16_t mark;		/* of the kind */
	uint16_t size;		/* bytes in use: what Init took, never more than it was told */
};

struct lt_attribute {
	int id;
	uint8_t size;		/* as the caller sees it */
	uint8_t width;		/* as stored; narrower than `size` where the oldest block is short of room */
	uint16_t offset;
	bool unchecked;		/* set and read even where it lies beyond the block: the real libraries' fault */
};

struct lt_kind {
	const char *name;
	const struct lt_attribute *attributes;
	size_t attribute_count;
	const uint16_t *sizes;	/* that releases up to this one gave the block, ascending; the last is this release's own */
	size_t size_count;
	uint32_t first_format;	/* format of sizes[0] */
	uint32_t newest_format;	/* of a block of this release's own size */
	uint16_t mark;
	uint16_t least;		/* Init refuses anything smaller */
	uint16_t size_at;	/* not 0: the offset of a byte that tells which of `sizes` the block has, where the real ones have it */
};

/* Initialises min(SIZE, own size) bytes. CUBLAS_STATUS_INVALID_VALUE and nothing written where SIZE is too small. */
cublasStatus_t lt_block_init(const struct lt_kind *kind, void *block, size_t size);

/* Is this a block of that kind that this release can read? */
bool lt_block_valid(const struct lt_kind *kind, const void *block);

cublasStatus_t lt_block_set(const struct lt_kind *kind, void *block, int id, const void *value, size_t size);
cublasStatus_t lt_block_get(const struct lt_kind *kind, const void *block, int id, void *value, size_t size, size_t *written);

/* An attribute as a number; FALLBACK where release or block lack it. */
int64_t lt_block_number(const struct lt_kind *kind, const void *block, int id, int64_t fallback);
void *lt_block_pointer(const struct lt_kind *kind, const void *block, int id);

/* Sets an attribute that surely fits (defaults, after Init). */
void lt_block_put(const struct lt_kind *kind, void *block, int id, int64_t value);

extern const struct lt_kind lt_matmul, lt_layout, lt_preference, lt_transform;

#endif
