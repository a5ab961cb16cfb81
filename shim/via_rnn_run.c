/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes, parameters and computing calls of cuDNN 8's old RNN interface, carried by the one that replaced it. The library lays weights out as
 * 8.x does (measured, see docs/measurements.md), so pointers into them mean the same; it copies sequence lengths to the device itself, so
 * no CUDA call is made here. Gradients of weights are added to what is there, as 8.x adds them.
 */
#include <stddef.h>
#include <string.h>

#include "gw_values.h"
#include "gw_via.h"
#include "rnn_calls.h"
#include "rnn_cells.h"
#include "rnn_filter.h"
#include "rnn_kit.h"
#include "rnn_one.h"
#include "rnn_steps.h"
#include "rnn_table.h"

/* One call of the old interface. */
struct run {
	const struct gw_call *call;
	struct gw_rnn_calls calls;
	struct gw_rnn_kit *kit, spare;
};

static cudnnStatus_t wrong(const struct gw_call *call)
{
	return gw_rnn_status(call, GW_RNN_BAD_PARAM);
}

static cudnnStatus_t begin(struct run *run, const struct gw_call *call)
{
	run->call = call;
	run->kit = NULL;
	memset(&run->spare, 0, sizeof(run->spare));
	return gw_rnn_calls_find(call, &run->calls) ? 0 : gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
}

static cudnnStatus_t take(struct run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int input, cudnnDataType_t type)
{
	struct gw_rnn *rnn = gw_rnn_find(descriptor);

	if (!rnn)
		return wrong(run->call);
	return gw_rnn_kit_take(run->call, &run->calls, handle, rnn, input, type, &run->spare, &run->kit);
}

static void end(struct run *run)
{
	gw_rnn_kit_give(&run->calls, run->kit, &run->spare);
	run->kit = NULL;
}

/* Sizes. */

struct sizes {
	size_t work, reserve;
};

/* One workspace serves inference and training. */
static cudnnStatus_t temp_sizes(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int count,
				const cudnnTensorDescriptor_t *x, struct sizes *sizes)
{
	size_t inference = 0, none = 0;
	struct gw_rnn_steps steps;
	struct run run;
	cudnnStatus_t status = begin(&run, call);

	if (status)
		return status;
	status = gw_rnn_steps_read(call, &run.calls, count, x, &steps);
	if (!status)
		status = take(&run, handle, descriptor, steps.vector, steps.type);
	if (!status)
		status = gw_rnn_steps_describe(&run.calls, &steps, steps.vector, run.kit->x);
	if (!status)
		status = run.calls.temp_sizes(handle, run.kit->rnn, GW_VALUE_CUDNN_FWD_MODE_TRAINING, run.kit->x, &sizes->work, &sizes->reserve);
	if (!status && !run.calls.temp_sizes(handle, run.kit->rnn, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, run.kit->x, &inference, &none) &&
	    inference > sizes->work)
		sizes->work = inference;
	end(&run);
	gw_rnn_steps_finish(&steps);
	return status;
}

cudnnStatus_t gw_via_rnn_workspace_size(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					const int, const cudnnTensorDescriptor_t *, size_t *), cudnnHandle_t handle,
					const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
					const cudnnTensorDescriptor_t *xDesc, size_t *sizeInBytes)
{
	struct sizes sizes = { 0, 0 };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, sizeInBytes);
	if (!sizeInBytes)
		return wrong(call);
	status = temp_sizes(call, handle, rnnDesc, seqLength, xDesc, &sizes);
	if (!status)
		*sizeInBytes = sizes.work;
	return status;
}

cudnnStatus_t gw_via_rnn_reserve_size(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const int, const cudnnTensorDescriptor_t *, size_t *), cudnnHandle_t handle,
				      const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				      const cudnnTensorDescriptor_t *xDesc, size_t *sizeInBytes)
{
	struct sizes sizes = { 0, 0 };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, sizeInBytes);
	if (!sizeInBytes)
		return wrong(call);
	status = temp_sizes(call, handle, rnnDesc, seqLength, xDesc, &sizes);
	if (!status)
		*sizeInBytes = sizes.reserve;
	return status;
}

