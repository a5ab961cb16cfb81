/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices in host memory, in any memory order that cuBLASLt has, and their product. Knows no library and no release: callers
 * translate their enums into these. No state, any thread. Errors: 0, -EINVAL or -ENOMEM.
 */
#ifndef FAKE_MATRIX_H
#define FAKE_MATRIX_H

#include "number.h"

enum fake_order { FAKE_COL, FAKE_ROW, FAKE_COL32, FAKE_COL4_4R2_8C, FAKE_COL32_2R_4R4 };
enum fake_op { FAKE_N, FAKE_T, FAKE_C };

struct fake_matrix {
	void *data;
	enum fake_type type;
	enum fake_order order;
	int64_t rows, cols;
	int64_t ld;		/* elements */
	int64_t stride;		/* elements between batches */
};

/* Where element (ROW, COLUMN) lies, in elements from the start. */
int64_t fake_offset(const struct fake_matrix *matrix, int64_t row, int64_t column);

/* Elements that a matrix spans, padding of the tiled orders included. */
int64_t fake_span(const struct fake_matrix *matrix);

/* The least legal leading dimension. */
int64_t fake_least_ld(const struct fake_matrix *matrix);

enum fake_activation { FAKE_IDENTITY, FAKE_RELU, FAKE_GELU, FAKE_DRELU, FAKE_DGELU };
enum fake_bias_grad { FAKE_NO_GRAD, FAKE_GRAD_D, FAKE_GRAD_A, FAKE_GRAD_B };

struct fake_gemm {
	struct fake_matrix a, b, c, d;
	enum fake_op op_a, op_b;
	const void *alpha, *beta;	/* of type `scale`; beta NULL means zero */
	enum fake_type scale;
	bool alpha_vector, beta_vector;	/* one for each row of D */
	int64_t alpha_stride;		/* of a vector, elements between batches */
	int64_t batch;
	double extra;			/* factor of alpha: the scales of narrow types; 1 when there are none */

	const void *bias;		/* NULL: none; one for each row of D */
	enum fake_type bias_type;
	int64_t bias_stride;
	enum fake_activation activation;
	void *aux;			/* ReLU: bits; GELU: the value before it. Written by the forward forms, read by the D… ones */
	enum fake_type aux_type;
	int64_t aux_ld, aux_stride;	/* elements (bits for ReLU) */
	double aux_scale;
	enum fake_bias_grad grad;	/* what `grad_out` sums */
	void *grad_out;
	double d_scale;			/* applied last */
	float *amax;			/* largest magnitude of D before d_scale; may be NULL */
	int triangle;			/* 0: all of D; 1: lower only; 2: upper only */
};

/* Sets what has no useful zero: batch 1, factors 1. */
void fake_gemm_init(struct fake_gemm *gemm);

int fake_gemm_run(const struct fake_gemm *gemm);

/* D = alpha op(A) + beta op(B); B may have no data. */
int fake_transform(const struct fake_matrix *a, enum fake_op op_a, const struct fake_matrix *b, enum fake_op op_b,
		   const struct fake_matrix *d, struct fake_number alpha, struct fake_number beta, int64_t batch);

double fake_gelu(double x);

#endif
