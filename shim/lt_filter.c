/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_algo.h: what an 11.x preference's masks, which later releases refuse, leave of the heuristic's results. */
#include "lt_algo.h"

#include <stdbool.h>
#include <string.h>

#include "binding.h"
#include "gw_fn.h"
#include "gw_lt.h"

#define MOST 64		/* results asked for when the caller's number is not enough */

typedef cublasStatus_t (*ask_capability)(const cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoCapAttributes_t, void *, size_t, size_t *);

static cublasLtMatmulHeuristicResult_t *nth(cublasLtMatmulHeuristicResult_t *results, int n)
{
	return (cublasLtMatmulHeuristicResult_t *)(void *)((char *)results + (size_t)n * GW_SIZE_cublasLtMatmulHeuristicResult_t);
}

/* A capability of SIZE bytes; ALL where it cannot be had, which every mask allows. */
static uint64_t capability(ask_capability ask, const cublasLtMatmulAlgo_t *algo, int attribute, size_t size, uint64_t all)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;
	size_t written;

	if (ask(algo, attribute, size == sizeof(wide) ? (void *)&wide : (void *)&narrow, size, &written))
		return all;
	return size == sizeof(wide) ? wide : narrow;
}

/*
 * The two modes are allowed when the mask has their bit, the plain ones always: what each algorithm does is read out of its
 * numerical flags, as MATHMODE_IMPL and GAUSSIAN_IMPL are. Of pointer modes and epilogues the algorithm must have all.
 */
static bool allowed(ask_capability ask, const struct gw_lt_masks *masks, const cublasLtMatmulAlgo_t *algo)
{
	uint64_t flags = 0, all = ~UINT64_C(0);
	uint32_t epilogue = masks->epilogue & ~(uint32_t)GW_CUBLASLT_EPILOGUE_DEFAULT;	/* none at all: every algorithm has that */

	if (masks->given & (GW_LT_MATH_MODE | GW_LT_GAUSSIAN_MODE))
		flags = capability(ask, algo, GW_CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, sizeof(flags), 0);
	if (masks->given & GW_LT_MATH_MODE && flags & GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK && !(masks->math_mode & 1))
		return false;
	if (masks->given & GW_LT_GAUSSIAN_MODE && flags & GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN &&
	    !(masks->gaussian_mode & GW_CUBLASLT_3M_MODE_ALLOWED))
		return false;
	if (masks->given & GW_LT_POINTER_MODE &&
	    masks->pointer_mode & ~capability(ask, algo, GW_CUBLASLT_ALGO_CAP_POINTER_MODE_MASK, sizeof(uint32_t), all))
		return false;
	return !(masks->given & GW_LT_EPILOGUE) ||
	       !(epilogue & ~capability(ask, algo, GW_CUBLASLT_ALGO_CAP_EPILOGUE_MASK, sizeof(uint32_t), all));
}

int gw_lt_algo_filter(struct gw_call *call, const struct gw_lt_masks *masks, cublasLtMatmulHeuristicResult_t *results, int count)
{
	ask_capability ask = (ask_capability)gw_binding_target((struct gw_binding *)call->binding, GW_FN_cublasLtMatmulAlgoCapGetAttribute);
	int from, to = 0;

	if (!masks->given || !results || !ask)
		return count;
	for (from = 0; from < count; from++) {
		/* A result begins with its algorithm. */
		if (!allowed(ask, masks, (const cublasLtMatmulAlgo_t *)(const void *)nth(results, from)))
			continue;
		if (to != from)
			memcpy(nth(results, to), nth(results, from), GW_SIZE_cublasLtMatmulHeuristicResult_t);
		to++;
	}
	return to;
}

static void note(struct gw_call *call, cublasLtMatmulHeuristicResult_t *results, int count)
{
	int i;

	for (i = 0; i < count; i++)
		gw_lt_algo_made(call, (const cublasLtMatmulAlgo_t *)(const void *)nth(results, i));
}

/* Fills up what the filter left, FOUND of REQUESTED, out of a longer answer. */
static int ask_for_more(struct gw_call *call, const struct gw_lt_masks *masks, gw_lt_ask ask, void *data, int requested,
			cublasLtMatmulHeuristicResult_t *results, int found)
{
	_Alignas(max_align_t) unsigned char bytes[MOST * GW_SIZE_cublasLtMatmulHeuristicResult_t];
	cublasLtMatmulHeuristicResult_t *more = (cublasLtMatmulHeuristicResult_t *)(void *)bytes;
	int count = 0;

	if (ask(data, MOST, more, &count))
		return found;
	count = gw_lt_algo_filter(call, masks, more, count < MOST ? count : MOST);
	count = count < requested ? count : requested;
	if (count <= found)
		return found;
	memcpy(results, more, (size_t)count * GW_SIZE_cublasLtMatmulHeuristicResult_t);
	return count;
}

cublasStatus_t gw_lt_algo_heuristic(struct gw_call *call, const struct gw_lt_masks *masks, gw_lt_ask ask, void *data, int requested,
				    cublasLtMatmulHeuristicResult_t *results, int *returned)
{
	cublasStatus_t status = ask(data, requested, results, returned);
	int count, found;

	if (status || !returned || !results || *returned < 1)
		return status;
	count = *returned;
	found = gw_lt_algo_filter(call, masks, results, count);
	if (found < count && count == requested && requested < MOST)
		found = ask_for_more(call, masks, ask, data, requested, results, found);
	*returned = found;
	note(call, results, found);
	return found ? status : GW_CUBLAS_STATUS_NOT_SUPPORTED;
}
