/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: descriptors of operations: convolution, activation, pooling, element-wise operation, reduction. */
#include "dnn.h"

#include <string.h>

#define CREATE_DESTROY(create, destroy, handle, record, kind) \
	cudnnStatus_t create(handle *out) \
	{ \
		return dnn_create((void **)out, sizeof(struct record), kind); \
	} \
\
	cudnnStatus_t destroy(handle descriptor) \
	{ \
		return dnn_destroy(descriptor, kind); \
	}

CREATE_DESTROY(fake_cudnnCreateConvolutionDescriptor, fake_cudnnDestroyConvolutionDescriptor, cudnnConvolutionDescriptor_t,
	       dnn_convolution, DNN_CONVOLUTION)
CREATE_DESTROY(fake_cudnnCreateActivationDescriptor, fake_cudnnDestroyActivationDescriptor, cudnnActivationDescriptor_t,
	       dnn_activation, DNN_ACTIVATION)
CREATE_DESTROY(fake_cudnnCreatePoolingDescriptor, fake_cudnnDestroyPoolingDescriptor, cudnnPoolingDescriptor_t, dnn_pooling,
	       DNN_POOLING)
CREATE_DESTROY(fake_cudnnCreateOpTensorDescriptor, fake_cudnnDestroyOpTensorDescriptor, cudnnOpTensorDescriptor_t, dnn_op, DNN_OP)
CREATE_DESTROY(fake_cudnnCreateReduceTensorDescriptor, fake_cudnnDestroyReduceTensorDescriptor, cudnnReduceTensorDescriptor_t,
	       dnn_reduce, DNN_REDUCE)

cudnnStatus_t fake_cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t descriptor, int rank, const int pad[],
						   const int stride[], const int dilation[], cudnnConvolutionMode_t mode,
						   cudnnDataType_t compute)
{
	struct dnn_convolution *own = (struct dnn_convolution *)descriptor;
	int groups;

	if (!dnn_is(own, DNN_CONVOLUTION) || rank < 1 || rank > FAKE_RANK - 2 || !pad || !stride || !dilation)
		return CUDNN_STATUS_BAD_PARAM;
	for (int i = 0; i < rank; i++)
		if (pad[i] < 0 || stride[i] <= 0 || dilation[i] <= 0)
			return CUDNN_STATUS_BAD_PARAM;
	groups = own->set ? own->shape.groups : 1;
	own->shape = (struct fake_convolution){ .rank = rank, .groups = groups, .flip = mode == CUDNN_CONVOLUTION };
	for (int i = 0; i < rank; i++) {
		own->shape.pad[i] = pad[i];
		own->shape.stride[i] = stride[i];
		own->shape.dilation[i] = dilation[i];
	}
	own->mode = mode;
	own->compute = compute;
	own->set = true;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h, int pad_w, int u, int v,
						   int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
						   cudnnDataType_t compute)
{
	return fake_cudnnSetConvolutionNdDescriptor(descriptor, 2, (int[]){ pad_h, pad_w }, (int[]){ u, v },
						    (int[]){ dilation_h, dilation_w }, mode, compute);
}

static struct dnn_convolution *convolution(const void *descriptor)
{
	struct dnn_convolution *own = (struct dnn_convolution *)(uintptr_t)descriptor;

	return dnn_is(own, DNN_CONVOLUTION) ? own : NULL;
}

cudnnStatus_t fake_cudnnGetConvolution2dDescriptor(const cudnnConvolutionDescriptor_t descriptor, int *pad_h, int *pad_w, int *u,
						   int *v, int *dilation_h, int *dilation_w, cudnnConvolutionMode_t *mode,
						   cudnnDataType_t *compute)
{
	const struct dnn_convolution *own = convolution(descriptor);

	if (!own || !own->set || own->shape.rank != 2 || !pad_h || !pad_w || !u || !v || !dilation_h || !dilation_w || !mode ||
	    !compute)
		return CUDNN_STATUS_BAD_PARAM;
	*pad_h = own->shape.pad[0];
	*pad_w = own->shape.pad[1];
	*u = own->shape.stride[0];
	*v = own->shape.stride[1];
	*dilation_h = own->shape.dilation[0];
	*dilation_w = own->shape.dilation[1];
	*mode = own->mode;
	*compute = own->compute;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t descriptor, int requested, int *rank,
						   int pad[], int stride[], int dilation[], cudnnConvolutionMode_t *mode,
						   cudnnDataType_t *compute)
{
	const struct dnn_convolution *own = convolution(descriptor);

	if (!own || !own->set || !rank || !mode || !compute)
		return CUDNN_STATUS_BAD_PARAM;
	*rank = own->shape.rank;
	for (int i = 0; i < requested && i < own->shape.rank; i++) {
		pad[i] = own->shape.pad[i];
		stride[i] = own->shape.stride[i];
		dilation[i] = own->shape.dilation[i];
	}
	*mode = own->mode;
	*compute = own->compute;
	return CUDNN_STATUS_SUCCESS;
}

