/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of calls that one fused call would have replaced: a convolution, then a bias, then an activation on the same buffer. Which functions
 * are which step, and what fusing gains, is data: abi/sequences.
 */
#ifndef GW_TRACE_SEQUENCE_H
#define GW_TRACE_SEQUENCE_H

#include "trace_define.h"

#define GW_SEQUENCE_STEPS 3
#define GW_SEQUENCE_CHAINS 4	/* of one thread, that are followed at a time */
#define GW_SEQUENCE_APART 64	/* calls between two steps, at most */

struct gw_sequence_step {	/* a function that is a step */
	char *word, *function, *reads, *writes;		/* reads, writes: names of parameters; reads is NULL where it begins */
};

struct gw_sequence_pattern {
	char *words[GW_SEQUENCE_STEPS];
	unsigned count;
	double gain;		/* part of the sequence's time that is saved, where it was measured */
	char *fused, *source;	/* what does it in one call; where the gain is from */
};

struct gw_sequence_data {
	struct gw_sequence_step *steps;
	struct gw_sequence_pattern *patterns;
	size_t step_count, pattern_count;
};

/* 0, or -1 after a complaint. */
int gw_sequence_load(struct gw_sequence_data *data) __attribute__((nonnull));
void gw_sequence_unload(struct gw_sequence_data *data) __attribute__((nonnull));

struct gw_trace_role {		/* what a function of one file is */
	uint8_t step;		/* index of its word's first step, plus 1; 0: none */
	int16_t reads, writes;	/* indices of parameters, or -1 */
};

struct gw_trace_sequences {	/* of one file */
	const struct gw_sequence_data *data;
	struct gw_trace_role *roles;	/* by function */
	uint32_t function_count;
};

bool gw_sequences_init(struct gw_trace_sequences *sequences, const struct gw_sequence_data *data, const struct gw_trace_definitions *definitions)
	__attribute__((nonnull));
void gw_sequences_finish(struct gw_trace_sequences *sequences) __attribute__((nonnull));

struct gw_sequence_chain {
	uint64_t buffer, at, ticks, matched_ticks;	/* at: number of the last step's call */
	uint32_t shape;
	uint8_t steps[GW_SEQUENCE_STEPS], count, matched;	/* matched: index of the longest pattern so far, plus 1 */
	bool counted;		/* its match was found by whoever read the blocks before */
};

struct gw_sequence_state {	/* of one thread */
	struct gw_sequence_chain chains[GW_SEQUENCE_CHAINS];
	uint64_t calls;
};

typedef void gw_sequence_found(void *context, unsigned pattern, uint32_t shape, uint64_t ticks);

/* The next call of a thread. WARM: only to know what was going on: nothing is told. */
void gw_sequence_step(struct gw_sequence_state *state, const struct gw_trace_sequences *sequences, const struct gw_trace_record *record,
		      const struct gw_trace_function *function, uint32_t shape, uint64_t ticks, bool warm, gw_sequence_found *found, void *context)
	__attribute__((nonnull(1, 2, 3, 4, 9)));
/* The thread's last call was seen. */
void gw_sequence_end(struct gw_sequence_state *state, gw_sequence_found *found, void *context) __attribute__((nonnull(1, 2)));

#endif
