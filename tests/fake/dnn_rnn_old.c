/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn 8: the old RNN interface, with its persistent plans, and the algorithm descriptors. As 8.9.7 answers, where that was seen: on the
 * library itself, for all that it does without a GPU.
 */
#include "dnn_rnn.h"

#include <stdlib.h>
#include <string.h>

#ifdef fake_cudnnSetRNNDescriptor_v6

static struct dnn_rnn *known(cudnnRNNDescriptor_t descriptor)
{
	return dnn_is(descriptor, DNN_RNN) ? (struct dnn_rnn *)descriptor : NULL;
}

/* Everything that other setters set is as in a new descriptor again. */
cudnnStatus_t fake_cudnnSetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const int hidden, const int layers,
					    cudnnDropoutDescriptor_t dropout, cudnnRNNInputMode_t input_mode, cudnnDirectionMode_t direction,
					    cudnnRNNMode_t cell, cudnnRNNAlgo_t algo, cudnnDataType_t precision)
{
	struct dnn_rnn *own = known(descriptor), next;
	cudnnStatus_t status;

	if (!dnn_is(handle, DNN_HANDLE) || !own)
		return CUDNN_STATUS_BAD_PARAM;
	next = (struct dnn_rnn){ .head = own->head, .set = true, .algo = algo, .cell = cell, .bias = CUDNN_RNN_DOUBLE_BIAS,
				 .direction = direction, .input_mode = input_mode, .precision = precision, .hidden = hidden,
				 .projection = hidden, .layers = layers, .dropout = dropout };
	status = dnn_rnn_check(&next);
	if (!status)
		*own = next;
	return status;
}

