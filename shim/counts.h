/* SPDX-License-Identifier: Apache-2.0 */
/* How often each function was called, and how often it failed. Spread over shards, so that threads do not fight for one line. */
#ifndef GW_COUNTS_H
#define GW_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

void gw_counts_call(uint32_t fn);
void gw_counts_failure(uint32_t fn);
uint64_t gw_counts_calls(uint32_t fn);		/* exact once the counted threads are quiet */
uint64_t gw_counts_failures(uint32_t fn);
bool gw_counts_start(void);			/* true for the first caller of each process */
void gw_counts_reset(void);			/* in a fork's child: its counts are its own; gives the pages back */

#endif
