/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_memo.h. One word holds question and answer: the key's upper 48 bits, and below them the answer; the low bits choose the place. */
#include "lt_memo.h"

#include <stdatomic.h>

#define PLACES 1024u
#define ANSWER UINT64_C(0xffff)

_Static_assert(PLACES <= ANSWER + 1, "the place is chosen by bits that are not in the word");

static _Atomic uint64_t places[PLACES];

bool gw_lt_memo_find(uint64_t key, uint32_t *answer)
{
	uint64_t word = atomic_load_explicit(&places[key % PLACES], memory_order_relaxed);

	if ((word ^ key) & ~ANSWER)
		return false;
	*answer = (uint32_t)(word & ANSWER);
	return word != 0;
}

void gw_lt_memo_keep(uint64_t key, uint32_t answer)
{
	if (answer <= GW_LT_MEMO_MOST)
		atomic_store_explicit(&places[key % PLACES], (key & ~ANSWER) | answer, memory_order_relaxed);
}