cudnnStatus_t fake_cudnnGetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int *hidden, int *layers,
					    cudnnDropoutDescriptor_t *dropout, cudnnRNNInputMode_t *input_mode, cudnnDirectionMode_t *direction,
					    cudnnRNNMode_t *cell, cudnnRNNAlgo_t *algo, cudnnDataType_t *precision)
{
	const struct dnn_rnn *own = known(descriptor);

	if (!dnn_is(handle, DNN_HANDLE) || !own || !hidden || !layers || !dropout || !input_mode || !direction || !cell || !algo || !precision)
		return CUDNN_STATUS_BAD_PARAM;
	*hidden = own->hidden;
	*layers = own->layers;
	*dropout = own->dropout;
	*input_mode = own->input_mode;
	*direction = own->direction;
	*cell = own->cell;
	*algo = own->algo;
	*precision = own->precision;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t descriptor, cudnnMathType_t math)
{
	if (!known(descriptor) || (unsigned)math > CUDNN_FMA_MATH)
		return CUDNN_STATUS_BAD_PARAM;
	known(descriptor)->math = math;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetRNNMatrixMathType(cudnnRNNDescriptor_t descriptor, cudnnMathType_t *math)
{
	if (!known(descriptor) || !math)
		return CUDNN_STATUS_BAD_PARAM;
	*math = known(descriptor)->math;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetRNNBiasMode(cudnnRNNDescriptor_t descriptor, cudnnRNNBiasMode_t bias)
{
	if (!known(descriptor) || (unsigned)bias > CUDNN_RNN_SINGLE_REC_BIAS)
		return CUDNN_STATUS_BAD_PARAM;
	known(descriptor)->bias = bias;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetRNNBiasMode(cudnnRNNDescriptor_t descriptor, cudnnRNNBiasMode_t *bias)
{
	if (!known(descriptor) || !bias)
		return CUDNN_STATUS_BAD_PARAM;
	*bias = known(descriptor)->bias;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t descriptor, unsigned padding)
{
	if (!known(descriptor) || padding > CUDNN_RNN_PADDED_IO_ENABLED)
		return CUDNN_STATUS_BAD_PARAM;
	known(descriptor)->padding = padding;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetRNNPaddingMode(cudnnRNNDescriptor_t descriptor, unsigned *padding)
{
	if (!known(descriptor) || !padding)
		return CUDNN_STATUS_BAD_PARAM;
	*padding = known(descriptor)->padding;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetRNNProjectionLayers(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const int state, const int output)
{
	struct dnn_rnn *own = known(descriptor);

	if (!dnn_is(handle, DNN_HANDLE) || !own || state < 1 || output < 0)
		return CUDNN_STATUS_BAD_PARAM;
	if (state > own->hidden || output > own->hidden ||
	    (state < own->hidden && (own->cell != CUDNN_LSTM || own->algo != CUDNN_RNN_ALGO_STANDARD)))
		return CUDNN_STATUS_NOT_SUPPORTED;
	own->projection = state;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetRNNProjectionLayers(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, int *state, int *output)
{
	if (!dnn_is(handle, DNN_HANDLE) || !known(descriptor) || !state || !output)
		return CUDNN_STATUS_BAD_PARAM;
	*state = known(descriptor)->projection;
	*output = 0;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnRNNSetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan,
				   double low, double high)
{
	(void)handle;
	return fake_cudnnRNNSetClip_v8(descriptor, mode, nan, low, high);
}

cudnnStatus_t fake_cudnnRNNGetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan,
				   double *low, double *high)
{
	(void)handle;
	return fake_cudnnRNNGetClip_v8(descriptor, mode, nan, low, high);
}

struct dnn_plan {
	struct fake_head head;
	int batch;
};

cudnnStatus_t fake_cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t descriptor, const int batch, const cudnnDataType_t type,
						cudnnPersistentRNNPlan_t *plan)
{
	cudnnStatus_t status;

	(void)type;
	if (!known(descriptor) || batch < 1)
		return CUDNN_STATUS_BAD_PARAM;
	status = dnn_create((void **)plan, sizeof(struct dnn_plan), DNN_PLAN);
	if (!status)
		((struct dnn_plan *)*plan)->batch = batch;
	return status;
}

cudnnStatus_t fake_cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan_t plan)
{
	return dnn_destroy(plan, DNN_PLAN);
}

cudnnStatus_t fake_cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t descriptor, cudnnPersistentRNNPlan_t plan)
{
	if (!known(descriptor) || !dnn_is(plan, DNN_PLAN))
		return CUDNN_STATUS_BAD_PARAM;
	known(descriptor)->built = ((struct dnn_plan *)plan)->batch;
	return CUDNN_STATUS_SUCCESS;
}

/* A fully packed tensor of one step. */
static bool step_of(cudnnTensorDescriptor_t descriptor, int *batch, int *vector, cudnnDataType_t *type)
{
	const struct dnn_tensor *tensor = (struct dnn_tensor *)descriptor;

	if (!dnn_is(tensor, DNN_TENSOR) || !tensor->set || tensor->shape.rank < 2)
		return false;
	for (int i = 2; i < tensor->shape.rank; i++)
		if (tensor->shape.dim[i] != 1)
			return false;
	*batch = tensor->shape.dim[0];
	*vector = tensor->shape.dim[1];
	*type = tensor->type;
	return (*batch == 1 || tensor->shape.stride[0] == *vector) && (*vector == 1 || tensor->shape.stride[1] == 1);
}

/* The arrays of descriptors as sequences; what it returns is the caller's to free, NULL when they are no such thing. */
static int *lengths_of(int steps, const cudnnTensorDescriptor_t *descriptors, int *batch, int *vector, cudnnDataType_t *type)
{
	int *length = NULL;

	for (int t = 0; t < steps; t++) {
		int now, width;
		cudnnDataType_t element;

		if (!step_of(descriptors[t], &now, &width, &element))
			goto wrong;
		if (!length) {
			*batch = now;
			*vector = width;
			*type = element;
			length = calloc((size_t)now, sizeof *length);
		}
		if (now > *batch || width != *vector || element != *type || (t && length[now - 1] != t))
			goto wrong;
		for (int b = 0; b < now; b++)
			length[b] = t + 1;
	}
	return length;
wrong:
	free(length);
	return NULL;
}

/* Fills what the sequences and the descriptor say. The lengths in call->s are the caller's to free. */
static cudnnStatus_t begin(struct dnn_rnn_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int steps,
			   const cudnnTensorDescriptor_t *x)
{
	const struct dnn_rnn *own = known(descriptor);
	int batch = 0, vector = 0, lanes;
	cudnnDataType_t type;
	int *length;

	if (!dnn_is(handle, DNN_HANDLE) || !own || !own->set || steps < 1 || !x || !(length = lengths_of(steps, x, &batch, &vector, &type)))
		return CUDNN_STATUS_BAD_PARAM;
	call->s = (struct rnn_sequences){ .steps = steps, .batch = batch, .length = length, .layout = RNN_PACKED };
	if (!dnn_type(type, &call->type, &lanes) || (own->whole && (own->type != type || own->input != vector)) ||
	    dnn_rnn_network(own, vector, &call->rnn)) {
		free(length);
		return CUDNN_STATUS_BAD_PARAM;
	}
	return CUDNN_STATUS_SUCCESS;
}

static void end(struct dnn_rnn_call *call)
{
	free((void *)(uintptr_t)call->s.length);
}

/* Further arrays of descriptors are of the same batches, and of vectors of the output. */
static bool fits(const struct dnn_rnn_call *call, const cudnnTensorDescriptor_t *y)
{
	int batch = 0, vector = 0, *length;
	cudnnDataType_t type;
	bool same;

	if (!y)
		return false;
	length = lengths_of(call->s.steps, y, &batch, &vector, &type);
	same = length && batch == call->s.batch && vector == rnn_width(&call->rnn) &&
	       !memcmp(length, call->s.length, (size_t)batch * sizeof *length);
	free(length);
	return same;
}

static size_t filter_size(cudnnFilterDescriptor_t descriptor)
{
	size_t size = 0;

	return fake_cudnnGetFilterSizeInBytes(descriptor, &size) ? 0 : size;
}

cudnnStatus_t fake_cudnnGetRNNWorkspaceSize(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int steps,
					    const cudnnTensorDescriptor_t *x, size_t *size)
{
	struct dnn_rnn_call call = { 0 };
	cudnnStatus_t status = size ? begin(&call, handle, descriptor, steps, x) : CUDNN_STATUS_BAD_PARAM;

	if (status)
		return status;
	*size = dnn_rnn_work_size(&call.rnn, &call.s);
	end(&call);
	return status;
}

cudnnStatus_t fake_cudnnGetRNNTrainingReserveSize(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int steps,
						  const cudnnTensorDescriptor_t *x, size_t *size)
{
	struct dnn_rnn_call call = { 0 };
	cudnnStatus_t status = size ? begin(&call, handle, descriptor, steps, x) : CUDNN_STATUS_BAD_PARAM;

	if (status)
		return status;
	*size = dnn_rnn_reserve_size(&call.rnn, &call.s);
	end(&call);
	return status;
}

/* Questions for weights look at the vectors alone; whether they are fully packed, in whatever order, only the one for the size. */
static cudnnStatus_t begin_weights(struct dnn_rnn_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnTensorDescriptor_t x,
				   bool packed)
{
	const struct dnn_rnn *own = known(descriptor);
	const struct dnn_tensor *tensor = (struct dnn_tensor *)x;
	int64_t last = 1, count = 1;
	int lanes;

	if (!dnn_is(handle, DNN_HANDLE) || !own || !own->set || !dnn_is(tensor, DNN_TENSOR) || !tensor->set || tensor->shape.rank < 2)
		return CUDNN_STATUS_BAD_PARAM;
	for (int i = 0; i < tensor->shape.rank; i++) {
		count *= tensor->shape.dim[i];
		last += (int64_t)(tensor->shape.dim[i] - 1) * tensor->shape.stride[i];
	}
	if ((packed && count != last) || !dnn_type(tensor->type, &call->type, &lanes) ||
	    (own->whole && (own->type != tensor->type || own->input != tensor->shape.dim[1])))
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_rnn_network(own, tensor->shape.dim[1], &call->rnn);
}

cudnnStatus_t fake_cudnnGetRNNParamsSize(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const cudnnTensorDescriptor_t x,
					 size_t *size, cudnnDataType_t type)
{
	const struct dnn_tensor *tensor = (struct dnn_tensor *)x;
	struct dnn_rnn_call call = { 0 };
	cudnnStatus_t status = size ? begin_weights(&call, handle, descriptor, x, true) : CUDNN_STATUS_BAD_PARAM;

	if (status)
		return status;
	if (tensor->type == type)
		*size = (size_t)rnn_weights(&call.rnn) * fake_size(call.type);
	else
		status = CUDNN_STATUS_BAD_PARAM;
	return status;
}

static cudnnStatus_t params(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int layer, cudnnTensorDescriptor_t x,
			    cudnnFilterDescriptor_t weights, const void *w, int id, bool matrix, cudnnFilterDescriptor_t out, void **at)
{
	struct dnn_tensor *own = (struct dnn_tensor *)out;
	const struct dnn_tensor *wd = (struct dnn_tensor *)weights;
	struct dnn_rnn_call call = { 0 };
	struct rnn_place place;
	cudnnStatus_t status;

	if (!dnn_is(own, DNN_FILTER) || !dnn_is(wd, DNN_FILTER) || !at)
		return CUDNN_STATUS_BAD_PARAM;
	status = begin_weights(&call, handle, descriptor, x, false);
	if (status)
		return status;
	if (layer < 0 || layer >= call.rnn.layers * call.rnn.directions || id < 0 || id > 2 * rnn_gates(&call.rnn) - !matrix ||
	    (wd->set && wd->type != ((struct dnn_tensor *)x)->type))
		return CUDNN_STATUS_BAD_PARAM;
	place = matrix ? rnn_matrix(&call.rnn, layer, id) : rnn_bias(&call.rnn, layer, id);
	if (!place.rows) {
		struct fake_head head = own->head;

		memset(own, 0, sizeof *own);
		own->head = head;	/* as a new one */
		*at = NULL;
		return CUDNN_STATUS_SUCCESS;
	}
	if ((size_t)(place.at + (int64_t)place.rows * place.columns) * fake_size(call.type) > filter_size(weights))
		return CUDNN_STATUS_INVALID_VALUE;
	*at = (void *)((uintptr_t)w + (size_t)place.at * fake_size(call.type));
	return fake_cudnnSetFilterNdDescriptor(out, ((struct dnn_tensor *)x)->type, CUDNN_TENSOR_NCHW, 3,
					       (int[]){ 1, place.rows, place.columns });
}

cudnnStatus_t fake_cudnnGetRNNLinLayerMatrixParams(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int layer,
						   const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t weights, const void *w,
						   const int id, cudnnFilterDescriptor_t out, void **at)
{
	return params(handle, descriptor, layer, x, weights, w, id, true, out, at);
}

cudnnStatus_t fake_cudnnGetRNNLinLayerBiasParams(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int layer,
						 const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t weights, const void *w,
						 const int id, cudnnFilterDescriptor_t out, void **at)
{
	return params(handle, descriptor, layer, x, weights, w, id, false, out, at);
}

/* Statuses of what is told about spaces: one that the plan lacks is another than one that is too small. */
/* A state or its gradient. Without numbers its descriptor is not looked at. */
struct part {
	cudnnTensorDescriptor_t descriptor;
	const void *at;
};

/* All that has a state's shape. */
struct parts {
	struct part h[3], c[3];
};

static cudnnStatus_t fit(const struct dnn_rnn_call *call, const struct part part[3], int width)
{
	cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

	for (int i = 0; i < 3 && !status; i++)
		if (part[i].at)
			status = part[i].descriptor ? dnn_rnn_states_fit(call, part[i].descriptor, width) : CUDNN_STATUS_BAD_PARAM;
	return status;
}

static cudnnStatus_t ready(const struct dnn_rnn *own, const struct dnn_rnn_call *call, const struct parts *parts, bool training)
{
	cudnnStatus_t status = dnn_rnn_ready(own, call, training);

	if (!status)
		status = fit(call, parts->h, call->rnn.projection);
	return status ? status : fit(call, parts->c, call->rnn.hidden);
}

static cudnnStatus_t forward(struct dnn_rnn_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int steps,
			     const cudnnTensorDescriptor_t *xd, const void *x, const struct parts *parts, const cudnnTensorDescriptor_t *yd, void *y,
			     const struct rnn_states *states, bool training)
{
	cudnnStatus_t status = begin(call, handle, descriptor, steps, xd);

	if (status)
		return status;
	status = fits(call, yd) && x && y ? ready(known(descriptor), call, parts, training) : CUDNN_STATUS_BAD_PARAM;
	if (!status)
		status = dnn_rnn_run(call, training, x, y, states, NULL);
	end(call);
	return status;
}

cudnnStatus_t fake_cudnnRNNForwardInference(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int steps,
					    const cudnnTensorDescriptor_t *xd, const void *x, const cudnnTensorDescriptor_t hxd, const void *hx,
					    const cudnnTensorDescriptor_t cxd, const void *cx, const cudnnFilterDescriptor_t wd, const void *w,
					    const cudnnTensorDescriptor_t *yd, void *y, const cudnnTensorDescriptor_t hyd, void *hy,
					    const cudnnTensorDescriptor_t cyd, void *cy, void *work, size_t work_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(wd), .work_size = work_size, .w = w, .work = work };
	struct rnn_states states = { hx, cx, hy, cy };
	struct parts parts = { { { hxd, hx }, { hyd, hy } }, { { cxd, cx }, { cyd, cy } } };

	return forward(&call, handle, descriptor, steps, xd, x, &parts, yd, y, &states, false);
}

cudnnStatus_t fake_cudnnRNNForwardTraining(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int steps,
					   const cudnnTensorDescriptor_t *xd, const void *x, const cudnnTensorDescriptor_t hxd, const void *hx,
					   const cudnnTensorDescriptor_t cxd, const void *cx, const cudnnFilterDescriptor_t wd, const void *w,
					   const cudnnTensorDescriptor_t *yd, void *y, const cudnnTensorDescriptor_t hyd, void *hy,
					   const cudnnTensorDescriptor_t cyd, void *cy, void *work, size_t work_size, void *reserve,
					   size_t reserve_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(wd), .work_size = work_size, .reserve_size = reserve_size, .w = w, .work = work,
				     .reserve = reserve };
	struct rnn_states states = { hx, cx, hy, cy };
	struct parts parts = { { { hxd, hx }, { hyd, hy } }, { { cxd, cx }, { cyd, cy } } };

	return forward(&call, handle, descriptor, steps, xd, x, &parts, yd, y, &states, true);
}

