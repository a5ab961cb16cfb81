/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See lt_block.h. A slot's version is odd while it is written, else the generation of its record (0: it never had one). Words are
 * stored and loaded one by one, so that a reader who is overtaken reads old and new ones but nothing torn, and then sees that the
 * version has moved on.
 */
#include "lt_block.h"

#include <stdatomic.h>
#include <stddef.h>

#define WORDS (sizeof(struct gw_lt_record) / sizeof(uint64_t))
#define HEAD (offsetof(struct gw_lt_record, native) / sizeof(uint64_t))
#define SETS (GW_LT_RECORDS / GW_LT_WAYS)
#define ATTEMPTS 16	/* at a place that other threads take before us */

_Static_assert(sizeof(struct gw_lt_record) % sizeof(uint64_t) == 0, "records are copied in words");
_Static_assert(sizeof(struct gw_lt_extra) % sizeof(uint64_t) == 0, "and so are extras");
_Static_assert((sizeof(struct gw_lt_record) + 20) * GW_LT_RECORDS < 1 << 20, "what lt_block.h promises");

/* Slot by slot; what is looked through to find a record stands together. */
static _Atomic uint64_t versions[GW_LT_RECORDS];
static _Atomic uint64_t hashes[GW_LT_RECORDS];
static _Atomic uint32_t used[GW_LT_RECORDS];	/* the clock when it was last read or found */
static _Atomic uint64_t words[GW_LT_RECORDS][WORDS];
static _Atomic uint32_t clock_now;	/* goes on with each new record */

/* A record seen as words; memcpy would cost a second copy. */
typedef uint64_t __attribute__((may_alias)) word_of_record;

/* Words of a record with that many extras: those that are not in use are not kept. */
static size_t word_count(uint32_t extras)
{
	return (offsetof(struct gw_lt_record, extra) + extras * sizeof(struct gw_lt_extra)) / sizeof(uint64_t);
}

