/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cuDNN fakes, through their front library, against results computed here. Built once for each release.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake_api.h"

static cudnnHandle_t handle;
static const float one = 1, zero = 0;
static unsigned seed;

static float next_number(void)
{
	seed = seed * 1103515245u + 12345u;
	return (float)((int)(seed >> 16) % 9 - 4);
}

static cudnnTensorDescriptor_t tensor(cudnnTensorFormat_t format, int n, int c, int h, int w)
{
	cudnnTensorDescriptor_t descriptor;

	assert_int_equal(cudnnCreateTensorDescriptor(&descriptor), 0);
	assert_int_equal(cudnnSetTensor4dDescriptor(descriptor, format, CUDNN_DATA_FLOAT, n, c, h, w), 0);
	return descriptor;
}

/* A convolution of x 2x4x6x5 with 6 filters of 2 (or 4) channels, 3x2; y is 2x6xHxW. */
struct convolution {
	int groups, pad, stride, dilation;
	bool flip, nhwc;
	int h, w;
	cudnnTensorDescriptor_t xd, yd, bd;
	cudnnFilterDescriptor_t wd;
	cudnnConvolutionDescriptor_t cd;
	float x[2 * 4 * 6 * 5], filter[6 * 4 * 3 * 2], y[2 * 6 * 16 * 16], bias[6];
};

static void begin(struct convolution *c)
{
	cudnnTensorFormat_t format = c->nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
	int n, channels;

	seed = 17;
	c->xd = tensor(format, 2, 4, 6, 5);
	assert_int_equal(cudnnCreateFilterDescriptor(&c->wd), 0);
	assert_int_equal(cudnnSetFilter4dDescriptor(c->wd, CUDNN_DATA_FLOAT, format, 6, 4 / c->groups, 3, 2), 0);
	assert_int_equal(cudnnCreateConvolutionDescriptor(&c->cd), 0);
	assert_int_equal(cudnnSetConvolution2dDescriptor(c->cd, c->pad, c->pad, c->stride, c->stride, c->dilation, c->dilation,
							 c->flip ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT), 0);
	assert_int_equal(cudnnSetConvolutionGroupCount(c->cd, c->groups), 0);
	assert_int_equal(cudnnGetConvolution2dForwardOutputDim(c->cd, c->xd, c->wd, &n, &channels, &c->h, &c->w), 0);
	assert_int_equal(n, 2);
	assert_int_equal(channels, 6);
	c->yd = tensor(format, 2, 6, c->h, c->w);
	c->bd = tensor(CUDNN_TENSOR_NCHW, 1, 6, 1, 1);
	for (size_t i = 0; i < sizeof c->x / sizeof *c->x; i++)
		c->x[i] = next_number();
	for (size_t i = 0; i < sizeof c->filter / sizeof *c->filter; i++)
		c->filter[i] = next_number();
	for (int i = 0; i < 6; i++)
		c->bias[i] = next_number();
}

static void finish(struct convolution *c)
{
	assert_int_equal(cudnnDestroyTensorDescriptor(c->xd), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(c->yd), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(c->bd), 0);
	assert_int_equal(cudnnDestroyFilterDescriptor(c->wd), 0);
	assert_int_equal(cudnnDestroyConvolutionDescriptor(c->cd), 0);
}

static size_t at(const struct convolution *c, int channels, int height, int width, int n, int k, int h, int w)
{
	return c->nhwc ? (((size_t)n * height + h) * width + w) * channels + k : (((size_t)n * channels + k) * height + h) * width + w;
}

static float x_at(const struct convolution *c, int n, int k, int h, int w)
{
	return h < 0 || w < 0 || h >= 6 || w >= 5 ? 0 : c->x[at(c, 4, 6, 5, n, k, h, w)];
}

