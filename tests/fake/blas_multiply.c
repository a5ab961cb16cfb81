/* SPDX-License-Identifier: Apache-2.0 */
/* cublas: products. One type: computed here. Mixed types: handed to libcublasLt through its public functions. */
#include "blas.h"

#include <errno.h>
#include <string.h>

#include "cuda.h"

static bool op_of(cublasOperation_t value, enum fake_op *op)
{
	*op = value == CUBLAS_OP_T ? FAKE_T : value == CUBLAS_OP_C ? FAKE_C : FAKE_N;
	return value == CUBLAS_OP_N || value == CUBLAS_OP_T || value == CUBLAS_OP_C;
}

static int64_t at_least_one(int64_t value)
{
	return value > 1 ? value : 1;
}

static bool shape_valid(const struct blas_product *p)
{
	enum fake_op op;

	return op_of(p->op_a, &op) && op_of(p->op_b, &op) && p->m >= 0 && p->n >= 0 && p->k >= 0 && p->batch >= 0 &&
	       p->lda >= at_least_one(p->op_a == CUBLAS_OP_N ? p->m : p->k) &&
	       p->ldb >= at_least_one(p->op_b == CUBLAS_OP_N ? p->k : p->n) && p->ldc >= at_least_one(p->m) && p->alpha && p->beta;
}

static struct fake_matrix operand(const void *data, enum fake_type type, bool transposed, int64_t rows, int64_t cols, int64_t ld,
				  int64_t stride)
{
	return (struct fake_matrix){
		.data = (void *)(uintptr_t)data, .type = type, .order = FAKE_COL, .rows = transposed ? cols : rows,
		.cols = transposed ? rows : cols, .ld = ld, .stride = stride,
	};
}

cublasStatus_t blas_multiply(cublasHandle_t handle, const struct blas_product *p)
{
	struct fake_gemm g;
	struct fake_number beta;

	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!shape_valid(p))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!p->m || !p->n || !p->batch)
		return CUBLAS_STATUS_SUCCESS;
	if (!p->c || (p->k && (!p->a || !p->b)))
		return CUBLAS_STATUS_INVALID_VALUE;
	fake_gemm_init(&g);
	op_of(p->op_a, &g.op_a);
	op_of(p->op_b, &g.op_b);
	g.a = operand(p->a, p->type, g.op_a != FAKE_N, p->m, p->k, p->lda, p->stride_a);
	g.b = operand(p->b, p->type, g.op_b != FAKE_N, p->k, p->n, p->ldb, p->stride_b);
	g.c = g.d = operand(p->c, p->type, false, p->m, p->n, p->ldc, p->stride_c);
	g.alpha = p->alpha;
	g.scale = p->type;
	beta = fake_load(p->beta, p->type, 0);
	g.beta = beta.re != 0 || beta.im != 0 ? p->beta : NULL;
	g.batch = p->batch;
	return fake_gemm_run(&g) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}

typedef cublasStatus_t (*multiply)(cublasHandle_t handle, const struct blas_product *one, const void *context);

static cublasStatus_t for_each(cublasHandle_t handle, const struct blas_product *p, multiply run, const void *context)
{
	const void *const *a = p->a, *const *b = p->b;
	void *const *c = p->c;
	struct blas_product one = *p;
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (p->batch < 0 || (p->batch && (!a || !b || !c)))
		return CUBLAS_STATUS_INVALID_VALUE;
	one.batch = 1;
	for (int64_t i = 0; !status && i < p->batch; i++) {
		one.a = a[i];
		one.b = b[i];
		one.c = c[i];
		status = run(handle, &one, context);
	}
	return status;
}

static cublasStatus_t run_plain(cublasHandle_t handle, const struct blas_product *one, const void *context)
{
	(void)context;
	return blas_multiply(handle, one);
}

cublasStatus_t blas_multiply_each(cublasHandle_t handle, const struct blas_product *p)
{
	return for_each(handle, p, run_plain, NULL);
}

