/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes: what calls of one kind had in common that costs differ by, each defined once. trace_shape.c keeps which are known and reads those whose sizes are
 * plain arguments; trace_shape_lt.c reads cublasLt's opaque blocks.
 */
#ifndef GW_TRACE_SHAPE_H
#define GW_TRACE_SHAPE_H

#include "line.h"
#include "trace_life.h"

/* The number of the shape with this hash; 0: it is new. */
uint32_t gw_trace_shape_known(uint64_t hash) GW_TRACE_HIDDEN;

#define GW_TRACE_SHAPE_TEXT 6000u
/* Begins the definition of a new shape in TEXT, of GW_TRACE_SHAPE_TEXT bytes; the caller adds members. The number; 0: there are too many. */
uint32_t gw_trace_shape_begin(struct gw_line *line, char *text, const char *function, const char *kind) GW_TRACE_HIDDEN;
/* Writes it. Its number, or that of another thread which was faster; 0: there is no room. */
uint32_t gw_trace_shape_end(struct gw_line *line, uint64_t hash, uint32_t number) GW_TRACE_HIDDEN;

void gw_trace_shape_number(struct gw_line *line, const char *key, int64_t value) GW_TRACE_HIDDEN;
void gw_trace_shape_text(struct gw_line *line, const char *key, const char *text) GW_TRACE_HIDDEN;
/* The constant of enum TYPE with this value; NULL: it has none. */
const char *gw_trace_shape_constant(int type, int64_t value) GW_TRACE_HIDDEN;
/* The name of a data type, as people say it: bf16, f32; that of the constant where there is none. */
void gw_trace_shape_type(struct gw_line *line, int64_t type) GW_TRACE_HIDDEN;
/* m, n, k, batch and the arithmetic that they are. */
void gw_trace_shape_product(struct gw_line *line, uint64_t m, uint64_t n, uint64_t k, uint64_t batch) GW_TRACE_HIDDEN;

static inline uint64_t gw_trace_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 32;
}

#endif
