/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recurrent networks of cuDNN 8's old interface: descriptor of cudnnSetRNNDescriptor_v6, weights placed one by one where
 * cudnnGetRNNLinLayer…Params says, training forward, both backward calls and inference. form: 0 takes arrays of tensor descriptors (packed, longest
 * sequence first); 1, 2, 3 the Ex calls with the layouts unpacked, packed, batch first.
 */
#include "dnn.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

struct network {
	int mode, layers, input, hidden, projection, steps, batch, directions, bias, form, output, matrices;
	int *lengths;
	cudnnRNNDescriptor_t rnn;
	cudnnTensorDescriptor_t *x, *y, h, c;		/* x, y: one a time step */
	cudnnRNNDataDescriptor_t x_data, y_data;
	cudnnFilterDescriptor_t filter;
	float *weights, *gradients;
	size_t weights_size, workspace_size, reserve_size, x_count, y_count;
	void *workspace, *reserve;
	float *in_x, *in_h, *in_c, *out_y;
};

static int matrices_of(int mode)
{
	return mode == CUDNN_LSTM ? 8 : mode == CUDNN_GRU ? 6 : 2;
}

static void read_arguments(struct network *net)
{
	int t, b;

	net->mode = dnn_arg("mode", 0);
	net->layers = dnn_arg("layers", 1);
	net->input = dnn_arg("input", 1);
	net->hidden = dnn_arg("hidden", 1);
	net->projection = dnn_arg("projection", 0);
	net->steps = dnn_arg("steps", 1);
	net->batch = dnn_arg("batch", 1);
	net->directions = dnn_arg("directions", 1);
	net->bias = dnn_arg("bias", CUDNN_RNN_DOUBLE_BIAS);
	net->form = dnn_arg("form", 0);
	net->output = net->projection ? net->projection : net->hidden;
	net->matrices = matrices_of(net->mode);
	net->lengths = dnn_load_ints("lengths");
	net->x_count = net->y_count = 0;
	for (t = 0; t < net->steps; t++)
		for (b = 0; b < net->batch; b++)
			if (net->lengths[b] > t || net->form == 1 || net->form == 3) {
				net->x_count += (size_t)net->input;
				net->y_count += (size_t)(net->output * net->directions);
			}
}

static void make_network(struct network *net)
{
	static const cudnnRNNAlgo_t algos[] = {CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_ALGO_PERSIST_STATIC, CUDNN_RNN_ALGO_PERSIST_DYNAMIC};
	cudnnDropoutDescriptor_t dropout;

	MUST(cudnnCreateDropoutDescriptor, &dropout);
	MUST(cudnnSetDropoutDescriptor, dropout, dnn_handle, 0, NULL, 0, 0);
	MUST(cudnnCreateRNNDescriptor, &net->rnn);
	MUST(cudnnSetRNNDescriptor_v6, dnn_handle, net->rnn, net->hidden, net->layers, dropout, CUDNN_LINEAR_INPUT,
	     net->directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, (cudnnRNNMode_t)net->mode, algos[dnn_arg("algo", 0)],
	     CUDNN_DATA_FLOAT);
	MUST(cudnnSetRNNMatrixMathType, net->rnn, CUDNN_FMA_MATH);
	if (algos[dnn_arg("algo", 0)] == CUDNN_RNN_ALGO_PERSIST_DYNAMIC && dnn_arg("plan", 1)) {
		cudnnPersistentRNNPlan_t plan;

		MUST(cudnnCreatePersistentRNNPlan, net->rnn, net->batch, CUDNN_DATA_FLOAT, &plan);
		MUST(cudnnSetPersistentRNNPlan, net->rnn, plan);
	}
	if (net->bias != CUDNN_RNN_DOUBLE_BIAS)
		MUST(cudnnSetRNNBiasMode, net->rnn, (cudnnRNNBiasMode_t)net->bias);
	if (net->projection)
		MUST(cudnnSetRNNProjectionLayers, dnn_handle, net->rnn, net->projection, 0);
	if (net->form)
		MUST(cudnnSetRNNPaddingMode, net->rnn, CUDNN_RNN_PADDED_IO_ENABLED);
}

