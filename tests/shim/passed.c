/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a library of cuDNN says itself, asked by a program that was built for another release of the same soname: passed.py compares it with
 * what it says when gangway is not there.
 *
 * usage: passed LIBRARY STATUS	the library that is linked, and a status that it has
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "fake_api.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

/* Parts that do not fit together say so. */
static void versions(int (*fail_next)(const char *, int), int status)
{
#if CUDNN_MAJOR < 9
	CHECK(!fail_next("cudnnOpsInferVersionCheck", status));
	printf("check %d", cudnnOpsInferVersionCheck());
	printf(" %d\n", cudnnOpsInferVersionCheck());
#else
	(void)fail_next, (void)status;
#endif
}

/* An RNN descriptor is the library's own affair where there is no old interface to carry. */
static void clipping(void)
{
	cudnnRNNDescriptor_t rnn;
	cudnnRNNClipMode_t mode = -1;
	cudnnNanPropagation_t nan = -1;
	double low = 7, high = 7;

	CHECK(!cudnnCreateRNNDescriptor(&rnn));
#if CUDNN_MAJOR < 9
	CHECK(!cudnnRNNSetClip_v8(rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_NOT_PROPAGATE_NAN, -1, 1));
#else
	CHECK(!cudnnRNNSetClip_v9(rnn, CUDNN_RNN_CLIP_MINMAX, -1, 1));
#endif
	printf("clip %d", cudnnRNNGetClip_v8(rnn, &mode, &nan, &low, &high));
	printf(": %d %d %g %g\n", mode, nan, low, high);
	CHECK(!cudnnDestroyRNNDescriptor(rnn));
}

int main(int count, char **a)
{
	cudnnBackendDescriptor_t graph;
	void *seam;

	CHECK(count == 3);
	/* Of a graph's parts the library's release is asked. */
	CHECK(!cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &graph) && !cudnnBackendDestroyDescriptor(graph));
	seam = dlopen(a[1], RTLD_NOW | RTLD_NOLOAD);
	CHECK(seam);
	versions((int (*)(const char *, int))dlsym(seam, "gwfake_fail_next"), atoi(a[2]));
	clipping();
	printf("version %zu\n", cudnnGetVersion());
	return 0;
}
