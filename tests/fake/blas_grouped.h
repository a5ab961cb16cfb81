/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouped products of one type and one integer width. Included by blas_gemm_ex.c, which defines GROUPED, TYPE, ELEMENT, INT.
 */
cublasStatus_t GROUPED(cublasHandle_t handle, const cublasOperation_t op_a[], const cublasOperation_t op_b[], const INT m[],
		       const INT n[], const INT k[], const TYPE alpha[], const TYPE *const a[], const INT lda[],
		       const TYPE *const b[], const INT ldb[], const TYPE beta[], TYPE *const c[], const INT ldc[], INT groups,
		       const INT sizes[])
{
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	int64_t first = 0;

	for (INT g = 0; !status && g < groups; g++) {
		struct blas_product p = {
			.op_a = op_a[g], .op_b = op_b[g], .m = m[g], .n = n[g], .k = k[g], .alpha = &alpha[g], .beta = &beta[g],
			.a = a + first, .b = b + first, .c = (void *)(c + first), .lda = lda[g], .ldb = ldb[g], .ldc = ldc[g],
			.batch = sizes[g], .type = ELEMENT,
		};

		status = blas_multiply_each(handle, &p);
		first += sizes[g];
	}
	return status;
}

#undef GROUPED
#undef TYPE
#undef ELEMENT
