/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cuDNN 8's old RNN interface says without a GPU: settings, the size of the weights, and where each matrix and bias vector lies in
 * them. rnn_places.py compares what this prints on the real library with what it prints on a facade over others.
 *
 * The library makes no handle where there is no GPU. These functions look at nothing in it but that it is there, so zeroed memory
 * serves as one.
 */
#include <stdio.h>
#include <stdlib.h>
#include "fake_api.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

static char nothing[1 << 20];
static cudnnHandle_t handle = (cudnnHandle_t)nothing;

struct net {
	int cell, bias, direction, skip, input, hidden, projection, layers, type;
};

static void show_settings(cudnnRNNDescriptor_t rnn)
{
	cudnnRNNBiasMode_t bias;
	cudnnMathType_t math;
	unsigned padding;
	int state, output;

	CHECK(!cudnnGetRNNBiasMode(rnn, &bias) && !cudnnGetRNNMatrixMathType(rnn, &math) && !cudnnGetRNNPaddingMode(rnn, &padding) &&
	      !cudnnGetRNNProjectionLayers(handle, rnn, &state, &output));
	printf("bias %d, math %d, padding %u, projection %d %d\n", bias, math, padding, state, output);
}

static void show_place(const char *what, int status, cudnnFilterDescriptor_t descriptor, void *at)
{
	cudnnDataType_t type;
	cudnnTensorFormat_t format;
	int rank = -1, dim[3] = { -1, -1, -1 };

	CHECK(!cudnnGetFilterNdDescriptor(descriptor, 3, &type, &format, &rank, dim));
	printf(" %s %d", what, status);
	if (!status)
		printf(" %p type %d, %d: %d %d %d", at, type, rank, dim[0], dim[1], dim[2]);
}

static void show_net(const struct net *n, char *weights)
{
	static const int gates[] = { 2, 2, 8, 6 };
	cudnnRNNDescriptor_t rnn;
	cudnnTensorDescriptor_t x;
	cudnnFilterDescriptor_t w, matrix, bias;
	size_t size = 0;

	printf("cell %d bias %d direction %d skip %d input %d hidden %d projection %d layers %d type %d, weights at %p\n", n->cell, n->bias,
	       n->direction, n->skip, n->input, n->hidden, n->projection, n->layers, n->type, weights);
	CHECK(!cudnnCreateRNNDescriptor(&rnn) && !cudnnCreateTensorDescriptor(&x) && !cudnnCreateFilterDescriptor(&w) &&
	      !cudnnCreateFilterDescriptor(&matrix) && !cudnnCreateFilterDescriptor(&bias));
	CHECK(!cudnnSetRNNBiasMode(rnn, CUDNN_RNN_NO_BIAS) && !cudnnSetRNNMatrixMathType(rnn, CUDNN_FMA_MATH));
	show_settings(rnn);
	CHECK(!cudnnSetRNNDescriptor_v6(handle, rnn, n->hidden, n->layers, NULL, n->skip, n->direction, n->cell, CUDNN_RNN_ALGO_STANDARD, n->type));
	show_settings(rnn);
	CHECK(!cudnnSetRNNBiasMode(rnn, n->bias));
	if (n->projection)
		CHECK(!cudnnSetRNNProjectionLayers(handle, rnn, n->projection, 0));
	show_settings(rnn);
	CHECK(!cudnnSetTensorNdDescriptor(x, n->type, 3, (int[]){ 3, n->input, 1 }, (int[]){ n->input, 1, 1 }));
	CHECK(!cudnnGetRNNParamsSize(handle, rnn, x, &size, n->type));
	printf("%zu bytes\n", size);
	CHECK(!cudnnSetFilterNdDescriptor(w, n->type, CUDNN_TENSOR_NCHW, 3,
					  (int[]){ (int)(size / (n->type == CUDNN_DATA_DOUBLE ? 8 : n->type == CUDNN_DATA_HALF ? 2 : 4)), 1, 1 }));
	for (int layer = 0; layer <= n->layers * (n->direction ? 2 : 1); layer++) {
		for (int id = -1; id <= gates[n->cell]; id++) {
			void *at = NULL;
			int status = cudnnGetRNNLinLayerMatrixParams(handle, rnn, layer, x, w, weights, id, matrix, &at);

			printf("%d/%d", layer, id);
			show_place("matrix", status, matrix, at);
			status = cudnnGetRNNLinLayerBiasParams(handle, rnn, layer, x, w, weights, id, bias, &at);
			show_place("bias", status, bias, at);
			printf("\n");
		}
	}
	CHECK(!cudnnDestroyRNNDescriptor(rnn) && !cudnnDestroyTensorDescriptor(x) && !cudnnDestroyFilterDescriptor(w) &&
	      !cudnnDestroyFilterDescriptor(matrix) && !cudnnDestroyFilterDescriptor(bias));
}

/* Of a step's tensor that is no plain one: gaps, another order, a third dimension. */
static void show_orders(void)
{
	static const int dim[][3] = { { 3, 5, 1 }, { 3, 5, 1 }, { 3, 5, 2 }, { 3, 5, 2 } }, stride[][3] = { { 7, 1, 1 }, { 1, 3, 1 }, { 10, 2, 1 }, { 20, 2, 1 } };
	cudnnRNNDescriptor_t rnn;
	cudnnTensorDescriptor_t x;
	cudnnFilterDescriptor_t w, matrix;

	CHECK(!cudnnCreateRNNDescriptor(&rnn) && !cudnnCreateTensorDescriptor(&x) && !cudnnCreateFilterDescriptor(&w) &&
	      !cudnnCreateFilterDescriptor(&matrix));
	CHECK(!cudnnSetRNNDescriptor_v6(handle, rnn, 4, 2, NULL, CUDNN_LINEAR_INPUT, CUDNN_UNIDIRECTIONAL, CUDNN_LSTM, CUDNN_RNN_ALGO_STANDARD,
					CUDNN_DATA_FLOAT));
	CHECK(!cudnnSetFilterNdDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, (int[]){ 3000, 1, 1 }));
	for (int i = 0; i < 4; i++) {
		size_t size = 0;
		void *at = NULL;
		int status;

		CHECK(!cudnnSetTensorNdDescriptor(x, CUDNN_DATA_FLOAT, 3, dim[i], stride[i]));
		status = cudnnGetRNNParamsSize(handle, rnn, x, &size, CUDNN_DATA_FLOAT);
		printf("order %d: size %d %zu,", i, status, size);
		status = cudnnGetRNNLinLayerMatrixParams(handle, rnn, 0, x, w, nothing, 0, matrix, &at);
		at = (void *)((char *)at - nothing);
		show_place("matrix", status, matrix, at);
		printf("\n");
	}
	CHECK(!cudnnDestroyRNNDescriptor(rnn) && !cudnnDestroyTensorDescriptor(x) && !cudnnDestroyFilterDescriptor(w) &&
	      !cudnnDestroyFilterDescriptor(matrix));
}

int main(void)
{
	static const int types[] = { CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF };

	for (int cell = 0; cell < 4; cell++) {
		for (int kind = 0; kind < 48; kind++) {
			struct net n = { .cell = cell, .bias = kind % 4, .direction = kind / 4 % 2, .skip = kind / 8 % 2, .type = types[kind / 16],
					 .hidden = 9, .layers = 1 + kind % 3 };

			n.input = n.skip ? n.hidden : 5 + kind % 4;
			if (cell == CUDNN_LSTM && kind % 3 == 1)
				n.projection = 4;
			show_net(&n, (char *)0x10000000);
			show_net(&n, NULL);
		}
	}
	show_orders();
	return 0;
}
