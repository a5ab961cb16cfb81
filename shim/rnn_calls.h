/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of cuDNN 9 that carry the old RNN interface of 8.x, and the statuses that `via` functions give themselves. Functions are
 * those of the library behind the call; they are called past our own wrappers, so nothing is logged or translated twice.
 */
#ifndef GW_RNN_CALLS_H
#define GW_RNN_CALLS_H

#include <stdbool.h>
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"

typedef cudnnStatus_t gw_create_rnn_fn(cudnnRNNDescriptor_t *);
typedef cudnnStatus_t gw_destroy_rnn_fn(cudnnRNNDescriptor_t);
typedef cudnnStatus_t gw_set_rnn_fn(cudnnRNNDescriptor_t, cudnnRNNAlgo_t, cudnnRNNMode_t, cudnnRNNBiasMode_t, cudnnDirectionMode_t,
				    cudnnRNNInputMode_t, cudnnDataType_t, cudnnDataType_t, cudnnMathType_t, int32_t, int32_t, int32_t, int32_t,
				    cudnnDropoutDescriptor_t, uint32_t);
typedef cudnnStatus_t gw_set_clip_fn(cudnnRNNDescriptor_t, cudnnRNNClipMode_t, cudnnNanPropagation_t, double, double);
typedef cudnnStatus_t gw_build_rnn_fn(cudnnHandle_t, cudnnRNNDescriptor_t, int);
typedef cudnnStatus_t gw_create_data_fn(cudnnRNNDataDescriptor_t *);
typedef cudnnStatus_t gw_destroy_data_fn(cudnnRNNDataDescriptor_t);
typedef cudnnStatus_t gw_set_data_fn(cudnnRNNDataDescriptor_t, cudnnDataType_t, cudnnRNNDataLayout_t, int, int, int, const int *, void *);
typedef cudnnStatus_t gw_get_data_fn(cudnnRNNDataDescriptor_t, cudnnDataType_t *, cudnnRNNDataLayout_t *, int *, int *, int *, int, int *,
				     void *);
typedef cudnnStatus_t gw_create_tensor_fn(cudnnTensorDescriptor_t *);
typedef cudnnStatus_t gw_destroy_tensor_fn(cudnnTensorDescriptor_t);
typedef cudnnStatus_t gw_get_tensor_fn(const cudnnTensorDescriptor_t, int, cudnnDataType_t *, int *, int *, int *);
typedef cudnnStatus_t gw_size_tensor_fn(const cudnnTensorDescriptor_t, size_t *);
typedef cudnnStatus_t gw_get_filter_fn(const cudnnFilterDescriptor_t, int, cudnnDataType_t *, cudnnTensorFormat_t *, int *, int *);
typedef cudnnStatus_t gw_set_filter_fn(cudnnFilterDescriptor_t, cudnnDataType_t, cudnnTensorFormat_t, int, const int *);
typedef cudnnStatus_t gw_size_filter_fn(const cudnnFilterDescriptor_t, size_t *);
typedef cudnnStatus_t gw_weights_size_fn(cudnnHandle_t, cudnnRNNDescriptor_t, size_t *);
typedef cudnnStatus_t gw_weights_at_fn(cudnnHandle_t, cudnnRNNDescriptor_t, int32_t, size_t, const void *, int32_t, cudnnTensorDescriptor_t,
				       void **, cudnnTensorDescriptor_t, void **);
typedef cudnnStatus_t gw_temp_sizes_fn(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t, cudnnRNNDataDescriptor_t, size_t *, size_t *);
typedef cudnnStatus_t gw_forward_fn(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t, const int32_t *, cudnnRNNDataDescriptor_t,
				    const void *, cudnnRNNDataDescriptor_t, void *, cudnnTensorDescriptor_t, const void *, void *,
				    cudnnTensorDescriptor_t, const void *, void *, size_t, const void *, size_t, void *, size_t, void *);
typedef cudnnStatus_t gw_backward_data_fn(cudnnHandle_t, cudnnRNNDescriptor_t, const int32_t *, cudnnRNNDataDescriptor_t, const void *,
					  const void *, cudnnRNNDataDescriptor_t, void *, cudnnTensorDescriptor_t, const void *, const void *,
					  void *, cudnnTensorDescriptor_t, const void *, const void *, void *, size_t, const void *, size_t,
					  void *, size_t, void *);
typedef cudnnStatus_t gw_backward_weights_fn(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnWgradMode_t, const int32_t *, cudnnRNNDataDescriptor_t,
					     const void *, cudnnTensorDescriptor_t, const void *, cudnnRNNDataDescriptor_t, const void *, size_t,
					     void *, size_t, void *, size_t, void *);

/* Everything that is needed, found once a call. */
struct gw_rnn_calls {
	gw_create_rnn_fn *create;
	gw_destroy_rnn_fn *destroy;
	gw_set_rnn_fn *set;
	gw_set_clip_fn *set_clip;
	gw_build_rnn_fn *build;
	gw_create_data_fn *create_data;
	gw_destroy_data_fn *destroy_data;
	gw_set_data_fn *set_data;
	gw_get_data_fn *get_data;
	gw_create_tensor_fn *create_tensor;
	gw_destroy_tensor_fn *destroy_tensor;
	gw_get_tensor_fn *get_tensor;
	gw_size_tensor_fn *size_tensor;
	gw_get_filter_fn *get_filter;
	gw_set_filter_fn *set_filter;
	gw_size_filter_fn *size_filter;
	gw_weights_size_fn *weights_size;
	gw_weights_at_fn *weights_at;
	gw_temp_sizes_fn *temp_sizes;
	gw_forward_fn *forward;
	gw_backward_data_fn *backward_data;
	gw_backward_weights_fn *backward_weights;
};

/* What the old interface answers with a status of its own. */
enum gw_rnn_status { GW_RNN_BAD_PARAM, GW_RNN_NOT_SUPPORTED, GW_RNN_INVALID_VALUE, GW_RNN_INTERNAL_ERROR };

/* True when CALL's function is one that the loaded release lacks and we answer, so no longer absent; false: pass it on. */
bool gw_rnn_answers(struct gw_call *call) __attribute__((nonnull));

/* True when the library behind CALL is one whose old interface is ours to carry: it has none of its own, where the caller's release does. */
bool gw_rnn_carried(const struct gw_call *call) __attribute__((nonnull));

/* Fills CALLS. False: a function is missing, so nothing can be carried; GW-316 was told. */
bool gw_rnn_calls_find(const struct gw_call *call, struct gw_rnn_calls *calls) __attribute__((nonnull, warn_unused_result));

/* STATUS in the loaded release's numbering, as a `via` function has to return it. */
cudnnStatus_t gw_rnn_status(const struct gw_call *call, enum gw_rnn_status status) __attribute__((nonnull));

/* Tells GW-316 about CALL's function, once: WHY it cannot be carried. Returns NOT_SUPPORTED as gw_rnn_status does. errno kept. */
cudnnStatus_t gw_rnn_refuse(const struct gw_call *call, const char *why) __attribute__((nonnull));

#endif
