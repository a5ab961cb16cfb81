/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouped products, where the loaded release has none: each group is one call of the batched product, in the handle's stream, one after the
 * other. Everything but the three arrays of pointers is in host memory; those are in device memory and are only counted on, not read.
 *
 * What is wrong anywhere is refused before the first product. Factors in device memory, and the types of GemmGroupedBatchedEx whose
 * factors are of no known size, are refused with GW-319. Nothing is kept, nothing is allocated.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "binding.h"
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_values.h"
#include "gw_via.h"
#include "narrow.h"
#include "refuse.h"

/* The caller's arrays, of int or, `wide`, of int64_t. */
struct groups {
	const cublasOperation_t *op_a, *op_b;
	const void *m, *n, *k, *lda, *ldb, *ldc, *size;
	const void *alpha, *beta;
	const void *a, *b, *c;	/* arrays of pointers, in device memory */
	int64_t count;
	bool wide;
	cudaDataType_t type_a, type_b, type_c;
	cublasComputeType_t compute;
	size_t scale;	/* bytes of a factor */
};

struct group {
	cublasOperation_t op_a, op_b;
	int m, n, k, lda, ldb, ldc, size;
	const void *alpha, *beta;
	const void *a, *b, *c;
};

typedef cublasStatus_t run_group(void *target, cublasHandle_t handle, const struct groups *groups, const struct group *group);

static int64_t at(const struct groups *g, const void *array, int64_t i)
{
	return g->wide ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

/* The first integer of group I that 32 bits cannot hold: its name; else NULL. */
static const char *too_wide(const struct groups *g, int64_t i, int64_t *value)
{
	const struct {
		const char *name;
		const void *array;
	} all[] = {
		{ "m_array", g->m }, { "n_array", g->n }, { "k_array", g->k }, { "lda_array", g->lda }, { "ldb_array", g->ldb },
		{ "ldc_array", g->ldc }, { "group_size", g->size },
	};
	unsigned k;

	for (k = 0; k < sizeof(all) / sizeof(*all); k++) {
		*value = at(g, all[k].array, i);
		if (*value != (int)*value)
			return all[k].name;
	}
	return NULL;
}

static bool is_operation(cublasOperation_t op)
{
	return op == GW_VALUE_CUBLAS_OP_N || op == GW_VALUE_CUBLAS_OP_T || op == GW_VALUE_CUBLAS_OP_C;
}

static bool valid(const struct groups *g, int64_t i)
{
	int64_t m = at(g, g->m, i), n = at(g, g->n, i), k = at(g, g->k, i);
	int64_t rows_a = g->op_a[i] == GW_VALUE_CUBLAS_OP_N ? m : k, rows_b = g->op_b[i] == GW_VALUE_CUBLAS_OP_N ? k : n;

	return is_operation(g->op_a[i]) && is_operation(g->op_b[i]) && m >= 0 && n >= 0 && k >= 0 && at(g, g->size, i) >= 0 &&
	       at(g, g->lda, i) >= (rows_a > 1 ? rows_a : 1) && at(g, g->ldb, i) >= (rows_b > 1 ? rows_b : 1) &&
	       at(g, g->ldc, i) >= (m > 1 ? m : 1);
}

static cublasStatus_t check(struct gw_call *call, cublasHandle_t handle, const struct groups *g)
{
	cublasStatus_t (*get)(cublasHandle_t, cublasPointerMode_t *) =
		gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, GW_FN_cublasGetPointerMode_v2);
	cublasPointerMode_t mode;
	cublasStatus_t status = get ? get(handle, &mode) : GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	int64_t i, value;

	if (status)
		return status;
	if (mode != GW_VALUE_CUBLAS_POINTER_MODE_HOST)
		return gw_refuse(call, "its factors lie in device memory, where they cannot be told apart by group");
	if (g->count < 0 || (g->count && (!g->op_a || !g->op_b || !g->m || !g->n || !g->k || !g->lda || !g->ldb || !g->ldc ||
					  !g->size || !g->alpha || !g->beta || !g->a || !g->b || !g->c)))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	for (i = 0; i < g->count; i++) {
		const char *name = too_wide(g, i, &value);

		if (name)
			return gw_narrow_refuse(call, name, value, GW_VALUE_CUBLAS_STATUS_INVALID_VALUE);
		if (!valid(g, i))
			return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	}
	return GW_VALUE_CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t run_all(struct gw_call *call, void *target, run_group *run, cublasHandle_t handle, const struct groups *g)
{
	cublasStatus_t status = check(call, handle, g);
	int64_t i, first = 0;

	for (i = 0; !status && i < g->count; i++) {
		struct group group = {
			.op_a = g->op_a[i], .op_b = g->op_b[i], .m = (int)at(g, g->m, i), .n = (int)at(g, g->n, i),
			.k = (int)at(g, g->k, i), .lda = (int)at(g, g->lda, i), .ldb = (int)at(g, g->ldb, i),
			.ldc = (int)at(g, g->ldc, i), .size = (int)at(g, g->size, i),
			.alpha = (const char *)g->alpha + (size_t)i * g->scale, .beta = (const char *)g->beta + (size_t)i * g->scale,
			.a = (const void *const *)g->a + first, .b = (const void *const *)g->b + first,
			.c = (const void *const *)g->c + first,
		};

		if (group.size)
			status = run(target, handle, g, &group);
		first += group.size;
	}
	return status;
}

static cublasStatus_t run_float(void *target, cublasHandle_t handle, const struct groups *g, const struct group *one)
{
	cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const float *,
				   const float *const *, int, const float *const *, int, const float *, float *const *, int, int) = target;

	(void)g;
	return multiply(handle, one->op_a, one->op_b, one->m, one->n, one->k, one->alpha, one->a, one->lda, one->b, one->ldb, one->beta,
			(float *const *)one->c, one->ldc, one->size);
}

