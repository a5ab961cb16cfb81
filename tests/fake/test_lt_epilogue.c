/* SPDX-License-Identifier: Apache-2.0 */
/* The rarer ends of a cublasLtMatmul: auxiliary outputs, bias gradients, vectors of alpha, complex numbers. Built once for each release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "fake_api.h"

enum { N = 4 };	/* all matrices are N by N, in columns */

static cublasLtHandle_t handle;

struct product {
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t layout;
	float a[N * N], b[N * N], d[N * N];
	float alpha[N], beta;
};

static void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void *value, size_t size)
{
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, attribute, value, size), 0);
}

static void begin(struct product *p, int32_t epilogue)
{
	memset(p, 0, sizeof *p);
	p->alpha[0] = 1;
	for (int i = 0; i < N * N; i++) {
		p->a[i] = (float)(i * 5 % 7 - 3) / 2;
		p->b[i] = (float)(i * 3 % 11 - 5) / 4;
	}
	assert_int_equal(cublasLtMatmulDescCreate(&p->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&p->layout, CUDA_R_32F, N, N, N), 0);
	set(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
}

static void run(struct product *p)
{
	assert_int_equal(cublasLtMatmul(handle, p->desc, p->alpha, p->a, p->layout, p->b, p->layout, &p->beta, p->d, p->layout, p->d,
					p->layout, NULL, NULL, 0, NULL), CUBLAS_STATUS_SUCCESS);
}

static void finish(struct product *p)
{
	assert_int_equal(cublasLtMatmulDescDestroy(p->desc), 0);
	assert_int_equal(cublasLtMatrixLayoutDestroy(p->layout), 0);
}

static double sum(const struct product *p, int i, int j)
{
	double total = 0;

	for (int l = 0; l < N; l++)
		total += (double)p->a[i + l * N] * p->b[l + j * N];
	return total;
}

static double gelu(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static void gelu_keeps_its_input_and_dgelu_multiplies_by_the_slope_there(void **state)
{
	struct product p;
	float kept[N * N] = { 0 };
	void *aux = kept;
	int64_t ld = N;
	int32_t epilogue = CUBLASLT_EPILOGUE_DGELU;

	(void)state;
	begin(&p, CUBLASLT_EPILOGUE_GELU_AUX);
	set(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux);
	set(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld);
	run(&p);
	for (int i = 0; i < N * N; i++) {
		assert_float_equal(kept[i], sum(&p, i % N, i / N), 1e-5);
		assert_float_equal(p.d[i], gelu(kept[i]), 1e-5);
	}
	set(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
	run(&p);
	for (int i = 0; i < N * N; i++) {
		double step = 1e-5, slope = (gelu(kept[i] + step) - gelu(kept[i] - step)) / (2 * step);

		assert_float_equal(p.d[i], slope * sum(&p, i % N, i / N), 1e-4);
	}
	finish(&p);
}

static void bias_gradients_of_the_operands_are_their_sums_over_k(void **state)
{
	static const int32_t epilogues[] = { CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB };

	(void)state;
	for (int e = 0; e < 2; e++) {
		struct product p;
		float gradient[N];
		void *out = gradient;

		begin(&p, epilogues[e]);
		set(p.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &out, sizeof out);
		run(&p);
		for (int i = 0; i < N; i++) {
			float total = 0;

			for (int l = 0; l < N; l++)
				total += e ? p.b[l + i * N] : p.a[i + l * N];
			assert_float_equal(gradient[i], total, 1e-5);
			assert_float_equal(p.d[i], sum(&p, i, 0), 1e-5);
		}
		finish(&p);
	}
}

static void a_vector_of_alpha_scales_each_row(void **state)
{
	struct product p;
	int32_t mode = CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;

	(void)state;
	begin(&p, CUBLASLT_EPILOGUE_DEFAULT);
	set(p.desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode);
	for (int i = 0; i < N; i++)
		p.alpha[i] = (float)(i + 1);
	p.beta = 100;	/* not to be looked at */
	run(&p);
	for (int i = 0; i < N * N; i++)
		assert_float_equal(p.d[i], (i % N + 1) * sum(&p, i % N, i / N), 1e-5);
	finish(&p);
}

static void complex_products_are_right(void **state)
{
	double a[] = { 1, 2, 3, -1 }, b[] = { 2, 1, 0, 4 }, d[2], alpha[] = { 0, 1 }, beta[] = { 0, 0 };
	cublasLtMatrixLayout_t row, column, one;
	cublasLtMatmulDesc_t desc;

	(void)state;
	assert_int_equal(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_64F, CUDA_C_64F), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&row, CUDA_C_64F, 1, 2, 1), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&column, CUDA_C_64F, 2, 1, 2), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&one, CUDA_C_64F, 1, 1, 1), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, alpha, a, row, b, column, beta, d, one, d, one, NULL, NULL, 0, NULL), 0);
	/* i ((1 + 2i)(2 + i) + (3 - i) 4i) = i (5i + 4 + 12i) */
	assert_float_equal(d[0], -17, 0);
	assert_float_equal(d[1], 4, 0);
	assert_int_equal(cublasLtMatrixLayoutDestroy(row), 0);
	assert_int_equal(cublasLtMatrixLayoutDestroy(column), 0);
	assert_int_equal(cublasLtMatrixLayoutDestroy(one), 0);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
}

static void what_no_kernel_computes_is_not_supported(void **state)
{
	struct product p;
	int32_t scale = CUDA_R_64F;
	int32_t wrong = 3;	/* no epilogue: two of them at once */

	(void)state;
	begin(&p, CUBLASLT_EPILOGUE_DEFAULT);
	set(p.desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &scale, sizeof scale);
	assert_int_equal(cublasLtMatmul(handle, p.desc, p.alpha, p.a, p.layout, p.b, p.layout, &p.beta, p.d, p.layout, p.d, p.layout,
					NULL, NULL, 0, NULL), CUBLAS_STATUS_NOT_SUPPORTED);
	finish(&p);
	begin(&p, CUBLASLT_EPILOGUE_DEFAULT);
	set(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &wrong, sizeof wrong);
	assert_int_equal(cublasLtMatmul(handle, p.desc, p.alpha, p.a, p.layout, p.b, p.layout, &p.beta, p.d, p.layout, p.d, p.layout,
					NULL, NULL, 0, NULL), CUBLAS_STATUS_INVALID_VALUE);
	finish(&p);
}

static int create_handle(void **state)
{
	(void)state;
	return cublasLtCreate(&handle);
}

static int destroy_handle(void **state)
{
	(void)state;
	return cublasLtDestroy(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gelu_keeps_its_input_and_dgelu_multiplies_by_the_slope_there),
		cmocka_unit_test(bias_gradients_of_the_operands_are_their_sums_over_k),
		cmocka_unit_test(a_vector_of_alpha_scales_each_row),
		cmocka_unit_test(complex_products_are_right),
		cmocka_unit_test(what_no_kernel_computes_is_not_supported),
	};

	return cmocka_run_group_tests(tests, create_handle, destroy_handle);
}