static float expected(const struct convolution *c, int n, int k, int p, int q)
{
	int per_group = 4 / c->groups, first = k / (6 / c->groups) * per_group;
	float sum = 0;

	for (int l = 0; l < per_group; l++)
		for (int r = 0; r < 3; r++)
			for (int s = 0; s < 2; s++)
				sum += x_at(c, n, first + l, p * c->stride - c->pad + r * c->dilation, q * c->stride - c->pad + s * c->dilation) *
				       c->filter[at(c, per_group, 3, 2, k, l, c->flip ? 2 - r : r, c->flip ? 1 - s : s)];
	return sum;
}

static const struct convolution shapes[] = {
	{ .groups = 1, .pad = 0, .stride = 1, .dilation = 1 },
	{ .groups = 1, .pad = 1, .stride = 2, .dilation = 1 },
	{ .groups = 2, .pad = 1, .stride = 1, .dilation = 2 },
	{ .groups = 1, .pad = 1, .stride = 1, .dilation = 1, .flip = true },
	{ .groups = 2, .pad = 0, .stride = 1, .dilation = 1, .nhwc = true },
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static void convolutions_of_each_shape_are_right(void **state)
{
	(void)state;
	for (int i = 0; i < SHAPES; i++) {
		struct convolution c = shapes[i];

		begin(&c);
		assert_int_equal(cudnnConvolutionForward(handle, &one, c.xd, c.x, c.wd, c.filter, c.cd,
							 CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, c.yd, c.y), 0);
		for (int n = 0; n < 2; n++)
			for (int k = 0; k < 6; k++)
				for (int p = 0; p < c.h; p++)
					for (int q = 0; q < c.w; q++)
						assert_float_equal(c.y[at(&c, 6, c.h, c.w, n, k, p, q)], expected(&c, n, k, p, q), 1e-4);
		finish(&c);
	}
}

/* <dy, conv(x, w)> is linear in x and in w: its gradients must give it back. */
static void gradients_are_the_adjoints_of_the_forward_convolution(void **state)
{
	static float dy[2 * 6 * 16 * 16], dx[2 * 4 * 6 * 5], dw[6 * 4 * 3 * 2];

	(void)state;
	for (int i = 0; i < SHAPES; i++) {
		struct convolution c = shapes[i];
		double value = 0, by_x = 0, by_w = 0;

		begin(&c);
		for (int j = 0; j < 2 * 6 * c.h * c.w; j++)
			dy[j] = next_number();
		assert_int_equal(cudnnConvolutionForward(handle, &one, c.xd, c.x, c.wd, c.filter, c.cd,
							 CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, c.yd, c.y), 0);
		assert_int_equal(cudnnConvolutionBackwardData(handle, &one, c.wd, c.filter, c.yd, dy, c.cd, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
							      NULL, 0, &zero, c.xd, dx), 0);
		assert_int_equal(cudnnConvolutionBackwardFilter(handle, &one, c.xd, c.x, c.yd, dy, c.cd,
								CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, NULL, 0, &zero, c.wd, dw), 0);
		for (int j = 0; j < 2 * 6 * c.h * c.w; j++)
			value += dy[j] * c.y[j];
		for (int j = 0; j < 2 * 4 * 6 * 5; j++)
			by_x += dx[j] * c.x[j];
		for (int j = 0; j < 6 * (4 / c.groups) * 3 * 2; j++)
			by_w += dw[j] * c.filter[j];
		assert_float_equal(by_x, value, 1e-2);
		assert_float_equal(by_w, value, 1e-2);
		assert_true(fabs(value) > 1);
		finish(&c);
	}
}

static void bias_and_relu_are_fused_and_the_rest_as_the_release_does(void **state)
{
	struct convolution c = shapes[0];
	cudnnActivationDescriptor_t activation;
	cudnnStatus_t status;
	float z[sizeof c.y / sizeof *c.y] = { 0 };

	(void)state;
	begin(&c);
	assert_int_equal(cudnnCreateActivationDescriptor(&activation), 0);
	assert_int_equal(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0), 0);
	assert_int_equal(cudnnConvolutionBiasActivationForward(handle, &one, c.xd, c.x, c.wd, c.filter, c.cd,
							       CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, c.yd, z, c.bd,
							       c.bias, activation, c.yd, c.y), 0);
	for (int k = 0; k < 6; k++)
		assert_float_equal(c.y[at(&c, 6, c.h, c.w, 1, k, 1, 1)], fmaxf(0, expected(&c, 1, k, 1, 1) + c.bias[k]), 1e-4);
	assert_int_equal(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_TANH, CUDNN_NOT_PROPAGATE_NAN, 0), 0);
	status = cudnnConvolutionBiasActivationForward(handle, &one, c.xd, c.x, c.wd, c.filter, c.cd,
						       CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, c.yd, z, c.bd, c.bias,
						       activation, c.yd, c.y);
	assert_int_equal(status, CUDNN_MAJOR > 8 ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS);
	assert_int_equal(cudnnDestroyActivationDescriptor(activation), 0);
	finish(&c);
}

