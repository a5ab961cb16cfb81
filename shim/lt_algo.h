/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithms of cublasLt (the 64 bytes of cublasLtMatmulAlgo_t), for callers of another release than the loaded one: whether one
 * is from this library, what replaces one that is not and that the library refuses, and which of the heuristic's an 11.x caller's
 * preference allows. Nothing is read out of the 64 bytes but through the library's own functions.
 *
 * Where caller and loaded release are the same, or not known to differ, everything here does nothing.
 * Any thread; no lock, nothing allocated, errno not kept (the wrappers do). Fixed memory, 42 KiB, whose pages are touched as they are used.
 */
#ifndef GW_LT_ALGO_H
#define GW_LT_ALGO_H

#include <stddef.h>
#include <stdint.h>
#include "call.h"
#include "gw_types.h"

/* Masks of an 11.x preference that no later release has. */
enum gw_lt_mask { GW_LT_MATH_MODE = 1, GW_LT_GAUSSIAN_MODE = 2, GW_LT_POINTER_MODE = 4, GW_LT_EPILOGUE = 8 };

struct gw_lt_masks {
	uint32_t given;		/* enum gw_lt_mask: the fields that the caller set; others filter nothing */
	uint32_t math_mode, gaussian_mode, pointer_mode, epilogue;
};

/* A product, as the loaded library is asked about it: its own blocks. */
struct gw_lt_problem {
	cublasLtHandle_t handle;
	cublasLtMatmulDesc_t operationDesc;
	cublasLtMatrixLayout_t Adesc, Bdesc, Cdesc, Ddesc;
	size_t workspaceSizeInBytes;
	const void *A, *B, *C, *D;	/* for their alignment alone; NULL: taken as aligned as the library's preference has it by default */
};

/*
 * Takes out of the first COUNT of RESULTS those that MASKS do not allow, by the capabilities of each one's algorithm; the order stays.
 * Returns how many are left. One that cannot be asked stays.
 */
int gw_lt_algo_filter(struct gw_call *call, const struct gw_lt_masks *masks, cublasLtMatmulHeuristicResult_t *results, int count)
	__attribute__((nonnull(1, 2)));

/* Asks the library's heuristic for up to REQUESTED results, as the caller did, with DATA for what else it is asked with. */
typedef cublasStatus_t (*gw_lt_ask)(void *data, int requested, cublasLtMatmulHeuristicResult_t *results, int *returned);

/*
 * The heuristic's answer, filtered. Where the filter leaves fewer than REQUESTED and the library may know more, it is asked once
 * more, for up to 64, in 6 KiB of the stack. NOT_SUPPORTED when none is left. Each result is noted as the library's (gw_lt_algo_made).
 */
cublasStatus_t gw_lt_algo_heuristic(struct gw_call *call, const struct gw_lt_masks *masks, gw_lt_ask ask, void *data, int requested,
				    cublasLtMatmulHeuristicResult_t *results, int *returned) __attribute__((nonnull(1, 2, 3)));

/* The loaded library returned this algorithm in this process: it may be used unchecked. */
void gw_lt_algo_made(struct gw_call *call, const cublasLtMatmulAlgo_t *algo) __attribute__((nonnull(1)));

/* A hash of all that the loaded library may say of ALGO: its bytes, and which library. */
uint64_t gw_lt_algo_hash(const struct gw_call *call, const cublasLtMatmulAlgo_t *algo) __attribute__((nonnull));

/* Whether gw_lt_algo_made was told, and it is still remembered. */
bool gw_lt_algo_known(const struct gw_call *call, const cublasLtMatmulAlgo_t *algo) __attribute__((nonnull));

/*
 * False for one that the loaded library did not make and must not be shown: an id in it is none that its release names. cublasLtMatmulAlgoCheck
 * crashes on such a tile (13.1).
 */
bool gw_lt_algo_readable(struct gw_call *call, const cublasLtMatmulAlgo_t *algo) __attribute__((nonnull));

/*
 * The algorithm to give the library for PROBLEM in place of ALGO: ALGO itself where the library made it, or accepts it for this problem and
 * within this workspace (asked once, by its own AlgoCheck); else what its heuristic chooses, copied to REPLACEMENT (64 bytes), with finding
 * GW-313; ALGO after all (NULL, when it is not readable) where the heuristic has nothing, so that the answer is the library's own. NULL for NULL.
 */
const cublasLtMatmulAlgo_t *gw_lt_algo_usable(struct gw_call *call, const struct gw_lt_problem *problem, const cublasLtMatmulAlgo_t *algo,
					      cublasLtMatmulAlgo_t *replacement) __attribute__((nonnull(1, 2)));

#endif