static void make_tensors(struct network *net)
{
	static const cudnnRNNDataLayout_t layouts[] = {CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
						       CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED};
	float fill = 0;
	int t, b;

	net->x = calloc((size_t)net->steps, sizeof(net->x[0]));
	net->y = calloc((size_t)net->steps, sizeof(net->y[0]));
	for (t = 0; t < net->steps; t++) {
		int live = 0;

		for (b = 0; b < net->batch; b++)
			live += net->lengths[b] > t;
		if (net->form)
			live = net->batch;
		net->x[t] = dnn_tensor3(live, net->input, 1);
		net->y[t] = dnn_tensor3(live, net->output * net->directions, 1);
	}
	net->h = dnn_tensor3(net->layers * net->directions, net->batch, net->output);
	net->c = dnn_tensor3(net->layers * net->directions, net->batch, net->hidden);
	if (!net->form)
		return;
	MUST(cudnnCreateRNNDataDescriptor, &net->x_data);
	MUST(cudnnCreateRNNDataDescriptor, &net->y_data);
	MUST(cudnnSetRNNDataDescriptor, net->x_data, CUDNN_DATA_FLOAT, layouts[net->form], net->steps, net->batch, net->input, net->lengths, &fill);
	MUST(cudnnSetRNNDataDescriptor, net->y_data, CUDNN_DATA_FLOAT, layouts[net->form], net->steps, net->batch,
	     net->output * net->directions, net->lengths, &fill);
}

/* How many floats a piece of the weights has. */
static size_t filter_count(cudnnFilterDescriptor_t filter)
{
	cudnnDataType_t type;
	cudnnTensorFormat_t format;
	int nd = 0, dimensions[8] = {0}, i;
	size_t count = 1;

	MUST(cudnnGetFilterNdDescriptor, filter, 8, &type, &format, &nd, dimensions);
	for (i = 0; i < nd; i++)
		count *= (size_t)dimensions[i];
	return count;
}

/* Puts each matrix and bias into the weights, or takes each one's gradient out of them. Those without a file are not there. */
static void each_piece(struct network *net, float *base, int out)
{
	cudnnFilterDescriptor_t piece;
	int layer, id, kind;

	MUST(cudnnCreateFilterDescriptor, &piece);
	for (layer = 0; layer < net->layers * net->directions; layer++)
		for (id = 0; id < net->matrices + (net->projection ? 1 : 0); id++)
			for (kind = 0; kind < 2; kind++) {
				char name[32];
				void *at = NULL;

				snprintf(name, sizeof(name), "%c.%d.%d", kind ? 'b' : 'w', layer, id);
				if (!dnn_has(name))
					continue;
				if (kind)
					MUST(cudnnGetRNNLinLayerBiasParams, dnn_handle, net->rnn, layer, net->x[0], net->filter, base, id,
					     piece, &at);
				else
					MUST(cudnnGetRNNLinLayerMatrixParams, dnn_handle, net->rnn, layer, net->x[0], net->filter, base, id,
					     piece, &at);
				if (!at)
					dnn_must(CUDNN_STATUS_NOT_INITIALIZED, name);
				if (!out) {
					dnn_place(name, at, filter_count(piece));
					continue;
				}
				snprintf(name, sizeof(name), "d%c.%d.%d", kind ? 'b' : 'w', layer, id);
				dnn_save(name, at, filter_count(piece));
			}
}

static void make_room(struct network *net)
{
	int dimensions[3] = {1, 1, 1};

	MUST(cudnnGetRNNParamsSize, dnn_handle, net->rnn, net->x[0], &net->weights_size, CUDNN_DATA_FLOAT);
	dimensions[0] = (int)(net->weights_size / sizeof(float));
	MUST(cudnnCreateFilterDescriptor, &net->filter);
	MUST(cudnnSetFilterNdDescriptor, net->filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, dimensions);
	net->weights = dnn_zeros(net->weights_size / sizeof(float));
	net->gradients = dnn_zeros(net->weights_size / sizeof(float));
	MUST(cudnnGetRNNWorkspaceSize, dnn_handle, net->rnn, net->steps, net->x, &net->workspace_size);
	MUST(cudnnGetRNNTrainingReserveSize, dnn_handle, net->rnn, net->steps, net->x, &net->reserve_size);
	net->workspace = dnn_bytes(net->workspace_size);
	net->reserve = dnn_bytes(net->reserve_size);
	each_piece(net, net->weights, 0);
	net->in_x = dnn_load("x");
	net->in_h = dnn_load("hx");
	net->in_c = net->mode == CUDNN_LSTM ? dnn_load("cx") : NULL;
	net->out_y = dnn_room(net->y_count);
}

