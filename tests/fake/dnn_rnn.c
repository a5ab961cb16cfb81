/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: RNN descriptors, and the RNN interface that 8 and 9 share. */
#include "dnn_rnn.h"

#include <stdlib.h>
#include <string.h>

cudnnStatus_t fake_cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t *out)
{
	cudnnStatus_t status = dnn_create((void **)out, sizeof(struct dnn_rnn), DNN_RNN);

	if (!status)
		((struct dnn_rnn *)*out)->bias = CUDNN_RNN_DOUBLE_BIAS;
	return status;
}

cudnnStatus_t fake_cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor)
{
	return dnn_destroy(descriptor, DNN_RNN);
}

/* A projection, and skipping the input's matrices, only as the library has them. */
cudnnStatus_t dnn_rnn_check(const struct dnn_rnn *own)
{
	if (own->hidden < 1 || own->layers < 1 || own->projection < 1 || (unsigned)own->cell > CUDNN_GRU ||
	    (unsigned)own->bias > CUDNN_RNN_SINGLE_REC_BIAS || (unsigned)own->direction > CUDNN_BIDIRECTIONAL ||
	    (unsigned)own->input_mode > CUDNN_SKIP_INPUT || (unsigned)own->algo >= CUDNN_RNN_ALGO_COUNT ||
	    own->padding > CUDNN_RNN_PADDED_IO_ENABLED || (unsigned)own->math > CUDNN_FMA_MATH)
		return CUDNN_STATUS_BAD_PARAM;
	if (own->projection > own->hidden)
		return CUDNN_STATUS_NOT_SUPPORTED;
	if (own->projection < own->hidden && (own->cell != CUDNN_LSTM || own->algo != CUDNN_RNN_ALGO_STANDARD))
		return CUDNN_STATUS_NOT_SUPPORTED;
	if (own->dropout)
		return CUDNN_STATUS_NOT_SUPPORTED;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
					    cudnnDirectionMode_t direction, cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
					    cudnnDataType_t precision, cudnnMathType_t math, int32_t input, int32_t hidden, int32_t projection,
					    int32_t layers, cudnnDropoutDescriptor_t dropout, uint32_t flags)
{
	struct dnn_rnn *own = (struct dnn_rnn *)descriptor, next;
	cudnnStatus_t status;

	if (!dnn_is(own, DNN_RNN) || input < 1)
		return CUDNN_STATUS_BAD_PARAM;
	next = (struct dnn_rnn){ .head = own->head, .set = true, .whole = true, .algo = algo, .cell = cell, .bias = bias, .direction = direction,
				 .input_mode = input_mode, .type = type, .precision = precision, .math = math, .input = input, .hidden = hidden,
				 .projection = projection, .layers = layers, .dropout = dropout, .padding = flags };
	status = dnn_rnn_check(&next);
	if (!status && ((type == CUDNN_DATA_DOUBLE) != (precision == CUDNN_DATA_DOUBLE) ||
			(type == CUDNN_DATA_FLOAT && precision != CUDNN_DATA_FLOAT)))
		status = CUDNN_STATUS_NOT_SUPPORTED;
	if (!status)
		*own = next;
	return status;
}

cudnnStatus_t fake_cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t *algo, cudnnRNNMode_t *cell,
					    cudnnRNNBiasMode_t *bias, cudnnDirectionMode_t *direction, cudnnRNNInputMode_t *input_mode,
					    cudnnDataType_t *type, cudnnDataType_t *precision, cudnnMathType_t *math, int32_t *input,
					    int32_t *hidden, int32_t *projection, int32_t *layers, cudnnDropoutDescriptor_t *dropout,
					    uint32_t *flags)
{
	const struct dnn_rnn *own = (struct dnn_rnn *)descriptor;

	if (!dnn_is(own, DNN_RNN))
		return CUDNN_STATUS_BAD_PARAM;
	if (!own->whole)
		return CUDNN_STATUS_NOT_INITIALIZED;
	*algo = own->algo;
	*cell = own->cell;
	*bias = own->bias;
	*direction = own->direction;
	*input_mode = own->input_mode;
	*type = own->type;
	*precision = own->precision;
	*math = own->math;
	*input = own->input;
	*hidden = own->hidden;
	*projection = own->projection;
	*layers = own->layers;
	*dropout = own->dropout;
	*flags = own->padding;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnRNNSetClip_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan, double low, double high)
{
	struct dnn_rnn *own = (struct dnn_rnn *)descriptor;

	if (!dnn_is(own, DNN_RNN) || (unsigned)mode > CUDNN_RNN_CLIP_MINMAX || low > high)
		return CUDNN_STATUS_BAD_PARAM;
	own->clip = mode;
	own->clip_nan = nan;
	own->low = low;
	own->high = high;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnRNNGetClip_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan, double *low,
				      double *high)
{
	const struct dnn_rnn *own = (struct dnn_rnn *)descriptor;

	if (!dnn_is(own, DNN_RNN) || !mode || !nan || !low || !high)
		return CUDNN_STATUS_BAD_PARAM;
	*mode = own->clip;
	*nan = own->clip_nan;
	*low = own->low;
	*high = own->high;
	return CUDNN_STATUS_SUCCESS;
}

