/* SPDX-License-Identifier: Apache-2.0 */
/* See blocks.h. Compiled once against each release's header, the fake ones or (REAL) the vendor's; knows nothing of gangway. */
#include "blocks.h"
#ifdef REAL
#include <cublasLt.h>
#else
#include "fake_api.h"
#endif

#define MOST 8

static int init(enum kind kind, void *block)
{
	switch (kind) {
	case DESC:
		return cublasLtMatmulDescInit_internal(block, sizeof(cublasLtMatmulDescOpaque_t), CUBLAS_COMPUTE_32F, CUDA_R_32F);
	case LAYOUT:
		return cublasLtMatrixLayoutInit_internal(block, sizeof(cublasLtMatrixLayoutOpaque_t), CUDA_R_32F, 2, 2, 2);
	default:
		return cublasLtMatmulPreferenceInit_internal(block, sizeof(cublasLtMatmulPreferenceOpaque_t));
	}
}

static int create(enum kind kind, void **block)
{
	switch (kind) {
	case DESC: return cublasLtMatmulDescCreate((cublasLtMatmulDesc_t *)block, CUBLAS_COMPUTE_32F, CUDA_R_32F);
	case LAYOUT: return cublasLtMatrixLayoutCreate((cublasLtMatrixLayout_t *)block, CUDA_R_32F, 2, 2, 2);
	default: return cublasLtMatmulPreferenceCreate((cublasLtMatmulPreference_t *)block);
	}
}

static int destroy(enum kind kind, void *block)
{
	switch (kind) {
	case DESC: return cublasLtMatmulDescDestroy(block);
	case LAYOUT: return cublasLtMatrixLayoutDestroy(block);
	default: return cublasLtMatmulPreferenceDestroy(block);
	}
}

static int set(enum kind kind, void *block, int id, const void *value, size_t size)
{
	switch (kind) {
	case DESC: return cublasLtMatmulDescSetAttribute(block, (cublasLtMatmulDescAttributes_t)id, value, size);
	case LAYOUT: return cublasLtMatrixLayoutSetAttribute(block, (cublasLtMatrixLayoutAttribute_t)id, value, size);
	default: return cublasLtMatmulPreferenceSetAttribute(block, (cublasLtMatmulPreferenceAttributes_t)id, value, size);
	}
}

static int get(enum kind kind, void *block, int id, void *value, size_t size, size_t *written)
{
	switch (kind) {
	case DESC: return cublasLtMatmulDescGetAttribute(block, (cublasLtMatmulDescAttributes_t)id, value, size, written);
	case LAYOUT: return cublasLtMatrixLayoutGetAttribute(block, (cublasLtMatrixLayoutAttribute_t)id, value, size, written);
	default: return cublasLtMatmulPreferenceGetAttribute(block, (cublasLtMatmulPreferenceAttributes_t)id, value, size, written);
	}
}

static void *handle(void)
{
	cublasLtHandle_t made = NULL;

	return cublasLtCreate(&made) ? NULL : made;
}

static int matmul(void *lt, void *desc, void *layout, const float *a, const float *b, float *d)
{
	float one = 1, zero = 0;

	return cublasLtMatmul(lt, desc, &one, a, layout, b, layout, &zero, d, layout, d, layout, NULL, NULL, 0, NULL);
}

static int heuristic(void *lt, void *desc, void *layout, void *preference, int *count)
{
	cublasLtMatmulHeuristicResult_t results[MOST];

	return cublasLtMatmulAlgoGetHeuristic(lt, desc, layout, layout, layout, layout, preference, MOST, results, count);
}

static int check(void *lt, void *desc, void *layout, void *preference)
{
	cublasLtMatmulHeuristicResult_t result, again;
	int count, status;

	status = cublasLtMatmulAlgoGetHeuristic(lt, desc, layout, layout, layout, layout, preference, 1, &result, &count);
	if (status)
		return status;
	return cublasLtMatmulAlgoCheck(lt, desc, layout, layout, layout, layout, &result.algo, &again);
}

static int transform(void *lt, void *layout, const float *a, float *c)
{
	cublasLtMatrixTransformDesc_t desc;
	float one = 1;
	int status = cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F);

	if (status)
		return status;
	status = cublasLtMatrixTransform(lt, desc, &one, a, layout, NULL, NULL, NULL, c, layout, NULL);
	cublasLtMatrixTransformDescDestroy(desc);
	return status;
}

__attribute__((visibility("default"))) const struct part part = {
	.size = { sizeof(cublasLtMatmulDescOpaque_t), sizeof(cublasLtMatrixLayoutOpaque_t), sizeof(cublasLtMatmulPreferenceOpaque_t) },
	.init = init, .create = create, .destroy = destroy, .set = set, .get = get, .handle = handle, .matmul = matmul,
	.heuristic = heuristic, .check = check, .transform = transform,
};