cudnnStatus_t fake_cudnnRNNBackwardData(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int steps,
					const cudnnTensorDescriptor_t *yd, const void *y, const cudnnTensorDescriptor_t *dyd, const void *dy,
					const cudnnTensorDescriptor_t dhyd, const void *dhy, const cudnnTensorDescriptor_t dcyd, const void *dcy,
					const cudnnFilterDescriptor_t wd, const void *w, const cudnnTensorDescriptor_t hxd, const void *hx,
					const cudnnTensorDescriptor_t cxd, const void *cx, const cudnnTensorDescriptor_t *dxd, void *dx,
					const cudnnTensorDescriptor_t dhxd, void *dhx, const cudnnTensorDescriptor_t dcxd, void *dcx, void *work,
					size_t work_size, void *reserve, size_t reserve_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(wd), .work_size = work_size, .reserve_size = reserve_size, .w = w, .work = work,
				     .reserve = reserve };
	struct rnn_states states = { .hx = hx, .cx = cx };
	struct rnn_gradients g = { dy, dhy, dcy, dx, dhx, dcx };
	struct parts parts = { { { hxd, hx }, { dhyd, dhy }, { dhxd, dhx } }, { { cxd, cx }, { dcyd, dcy }, { dcxd, dcx } } };
	cudnnStatus_t status = begin(&call, handle, descriptor, steps, dxd);

	if (status)
		return status;
	status = fits(&call, yd) && fits(&call, dyd) && y && dy && dx ? ready(known(descriptor), &call, &parts, true) : CUDNN_STATUS_BAD_PARAM;
	if (!status)
		rnn_backward_data(&call.rnn, &call.s, call.type, w, &states, &g, reserve);
	end(&call);
	return status;
}

