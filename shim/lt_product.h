/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cublasLtMatmul as a rescuer sees it: the call's arguments, with the library's own blocks in the place of tokens, and what these blocks
 * say, read through the library's own functions.
 */
#ifndef GW_LT_PRODUCT_H
#define GW_LT_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "call.h"
#include "gw_types.h"
#include "lt_attribute.h"

typedef cublasStatus_t gw_lt_matmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void *, const void *, cublasLtMatrixLayout_t,
				    const void *, cublasLtMatrixLayout_t, const void *, const void *, cublasLtMatrixLayout_t, void *,
				    cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t);

struct gw_lt_product {
	gw_lt_matmul *real;
	cublasLtHandle_t handle;
	void *desc, *layout[4];		/* of A, B, C, D */
	const void *alpha, *A, *B, *beta, *C;
	void *D;
	const cublasLtMatmulAlgo_t *algo;
	void *workspace;
	size_t size;
	cudaStream_t stream;
};

struct gw_lt_matrix {
	uint64_t rows, cols;
	int64_t ld, stride;
	int32_t type, order, batch;
};

/* What is not set, or what the loaded release has no attribute for, has its default. */
struct gw_lt_terms {
	struct gw_lt_matrix matrix[4];	/* A, B, C, D */
	int32_t compute, scale, pointer_mode, transpose[2], epilogue, bias_type;
	int64_t bias_stride, alpha_stride;
	const void *bias;
	bool plain;	/* nothing is asked for besides: no fill mode, transposition of C, planes, scale factors, pointers to matrices */
};

/* False: a block does not answer, or the matrices do not fit each other. */
bool gw_lt_product_read(struct gw_call *call, const struct gw_lt_product *product, struct gw_lt_terms *terms)
	__attribute__((nonnull, warn_unused_result));

/* m, n and k of the product. */
void gw_lt_terms_sizes(const struct gw_lt_terms *terms, int64_t *m, int64_t *n, int64_t *k) __attribute__((nonnull));

/* Memory for a block of our own, which the library's Init makes one. */
struct gw_lt_block_room {
	_Alignas(16) unsigned char bytes[(GW_LT_BLOCK_MOST + 15) / 16 * 16];
};

/* False: the loaded release lacks a function that is needed, or refused. */
bool gw_lt_make_desc(struct gw_call *call, struct gw_lt_block_room *room, int32_t compute, int32_t scale) __attribute__((nonnull, warn_unused_result));
bool gw_lt_make_layout(struct gw_call *call, struct gw_lt_block_room *room, const struct gw_lt_matrix *matrix) __attribute__((nonnull, warn_unused_result));

/*
 * Asks the heuristic for its first choice, within WORKSPACE bytes, for matrices that are aligned to ALIGNMENT bytes (A, B, C, D; 0: the
 * default). Status of the library; NOT_SUPPORTED where it has none.
 */
int32_t gw_lt_choose(struct gw_call *call, cublasLtHandle_t handle, void *desc, void *const layout[4], uint64_t workspace,
		     const uint32_t alignment[4], cublasLtMatmulAlgo_t *algo) __attribute__((nonnull));

/* The same for up to MOST results, each of the size of the library's own. How many of them can be used: those stand first. */
int gw_lt_candidates(struct gw_call *call, cublasLtHandle_t handle, void *desc, void *const layout[4], uint64_t workspace,
		     const uint32_t alignment[4], void *results, int most) __attribute__((nonnull));

/* To how many bytes POINTER is aligned, 256 at most. */
uint32_t gw_lt_alignment(const void *pointer);

#endif
