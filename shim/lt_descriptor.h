/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Setting, reading and using cublasLt's blocks where the loaded library alone would do it otherwise than the caller's own release:
 * the slow half of via_lt.c. Any thread, one block at a time, as the library wants it; nothing is written beyond the
 * GW_LT_TOKEN bytes at a block's start but by the library itself.
 */
#ifndef GW_SHIM_LT_DESCRIPTOR_H
#define GW_SHIM_LT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"
#include "lt_attribute.h"
#include "lt_block.h"

/* May the library be asked itself to set or read attribute ID of BLOCK? Not of a token, nor of what it would take for something else. */
static inline bool gw_lt_descriptor_plain(enum gw_lt_block_kind kind, const void *block, int id)
{
	return !gw_lt_block_is_token(kind, block) && __builtin_expect(!gw_lt_attribute_is_special(kind, id), 1);
}

/*
 * Where the library was not asked, or refused. REFUSED is its status then, else 0. The status is the answer: the library's own,
 * or as the caller's release would have it.
 */
int32_t gw_lt_descriptor_set(struct gw_call *call, enum gw_lt_block_kind kind, void *block, int id, const void *value, size_t size,
			     int32_t refused) __attribute__((nonnull(1)));
int32_t gw_lt_descriptor_get(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, int id, void *value, size_t size,
			     size_t *written, int32_t refused) __attribute__((nonnull(1)));

/* Before Destroy: the library gets back a block of its own. */
void gw_lt_descriptor_restore(struct gw_call *call, enum gw_lt_block_kind kind, void *block) __attribute__((nonnull));

/* If *BLOCK is a token, *BLOCK becomes the library's own block in RECORD. False: it is gone; that was told. */
bool gw_lt_descriptor_open(struct gw_call *call, enum gw_lt_block_kind kind, void **block, struct gw_lt_record *record)
	__attribute__((nonnull, warn_unused_result));

/*
 * Makes RECORD of what BLOCK, which is no token, holds: a block of the library's own full size with the same attributes. False:
 * the library refused one of them.
 */
bool gw_lt_descriptor_clone(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, struct gw_lt_record *record)
	__attribute__((nonnull, warn_unused_result));

/* An attribute of the library's own block, and setting it. Status of the library; INVALID_VALUE where it has no such function. */
int32_t gw_lt_native_get(struct gw_call *call, enum gw_lt_block_kind kind, const void *native, int id, void *value, size_t size)
	__attribute__((nonnull));
int32_t gw_lt_native_set(struct gw_call *call, enum gw_lt_block_kind kind, void *native, int id, const void *value, size_t size)
	__attribute__((nonnull));

#endif