#ifdef fake_cudnnRNNSetClip_v9
cudnnStatus_t fake_cudnnRNNSetClip_v9(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t mode, double low, double high)
{
	return fake_cudnnRNNSetClip_v8(descriptor, mode, CUDNN_NOT_PROPAGATE_NAN, low, high);
}

cudnnStatus_t fake_cudnnRNNGetClip_v9(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t *mode, double *low, double *high)
{
	cudnnNanPropagation_t nan;

	return fake_cudnnRNNGetClip_v8(descriptor, mode, &nan, low, high);
}
#endif

cudnnStatus_t fake_cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int batch)
{
	struct dnn_rnn *own = (struct dnn_rnn *)descriptor;

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(own, DNN_RNN) || !own->set || own->algo != CUDNN_RNN_ALGO_PERSIST_DYNAMIC || batch < 1)
		return CUDNN_STATUS_BAD_PARAM;
	own->built = batch;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *out)
{
	return dnn_create((void **)out, sizeof(struct dnn_rnn_data), DNN_RNN_DATA);
}

cudnnStatus_t fake_cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor)
{
	struct dnn_rnn_data *own = (struct dnn_rnn_data *)descriptor;

	if (dnn_is(own, DNN_RNN_DATA))
		free(own->length);
	return dnn_destroy(own, DNN_RNN_DATA);
}

/* The longest sequence of packed data is as long as the descriptor says. */
static bool lengths_fit(cudnnRNNDataLayout_t layout, int steps, int batch, const int *length)
{
	int longest = 0;

	for (int b = 0; b < batch; b++) {
		if (length[b] < (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) || length[b] > steps)
			return false;
		longest = length[b] > longest ? length[b] : longest;
	}
	return layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED || longest == steps;
}

