/* SPDX-License-Identifier: Apache-2.0 */
/* Products through cuBLAS: single, double, and half by GemmEx. */
#include "step.h"

#include "gw_signatures.h"
#include "gw_values.h"

enum { M = 48, N = 40, K = 56 };

static const struct gw_format f64 = {.size = 8}, f32 = {.size = 4}, f16 = {.size = 2, .exponent = 5, .mantissa = 10};

static void *blas;
static cublasHandle_t handle;

static void must(cublasStatus_t status, const char *call)
{
	gw_signature_cublasGetStatusString *text = (gw_signature_cublasGetStatusString *)gw_function_if_there(blas, "cublasGetStatusString");

	if (status != GW_VALUE_CUBLAS_STATUS_SUCCESS)
		gw_end(GW_FAILED, "%s answered %d%s%s", call, status, text ? ": " : "", text ? text(status) : "");
}

struct operands {
	const struct gw_format *format;
	double *wanted;
	void *a, *b, *c;
};

static void fill(const struct gw_format *format, double *values, void **device, size_t count, uint64_t seed)
{
	char *raw = gw_room(count, format->size);

	for (size_t i = 0; i < count; i++) {
		values[i] = gw_random(&seed, format == &f16 ? 1 << 9 : format == &f32 ? 1 << 23 : 0);
		gw_number_store(format, raw, i, values[i]);
	}
	*device = gw_device_put(raw, count * format->size);
}

static struct operands operands(const struct gw_format *format)
{
	struct operands made = {.format = format, .wanted = gw_room(M * N, sizeof(double)), .c = gw_device_room(M * N * format->size)};
	double *a = gw_room(M * K, sizeof *a), *b = gw_room(N * K, sizeof *b);

	fill(format, a, &made.a, M * K, 5);
	fill(format, b, &made.b, N * K, 6);
	gw_product(a, b, made.wanted, M, N, K);
	return made;
}

static void compare(const struct operands *all, const char *name, double limit)
{
	double *got = gw_room(M * N, sizeof *got);
	char *raw = gw_room(M * N, all->format->size);

	gw_device_get(raw, all->c, M * N * all->format->size);
	for (size_t i = 0; i < M * N; i++)
		got[i] = gw_number_load(all->format, raw, i);
	gw_case(name, got, all->wanted, M * N, limit);
}

void gw_step_blas(const char *which)
{
	const double one64 = 1, zero64 = 0;
	const float one = 1, zero = 0;
	struct operands single, wide, half;

	(void)which;
	blas = gw_library("cublas");
	gw_device_open();
	must(GW_CALL(blas, cublasCreate_v2)(&handle), "cublasCreate");
	single = operands(&f32);
	must(GW_CALL(blas, cublasSgemm_v2)(handle, GW_VALUE_CUBLAS_OP_T, GW_VALUE_CUBLAS_OP_N, M, N, K, &one, single.a, K, single.b, K, &zero, single.c, M),
	     "cublasSgemm");
	compare(&single, "cublasSgemm", 5e-6);
	wide = operands(&f64);
	must(GW_CALL(blas, cublasDgemm_v2)(handle, GW_VALUE_CUBLAS_OP_T, GW_VALUE_CUBLAS_OP_N, M, N, K, &one64, wide.a, K, wide.b, K, &zero64, wide.c, M),
	     "cublasDgemm");
	compare(&wide, "cublasDgemm", 1e-14);
	half = operands(&f16);
	must(GW_CALL(blas, cublasGemmEx)(handle, GW_VALUE_CUBLAS_OP_T, GW_VALUE_CUBLAS_OP_N, M, N, K, &one, half.a, GW_VALUE_CUDA_R_16F, K, half.b,
					 GW_VALUE_CUDA_R_16F, K, &zero, half.c, GW_VALUE_CUDA_R_16F, M, GW_VALUE_CUBLAS_COMPUTE_32F,
					 GW_VALUE_CUBLAS_GEMM_DEFAULT),
	     "cublasGemmEx");
	compare(&half, "cublasGemmEx of half", 1e-3);
	must(GW_CALL(blas, cublasDestroy_v2)(handle), "cublasDestroy");
}
