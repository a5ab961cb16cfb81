/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between a facade (generated: facade-SONAME.S and .c) and libgangway.so.
 *
 * Every exported symbol of a facade is `endbr64; jmp *slot`. A slot first leads to the facade's own resolver, which keeps all
 * argument registers (rdi rsi rdx rcx r8 r9 rax r10 xmm0-7), calls gw_facade_bind and jumps where that says. So a facade opens nothing
 * until its first call, and costs one indirect jump after it.
 */
#ifndef GW_FACADE_H
#define GW_FACADE_H

#include "table.h"

/*
 * Where this call shall go. Never NULL. An answer that holds for good is put into the symbol's slot, with one aligned store; that nothing
 * is installed is no such answer. May open the target library, so it may run constructors: holds no
 * lock of ours. Any thread; two threads may bind the same slot at once and get equivalent answers.
 */
void *gw_facade_bind(const struct gw_facade *facade, uint32_t symbol) __attribute__((nonnull, returns_nonnull));

#endif
