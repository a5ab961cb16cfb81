/* SPDX-License-Identifier: Apache-2.0 */
/* A program that asks cuBLAS for its version and multiplies: with NEWER by a function that came later. With SIZES it also makes descriptors of its own. */
#include <stdio.h>
#include <string.h>

#include "fake_api.h"

#define CHECK(truth) do { if (!(truth)) { fprintf(stderr, "built.c:%d: %s\n", __LINE__, #truth); return 1; } } while (0)

int main(void)
{
	float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }, c[4] = { 0 }, one = 1, zero = 0;
	cublasHandle_t handle;
	int version = 0;

	CHECK(!cublasCreate_v2(&handle));
	CHECK(!cublasGetVersion_v2(handle, &version));
#ifdef NEWER
	CHECK(!cublasSgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, b, 2, &zero, c, 2));
#else
	CHECK(!cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, b, 2, &zero, c, 2));
#endif
	CHECK(!cublasDestroy_v2(handle));
#ifdef SIZES
	cublasLtMatmulDescOpaque_t desc;
	cublasLtMatrixLayoutOpaque_t layout;
	cublasLtMatmulPreferenceOpaque_t preference;

	CHECK(!cublasLtMatmulDescInit_internal(&desc, sizeof desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	CHECK(!cublasLtMatrixLayoutInit_internal(&layout, sizeof layout, CUDA_R_32F, 2, 2, 2));
	CHECK(!cublasLtMatmulPreferenceInit_internal(&preference, sizeof preference));
	CHECK(!cublasLtMatmulPreferenceInit_internal(&preference, sizeof preference));
#endif
	printf("%d %g %g %g %g\n", version, (double)c[0], (double)c[1], (double)c[2], (double)c[3]);
	return 0;
}
