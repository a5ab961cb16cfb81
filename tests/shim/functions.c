/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program built for a newer cuBLAS: calls functions that older releases lack and prints every number that comes back. What it
 * prints on an older release under gangway must be what it prints on its own. functions.py compiles and runs it.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "fake_api.h"

enum { N = 6, LD = 7 };

static cublasHandle_t handle;
static float a[LD * N], b[LD * N], c[LD * N], x[N], y[N];
static double da[LD * N], db[LD * N], dc[LD * N];

static void fill(void)
{
	for (int i = 0; i < LD * N; i++) {
		da[i] = a[i] = (float)(i * 7 % 11 - 5);
		db[i] = b[i] = (float)(i * 5 % 13 - 6);
		dc[i] = c[i] = (float)(i % 3);
	}
	for (int i = 0; i < N; i++) {
		x[i] = (float)(i % 2 ? -i : i);
		y[i] = (float)(10 - i);
	}
}

static void show(const char *what, int status, const float *values, int count)
{
	double sum = 0;

	printf("%s: %d", what, status);
	for (int i = 0; values && i < count; i++)
		sum += values[i] * (i + 1);
	printf(" %.17g\n", sum);
}

static void show_double(const char *what, int status, const double *values, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += values[i] * (i + 1);
	printf("%s: %d %.17g\n", what, status, sum);
}

static void wide(int64_t excess)
{
	float alpha = 2, beta = 1, result = 0;
	double dalpha = 0.5, dbeta = 0;
	int64_t n = N + excess, place = -1;

	fill();
	show("axpy", cublasSaxpy_v2_64(handle, n, &alpha, x, 1, y, 1), y, N);
	show("scal", cublasSscal_v2_64(handle, n, &alpha, x, 1), x, N);
	show("dot", cublasSdot_v2_64(handle, n, x, 1, y, 1, &result), &result, 1);
	show("nrm2", cublasSnrm2_v2_64(handle, n, x, 1, &result), &result, 1);
	show("gemv", cublasSgemv_v2_64(handle, CUBLAS_OP_T, N, n, &alpha, a, LD, x, 1, &beta, y, 1), y, N);
	show("gemm", cublasSgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, n, &alpha, a, LD, b, LD, &beta, c, LD), c, LD * N);
	show_double("dgemm", cublasDgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, n, N, &dalpha, da, LD, db, LD, &dbeta, dc, LD), dc,
		    LD * N);
	show("strided", cublasSgemmStridedBatched_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, a, LD, 2 * LD, b, LD, 2 * LD, &beta, c,
						     LD, 2 * LD, 3 + excess), c, LD * N);
	show("geam", cublasSgeam_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, n, &alpha, a, LD, &beta, b, LD, c, LD), c, LD * N);
	show("gemmex", cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, n, &alpha, a, CUDA_R_32F, LD, b, CUDA_R_32F, LD, &beta, c,
				       CUDA_R_32F, LD, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), c, LD * N);
	for (int device = 0; device < 2; device++) {
		cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;

		cublasSetPointerMode_v2(handle, device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
		place = INT64_C(0x7777777777777777);
		printf("amax: %d", cublasIsamax_v2_64(handle, n, x, 1, &place));
		printf(" %lld, none: %d\n", (long long)(excess ? 0 : place), cublasIsamax_v2_64(handle, N, x, 1, NULL));
		place = INT64_C(0x7777777777777777);
		printf("amin: %d", cublasIdamin_v2_64(handle, n, da, 1, &place));
		cublasGetPointerMode_v2(handle, &mode);
		printf(" %lld, mode %d\n", (long long)(excess ? 0 : place), (int)mode);
	}
	cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
}

#define GROUPS 3