cudnnStatus_t gw_via_rnn_weights_size(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const cudnnTensorDescriptor_t, size_t *, cudnnDataType_t), cudnnHandle_t handle,
				      const cudnnRNNDescriptor_t rnnDesc, const cudnnTensorDescriptor_t xDesc,
				      size_t *sizeInBytes, cudnnDataType_t dataType)
{
	int vector;
	cudnnDataType_t type;
	struct run run;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, sizeInBytes, dataType);
	if (!sizeInBytes)
		return wrong(call);
	status = begin(&run, call);
	if (!status)
		status = gw_rnn_step_vector(call, &run.calls, xDesc, true, &vector, &type);
	if (!status && type != dataType)
		status = wrong(call);
	if (!status)
		status = take(&run, handle, rnnDesc, vector, type);
	if (!status)
		status = run.calls.weights_size(handle, run.kit->rnn, sizeInBytes);
	end(&run);
	return status;
}

/* Where a matrix or bias vector lies. */

enum { LAYERS_MATRIX = 9, LAYERS_BIAS = 8 };	/* numbers of linear layers that the interface has at most */

/* How many bias vectors of each kind of cell the interface has: two for each matrix of its formulas. */
static int bias_count(cudnnRNNMode_t cell)
{
	return cell == GW_VALUE_CUDNN_LSTM ? LAYERS_BIAS : cell == GW_VALUE_CUDNN_GRU ? 6 : 2;
}

/* Shows DESCRIPTOR the shape of PLACE, BYTES from START on, when that lies within the weights of SIZE bytes. */
static cudnnStatus_t show(struct run *run, cudnnTensorDescriptor_t place, size_t start, size_t size, cudnnFilterDescriptor_t descriptor)
{
	int rank = 0, dim[8] = { 0 }, stride[8];
	size_t bytes = 0;
	cudnnDataType_t type;
	cudnnStatus_t status = run->calls.get_tensor(place, 8, &type, &rank, dim, stride);

	if (!status)
		status = run->calls.size_tensor(place, &bytes);
	if (status)
		return status;
	if (start > size || bytes > size - start)
		return gw_rnn_status(run->call, GW_RNN_INVALID_VALUE);
	status = run->calls.set_filter(descriptor, type, GW_VALUE_CUDNN_TENSOR_NCHW, rank, dim);
	if (!status)
		gw_rnn_filter_unblank(descriptor);
	return status;
}

/* What does not exist is NULL, and its descriptor as a new one is. */
static cudnnStatus_t show_none(struct run *run, cudnnFilterDescriptor_t descriptor, void **at)
{
	int rank = 0, dim[8];
	cudnnDataType_t type;
	cudnnTensorFormat_t format;
	cudnnStatus_t status = run->calls.get_filter(descriptor, 3, &type, &format, &rank, dim);

	*at = NULL;
	/* The library sets no descriptor to nothing. */
	if (!status && rank && !gw_rnn_filter_blank(descriptor))
		return gw_rnn_refuse(run->call, "the descriptor of a matrix that does not exist was in use before; pass a new one");
	return status;
}

static cudnnStatus_t locate(struct run *run, cudnnHandle_t handle, int layer, size_t size, const void *w, int id, bool matrix,
			    cudnnFilterDescriptor_t descriptor, void **at)
{
	/* The library wants an address, where 8.x was content with none and counted from 0. */
	char *base = (char *)(uintptr_t)(w ? (uintptr_t)w : UINT64_C(1) << 40), *found;
	void *matrix_at = NULL, *bias_at = NULL;
	cudnnTensorDescriptor_t place = matrix ? run->kit->matrix : run->kit->bias;
	size_t needed = 0;
	cudnnStatus_t status = run->calls.weights_size(handle, run->kit->rnn, &needed);

	if (!status)
		status = run->calls.weights_at(handle, run->kit->rnn, layer, needed, base, id, run->kit->matrix, &matrix_at, run->kit->bias,
					       &bias_at);
	if (status)
		return status;
	found = matrix ? matrix_at : bias_at;
	if (!found)
		return show_none(run, descriptor, at);
	status = show(run, place, (size_t)(found - base), size, descriptor);
	if (!status)
		*at = (char *)(uintptr_t)((uintptr_t)w + (size_t)(found - base));
	return status;
}

