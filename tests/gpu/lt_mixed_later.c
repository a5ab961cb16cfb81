/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in built against a later cuBLASLt than the program that loads it (lt_mixed.c). */
#include <stdint.h>
#include <cublasLt.h>

#include "lt_mixed.h"

static int scales(void *desc, const void *a, const void *b)
{
	cublasStatus_t status = cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &a, sizeof(a));

	return status ? status : cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &b, sizeof(b));
}

static int bias_type(void *desc, int type)
{
	int32_t value = type;

	return cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &value, sizeof(value));
}

static int layout(void **made, int type, int rows, int columns)
{
	return cublasLtMatrixLayoutCreate((cublasLtMatrixLayout_t *)made, (cudaDataType_t)type, (uint64_t)rows, (uint64_t)columns, rows);
}

static void *desc(int epilogue, void *bias)
{
	cublasLtMatmulDesc_t made = NULL;
	int32_t transposed = CUBLAS_OP_T, value = epilogue;

	if (cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F) ||
	    cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)) ||
	    cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, sizeof(value)) ||
	    (epilogue == CUBLASLT_EPILOGUE_BIAS &&
	     cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias))))
		return NULL;
	return made;
}

__attribute__((visibility("default"))) const struct mixed_later mixed_later = {scales, bias_type, layout, desc, CUDA_R_8F_E4M3};