cudnnStatus_t fake_cudnnRNNBackwardWeights(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const int steps,
					   const cudnnTensorDescriptor_t *xd, const void *x, const cudnnTensorDescriptor_t hxd, const void *hx,
					   const cudnnTensorDescriptor_t *yd, const void *y, const void *work, size_t work_size,
					   const cudnnFilterDescriptor_t dwd, void *dw, const void *reserve, size_t reserve_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(dwd), .work_size = work_size, .reserve_size = reserve_size, .w = dw,
				     .work = (void *)(uintptr_t)work, .reserve = (void *)(uintptr_t)reserve };
	struct parts parts = { .h = { { hxd, hx } } };
	cudnnStatus_t status = begin(&call, handle, descriptor, steps, xd);

	if (status)
		return status;
	status = fits(&call, yd) && x && y ? ready(known(descriptor), &call, &parts, true) : CUDNN_STATUS_BAD_PARAM;
	if (!status)
		rnn_backward_weights(&call.rnn, &call.s, call.type, hx, dw, true, reserve);
	end(&call);
	return status;
}

/* The Ex forms: data descriptors instead of arrays. */
static cudnnStatus_t begin_data(struct dnn_rnn_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNDataDescriptor_t x,
				cudnnRNNDataDescriptor_t y, const struct parts *parts, bool training)
{
	const struct dnn_rnn_data *in = (struct dnn_rnn_data *)x, *out = (struct dnn_rnn_data *)y;
	const struct dnn_rnn *own = known(descriptor);
	int lanes;

	if (!dnn_is(handle, DNN_HANDLE) || !own || !own->set || dnn_rnn_sequences(in, &call->s) || !dnn_is(out, DNN_RNN_DATA) ||
	    !dnn_type(in->type, &call->type, &lanes) || (own->whole && (own->type != in->type || own->input != in->vector)) ||
	    dnn_rnn_network(own, in->vector, &call->rnn) || out->vector != rnn_width(&call->rnn) || out->layout != in->layout ||
	    out->batch != in->batch || out->steps != in->steps || memcmp(out->length, in->length, (size_t)in->batch * sizeof(int)))
		return CUDNN_STATUS_BAD_PARAM;
	return ready(own, call, parts, training);
}

