/* SPDX-License-Identifier: Apache-2.0 */
/* One record of a call, in words: its arguments, result, caller. */
#ifndef GW_TRACE_DECODE_H
#define GW_TRACE_DECODE_H

#include <stdio.h>
#include "trace_define.h"
#include "trace_sum.h"

struct gw_trace_call {		/* strings live as long as the definitions, or the struct */
	const struct gw_trace_record *record;
	const struct gw_trace_function *function;	/* never NULL */
	const char *name, *family;
	struct gw_trace_extra extra;
	uint64_t ticks;
	bool failed;
	const struct gw_trace_shape *shape;		/* NULL: none */
	const struct gw_trace_stack *stack;
	char result[64], caller[400], unknown[32];
};

void gw_trace_call_read(struct gw_trace_call *call, const struct gw_trace_definitions *definitions, const struct gw_trace_record *record)
	__attribute__((nonnull));

/*
 * The arguments as the inside of a JSON object. Pointers are strings ("0x…"), constants of enums their names; what a pointer pointed to, as far as
 * it was recorded, is "*name": bytes, in hexadecimal, in their order in memory.
 */
void gw_trace_arguments(FILE *out, const struct gw_trace_definitions *definitions, const struct gw_trace_call *call) __attribute__((nonnull));

/* As a line of text: name=value, … */
void gw_trace_arguments_text(FILE *out, const struct gw_trace_definitions *definitions, const struct gw_trace_call *call) __attribute__((nonnull));

#endif