static cudnnStatus_t params(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int layer,
			    cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t weights, const void *w, int id, bool matrix,
			    cudnnFilterDescriptor_t descriptor, void **at)
{
	int vector, rank = 0, dim[8];
	size_t size = 0;
	cudnnDataType_t type, weights_type = 0;
	cudnnTensorFormat_t format;
	struct run run;
	const struct gw_rnn *entry = gw_rnn_find(rnn);
	cudnnStatus_t status;

	if (!entry || !weights || !descriptor || !at || id < 0 || id >= (matrix ? LAYERS_MATRIX : bias_count(entry->settings.cell)))
		return wrong(call);
	status = begin(&run, call);
	if (status)
		return status;
	status = gw_rnn_step_vector(call, &run.calls, x, false, &vector, &type);
	if (!status)
		status = run.calls.get_filter(weights, 3, &weights_type, &format, &rank, dim);
	if (!status && rank && weights_type != type)
		status = wrong(call);
	if (!status)
		status = run.calls.size_filter(weights, &size);
	if (!status)
		status = take(&run, handle, rnn, vector, type);
	if (!status)
		status = locate(&run, handle, layer, size, w, id, matrix, descriptor, at);
	end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_matrix(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				const int, const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t, const void *,
				const int, cudnnFilterDescriptor_t, void **), cudnnHandle_t handle,
				const cudnnRNNDescriptor_t rnnDesc, const int pseudoLayer, const cudnnTensorDescriptor_t xDesc,
				const cudnnFilterDescriptor_t wDesc, const void *w, const int linLayerID,
				cudnnFilterDescriptor_t linLayerMatDesc, void **linLayerMat)
{
	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, linLayerMatDesc, linLayerMat);
	return params(call, handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, true, linLayerMatDesc, linLayerMat);
}

cudnnStatus_t gw_via_rnn_bias(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t, const int,
			      const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t, const void *, const int,
			      cudnnFilterDescriptor_t, void **), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
			      const int pseudoLayer, const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc,
			      const void *w, const int linLayerID, cudnnFilterDescriptor_t linLayerBiasDesc,
			      void **linLayerBias)
{
	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, linLayerBiasDesc, linLayerBias);
	return params(call, handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, false, linLayerBiasDesc, linLayerBias);
}

/* What a computing call is given besides its sequences: of the hidden state and of the cell's one the descriptors, each with its memory. */
struct state {
	struct gw_rnn_part h[GW_RNN_PARTS], c[GW_RNN_PARTS];
	const void *hx, *cx;
	void *hy, *cy;
};

/* The one descriptor of each. */
struct tensors {
	cudnnTensorDescriptor_t h, c;
};

struct space {
	void *work, *reserve;
	size_t work_size, reserve_size;
};

static cudnnStatus_t tensors_of(const struct run *run, const struct state *s, struct tensors *tensors)
{
	cudnnStatus_t status = gw_rnn_one_tensor(run->call, &run->calls, s->h, &tensors->h);

	return status ? status : gw_rnn_one_tensor(run->call, &run->calls, s->c, &tensors->c);
}

static cudnnStatus_t weights_of(struct run *run, cudnnFilterDescriptor_t descriptor, size_t *size)
{
	return descriptor ? run->calls.size_filter(descriptor, size) : wrong(run->call);
}

/* As take, for a run: a dynamic persistent kernel wants the plan of cudnnSetPersistentRNNPlan; without one the library computes nothing, and says nothing. */
static cudnnStatus_t take_to_run(struct run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int input, cudnnDataType_t type)
{
	const struct gw_rnn *rnn = gw_rnn_find(descriptor);

	if (rnn && !rnn->own && !rnn->plan && rnn->settings.algo == GW_VALUE_CUDNN_RNN_ALGO_PERSIST_DYNAMIC)
		return gw_rnn_status(run->call, GW_RNN_INVALID_VALUE);
	return take(run, handle, descriptor, input, type);
}

/* Sequences X and Y, packed, into the kit's descriptors; for vectors of X. DY, when there is one, has to be as Y. */
static cudnnStatus_t take_packed(struct run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int count,
				 const cudnnTensorDescriptor_t *x, const cudnnTensorDescriptor_t *y, const cudnnTensorDescriptor_t *dy)
{
	struct gw_rnn_steps steps;
	int width = 0, other = 0;
	cudnnStatus_t status = gw_rnn_steps_read(run->call, &run->calls, count, x, &steps);

	if (!status)
		status = gw_rnn_steps_match(run->call, &run->calls, &steps, y, &width);
	if (!status && dy)
		status = gw_rnn_steps_match(run->call, &run->calls, &steps, dy, &other);
	if (!status && dy && other != width)
		status = wrong(run->call);
	if (!status)
		status = take_to_run(run, handle, descriptor, steps.vector, steps.type);
	if (!status)
		status = gw_rnn_steps_describe(&run->calls, &steps, steps.vector, run->kit->x);
	if (!status)
		status = gw_rnn_steps_describe(&run->calls, &steps, width, run->kit->y);
	gw_rnn_steps_finish(&steps);
	return status;
}

