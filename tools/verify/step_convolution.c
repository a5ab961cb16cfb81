/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions through cuDNN's legacy interface: plain in single and half, and fused with bias and ReLU. */
#include "step.h"

#include "gw_signatures.h"
#include "gw_values.h"
#include "tools/verify/convolution.h"

static const struct gw_convolution shape = {2, 16, 9, 7, 24};
static const struct gw_format f32 = {.size = 4}, f16 = {.size = 2, .exponent = 5, .mantissa = 10};

static void *dnn;
static cudnnHandle_t handle;

void gw_dnn_must(cudnnStatus_t status, const char *call)
{
	gw_signature_cudnnGetErrorString *text = (gw_signature_cudnnGetErrorString *)gw_function_if_there(dnn, "cudnnGetErrorString");

	if (status != GW_VALUE_CUDNN_STATUS_SUCCESS)
		gw_end(GW_FAILED, "%s answered %d%s%s", call, status, text ? ": " : "", text ? text(status) : "");
}

#define MUST(name, ...) gw_dnn_must(GW_CALL(dnn, name)(__VA_ARGS__), #name)

void *gw_dnn_open(cudnnHandle_t *made)
{
	/* Frameworks have mapped these before: cuDNN uses what is there. */
	gw_library_if_there("cublasLt");
	gw_library_if_there("cublas");
	dnn = gw_library("cudnn");
	gw_device_open();
	MUST(cudnnCreate, made);
	return dnn;
}

struct gw_tensors gw_dnn_tensors(const struct gw_convolution *of, const struct gw_format *format, bool channels_last)
{
	size_t x = (size_t)of->n * of->c * of->h * of->w, f = (size_t)of->o * of->c * 9, y = (size_t)of->n * of->o * of->h * of->w;
	struct gw_tensors all = {.format = format, .channels_last = channels_last, .count = y};
	double *in = gw_room(x, sizeof *in), *filter = gw_room(f, sizeof *filter), *bias = gw_room(of->o, sizeof *bias);

	all.wanted = gw_room(y, sizeof *all.wanted);
	all.x = gw_dnn_put(&all, in, x, 11, of->n, of->c, of->h * of->w);
	all.f = gw_dnn_put(&all, filter, f, 12, of->o, of->c, 9);
	all.bias = gw_dnn_put(&all, bias, of->o, 13, 1, of->o, 1);
	all.y = gw_device_room(y * format->size);
	all.bias_values = bias;
	gw_convolve(of, in, filter, all.wanted);
	return all;
}

/* Where element (n, c, p) of a tensor of PLACES places a channel lies. */
static size_t place(bool channels_last, unsigned channels, unsigned places, unsigned n, unsigned c, unsigned p)
{
	return channels_last ? ((size_t)n * places + p) * channels + c : ((size_t)n * channels + c) * places + p;
}

void *gw_dnn_put(const struct gw_tensors *all, double *values, size_t count, uint64_t seed, unsigned n, unsigned c, unsigned places)
{
	char *raw = gw_room(count, all->format->size);
	size_t next = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < c; k++)
			for (unsigned p = 0; p < places; p++) {
				values[next] = gw_random(&seed, all->format->exponent ? 1 << 9 : 1 << 23);
				gw_number_store(all->format, raw, place(all->channels_last, c, places, i, k, p), values[next++]);
			}
	return gw_device_put(raw, count * all->format->size);
}

void gw_dnn_compare(const struct gw_tensors *all, const struct gw_convolution *of, bool fused, const char *name, double limit)
{
	unsigned places = of->h * of->w;
	double *got = gw_room(all->count, sizeof *got);
	char *raw = gw_room(all->count, all->format->size);
	size_t next = 0;

	gw_device_get(raw, all->y, all->count * all->format->size);
	for (unsigned n = 0; n < of->n; n++)
		for (unsigned c = 0; c < of->o; c++)
			for (unsigned p = 0; p < places; p++) {
				double *wanted = &all->wanted[next];

				got[next++] = gw_number_load(all->format, raw, place(all->channels_last, of->o, places, n, c, p));
				if (fused)
					*wanted = *wanted + all->bias_values[c] > 0 ? *wanted + all->bias_values[c] : 0;
			}
	gw_case(name, got, all->wanted, all->count, limit);
}

