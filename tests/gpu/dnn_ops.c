/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling, softmax, activation, dropout, CTC loss, reduction and multi-head attention, through the calls of cuDNN 8. */
#include "dnn.h"

#include <stdlib.h>

#include "memory.h"

static cudnnTensorDescriptor_t tensor_x(size_t *count)
{
	int n = dnn_arg("n", 1), c = dnn_arg("c", 1), h = dnn_arg("h", 1), w = dnn_arg("w", 1);

	*count = (size_t)n * (size_t)c * (size_t)h * (size_t)w;
	return dnn_tensor(n, c, h, w);
}

void dnn_pooling(void)
{
	int window = dnn_arg("window", 2), pad = dnn_arg("pad", 0), stride = dnn_arg("stride", 2), n, c, h, w;
	cudnnPoolingDescriptor_t pooling;
	size_t count, y_count;
	cudnnTensorDescriptor_t x = tensor_x(&count), y;
	float *in = dnn_load("x"), *dy = dnn_load("dy"), *out, *dx = dnn_room(count);

	MUST(cudnnCreatePoolingDescriptor, &pooling);
	MUST(cudnnSetPooling2dDescriptor, pooling, (cudnnPoolingMode_t)dnn_arg("mode", 0), CUDNN_NOT_PROPAGATE_NAN, window, window, pad, pad, stride, stride);
	MUST(cudnnGetPooling2dForwardOutputDim, pooling, x, &n, &c, &h, &w);
	y = dnn_tensor(n, c, h, w);
	y_count = (size_t)n * (size_t)c * (size_t)h * (size_t)w;
	out = dnn_room(y_count);
	MUST(cudnnPoolingForward, dnn_handle, pooling, &dnn_one, x, in, &dnn_zero, y, out);
	MUST(cudnnPoolingBackward, dnn_handle, pooling, &dnn_one, y, out, y, dy, x, in, &dnn_zero, x, dx);
	dnn_save("y", out, y_count);
	dnn_save("dx", dx, count);
}

void dnn_softmax(void)
{
	cudnnSoftmaxAlgorithm_t algo = (cudnnSoftmaxAlgorithm_t)dnn_arg("algo", CUDNN_SOFTMAX_ACCURATE);
	cudnnSoftmaxMode_t mode = (cudnnSoftmaxMode_t)dnn_arg("mode", CUDNN_SOFTMAX_MODE_CHANNEL);
	size_t count;
	cudnnTensorDescriptor_t x = tensor_x(&count);
	float *y = dnn_room(count), *dx = dnn_room(count);

	MUST(cudnnSoftmaxForward, dnn_handle, algo, mode, &dnn_one, x, dnn_load("x"), &dnn_zero, x, y);
	MUST(cudnnSoftmaxBackward, dnn_handle, algo, mode, &dnn_one, x, y, x, dnn_load("dy"), &dnn_zero, x, dx);
	dnn_save("y", y, count);
	dnn_save("dx", dx, count);
}

void dnn_activation(void)
{
	cudnnActivationDescriptor_t activation;
	size_t count;
	cudnnTensorDescriptor_t x = tensor_x(&count);
	float *in = dnn_load("x"), *y = dnn_room(count), *dx = dnn_room(count);

	MUST(cudnnCreateActivationDescriptor, &activation);
	MUST(cudnnSetActivationDescriptor, activation, (cudnnActivationMode_t)dnn_arg("mode", 0), CUDNN_NOT_PROPAGATE_NAN, 1.0);
	MUST(cudnnActivationForward, dnn_handle, activation, &dnn_one, x, in, &dnn_zero, x, y);
	MUST(cudnnActivationBackward, dnn_handle, activation, &dnn_one, x, y, x, dnn_load("dy"), x, in, &dnn_zero, x, dx);
	dnn_save("y", y, count);
	dnn_save("dx", dx, count);
}

void dnn_dropout(void)
{
	float rate = (float)dnn_arg("percent", 50) / 100;
	cudnnDropoutDescriptor_t dropout;
	size_t count, states, kept;
	cudnnTensorDescriptor_t x = tensor_x(&count);
	float *y = dnn_room(count), *dx = dnn_room(count);
	void *reserve;

	MUST(cudnnDropoutGetStatesSize, dnn_handle, &states);
	MUST(cudnnCreateDropoutDescriptor, &dropout);
	MUST(cudnnSetDropoutDescriptor, dropout, dnn_handle, rate, dnn_bytes(states), states, 20);
	MUST(cudnnDropoutGetReserveSpaceSize, x, &kept);
	reserve = dnn_bytes(kept);
	MUST(cudnnDropoutForward, dnn_handle, dropout, x, dnn_load("x"), x, y, reserve, kept);
	MUST(cudnnDropoutBackward, dnn_handle, dropout, x, dnn_load("dy"), x, dx, reserve, kept);
	dnn_save("y", y, count);
	dnn_save("dx", dx, count);
}