static void found_algorithms_run_with_the_workspace_they_ask_for(void **state)
{
	struct convolution c = shapes[0];
	cudnnConvolutionFwdAlgoPerf_t found[16];
	char workspace[1 << 14];
	int count = 0, refused = 0;

	(void)state;
	begin(&c);
	assert_int_equal(cudnnGetConvolutionForwardAlgorithm_v7(handle, c.xd, c.wd, c.cd, c.yd, 16, &count, found), 0);
	assert_int_equal(count, CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
	for (int i = 0; i < count; i++) {
		size_t size = 0;

		if (found[i].status) {
			assert_int_equal(found[i].status, CUDNN_STATUS_NOT_SUPPORTED);
			refused++;
			continue;
		}
		assert_int_equal(cudnnGetConvolutionForwardWorkspaceSize(handle, c.xd, c.wd, c.cd, c.yd, found[i].algo, &size), 0);
		assert_int_equal(size, found[i].memory);
		assert_true(size <= sizeof workspace);
		assert_int_equal(cudnnConvolutionForward(handle, &one, c.xd, c.x, c.wd, c.filter, c.cd, found[i].algo, workspace, size, &zero,
							 c.yd, c.y), 0);
		if (size)
			assert_int_equal(cudnnConvolutionForward(handle, &one, c.xd, c.x, c.wd, c.filter, c.cd, found[i].algo, workspace,
								 size - 1, &zero, c.yd, c.y), CUDNN_STATUS_BAD_PARAM);
	}
	assert_int_equal(refused, 1);
	finish(&c);
}

static void a_softmax_sums_to_one_and_keeps_the_ratios(void **state)
{
	float x[2 * 3 * 2] = { 0, 1, 2, 3, -1, 4, 5, -6, 0, 0, 1, 1 }, y[12];
	cudnnTensorDescriptor_t d = tensor(CUDNN_TENSOR_NCHW, 2, 3, 1, 2);

	(void)state;
	assert_int_equal(cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, d, x, &zero, d, y), 0);
	for (int n = 0; n < 2; n++)
		for (int w = 0; w < 2; w++) {
			assert_float_equal(y[n * 6 + w] + y[n * 6 + 2 + w] + y[n * 6 + 4 + w], 1, 1e-6);
			assert_float_equal(y[n * 6 + w] / y[n * 6 + 2 + w], expf(x[n * 6 + w] - x[n * 6 + 2 + w]),
					   1e-4 * expf(x[n * 6 + w] - x[n * 6 + 2 + w]));
		}
	assert_int_equal(cudnnDestroyTensorDescriptor(d), 0);
}