/* The descriptors of one convolution. */
struct descriptors {
	cudnnTensorDescriptor_t x, y, bias;
	cudnnFilterDescriptor_t f;
	cudnnConvolutionDescriptor_t convolution;
};

static void tensor(cudnnTensorDescriptor_t *made, int layout, int type, unsigned n, unsigned c, unsigned h, unsigned w)
{
	MUST(cudnnCreateTensorDescriptor, made);
	MUST(cudnnSetTensor4dDescriptor, *made, layout, type, (int)n, (int)c, (int)h, (int)w);
}

static struct descriptors describe(bool half, int math)
{
	int type = half ? GW_VALUE_CUDNN_DATA_HALF : GW_VALUE_CUDNN_DATA_FLOAT, layout = half ? GW_VALUE_CUDNN_TENSOR_NHWC : GW_VALUE_CUDNN_TENSOR_NCHW;
	struct descriptors made = {0};

	tensor(&made.x, layout, type, shape.n, shape.c, shape.h, shape.w);
	tensor(&made.y, layout, type, shape.n, shape.o, shape.h, shape.w);
	tensor(&made.bias, layout, type, 1, shape.o, 1, 1);
	MUST(cudnnCreateFilterDescriptor, &made.f);
	MUST(cudnnSetFilter4dDescriptor, made.f, type, layout, (int)shape.o, (int)shape.c, 3, 3);
	MUST(cudnnCreateConvolutionDescriptor, &made.convolution);
	MUST(cudnnSetConvolution2dDescriptor, made.convolution, 1, 1, 1, 1, 1, 1, GW_VALUE_CUDNN_CROSS_CORRELATION, GW_VALUE_CUDNN_DATA_FLOAT);
	MUST(cudnnSetConvolutionMathType, made.convolution, math);
	return made;
}

static void *workspace(const struct descriptors *of, int algorithm, size_t *size)
{
	MUST(cudnnGetConvolutionForwardWorkspaceSize, handle, of->x, of->f, of->convolution, of->y, algorithm, size);
	return *size ? gw_device_room(*size) : NULL;
}

static void plain(bool half, const char *name, double limit)
{
	const float one = 1, zero = 0;
	int algorithm = GW_VALUE_CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
	struct gw_tensors all;
	struct descriptors of;
	size_t size = 0;
	void *room;

	gw_part(name);
	all = gw_dnn_tensors(&shape, half ? &f16 : &f32, half);
	of = describe(half, half ? GW_VALUE_CUDNN_TENSOR_OP_MATH : GW_VALUE_CUDNN_FMA_MATH);
	room = workspace(&of, algorithm, &size);
	MUST(cudnnConvolutionForward, handle, &one, of.x, all.x, of.f, all.f, of.convolution, algorithm, room, size, &zero, of.y, all.y);
	gw_dnn_compare(&all, &shape, false, name, limit);
}

void gw_step_convolution(const char *which)
{
	(void)which;
	gw_dnn_open(&handle);
	plain(false, "single", 5e-6);
	plain(true, "half, channels last", 1e-3);
	MUST(cudnnDestroy, handle);
}

void gw_step_fused(const char *which)
{
	const float one = 1, zero = 0;
	int algorithm = GW_VALUE_CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
	cudnnActivationDescriptor_t relu = NULL;
	struct gw_tensors all;
	struct descriptors of;
	size_t size = 0;
	void *room;

	(void)which;
	gw_dnn_open(&handle);
	all = gw_dnn_tensors(&shape, &f32, false);
	of = describe(false, GW_VALUE_CUDNN_FMA_MATH);
	MUST(cudnnCreateActivationDescriptor, &relu);
	MUST(cudnnSetActivationDescriptor, relu, GW_VALUE_CUDNN_ACTIVATION_RELU, GW_VALUE_CUDNN_NOT_PROPAGATE_NAN, 0.0);
	room = workspace(&of, algorithm, &size);
	MUST(cudnnConvolutionBiasActivationForward, handle, &one, of.x, all.x, of.f, all.f, of.convolution, algorithm, room, size, &zero, of.y, all.y, of.bias,
	     all.bias, relu, of.y, all.y);
	gw_dnn_compare(&all, &shape, true, "single, with bias and ReLU", 5e-6);
	MUST(cudnnDestroy, handle);
}
