/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublasLt's blocks lie in memory of the caller, who may copy them by assignment and never says when they are gone. A block that
 * needs more than the library can keep in it becomes a token: GW_LT_TOKEN bytes at its start, within the smallest block that any
 * release has, which name a record here. Records never change. Equal contents share one, so copies are copies, and a change makes
 * another record: the copies that were made before keep theirs.
 *
 * What is kept is bounded: GW_LT_RECORDS records, less than a megabyte of zero pages that are touched as they are used. A new
 * record takes the place of the one that was used least lately of the GW_LT_WAYS that may stand there; a token of a record that
 * is gone is told from every other, and is never taken for anything else.
 *
 * Any thread, signal handlers and forked children included: no lock, no allocation. A reader copies a record, and notices when it
 * was replaced meanwhile.
 */
#ifndef GW_SHIM_LT_BLOCK_H
#define GW_SHIM_LT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lt_attribute.h"

#define GW_LT_EXTRAS 6u		/* attributes of one block that the library has no place for, at most */
#define GW_LT_WAYS 32u
#define GW_LT_RECORDS 2048u

/* An attribute that the loaded library has no place for. */
struct gw_lt_extra {
	uint64_t value;		/* little-endian; bytes above `size` are 0 */
	uint32_t id;
	uint32_t size;		/* bytes; 0: none */
};

/* What a token stands for. Start with all bytes 0: padding counts when contents are compared. */
struct gw_lt_record {
	const void *library;	/* that made `native`: no other may be given it */
	uint32_t kind;		/* enum gw_lt_block_kind */
	uint32_t extras;	/* how many of `extra` are in use; the rest may hold anything */
	unsigned char native[(GW_LT_BLOCK_MOST + 15) / 16 * 16] __attribute__((aligned(16)));	/* a block of the library's own */
	struct gw_lt_extra extra[GW_LT_EXTRAS];	/* sorted by id */
};

struct gw_lt_token {
	uint32_t magic;		/* where a block has its format or data type: one that no library knows, read as negative */
	uint32_t slot;
	uint32_t second;	/* where a MatmulDesc has its compute type: none that any library knows */
	uint32_t check;		/* part of the record's hash */
	uint64_t generation;	/* of the slot: every record that ever stood there has its own */
};

#define GW_LT_TOKEN sizeof(struct gw_lt_token)
_Static_assert(GW_LT_TOKEN <= GW_LT_BLOCK_LEAST, "a token fits every block");
#define GW_LT_MAGIC UINT32_C(0xd7b16b00)	/* | kind + 0xd0: the low byte alone is a preference's format */

static inline uint32_t gw_lt_block_magic(enum gw_lt_block_kind kind)
{
	return GW_LT_MAGIC + 0xd0 + (uint32_t)kind;
}

/* Is BLOCK a token of that kind? Reads its first 12 bytes; NULL is none. */
static inline bool gw_lt_block_is_token(enum gw_lt_block_kind kind, const void *block)
{
	struct gw_lt_token token;

	if (!block)
		return false;
	memcpy(&token.magic, block, sizeof(token.magic));
	if (__builtin_expect(token.magic != gw_lt_block_magic(kind), 1))
		return false;
	memcpy(&token.second, (const char *)block + offsetof(struct gw_lt_token, second), sizeof(token.second));
	return token.second == ~token.magic;
}

/* Copies the record of the token BLOCK. False: it is gone. */
bool gw_lt_block_read(const void *block, struct gw_lt_record *record) __attribute__((nonnull, warn_unused_result));

/*
 * Makes BLOCK the token of RECORD: writes GW_LT_TOKEN bytes. False, and nothing written: every place is being written by other
 * threads.
 */
bool gw_lt_block_write(void *block, const struct gw_lt_record *record) __attribute__((nonnull, warn_unused_result));

/* The extra with ID; NULL when there is none. */
const struct gw_lt_extra *gw_lt_record_extra(const struct gw_lt_record *record, int id) __attribute__((nonnull));

/* Sets or, with SIZE 0, removes an extra. False: there is no room for it. */
bool gw_lt_record_put(struct gw_lt_record *record, int id, uint64_t value, uint32_t size) __attribute__((nonnull));

#endif
