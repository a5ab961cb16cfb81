/* SPDX-License-Identifier: Apache-2.0 */
/* The reference product and transformation over matrices of any order. Plain loops: it has to be right, not fast. */
#include "matrix.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t fake_offset(const struct fake_matrix *matrix, int64_t row, int64_t column)
{
	int64_t block = column / 32, c = column % 32, r;

	switch (matrix->order) {
	case FAKE_COL:
		return row + column * matrix->ld;
	case FAKE_ROW:
		return column + row * matrix->ld;
	case FAKE_COL32:
		return block * matrix->ld + 32 * row + c;
	case FAKE_COL4_4R2_8C:
		r = row % 8;
		return block * matrix->ld + 256 * (row / 8) + 128 * (r % 2) + 16 * (c / 4) + 4 * (r / 2) + c % 4;
	case FAKE_COL32_2R_4R4:
		r = row % 32;
		return block * matrix->ld + 1024 * (row / 32) + 32 * (2 * (4 * ((r % 8) / 2) + r / 8) + r % 2) + c;
	}
	return 0;
}

int64_t fake_least_ld(const struct fake_matrix *matrix)
{
	switch (matrix->order) {
	case FAKE_COL: return matrix->rows;
	case FAKE_ROW: return matrix->cols;
	case FAKE_COL32: return 32 * matrix->rows;
	case FAKE_COL4_4R2_8C: return 32 * 8 * ((matrix->rows + 7) / 8);
	case FAKE_COL32_2R_4R4: return 32 * 32 * ((matrix->rows + 31) / 32);
	}
	return 0;
}

int64_t fake_span(const struct fake_matrix *matrix)
{
	if (!matrix->rows || !matrix->cols)
		return 0;
	switch (matrix->order) {
	case FAKE_COL: return (matrix->cols - 1) * matrix->ld + matrix->rows;
	case FAKE_ROW: return (matrix->rows - 1) * matrix->ld + matrix->cols;
	default: return ((matrix->cols + 31) / 32 - 1) * matrix->ld + fake_least_ld(matrix);
	}
}

void fake_gemm_init(struct fake_gemm *gemm)
{
	memset(gemm, 0, sizeof *gemm);
	gemm->batch = 1;
	gemm->extra = gemm->aux_scale = gemm->d_scale = 1;
}

double fake_gelu(double x)
{
	return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
	double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));

	return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

