/* SPDX-License-Identifier: Apache-2.0 */
/* What the cuDNN fakes share: handle, descriptors, and how statuses are chosen. */
#ifndef FAKE_DNN_H
#define FAKE_DNN_H

#include <errno.h>
#include "fake_api.h"
#include "handle.h"
#include "tensor.h"

/* Renamed by a later release. */
#ifdef CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED
#define DNN_NO_MEMORY CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED
#define DNN_NULL_POINTER CUDNN_STATUS_BAD_PARAM_NULL_POINTER
#else
#define DNN_NO_MEMORY CUDNN_STATUS_ALLOC_FAILED
#define DNN_NULL_POINTER CUDNN_STATUS_BAD_PARAM
#endif

enum dnn_kind { DNN_HANDLE = 0x100, DNN_TENSOR, DNN_FILTER, DNN_CONVOLUTION, DNN_ACTIVATION, DNN_POOLING, DNN_OP, DNN_REDUCE,
		DNN_RNN, DNN_RNN_DATA, DNN_PLAN, DNN_ALGORITHM, DNN_PERFORMANCE, DNN_BACKEND };

struct dnn_handle {
	struct fake_head head;
	cudaStream_t stream;
};

/* Tensors and filters; unset until one of the Set functions ran. */
struct dnn_tensor {
	struct fake_head head;
	cudnnDataType_t type;
	cudnnTensorFormat_t format;
	bool set;
	struct fake_tensor shape;	/* without data */
};

struct dnn_convolution {
	struct fake_head head;
	struct fake_convolution shape;
	cudnnConvolutionMode_t mode;
	cudnnDataType_t compute;
	cudnnMathType_t math;
	cudnnReorderType_t reorder;
	bool set;
};

struct dnn_activation {
	struct fake_head head;
	cudnnActivationMode_t mode;
	cudnnNanPropagation_t nan;
	double coefficient, swish_beta;
};

struct dnn_pooling {
	struct fake_head head;
	struct fake_pool shape;
	cudnnPoolingMode_t mode;
	cudnnNanPropagation_t nan;
};

struct dnn_op {
	struct fake_head head;
	cudnnOpTensorOp_t op;
	cudnnDataType_t compute;
	cudnnNanPropagation_t nan;
};

struct dnn_reduce {
	struct fake_head head;
	cudnnReduceTensorOp_t op;
	cudnnDataType_t compute;
	cudnnNanPropagation_t nan;
	cudnnReduceTensorIndices_t indices;
	cudnnIndicesType_t index_type;
};

static inline bool dnn_is(const void *object, enum dnn_kind kind)
{
	return fake_head_is(object, FAKE_RELEASE_HASH, kind);
}

cudnnStatus_t dnn_create(void **out, size_t size, enum dnn_kind kind);
/* NULL is fine, as it is for the real library. */
cudnnStatus_t dnn_destroy(void *object, enum dnn_kind kind);

/* The type of an element; 4 or 32 in *vector where channels lie side by side. False for a type that is not computed with. */
bool dnn_type(cudnnDataType_t type, enum fake_type *out, int *vector);

/* Fills TENSOR from a set descriptor of KIND and DATA. BAD_PARAM for anything else. */
cudnnStatus_t dnn_tensor(const void *descriptor, enum dnn_kind kind, const void *data, struct fake_tensor *tensor);

/* The library's scale factors are doubles for double tensors and floats for all others. */
double dnn_factor(const void *factor, const struct fake_tensor *tensor);

/* NOT_SUPPORTED for a mode that the release lacks. */
cudnnStatus_t dnn_activate(const void *descriptor, struct fake_activate *out);

static inline cudnnStatus_t dnn_status(int error)
{
	return !error ? CUDNN_STATUS_SUCCESS : error == -ENOMEM ? DNN_NO_MEMORY : CUDNN_STATUS_BAD_PARAM;
}

#endif
