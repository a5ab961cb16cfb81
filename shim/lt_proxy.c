/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_proxy.h. */
#include "lt_proxy.h"

#include <stdatomic.h>
#include <string.h>

#include "gw_fn.h"

#define IDS 4096u	/* ids that proxies are looked for in and given for; others have none */
#define CELLS 1024u
#define NO_RELEASE 511u

/*
 * One given proxy: all that it depends on, and the real id in the low bits. Nothing is ever taken out, so the cells that a proxy of one
 * list can be in are tried in one order, and two threads that want the same one meet at the same empty cell.
 */
#define REAL_BITS 12
#define REAL_MASK ((UINT64_C(1) << REAL_BITS) - 1)

static _Atomic uint64_t cells[CELLS];

struct sets {
	uint64_t listed[IDS / 64];
	uint32_t unknown, vacant;	/* listed and not named by the caller's release; the reverse */
};

static bool has(const struct sets *sets, uint32_t id)
{
	return id < IDS && sets->listed[id / 64] >> (id % 64) & 1;
}

static bool is_unknown(const struct gw_lt_list *list, const struct sets *sets, uint32_t id)
{
	return has(sets, id) && !gw_lt_known(list->caller, list->kind, id);
}

/* 0 stands for itself in every release. */
static bool is_vacant(const struct gw_lt_list *list, const struct sets *sets, uint32_t id)
{
	return id && !has(sets, id) && gw_lt_known(list->caller, list->kind, id);
}

static void read_list(const struct gw_lt_list *list, struct sets *sets)
{
	uint32_t i, end = gw_lt_end(list->kind);

	memset(sets, 0, sizeof(*sets));
	for (i = 0; i < list->count; i++) {
		uint32_t id = list->ids[i];

		if (id >= IDS || has(sets, id))
			continue;
		sets->listed[id / 64] |= UINT64_C(1) << (id % 64);
		if (!gw_lt_known(list->caller, list->kind, id))
			sets->unknown++;
	}
	for (i = 1; i < end && i < IDS; i++)
		if (is_vacant(list, sets, i))
			sets->vacant++;
}

/* The Nth id for which IS says so; 0: there are fewer. */
static uint32_t nth(const struct gw_lt_list *list, const struct sets *sets,
		    bool (*is)(const struct gw_lt_list *, const struct sets *, uint32_t), uint32_t n)
{
	uint32_t i;

	for (i = 1; i < IDS; i++)
		if (is(list, sets, i) && n-- == 0)
			return i;
	return 0;
}

static uint32_t rank(const struct gw_lt_list *list, const struct sets *sets,
		     bool (*is)(const struct gw_lt_list *, const struct sets *, uint32_t), uint32_t id)
{
	uint32_t i, count = 0;

	for (i = 1; i < id; i++)
		count += is(list, sets, i);
	return count;
}

static uint64_t release_number(const struct gw_release *release)
{
	ptrdiff_t index = release ? release - gw_families[GW_FAMILY_cublasLt].releases : NO_RELEASE;

	return index >= 0 && index < (ptrdiff_t)NO_RELEASE ? (uint64_t)index : NO_RELEASE;
}

/* The cell's content but for the real id: 1, caller, loaded, kind, algorithm, proxy. */
static uint64_t key_of(const struct gw_lt_list *list, uint32_t shown)
{
	uint64_t key = 1;

	key = key << 9 | release_number(list->caller);
	key = key << 9 | release_number(list->loaded);
	key = key << 3 | (uint64_t)list->kind;
	key = key << 16 | (uint16_t)list->algorithm;
	key = key << REAL_BITS | shown;
	return key << REAL_BITS;
}

static uint32_t start_of(uint64_t key)
{
	return (uint32_t)((key >> REAL_BITS) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % CELLS;
}

/* What is remembered for KEY, after putting REAL there when nothing is and REAL is not 0. 0: nothing, or no room. */
static uint32_t remembered(uint64_t key, uint32_t real)
{
	uint32_t i, at = start_of(key);

	for (i = 0; i < CELLS; i++, at = (at + 1) % CELLS) {
		uint64_t cell = atomic_load_explicit(&cells[at], memory_order_relaxed);

		if (!cell && !real)
			return 0;
		if (!cell && atomic_compare_exchange_strong(&cells[at], &cell, key | real))
			return real;
		if ((cell & ~REAL_MASK) == key)
			return (uint32_t)(cell & REAL_MASK);
	}
	return 0;
}

uint32_t gw_lt_proxy_shown(const struct gw_lt_list *list, uint32_t real)
{
	struct sets sets;
	uint32_t i, first;

	read_list(list, &sets);
	if (!real || real >= IDS || !sets.vacant || list->algorithm < 0 || list->algorithm > UINT16_MAX)
		return 0;
	first = rank(list, &sets, is_unknown, real);
	if (sets.unknown <= sets.vacant && has(&sets, real))
		return nth(list, &sets, is_vacant, first);
	for (i = 0; i < sets.vacant; i++) {
		uint32_t shown = nth(list, &sets, is_vacant, (first + i) % sets.vacant);

		/* Those that the list itself gives away stand for nothing else. */
		if (sets.unknown <= sets.vacant && rank(list, &sets, is_vacant, shown) < sets.unknown)
			continue;
		if (remembered(key_of(list, shown), real) == real)
			return shown;
	}
	return 0;
}

uint32_t gw_lt_proxy_meant(const struct gw_lt_list *list, uint32_t shown, bool *lasting)
{
	struct sets sets;
	uint32_t at, real;

	*lasting = true;
	read_list(list, &sets);
	if (shown >= IDS || !is_vacant(list, &sets, shown) || list->algorithm < 0 || list->algorithm > UINT16_MAX)
		return shown;
	at = rank(list, &sets, is_vacant, shown);
	if (sets.unknown <= sets.vacant && at < sets.unknown)
		return nth(list, &sets, is_unknown, at);
	real = remembered(key_of(list, shown), 0);
	*lasting = real != 0;
	return real ? real : shown;
}

bool gw_lt_proxy_needed(const struct gw_lt_list *list)
{
	struct sets sets;

	read_list(list, &sets);
	return sets.unknown > 0;
}
