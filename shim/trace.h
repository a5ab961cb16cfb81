/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: what the rest of the shim knows of it. abi/trace_format.h is what is written, abi/control_format.h how it is switched while the
 * process runs. trace.c begins it, trace_file.c owns the file and its blocks, trace_thread.c writes records and counts, trace_define.c
 * what numbers stand for, trace_level.c what is wanted of which function.
 *
 * Nothing waits but threads that meet the first vendor call while another one opens the file, and these not for long. No lock, no allocation; a
 * signal's handler may make calls. A forked child has a file of its own.
 */
#ifndef GW_TRACE_H
#define GW_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "abi/control_format.h"
#include "gw_fn.h"
#include "trace_write.h"

struct gw_object;
struct gw_binding;

#define GW_CONTROL_PAGE 4096
#define GW_CONTROL_LEVELS ((GW_FN_COUNT + 63) / 64 * 64)

/* The control page as this build has it; gangway's tool goes by the offsets in its head. */
struct gw_trace_control {
	struct gw_control head;
	_Atomic uint8_t level[GW_CONTROL_LEVELS];	/* enum gw_control_level */
	_Atomic uint16_t every[GW_CONTROL_LEVELS];
} __attribute__((aligned(GW_CONTROL_PAGE)));

extern struct gw_trace_control gw_trace_control GW_TRACE_HIDDEN;

static inline uint8_t gw_trace_level(uint32_t fn)
{
	return atomic_load_explicit(&gw_trace_control.level[fn], memory_order_relaxed);
}

/* What FN's level is, found out where nobody has asked yet. errno may change. */
uint8_t gw_trace_decide(uint32_t fn) GW_TRACE_HIDDEN;

/* Begins the trace in this process if need be. False: there is none. errno kept. */
bool gw_trace_ready(void) GW_TRACE_HIDDEN;

/* A call of OBJECT begins at a LEVEL that is neither undecided nor off: call->fn, caller, binding and flags are set. errno kept. */
void gw_trace_enter(struct gw_call *call, uint8_t level, struct gw_object *object) __attribute__((nonnull(1))) GW_TRACE_HIDDEN;

/* A finding has been told; an object was unmapped; where nothing is traced they do nothing. errno kept. */
void gw_trace_finding(const char *code, const char *severity, const char *text, const char *remedy) __attribute__((nonnull)) GW_TRACE_HIDDEN;
void gw_trace_closed(uintptr_t low) GW_TRACE_HIDDEN;

/* In a fork's child; and when the process ends. */
void gw_trace_forked(void) GW_TRACE_HIDDEN;
void gw_trace_end(void) GW_TRACE_HIDDEN;

#endif