cudnnStatus_t fake_cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type, cudnnRNNDataLayout_t layout, int steps,
					     int batch, int vector, const int length[], void *fill)
{
	struct dnn_rnn_data *own = (struct dnn_rnn_data *)descriptor;
	enum fake_type element;
	int lanes, *copy;

	if (!dnn_is(own, DNN_RNN_DATA) || steps < 1 || batch < 1 || vector < 1 || !length || !dnn_type(type, &element, &lanes) || lanes > 1 ||
	    (unsigned)layout > CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED || !lengths_fit(layout, steps, batch, length))
		return CUDNN_STATUS_BAD_PARAM;
	copy = malloc((size_t)batch * sizeof *copy);
	if (!copy)
		return DNN_NO_MEMORY;
	memcpy(copy, length, (size_t)batch * sizeof *copy);
	free(own->length);
	*own = (struct dnn_rnn_data){ .head = own->head, .set = true, .type = type, .layout = layout, .steps = steps, .batch = batch,
				      .vector = vector, .length = copy, .fills = fill };
	if (fill)
		memcpy(own->fill, fill, fake_size(element));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t *type, cudnnRNNDataLayout_t *layout, int *steps,
					     int *batch, int *vector, int requested, int length[], void *fill)
{
	const struct dnn_rnn_data *own = (struct dnn_rnn_data *)descriptor;
	enum fake_type element;
	int lanes;

	if (!dnn_is(own, DNN_RNN_DATA) || !type || !layout || !steps || !batch || !vector || !fill || (requested && !length))
		return CUDNN_STATUS_BAD_PARAM;
	*type = own->type;
	*layout = own->layout;
	*steps = own->steps;
	*batch = own->batch;
	*vector = own->vector;
	for (int b = 0; b < requested && b < own->batch; b++)
		length[b] = own->length[b];
	if (dnn_type(own->type, &element, &lanes) && own->fills)
		memcpy(fill, own->fill, fake_size(element));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_rnn_network(const struct dnn_rnn *own, int input, struct rnn *rnn)
{
	static const enum rnn_cell cells[] = { [CUDNN_RNN_RELU] = RNN_RELU, [CUDNN_RNN_TANH] = RNN_TANH, [CUDNN_LSTM] = RNN_LSTM,
					       [CUDNN_GRU] = RNN_GRU };

	if (!dnn_is(own, DNN_RNN) || !own->set || (own->input_mode == CUDNN_SKIP_INPUT && input != own->hidden))
		return CUDNN_STATUS_BAD_PARAM;
	*rnn = (struct rnn){
		.cell = cells[own->cell], .directions = own->direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
		.skip = own->input_mode == CUDNN_SKIP_INPUT, .input = input, .hidden = own->hidden, .projection = own->projection,
		.layers = own->layers, .clips = own->clip != CUDNN_RNN_CLIP_NONE && own->cell == CUDNN_LSTM, .low = own->low, .high = own->high,
		.input_bias = own->bias == CUDNN_RNN_DOUBLE_BIAS || own->bias == CUDNN_RNN_SINGLE_INP_BIAS,
		.state_bias = own->bias == CUDNN_RNN_DOUBLE_BIAS || own->bias == CUDNN_RNN_SINGLE_REC_BIAS,
	};
#ifndef fake_cudnnSetRNNDescriptor_v6
	rnn->mixed = true;	/* so that nobody who knows 8's layout gets by without asking for it */
#endif
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_rnn_sequences(const struct dnn_rnn_data *data, struct rnn_sequences *s)
{
	if (!dnn_is(data, DNN_RNN_DATA) || !data->set)
		return CUDNN_STATUS_BAD_PARAM;
	*s = (struct rnn_sequences){ .steps = data->steps, .batch = data->batch, .length = data->length };
	s->layout = data->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED ? RNN_PACKED :
		    data->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED ? RNN_BY_STEP : RNN_BY_SEQUENCE;
	return CUDNN_STATUS_SUCCESS;
}

/* 9 wants more than 8. */
size_t dnn_rnn_work_size(const struct rnn *rnn, const struct rnn_sequences *s)
{
	return (size_t)(rnn->mixed ? 96 : 64) * (size_t)(rnn->hidden * s->batch);
}

size_t dnn_rnn_reserve_size(const struct rnn *rnn, const struct rnn_sequences *s)
{
	return (size_t)rnn_kept(rnn, s) * sizeof(double) + (rnn->mixed ? 256 : 0);
}

cudnnStatus_t dnn_rnn_ready(const struct dnn_rnn *own, const struct dnn_rnn_call *call, bool training)
{
	if (call->weights_size < (size_t)rnn_weights(&call->rnn) * fake_size(call->type) || (call->weights_size && !call->w))
		return CUDNN_STATUS_BAD_PARAM;
	if (call->work_size < dnn_rnn_work_size(&call->rnn, &call->s) || !call->work)
		return CUDNN_STATUS_BAD_PARAM;
	if (training && (call->reserve_size < dnn_rnn_reserve_size(&call->rnn, &call->s) || !call->reserve))
		return CUDNN_STATUS_BAD_PARAM;
	if (call->s.layout != RNN_PACKED && own->padding != CUDNN_RNN_PADDED_IO_ENABLED)
		return CUDNN_STATUS_BAD_PARAM;
#ifdef fake_cudnnSetPersistentRNNPlan
	if (own->algo == CUDNN_RNN_ALGO_PERSIST_DYNAMIC && !own->built)
		return CUDNN_STATUS_INVALID_VALUE;
#endif
	/* Compiled for another batch, or for none. */
	if (own->algo == CUDNN_RNN_ALGO_PERSIST_DYNAMIC && own->built != call->s.batch)
		return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_rnn_states_fit(const struct dnn_rnn_call *call, const void *descriptor, int width)
{
	const struct dnn_tensor *tensor = descriptor;

	if (!tensor)
		return CUDNN_STATUS_SUCCESS;
	if (!dnn_is(tensor, DNN_TENSOR) || !tensor->set || tensor->shape.rank < 3 ||
	    tensor->shape.dim[0] != call->rnn.layers * call->rnn.directions || tensor->shape.dim[1] != call->s.batch ||
	    tensor->shape.dim[2] != width)
		return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_rnn_run(const struct dnn_rnn_call *call, bool training, const void *x, void *y, const struct rnn_states *states,
			  const void *fill)
{
	double *kept = training ? call->reserve : calloc((size_t)rnn_kept(&call->rnn, &call->s), sizeof *kept);

	if (!kept)
		return DNN_NO_MEMORY;
	/* Whoever relies on what the workspace held is shown that it is not kept. */
	memset(call->work, 0x7e, call->work_size);
	rnn_forward(&call->rnn, &call->s, call->type, call->w, x, y, states, fill, kept);
	if (!training)
		free(kept);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
					     cudnnRNNDataDescriptor_t x, size_t *work, size_t *reserve)
{
	const struct dnn_rnn *own = (struct dnn_rnn *)descriptor;
	struct rnn_sequences s;
	struct rnn rnn;

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(own, DNN_RNN) || !own->whole || dnn_rnn_sequences((struct dnn_rnn_data *)x, &s) ||
	    ((struct dnn_rnn_data *)x)->vector != own->input || dnn_rnn_network(own, own->input, &rnn))
		return CUDNN_STATUS_BAD_PARAM;
	if (work)
		*work = dnn_rnn_work_size(&rnn, &s);
	if (reserve)
		*reserve = mode == CUDNN_FWD_MODE_TRAINING ? dnn_rnn_reserve_size(&rnn, &s) : 0;
	return CUDNN_STATUS_SUCCESS;
}

/* The network of a descriptor that the new call set, and the type of its numbers. */
static cudnnStatus_t whole(cudnnHandle_t handle, const struct dnn_rnn *own, struct rnn *rnn, enum fake_type *type)
{
	int lanes;

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(own, DNN_RNN) || !own->whole || !dnn_type(own->type, type, &lanes))
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_rnn_network(own, own->input, rnn);
}

cudnnStatus_t fake_cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, size_t *size)
{
	enum fake_type type;
	struct rnn rnn;
	cudnnStatus_t status = whole(handle, (struct dnn_rnn *)descriptor, &rnn, &type);

	if (!status && !size)
		status = CUDNN_STATUS_BAD_PARAM;
	if (!status)
		*size = (size_t)rnn_weights(&rnn) * fake_size(type);
	return status;
}

/* What does not exist is NULL and has no dimensions. */
static void show(struct rnn_place place, const void *weights, cudnnDataType_t type, size_t size, struct dnn_tensor *descriptor, void **at)
{
	*at = place.rows ? (char *)(uintptr_t)weights + (size_t)place.at * size : NULL;
	descriptor->set = true;
	descriptor->shape.rank = 0;
	if (place.rows)
		fake_cudnnSetTensorNdDescriptor((cudnnTensorDescriptor_t)descriptor, type, 3, (int[]){ 1, place.rows, place.columns },
						(int[]){ place.rows * place.columns, place.columns, 1 });
}

cudnnStatus_t fake_cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int32_t layer, size_t weights_size,
					   const void *weights, int32_t id, cudnnTensorDescriptor_t matrix, void **matrix_at,
					   cudnnTensorDescriptor_t bias, void **bias_at)
{
	const struct dnn_rnn *own = (struct dnn_rnn *)descriptor;
	enum fake_type type;
	struct rnn rnn;
	cudnnStatus_t status = whole(handle, own, &rnn, &type);

	if (status)
		return status;
	if (!weights || !matrix_at || !bias_at || !dnn_is(matrix, DNN_TENSOR) || !dnn_is(bias, DNN_TENSOR) || layer < 0 ||
	    layer >= rnn.layers * rnn.directions || id < 0 || id > 2 * rnn_gates(&rnn) ||
	    weights_size < (size_t)rnn_weights(&rnn) * fake_size(type))
		return CUDNN_STATUS_BAD_PARAM;
	show(rnn_matrix(&rnn, layer, id), weights, own->type, fake_size(type), (struct dnn_tensor *)matrix, matrix_at);
	show(rnn_bias(&rnn, layer, id), weights, own->type, fake_size(type), (struct dnn_tensor *)bias, bias_at);
	return CUDNN_STATUS_SUCCESS;
}

