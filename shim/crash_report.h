/* SPDX-License-Identifier: Apache-2.0 */
/* The crash report (GW-330): composed and written inside a signal handler, with async-signal-safe calls alone, in little stack. */
#ifndef GW_CRASH_REPORT_H
#define GW_CRASH_REPORT_H

#include <signal.h>

/* Does before a crash what a handler must not: reads what is asked of the kernel once. */
void gw_crash_report_prepare(void);
void gw_crash_report_forked(void);	/* in a fork's child */

/*
 * Writes the report of signal NUMBER where this thread is inside a vendor call, or a vendor's code or memory is at fault; else nothing. To stderr,
 * unless GANGWAY_QUIET; to the files of findings and log. At most a few a process: programs that live on crashes would fill their disk.
 */
void gw_crash_report(int number, const siginfo_t *info, const void *context) __attribute__((nonnull(2)));

#endif