/* One setting of a convolution: the function that sets and the one that gets it. */
#define SETTING(set, get, type, member, valid) \
	cudnnStatus_t set(cudnnConvolutionDescriptor_t descriptor, type value) \
	{ \
		struct dnn_convolution *own = convolution(descriptor); \
\
		if (!own || !(valid)) \
			return CUDNN_STATUS_BAD_PARAM; \
		own->member = value; \
		return CUDNN_STATUS_SUCCESS; \
	} \
\
	cudnnStatus_t get(cudnnConvolutionDescriptor_t descriptor, type *value) \
	{ \
		const struct dnn_convolution *own = convolution(descriptor); \
\
		if (!own || !value) \
			return CUDNN_STATUS_BAD_PARAM; \
		*value = own->member; \
		return CUDNN_STATUS_SUCCESS; \
	}

SETTING(fake_cudnnSetConvolutionMathType, fake_cudnnGetConvolutionMathType, cudnnMathType_t, math, true)
SETTING(fake_cudnnSetConvolutionGroupCount, fake_cudnnGetConvolutionGroupCount, int, shape.groups, value > 0)
SETTING(fake_cudnnSetConvolutionReorderType, fake_cudnnGetConvolutionReorderType, cudnnReorderType_t, reorder, true)

static cudnnStatus_t output_shape(const void *descriptor, const void *x, const void *w, int *dim, int *rank)
{
	const struct dnn_convolution *own = convolution(descriptor);
	const struct dnn_tensor *in = x, *filter = w;

	if (!own || !own->set || !dnn_is(in, DNN_TENSOR) || !in->set || !dnn_is(filter, DNN_FILTER) || !filter->set)
		return CUDNN_STATUS_BAD_PARAM;
	*rank = in->shape.rank;
	return dnn_status(fake_convolution_shape(&own->shape, &in->shape, &filter->shape, dim));
}

