/* SPDX-License-Identifier: Apache-2.0 */
/* See counts.h. Fixed memory: SHARDS * functions * 8 bytes, touched as functions are called. */
#include "counts.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "gw_fn.h"
#include "thread.h"

#define SHARDS 16
#define PAGE 4096

struct shard {
	_Atomic uint64_t calls[GW_FN_COUNT], failures[GW_FN_COUNT];
} __attribute__((aligned(PAGE)));

static struct shard shards[SHARDS];
/* A page of its own, for the same reason as the shards have whole ones. */
static struct {
	_Atomic int started;
} __attribute__((aligned(PAGE))) life;
static _Atomic int32_t next_shard;

static struct shard *mine(void)
{
	if (!gw_thread.shard)
		gw_thread.shard = 1 + (int32_t)((uint32_t)atomic_fetch_add_explicit(&next_shard, 1, memory_order_relaxed) % SHARDS);
	return &shards[gw_thread.shard - 1];
}

void gw_counts_call(uint32_t fn)
{
	atomic_fetch_add_explicit(&mine()->calls[fn], 1, memory_order_relaxed);
}

void gw_counts_failure(uint32_t fn)
{
	atomic_fetch_add_explicit(&mine()->failures[fn], 1, memory_order_relaxed);
}

uint64_t gw_counts_calls(uint32_t fn)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SHARDS; i++)
		sum += atomic_load_explicit(&shards[i].calls[fn], memory_order_relaxed);
	return sum;
}

uint64_t gw_counts_failures(uint32_t fn)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SHARDS; i++)
		sum += atomic_load_explicit(&shards[i].failures[fn], memory_order_relaxed);
	return sum;
}

bool gw_counts_start(void)
{
	if (atomic_load_explicit(&life.started, memory_order_relaxed) || atomic_exchange(&life.started, 1))
		return false;
	/* Children that the C library knows nothing of (a raw clone) run no handler of ours: the kernel clears theirs. */
	madvise(&life, sizeof(life), MADV_WIPEONFORK);
	madvise(shards, sizeof(shards), MADV_WIPEONFORK);
	return true;
}

void gw_counts_reset(void)
{
	atomic_store(&life.started, 0);
	/* Anonymous memory of whole pages: given back, it reads as zero, and a child that never counts touches none of it. */
	if (madvise(shards, sizeof(shards), MADV_DONTNEED))
		memset(shards, 0, sizeof(shards));
}
