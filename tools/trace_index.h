/* SPDX-License-Identifier: Apache-2.0 */
/* Which block of a trace is whose: records by thread and in their order, and the counts. */
#ifndef GW_TRACE_INDEX_H
#define GW_TRACE_INDEX_H

#include "trace_read.h"
#include "trace_sum.h"

struct gw_trace_index_entry {
	uint64_t thread, sequence, first;
	uint32_t number, tid;
};

struct gw_trace_index {
	struct gw_trace_index_entry *blocks;	/* of records, by thread and sequence */
	uint32_t *numbers;			/* the same, their numbers alone */
	uint32_t count, threads, unknown, warm;	/* warm: blocks that gw_trace_index_cut lets a part read before its own */
	uint32_t *counts;			/* blocks of counts */
	uint32_t count_count;
};

/* false: no memory. Damaged heads are noted. */
bool gw_trace_index_init(struct gw_trace_index *index, struct gw_trace_file *file) __attribute__((nonnull));
void gw_trace_index_finish(struct gw_trace_index *index) __attribute__((nonnull));

/*
 * Cuts INDEX into about PIECES parts of one thread each, for gw_sums_add. A new list, and how many in COUNT; NULL: no memory, or nothing.
 */
struct gw_sum_part *gw_trace_index_cut(const struct gw_trace_index *index, uint32_t pieces, uint32_t *count) __attribute__((nonnull));

/* Adds the block NUMBER of counts to FUNCTIONS (COUNT of them) and SHAPES (as gw_trace_sums.shapes). false: no memory. */
bool gw_trace_counts_add(struct gw_trace_file *file, const struct gw_trace_definitions *definitions, uint32_t number, struct gw_sum *functions,
			 uint32_t count, struct gw_sum_table *shapes) __attribute__((nonnull));

#endif