static cudnnStatus_t forward_data(struct dnn_rnn_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNDataDescriptor_t xd,
				  const void *x, const struct parts *parts, cudnnRNNDataDescriptor_t yd, void *y, const struct rnn_states *states,
				  bool training)
{
	const struct dnn_rnn_data *out = (struct dnn_rnn_data *)yd;
	cudnnStatus_t status = begin_data(call, handle, descriptor, xd, yd, parts, training);

	if (!status && (!x || !y))
		status = CUDNN_STATUS_BAD_PARAM;
	return status ? status : dnn_rnn_run(call, training, x, y, states, out->fills ? out->fill : NULL);
}

cudnnStatus_t fake_cudnnRNNForwardInferenceEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const cudnnRNNDataDescriptor_t xd,
					      const void *x, const cudnnTensorDescriptor_t hxd, const void *hx, const cudnnTensorDescriptor_t cxd,
					      const void *cx, const cudnnFilterDescriptor_t wd, const void *w, const cudnnRNNDataDescriptor_t yd,
					      void *y, const cudnnTensorDescriptor_t hyd, void *hy, const cudnnTensorDescriptor_t cyd, void *cy,
					      const cudnnRNNDataDescriptor_t kd, const void *keys, const cudnnRNNDataDescriptor_t cd, void *ca,
					      const cudnnRNNDataDescriptor_t id, void *ia, const cudnnRNNDataDescriptor_t qd, void *queries,
					      void *work, size_t work_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(wd), .work_size = work_size, .w = w, .work = work };
	struct rnn_states states = { hx, cx, hy, cy };
	struct parts parts = { { { hxd, hx }, { hyd, hy } }, { { cxd, cx }, { cyd, cy } } };

	(void)kd, (void)keys, (void)cd, (void)ca, (void)id, (void)ia, (void)qd, (void)queries;	/* reserved */
	return forward_data(&call, handle, descriptor, xd, x, &parts, yd, y, &states, false);
}

