/* SPDX-License-Identifier: Apache-2.0 */
/* cublas: vector and matrix-vector functions of each element type, with 32 and, where the release has them, 64 bit integers. */
#include "blas.h"
#include "vector.h"

#define VECTOR(pointer, length, increment) \
	(&(struct fake_vector){ .data = (void *)(uintptr_t)(pointer), .type = ELEMENT, .n = (length), .inc = (increment) })

static enum fake_op operation(cublasOperation_t op)
{
	return op == CUBLAS_OP_T ? FAKE_T : op == CUBLAS_OP_C ? FAKE_C : FAKE_N;
}

/* A matrix such that op of it is M by N. */
static struct fake_matrix matrix(const void *data, enum fake_type type, cublasOperation_t op, int64_t m, int64_t n, int64_t ld)
{
	return (struct fake_matrix){
		.data = (void *)(uintptr_t)data, .type = type, .order = FAKE_COL, .rows = op == CUBLAS_OP_N ? m : n,
		.cols = op == CUBLAS_OP_N ? n : m, .ld = ld,
	};
}

static void multiply_vector(cublasOperation_t op, struct fake_number alpha, const void *a, enum fake_type type, int64_t lda,
			    const struct fake_vector *x, struct fake_number beta, const struct fake_vector *y)
{
	for (int64_t i = 0; i < y->n; i++) {
		struct fake_number sum = { 0, 0 }, old = { 0, 0 }, out;

		for (int64_t j = 0; j < x->n; j++) {
			struct fake_number p = fake_load(a, type, op == CUBLAS_OP_N ? i + j * lda : j + i * lda), q = fake_at(x, j);

			if (op == CUBLAS_OP_C)
				p.im = -p.im;
			sum.re += p.re * q.re - p.im * q.im;
			sum.im += p.re * q.im + p.im * q.re;
		}
		if (beta.re != 0 || beta.im != 0)
			old = fake_at(y, i);
		out.re = alpha.re * sum.re - alpha.im * sum.im + beta.re * old.re - beta.im * old.im;
		out.im = alpha.re * sum.im + alpha.im * sum.re + beta.re * old.im + beta.im * old.re;
		fake_put(y, i, out);
	}
}

static void outer(struct fake_number alpha, const struct fake_vector *x, const struct fake_vector *y, bool conjugate, void *a,
		  int64_t lda)
{
	for (int64_t j = 0; j < y->n; j++) {
		struct fake_number q = fake_at(y, j);
		struct fake_number s = { alpha.re * q.re, alpha.im * q.re };

		if (conjugate)
			q.im = -q.im;
		s.re -= alpha.im * q.im;
		s.im += alpha.re * q.im;
		fake_axpy(s, x, &(struct fake_vector){
			.data = (char *)a + j * lda * (int64_t)fake_size(x->type), .type = x->type, .n = x->n, .inc = 1 });
	}
}

#define INT int

#define V(base) fake_cublasS##base##_v2
#define W(base) fake_cublasS##base
#define AMAX(base) fake_cublasIs##base##_v2
#define NORM(base) fake_cublasS##base##_v2
#define TYPE float
#define REAL float
#define ELEMENT FAKE_F32
#include "blas_vector.h"

#define V(base) fake_cublasD##base##_v2
#define W(base) fake_cublasD##base
#define AMAX(base) fake_cublasId##base##_v2
#define NORM(base) fake_cublasD##base##_v2
#define TYPE double
#define REAL double
#define ELEMENT FAKE_F64
#include "blas_vector.h"

#define V(base) fake_cublasC##base##_v2
#define W(base) fake_cublasC##base
#define AMAX(base) fake_cublasIc##base##_v2
#define NORM(base) fake_cublasSc##base##_v2
#define TYPE cuComplex
#define REAL float
#define ELEMENT FAKE_C32
#define COMPLEX
#include "blas_vector.h"

#define V(base) fake_cublasZ##base##_v2
#define W(base) fake_cublasZ##base
#define AMAX(base) fake_cublasIz##base##_v2
#define NORM(base) fake_cublasDz##base##_v2
#define TYPE cuDoubleComplex
#define REAL double
#define ELEMENT FAKE_C64
#define COMPLEX
#include "blas_vector.h"

#undef INT

#ifdef fake_cublasSaxpy_v2_64

#define INT int64_t

#define V(base) fake_cublasS##base##_v2_64
#define W(base) fake_cublasS##base##_64
#define AMAX(base) fake_cublasIs##base##_v2_64
#define NORM(base) fake_cublasS##base##_v2_64
#define TYPE float
#define REAL float
#define ELEMENT FAKE_F32
#include "blas_vector.h"

#define V(base) fake_cublasD##base##_v2_64
#define W(base) fake_cublasD##base##_64
#define AMAX(base) fake_cublasId##base##_v2_64
#define NORM(base) fake_cublasD##base##_v2_64
#define TYPE double
#define REAL double
#define ELEMENT FAKE_F64
#include "blas_vector.h"

#define V(base) fake_cublasC##base##_v2_64
#define W(base) fake_cublasC##base##_64
#define AMAX(base) fake_cublasIc##base##_v2_64
#define NORM(base) fake_cublasSc##base##_v2_64
#define TYPE cuComplex
#define REAL float
#define ELEMENT FAKE_C32
#define COMPLEX
#include "blas_vector.h"

#define V(base) fake_cublasZ##base##_v2_64
#define W(base) fake_cublasZ##base##_64
#define AMAX(base) fake_cublasIz##base##_v2_64
#define NORM(base) fake_cublasDz##base##_v2_64
#define TYPE cuDoubleComplex
#define REAL double
#define ELEMENT FAKE_C64
#define COMPLEX
#include "blas_vector.h"

#undef INT

#endif
