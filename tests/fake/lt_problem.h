/* SPDX-License-Identifier: Apache-2.0 */
/* What a cublasLtMatmul is about, read out of its blocks and checked; used by the product, the heuristic and the check. */
#ifndef FAKE_LT_PROBLEM_H
#define FAKE_LT_PROBLEM_H

#include "lt_block.h"
#include "matrix.h"

/* cublasLt and cublas handles share a head: callers pass the one for the other, as the real libraries allow. */
#define LT_KIND_HANDLE 0x48u

/* An algorithm, as kept in the caller's 64 bytes. Valid for the release that made it alone. */
struct lt_algo {
	uint64_t release;
	int32_t id;
	uint32_t tile, stages, reduction, swizzle, custom;
	int32_t split_k;
	uint16_t inner_shape, cluster_shape;
	int32_t reserved[4];
};

_Static_assert(sizeof(struct lt_algo) <= sizeof(cublasLtMatmulAlgo_t), "an algorithm must fit the caller's");

struct lt_types {
	int compute, scale, a, b, c, d;
};

/* NOT_SUPPORTED where no product of these types exists. */
cublasStatus_t lt_types_check(const struct lt_types *types);

/* Reads a layout. INVALID_VALUE: not a layout, or an impossible one. */
cublasStatus_t lt_matrix(const void *layout, struct fake_matrix *matrix, int *batch);

/* Fills GEMM from the blocks (data pointers stay NULL). */
cublasStatus_t lt_problem(const void *desc, const void *a, const void *b, const void *c, const void *d, struct fake_gemm *gemm);

/* Workspace that ALGO needs. */
size_t lt_algo_workspace(const struct lt_algo *algo);
/* INVALID_VALUE where ALGO is not one of this release's, or holds an impossible configuration. */
cublasStatus_t lt_algo_check(const struct lt_algo *algo);

#endif
