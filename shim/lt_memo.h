/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids that were worked out before, so that a program that reads and writes the same configuration again and again does not have the
 * library list its ids each time. Fixed memory, 8 KiB; a newer answer takes an older one's place. Any thread, no lock.
 */
#ifndef GW_LT_MEMO_H
#define GW_LT_MEMO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * KEY is a hash of everything that the answer follows from; 58 of its bits are compared, so that one question in 10^17 gets another's
 * answer. Answers are 0 to GW_LT_MEMO_MOST; greater ones are not kept.
 */
#define GW_LT_MEMO_MOST 0xffffu

bool gw_lt_memo_find(uint64_t key, uint32_t *answer) __attribute__((nonnull));
void gw_lt_memo_keep(uint64_t key, uint32_t answer);

#endif
