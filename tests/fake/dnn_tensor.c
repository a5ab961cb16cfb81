/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: tensor and filter descriptors. */
#include "dnn.h"

#include <string.h>

cudnnStatus_t fake_cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *out)
{
	return dnn_create((void **)out, sizeof(struct dnn_tensor), DNN_TENSOR);
}

cudnnStatus_t fake_cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor)
{
	return dnn_destroy(descriptor, DNN_TENSOR);
}

cudnnStatus_t fake_cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *out)
{
	return dnn_create((void **)out, sizeof(struct dnn_tensor), DNN_FILTER);
}

cudnnStatus_t fake_cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor)
{
	return dnn_destroy(descriptor, DNN_FILTER);
}

/* Strides of a packed tensor. Channels last: the channels' stride is one, and space follows. */
static void pack(struct fake_tensor *tensor, cudnnTensorFormat_t format)
{
	int64_t next = 1;

	if (format == CUDNN_TENSOR_NHWC) {
		tensor->stride[1] = 1;
		next = tensor->dim[1];
		for (int i = tensor->rank - 1; i >= 2; i--) {
			tensor->stride[i] = next;
			next *= tensor->dim[i];
		}
		tensor->stride[0] = next;
		return;
	}
	for (int i = tensor->rank - 1; i >= 0; i--) {
		tensor->stride[i] = next;
		next *= i == 1 ? (tensor->dim[i] + tensor->vector - 1) / tensor->vector : tensor->dim[i];
	}
}

static cudnnStatus_t set(void *descriptor, enum dnn_kind kind, cudnnTensorFormat_t format, cudnnDataType_t type, int rank,
			 const int *dim, const int *stride)
{
	struct dnn_tensor *own = descriptor;
	struct fake_tensor shape = { .rank = rank };

	if (!dnn_is(own, kind) || !dim || rank < 1 || rank > FAKE_RANK)
		return CUDNN_STATUS_BAD_PARAM;
	if (!dnn_type(type, &shape.type, &shape.vector))
		return CUDNN_STATUS_NOT_SUPPORTED;
	if ((shape.vector > 1) != (format == CUDNN_TENSOR_NCHW_VECT_C))
		return CUDNN_STATUS_BAD_PARAM;
	for (int i = 0; i < rank; i++) {
		if (dim[i] <= 0)
			return CUDNN_STATUS_BAD_PARAM;
		shape.dim[i] = dim[i];
		shape.stride[i] = stride ? stride[i] : 0;
	}
	if (!stride)
		pack(&shape, format);
	own->type = type;
	own->format = format;
	own->shape = shape;
	own->set = true;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
					      cudnnDataType_t type, int n, int c, int h, int w)
{
	return set(descriptor, DNN_TENSOR, format, type, 4, (int[]){ n, c, h, w }, NULL);
}

/* With strides nobody states a format: it shows in the channels' stride. */
static cudnnTensorFormat_t format_of(cudnnDataType_t type, int rank, const int *stride)
{
	enum fake_type element;
	int vector;

	if (dnn_type(type, &element, &vector) && vector > 1)
		return CUDNN_TENSOR_NCHW_VECT_C;
	return rank > 2 && stride[1] == 1 && stride[rank - 1] != 1 ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

cudnnStatus_t fake_cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int n, int c, int h,
						int w, int sn, int sc, int sh, int sw)
{
	int stride[] = { sn, sc, sh, sw };

	return set(descriptor, DNN_TENSOR, format_of(type, 4, stride), type, 4, (int[]){ n, c, h, w }, stride);
}

cudnnStatus_t fake_cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int rank,
					      const int dim[], const int stride[])
{
	if (!stride || rank < 1 || rank > FAKE_RANK)
		return CUDNN_STATUS_BAD_PARAM;
	return set(descriptor, DNN_TENSOR, format_of(type, rank, stride), type, rank, dim, stride);
}

cudnnStatus_t fake_cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
						cudnnDataType_t type, int rank, const int dim[])
{
	return set(descriptor, DNN_TENSOR, format, type, rank, dim, NULL);
}

static const struct dnn_tensor *known(const void *descriptor, enum dnn_kind kind)
{
	return dnn_is(descriptor, kind) && ((const struct dnn_tensor *)descriptor)->set ? descriptor : NULL;
}

cudnnStatus_t fake_cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t descriptor, cudnnDataType_t *type, int *n, int *c,
					      int *h, int *w, int *sn, int *sc, int *sh, int *sw)
{
	const struct dnn_tensor *own = known(descriptor, DNN_TENSOR);
	int *dims[] = { n, c, h, w }, *strides[] = { sn, sc, sh, sw };

	if (!own || own->shape.rank != 4 || !type)
		return CUDNN_STATUS_BAD_PARAM;
	*type = own->type;
	for (int i = 0; i < 4; i++) {
		if (!dims[i] || !strides[i])
			return CUDNN_STATUS_BAD_PARAM;
		*dims[i] = own->shape.dim[i];
		*strides[i] = (int)own->shape.stride[i];
	}
	return CUDNN_STATUS_SUCCESS;
}

