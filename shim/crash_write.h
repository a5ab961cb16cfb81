/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a crash report: each goes to where findings go, and into a list for the log. One thread at a time writes; the buffers are static, as an
 * alternate stack may hold few KB.
 */
#ifndef GW_CRASH_WRITE_H
#define GW_CRASH_WRITE_H

#include <stdint.h>
#include "line.h"

struct gw_object;

extern struct gw_line *const gw_crash_line __attribute__((visibility("hidden")));	/* the one that is being made */

/* The finding itself, which begins a report; TEXT is ended by NUL. */
void gw_crash_write_begin(const char *severity, const char *code, const char *text, const char *remedy) __attribute__((nonnull));
void gw_crash_line_start(void);
/* A whole line to where findings go; the log gets it as a member of a list, without what marks it as ours. */
void gw_crash_line_end(void);
void gw_crash_line_object(const struct gw_object *object);
/* PATH+0xOFFSET, as addr2line takes it. */
void gw_crash_line_place(uintptr_t address);
/* The lines so far, as members of a JSON list. */
const char *gw_crash_write_list(void);

#endif