/* For the vectors of data that the caller describes itself. */
static cudnnStatus_t take_data(struct run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNDataDescriptor_t x)
{
	cudnnDataType_t type = 0;
	cudnnRNNDataLayout_t layout;
	int longest, batch, vector = 0;
	double fill[2];		/* of whatever type */
	cudnnStatus_t status;

	if (!x)
		return wrong(run->call);
	status = run->calls.get_data(x, &type, &layout, &longest, &batch, &vector, 0, NULL, fill);
	return status ? status : take_to_run(run, handle, descriptor, vector, type);
}

static cudnnStatus_t forward(struct run *run, cudnnHandle_t handle, cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x_data, const void *x,
			     cudnnRNNDataDescriptor_t y_data, void *y, const struct state *s, cudnnFilterDescriptor_t weights, const void *w,
			     const struct space *space)
{
	size_t size = 0;
	struct tensors t;
	cudnnStatus_t status = weights_of(run, weights, &size);

	if (!status)
		status = tensors_of(run, s, &t);
	return status ? status :
			run->calls.forward(handle, run->kit->rnn, mode, NULL, x_data, x, y_data, y, t.h, s->hx, s->hy, t.c, s->cx, s->cy, size, w,
					   space->work_size, space->work, space->reserve_size, space->reserve);
}

static cudnnStatus_t forward_packed(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
				    int count, const cudnnTensorDescriptor_t *x_steps, const void *x, const cudnnTensorDescriptor_t *y_steps,
				    void *y, const struct state *s, cudnnFilterDescriptor_t weights, const void *w, const struct space *space)
{
	struct run run;
	cudnnStatus_t status = begin(&run, call);

	if (status)
		return status;
	status = take_packed(&run, handle, rnn, count, x_steps, y_steps, NULL);
	if (!status)
		status = forward(&run, handle, mode, run.kit->x, x, run.kit->y, y, s, weights, w, space);
	end(&run);
	return status;
}

