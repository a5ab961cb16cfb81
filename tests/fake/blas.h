/* SPDX-License-Identifier: Apache-2.0 */
/* What the cuBLAS fakes share: the handle and one description of a product. */
#ifndef FAKE_BLAS_H
#define FAKE_BLAS_H

#include "fake_api.h"
#include "handle.h"
#include "matrix.h"

/* As in lt_problem.h: cublasLt takes a cublas handle for one of its own. */
#define BLAS_KIND_HANDLE 0x48u
#define BLAS_OWNER 0x426c6173u

struct blas_handle {
	struct fake_head head;
	uint32_t owner;		/* BLAS_OWNER; a cublasLt handle has none */
	cudaStream_t stream;
	cublasPointerMode_t pointer_mode;
	cublasAtomicsMode_t atomics;
	cublasMath_t math;
	void *workspace;
	size_t workspace_size;
	int sm_count;
#ifdef fake_cublasSetEmulationStrategy
	cublasEmulationStrategy_t strategy;
#endif
#ifdef fake_cublasSetEmulationSpecialValuesSupport
	cudaEmulationSpecialValuesSupport special;
	cudaEmulationMantissaControl control;
	int most_bits, bit_offset, *bit_count;
#endif
};

/* NULL where HANDLE is not a live cublas handle of this release. */
struct blas_handle *blas_handle(cublasHandle_t handle);

struct blas_product {
	cublasOperation_t op_a, op_b;
	int64_t m, n, k;
	const void *alpha, *beta;
	const void *a, *b;
	void *c;
	int64_t lda, ldb, ldc;
	int64_t stride_a, stride_b, stride_c;
	int64_t batch;
	enum fake_type type;	/* of everything, in blas_multiply */
};

/* C = alpha op(A) op(B) + beta C of one type, computed here. */
cublasStatus_t blas_multiply(cublasHandle_t handle, const struct blas_product *p);

/* The same over arrays of pointers; `a`, `b` and `c` of P are those arrays. */
cublasStatus_t blas_multiply_each(cublasHandle_t handle, const struct blas_product *p);

/* Mixed types: through the public functions of the partner libcublasLt, as the real library does. */
cublasStatus_t blas_multiply_lt(cublasHandle_t handle, const struct blas_product *p, int type_a, int type_b, int type_c,
				cublasComputeType_t compute);
cublasStatus_t blas_multiply_lt_each(cublasHandle_t handle, const struct blas_product *p, int type_a, int type_b, int type_c,
				     cublasComputeType_t compute);

#endif
