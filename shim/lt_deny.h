/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithms that the policy's `deny` lines call wrong, where a program hands one to cublasLtMatmul: told (GW-393) and, where it says so,
 * replaced by the heuristic's best other one. A load and a compare where no line denies anything.
 */
#ifndef GW_LT_DENY_H
#define GW_LT_DENY_H

#include <stdatomic.h>

#include "lt_product.h"

extern _Atomic int gw_lt_denies __attribute__((visibility("hidden")));	/* 0: no line denies anything; -1: not known yet */

/* What the library is to be given in place of PRODUCT's algorithm: that one, or another, copied to REPLACEMENT. */
const cublasLtMatmulAlgo_t *gw_lt_deny(struct gw_call *call, const struct gw_lt_product *product, cublasLtMatmulAlgo_t *replacement)
	__attribute__((nonnull));

#endif