static void grouped(int excess)
{
	static const cublasOperation_t op_a[GROUPS] = { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_N };
	static const cublasOperation_t op_b[GROUPS] = { CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_T };
	const int m[GROUPS] = { 2, 3, 1 }, n[GROUPS] = { 3, 2, 4 }, k[GROUPS] = { 4, 2, 3 }, ld[GROUPS] = { LD, LD, LD }, size[GROUPS] = { 2, 0, 1 };
	const int64_t m8[GROUPS] = { 2, 3, 1 + ((int64_t)excess << 32) }, n8[GROUPS] = { 3, 2, 4 }, k8[GROUPS] = { 4, 2, 3 }, ld8[GROUPS] = { LD, LD, LD },
		      size8[GROUPS] = { 2, 1, 1 };
	const float alpha[GROUPS] = { 1, 2, 3 }, beta[GROUPS] = { 0, 1, -1 };
	const double dalpha[GROUPS] = { 1, 2, 3 }, dbeta[GROUPS] = { 0, 1, -1 };
	const float *pa[4] = { a, a + 1, a + 2, a + 3 }, *pb[4] = { b, b + 1, b + 2, b + 3 };
	const double *qa[4] = { da, da + 1, da + 2, da + 3 }, *qb[4] = { db, db + 1, db + 2, db + 3 };
	float *pc[4] = { c, c + 3 * LD, c + 4 * LD, c + 2 };
	double *qc[4] = { dc, dc + 3 * LD, dc + 4 * LD, dc + 2 };

	fill();
	show("grouped", cublasSgemmGroupedBatched(handle, op_a, op_b, m, n, k, alpha, pa, ld, pb, ld, beta, pc, ld, GROUPS, size), c, LD * N);
	show_double("grouped double", cublasDgemmGroupedBatched(handle, op_a, op_b, m, n, k, dalpha, qa, ld, qb, ld, dbeta, qc, ld, GROUPS, size), dc,
		    LD * N);
	fill();
	show("grouped 64", cublasSgemmGroupedBatched_64(handle, op_a, op_b, m8, n8, k8, alpha, pa, ld8, pb, ld8, beta, pc, ld8, GROUPS, size8), c,
	     LD * N);
	show_double("grouped double 64", cublasDgemmGroupedBatched_64(handle, op_a, op_b, m8, n8, k8, dalpha, qa, ld8, qb, ld8, dbeta, qc, ld8, GROUPS,
								       size8), dc, LD * N);
	show("grouped none", cublasSgemmGroupedBatched(handle, op_a, op_b, m, n, k, alpha, pa, ld, pb, ld, beta, pc, ld, 0, size), c, LD * N);
#ifdef fake_cublasGemmGroupedBatchedEx
	fill();
	show("grouped ex", cublasGemmGroupedBatchedEx(handle, op_a, op_b, m, n, k, alpha, (const void *const *)pa, CUDA_R_32F, ld,
						      (const void *const *)pb, CUDA_R_32F, ld, beta, (void *const *)pc, CUDA_R_32F, ld, GROUPS,
						      size, CUBLAS_COMPUTE_32F), c, LD * N);
	show_double("grouped ex double 64", cublasGemmGroupedBatchedEx_64(handle, op_a, op_b, m8, n8, k8, dalpha, (const void *const *)qa, CUDA_R_64F,
								 ld8, (const void *const *)qb, CUDA_R_64F, ld8, dbeta, (void *const *)qc,
								 CUDA_R_64F, ld8, GROUPS, size8, CUBLAS_COMPUTE_64F), dc, LD * N);
#endif
}

/* The second of two groups is wrong, each time in another way: is the first one's product there? */
static void wrong_groups(void)
{
	static const struct {
		const char *name;
		int op, m, ld, size;
	} rows[] = { { "operation", CUBLAS_OP_CONJG, 2, LD, 1 }, { "other operation", 4711, 2, LD, 1 }, { "rows", CUBLAS_OP_N, -1, LD, 1 },
		     { "dimension", CUBLAS_OP_N, 2, 1, 1 }, { "size", CUBLAS_OP_N, 2, LD, -1 } };
	const float one[2] = { 1, 1 }, *pa[2] = { a, a }, *pb[2] = { b, b };
	float *pc[2] = { c, c };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const cublasOperation_t op_a[2] = { CUBLAS_OP_N, (cublasOperation_t)rows[i].op }, op_b[2] = { CUBLAS_OP_N, CUBLAS_OP_N };
		const int m[2] = { 2, rows[i].m }, n[2] = { 2, 2 }, ld[2] = { LD, rows[i].ld }, size[2] = { 1, rows[i].size };
		float before[LD * N];
		int status;

		fill();
		memcpy(before, c, sizeof(before));
		status = cublasSgemmGroupedBatched(handle, op_a, op_b, m, n, n, one, pa, ld, pb, ld, one, pc, ld, 2, size);
		printf("wrong %s: %d, untouched %d\n", rows[i].name, status, !memcmp(before, c, sizeof(before)));
	}
}