static struct fake_number times(struct fake_number x, struct fake_number y)
{
	return (struct fake_number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

static struct fake_number element(const struct fake_matrix *m, enum fake_op op, int64_t batch, int64_t i, int64_t j)
{
	int64_t at = op == FAKE_N ? fake_offset(m, i, j) : fake_offset(m, j, i);
	struct fake_number value = fake_load(m->data, m->type, batch * m->stride + at);

	if (op == FAKE_C)
		value.im = -value.im;
	return value;
}

/* Copies op(M) of one batch into a dense array, M's rows first or, transposed, its columns first. */
static struct fake_number *gather(const struct fake_matrix *m, enum fake_op op, int64_t batch, bool by_column)
{
	int64_t rows = op == FAKE_N ? m->rows : m->cols, cols = op == FAKE_N ? m->cols : m->rows;
	struct fake_number *out = malloc((size_t)(rows * cols + 1) * sizeof *out);

	for (int64_t i = 0; out && i < rows; i++)
		for (int64_t j = 0; j < cols; j++)
			out[by_column ? j * rows + i : i * cols + j] = element(m, op, batch, i, j);
	return out;
}

static struct fake_number dot(const struct fake_number *x, const struct fake_number *y, int64_t n, bool complex)
{
	struct fake_number sum = { 0, 0 };

	if (!complex) {
		for (int64_t i = 0; i < n; i++)
			sum.re += x[i].re * y[i].re;
		return sum;
	}
	for (int64_t i = 0; i < n; i++) {
		sum.re += x[i].re * y[i].re - x[i].im * y[i].im;
		sum.im += x[i].re * y[i].im + x[i].im * y[i].re;
	}
	return sum;
}

static struct fake_number scale_of(const struct fake_gemm *g, const void *data, bool vector, int64_t batch, int64_t row)
{
	if (!data)
		return (struct fake_number){ 0, 0 };
	return fake_load(data, g->scale, vector ? batch * g->alpha_stride + row : 0);
}

/* The mask's bit of (i, j): bytes filled from the low end. */
static bool mask_get(const struct fake_gemm *g, int64_t batch, int64_t i, int64_t j)
{
	int64_t bit = batch * g->aux_stride + j * g->aux_ld + i;

	return ((const unsigned char *)g->aux)[bit / 8] >> (bit % 8) & 1;
}

static void mask_set(const struct fake_gemm *g, int64_t batch, int64_t i, int64_t j, bool on)
{
	int64_t bit = batch * g->aux_stride + j * g->aux_ld + i;
	unsigned char *at = (unsigned char *)g->aux + bit / 8;

	*at = (unsigned char)((*at & ~(1u << (bit % 8))) | (unsigned)on << (bit % 8));
}

static double activate(const struct fake_gemm *g, double x, int64_t batch, int64_t i, int64_t j)
{
	int64_t at = batch * g->aux_stride + j * g->aux_ld + i;

	switch (g->activation) {
	case FAKE_IDENTITY:
		return x;
	case FAKE_RELU:
		if (g->aux)
			mask_set(g, batch, i, j, x > 0);
		return x > 0 ? x : 0;
	case FAKE_GELU:
		if (g->aux)
			fake_store(g->aux, g->aux_type, at, (struct fake_number){ x * g->aux_scale, 0 });
		return fake_gelu(x);
	case FAKE_DRELU:
		return mask_get(g, batch, i, j) ? x : 0;
	case FAKE_DGELU:
		return x * gelu_slope(fake_load(g->aux, g->aux_type, at).re * g->aux_scale);
	}
	return x;
}

/* The value of D(i, j) from the sum of products, before d_scale. */
static struct fake_number finish(const struct fake_gemm *g, struct fake_number sum, int64_t batch, int64_t i, int64_t j)
{
	struct fake_number alpha = scale_of(g, g->alpha, g->alpha_vector, batch, i);
	struct fake_number beta = scale_of(g, g->beta, g->beta_vector, batch, i);
	struct fake_number out = times(alpha, sum), addend;

	/* An int8 result is worked out in single precision, step by step, before it is rounded. */
	if (g->d.type == FAKE_I8)
		out.re = (float)alpha.re * (float)sum.re;
	out.re *= g->extra;
	out.im *= g->extra;
	if (beta.re != 0 || beta.im != 0) {
		addend = times(beta, element(&g->c, FAKE_N, batch, i, j));
		out.re += addend.re;
		out.im += addend.im;
	}
	if (g->bias) {
		addend = fake_load(g->bias, g->bias_type, batch * g->bias_stride + i);
		out.re += addend.re;
		out.im += addend.im;
	}
	out.re = activate(g, out.re, batch, i, j);
	return out;
}

static void sum_operand(const struct fake_gemm *g, int64_t batch, const struct fake_number *rows, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < n; i++) {
		struct fake_number sum = { 0, 0 };

		for (int64_t l = 0; l < k; l++) {
			sum.re += rows[i * k + l].re;
			sum.im += rows[i * k + l].im;
		}
		fake_store(g->grad_out, g->bias_type, batch * g->bias_stride + i, sum);
	}
}

static int run_one(const struct fake_gemm *g, int64_t batch, double *amax)
{
	bool complex = fake_is_complex(g->d.type);
	int64_t m = g->d.rows, n = g->d.cols, k = g->op_a == FAKE_N ? g->a.cols : g->a.rows;
	struct fake_number *a = gather(&g->a, g->op_a, batch, false), *b = gather(&g->b, g->op_b, batch, true), out;
	double *grad = calloc((size_t)m + 1, sizeof *grad);
	int error = a && b && grad ? 0 : -ENOMEM;

	for (int64_t j = 0; !error && j < n; j++)
		for (int64_t i = 0; i < m; i++) {
			if ((g->triangle == 1 && i < j) || (g->triangle == 2 && i > j))
				continue;
			out = finish(g, dot(a + i * k, b + j * k, k, complex), batch, i, j);
			grad[i] += out.re;
			if (fabs(out.re) > *amax)
				*amax = fabs(out.re);
			out.re *= g->d_scale;
			out.im *= g->d_scale;
			fake_store(g->d.data, g->d.type, batch * g->d.stride + fake_offset(&g->d, i, j), out);
		}
	for (int64_t i = 0; !error && g->grad == FAKE_GRAD_D && i < m; i++)
		fake_store(g->grad_out, g->bias_type, batch * g->bias_stride + i, (struct fake_number){ grad[i], 0 });
	if (!error && g->grad == FAKE_GRAD_A)
		sum_operand(g, batch, a, m, k);
	if (!error && g->grad == FAKE_GRAD_B)
		sum_operand(g, batch, b, n, k);
	free(a);
	free(b);
	free(grad);
	return error;
}

int fake_gemm_run(const struct fake_gemm *g)
{
	int64_t k = g->op_a == FAKE_N ? g->a.cols : g->a.rows;
	double amax = 0;
	int error = 0;

	if ((g->op_a == FAKE_N ? g->a.rows : g->a.cols) != g->d.rows || (g->op_b == FAKE_N ? g->b.rows : g->b.cols) != k ||
	    (g->op_b == FAKE_N ? g->b.cols : g->b.rows) != g->d.cols)
		return -EINVAL;
	for (int64_t batch = 0; !error && batch < g->batch; batch++)
		error = run_one(g, batch, &amax);
	if (!error && g->amax)
		*g->amax = (float)amax;
	return error;
}

/* The tiled orders pad their last tile, and the real libraries write the padding: zeros. */
static void clear_padding(const struct fake_matrix *d, int64_t batch)
{
	int64_t span = fake_span(d);

	if (d->order == FAKE_COL || d->order == FAKE_ROW)
		return;
	for (int64_t i = 0; i < span; i++)
		fake_store(d->data, d->type, batch * d->stride + i, (struct fake_number){ 0, 0 });
}

int fake_transform(const struct fake_matrix *a, enum fake_op op_a, const struct fake_matrix *b, enum fake_op op_b,
		   const struct fake_matrix *d, struct fake_number alpha, struct fake_number beta, int64_t batch)
{
	bool use_a = a && a->data && (alpha.re != 0 || alpha.im != 0), use_b = b && b->data && (beta.re != 0 || beta.im != 0);

	for (int64_t l = 0; l < batch; l++) {
		struct fake_number *x = use_a ? gather(a, op_a, l, false) : NULL, *y = use_b ? gather(b, op_b, l, false) : NULL;
		bool failed = (use_a && !x) || (use_b && !y);

		if (!failed)
			clear_padding(d, l);
		for (int64_t i = 0; !failed && i < d->rows; i++)
			for (int64_t j = 0; j < d->cols; j++) {
				struct fake_number p = { 0, 0 }, q = { 0, 0 };

				if (x)
					p = times(alpha, x[i * d->cols + j]);
				if (y)
					q = times(beta, y[i * d->cols + j]);
				p.re += q.re;
				p.im += q.im;
				fake_store(d->data, d->type, l * d->stride + fake_offset(d, i, j), p);
			}
		free(x);
		free(y);
		if (failed)
			return -ENOMEM;
	}
	return 0;
}
