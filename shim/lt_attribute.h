/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the attributes of cublasLt's semi-opaque blocks, release by release: read-only tables that abigen writes
 * from abi/measured (gw_lt_attribute.h). Any thread.
 */
#ifndef GW_SHIM_LT_ATTRIBUTE_H
#define GW_SHIM_LT_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "gw_lt_attribute.h"
#include "table.h"

enum gw_lt_block_kind {
	GW_LT_MATMUL_DESC,
	GW_LT_MATRIX_LAYOUT,
	GW_LT_MATMUL_PREFERENCE,
	GW_LT_MATRIX_TRANSFORM_DESC,
	GW_LT_BLOCK_KINDS
};

/* One meaning of one attribute: another size is another meaning. */
struct gw_lt_attribute {
	uint32_t name;		/* gw_string: the header's constant, else words for what no header names */
	uint8_t kind, id;
	uint8_t size;		/* bytes, at most 8 */
	uint8_t given;		/* its default is what Init was given */
	uint16_t first, newest;	/* the first release whose header names it, the newest whose library has it; indices */
	uint64_t value;		/* the default */
	uint64_t releases[GW_LT_RELEASE_WORDS];	/* whose library has it, by index */
};

/*
 * Attributes that these releases write and read even where the caller's block is too small for them: they lie in blocks alone
 * that have `format` or a later one at `format_at`.
 */
struct gw_lt_room {
	uint8_t kind, format;
	uint16_t format_at;
	uint64_t beyond;	/* by attribute */
	uint64_t releases[GW_LT_RELEASE_WORDS];
};

/* By attribute: those that the library cannot be asked about first, because it may take them for others, or write beyond a block. */
extern const uint64_t gw_lt_attribute_special[GW_LT_BLOCK_KINDS];

static inline bool gw_lt_attribute_is_special(enum gw_lt_block_kind kind, int id)
{
	return id >= 0 && id < GW_LT_ATTRIBUTE_IDS && (gw_lt_attribute_special[kind] >> id & 1);
}

/* Attribute ID as RELEASE has it; NULL when it has none, or RELEASE is NULL. */
const struct gw_lt_attribute *gw_lt_attribute_find(enum gw_lt_block_kind kind, int id, const struct gw_release *release);

/* Do both mean the same? Not where either is NULL. */
bool gw_lt_attribute_same(const struct gw_lt_attribute *a, const struct gw_lt_attribute *b);

/* Does RELEASE come before all that have the attribute's meaning, or between two of them? If not, it dropped the attribute. */
bool gw_lt_attribute_is_newer(const struct gw_lt_attribute *attribute, const struct gw_release *release) __attribute__((nonnull(1)));

/* The first release that has it. */
const struct gw_release *gw_lt_attribute_since(const struct gw_lt_attribute *attribute) __attribute__((nonnull, returns_nonnull));

/* Is ID beyond BLOCK, though RELEASE's library, or one between it and the next, would write it there? */
bool gw_lt_attribute_is_beyond(enum gw_lt_block_kind kind, int id, const void *block, const struct gw_release *release)
	__attribute__((nonnull(3)));

#endif