static cudnnStatus_t forward_data(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
				  cudnnRNNDataDescriptor_t x_data, const void *x, cudnnRNNDataDescriptor_t y_data, void *y,
				  const struct state *s, cudnnFilterDescriptor_t weights, const void *w, const struct space *space)
{
	struct run run;
	cudnnStatus_t status = begin(&run, call);

	if (status)
		return status;
	status = take_data(&run, handle, rnn, x_data);
	if (!status)
		status = forward(&run, handle, mode, x_data, x, y_data, y, s, weights, w, space);
	end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_inference(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				   const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				   const void *, const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t,
				   const void *, const cudnnTensorDescriptor_t *, void *, const cudnnTensorDescriptor_t, void *,
				   const cudnnTensorDescriptor_t, void *, void *, size_t), cudnnHandle_t handle,
				   const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				   const cudnnTensorDescriptor_t *xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc,
				   const void *hx, const cudnnTensorDescriptor_t cxDesc, const void *cx,
				   const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t *yDesc,
				   void *y, const cudnnTensorDescriptor_t hyDesc, void *hy,
				   const cudnnTensorDescriptor_t cyDesc, void *cy, void *workSpace, size_t workSpaceSizeInBytes)
{
	struct state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct space space = { workSpace, NULL, workSpaceSizeInBytes, 0 };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, workSpace, workSpaceSizeInBytes);
	return forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_training(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				  const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				  const void *, const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t,
				  const void *, const cudnnTensorDescriptor_t *, void *, const cudnnTensorDescriptor_t, void *,
				  const cudnnTensorDescriptor_t, void *, void *, size_t, void *, size_t), cudnnHandle_t handle,
				  const cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc,
				  const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx,
				  const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc,
				  const void *w, const cudnnTensorDescriptor_t *yDesc, void *y,
				  const cudnnTensorDescriptor_t hyDesc, void *hy, const cudnnTensorDescriptor_t cyDesc,
				  void *cy, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
				  size_t reserveSpaceSizeInBytes)
{
	struct state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	return forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_TRAINING, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

/* 8.x reserves the arguments for attention (keys, queries and what belongs to them), and does not look at them. */

cudnnStatus_t gw_via_rnn_inference_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				      const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t, const void *,
				      const cudnnRNNDataDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				      const cudnnTensorDescriptor_t, void *, const cudnnRNNDataDescriptor_t, const void *,
				      const cudnnRNNDataDescriptor_t, void *, const cudnnRNNDataDescriptor_t, void *,
				      const cudnnRNNDataDescriptor_t, void *, void *, size_t), cudnnHandle_t handle,
				      const cudnnRNNDescriptor_t rnnDesc, const cudnnRNNDataDescriptor_t xDesc, const void *x,
				      const cudnnTensorDescriptor_t hxDesc, const void *hx,
				      const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc,
				      const void *w, const cudnnRNNDataDescriptor_t yDesc, void *y,
				      const cudnnTensorDescriptor_t hyDesc, void *hy, const cudnnTensorDescriptor_t cyDesc,
				      void *cy, const cudnnRNNDataDescriptor_t kDesc, const void *keys,
				      const cudnnRNNDataDescriptor_t cDesc, void *cAttn, const cudnnRNNDataDescriptor_t iDesc,
				      void *iAttn, const cudnnRNNDataDescriptor_t qDesc, void *queries, void *workSpace,
				      size_t workSpaceSizeInBytes)
{
	struct state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct space space = { workSpace, NULL, workSpaceSizeInBytes, 0 };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy,
	      kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes);
	return forward_data(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_training_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				     const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				     const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t, const void *,
				     const cudnnRNNDataDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				     const cudnnTensorDescriptor_t, void *, const cudnnRNNDataDescriptor_t, const void *,
				     const cudnnRNNDataDescriptor_t, void *, const cudnnRNNDataDescriptor_t, void *,
				     const cudnnRNNDataDescriptor_t, void *, void *, size_t, void *, size_t),
				     cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				     const cudnnRNNDataDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc,
				     const void *hx, const cudnnTensorDescriptor_t cxDesc, const void *cx,
				     const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnRNNDataDescriptor_t yDesc,
				     void *y, const cudnnTensorDescriptor_t hyDesc, void *hy,
				     const cudnnTensorDescriptor_t cyDesc, void *cy, const cudnnRNNDataDescriptor_t kDesc,
				     const void *keys, const cudnnRNNDataDescriptor_t cDesc, void *cAttn,
				     const cudnnRNNDataDescriptor_t iDesc, void *iAttn, const cudnnRNNDataDescriptor_t qDesc,
				     void *queries, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
				     size_t reserveSpaceSizeInBytes)
{
	struct state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy,
	      kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes, reserveSpace,
	      reserveSpaceSizeInBytes);
	return forward_data(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_TRAINING, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

/* Gradients of one call: what comes in from above, and what goes out below. */
struct gradients {
	const void *y, *dy, *dhy, *dcy;
	void *dx, *dhx, *dcx;
};

static cudnnStatus_t backward_data(struct run *run, cudnnHandle_t handle, cudnnRNNDataDescriptor_t y_data, cudnnRNNDataDescriptor_t x_data,
				   const struct gradients *g, const struct state *s, cudnnFilterDescriptor_t weights, const void *w,
				   const struct space *space)
{
	size_t size = 0;
	struct tensors t;
	cudnnStatus_t status = weights_of(run, weights, &size);

	if (!status)
		status = tensors_of(run, s, &t);
	return status ? status :
			run->calls.backward_data(handle, run->kit->rnn, NULL, y_data, g->y, g->dy, x_data, g->dx, t.h, s->hx, g->dhy, g->dhx,
						 t.c, s->cx, g->dcy, g->dcx, size, w, space->work_size, space->work, space->reserve_size,
						 space->reserve);
}

static cudnnStatus_t backward_data_packed(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int count,
					  const cudnnTensorDescriptor_t *y_steps, const cudnnTensorDescriptor_t *dy_steps,
					  const cudnnTensorDescriptor_t *dx_steps, const struct gradients *g, const struct state *s,
					  cudnnFilterDescriptor_t weights, const void *w, const struct space *space)
{
	struct run run;
	cudnnStatus_t status = begin(&run, call);

	if (status)
		return status;
	if (!dy_steps)
		return wrong(call);
	status = take_packed(&run, handle, rnn, count, dx_steps, y_steps, dy_steps);
	if (!status)
		status = backward_data(&run, handle, run.kit->y, run.kit->x, g, s, weights, w, space);
	end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_data(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t, const int,
			      const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t *, const void *,
			      const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
			      const cudnnFilterDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
			      const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t *, void *,
			      const cudnnTensorDescriptor_t, void *, const cudnnTensorDescriptor_t, void *, void *, size_t,
			      void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
			      const cudnnTensorDescriptor_t *yDesc, const void *y, const cudnnTensorDescriptor_t *dyDesc,
			      const void *dy, const cudnnTensorDescriptor_t dhyDesc, const void *dhy,
			      const cudnnTensorDescriptor_t dcyDesc, const void *dcy, const cudnnFilterDescriptor_t wDesc,
			      const void *w, const cudnnTensorDescriptor_t hxDesc, const void *hx,
			      const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnTensorDescriptor_t *dxDesc,
			      void *dx, const cudnnTensorDescriptor_t dhxDesc, void *dhx, const cudnnTensorDescriptor_t dcxDesc,
			      void *dcx, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
			      size_t reserveSpaceSizeInBytes)
{
	struct gradients g = { y, dy, dhy, dcy, dx, dhx, dcx };
	struct state s = { { { hxDesc, hx }, { dhyDesc, dhy }, { dhxDesc, dhx } }, { { cxDesc, cx }, { dcyDesc, dcy }, { dcxDesc, dcx } }, hx, cx,
			   NULL, NULL };
	struct space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx,
	      cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, workSpace, workSpaceSizeInBytes, reserveSpace,
	      reserveSpaceSizeInBytes);
	return backward_data_packed(call, handle, rnnDesc, seqLength, yDesc, dyDesc, dxDesc, &g, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_data_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				 const cudnnRNNDataDescriptor_t, const void *, const cudnnRNNDataDescriptor_t, const void *,
				 const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				 const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t, const void *,
				 const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				 const cudnnRNNDataDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				 const cudnnTensorDescriptor_t, void *, const cudnnRNNDataDescriptor_t, void *, void *, size_t,
				 void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				 const cudnnRNNDataDescriptor_t yDesc, const void *y, const cudnnRNNDataDescriptor_t dyDesc,
				 const void *dy, const cudnnRNNDataDescriptor_t dcDesc, const void *dcAttn,
				 const cudnnTensorDescriptor_t dhyDesc, const void *dhy, const cudnnTensorDescriptor_t dcyDesc,
				 const void *dcy, const cudnnFilterDescriptor_t wDesc, const void *w,
				 const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t cxDesc,
				 const void *cx, const cudnnRNNDataDescriptor_t dxDesc, void *dx,
				 const cudnnTensorDescriptor_t dhxDesc, void *dhx, const cudnnTensorDescriptor_t dcxDesc,
				 void *dcx, const cudnnRNNDataDescriptor_t dkDesc, void *dkeys, void *workSpace,
				 size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gradients g = { y, dy, dhy, dcy, dx, dhx, dcx };
	struct state s = { { { hxDesc, hx }, { dhyDesc, dhy }, { dhxDesc, dhx } }, { { cxDesc, cx }, { dcyDesc, dcy }, { dcxDesc, dcx } }, hx, cx,
			   NULL, NULL };
	struct space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };
	struct run run;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, yDesc, y, dyDesc, dy, dcDesc, dcAttn, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc,
	      hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, dkDesc, dkeys, workSpace, workSpaceSizeInBytes,
	      reserveSpace, reserveSpaceSizeInBytes);
	status = begin(&run, call);
	if (status)
		return status;
	status = dyDesc && yDesc ? take_data(&run, handle, rnnDesc, dxDesc) : wrong(call);
	if (!status)
		status = gw_rnn_same_data(call, &run.calls, yDesc, dyDesc);
	if (!status)
		status = backward_data(&run, handle, yDesc, dxDesc, &g, &s, wDesc, w, &space);
	end(&run);
	return status;
}

