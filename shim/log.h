/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: JSON lines as ARCHITECTURE.md shows, appended to the file that GANGWAY_LOG names. This header is all that the rest of
 * the shim knows of it, so that something faster can take its place.
 */
#ifndef GW_LOG_H
#define GW_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include "call.h"

/* What the log wants of a call. One load once settings are read. */
enum gw_log_level { GW_LOG_NOTHING = 1, GW_LOG_COUNTS, GW_LOG_CALLS };
enum gw_log_level gw_log_level(void);
/* The same without a call; 0: not decided yet. Written by log.c alone. */
extern _Atomic int gw_log_level_now __attribute__((visibility("hidden")));

/* Any thread, errno kept, nothing allocated. Without a log they do nothing. */
void gw_log_call(const struct gw_call *call, const union gw_value *values, union gw_value result, uint64_t duration)
	__attribute__((nonnull(1)));
void gw_log_finding(const char *code, const char *severity, const char *text, const char *remedy) __attribute__((nonnull));
/*
 * The same from a signal handler, one at a time, with REPORT, the members of a list of strings in JSON. A forked child's record may be its
 * first: the record of its start takes more stack than there may be.
 */
void gw_log_crash(const char *code, const char *severity, const char *text, const char *remedy, const char *report) __attribute__((nonnull));
void gw_log_library(const char *family, const char *soname, const char *path, const char *release)
	__attribute__((nonnull(1, 2, 3)));
/* Which releases of a family an object was built for, oldest to newest, and what says so. */
void gw_log_object(const char *path, const char *family, const char *min, const char *max, const char *evidence)
	__attribute__((nonnull));
/* The counts of one process, when it ends: one line a function that was called. */
void gw_log_counts(void);
/* In a fork's child, before it calls anything: it is a process of its own, with counts of its own. */
void gw_log_forked(void);

#endif
