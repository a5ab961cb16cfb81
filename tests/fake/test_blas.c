/* SPDX-License-Identifier: Apache-2.0 */
/* The cuBLAS fakes against products computed here. Built once for each release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>

#include "fake_api.h"
#include "test_matrix.h"

static cublasHandle_t handle;

enum { M = 5, N = 7, K = 6, LDA = 8, LDB = 9, LDC = 10 };

static double a[LDA * 16], b[LDB * 16], c[LDC * 16], before[LDC * 16];

static void fill(void)
{
	seed = 5;
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		a[i] = next_number();
	for (size_t i = 0; i < sizeof b / sizeof *b; i++)
		b[i] = next_number();
	for (size_t i = 0; i < sizeof c / sizeof *c; i++)
		before[i] = c[i] = next_number();
}

static double product(bool trans_a, bool trans_b, int i, int j)
{
	double sum = 0;

	for (int l = 0; l < K; l++)
		sum += (trans_a ? a[l + i * LDA] : a[i + l * LDA]) * (trans_b ? b[j + l * LDB] : b[l + j * LDB]);
	return sum;
}

static void dgemm_is_right_and_leaves_the_rows_below_alone(void **state)
{
	double alpha = 2, beta = -1;

	(void)state;
	for (int t = 0; t < 4; t++) {
		fill();
		assert_int_equal(cublasDgemm_v2(handle, t & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, t & 2 ? CUBLAS_OP_T : CUBLAS_OP_N, M, N, K, &alpha,
						a, LDA, b, LDB, &beta, c, LDC), 0);
		for (int j = 0; j < N; j++)
			for (int i = 0; i < LDC; i++) {
				double old = before[i + j * LDC];

				assert_true(c[i + j * LDC] == (i < M ? 2 * product(t & 1, t & 2, i, j) - old : old));
			}
	}
}

static void mixed_products_go_through_the_public_cublaslt(void **state)
{
	Dl_info info;
	void *lt;
	uint64_t (*calls)(const char *), old;
	uint16_t ha[LDA * K], hb[LDB * N];
	float out[LDC * N] = { 0 }, alpha = 1, beta = 0;

	(void)state;
	fill();
	for (int i = 0; i < LDA * K; i++)
		ha[i] = half_of(a[i]);
	for (int i = 0; i < LDB * N; i++)
		hb[i] = half_of(b[i]);
	assert_int_not_equal(dladdr((void *)cublasLtMatmul, &info), 0);
	lt = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(lt);
	calls = (uint64_t(*)(const char *))dlsym(lt, "gwfake_calls");
	old = calls("cublasLtMatmul");
	assert_int_equal(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha, ha, CUDA_R_16F, LDA, hb, CUDA_R_16F, LDB, &beta,
				      out, CUDA_R_32F, LDC, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), 0);
	for (int j = 0; j < N; j++)
		for (int i = 0; i < M; i++)
			assert_float_equal(out[i + j * LDC], product(false, false, i, j), 0);
	assert_true(calls("cublasLtMatmul") == old + 1);
	assert_true(calls("cublasLtMatmulDescInit_internal") > 0);
	dlclose(lt);
}

static void int8_products_are_exact(void **state)
{
	int8_t x[8 * 8], y[8 * 8];
	int32_t out[8 * 8], alpha = 1, beta = 0;

	(void)state;
	seed = 9;
	for (int i = 0; i < 64; i++) {
		x[i] = (int8_t)(next_number() * 31);
		y[i] = (int8_t)(next_number() * 31);
	}
	assert_int_equal(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 8, 8, 8, &alpha, x, CUDA_R_8I, 8, y, CUDA_R_8I, 8, &beta, out,
				      CUDA_R_32I, 8, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT), 0);
	for (int j = 0; j < 8; j++)
		for (int i = 0; i < 8; i++) {
			int32_t sum = 0;

			for (int l = 0; l < 8; l++)
				sum += x[l + i * 8] * y[l + j * 8];
			assert_int_equal(out[i + j * 8], sum);
		}
}

static void strided_and_pointer_batches_agree(void **state)
{
	float x[3 * 4], y[3 * 4], strided[3 * 4], each[3 * 4], alpha = 1, beta = 0;
	const float *px[3], *py[3];
	float *pz[3];

	(void)state;
	seed = 21;
	for (int i = 0; i < 12; i++) {
		x[i] = (float)next_number();
		y[i] = (float)next_number();
	}
	for (int i = 0; i < 3; i++) {
		px[i] = x + 4 * i;
		py[i] = y + 4 * i;
		pz[i] = each + 4 * i;
	}
	assert_int_equal(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &alpha, x, 2, 4, y, 2, 4, &beta, strided, 2,
						   4, 3), 0);
	assert_int_equal(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &alpha, px, 2, py, 2, &beta, pz, 2, 3), 0);
	assert_memory_equal(strided, each, sizeof each);
	assert_float_equal(strided[4], x[4] * y[4] + x[6] * y[6], 0);
}

static void complex_products_conjugate(void **state)
{
	cuComplex x = { 1, 2 }, y = { 3, -4 }, z = { 0, 0 }, alpha = { 1, 0 }, beta = { 0, 0 };

	(void)state;
	assert_int_equal(cublasCgemm_v2(handle, CUBLAS_OP_C, CUBLAS_OP_N, 1, 1, 1, &alpha, &x, 1, &y, 1, &beta, &z, 1), 0);
	/* (1 - 2i)(3 - 4i) */
	assert_float_equal(z.x, -5, 0);
	assert_float_equal(z.y, -10, 0);
}

