/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouped products with one integer width. Included by blas_gemm_ex.c, which defines INT and NAME(base).
 */
cublasStatus_t NAME(cublasGemmGroupedBatchedEx)(cublasHandle_t handle, const cublasOperation_t op_a[],
						const cublasOperation_t op_b[], const INT m[], const INT n[], const INT k[],
						const void *alpha, const void *const a[], cudaDataType_t type_a,
						const INT lda[], const void *const b[], cudaDataType_t type_b, const INT ldb[],
						const void *beta, void *const c[], cudaDataType_t type_c, const INT ldc[],
						INT groups, const INT sizes[], cublasComputeType_t compute)
{
	size_t scale = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ? sizeof(double) : sizeof(float);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	int64_t first = 0;

	for (INT g = 0; !status && g < groups; g++) {
		struct blas_product p = {
			.op_a = op_a[g], .op_b = op_b[g], .m = m[g], .n = n[g], .k = k[g],
			.alpha = (const char *)alpha + (size_t)g * scale, .beta = (const char *)beta + (size_t)g * scale,
			.a = a + first, .b = b + first, .c = (void *)(c + first), .lda = lda[g], .ldb = ldb[g], .ldc = ldc[g],
			.batch = sizes[g],
		};

		status = blas_multiply_lt_each(handle, &p, type_a, type_b, type_c, compute);
		first += sizes[g];
	}
	return status;
}