cudnnStatus_t fake_cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t descriptor,
							 const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
							 int *n, int *c, int *h, int *width)
{
	int dim[FAKE_RANK], rank;
	cudnnStatus_t status = output_shape(descriptor, x, w, dim, &rank);

	if (status)
		return status;
	if (rank != 4 || !n || !c || !h || !width)
		return CUDNN_STATUS_BAD_PARAM;
	*n = dim[0];
	*c = dim[1];
	*h = dim[2];
	*width = dim[3];
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t descriptor,
							 const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
							 int count, int out[])
{
	int dim[FAKE_RANK], rank;
	cudnnStatus_t status = output_shape(descriptor, x, w, dim, &rank);

	if (status)
		return status;
	if (count != rank || !out)
		return CUDNN_STATUS_BAD_PARAM;
	memcpy(out, dim, (size_t)rank * sizeof *out);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor, cudnnActivationMode_t mode,
						cudnnNanPropagation_t nan, double coefficient)
{
	struct dnn_activation *own = (struct dnn_activation *)descriptor;

	if (!dnn_is(own, DNN_ACTIVATION))
		return CUDNN_STATUS_BAD_PARAM;
	own->mode = mode;
	own->nan = nan;
	own->coefficient = coefficient;
	own->swish_beta = 1;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t descriptor, cudnnActivationMode_t *mode,
						cudnnNanPropagation_t *nan, double *coefficient)
{
	const struct dnn_activation *own = (const struct dnn_activation *)descriptor;

	if (!dnn_is(own, DNN_ACTIVATION) || !mode || !nan || !coefficient)
		return CUDNN_STATUS_BAD_PARAM;
	*mode = own->mode;
	*nan = own->nan;
	*coefficient = own->coefficient;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t descriptor, double beta)
{
	struct dnn_activation *own = (struct dnn_activation *)descriptor;

	if (!dnn_is(own, DNN_ACTIVATION))
		return CUDNN_STATUS_BAD_PARAM;
	own->swish_beta = beta;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t descriptor, double *beta)
{
	const struct dnn_activation *own = (const struct dnn_activation *)descriptor;

	if (!dnn_is(own, DNN_ACTIVATION) || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	*beta = own->swish_beta;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t descriptor, const cudnnPoolingMode_t mode,
					       const cudnnNanPropagation_t nan, int rank, const int window[], const int pad[],
					       const int stride[])
{
	struct dnn_pooling *own = (struct dnn_pooling *)descriptor;

	if (!dnn_is(own, DNN_POOLING) || rank < 1 || rank > FAKE_RANK - 2 || !window || !pad || !stride)
		return CUDNN_STATUS_BAD_PARAM;
	own->mode = mode;
	own->nan = nan;
	own->shape = (struct fake_pool){ .rank = rank };
	own->shape.mode = mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ? FAKE_POOL_AVERAGE_ALL :
			  mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING ? FAKE_POOL_AVERAGE_INSIDE : FAKE_POOL_MAX;
	for (int i = 0; i < rank; i++) {
		if (window[i] <= 0 || stride[i] <= 0 || pad[i] < 0)
			return CUDNN_STATUS_BAD_PARAM;
		own->shape.window[i] = window[i];
		own->shape.pad[i] = pad[i];
		own->shape.stride[i] = stride[i];
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode_t mode,
					       cudnnNanPropagation_t nan, int window_h, int window_w, int pad_h, int pad_w,
					       int stride_h, int stride_w)
{
	return fake_cudnnSetPoolingNdDescriptor(descriptor, mode, nan, 2, (int[]){ window_h, window_w }, (int[]){ pad_h, pad_w },
						(int[]){ stride_h, stride_w });
}

cudnnStatus_t fake_cudnnGetPoolingNdForwardOutputDim(const cudnnPoolingDescriptor_t descriptor, const cudnnTensorDescriptor_t x,
						     int count, int out[])
{
	const struct dnn_pooling *own = (const struct dnn_pooling *)descriptor;
	const struct dnn_tensor *in = (const struct dnn_tensor *)x;

	if (!dnn_is(own, DNN_POOLING) || !own->shape.rank || !dnn_is(in, DNN_TENSOR) || !in->set || count != in->shape.rank || !out)
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_status(fake_pool_shape(&own->shape, &in->shape, out));
}

cudnnStatus_t fake_cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t descriptor, const cudnnTensorDescriptor_t x,
						     int *n, int *c, int *h, int *w)
{
	int dim[FAKE_RANK];
	cudnnStatus_t status = fake_cudnnGetPoolingNdForwardOutputDim(descriptor, x, 4, dim);

	if (status)
		return status;
	if (!n || !c || !h || !w)
		return CUDNN_STATUS_BAD_PARAM;
	*n = dim[0];
	*c = dim[1];
	*h = dim[2];
	*w = dim[3];
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t descriptor, cudnnOpTensorOp_t op, cudnnDataType_t compute,
					      cudnnNanPropagation_t nan)
{
	struct dnn_op *own = (struct dnn_op *)descriptor;

	if (!dnn_is(own, DNN_OP))
		return CUDNN_STATUS_BAD_PARAM;
	own->op = op;
	own->compute = compute;
	own->nan = nan;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t descriptor, cudnnOpTensorOp_t *op,
					      cudnnDataType_t *compute, cudnnNanPropagation_t *nan)
{
	const struct dnn_op *own = (const struct dnn_op *)descriptor;

	if (!dnn_is(own, DNN_OP) || !op || !compute || !nan)
		return CUDNN_STATUS_BAD_PARAM;
	*op = own->op;
	*compute = own->compute;
	*nan = own->nan;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t descriptor, cudnnReduceTensorOp_t op,
						  cudnnDataType_t compute, cudnnNanPropagation_t nan,
						  cudnnReduceTensorIndices_t indices, cudnnIndicesType_t type)
{
	struct dnn_reduce *own = (struct dnn_reduce *)descriptor;

	if (!dnn_is(own, DNN_REDUCE))
		return CUDNN_STATUS_BAD_PARAM;
	own->op = op;
	own->compute = compute;
	own->nan = nan;
	own->indices = indices;
	own->index_type = type;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t descriptor, cudnnReduceTensorOp_t *op,
						  cudnnDataType_t *compute, cudnnNanPropagation_t *nan,
						  cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *type)
{
	const struct dnn_reduce *own = (const struct dnn_reduce *)descriptor;

	if (!dnn_is(own, DNN_REDUCE) || !op || !compute || !nan || !indices || !type)
		return CUDNN_STATUS_BAD_PARAM;
	*op = own->op;
	*compute = own->compute;
	*nan = own->nan;
	*indices = own->indices;
	*type = own->index_type;
	return CUDNN_STATUS_SUCCESS;
}