static cudnnStatus_t backward_weights(struct run *run, cudnnHandle_t handle, cudnnRNNDataDescriptor_t x_data, const void *x,
				      cudnnTensorDescriptor_t h, const void *hx, cudnnRNNDataDescriptor_t y_data, const void *y,
				      cudnnFilterDescriptor_t weights, void *dw, const struct space *space)
{
	size_t size = 0;
	cudnnStatus_t status = weights_of(run, weights, &size);

	return status ? status :
			run->calls.backward_weights(handle, run->kit->rnn, GW_VALUE_CUDNN_WGRAD_MODE_ADD, NULL, x_data, x, h, hx, y_data, y,
						    size, dw, space->work_size, space->work, space->reserve_size, space->reserve);
}

static cudnnStatus_t backward_weights_packed(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int count,
					     const cudnnTensorDescriptor_t *x_steps, const void *x, cudnnTensorDescriptor_t h, const void *hx,
					     const cudnnTensorDescriptor_t *y_steps, const void *y, cudnnFilterDescriptor_t weights, void *dw,
					     const struct space *space)
{
	struct run run;
	cudnnStatus_t status = begin(&run, call);

	if (status)
		return status;
	status = take_packed(&run, handle, rnn, count, x_steps, y_steps, NULL);
	if (!status)
		status = backward_weights(&run, handle, run.kit->x, x, h, hx, run.kit->y, y, weights, dw, space);
	end(&run);
	return status;
}