cudnnStatus_t fake_cudnnRNNForwardTrainingEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const cudnnRNNDataDescriptor_t xd,
					     const void *x, const cudnnTensorDescriptor_t hxd, const void *hx, const cudnnTensorDescriptor_t cxd,
					     const void *cx, const cudnnFilterDescriptor_t wd, const void *w, const cudnnRNNDataDescriptor_t yd,
					     void *y, const cudnnTensorDescriptor_t hyd, void *hy, const cudnnTensorDescriptor_t cyd, void *cy,
					     const cudnnRNNDataDescriptor_t kd, const void *keys, const cudnnRNNDataDescriptor_t cd, void *ca,
					     const cudnnRNNDataDescriptor_t id, void *ia, const cudnnRNNDataDescriptor_t qd, void *queries,
					     void *work, size_t work_size, void *reserve, size_t reserve_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(wd), .work_size = work_size, .reserve_size = reserve_size, .w = w, .work = work,
				     .reserve = reserve };
	struct rnn_states states = { hx, cx, hy, cy };
	struct parts parts = { { { hxd, hx }, { hyd, hy } }, { { cxd, cx }, { cyd, cy } } };

	(void)kd, (void)keys, (void)cd, (void)ca, (void)id, (void)ia, (void)qd, (void)queries;	/* reserved */
	return forward_data(&call, handle, descriptor, xd, x, &parts, yd, y, &states, true);
}