/* Lengths on the device, where a program gives them, are those of the descriptor. */
static bool same_lengths(const int32_t *device, const struct rnn_sequences *s)
{
	for (int b = 0; device && b < s->batch; b++)
		if (device[b] != s->length[b])
			return false;
	return true;
}

static cudnnStatus_t begin(struct dnn_rnn_call *call, cudnnHandle_t handle, const struct dnn_rnn *own, cudnnRNNDataDescriptor_t x,
			   cudnnRNNDataDescriptor_t y, cudnnTensorDescriptor_t h, cudnnTensorDescriptor_t c, const int32_t *device, bool training)
{
	const struct dnn_rnn_data *in = (struct dnn_rnn_data *)x, *out = (struct dnn_rnn_data *)y;
	cudnnStatus_t status = whole(handle, own, &call->rnn, &call->type);
	struct rnn_sequences other;

	if (status)
		return status;
	if (dnn_rnn_sequences(in, &call->s) || dnn_rnn_sequences(out, &other) || in->type != own->type || out->type != own->type ||
	    in->vector != own->input || out->vector != rnn_width(&call->rnn) || in->layout != out->layout || other.steps != call->s.steps ||
	    other.batch != call->s.batch || memcmp(other.length, call->s.length, (size_t)other.batch * sizeof(int)) ||
	    !same_lengths(device, &call->s))
		return CUDNN_STATUS_BAD_PARAM;
	status = dnn_rnn_ready(own, call, training);
	if (!status)
		status = dnn_rnn_states_fit(call, h, call->rnn.projection);
	return status ? status : dnn_rnn_states_fit(call, c, call->rnn.hidden);
}