/* 8.x promised to read these alone; the new call's types do not, though it does. */
static struct space space_of(const void *work, size_t work_size, const void *reserve, size_t reserve_size)
{
	return (struct space){ (void *)(uintptr_t)work, (void *)(uintptr_t)reserve, work_size, reserve_size };
}

cudnnStatus_t gw_via_rnn_weights(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				 const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				 const void *, const cudnnTensorDescriptor_t *, const void *, const void *, size_t,
				 const cudnnFilterDescriptor_t, void *, const void *, size_t), cudnnHandle_t handle,
				 const cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc,
				 const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx,
				 const cudnnTensorDescriptor_t *yDesc, const void *y, const void *workSpace,
				 size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void *dw,
				 const void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct space space = space_of(workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc,
	      dw, reserveSpace, reserveSpaceSizeInBytes);
	return backward_weights_packed(call, handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, dwDesc, dw, &space);
}

cudnnStatus_t gw_via_rnn_weights_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				    const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				    const cudnnRNNDataDescriptor_t, const void *, void *, size_t, const cudnnFilterDescriptor_t,
				    void *, void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				    const cudnnRNNDataDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc,
				    const void *hx, const cudnnRNNDataDescriptor_t yDesc, const void *y, void *workSpace,
				    size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void *dw,
				    void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct space space = space_of(workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	struct run run;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw,
	      reserveSpace, reserveSpaceSizeInBytes);
	status = begin(&run, call);
	if (status)
		return status;
	status = take_data(&run, handle, rnnDesc, xDesc);
	if (!status)
		status = backward_weights(&run, handle, xDesc, x, hxDesc, hx, yDesc, y, dwDesc, dw, &space);
	end(&run);
	return status;
}

/*
 * Finding an algorithm: the call is made once, with the algorithm that the descriptor has, and that is the one answer. Its time is 0,
 * since measuring it would take CUDA calls of ours.
 */

cudnnStatus_t gw_via_rnn_algorithm_count(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					 int *), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, int *count)
{
	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, count);
	(void)handle;
	if (!count || !gw_rnn_find(rnnDesc))
		return wrong(call);
	*count = 1;
	return 0;
}

/* The status with which the call ended becomes the result's; only a caller's error is the find's own. */
static cudnnStatus_t found(const struct gw_call *call, cudnnRNNDescriptor_t descriptor, cudnnStatus_t status, size_t memory, int requested,
			   int *returned, cudnnAlgorithmPerformance_t *results)
{
	const struct gw_rnn *rnn = gw_rnn_find(descriptor);
	int32_t told = gw_status_out(call, status);	/* as the caller numbers it: results are read as they are kept */
	struct gw_cell *cell;

	/* Of whatever finer kind: 8.x knows but one status for the caller's own error. */
	if (!rnn || told == gw_status_out(call, wrong(call)))
		return status;
	cell = gw_cell_of(results[0], GW_CELL_PERFORMANCE);
	if (!cell || requested < 1)
		return wrong(call);
	cell->own->number = rnn->settings.algo;
	cell->algorithm = cell->own;
	cell->number = told;
	cell->time = status ? -1 : 0;
	cell->memory = memory;
	*returned = 1;
	return 0;
}

static bool can_tell(int requested, const int *returned, const cudnnAlgorithmPerformance_t *results)
{
	return requested > 0 && returned && results && gw_cell_of(results[0], GW_CELL_PERFORMANCE);
}