static bool same_data(const struct dnn_rnn_data *a, const struct dnn_rnn_data *b)
{
	return dnn_is(b, DNN_RNN_DATA) && b->set && a->type == b->type && a->layout == b->layout && a->steps == b->steps && a->batch == b->batch &&
	       a->vector == b->vector && !memcmp(a->length, b->length, (size_t)a->batch * sizeof(int));
}

cudnnStatus_t fake_cudnnRNNBackwardDataEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const cudnnRNNDataDescriptor_t yd,
					  const void *y, const cudnnRNNDataDescriptor_t dyd, const void *dy, const cudnnRNNDataDescriptor_t dcd,
					  const void *dca, const cudnnTensorDescriptor_t dhyd, const void *dhy, const cudnnTensorDescriptor_t dcyd,
					  const void *dcy, const cudnnFilterDescriptor_t wd, const void *w, const cudnnTensorDescriptor_t hxd,
					  const void *hx, const cudnnTensorDescriptor_t cxd, const void *cx, const cudnnRNNDataDescriptor_t dxd,
					  void *dx, const cudnnTensorDescriptor_t dhxd, void *dhx, const cudnnTensorDescriptor_t dcxd, void *dcx,
					  const cudnnRNNDataDescriptor_t dkd, void *dkeys, void *work, size_t work_size, void *reserve,
					  size_t reserve_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(wd), .work_size = work_size, .reserve_size = reserve_size, .w = w, .work = work,
				     .reserve = reserve };
	struct rnn_states states = { .hx = hx, .cx = cx };
	struct rnn_gradients g = { dy, dhy, dcy, dx, dhx, dcx };
	struct parts parts = { { { hxd, hx }, { dhyd, dhy }, { dhxd, dhx } }, { { cxd, cx }, { dcyd, dcy }, { dcxd, dcx } } };
	cudnnStatus_t status;

	(void)dcd, (void)dca, (void)dkd, (void)dkeys;	/* reserved */
	status = begin_data(&call, handle, descriptor, dxd, yd, &parts, true);
	if (!status && (!y || !dy || !dx || !same_data((struct dnn_rnn_data *)yd, (struct dnn_rnn_data *)dyd)))
		status = CUDNN_STATUS_BAD_PARAM;
	if (!status)
		rnn_backward_data(&call.rnn, &call.s, call.type, w, &states, &g, reserve);
	return status;
}

cudnnStatus_t fake_cudnnRNNBackwardWeightsEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, const cudnnRNNDataDescriptor_t xd,
					     const void *x, const cudnnTensorDescriptor_t hxd, const void *hx, const cudnnRNNDataDescriptor_t yd,
					     const void *y, void *work, size_t work_size, const cudnnFilterDescriptor_t dwd, void *dw, void *reserve,
					     size_t reserve_size)
{
	struct dnn_rnn_call call = { .weights_size = filter_size(dwd), .work_size = work_size, .reserve_size = reserve_size, .w = dw, .work = work,
				     .reserve = reserve };
	struct parts parts = { .h = { { hxd, hx } } };
	cudnnStatus_t status = begin_data(&call, handle, descriptor, xd, yd, &parts, true);

	if (!status && (!x || !y))
		status = CUDNN_STATUS_BAD_PARAM;
	if (!status)
		rnn_backward_weights(&call.rnn, &call.s, call.type, hx, dw, true, reserve);
	return status;
}

#endif
