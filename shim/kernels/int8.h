/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of int8.cu are given, each as its one parameter. Plain numbers and device pointers; every stride and leading dimension counts
 * elements. The same for nvcc and the C compiler: the layout is part of the interface with int8.ptx.
 */
#ifndef GW_KERNELS_INT8_H
#define GW_KERNELS_INT8_H

#include <stdint.h>

/* Memory orders, as cublasLt has them; where element (row i, column j) lies is measured (gw_int8_at in int8.cu). */
enum gw_int8_order { GW_INT8_COL, GW_INT8_ROW, GW_INT8_COL32, GW_INT8_COL4_4R2_8C, GW_INT8_COL32_2R_4R4 };

#define GW_INT8_THREADS 256	/* of a block, in both kernels */
#define GW_INT8_TILE 128	/* gather: a block's rows, and bytes of each */
#define GW_INT8_FINISH_X 256	/* finish: what one block does */
#define GW_INT8_FINISH_Y 16

/* One factor: op(matrix) has `rows` rows, or columns, of `k` elements that are multiplied; they are written one after another. */
struct gw_int8_factor {
	const int8_t *from;
	int8_t *to;		/* 16 byte aligned; row r from r * pitch on; what lies behind k up to the pitch becomes 0 */
	int64_t ld, stride;	/* of `from`: leading dimension, elements between batches */
	int64_t to_stride;
	int32_t rows, k;
	int32_t pitch;		/* a multiple of 32 */
	int32_t order;		/* enum gw_int8_order */
	int32_t transposed;	/* the matrix has k rows */
	int32_t vector;		/* a tiled order, not transposed, all of it 16 byte aligned */
	uint32_t blocks, across;	/* how many blocks do this factor, how many of them lie side by side */
	uint32_t unused;
};

/* Grid: the blocks of both factors, 1, batches. A factor with no blocks is used where it lies. */
struct gw_int8_gather {
	struct gw_int8_factor factor[2];
};

/* The sums become D: scaled, added to C, rounded. x runs along what lies one after another: D's rows in GW_INT8_COL, else its columns. */
struct gw_int8_finish {
	const int32_t *sum;	/* (x, y) at y * sum_ld + x; 16 byte aligned, as is each of its lines */
	void *d;
	const void *c;		/* NULL: none; of D's type and order */
	const void *alpha_at, *beta_at;		/* device memory; NULL: the numbers below */
	const float *bias;	/* one for each row of D; NULL: none */
	int64_t sum_ld, sum_stride, ld, stride, c_ld, c_stride, alpha_stride, bias_stride;
	uint32_t alpha, beta;	/* bits of an int32_t or a float */
	int32_t x, y;
	int32_t order;		/* COL, ROW or COL32 */
	int32_t is_float;	/* factors are floats and D int8_t, rounded to nearest even and saturated; else all are int32_t */
	int32_t alpha_step, beta_step;	/* 1: one factor for each row of D */
	int32_t relu;
	int32_t vector;		/* four elements of D can be written at once */
};

#endif