static cublasStatus_t run_double(void *target, cublasHandle_t handle, const struct groups *g, const struct group *one)
{
	cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const double *,
				   const double *const *, int, const double *const *, int, const double *, double *const *, int, int) =
		target;

	(void)g;
	return multiply(handle, one->op_a, one->op_b, one->m, one->n, one->k, one->alpha, one->a, one->lda, one->b, one->ldb, one->beta,
			(double *const *)one->c, one->ldc, one->size);
}

static cublasStatus_t run_typed(void *target, cublasHandle_t handle, const struct groups *g, const struct group *one)
{
	cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,
				   const void *const *, cudaDataType, int, const void *const *, cudaDataType, int, const void *,
				   void *const *, cudaDataType, int, int, cublasComputeType_t, cublasGemmAlgo_t) = target;

	return multiply(handle, one->op_a, one->op_b, one->m, one->n, one->k, one->alpha, one->a, g->type_a, one->lda, one->b, g->type_b,
			one->ldb, one->beta, (void *const *)one->c, g->type_c, one->ldc, one->size, g->compute,
			GW_VALUE_CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t gw_via_sgemm_grouped(struct gw_call *call,
	cublasStatus_t (*real)(cublasHandle_t, const cublasOperation_t *, const cublasOperation_t *, const int *, const int *, const int *,
			       const float *, const float *const *, const int *, const float *const *, const int *, const float *,
			       float *const *, const int *, int, const int *),
	cublasHandle_t handle, const cublasOperation_t *op_a, const cublasOperation_t *op_b, const int *m, const int *n, const int *k,
	const float *alpha, const float *const *a, const int *lda, const float *const *b, const int *ldb, const float *beta,
	float *const *c, const int *ldc, int count, const int *size)
{
	struct groups groups = { op_a, op_b, m, n, k, lda, ldb, ldc, size, alpha, beta, a, b, c, count, false, 0, 0, 0, 0, sizeof(*alpha) };
	void *target = gw_narrow_target(call, GW_FN_cublasSgemmBatched);

	return target ? run_all(call, target, run_float, handle, &groups) :
			real(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size);
}

cublasStatus_t gw_via_sgemm_grouped_64(struct gw_call *call,
	cublasStatus_t (*real)(cublasHandle_t, const cublasOperation_t *, const cublasOperation_t *, const int64_t *, const int64_t *,
			       const int64_t *, const float *, const float *const *, const int64_t *, const float *const *, const int64_t *,
			       const float *, float *const *, const int64_t *, int64_t, const int64_t *),
	cublasHandle_t handle, const cublasOperation_t *op_a, const cublasOperation_t *op_b, const int64_t *m, const int64_t *n,
	const int64_t *k, const float *alpha, const float *const *a, const int64_t *lda, const float *const *b, const int64_t *ldb,
	const float *beta, float *const *c, const int64_t *ldc, int64_t count, const int64_t *size)
{
	struct groups groups = { op_a, op_b, m, n, k, lda, ldb, ldc, size, alpha, beta, a, b, c, count, true, 0, 0, 0, 0, sizeof(*alpha) };
	void *target = gw_narrow_target(call, GW_FN_cublasSgemmBatched);

	return target ? run_all(call, target, run_float, handle, &groups) :
			real(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size);
}

cublasStatus_t gw_via_dgemm_grouped(struct gw_call *call,
	cublasStatus_t (*real)(cublasHandle_t, const cublasOperation_t *, const cublasOperation_t *, const int *, const int *, const int *,
			       const double *, const double *const *, const int *, const double *const *, const int *, const double *,
			       double *const *, const int *, int, const int *),
	cublasHandle_t handle, const cublasOperation_t *op_a, const cublasOperation_t *op_b, const int *m, const int *n, const int *k,
	const double *alpha, const double *const *a, const int *lda, const double *const *b, const int *ldb, const double *beta,
	double *const *c, const int *ldc, int count, const int *size)
{
	struct groups groups = { op_a, op_b, m, n, k, lda, ldb, ldc, size, alpha, beta, a, b, c, count, false, 0, 0, 0, 0, sizeof(*alpha) };
	void *target = gw_narrow_target(call, GW_FN_cublasDgemmBatched);

	return target ? run_all(call, target, run_double, handle, &groups) :
			real(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size);
}

cublasStatus_t gw_via_dgemm_grouped_64(struct gw_call *call,
	cublasStatus_t (*real)(cublasHandle_t, const cublasOperation_t *, const cublasOperation_t *, const int64_t *, const int64_t *,
			       const int64_t *, const double *, const double *const *, const int64_t *, const double *const *,
			       const int64_t *, const double *, double *const *, const int64_t *, int64_t, const int64_t *),
	cublasHandle_t handle, const cublasOperation_t *op_a, const cublasOperation_t *op_b, const int64_t *m, const int64_t *n,
	const int64_t *k, const double *alpha, const double *const *a, const int64_t *lda, const double *const *b, const int64_t *ldb,
	const double *beta, double *const *c, const int64_t *ldc, int64_t count, const int64_t *size)
{
	struct groups groups = { op_a, op_b, m, n, k, lda, ldb, ldc, size, alpha, beta, a, b, c, count, true, 0, 0, 0, 0, sizeof(*alpha) };
	void *target = gw_narrow_target(call, GW_FN_cublasDgemmBatched);

	return target ? run_all(call, target, run_double, handle, &groups) :
			real(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size);
}

static bool is_real(cudaDataType_t type)
{
	return type == GW_VALUE_CUDA_R_16F || type == GW_VALUE_CUDA_R_16BF || type == GW_VALUE_CUDA_R_32F || type == GW_VALUE_CUDA_R_64F;
}

/* Bytes of a factor: of the compute type, since all products of this function are of real numbers. 0: not known. */
static size_t scale_of(const struct groups *g)
{
	if (!is_real(g->type_a) || !is_real(g->type_b) || !is_real(g->type_c))
		return 0;
	switch (g->compute) {
	case GW_VALUE_CUBLAS_COMPUTE_32F:
	case GW_VALUE_CUBLAS_COMPUTE_32F_PEDANTIC:
	case GW_VALUE_CUBLAS_COMPUTE_32F_FAST_16F:
	case GW_VALUE_CUBLAS_COMPUTE_32F_FAST_16BF:
	case GW_VALUE_CUBLAS_COMPUTE_32F_FAST_TF32:
		return sizeof(float);
	case GW_VALUE_CUBLAS_COMPUTE_64F:
	case GW_VALUE_CUBLAS_COMPUTE_64F_PEDANTIC:
		return sizeof(double);
	default:
		return 0;
	}
}

static cublasStatus_t run_all_typed(struct gw_call *call, void *target, cublasHandle_t handle, struct groups *g)
{
	g->scale = scale_of(g);
	if (!g->scale)
		return gw_refuse(call, "its types are none that grouped products are known for");
	return run_all(call, target, run_typed, handle, g);
}

cublasStatus_t gw_via_gemm_grouped(struct gw_call *call,
	cublasStatus_t (*real)(cublasHandle_t, const cublasOperation_t *, const cublasOperation_t *, const int *, const int *, const int *,
			       const void *, const void *const *, cudaDataType_t, const int *, const void *const *, cudaDataType_t,
			       const int *, const void *, void *const *, cudaDataType_t, const int *, int, const int *,
			       cublasComputeType_t),
	cublasHandle_t handle, const cublasOperation_t *op_a, const cublasOperation_t *op_b, const int *m, const int *n, const int *k,
	const void *alpha, const void *const *a, cudaDataType_t type_a, const int *lda, const void *const *b, cudaDataType_t type_b,
	const int *ldb, const void *beta, void *const *c, cudaDataType_t type_c, const int *ldc, int count, const int *size,
	cublasComputeType_t compute)
{
	struct groups groups = { op_a, op_b, m, n, k, lda, ldb, ldc, size, alpha, beta, a, b, c, count, false, type_a, type_b, type_c,
				 compute, 0 };
	void *target = gw_narrow_target(call, GW_FN_cublasGemmBatchedEx);

	return target ? run_all_typed(call, target, handle, &groups) :
			real(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, count, size, compute);
}

cublasStatus_t gw_via_gemm_grouped_64(struct gw_call *call,
	cublasStatus_t (*real)(cublasHandle_t, const cublasOperation_t *, const cublasOperation_t *, const int64_t *, const int64_t *,
			       const int64_t *, const void *, const void *const *, cudaDataType_t, const int64_t *, const void *const *,
			       cudaDataType_t, const int64_t *, const void *, void *const *, cudaDataType_t, const int64_t *, int64_t,
			       const int64_t *, cublasComputeType_t),
	cublasHandle_t handle, const cublasOperation_t *op_a, const cublasOperation_t *op_b, const int64_t *m, const int64_t *n,
	const int64_t *k, const void *alpha, const void *const *a, cudaDataType_t type_a, const int64_t *lda, const void *const *b,
	cudaDataType_t type_b, const int64_t *ldb, const void *beta, void *const *c, cudaDataType_t type_c, const int64_t *ldc,
	int64_t count, const int64_t *size, cublasComputeType_t compute)
{
	struct groups groups = { op_a, op_b, m, n, k, lda, ldb, ldc, size, alpha, beta, a, b, c, count, true, type_a, type_b, type_c,
				 compute, 0 };
	void *target = gw_narrow_target(call, GW_FN_cublasGemmBatchedEx);

	return target ? run_all_typed(call, target, handle, &groups) :
			real(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, count, size, compute);
}
