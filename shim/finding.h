/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnoses with stable codes, each told once: to stderr, to the log, and to a file when asked. Never to stdout.
 * Which there are, how severe, and what to do where the case says nothing better, is in abi/findings (gw_findings.h).
 */
#ifndef GW_FINDING_H
#define GW_FINDING_H

#include "gw_findings.h"
#include "line.h"

/*
 * Tells finding WHICH about SUBJECT once in this process. TEXT says what happened, one line; the remedy is the code's own unless
 * REMEDY is given. Any thread; allocates nothing; errno kept. More than a few hundred different ones are counted, not told.
 */
void gw_finding_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
	__attribute__((nonnull(2, 3)));

/* Has WHICH been told of anything? Async-signal-safe, as is the next one. */
bool gw_finding_was_told(enum gw_finding which);

/* Writes a whole line, with its newline, to stderr unless GANGWAY_QUIET, and to the file of findings. errno kept. */
void gw_finding_write(const char *text, size_t length) __attribute__((nonnull));

/* GW_FINDING_ABSENT about FUNCTION of FAMILY; the remedy says how to find a release that has it. */
void gw_finding_tell_absent(const char *family, const char *function, const char *text) __attribute__((nonnull));

#endif
