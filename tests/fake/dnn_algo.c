/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn: which algorithms of a convolution there are. All compute the same; algorithm n needs n KiB of workspace and is the
 * slower the smaller n is. The answers include one algorithm that is not supported, since callers must read each answer's status.
 */
#include "dnn.h"

#include <string.h>

size_t dnn_workspace(int algo);

size_t dnn_workspace(int algo)
{
	return (size_t)algo << 10;
}

/* x, w, y in the order of the forward direction. */
static cudnnStatus_t fits(cudnnHandle_t handle, const void *x, const void *w, const void *convolution, const void *y)
{
	const struct dnn_convolution *own = convolution;
	const struct dnn_tensor *in = x, *filter = w, *out = y;
	int dim[FAKE_RANK];

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(own, DNN_CONVOLUTION) || !own->set || !dnn_is(in, DNN_TENSOR) || !in->set ||
	    !dnn_is(filter, DNN_FILTER) || !filter->set || !dnn_is(out, DNN_TENSOR) || !out->set ||
	    fake_convolution_shape(&own->shape, &in->shape, &filter->shape, dim) || out->shape.rank != in->shape.rank)
		return CUDNN_STATUS_BAD_PARAM;
	for (int i = 0; i < out->shape.rank; i++)
		if (dim[i] != out->shape.dim[i])
			return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t begin(cudnnStatus_t status, int requested, int *returned, const void *results, int algos)
{
	if (status)
		return status;
	if (requested <= 0 || !returned || !results)
		return CUDNN_STATUS_BAD_PARAM;
	*returned = requested < algos ? requested : algos;
	return CUDNN_STATUS_SUCCESS;
}

/* The answers of one direction; the order of the arguments x, w, y differs, their names do not. */
#define FILL(type, algos, unsupported) \
	for (int i = 0; i < *returned; i++) { \
		int algo = (algos) - 1 - i; \
\
		memset(&results[i], 0, sizeof results[i]); \
		results[i].algo = (type)algo; \
		results[i].status = algo == (int)(unsupported) ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS; \
		results[i].time = algo == (int)(unsupported) ? -1.0f : 0.25f * (float)(i + 1); \
		results[i].memory = algo == (int)(unsupported) ? 0 : dnn_workspace(algo); \
		results[i].determinism = CUDNN_DETERMINISTIC; \
		results[i].mathType = CUDNN_DEFAULT_MATH; \
	}

#define DIRECTION(word, perf, type, algos, unsupported, a, a_type, b, b_type, c, c_type, x, w, y) \
	cudnnStatus_t fake_cudnnGetConvolution##word##AlgorithmMaxCount(cudnnHandle_t handle, int *count) \
	{ \
		if (!dnn_is(handle, DNN_HANDLE) || !count) \
			return CUDNN_STATUS_BAD_PARAM; \
		*count = algos; \
		return CUDNN_STATUS_SUCCESS; \
	} \
\
	cudnnStatus_t fake_cudnnGetConvolution##word##Algorithm_v7(cudnnHandle_t handle, const a_type a, const b_type b, \
								   const cudnnConvolutionDescriptor_t convolution, const c_type c, \
								   const int requested, int *returned, perf *results) \
	{ \
		cudnnStatus_t status = begin(fits(handle, x, w, convolution, y), requested, returned, results, algos); \
\
		if (!status) \
			FILL(type, algos, unsupported) \
		return status; \
	} \
\
	cudnnStatus_t fake_cudnnFindConvolution##word##Algorithm(cudnnHandle_t handle, const a_type a, const b_type b, \
								 const cudnnConvolutionDescriptor_t convolution, const c_type c, \
								 const int requested, int *returned, perf *results) \
	{ \
		return fake_cudnnGetConvolution##word##Algorithm_v7(handle, a, b, convolution, c, requested, returned, results); \
	} \
\
	cudnnStatus_t fake_cudnnGetConvolution##word##WorkspaceSize(cudnnHandle_t handle, const a_type a, const b_type b, \
								    const cudnnConvolutionDescriptor_t convolution, const c_type c, \
								    type algo, size_t *size) \
	{ \
		cudnnStatus_t status = fits(handle, x, w, convolution, y); \
\
		if (status) \
			return status; \
		if (!size || (int)algo < 0 || (int)algo >= (int)(algos)) \
			return CUDNN_STATUS_BAD_PARAM; \
		*size = dnn_workspace((int)algo); \
		return CUDNN_STATUS_SUCCESS; \
	}

DIRECTION(Forward, cudnnConvolutionFwdAlgoPerf_t, cudnnConvolutionFwdAlgo_t, CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
	  CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, a, cudnnTensorDescriptor_t, b, cudnnFilterDescriptor_t, c, cudnnTensorDescriptor_t, a, b, c)
DIRECTION(BackwardData, cudnnConvolutionBwdDataAlgoPerf_t, cudnnConvolutionBwdDataAlgo_t, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT,
	  CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, a, cudnnFilterDescriptor_t, b, cudnnTensorDescriptor_t, c, cudnnTensorDescriptor_t, c,
	  a, b)
DIRECTION(BackwardFilter, cudnnConvolutionBwdFilterAlgoPerf_t, cudnnConvolutionBwdFilterAlgo_t,
	  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD, a, cudnnTensorDescriptor_t, b,
	  cudnnTensorDescriptor_t, c, cudnnFilterDescriptor_t, a, c, b)

cudnnStatus_t fake_cudnnFindConvolutionForwardAlgorithmEx(cudnnHandle_t handle, const cudnnTensorDescriptor_t xd, const void *x,
							  const cudnnFilterDescriptor_t wd, const void *w,
							  const cudnnConvolutionDescriptor_t convolution,
							  const cudnnTensorDescriptor_t yd, void *y, const int requested,
							  int *returned, cudnnConvolutionFwdAlgoPerf_t *results, void *workspace,
							  size_t size)
{
	(void)workspace;
	(void)size;
	if (!x || !w || !y)
		return CUDNN_STATUS_BAD_PARAM;
	return fake_cudnnGetConvolutionForwardAlgorithm_v7(handle, xd, wd, convolution, yd, requested, returned, results);
}

cudnnStatus_t fake_cudnnFindConvolutionBackwardDataAlgorithmEx(cudnnHandle_t handle, const cudnnFilterDescriptor_t wd,
							       const void *w, const cudnnTensorDescriptor_t dyd, const void *dy,
							       const cudnnConvolutionDescriptor_t convolution,
							       const cudnnTensorDescriptor_t dxd, void *dx, const int requested,
							       int *returned, cudnnConvolutionBwdDataAlgoPerf_t *results,
							       void *workspace, size_t size)
{
	(void)workspace;
	(void)size;
	if (!w || !dy || !dx)
		return CUDNN_STATUS_BAD_PARAM;
	return fake_cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, wd, dyd, convolution, dxd, requested, returned, results);
}

cudnnStatus_t fake_cudnnFindConvolutionBackwardFilterAlgorithmEx(cudnnHandle_t handle, const cudnnTensorDescriptor_t xd,
								 const void *x, const cudnnTensorDescriptor_t dyd, const void *dy,
								 const cudnnConvolutionDescriptor_t convolution,
								 const cudnnFilterDescriptor_t dwd, void *dw, const int requested,
								 int *returned, cudnnConvolutionBwdFilterAlgoPerf_t *results,
								 void *workspace, size_t size)
{
	(void)workspace;
	(void)size;
	if (!x || !dy || !dw)
		return CUDNN_STATUS_BAD_PARAM;
	return fake_cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, xd, dyd, convolution, dwd, requested, returned, results);
}