static void pooling_takes_the_greatest_and_the_mean(void **state)
{
	float x[16], y[4];
	cudnnTensorDescriptor_t xd = tensor(CUDNN_TENSOR_NCHW, 1, 1, 4, 4), yd = tensor(CUDNN_TENSOR_NCHW, 1, 1, 2, 2);
	cudnnPoolingDescriptor_t pool;

	(void)state;
	for (int i = 0; i < 16; i++)
		x[i] = (float)(i * 7 % 16);
	assert_int_equal(cudnnCreatePoolingDescriptor(&pool), 0);
	assert_int_equal(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2), 0);
	assert_int_equal(cudnnPoolingForward(handle, pool, &one, xd, x, &zero, yd, y), 0);
	assert_float_equal(y[0], fmaxf(fmaxf(x[0], x[1]), fmaxf(x[4], x[5])), 0);
	assert_float_equal(y[3], fmaxf(fmaxf(x[10], x[11]), fmaxf(x[14], x[15])), 0);
	assert_int_equal(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0,
						     0, 2, 2), 0);
	assert_int_equal(cudnnPoolingForward(handle, pool, &one, xd, x, &zero, yd, y), 0);
	assert_float_equal(y[1], (x[2] + x[3] + x[6] + x[7]) / 4, 0);
	assert_int_equal(cudnnDestroyPoolingDescriptor(pool), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(xd), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(yd), 0);
}

static void normalisation_uses_and_measures_mean_and_variance(void **state)
{
	float x[] = { 1, 2, 3, 4, 10, 20, 30, 40 }, y[8], scale[] = { 2, 1 }, bias[] = { 0.5f, 0 }, mean[] = { 2.5f, 25 };
	float variance[] = { 1.25f, 125 }, running_mean[] = { 0, 0 }, running_variance[] = { 0, 0 };
	cudnnTensorDescriptor_t xd = tensor(CUDNN_TENSOR_NCHW, 1, 2, 2, 2), pd;

	(void)state;
	assert_int_equal(cudnnCreateTensorDescriptor(&pd), 0);
	assert_int_equal(cudnnDeriveBNTensorDescriptor(pd, xd, CUDNN_BATCHNORM_SPATIAL), 0);
	assert_int_equal(cudnnBatchNormalizationForwardInference(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, xd, x, xd, y, pd, scale,
								 bias, mean, variance, 0), 0);
	assert_float_equal(y[0], 2 * (1 - 2.5) / sqrt(1.25) + 0.5, 1e-5);
	assert_float_equal(y[7], (40 - 25) / sqrt(125), 1e-5);
	assert_int_equal(cudnnBatchNormalizationForwardTraining(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, xd, x, xd, y, pd, scale,
								bias, 1, running_mean, running_variance, 0, NULL, NULL), 0);
	assert_float_equal(y[7], (40 - 25) / sqrt(125), 1e-5);
	assert_float_equal(running_mean[1], 25, 1e-5);
	assert_float_equal(running_variance[0], 1.25 * 4 / 3, 1e-5);
	assert_int_equal(cudnnDestroyTensorDescriptor(pd), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(xd), 0);
}

static void tensors_are_added_reduced_and_reordered(void **state)
{
	float x[12], y[12], row[3] = { 10, 20, 30 }, sum[3];
	cudnnTensorDescriptor_t d = tensor(CUDNN_TENSOR_NCHW, 1, 3, 2, 2), last = tensor(CUDNN_TENSOR_NHWC, 1, 3, 2, 2);
	cudnnTensorDescriptor_t channel = tensor(CUDNN_TENSOR_NCHW, 1, 3, 1, 1);
	cudnnReduceTensorDescriptor_t reduce;

	(void)state;
	for (int i = 0; i < 12; i++)
		x[i] = (float)i;
	assert_int_equal(cudnnTransformTensor(handle, &one, d, x, &zero, last, y), 0);
	assert_float_equal(y[1], x[4], 0);	/* channel 1 of the first place */
	assert_int_equal(cudnnAddTensor(handle, &one, channel, row, &one, d, x), 0);
	assert_float_equal(x[11], 11 + 30, 0);
	assert_int_equal(cudnnCreateReduceTensorDescriptor(&reduce), 0);
	assert_int_equal(cudnnSetReduceTensorDescriptor(reduce, CUDNN_REDUCE_TENSOR_AVG, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
							CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES), 0);
	assert_int_equal(cudnnReduceTensor(handle, reduce, NULL, 0, NULL, 0, &one, d, x, &zero, channel, sum), 0);
	assert_float_equal(sum[1], 5.5 + 20, 1e-5);
	assert_int_equal(cudnnDestroyReduceTensorDescriptor(reduce), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(d), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(last), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(channel), 0);
}

