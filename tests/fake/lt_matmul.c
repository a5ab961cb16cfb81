/* SPDX-License-Identifier: Apache-2.0 */
/* cublasLtMatmul and cublasLtMatrixTransform, at once and on host memory: the stream is not looked at. */
#include "lt_problem.h"

#include <errno.h>
#include <string.h>

#include "cuda.h"
#include "entry.h"
#include "handle.h"

static bool handle_valid(const void *handle)
{
	return fake_head_is(handle, FAKE_RELEASE_HASH, LT_KIND_HANDLE);
}

/* Leaves the algorithm's number in the workspace, as the real ones leave something there: tests see which one was used. */
static cublasStatus_t check_workspace(const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size)
{
	struct lt_algo own;
	size_t needed = (size_t)fake_option(FAKE_WORKSPACE);
	uintptr_t alignment = (uintptr_t)fake_option(FAKE_WORKSPACE_ALIGNMENT);
	cublasStatus_t status;

	if (alignment && (uintptr_t)workspace % alignment)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (algo) {
		memcpy(&own, algo, sizeof own);
		status = lt_algo_check(&own);
		if (status)
			return status;
		needed = lt_algo_workspace(&own);
		if (workspace && size >= needed && size >= sizeof own.id)
			memcpy(workspace, &own.id, sizeof own.id);
	}
	return size < needed || (needed && !workspace) ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

static bool misaligned(const struct fake_matrix *m)
{
	size_t part = fake_size(m->type) / (fake_is_complex(m->type) ? 2 : 1);

	return (uintptr_t)m->data % part != 0;
}

static cublasStatus_t check_data(const struct fake_gemm *g)
{
	bool aux_read = g->activation == FAKE_DRELU || g->activation == FAKE_DGELU;

	if (!g->alpha || !g->a.data || !g->b.data || !g->d.data || (g->beta && !g->c.data) || (aux_read && !g->aux) ||
	    (g->grad && !g->grad_out))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (misaligned(&g->a) || misaligned(&g->b) || misaligned(&g->d) || (g->c.data && misaligned(&g->c)))
		return CUBLAS_STATUS_INVALID_VALUE;
	/* In place is fine where C and D have one layout. */
	if (g->c.data == g->d.data && (g->c.ld != g->d.ld || g->c.order != g->d.order || g->c.type != g->d.type))
		return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}

/* Beta is left alone where the pointer mode says that it is zero, and so is C where beta is. */
static const void *beta_of(const void *desc, const void *beta, const struct fake_gemm *g)
{
	int64_t mode = lt_block_number(&lt_matmul, desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, 0);
	struct fake_number value;

	if (!beta || mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
		return NULL;
	if (g->beta_vector)
		return beta;
	value = fake_load(beta, g->scale, 0);
	return value.re != 0 || value.im != 0 ? beta : NULL;
}

cublasStatus_t fake_cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *A,
				   cublasLtMatrixLayout_t Adesc, const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta,
				   const void *C, cublasLtMatrixLayout_t Cdesc, void *D, cublasLtMatrixLayout_t Ddesc,
				   const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size, cudaStream_t stream)
{
	struct fake_gemm g;
	cublasStatus_t status;

	(void)stream;
	if (!handle_valid(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	status = lt_problem(desc, Adesc, Bdesc, Cdesc, Ddesc, &g);
	if (!status)
		status = check_workspace(algo, workspace, size);
	if (status)
		return status;
	g.alpha = alpha;
	g.beta = beta_of(desc, beta, &g);
	g.a.data = (void *)(uintptr_t)A;
	g.b.data = (void *)(uintptr_t)B;
	g.c.data = (void *)(uintptr_t)C;
	g.d.data = D;
	if (!g.d.rows || !g.d.cols)
		return CUBLAS_STATUS_SUCCESS;
	status = check_data(&g);
	if (status)
		return status;
	switch (fake_gemm_run(&g)) {
	case 0: return CUBLAS_STATUS_SUCCESS;
	case -ENOMEM: return CUBLAS_STATUS_ALLOC_FAILED;
	default: return CUBLAS_STATUS_INVALID_VALUE;
	}
}

static bool op_of(const void *desc, int id, enum fake_op *op)
{
	int64_t value = lt_block_number(&lt_transform, desc, id, CUBLAS_OP_N);

	*op = value == CUBLAS_OP_N ? FAKE_N : value == CUBLAS_OP_T ? FAKE_T : FAKE_C;
	return value == CUBLAS_OP_N || value == CUBLAS_OP_T || value == CUBLAS_OP_C;
}

struct operand {
	struct fake_matrix matrix;
	enum fake_op op;
	struct fake_number factor;
	int batch;
};

/* Reads one input of a transformation; an absent one (no data or no factor) is fine. */
static cublasStatus_t read_operand(struct operand *o, const void *data, const void *layout, const void *factor,
				   enum fake_type scale, const struct fake_matrix *out, int batch)
{
	cublasStatus_t status;

	if (!data || !factor)
		return CUBLAS_STATUS_SUCCESS;
	status = lt_matrix(layout, &o->matrix, &o->batch);
	if (status)
		return status;
	o->matrix.data = (void *)(uintptr_t)data;
	o->factor = fake_load(factor, scale, 0);
	if ((o->op == FAKE_N ? o->matrix.rows : o->matrix.cols) != out->rows ||
	    (o->op == FAKE_N ? o->matrix.cols : o->matrix.rows) != out->cols || o->batch != batch)
		return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatrixTransform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc, const void *alpha,
					    const void *A, cublasLtMatrixLayout_t Adesc, const void *beta, const void *B,
					    cublasLtMatrixLayout_t Bdesc, void *C, cublasLtMatrixLayout_t Cdesc,
					    cudaStream_t stream)
{
	struct operand a = { .factor = { 0, 0 } }, b = a;
	struct fake_matrix c;
	enum fake_type scale;
	cublasStatus_t status;
	int batch;

	(void)stream;
	if (!handle_valid(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!lt_block_valid(&lt_transform, desc) || !C || (A && !Adesc) || (B && !Bdesc) ||
	    !op_of(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &a.op) || !op_of(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &b.op))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!fake_cuda_type((int)lt_block_number(&lt_transform, desc, CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, 0), &scale))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	status = lt_matrix(Cdesc, &c, &batch);
	if (!status)
		status = read_operand(&a, A, Adesc, alpha, scale, &c, batch);
	if (!status)
		status = read_operand(&b, B, Bdesc, beta, scale, &c, batch);
	if (status)
		return status;
	/* The real library packs the tiled weight orders but never unpacks them. */
	if (a.matrix.order > FAKE_COL32 || b.matrix.order > FAKE_COL32)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	c.data = C;
	return fake_transform(&a.matrix, a.op, &b.matrix, b.op, &c, a.factor, b.factor, batch) ? CUBLAS_STATUS_ALLOC_FAILED :
											       CUBLAS_STATUS_SUCCESS;
}
