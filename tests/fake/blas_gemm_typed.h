/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three gemm functions of one element type and one integer width. Included once for each by blas_gemm.c, which defines
 * GEMM, BATCHED, STRIDED (names), TYPE, ELEMENT, INT and STRIDE; they are undefined again here.
 */
cublasStatus_t GEMM(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k, const TYPE *alpha,
		    const TYPE *a, INT lda, const TYPE *b, INT ldb, const TYPE *beta, TYPE *c, INT ldc)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .batch = 1, .type = ELEMENT,
	};

	return blas_multiply(handle, &p);
}

cublasStatus_t BATCHED(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k,
		       const TYPE *alpha, const TYPE *const a[], INT lda, const TYPE *const b[], INT ldb, const TYPE *beta,
		       TYPE *const c[], INT ldc, INT batch)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = (void *)c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .batch = batch, .type = ELEMENT,
	};

	return blas_multiply_each(handle, &p);
}

cublasStatus_t STRIDED(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k,
		       const TYPE *alpha, const TYPE *a, INT lda, STRIDE stride_a, const TYPE *b, INT ldb, STRIDE stride_b,
		       const TYPE *beta, TYPE *c, INT ldc, STRIDE stride_c, INT batch)
{
	struct blas_product p = {
		.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c,
		.lda = lda, .ldb = ldb, .ldc = ldc, .stride_a = stride_a, .stride_b = stride_b, .stride_c = stride_c,
		.batch = batch, .type = ELEMENT,
	};

	return blas_multiply(handle, &p);
}

#undef GEMM
#undef BATCHED
#undef STRIDED
#undef TYPE
#undef ELEMENT
