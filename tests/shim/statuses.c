/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everywhere that a cuDNN status travels, as a program built for 8.x sees it: statuses.py compares what this prints on that release
 * itself with what it prints on a facade over another. Compiled with the fake release's own declarations, linked to its library.
 *
 * Arguments: the library's front, and the part of it that has the runtime errors; four statuses of it, each of the same meaning as the
 * like-placed of any release.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_api.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

/* Four bytes of poison are a status that a facade over a later release would fold. */
enum { ROOM = 16, POISON = 0x0b };

static cudnnHandle_t handle;
static cudnnTensorDescriptor_t xd, yd;
static cudnnFilterDescriptor_t wd;
static cudnnConvolutionDescriptor_t cd;
static float x[16], w[1], y[16];

static void prepare(void)
{
	CHECK(!cudnnCreate(&handle));
	CHECK(!cudnnCreateTensorDescriptor(&xd) && !cudnnCreateTensorDescriptor(&yd));
	CHECK(!cudnnSetTensor4dDescriptor(xd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 4, 4));
	CHECK(!cudnnSetTensor4dDescriptor(yd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 4, 4));
	CHECK(!cudnnCreateFilterDescriptor(&wd));
	CHECK(!cudnnSetFilter4dDescriptor(wd, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, 1));
	CHECK(!cudnnCreateConvolutionDescriptor(&cd));
	CHECK(!cudnnSetConvolution2dDescriptor(cd, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
}

static unsigned untouched(const void *from, size_t size)
{
	const unsigned char *byte = from;
	unsigned count = 0;

	while (size--)
		count += *byte++ == POISON;
	return count;
}

/* CALL fills results[] and count, for as many as are ASKED. Everything beyond what it says it returned must be as it was. */
#define RESULTS(name, type, handle_given, asked, ...) \
	do { \
		type results[ROOM]; \
		int count = ROOM, kept, status; \
\
		memset(results, POISON, sizeof results); \
		status = name(handle_given, __VA_ARGS__); \
		kept = status ? 0 : count; \
		printf("%s asked %d: %d, %d returned\n", #name, asked, status, status ? -1 : count); \
		CHECK(kept <= (asked) || status); \
		for (int i = 0; i < kept; i++) \
			printf("\t%d %d %g %zu %d %d\n", results[i].algo, results[i].status, results[i].time, results[i].memory, \
			       results[i].determinism, results[i].mathType); \
		CHECK(untouched(results + kept, (size_t)(ROOM - kept) * sizeof *results) == (size_t)(ROOM - kept) * sizeof *results); \
	} while (0)

static void all_results(cudnnHandle_t given, int asked)
{
	RESULTS(cudnnGetConvolutionForwardAlgorithm_v7, cudnnConvolutionFwdAlgoPerf_t, given, asked, xd, wd, cd, yd, asked, &count, results);
	RESULTS(cudnnFindConvolutionForwardAlgorithm, cudnnConvolutionFwdAlgoPerf_t, given, asked, xd, wd, cd, yd, asked, &count, results);
	RESULTS(cudnnFindConvolutionForwardAlgorithmEx, cudnnConvolutionFwdAlgoPerf_t, given, asked, xd, x, wd, w, cd, yd, y, asked, &count,
		results, NULL, 0);
	RESULTS(cudnnGetConvolutionBackwardDataAlgorithm_v7, cudnnConvolutionBwdDataAlgoPerf_t, given, asked, wd, yd, cd, xd, asked, &count,
		results);
	RESULTS(cudnnFindConvolutionBackwardDataAlgorithm, cudnnConvolutionBwdDataAlgoPerf_t, given, asked, wd, yd, cd, xd, asked, &count,
		results);
	RESULTS(cudnnFindConvolutionBackwardDataAlgorithmEx, cudnnConvolutionBwdDataAlgoPerf_t, given, asked, wd, w, yd, y, cd, xd, x, asked,
		&count, results, NULL, 0);
	RESULTS(cudnnGetConvolutionBackwardFilterAlgorithm_v7, cudnnConvolutionBwdFilterAlgoPerf_t, given, asked, xd, yd, cd, wd, asked,
		&count, results);
	RESULTS(cudnnFindConvolutionBackwardFilterAlgorithm, cudnnConvolutionBwdFilterAlgoPerf_t, given, asked, xd, yd, cd, wd, asked, &count,
		results);
	RESULTS(cudnnFindConvolutionBackwardFilterAlgorithmEx, cudnnConvolutionBwdFilterAlgoPerf_t, given, asked, xd, x, yd, y, cd, wd, w,
		asked, &count, results, NULL, 0);
}

/* A call that fails after it has got as far as the library leaves everything as it was, whatever the count says. */
static void failing(const char *front, int status)
{
	int (*fail_next)(const char *, int);
	void *seam = dlopen(front, RTLD_NOW | RTLD_NOLOAD);

	CHECK(seam);
	fail_next = (int (*)(const char *, int))dlsym(seam, "gwfake_fail_next");
	CHECK(fail_next && !fail_next("cudnnGetConvolutionForwardAlgorithm_v7", status));
	RESULTS(cudnnGetConvolutionForwardAlgorithm_v7, cudnnConvolutionFwdAlgoPerf_t, handle, 4, xd, wd, cd, yd, 4, &count, results);
	CHECK(!fail_next("cudnnFindConvolutionBackwardDataAlgorithmEx", status));
	RESULTS(cudnnFindConvolutionBackwardDataAlgorithmEx, cudnnConvolutionBwdDataAlgoPerf_t, handle, 4, wd, w, yd, y, cd, xd, x, 4,
		&count, results, NULL, 0);
}

static void told(cudnnSeverity_t severity, void *data, const cudnnDebug_t *debug, const char *message)
{
	unsigned reserved = 0;

	for (size_t i = 0; i < sizeof debug->reserved; i++)
		reserved += ((const unsigned char *)debug->reserved)[i] == 0x5a;
	printf("\ttold %d %s: status %d, version %u, %s handle, device %d, %u reserved, \"%s\"\n", severity, (const char *)data,
	       debug->cudnnStatus, debug->cudnn_version, debug->handle == handle ? "own" : "other", debug->cudaDeviceId, reserved, message);
}

static void show_callback(void)
{
	unsigned mask = 4711;
	void *data = &mask;
	cudnnCallback_t function = (cudnnCallback_t)(void *)&mask;
	int status = cudnnGetCallback(&mask, &data, &function);

	printf("callback: %d, mask %u, %s, %s\n", status, mask, function == told ? "own" : function ? "other" : "none",
	       function ? (const char *)data : "-");
	printf("%d for nowhere to put it\n", cudnnGetCallback(NULL, NULL, NULL));
}

int main(int count, char **a)
{
	static char first[] = "first", second[] = "second";
	cudnnStatus_t error = (cudnnStatus_t)4711;
	int (*seam_set)(const char *, long);
	void *seam;

	CHECK(count == 7);
	prepare();
	all_results(handle, 1);
	all_results(handle, 4);
	all_results(handle, ROOM);
	all_results(NULL, 4);
	for (int i = -1; i < 20; i++)
		printf("%d %s\n", i, cudnnGetErrorString((cudnnStatus_t)i));
	printf("%s %s\n", cudnnGetErrorString((cudnnStatus_t)2000), cudnnGetErrorString((cudnnStatus_t)5003));

	show_callback();
	seam = dlopen(a[2], RTLD_NOW | RTLD_NOLOAD);
	CHECK(seam);
	seam_set = (int (*)(const char *, long))dlsym(seam, "gwfake_set");
	CHECK(seam_set);
	printf("query of nothing: %d, %d\n", cudnnQueryRuntimeError(NULL, &error, CUDNN_ERRQUERY_RAWCODE, NULL), error);
	for (int i = 3; i < count; i++) {
		failing(a[1], atoi(a[i]));
		CHECK(!seam_set("runtime_error", atol(a[i])));
		CHECK(!cudnnSetCallback(7, i % 2 ? first : second, told));
		show_callback();
		printf("query: %d", cudnnQueryRuntimeError(handle, &error, CUDNN_ERRQUERY_RAWCODE, NULL));
		printf(" %d\n", error);
	}
	for (int i = 0; i < 200; i++) {	/* more than anybody remembers */
		static char names[200][8];

		snprintf(names[i], sizeof names[i], "n%d", i);
		CHECK(!cudnnSetCallback(1, names[i], told));
		if (i % 50 == 49) {
			show_callback();
			CHECK(!cudnnQueryRuntimeError(handle, &error, CUDNN_ERRQUERY_RAWCODE, NULL));
		}
	}
	CHECK(!cudnnSetCallback(0, NULL, NULL));
	show_callback();
	CHECK(!cudnnQueryRuntimeError(handle, &error, CUDNN_ERRQUERY_RAWCODE, NULL));
	printf("%d\n", error);
	return 0;
}
