/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for libgangway.so under a facade: asks the test, and spoils every register that a
 * caller may have arguments in. */
#include "stand_in.h"

void *(*stand_in_bind)(const struct gw_facade *facade, uint32_t symbol);
bool stand_in_keeps = true;

/* The order of the two matters: a facade has to keep what the calls before this one spoil. */
void *gw_facade_bind(const struct gw_facade *facade, uint32_t symbol)
{
	void *answer = stand_in_bind(facade, symbol);

	if (stand_in_keeps)
		facade->slots[symbol] = answer;
	__asm__ volatile(
		"movq $-1, %%rdi\n\tmovq $-1, %%rsi\n\tmovq $-1, %%rdx\n\tmovq $-1, %%rcx\n\t"
		"movq $-1, %%r8\n\tmovq $-1, %%r9\n\tmovq $-1, %%r10\n\tmovq $-1, %%r11\n\t"
		"pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm2, %%xmm2\n\t"
		"pcmpeqd %%xmm3, %%xmm3\n\tpcmpeqd %%xmm4, %%xmm4\n\tpcmpeqd %%xmm5, %%xmm5\n\t"
		"pcmpeqd %%xmm6, %%xmm6\n\tpcmpeqd %%xmm7, %%xmm7" ::
			: "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1",
			  "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
	return answer;
}