static void copy_dims(int *to, const int *from, int requested, int rank)
{
	for (int i = 0; to && i < requested && i < rank; i++)
		to[i] = from[i];
}

cudnnStatus_t fake_cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t descriptor, int requested, cudnnDataType_t *type,
					      int *rank, int dim[], int stride[])
{
	const struct dnn_tensor *own = known(descriptor, DNN_TENSOR);

	if (!own || !type || !rank)
		return CUDNN_STATUS_BAD_PARAM;
	*type = own->type;
	*rank = own->shape.rank;
	copy_dims(dim, own->shape.dim, requested, own->shape.rank);
	for (int i = 0; stride && i < requested && i < own->shape.rank; i++)
		stride[i] = (int)own->shape.stride[i];
	return CUDNN_STATUS_SUCCESS;
}

/* The distance from the first to past the last element, in bytes. */
static size_t bytes(const struct fake_tensor *shape)
{
	int64_t last = 0, vectors;

	for (int i = 0; i < shape->rank; i++) {
		vectors = i == 1 ? (shape->dim[i] + shape->vector - 1) / shape->vector : shape->dim[i];
		last += (vectors - 1) * shape->stride[i];
	}
	return (size_t)(last + 1) * (size_t)shape->vector * fake_size(shape->type);
}

cudnnStatus_t fake_cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t descriptor, size_t *size)
{
	const struct dnn_tensor *own = known(descriptor, DNN_TENSOR);

	if (!own || !size)
		return CUDNN_STATUS_BAD_PARAM;
	*size = bytes(&own->shape);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
					      cudnnTensorFormat_t format, int k, int c, int h, int w)
{
	return set(descriptor, DNN_FILTER, format, type, 4, (int[]){ k, c, h, w }, NULL);
}

cudnnStatus_t fake_cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
					      cudnnTensorFormat_t format, int rank, const int dim[])
{
	return set(descriptor, DNN_FILTER, format, type, rank, dim, NULL);
}

cudnnStatus_t fake_cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t descriptor, cudnnDataType_t *type,
					      cudnnTensorFormat_t *format, int *k, int *c, int *h, int *w)
{
	const struct dnn_tensor *own = known(descriptor, DNN_FILTER);

	if (!own || own->shape.rank != 4 || !type || !format || !k || !c || !h || !w)
		return CUDNN_STATUS_BAD_PARAM;
	*type = own->type;
	*format = own->format;
	*k = own->shape.dim[0];
	*c = own->shape.dim[1];
	*h = own->shape.dim[2];
	*w = own->shape.dim[3];
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t descriptor, int requested, cudnnDataType_t *type,
					      cudnnTensorFormat_t *format, int *rank, int dim[])
{
	const struct dnn_tensor *own = (const struct dnn_tensor *)descriptor;

	if (!dnn_is(own, DNN_FILTER) || !type || !format || !rank)
		return CUDNN_STATUS_BAD_PARAM;
	*type = own->type;
	*format = own->format;
	*rank = own->shape.rank;
	/* One that was never set is of no dimensions, and each that is asked for is 0. */
	copy_dims(dim, own->shape.dim, requested < FAKE_RANK ? requested : FAKE_RANK, own->shape.rank ? own->shape.rank : FAKE_RANK);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t descriptor, size_t *size)
{
	const struct dnn_tensor *own = (const struct dnn_tensor *)descriptor;

	if (!dnn_is(own, DNN_FILTER) || !size)
		return CUDNN_STATUS_BAD_PARAM;
	*size = own->shape.rank ? bytes(&own->shape) : 0;
	return CUDNN_STATUS_SUCCESS;
}

/* One value for each channel (spatial mode) or for each position of a sample. */
cudnnStatus_t fake_cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived, const cudnnTensorDescriptor_t x,
						 cudnnBatchNormMode_t mode)
{
	const struct dnn_tensor *own = known(x, DNN_TENSOR);
	int dim[FAKE_RANK];

	if (!own)
		return CUDNN_STATUS_BAD_PARAM;
	for (int i = 0; i < own->shape.rank; i++)
		dim[i] = i == 0 || (i > 1 && mode != CUDNN_BATCHNORM_PER_ACTIVATION) ? 1 : own->shape.dim[i];
	return set(derived, DNN_TENSOR, CUDNN_TENSOR_NCHW, own->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT,
		   own->shape.rank, dim, NULL);
}