/* Losses of the softmax of x (steps, batch, letters); labels, their lengths and the inputs' lengths lie in files of ints. */
void dnn_ctc(void)
{
	int steps = dnn_arg("steps", 1), batch = dnn_arg("batch", 1), letters = dnn_arg("letters", 2);
	size_t count = (size_t)steps * (size_t)batch * (size_t)letters, room;
	cudnnTensorDescriptor_t x = dnn_tensor3(steps, batch, letters);
	cudnnCTCLossDescriptor_t ctc;
	int *labels = dnn_load_ints("labels"), *label_lengths = dnn_load_ints("label_lengths"), *input_lengths = dnn_load_ints("input_lengths");
	float *losses = dnn_room((size_t)batch), *dx = dnn_room(count);

	MUST(cudnnCreateCTCLossDescriptor, &ctc);
	MUST(cudnnSetCTCLossDescriptorEx, ctc, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_PROPAGATE_NAN);
	MUST(cudnnGetCTCLossWorkspaceSize, dnn_handle, x, x, labels, label_lengths, input_lengths, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc, &room);
	MUST(cudnnCTCLoss, dnn_handle, x, dnn_load("x"), labels, label_lengths, input_lengths, losses, x, dx, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc,
	     dnn_bytes(room), room);
	dnn_save("losses", losses, (size_t)batch);
	dnn_save("dx", dx, count);
}

/* over: of N, C, H, W, as bits from 1. */
void dnn_reduction(void)
{
	int over = dnn_arg("over", 1), n = over & 1 ? 1 : dnn_arg("n", 1), c = over & 2 ? 1 : dnn_arg("c", 1), h = over & 4 ? 1 : dnn_arg("h", 1),
	    w = over & 8 ? 1 : dnn_arg("w", 1);
	cudnnReduceTensorDescriptor_t reduction;
	size_t count, y_count = (size_t)n * (size_t)c * (size_t)h * (size_t)w, room;
	cudnnTensorDescriptor_t x = tensor_x(&count), y = dnn_tensor(n, c, h, w);
	float *out = dnn_room(y_count);

	MUST(cudnnCreateReduceTensorDescriptor, &reduction);
	MUST(cudnnSetReduceTensorDescriptor, reduction, (cudnnReduceTensorOp_t)dnn_arg("op", 0), CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
	     CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES);
	MUST(cudnnGetReductionWorkspaceSize, dnn_handle, reduction, x, y, &room);
	MUST(cudnnReduceTensor, dnn_handle, reduction, NULL, 0, dnn_bytes(room), room, &dnn_one, x, dnn_load("x"), &dnn_zero, y, out);
	dnn_save("y", out, y_count);
}

static cudnnSeqDataDescriptor_t sequences(int batch, int steps, int width)
{
	static const cudnnSeqDataAxis_t axes[CUDNN_SEQDATA_DIM_COUNT] = {CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM, CUDNN_SEQDATA_TIME_DIM,
									 CUDNN_SEQDATA_VECT_DIM};
	int dimensions[CUDNN_SEQDATA_DIM_COUNT], *lengths = calloc((size_t)batch, sizeof(int)), i;
	cudnnSeqDataDescriptor_t data;

	dimensions[CUDNN_SEQDATA_BATCH_DIM] = batch;
	dimensions[CUDNN_SEQDATA_BEAM_DIM] = 1;
	dimensions[CUDNN_SEQDATA_TIME_DIM] = steps;
	dimensions[CUDNN_SEQDATA_VECT_DIM] = width;
	for (i = 0; i < batch; i++)
		lengths[i] = steps;
	MUST(cudnnCreateSeqDataDescriptor, &data);
	MUST(cudnnSetSeqDataDescriptor, data, CUDNN_DATA_FLOAT, CUDNN_SEQDATA_DIM_COUNT, dimensions, axes, (size_t)batch, lengths, NULL);
	free(lengths);
	return data;
}

