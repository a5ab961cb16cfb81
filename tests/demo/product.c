/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of 2022: compiled against the real headers of cuBLAS 11.10, descriptors on its own stack, set up by the header's own
 * Init. It multiplies a 4 x 3 by a 3 x 2 matrix with a bias and ReLU, in host memory, as the fake libraries compute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cublasLt.h>

static void must(cublasStatus_t status, const char *what)
{
	if (status != CUBLAS_STATUS_SUCCESS) {
		printf("%s: status %d\n", what, (int)status);
		exit(1);
	}
}

int main(void)
{
	float a[12], b[6], c[8], bias[4] = {0.5f, -100, 0.25f, 1}, one = 1, zero = 0, *vector = bias;
	cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
	cublasLtMatrixLayoutOpaque_t la, lb, lc;
	cublasLtMatmulDescOpaque_t desc;
	cublasLtHandle_t handle;
	int i, j;

	for (i = 0; i < 12; i++)
		a[i] = (float)(i % 5) - 1;
	for (i = 0; i < 6; i++)
		b[i] = (float)(i + 1);
	printf("compiled for cuBLAS %d, answered by version %zu\n", CUBLAS_VERSION, cublasLtGetVersion());
	must(cublasLtCreate(&handle), "Create");
	must(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), "MatmulDescInit");
	must(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue)), "EPILOGUE");
	must(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &vector, sizeof(vector)), "BIAS_POINTER");
	must(cublasLtMatrixLayoutInit(&la, CUDA_R_32F, 4, 3, 4), "MatrixLayoutInit A");
	must(cublasLtMatrixLayoutInit(&lb, CUDA_R_32F, 3, 2, 3), "MatrixLayoutInit B");
	must(cublasLtMatrixLayoutInit(&lc, CUDA_R_32F, 4, 2, 4), "MatrixLayoutInit C");
	must(cublasLtMatmul(handle, &desc, &one, a, &la, b, &lb, &zero, c, &lc, c, &lc, NULL, NULL, 0, 0), "Matmul");
	must(cublasLtDestroy(handle), "Destroy");
	for (j = 0; j < 2; j++)
		for (i = 0; i < 4; i++) {
			float wanted = bias[i] + a[i] * b[3 * j] + a[i + 4] * b[3 * j + 1] + a[i + 8] * b[3 * j + 2];

			if (c[i + 4 * j] != (wanted > 0 ? wanted : 0)) {
				printf("element %d, %d is %g, not %g\n", i, j, c[i + 4 * j], wanted > 0 ? wanted : 0);
				return 1;
			}
		}
	puts("a 4 x 3 times 3 x 2 product with bias and ReLU: exact");
	return 0;
}
