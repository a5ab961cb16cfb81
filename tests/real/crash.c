/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash 0|1: a chain of calls that ends in a crash inside the vendor's own code: cuBLAS with a handle that is none; cuDNN with a descriptor whose
 * memory was overwritten.
 */
#include <stdlib.h>
#include <string.h>

extern int cublasSgemm_v2(void *handle, int opa, int opb, int m, int n, int k, const float *alpha, const float *a, int lda, const float *b, int ldb,
			  const float *beta, float *c, int ldc);
extern int cudnnCreateTensorDescriptor(void **descriptor);
extern int cudnnDestroyTensorDescriptor(void *descriptor);

__attribute__((noinline)) void inner(int which)
{
	float one = 1, matrix[16] = {0};
	char wrong[500];
	void *descriptor;

	memset(wrong, 1, sizeof(wrong));
	if (!which) {
		cublasSgemm_v2(wrong, 0, 0, 4, 4, 4, &one, matrix, 4, matrix, 4, &one, matrix, 4);
	} else {
		cudnnCreateTensorDescriptor(&descriptor);
		((size_t *)descriptor)[-1] = 0x11;	/* the size of the chunk */
		cudnnDestroyTensorDescriptor(descriptor);
	}
	exit(wrong[3]);
}

__attribute__((noinline)) void outer(int which)
{
	volatile char room[100];

	room[which] = 1;
	inner(which);
	room[0] = room[which];
}

int main(int argc, char **argv)
{
	outer(argc > 1 ? atoi(argv[1]) : 0);
	return 0;
}