/* One of the four projections, heads x to x from in the file, goes where cuDNN wants it, or comes from there. */
static void place_projection(cudnnAttnDescriptor_t attention, cudnnMultiHeadAttnWeightKind_t kind, const char *what, float *weights, size_t size,
			     int out)
{
	cudnnTensorDescriptor_t tensor;
	cudnnDataType_t type;
	int nd, dimensions[8] = {0}, strides[8] = {0};
	void *at = NULL;

	MUST(cudnnCreateTensorDescriptor, &tensor);
	MUST(cudnnGetMultiHeadAttnWeights, dnn_handle, attention, kind, size, weights, tensor, &at);
	MUST(cudnnGetTensorNdDescriptor, tensor, 8, &type, &nd, dimensions, strides);
	if (out)
		dnn_save_strided(what, at, nd, dimensions, strides);
	else
		dnn_place_strided(what, at, nd, dimensions, strides);
}

void dnn_attention(void)
{
	static const cudnnMultiHeadAttnWeightKind_t kinds[] = {CUDNN_MH_ATTN_Q_WEIGHTS, CUDNN_MH_ATTN_K_WEIGHTS, CUDNN_MH_ATTN_V_WEIGHTS,
							       CUDNN_MH_ATTN_O_WEIGHTS};
	static const char *const files[] = {"q_weights", "k_weights", "v_weights", "o_weights"};
	static const char *const gradient_files[] = {"dq_weights", "dk_weights", "dv_weights", "do_weights"};
	int heads = dnn_arg("heads", 1), width = dnn_arg("width", 8), each = dnn_arg("each", 4), batch = dnn_arg("batch", 1), steps = dnn_arg("steps", 4);
	size_t weights_size, room, kept, count = (size_t)batch * (size_t)steps * (size_t)width;
	cudnnSeqDataDescriptor_t data = sequences(batch, steps, width);
	cudnnAttnDescriptor_t attention;
	int *low = calloc((size_t)steps, sizeof(int)), *high = calloc((size_t)steps, sizeof(int)), *lengths = calloc((size_t)batch, sizeof(int)), i;
	int *device_lengths;
	float *weights, *gradients, *q = dnn_load("q"), *k = dnn_load("k"), *v = dnn_load("v"), *dy = dnn_load("dy"), *y = dnn_room(count),
	      *dq = dnn_room(count), *dk = dnn_room(count), *dv = dnn_room(count);
	void *workspace, *reserve;

	for (i = 0; i < steps; i++)
		high[i] = dnn_arg("causal", 0) ? i + 1 : steps;
	for (i = 0; i < batch; i++)
		lengths[i] = steps;
	device_lengths = memory_take((size_t)batch * sizeof(int));
	memory_put(device_lengths, lengths, (size_t)batch * sizeof(int));
	MUST(cudnnCreateAttnDescriptor, &attention);
	MUST(cudnnSetAttnDescriptor, attention, CUDNN_ATTN_QUERYMAP_ALL_TO_ONE | CUDNN_ATTN_DISABLE_PROJ_BIASES, heads, 0.5, CUDNN_DATA_FLOAT,
	     CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, NULL, NULL, width, width, width, each, each, each, width, steps, steps, batch, 1);
	MUST(cudnnGetMultiHeadAttnBuffers, dnn_handle, attention, &weights_size, &room, &kept);
	weights = dnn_zeros(weights_size / sizeof(float));
	gradients = dnn_zeros(weights_size / sizeof(float));
	workspace = dnn_bytes(room);
	reserve = dnn_bytes(kept);
	for (i = 0; i < 4; i++)
		place_projection(attention, kinds[i], files[i], weights, weights_size, 0);
	MUST(cudnnMultiHeadAttnForward, dnn_handle, attention, -1, low, high, device_lengths, device_lengths, data, q, NULL, data, k, data, v, data, y,
	     weights_size, weights, room, workspace, kept, reserve);
	dnn_save("y", y, count);
	MUST(cudnnMultiHeadAttnBackwardData, dnn_handle, attention, low, high, device_lengths, device_lengths, data, dy, data, dq, q, data, dk, k, data, dv,
	     v, weights_size, weights, room, workspace, kept, reserve);
	MUST(cudnnMultiHeadAttnBackwardWeights, dnn_handle, attention, CUDNN_WGRAD_MODE_SET, data, q, data, k, data, v, data, dy, weights_size, weights,
	     gradients, room, workspace, kept, reserve);
	dnn_save("dq", dq, count);
	dnn_save("dk", dk, count);
	dnn_save("dv", dv, count);
	for (i = 0; i < 4; i++)
		place_projection(attention, kinds[i], gradient_files[i], gradients, weights_size, 1);
}