cudnnStatus_t gw_via_rnn_find_inference(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
					const void *, const cudnnTensorDescriptor_t, const void *,
					const cudnnFilterDescriptor_t, const void *, const cudnnTensorDescriptor_t *, void *,
					const cudnnTensorDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
					const float, const int, int *, cudnnAlgorithmPerformance_t *, void *, size_t),
					cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
					const cudnnTensorDescriptor_t *xDesc, const void *x,
					const cudnnTensorDescriptor_t hxDesc, const void *hx,
					const cudnnTensorDescriptor_t cxDesc, const void *cx,
					const cudnnFilterDescriptor_t wDesc, const void *w,
					const cudnnTensorDescriptor_t *yDesc, void *y, const cudnnTensorDescriptor_t hyDesc,
					void *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, const float findIntensity,
					const int requestedAlgoCount, int *returnedAlgoCount,
					cudnnAlgorithmPerformance_t *perfResults, void *workspace, size_t workSpaceSizeInBytes)
{
	struct state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct space space = { workspace, NULL, workSpaceSizeInBytes, 0 };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, findIntensity, requestedAlgoCount, returnedAlgoCount, perfResults, workspace, workSpaceSizeInBytes);
	(void)findIntensity;
	if (!can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return wrong(call);
	status = forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
	return found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t gw_via_rnn_find_training(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				       const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				       const void *, const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t,
				       const void *, const cudnnTensorDescriptor_t *, void *, const cudnnTensorDescriptor_t,
				       void *, const cudnnTensorDescriptor_t, void *, const float, const int, int *,
				       cudnnAlgorithmPerformance_t *, void *, size_t, void *, size_t), cudnnHandle_t handle,
				       const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				       const cudnnTensorDescriptor_t *xDesc, const void *x,
				       const cudnnTensorDescriptor_t hxDesc, const void *hx,
				       const cudnnTensorDescriptor_t cxDesc, const void *cx,
				       const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t *yDesc,
				       void *y, const cudnnTensorDescriptor_t hyDesc, void *hy,
				       const cudnnTensorDescriptor_t cyDesc, void *cy, const float findIntensity,
				       const int requestedAlgoCount, int *returnedAlgoCount,
				       cudnnAlgorithmPerformance_t *perfResults, void *workspace, size_t workSpaceSizeInBytes,
				       void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct space space = { workspace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, findIntensity, requestedAlgoCount, returnedAlgoCount, perfResults, workspace, workSpaceSizeInBytes,
	      reserveSpace, reserveSpaceSizeInBytes);
	(void)findIntensity;
	if (!can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return wrong(call);
	status = forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_TRAINING, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
	return found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t gw_via_rnn_find_data(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				   const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t *,
				   const void *, const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t,
				   const void *, const cudnnFilterDescriptor_t, const void *, const cudnnTensorDescriptor_t,
				   const void *, const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t *,
				   void *, const cudnnTensorDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				   const float, const int, int *, cudnnAlgorithmPerformance_t *, void *, size_t, void *,
				   size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				   const cudnnTensorDescriptor_t *yDesc, const void *y, const cudnnTensorDescriptor_t *dyDesc,
				   const void *dy, const cudnnTensorDescriptor_t dhyDesc, const void *dhy,
				   const cudnnTensorDescriptor_t dcyDesc, const void *dcy, const cudnnFilterDescriptor_t wDesc,
				   const void *w, const cudnnTensorDescriptor_t hxDesc, const void *hx,
				   const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnTensorDescriptor_t *dxDesc,
				   void *dx, const cudnnTensorDescriptor_t dhxDesc, void *dhx,
				   const cudnnTensorDescriptor_t dcxDesc, void *dcx, const float findIntensity,
				   const int requestedAlgoCount, int *returnedAlgoCount,
				   cudnnAlgorithmPerformance_t *perfResults, void *workspace, size_t workSpaceSizeInBytes,
				   void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gradients g = { y, dy, dhy, dcy, dx, dhx, dcx };
	struct state s = { { { hxDesc, hx }, { dhyDesc, dhy }, { dhxDesc, dhx } }, { { cxDesc, cx }, { dcyDesc, dcy }, { dcxDesc, dcx } }, hx, cx,
			   NULL, NULL };
	struct space space = { workspace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx,
	      cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, findIntensity, requestedAlgoCount, returnedAlgoCount,
	      perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	(void)findIntensity;
	if (!can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return wrong(call);
	status = backward_data_packed(call, handle, rnnDesc, seqLength, yDesc, dyDesc, dxDesc, &g, &s, wDesc, w, &space);
	return found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t gw_via_rnn_find_weights(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				      const void *, const cudnnTensorDescriptor_t *, const void *, const float, const int,
				      int *, cudnnAlgorithmPerformance_t *, const void *, size_t, const cudnnFilterDescriptor_t,
				      void *, const void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				      const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
				      const cudnnTensorDescriptor_t hxDesc, const void *hx,
				      const cudnnTensorDescriptor_t *yDesc, const void *y, const float findIntensity,
				      const int requestedAlgoCount, int *returnedAlgoCount,
				      cudnnAlgorithmPerformance_t *perfResults, const void *workspace,
				      size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void *dw,
				      const void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct space space = space_of(workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, findIntensity, requestedAlgoCount,
	      returnedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace,
	      reserveSpaceSizeInBytes);
	(void)findIntensity;
	if (!can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return wrong(call);
	status = backward_weights_packed(call, handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, dwDesc, dw, &space);
	return found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}
