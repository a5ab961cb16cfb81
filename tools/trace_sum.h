/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the records of a trace, made by one thread at a time, in one pass: by function, shape, status, caller and time. Numbers are those of
 * the file; report_model.c merges files by name.
 */
#ifndef GW_TRACE_SUM_H
#define GW_TRACE_SUM_H

#include "trace_define.h"
#include "trace_map.h"
#include "trace_sequence.h"

#define GW_SUM_STEPS 160	/* of a histogram: four an octave, from 1 ns on */
#define GW_SUM_BINS 512		/* of the time line */
#define GW_SUM_FAMILIES 6	/* that the time line tells apart; the last one takes all others */

struct gw_sum {		/* times in ticks */
	uint64_t calls, failures, timed, ticks, shortest, longest;
	uint64_t gpu_calls, gpu_ns;
};

struct gw_sum_key {	/* one row of a table: what it is about, and its sums */
	uint64_t key;
	struct gw_sum sum;
};

struct gw_sum_table {
	struct gw_trace_map map;
	struct gw_sum_key *rows;
	uint32_t count;
};

struct gw_sum_bin {
	uint64_t calls, failures;
	uint64_t busy[GW_SUM_FAMILIES];		/* ns that threads spent in calls of this family */
};

/* Bin I is the time from ((first + I) << shift) on, in ns of CLOCK_REALTIME. */
struct gw_sum_line {
	unsigned shift;
	int64_t first;
	uint32_t count;
	struct gw_sum_bin bins[GW_SUM_BINS];
};

struct gw_sum_choice {	/* what counts */
	const unsigned char *functions;		/* by number: not 0; NULL: all */
	uint64_t from, to;			/* stamps: calls that start in [from, to) */
	bool counts_hold;			/* neither is narrowed: counts count too */
};

struct gw_trace_sums {
	struct gw_trace_file *file;
	const struct gw_trace_definitions *definitions;
	const struct gw_trace_sequences *sequences;	/* NULL: not looked for */
	struct gw_sum_choice choice;
	struct gw_sum *functions;		/* function_count of the head and definitions, whichever is more */
	uint32_t **steps;			/* by function: GW_SUM_STEPS, or NULL */
	uint8_t *families;			/* by function: its place in a bin */
	uint32_t function_count;
	struct gw_sum_table shapes;		/* key: function << 32 | index of the shape */
	struct gw_sum_table statuses;		/* function << 48 | status << 16 | index + 1 of the caller's object; failures alone */
	struct gw_sum_table callers;		/* function << 48 | caller */
	struct gw_sum_table stacks;		/* function << 32 | index of the stack */
	struct gw_sum_table redirects;		/* number of the definition */
	struct gw_sum_table patterns;		/* index of the pattern << 32 | index of the shape, or 0xffffffff */
	struct gw_sum_line line;
	uint64_t records, marks, unknown_records, undefined, outer_ticks, sampled;
	uint64_t earliest, latest;		/* stamps: start of the first call, end of the last; earliest > latest: none */
	bool no_memory;
};

/* A part of a thread's blocks, in order: numbers of blocks. The first WARM of them were summed by somebody else, and only say what was going on. */
struct gw_sum_part {
	const uint32_t *blocks;
	uint32_t count, warm;
	bool last;		/* of its thread */
};

bool gw_sums_init(struct gw_trace_sums *sums, struct gw_trace_file *file, const struct gw_trace_definitions *definitions,
		  const struct gw_trace_sequences *sequences, const struct gw_sum_choice *choice) __attribute__((nonnull(1, 2, 3, 5)));
void gw_sums_finish(struct gw_trace_sums *sums) __attribute__((nonnull));

/* BUFFER: file->block_size bytes. */
void gw_sums_add(struct gw_trace_sums *sums, const struct gw_sum_part *part, void *buffer) __attribute__((nonnull));

void gw_sum_merge(struct gw_sum *into, const struct gw_sum *from) __attribute__((nonnull));
struct gw_sum *gw_sum_at(struct gw_sum_table *table, uint64_t key) __attribute__((nonnull));	/* NULL: no memory */
void gw_sum_line_add(struct gw_sum_line *line, int64_t start_ns, uint64_t busy_ns, unsigned family, bool failed, bool outer) __attribute__((nonnull));
void gw_sum_line_merge(struct gw_sum_line *into, const struct gw_sum_line *from) __attribute__((nonnull));

/* The step of a histogram that NS falls into, and the ns where step begins. */
unsigned gw_sum_step(uint64_t ns);
double gw_sum_step_begin(unsigned step);

/* CLOCK_REALTIME, in ns, of a stamp. */
int64_t gw_trace_time(const struct gw_trace_file *file, uint64_t stamp) __attribute__((nonnull));

/* The extension words that a call's record has; those that it has not are 0. */
struct gw_trace_extra {
	uint64_t stack, shape, slow, status, redirect, gpu;
};
void gw_trace_extras(const struct gw_trace_function *function, const struct gw_trace_record *record, struct gw_trace_extra *extra)
	__attribute__((nonnull));

/* How long it took, in ticks; 0: not timed. */
static inline uint64_t gw_trace_duration(const struct gw_trace_record *record, const struct gw_trace_extra *extra)
{
	return record->flags & GW_TRACE_SLOW ? extra->slow : record->duration == UINT32_MAX ? 0 : record->duration;
}

/* Its result, as far as the record has it. */
static inline uint64_t gw_trace_result_of(const struct gw_trace_record *record, const struct gw_trace_extra *extra)
{
	return record->flags & GW_TRACE_STATUS ? extra->status : record->caller >> 48;
}

#endif