cudnnStatus_t fake_cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode, const int32_t device[],
				   cudnnRNNDataDescriptor_t xd, const void *x, cudnnRNNDataDescriptor_t yd, void *y, cudnnTensorDescriptor_t hd,
				   const void *hx, void *hy, cudnnTensorDescriptor_t cd, const void *cx, void *cy, size_t weights_size,
				   const void *w, size_t work_size, void *work, size_t reserve_size, void *reserve)
{
	struct dnn_rnn_call call = { .weights_size = weights_size, .work_size = work_size, .reserve_size = reserve_size, .w = w, .work = work,
				     .reserve = reserve };
	struct rnn_states states = { hx, cx, hy, cy };
	const struct dnn_rnn_data *out = (struct dnn_rnn_data *)yd;
	bool training = mode == CUDNN_FWD_MODE_TRAINING;
	cudnnStatus_t status = begin(&call, handle, (struct dnn_rnn *)descriptor, xd, yd, hd, cd, device, training);

	if (!status && (!x || !y))
		status = DNN_NULL_POINTER;
	return status ? status : dnn_rnn_run(&call, training, x, y, &states, out->fills ? out->fill : NULL);
}

cudnnStatus_t fake_cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const int32_t device[],
					   cudnnRNNDataDescriptor_t yd, const void *y, const void *dy, cudnnRNNDataDescriptor_t xd, void *dx,
					   cudnnTensorDescriptor_t hd, const void *hx, const void *dhy, void *dhx, cudnnTensorDescriptor_t cd,
					   const void *cx, const void *dcy, void *dcx, size_t weights_size, const void *w, size_t work_size,
					   void *work, size_t reserve_size, void *reserve)
{
	struct dnn_rnn_call call = { .weights_size = weights_size, .work_size = work_size, .reserve_size = reserve_size, .w = w, .work = work,
				     .reserve = reserve };
	struct rnn_states states = { .hx = hx, .cx = cx };
	struct rnn_gradients g = { dy, dhy, dcy, dx, dhx, dcx };
	cudnnStatus_t status = begin(&call, handle, (struct dnn_rnn *)descriptor, xd, yd, hd, cd, device, true);

	if (!status && (!y || !dy || !dx))
		status = CUDNN_STATUS_BAD_PARAM;
	if (!status)
		rnn_backward_data(&call.rnn, &call.s, call.type, w, &states, &g, reserve);
	return status;
}

cudnnStatus_t fake_cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnWgradMode_t mode,
					      const int32_t device[], cudnnRNNDataDescriptor_t xd, const void *x, cudnnTensorDescriptor_t hd,
					      const void *hx, cudnnRNNDataDescriptor_t yd, const void *y, size_t weights_size, void *dw,
					      size_t work_size, void *work, size_t reserve_size, void *reserve)
{
	struct dnn_rnn_call call = { .weights_size = weights_size, .work_size = work_size, .reserve_size = reserve_size, .w = dw, .work = work,
				     .reserve = reserve };
	cudnnStatus_t status = begin(&call, handle, (struct dnn_rnn *)descriptor, xd, yd, hd, NULL, device, true);

	/* Writing over what was there is not supported by the library. */
	if (!status && mode != CUDNN_WGRAD_MODE_ADD)
		status = CUDNN_STATUS_NOT_SUPPORTED;
	if (!status && (!x || !y))
		status = CUDNN_STATUS_BAD_PARAM;
	if (!status)
		rnn_backward_weights(&call.rnn, &call.s, call.type, hx, dw, true, reserve);
	return status;
}
