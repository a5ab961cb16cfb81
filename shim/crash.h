/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when the process crashes inside a vendor call: a report is written (crash_report.h), then the handler that the program
 * had before, or the default action, ends or saves the process as it would have without us.
 */
#ifndef GW_CRASH_H
#define GW_CRASH_H

#include <stdbool.h>

/*
 * A thread makes its first vendor call. The first of all installs the handlers, where GANGWAY_CRASH wants them; false: it does not.
 * The main thread gets an alternate stack where it has none, so that a stack overflow can be told. Allocates nothing.
 */
bool gw_crash_begin(void);

void gw_crash_forked(void);	/* in a fork's child */

#endif
