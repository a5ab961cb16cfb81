/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, its backward and fused forms, and batch normalisation, through the calls of cuDNN 8. Tensors are NCHW floats. */
#include "dnn.h"

#include "memory.h"

enum { CHOICES = 8 };

static int x_n, x_c, x_h, x_w, filters, size, groups, y_h, y_w;

static cudnnConvolutionDescriptor_t make_convolution(cudnnTensorDescriptor_t *x, cudnnTensorDescriptor_t *y, cudnnFilterDescriptor_t *w)
{
	cudnnConvolutionDescriptor_t convolution;
	int pad = dnn_arg("pad", 0), stride = dnn_arg("stride", 1), dilation = dnn_arg("dilation", 1), n, c;

	x_n = dnn_arg("n", 1), x_c = dnn_arg("c", 1), x_h = dnn_arg("h", 1), x_w = dnn_arg("w", 1);
	filters = dnn_arg("k", 1), size = dnn_arg("size", 1), groups = dnn_arg("groups", 1);
	*x = dnn_tensor(x_n, x_c, x_h, x_w);
	MUST(cudnnCreateFilterDescriptor, w);
	MUST(cudnnSetFilter4dDescriptor, *w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, filters, x_c / groups, size, size);
	MUST(cudnnCreateConvolutionDescriptor, &convolution);
	MUST(cudnnSetConvolution2dDescriptor, convolution, pad, pad, stride, stride, dilation, dilation, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
	MUST(cudnnSetConvolutionGroupCount, convolution, groups);
	MUST(cudnnSetConvolutionMathType, convolution, CUDNN_FMA_MATH);
	MUST(cudnnGetConvolution2dForwardOutputDim, convolution, *x, *w, &n, &c, &y_h, &y_w);
	*y = dnn_tensor(n, c, y_h, y_w);
	return convolution;
}

static size_t x_count(void)
{
	return (size_t)x_n * (size_t)x_c * (size_t)x_h * (size_t)x_w;
}

static size_t y_count(void)
{
	return (size_t)x_n * (size_t)filters * (size_t)y_h * (size_t)y_w;
}

static size_t w_count(void)
{
	return (size_t)filters * (size_t)(x_c / groups) * (size_t)size * (size_t)size;
}

void dnn_convolution(void)
{
	cudnnTensorDescriptor_t x, y;
	cudnnFilterDescriptor_t w;
	cudnnConvolutionDescriptor_t convolution = make_convolution(&x, &y, &w);
	cudnnConvolutionFwdAlgoPerf_t forward;
	cudnnConvolutionBwdDataAlgoPerf_t data[CHOICES];
	cudnnConvolutionBwdFilterAlgoPerf_t filter[CHOICES];
	float *in = dnn_load("x"), *weights = dnn_load("weights"), *dy = dnn_load("dy");
	float *out = dnn_room(y_count()), *dx = dnn_room(x_count()), *dw = dnn_room(w_count());
	size_t room;
	int found, i;

	MUST(cudnnGetConvolutionForwardAlgorithm_v7, dnn_handle, x, w, convolution, y, 1, &found, &forward);
	dnn_must(forward.status, "cudnnGetConvolutionForwardAlgorithm_v7's first result");
	MUST(cudnnGetConvolutionForwardWorkspaceSize, dnn_handle, x, w, convolution, y, forward.algo, &room);
	MUST(cudnnConvolutionForward, dnn_handle, &dnn_one, x, in, w, weights, convolution, forward.algo, dnn_bytes(room), room, &dnn_zero, y, out);
	/* The first that adds in the same order each time. */
	MUST(cudnnGetConvolutionBackwardDataAlgorithm_v7, dnn_handle, w, y, convolution, x, CHOICES, &found, data);
	for (i = 0; i < found - 1 && (data[i].status || data[i].determinism != CUDNN_DETERMINISTIC); i++)
		;
	MUST(cudnnGetConvolutionBackwardDataWorkspaceSize, dnn_handle, w, y, convolution, x, data[i].algo, &room);
	MUST(cudnnConvolutionBackwardData, dnn_handle, &dnn_one, w, weights, y, dy, convolution, data[i].algo, dnn_bytes(room), room, &dnn_zero, x, dx);
	MUST(cudnnGetConvolutionBackwardFilterAlgorithm_v7, dnn_handle, x, y, convolution, w, CHOICES, &found, filter);
	for (i = 0; i < found - 1 && (filter[i].status || filter[i].determinism != CUDNN_DETERMINISTIC); i++)
		;
	MUST(cudnnGetConvolutionBackwardFilterWorkspaceSize, dnn_handle, x, y, convolution, w, filter[i].algo, &room);
	MUST(cudnnConvolutionBackwardFilter, dnn_handle, &dnn_one, x, in, y, dy, convolution, filter[i].algo, dnn_bytes(room), room, &dnn_zero, w, dw);
	dnn_save("y", out, y_count());
	dnn_save("dx", dx, x_count());
	dnn_save("dweights", dw, w_count());
}

void dnn_bias_activation(void)
{
	cudnnTensorDescriptor_t x, y, bias;
	cudnnFilterDescriptor_t w;
	cudnnConvolutionDescriptor_t convolution = make_convolution(&x, &y, &w);
	cudnnActivationDescriptor_t activation;
	const float half = 0.5f;
	float *out = dnn_room(y_count());
	size_t room;

	bias = dnn_tensor(1, filters, 1, 1);
	MUST(cudnnCreateActivationDescriptor, &activation);
	MUST(cudnnSetActivationDescriptor, activation, (cudnnActivationMode_t)dnn_arg("activation", CUDNN_ACTIVATION_RELU), CUDNN_NOT_PROPAGATE_NAN, 0);
	MUST(cudnnGetConvolutionForwardWorkspaceSize, dnn_handle, x, w, convolution, y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, &room);
	MUST(cudnnConvolutionBiasActivationForward, dnn_handle, &dnn_one, x, dnn_load("x"), w, dnn_load("weights"), convolution,
	     CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, dnn_bytes(room), room, &half, y, dnn_load("z"), bias, dnn_load("bias"), activation,
	     y, out);
	dnn_save("y", out, y_count());
}

/* mode: of cudnnBatchNormMode_t. ex: the Ex calls, without a fused activation. */
void dnn_normalization(void)
{
	const double epsilon = 1e-5, factor = 0.25;
	cudnnBatchNormMode_t mode = (cudnnBatchNormMode_t)dnn_arg("mode", CUDNN_BATCHNORM_SPATIAL);
	const cudnnBatchNormOps_t ops = CUDNN_BATCHNORM_OPS_BN;
	int n = dnn_arg("n", 1), c = dnn_arg("c", 1), h = dnn_arg("h", 1), w = dnn_arg("w", 1);
	size_t count = (size_t)n * (size_t)c * (size_t)h * (size_t)w, parameters = mode == CUDNN_BATCHNORM_PER_ACTIVATION ? count / (size_t)n : (size_t)c;
	cudnnTensorDescriptor_t x = dnn_tensor(n, c, h, w), p;
	float *in = dnn_load("x"), *dy = dnn_load("dy"), *scale = dnn_load("scale"), *shift = dnn_load("shift");
	float *mean = dnn_load("mean"), *variance = dnn_load("variance");
	float *y = dnn_room(count), *dx = dnn_room(count), *ds = dnn_room(parameters), *db = dnn_room(parameters);
	float *save_mean = dnn_room(parameters), *save_inverse = dnn_room(parameters), *inferred = dnn_room(count);

	MUST(cudnnCreateTensorDescriptor, &p);
	MUST(cudnnDeriveBNTensorDescriptor, p, x, mode);
	MUST(cudnnBatchNormalizationForwardInference, dnn_handle, mode, &dnn_one, &dnn_zero, x, in, x, inferred, p, scale, shift, mean, variance, epsilon);
	dnn_save("y_inference", inferred, count);
	if (dnn_arg("ex", 0)) {
		size_t room, back_room, kept;
		void *reserve;

		MUST(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, dnn_handle, mode, ops, x, x, x, p, NULL, &room);
		MUST(cudnnGetBatchNormalizationBackwardExWorkspaceSize, dnn_handle, mode, ops, x, x, x, x, x, p, NULL, &back_room);
		MUST(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, dnn_handle, mode, ops, NULL, x, &kept);
		reserve = dnn_bytes(kept);
		MUST(cudnnBatchNormalizationForwardTrainingEx, dnn_handle, mode, ops, &dnn_one, &dnn_zero, x, in, NULL, NULL, x, y, p, scale, shift, factor,
		     mean, variance, epsilon, save_mean, save_inverse, NULL, dnn_bytes(room), room, reserve, kept);
		MUST(cudnnBatchNormalizationBackwardEx, dnn_handle, mode, ops, &dnn_one, &dnn_zero, &dnn_one, &dnn_zero, x, in, NULL, NULL, x, dy, NULL,
		     NULL, x, dx, p, scale, NULL, ds, db, epsilon, save_mean, save_inverse, NULL, dnn_bytes(back_room), back_room, reserve, kept);
	} else {
		MUST(cudnnBatchNormalizationForwardTraining, dnn_handle, mode, &dnn_one, &dnn_zero, x, in, x, y, p, scale, shift, factor, mean, variance,
		     epsilon, save_mean, save_inverse);
		MUST(cudnnBatchNormalizationBackward, dnn_handle, mode, &dnn_one, &dnn_zero, &dnn_one, &dnn_zero, x, in, x, dy, x, dx, p, scale, ds, db,
		     epsilon, save_mean, save_inverse);
	}
	dnn_save("y", y, count);
	dnn_save("dx", dx, count);
	dnn_save("dscale", ds, parameters);
	dnn_save("dshift", db, parameters);
	dnn_save("running_mean", mean, parameters);
	dnn_save("running_variance", variance, parameters);
}