/* The type of alpha and beta, which GemmEx callers do not state. */
static int scale_of(cublasComputeType_t compute, int type_c)
{
	switch ((int)compute) {
	case CUBLAS_COMPUTE_16F: case CUBLAS_COMPUTE_16F_PEDANTIC: return CUDA_R_16F;
	case CUBLAS_COMPUTE_32I: case CUBLAS_COMPUTE_32I_PEDANTIC: return CUDA_R_32I;
	case CUBLAS_COMPUTE_64F: case CUBLAS_COMPUTE_64F_PEDANTIC: return type_c == CUDA_C_64F ? CUDA_C_64F : CUDA_R_64F;
	default: return type_c == CUDA_C_32F ? CUDA_C_32F : CUDA_R_32F;
	}
}

static cublasStatus_t make_layout(cublasLtMatrixLayoutOpaque_t *layout, int type, int64_t rows, int64_t cols, int64_t ld,
				  int64_t stride, int64_t batch)
{
	int32_t count = (int32_t)batch;
	cublasStatus_t status = cublasLtMatrixLayoutInit_internal(layout, sizeof *layout, (cudaDataType)type, (uint64_t)rows,
								  (uint64_t)cols, ld);

	if (!status)
		status = cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
	if (!status)
		status = cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
							  sizeof stride);
	return status;
}

static cublasStatus_t make_desc(cublasLtMatmulDescOpaque_t *desc, const struct blas_handle *own, const struct blas_product *p,
				cublasComputeType_t compute, int scale)
{
	int32_t op_a = p->op_a, op_b = p->op_b, mode = own->pointer_mode;
	cublasStatus_t status = cublasLtMatmulDescInit_internal(desc, sizeof *desc, compute, (cudaDataType)scale);

	if (!status)
		status = cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a);
	if (!status)
		status = cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b);
	if (!status)
		status = cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode);
	return status;
}

cublasStatus_t blas_multiply_lt(cublasHandle_t handle, const struct blas_product *p, int type_a, int type_b, int type_c,
				cublasComputeType_t compute)
{
	struct blas_handle *own = blas_handle(handle);
	cublasLtMatmulDescOpaque_t desc;
	cublasLtMatrixLayoutOpaque_t a, b, c;
	bool ta = p->op_a != CUBLAS_OP_N, tb = p->op_b != CUBLAS_OP_N;
	cublasStatus_t status;

	if (!own)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!shape_valid(p))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!p->m || !p->n || !p->batch)
		return CUBLAS_STATUS_SUCCESS;
	status = make_desc(&desc, own, p, compute, scale_of(compute, type_c));
	if (!status)
		status = make_layout(&a, type_a, ta ? p->k : p->m, ta ? p->m : p->k, p->lda, p->stride_a, p->batch);
	if (!status)
		status = make_layout(&b, type_b, tb ? p->n : p->k, tb ? p->k : p->n, p->ldb, p->stride_b, p->batch);
	if (!status)
		status = make_layout(&c, type_c, p->m, p->n, p->ldc, p->stride_c, p->batch);
	if (status)
		return status;
	return cublasLtMatmul((cublasLtHandle_t)handle, &desc, p->alpha, p->a, &a, p->b, &b, p->beta, p->c, &c, p->c, &c, NULL,
			      own->workspace, own->workspace_size, own->stream);
}

struct mixed {
	int a, b, c;
	cublasComputeType_t compute;
};

static cublasStatus_t run_mixed(cublasHandle_t handle, const struct blas_product *one, const void *context)
{
	const struct mixed *types = context;

	return blas_multiply_lt(handle, one, types->a, types->b, types->c, types->compute);
}

cublasStatus_t blas_multiply_lt_each(cublasHandle_t handle, const struct blas_product *p, int type_a, int type_b, int type_c,
				     cublasComputeType_t compute)
{
	struct mixed types = { type_a, type_b, type_c, compute };

	return for_each(handle, p, run_mixed, &types);
}