static void statuses_and_versions_are_numbered_as_the_release_numbers_them(void **state)
{
	int major = 0, minor = 0, patch = 0;
	char text[32];

	(void)state;
	assert_int_equal(cudnnGetProperty(MAJOR_VERSION, &major), 0);
	assert_int_equal(cudnnGetProperty(MINOR_VERSION, &minor), 0);
	assert_int_equal(cudnnGetProperty(PATCH_LEVEL, &patch), 0);
	snprintf(text, sizeof text, "%d.%d.%d.", major, minor, patch);
	assert_memory_equal(text, FAKE_RELEASE, strlen(text));
	assert_int_equal(cudnnGetVersion(), (major > 8 ? 10000 : 1000) * major + 100 * minor + patch);
	assert_int_equal(cudnnSetStream(NULL, NULL), major > 8 ? 2000 : 3);
	assert_string_equal(cudnnGetErrorString(CUDNN_STATUS_BAD_PARAM), "CUDNN_STATUS_BAD_PARAM");
	assert_string_equal(cudnnGetErrorString((cudnnStatus_t)(major > 8 ? 5000 : 8)), "CUDNN_STATUS_EXECUTION_FAILED");
}

static int find_part(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	if (strstr(info->dlpi_name, "libcudnn_ops"))
		*(char *)found = 1;
	return 0;
}

/* Runs first: linking with the front alone must not have brought in a part. */
static void the_front_opens_a_part_on_the_first_call(void **state)
{
	char found = 0;
	cudnnHandle_t own;

	(void)state;
	dl_iterate_phdr(find_part, &found);
	assert_int_equal(found, 0);
	assert_int_equal(cudnnCreate(&own), 0);
	assert_int_equal(cudnnDestroy(own), 0);
	assert_int_equal(cudnnCreate(&handle), 0);
	dl_iterate_phdr(find_part, &found);
	/* From major 9 on the handle lives in the graph library, which brings no other. */
	assert_int_equal(found, CUDNN_MAJOR == 8);
}

static void a_destroyed_descriptor_is_refused(void **state)
{
	uint64_t nonsense[64] = { 0 };

	(void)state;
	assert_int_equal(cudnnSetTensor4dDescriptor((cudnnTensorDescriptor_t)nonsense, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1),
			 CUDNN_STATUS_BAD_PARAM);
	assert_int_equal(cudnnDestroy(handle), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_opens_a_part_on_the_first_call),
		cmocka_unit_test(convolutions_of_each_shape_are_right),
		cmocka_unit_test(gradients_are_the_adjoints_of_the_forward_convolution),
		cmocka_unit_test(bias_and_relu_are_fused_and_the_rest_as_the_release_does),
		cmocka_unit_test(found_algorithms_run_with_the_workspace_they_ask_for),
		cmocka_unit_test(a_softmax_sums_to_one_and_keeps_the_ratios),
		cmocka_unit_test(pooling_takes_the_greatest_and_the_mean),
		cmocka_unit_test(normalisation_uses_and_measures_mean_and_variance),
		cmocka_unit_test(tensors_are_added_reduced_and_reordered),
		cmocka_unit_test(statuses_and_versions_are_numbered_as_the_release_numbers_them),
		cmocka_unit_test(a_destroyed_descriptor_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