static void vectors_are_added_scaled_and_multiplied(void **state)
{
	float x[] = { 1, -2, 3, -4 }, y[] = { 10, 20, 30, 40 }, alpha = 2, result = 0;
	int place = 0;

	(void)state;
	assert_int_equal(cublasSaxpy_v2(handle, 4, &alpha, x, 1, y, 1), 0);
	assert_float_equal(y[3], 32, 0);
	assert_int_equal(cublasSdot_v2(handle, 4, x, 1, y, 1, &result), 0);
	assert_float_equal(result, 12 - 2 * 16 + 3 * 36 - 4 * 32, 0);
	assert_int_equal(cublasSasum_v2(handle, 2, x, 2, &result), 0);
	assert_float_equal(result, 4, 0);
	assert_int_equal(cublasSnrm2_v2(handle, 4, x, 1, &result), 0);
	assert_float_equal(result, sqrt(30), 1e-6);
	assert_int_equal(cublasIsamax_v2(handle, 4, x, 1, &place), 0);
	assert_int_equal(place, 4);
	assert_int_equal(cublasSscal_v2(handle, 4, &alpha, x, 1), 0);
	assert_float_equal(x[1], -4, 0);
	assert_int_equal(cublasScopy_v2(handle, 4, x, 1, y, -1), 0);
	assert_float_equal(y[0], x[3], 0);
}

static void a_matrix_times_a_vector_and_an_outer_product_are_right(void **state)
{
	float m[] = { 1, 2, 3, 4, 5, 6 }, x[] = { 1, 10, 100 }, y[] = { 7, 8 }, alpha = 1, beta = 1, out[4];
	float alpha2 = 2;

	(void)state;
	/* 2 x 3, column order */
	assert_int_equal(cublasSgemv_v2(handle, CUBLAS_OP_N, 2, 3, &alpha, m, 2, x, 1, &beta, y, 1), 0);
	assert_float_equal(y[0], 7 + 531, 0);
	assert_float_equal(y[1], 8 + 642, 0);
	assert_int_equal(cublasSger_v2(handle, 2, 2, &alpha2, x, 1, x + 1, 1, m, 2), 0);
	assert_float_equal(m[3], 4 + 2 * 10 * 100, 0);
	assert_int_equal(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, &alpha, m, 2, &alpha2, m, 2, out, 2), 0);
	assert_float_equal(out[1], m[2] + 2 * m[1], 0);
}

#ifdef fake_cublasSgemm_v2_64
static void the_64_bit_interface_agrees_with_the_32_bit_one(void **state)
{
	float x[] = { 1, 2, 3, 4 }, y[] = { 5, 6, 7, 8 }, narrow[4], wide[4], alpha = 1, beta = 0;

	(void)state;
	assert_int_equal(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x, 2, y, 2, &beta, narrow, 2), 0);
	assert_int_equal(cublasSgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x, 2, y, 2, &beta, wide, 2), 0);
	assert_memory_equal(narrow, wide, sizeof wide);
}
#endif

static void what_is_not_implemented_says_so_and_wrong_handles_are_refused(void **state)
{
	float x[4] = { 0 }, alpha = 1;
	uint64_t nonsense[8] = { 0 };

	(void)state;
	assert_int_equal(cublasStrsm_v2(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, 2, &alpha, x,
					2, x, 2), CUBLAS_STATUS_NOT_SUPPORTED);
	assert_int_equal(cublasSaxpy_v2((cublasHandle_t)nonsense, 1, &alpha, x, 1, x, 1), CUBLAS_STATUS_NOT_INITIALIZED);
	assert_int_equal(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x, 1, x, 2, &alpha, x, 2),
			 CUBLAS_STATUS_INVALID_VALUE);
}

static void the_version_is_that_of_the_release(void **state)
{
	int version = 0, major = 0;
	char text[32];

	(void)state;
	assert_int_equal(cublasGetVersion_v2(handle, &version), 0);
	assert_int_equal(cublasGetProperty(MAJOR_VERSION, &major), 0);
	snprintf(text, sizeof text, "%d.%d.", major, version / 100 % 100);
	assert_memory_equal(text, FAKE_RELEASE, strlen(text));
	assert_true(cublasLtGetVersion() == (size_t)version);
	assert_string_equal(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE");
}

static int create_handle(void **state)
{
	(void)state;
	return cublasCreate_v2(&handle);
}

static int destroy_handle(void **state)
{
	(void)state;
	return cublasDestroy_v2(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dgemm_is_right_and_leaves_the_rows_below_alone),
		cmocka_unit_test(mixed_products_go_through_the_public_cublaslt),
		cmocka_unit_test(int8_products_are_exact),
		cmocka_unit_test(strided_and_pointer_batches_agree),
		cmocka_unit_test(complex_products_conjugate),
		cmocka_unit_test(vectors_are_added_scaled_and_multiplied),
		cmocka_unit_test(a_matrix_times_a_vector_and_an_outer_product_are_right),
#ifdef fake_cublasSgemm_v2_64
		cmocka_unit_test(the_64_bit_interface_agrees_with_the_32_bit_one),
#endif
		cmocka_unit_test(what_is_not_implemented_says_so_and_wrong_handles_are_refused),
		cmocka_unit_test(the_version_is_that_of_the_release),
	};

	return cmocka_run_group_tests(tests, create_handle, destroy_handle);
}