static size_t h_count(const struct network *net)
{
	return (size_t)net->layers * (size_t)net->directions * (size_t)net->batch * (size_t)net->output;
}

static size_t c_count(const struct network *net)
{
	return (size_t)net->layers * (size_t)net->directions * (size_t)net->batch * (size_t)net->hidden;
}

static void forward(struct network *net, int train)
{
	float *y = train ? net->out_y : dnn_room(net->y_count), *hy = dnn_room(h_count(net)), *cy = dnn_room(c_count(net));

	if (train && net->form)
		MUST(cudnnRNNForwardTrainingEx, dnn_handle, net->rnn, net->x_data, net->in_x, net->h, net->in_h, net->c, net->in_c, net->filter,
		     net->weights, net->y_data, y, net->h, hy, net->c, cy, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		     net->workspace, net->workspace_size, net->reserve, net->reserve_size);
	else if (train)
		MUST(cudnnRNNForwardTraining, dnn_handle, net->rnn, net->steps, net->x, net->in_x, net->h, net->in_h, net->c, net->in_c, net->filter,
		     net->weights, net->y, y, net->h, hy, net->c, cy, net->workspace, net->workspace_size, net->reserve, net->reserve_size);
	else if (net->form)
		MUST(cudnnRNNForwardInferenceEx, dnn_handle, net->rnn, net->x_data, net->in_x, net->h, net->in_h, net->c, net->in_c, net->filter,
		     net->weights, net->y_data, y, net->h, hy, net->c, cy, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		     net->workspace, net->workspace_size);
	else
		MUST(cudnnRNNForwardInference, dnn_handle, net->rnn, net->steps, net->x, net->in_x, net->h, net->in_h, net->c, net->in_c, net->filter,
		     net->weights, net->y, y, net->h, hy, net->c, cy, net->workspace, net->workspace_size);
	dnn_save(train ? "y" : "y_inference", y, net->y_count);
	dnn_save(train ? "hy" : "hy_inference", hy, h_count(net));
	if (net->mode == CUDNN_LSTM)
		dnn_save(train ? "cy" : "cy_inference", cy, c_count(net));
}

static void backward(struct network *net)
{
	float *dy = dnn_load("dy"), *dhy = dnn_load("dhy"), *dcy = net->mode == CUDNN_LSTM ? dnn_load("dcy") : NULL;
	float *dx = dnn_room(net->x_count), *dhx = dnn_room(h_count(net)), *dcx = dnn_room(c_count(net));

	if (net->form) {
		MUST(cudnnRNNBackwardDataEx, dnn_handle, net->rnn, net->y_data, net->out_y, net->y_data, dy, NULL, NULL, net->h, dhy, net->c, dcy,
		     net->filter, net->weights, net->h, net->in_h, net->c, net->in_c, net->x_data, dx, net->h, dhx, net->c, dcx, NULL, NULL,
		     net->workspace, net->workspace_size, net->reserve, net->reserve_size);
		MUST(cudnnRNNBackwardWeightsEx, dnn_handle, net->rnn, net->x_data, net->in_x, net->h, net->in_h, net->y_data, net->out_y,
		     net->workspace, net->workspace_size, net->filter, net->gradients, net->reserve, net->reserve_size);
	} else {
		MUST(cudnnRNNBackwardData, dnn_handle, net->rnn, net->steps, net->y, net->out_y, net->y, dy, net->h, dhy, net->c, dcy, net->filter,
		     net->weights, net->h, net->in_h, net->c, net->in_c, net->x, dx, net->h, dhx, net->c, dcx, net->workspace,
		     net->workspace_size, net->reserve, net->reserve_size);
		MUST(cudnnRNNBackwardWeights, dnn_handle, net->rnn, net->steps, net->x, net->in_x, net->h, net->in_h, net->y, net->out_y,
		     net->workspace, net->workspace_size, net->filter, net->gradients, net->reserve, net->reserve_size);
	}
	dnn_save("dx", dx, net->x_count);
	dnn_save("dhx", dhx, h_count(net));
	if (net->mode == CUDNN_LSTM)
		dnn_save("dcx", dcx, c_count(net));
	each_piece(net, net->gradients, 1);
}

void dnn_rnn(void)
{
	struct network net = {0};

	read_arguments(&net);
	make_network(&net);
	make_tensors(&net);
	make_room(&net);
	forward(&net, 1);
	backward(&net);
	forward(&net, 0);
}
