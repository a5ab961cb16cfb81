/* SPDX-License-Identifier: Apache-2.0 */
/* cublasLt: making, destroying and querying layouts, descriptors and preferences. */
#include "lt_block.h"

#include <stdlib.h>

static cublasStatus_t create(const struct lt_kind *kind, void **out)
{
	size_t size = kind->sizes[kind->size_count - 1];

	if (!out)
		return CUBLAS_STATUS_INVALID_VALUE;
	*out = malloc(size);
	if (!*out)
		return CUBLAS_STATUS_ALLOC_FAILED;
	return lt_block_init(kind, *out, size);
}

/* Destroying what was not created here would free somebody's stack: the mark is taken away, so twice is noticed too. */
static cublasStatus_t destroy(const struct lt_kind *kind, void *block)
{
	if (!block)
		return CUBLAS_STATUS_SUCCESS;
	if (!lt_block_valid(kind, block))
		return CUBLAS_STATUS_INVALID_VALUE;
	((struct lt_head *)block)->mark = 0;
	free(block);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t matmul_defaults(void *block, cublasComputeType_t compute, cudaDataType scale)
{
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute);
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale);
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_FULL);
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
#ifdef CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, -1);
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, -1);
#endif
#ifdef CUBLASLT_MATMUL_DESC_BATCH_INVARIANCE_FLAGS
	lt_block_put(&lt_matmul, block, CUBLASLT_MATMUL_DESC_BATCH_INVARIANCE_FLAGS, CUBLASLT_BATCH_INVARIANCE_UNSET);
#endif
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t block, size_t size, cublasComputeType_t compute,
						    cudaDataType_t scale)
{
	cublasStatus_t status = lt_block_init(&lt_matmul, block, size);

	return status ? status : matmul_defaults(block, compute, (cudaDataType)scale);
}

cublasStatus_t fake_cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute, cudaDataType_t scale)
{
	cublasStatus_t status = create(&lt_matmul, (void **)out);

	return status ? status : matmul_defaults(*out, compute, (cudaDataType)scale);
}

cublasStatus_t fake_cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t block)
{
	return destroy(&lt_matmul, block);
}

cublasStatus_t fake_cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t block, cublasLtMatmulDescAttributes_t id,
						   const void *value, size_t size)
{
	return lt_block_set(&lt_matmul, block, id, value, size);
}

cublasStatus_t fake_cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t block, cublasLtMatmulDescAttributes_t id, void *value,
						   size_t size, size_t *written)
{
	return lt_block_get(&lt_matmul, block, id, value, size, written);
}

static cublasStatus_t layout_defaults(void *block, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	lt_block_put(&lt_layout, block, CUBLASLT_MATRIX_LAYOUT_TYPE, type);
	lt_block_put(&lt_layout, block, CUBLASLT_MATRIX_LAYOUT_ROWS, (int64_t)rows);
	lt_block_put(&lt_layout, block, CUBLASLT_MATRIX_LAYOUT_COLS, (int64_t)cols);
	lt_block_put(&lt_layout, block, CUBLASLT_MATRIX_LAYOUT_LD, ld);
	lt_block_put(&lt_layout, block, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t block, size_t size, cudaDataType type,
						      uint64_t rows, uint64_t cols, int64_t ld)
{
	cublasStatus_t status = lt_block_init(&lt_layout, block, size);

	return status ? status : layout_defaults(block, type, rows, cols, ld);
}

cublasStatus_t fake_cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type, uint64_t rows, uint64_t cols,
					       int64_t ld)
{
	cublasStatus_t status = create(&lt_layout, (void **)out);

	return status ? status : layout_defaults(*out, type, rows, cols, ld);
}

cublasStatus_t fake_cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t block)
{
	return destroy(&lt_layout, block);
}

cublasStatus_t fake_cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t block, cublasLtMatrixLayoutAttribute_t id,
						     const void *value, size_t size)
{
	return lt_block_set(&lt_layout, block, id, value, size);
}

cublasStatus_t fake_cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t block, cublasLtMatrixLayoutAttribute_t id,
						     void *value, size_t size, size_t *written)
{
	return lt_block_get(&lt_layout, block, id, value, size, written);
}

static cublasStatus_t preference_defaults(void *block)
{
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_MASK);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_IMPL_MASK, -1);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 256);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 256);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 256);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 256);
#ifdef CUBLASLT_MATMUL_PREF_MATH_MODE_MASK
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, 1);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, 1);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK,
		     CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE);
	lt_block_put(&lt_preference, block, CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, CUBLASLT_EPILOGUE_DEFAULT);
#endif
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t block, size_t size)
{
	cublasStatus_t status = lt_block_init(&lt_preference, block, size);

	return status ? status : preference_defaults(block);
}

cublasStatus_t fake_cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
	cublasStatus_t status = create(&lt_preference, (void **)out);

	return status ? status : preference_defaults(*out);
}

cublasStatus_t fake_cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t block)
{
	return destroy(&lt_preference, block);
}

cublasStatus_t fake_cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t block,
							 cublasLtMatmulPreferenceAttributes_t id, const void *value, size_t size)
{
	return lt_block_set(&lt_preference, block, id, value, size);
}

cublasStatus_t fake_cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t block,
							 cublasLtMatmulPreferenceAttributes_t id, void *value, size_t size,
							 size_t *written)
{
	return lt_block_get(&lt_preference, block, id, value, size, written);
}

static cublasStatus_t transform_defaults(void *block, cudaDataType scale)
{
	lt_block_put(&lt_transform, block, CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, scale);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t block, size_t size,
							     cudaDataType scale)
{
	cublasStatus_t status = lt_block_init(&lt_transform, block, size);

	return status ? status : transform_defaults(block, scale);
}

cublasStatus_t fake_cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *out, cudaDataType scale)
{
	cublasStatus_t status = create(&lt_transform, (void **)out);

	return status ? status : transform_defaults(*out, scale);
}

cublasStatus_t fake_cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t block)
{
	return destroy(&lt_transform, block);
}

cublasStatus_t fake_cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t block,
							    cublasLtMatrixTransformDescAttributes_t id, const void *value,
							    size_t size)
{
	return lt_block_set(&lt_transform, block, id, value, size);
}

cublasStatus_t fake_cublasLtMatrixTransformDescGetAttribute(cublasLtMatrixTransformDesc_t block,
							    cublasLtMatrixTransformDescAttributes_t id, void *value,
							    size_t size, size_t *written)
{
	return lt_block_get(&lt_transform, block, id, value, size, written);
}
