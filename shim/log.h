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

/* Does anybody want call records? One load once settings are read. */
bool gw_log_wanted(void);

/* Any thread, errno kept, nothing allocated. Without a log they do nothing. */
void gw_log_call(const struct gw_call *call, const union gw_value *values, union gw_value result, uint64_t duration)
	__attribute__((nonnull(1)));
void gw_log_finding(const char *code, const char *severity, const char *text, const char *remedy) __attribute__((nonnull));
void gw_log_library(const char *family, const char *soname, const char *path, const char *release)
	__attribute__((nonnull(1, 2, 3)));
/* The counts of one process, when it ends: one line a function that was called. */
void gw_log_counts(void);

#endif