/* What is set and read back; VALUES: also such that are no default. */
static void settings(int values)
{
	cublasEmulationStrategy_t strategy = -1;
	size_t capacity = 0;
	int status;

	printf("capacity: %d", cublasLtHeuristicsCacheGetCapacity(&capacity));
	printf(" %zu, none: %d, set: %d", capacity, cublasLtHeuristicsCacheGetCapacity(NULL), cublasLtHeuristicsCacheSetCapacity(64));
	status = cublasLtHeuristicsCacheGetCapacity(&capacity);
	printf(", again: %d %zu\n", status, capacity);
	status = cublasGetEmulationStrategy(handle, &strategy);
	printf("strategy: %d %d, none: %d, without a handle: %d, set: %d\n", status, (int)strategy, cublasGetEmulationStrategy(handle, NULL),
	       cublasGetEmulationStrategy(NULL, &strategy), cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_DEFAULT));
	if (values)
		printf("another strategy: %d\n", cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER));
#ifdef fake_cublasSetEmulationSpecialValuesSupport
	cudaEmulationSpecialValuesSupport special = -1;
	cudaEmulationMantissaControl control = -1;
	int most = -1, offset = -1, *count = &most;
	cublasLtEmulationDesc_t desc = NULL;

	status = cublasGetEmulationSpecialValuesSupport(handle, &special);
	printf("special: %d %d, set: %d\n", status, (int)special, cublasSetEmulationSpecialValuesSupport(handle, special));
	status = cublasGetFixedPointEmulationMantissaControl(handle, &control);
	printf("control: %d %d, set: %d\n", status, (int)control, cublasSetFixedPointEmulationMantissaControl(handle, control));
	status = cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &most);
	printf("most: %d %d, set: %d\n", status, most, cublasSetFixedPointEmulationMaxMantissaBitCount(handle, most));
	status = cublasGetFixedPointEmulationMantissaBitOffset(handle, &offset);
	printf("offset: %d %d, set: %d\n", status, offset, cublasSetFixedPointEmulationMantissaBitOffset(handle, offset));
	status = cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &count);
	printf("count: %d %p, set: %d\n", status, (void *)count, cublasSetFixedPointEmulationMantissaBitCountPointer(handle, count));
	if (values) {
		printf("another special: %d\n", cublasSetEmulationSpecialValuesSupport(handle, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE));
		printf("another control: %d\n", cublasSetFixedPointEmulationMantissaControl(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED));
		printf("another most: %d\n", cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 40));
		printf("another offset: %d\n", cublasSetFixedPointEmulationMantissaBitOffset(handle, -1));
		printf("another count: %d\n", cublasSetFixedPointEmulationMantissaBitCountPointer(handle, &most));
		printf("another descriptor: %d\n", cublasLtEmulationDescCreate(&desc));
	}
#endif
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (cublasCreate_v2(&handle))
		return 3;
	if (!strcmp(what, "numbers")) {
		wide(0);
		grouped(0);
	} else if (!strcmp(what, "excess")) {
		wide(INT64_C(1) << 32);
	} else if (!strcmp(what, "excess grouped")) {
		grouped(1);
	} else if (!strcmp(what, "wrong groups")) {
		wrong_groups();
	} else if (!strcmp(what, "settings") || !strcmp(what, "other settings")) {
		settings(*what == 'o');
	}
	printf("null handle: %d\n", cublasSaxpy_v2_64(NULL, 1, x, x, 1, y, 1));
	return cublasDestroy_v2(handle);
}
