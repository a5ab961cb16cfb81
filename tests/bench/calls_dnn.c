/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of cuDNN for calls.c, compiled with the declarations of the release that the caller is to be built for. */
#include "calls.h"
#include "fake_api.h"

enum { GET, SET, COUNT };

struct bench_function bench_functions[] = {
	[GET] = { "cudnnGetStream", (void *)cudnnGetStream, NULL },
	[SET] = { "cudnnSetTensor4dDescriptor", (void *)cudnnSetTensor4dDescriptor, NULL },
	[COUNT] = { NULL, NULL, NULL },
};

static cudnnHandle_t handle;
static cudnnTensorDescriptor_t tensor;
static volatile int sink;

static void get_stream(int raw, long count)
{
	cudnnStatus_t (*call)(cudnnHandle_t, cudaStream_t *) = raw ? bench_functions[GET].raw : bench_functions[GET].own;
	cudaStream_t stream;

	while (count--)
		sink += (int)call(handle, &stream);
}

static void set_tensor(int raw, int n, long count)
{
	cudnnStatus_t (*call)(cudnnTensorDescriptor_t, cudnnTensorFormat_t, cudnnDataType_t, int, int, int, int) =
		raw ? bench_functions[SET].raw : bench_functions[SET].own;

	while (count--)
		sink += (int)call(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, 1, 1, 1);
}

static void set_well(int raw, long count)
{
	set_tensor(raw, 1, count);
}

static void set_badly(int raw, long count)
{
	set_tensor(raw, -1, count);
}

const struct bench_row bench_rows[] = {
	{ "cudnnGetStream, success", get_stream, NULL },
	{ "cudnnSetTensor4dDescriptor, success", set_well, NULL },
	{ "cudnnSetTensor4dDescriptor, an error of another number", set_badly, NULL },
	{ NULL, NULL, NULL },
};

const char *bench_prepare(void)
{
	if (cudnnCreate(&handle))
		return "cudnnCreate";
	return cudnnCreateTensorDescriptor(&tensor) ? "cudnnCreateTensorDescriptor" : NULL;
}