/* Four lanes at once, since each step waits for the one before. */
static uint64_t hash_of(const struct gw_lt_record *record)
{
	const word_of_record *word = (const word_of_record *)record;
	uint64_t lane[4] = { 1, 2, 3, 4 }, hash = 0;
	size_t count = word_count(record->extras), i;

	for (i = 0; i + 4 <= count; i += 4) {
		lane[0] = (lane[0] ^ word[i]) * UINT64_C(0xff51afd7ed558ccd);
		lane[1] = (lane[1] ^ word[i + 1]) * UINT64_C(0xff51afd7ed558ccd);
		lane[2] = (lane[2] ^ word[i + 2]) * UINT64_C(0xff51afd7ed558ccd);
		lane[3] = (lane[3] ^ word[i + 3]) * UINT64_C(0xff51afd7ed558ccd);
		lane[0] ^= lane[0] >> 32;
		lane[1] ^= lane[1] >> 32;
		lane[2] ^= lane[2] >> 32;
		lane[3] ^= lane[3] >> 32;
	}
	for (; i < count; i++)
		lane[i % 4] = (lane[i % 4] ^ word[i]) * UINT64_C(0xc4ceb9fe1a85ec53);
	for (i = 0; i < 4; i++) {
		hash = (hash ^ lane[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static void touch(uint32_t at)
{
	uint32_t now = atomic_load_explicit(&clock_now, memory_order_relaxed);

	if (atomic_load_explicit(&used[at], memory_order_relaxed) != now)
		atomic_store_explicit(&used[at], now, memory_order_relaxed);
}

static bool still(uint32_t at, uint64_t version)
{
	return atomic_load_explicit(&versions[at], memory_order_acquire) == version;
}

/* Copies slot AT, if that still holds the record of VERSION. */
static bool copy(uint32_t at, uint64_t version, struct gw_lt_record *record)
{
	word_of_record *word = (word_of_record *)record;
	size_t count, i;

	if (!still(at, version))
		return false;
	for (i = 0; i < HEAD; i++)
		word[i] = atomic_load_explicit(&words[at][i], memory_order_acquire);
	if (record->extras > GW_LT_EXTRAS)
		return false;	/* torn */
	count = word_count(record->extras);
	for (; i < count; i++)
		word[i] = atomic_load_explicit(&words[at][i], memory_order_acquire);
	return still(at, version);
}

/* Does slot AT hold what RECORD does? */
static bool holds(uint32_t at, uint64_t version, const struct gw_lt_record *record)
{
	const word_of_record *word = (const word_of_record *)record;
	size_t count = word_count(record->extras), i;

	for (i = 0; i < count; i++)
		if (atomic_load_explicit(&words[at][i], memory_order_acquire) != word[i])
			return false;
	return still(at, version);
}

bool gw_lt_block_read(const void *block, struct gw_lt_record *record)
{
	struct gw_lt_token token;

	memcpy(&token, block, sizeof(token));
	if (token.slot >= GW_LT_RECORDS || !token.generation || token.generation % 2)
		return false;
	if (token.check != (uint32_t)atomic_load_explicit(&hashes[token.slot], memory_order_relaxed) ||
	    !copy(token.slot, token.generation, record) || gw_lt_block_magic(record->kind) != token.magic)
		return false;
	touch(token.slot);
	return true;
}

static void write_token(void *block, uint32_t at, uint64_t version, uint64_t hash, uint32_t kind)
{
	struct gw_lt_token token = { .magic = gw_lt_block_magic(kind), .slot = at, .check = (uint32_t)hash, .generation = version };

	token.second = ~token.magic;
	memcpy(block, &token, sizeof(token));
}

/* A slot of the set FIRST that holds RECORD already; its version, or 0. */
static uint64_t find(uint32_t first, uint64_t hash, const struct gw_lt_record *record, uint32_t *at)
{
	uint64_t version;

	for (*at = first; *at < first + GW_LT_WAYS; ++*at) {
		if (atomic_load_explicit(&hashes[*at], memory_order_relaxed) != hash)
			continue;
		version = atomic_load_explicit(&versions[*at], memory_order_acquire);
		if (version && version % 2 == 0 && holds(*at, version, record))
			return version;
	}
	return 0;
}

/* The slot to take: an empty one, else the one that was used least lately. *version: what it has now. */
static uint32_t victim(uint32_t first, uint64_t *version)
{
	uint32_t now = atomic_load_explicit(&clock_now, memory_order_relaxed), best = first, at;
	int32_t oldest = 0;

	*version = 1;
	for (at = first; at < first + GW_LT_WAYS; at++) {
		uint64_t has = atomic_load_explicit(&versions[at], memory_order_acquire);
		int32_t age = (int32_t)(now - atomic_load_explicit(&used[at], memory_order_relaxed));

		if (has % 2)
			continue;
		if (age < 0)
			age = 0;	/* the clock has gone on since it was read: this one is the newest, not the oldest */
		if (!has || *version % 2 || age > oldest) {
			best = at;
			oldest = age;
			*version = has;
		}
		if (!has)
			break;
	}
	return best;
}

/* Slot AT is ours alone until its version is even again. */
static void fill(uint32_t at, uint64_t hash, const struct gw_lt_record *record)
{
	const word_of_record *word = (const word_of_record *)record;
	size_t count = word_count(record->extras), i;

	atomic_store_explicit(&hashes[at], hash, memory_order_release);
	for (i = 0; i < count; i++)
		atomic_store_explicit(&words[at][i], word[i], memory_order_release);
	atomic_store_explicit(&used[at], atomic_fetch_add_explicit(&clock_now, 1, memory_order_relaxed) + 1, memory_order_relaxed);
}

bool gw_lt_block_write(void *block, const struct gw_lt_record *record)
{
	uint64_t hash = hash_of(record), version;
	uint32_t first = (uint32_t)(hash >> 32) % SETS * GW_LT_WAYS, at;
	int attempt;

	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		version = find(first, hash, record, &at);
		if (version) {
			touch(at);
			write_token(block, at, version, hash, record->kind);
			return true;
		}
		at = victim(first, &version);
		if (version % 2 || !atomic_compare_exchange_strong(&versions[at], &version, version + 1))
			continue;
		fill(at, hash, record);
		atomic_store_explicit(&versions[at], version + 2, memory_order_release);
		write_token(block, at, version + 2, hash, record->kind);
		return true;
	}
	return false;
}

const struct gw_lt_extra *gw_lt_record_extra(const struct gw_lt_record *record, int id)
{
	uint32_t i;

	for (i = 0; i < record->extras; i++)
		if (record->extra[i].id == (uint32_t)id)
			return &record->extra[i];
	return NULL;
}

bool gw_lt_record_put(struct gw_lt_record *record, int id, uint64_t value, uint32_t size)
{
	struct gw_lt_extra *extra = record->extra;
	uint32_t at = 0;

	while (at < record->extras && extra[at].id < (uint32_t)id)
		at++;
	if (at < record->extras && extra[at].id == (uint32_t)id) {
		if (size) {
			extra[at].value = value;
			extra[at].size = size;
			return true;
		}
		record->extras--;
		memmove(&extra[at], &extra[at + 1], (record->extras - at) * sizeof(*extra));
		memset(&extra[record->extras], 0, sizeof(*extra));
		return true;
	}
	if (!size)
		return true;
	if (record->extras == GW_LT_EXTRAS)
		return false;
	memmove(&extra[at + 1], &extra[at], (record->extras - at) * sizeof(*extra));
	extra[at] = (struct gw_lt_extra){ .value = value, .id = (uint32_t)id, .size = size };
	record->extras++;
	return true;
}
