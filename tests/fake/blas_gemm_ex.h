/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mixed-type products with one integer width. Included by blas_gemm_ex.c, which defines INT, STRIDE and NAME(base), the
 * function's name for that width.
 */
cublasStatus_t NAME(cublasGemmEx)(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k,
				  const void *alpha, const void *a, cudaDataType type_a, INT lda, const void *b,
				  cudaDataType type_b, INT ldb, const void *beta, void *c, cudaDataType type_c, INT ldc,
				  cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .batch = 1,
	};

	(void)algo;
	return blas_multiply_lt(handle, &p, type_a, type_b, type_c, compute);
}

cublasStatus_t NAME(cublasGemmBatchedEx)(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n,
					 INT k, const void *alpha, const void *const a[], cudaDataType type_a, INT lda,
					 const void *const b[], cudaDataType type_b, INT ldb, const void *beta, void *const c[],
					 cudaDataType type_c, INT ldc, INT batch, cublasComputeType_t compute,
					 cublasGemmAlgo_t algo)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = (void *)c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .batch = batch,
	};

	(void)algo;
	return blas_multiply_lt_each(handle, &p, type_a, type_b, type_c, compute);
}

cublasStatus_t NAME(cublasGemmStridedBatchedEx)(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m,
						INT n, INT k, const void *alpha, const void *a, cudaDataType type_a, INT lda,
						STRIDE stride_a, const void *b, cudaDataType type_b, INT ldb, STRIDE stride_b,
						const void *beta, void *c, cudaDataType type_c, INT ldc, STRIDE stride_c,
						INT batch, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .stride_a = stride_a, .stride_b = stride_b, .stride_c = stride_c,
		.batch = batch,
	};

	(void)algo;
	return blas_multiply_lt(handle, &p, type_a, type_b, type_c, compute);
}

cublasStatus_t NAME(cublasSgemmEx)(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k,
				   const float *alpha, const void *a, cudaDataType type_a, INT lda, const void *b,
				   cudaDataType type_b, INT ldb, const float *beta, void *c, cudaDataType type_c, INT ldc)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .batch = 1,
	};

	return blas_multiply_lt(handle, &p, type_a, type_b, type_c, CUBLAS_COMPUTE_32F);
}
