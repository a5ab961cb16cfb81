/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector and matrix-vector functions of one element type and one integer width. Included by blas_vector.c, which defines
 * TYPE, ELEMENT, REAL (the type of norms), INT and V(base): the function's name for that type and width (`axpy`); W(base) where
 * the name has no _v2; AMAX(base), NORM(base) where the letters differ.
 */
cublasStatus_t V(axpy)(cublasHandle_t handle, INT n, const TYPE *alpha, const TYPE *x, INT incx, TYPE *y, INT incy)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n > 0)
		fake_axpy(fake_load(alpha, ELEMENT, 0), VECTOR(x, n, incx), VECTOR(y, n, incy));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t V(scal)(cublasHandle_t handle, INT n, const TYPE *alpha, TYPE *x, INT incx)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n > 0 && incx > 0)
		fake_scal(fake_load(alpha, ELEMENT, 0), VECTOR(x, n, incx));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t V(copy)(cublasHandle_t handle, INT n, const TYPE *x, INT incx, TYPE *y, INT incy)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	fake_copy(VECTOR(x, n, incx), VECTOR(y, n, incy));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t V(swap)(cublasHandle_t handle, INT n, TYPE *x, INT incx, TYPE *y, INT incy)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	fake_swap(VECTOR(x, n, incx), VECTOR(y, n, incy));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t AMAX(amax)(cublasHandle_t handle, INT n, const TYPE *x, INT incx, INT *result)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	*result = (INT)(incx > 0 ? fake_extreme(VECTOR(x, n, incx), true) : 0);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t AMAX(amin)(cublasHandle_t handle, INT n, const TYPE *x, INT incx, INT *result)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	*result = (INT)(incx > 0 ? fake_extreme(VECTOR(x, n, incx), false) : 0);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NORM(nrm2)(cublasHandle_t handle, INT n, const TYPE *x, INT incx, REAL *result)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	*result = (REAL)(incx > 0 ? fake_nrm2(VECTOR(x, n, incx)) : 0);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NORM(asum)(cublasHandle_t handle, INT n, const TYPE *x, INT incx, REAL *result)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	*result = (REAL)(incx > 0 ? fake_asum(VECTOR(x, n, incx)) : 0);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t V(gemv)(cublasHandle_t handle, cublasOperation_t op, INT m, INT n, const TYPE *alpha, const TYPE *a, INT lda,
		       const TYPE *x, INT incx, const TYPE *beta, TYPE *y, INT incy)
{
	INT rows = op == CUBLAS_OP_N ? m : n, cols = op == CUBLAS_OP_N ? n : m;

	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !incx || !incy || !alpha || !beta)
		return CUBLAS_STATUS_INVALID_VALUE;
	multiply_vector(op, fake_load(alpha, ELEMENT, 0), a, ELEMENT, lda, VECTOR(x, cols, incx), fake_load(beta, ELEMENT, 0),
			VECTOR(y, rows, incy));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t W(geam)(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, const TYPE *alpha,
		       const TYPE *a, INT lda, const TYPE *beta, const TYPE *b, INT ldb, TYPE *c, INT ldc)
{
	struct fake_matrix x = matrix(a, ELEMENT, op_a, m, n, lda), y = matrix(b, ELEMENT, op_b, m, n, ldb);
	struct fake_matrix z = matrix(c, ELEMENT, CUBLAS_OP_N, m, n, ldc);

	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || lda < fake_least_ld(&x) || ldb < fake_least_ld(&y) || ldc < m || !alpha || !beta)
		return CUBLAS_STATUS_INVALID_VALUE;
	return fake_transform(&x, operation(op_a), &y, operation(op_b), &z, fake_load(alpha, ELEMENT, 0),
			      fake_load(beta, ELEMENT, 0), 1) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}

#define DOT(name, conjugate) \
	cublasStatus_t V(name)(cublasHandle_t handle, INT n, const TYPE *x, INT incx, const TYPE *y, INT incy, TYPE *result) \
	{ \
		if (!blas_handle(handle)) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		if (!result) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		fake_store(result, ELEMENT, 0, fake_dot(VECTOR(x, n, incx), VECTOR(y, n, incy), conjugate)); \
		return CUBLAS_STATUS_SUCCESS; \
	}
#define GER(name, conjugate) \
	cublasStatus_t V(name)(cublasHandle_t handle, INT m, INT n, const TYPE *alpha, const TYPE *x, INT incx, const TYPE *y, \
			       INT incy, TYPE *a, INT lda) \
	{ \
		if (!blas_handle(handle)) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		if (m < 0 || n < 0 || !incx || !incy || lda < (m > 1 ? m : 1)) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		outer(fake_load(alpha, ELEMENT, 0), VECTOR(x, m, incx), VECTOR(y, n, incy), conjugate, a, lda); \
		return CUBLAS_STATUS_SUCCESS; \
	}
#ifdef COMPLEX
DOT(dotu, false)
DOT(dotc, true)
GER(geru, false)
GER(gerc, true)
#else
DOT(dot, false)
GER(ger, false)
#endif
#undef DOT
#undef GER
#undef V
#undef W
#undef AMAX
#undef NORM
#undef TYPE
#undef REAL
#undef ELEMENT
#undef COMPLEX
