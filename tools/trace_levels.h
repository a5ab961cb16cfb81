/* SPDX-License-Identifier: Apache-2.0 */
/* The trace's levels as a user writes them; shim/trace_level.c reads the same. */
#ifndef GW_TOOLS_TRACE_LEVELS_H
#define GW_TOOLS_TRACE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_trace_level_asked {
	uint8_t bits; /* enum gw_control_level */
	uint16_t every;
};

/* off, count, brief, record, sample=N: LENGTH bytes of TEXT. */
bool gw_trace_level_parse(const char *text, size_t length, struct gw_trace_level_asked *level) __attribute__((nonnull));
/* Checks a list `LEVEL[,FAMILY:LEVEL|,FUNCTION:LEVEL]…`; where a word is wrong: its place, else NULL. */
const char *gw_trace_levels_check(const char *text) __attribute__((nonnull));
/* A size such as 64M or 2G. False: it is none, or less than 1M. */
bool gw_trace_size_check(const char *text) __attribute__((nonnull));

#define GW_TRACE_LEVELS_ARE "levels are off, count, brief, record and sample=N (1 to 65535)"

#endif
