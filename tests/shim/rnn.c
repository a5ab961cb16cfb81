/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The old RNN interface of cuDNN 8, as a program built for 8.x uses it: rnn.py compares what this prints on that release itself with what
 * it prints on a facade over another. Compiled with the fake release's own declarations, linked to its library.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_api.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

enum { STEPS = 4, BATCH = 3, HIDDEN = 4, LAYERS = 2, NUMBERS = 160, GUARD = 64, GUARD_BYTE = 0x5b };

static cudnnHandle_t handle;

/* One network with its data. Sequences shrink: lengths 4, 4, 2. */
static const int lengths[BATCH] = { 4, 4, 2 }, batches[STEPS] = { 3, 3, 2, 2 };

enum way { ARRAYS, DATA_PACKED, DATA_BY_STEP, DATA_BY_SEQUENCE };

struct net {
	int cell, bias, direction, skip, projection, type, math;
	bool clip;
	enum way way;
	int input, width, pseudo_layers, regions;
	size_t element, weights_size, work_size, reserve_size;
	cudnnRNNDescriptor_t rnn;
	cudnnTensorDescriptor_t x[STEPS], y[STEPS], h, c;
	cudnnRNNDataDescriptor_t xd, yd;
	cudnnFilterDescriptor_t w;
	char *weights, *work, *reserve;
};

static unsigned seed;

static double next_number(void)
{
	seed = seed * 1103515245u + 12345u;
	return ((int)(seed >> 16) % 2000 - 1000) / 1024.0;
}

static double get(const struct net *n, const void *data, int i)
{
	return n->type == CUDNN_DATA_DOUBLE ? ((const double *)data)[i] : ((const float *)data)[i];
}

static void put(const struct net *n, void *data, int i, double value)
{
	if (n->type == CUDNN_DATA_DOUBLE)
		((double *)data)[i] = value;
	else
		((float *)data)[i] = (float)value;
}

static void *numbers(const struct net *n)
{
	void *data = malloc(NUMBERS * n->element);

	for (int i = 0; i < NUMBERS; i++)
		put(n, data, i, next_number());
	return data;
}

static void show(const struct net *n, const char *what, const void *data, int count)
{
	printf("%s", what);
	for (int i = 0; i < count; i++)
		printf(" %.7g", get(n, data, i));
	printf("\n");
}

/* Memory of exactly the size told, with what follows it watched. */
static char *exactly(size_t size)
{
	char *memory = malloc(size + GUARD);

	memset(memory + size, GUARD_BYTE, GUARD);
	return memory;
}

static void guarded(const char *memory, size_t size)
{
	for (int i = 0; i < GUARD; i++)
		CHECK(memory[size + (size_t)i] == GUARD_BYTE);
}

static cudnnTensorDescriptor_t tensor(int type, int rank, const int *dim)
{
	cudnnTensorDescriptor_t descriptor;
	int stride[5];

	stride[rank - 1] = 1;
	for (int i = rank - 1; i > 0; i--)
		stride[i - 1] = stride[i] * dim[i];
	CHECK(!cudnnCreateTensorDescriptor(&descriptor));
	CHECK(!cudnnSetTensorNdDescriptor(descriptor, type, rank, dim, stride));
	return descriptor;
}

static cudnnRNNDataDescriptor_t data(const struct net *n, int vector)
{
	static const int layouts[] = { [DATA_PACKED] = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
				       [DATA_BY_STEP] = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
				       [DATA_BY_SEQUENCE] = CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED };
	cudnnRNNDataDescriptor_t descriptor;
	double fill = 0;

	put(n, &fill, 0, 9);
	CHECK(!cudnnCreateRNNDataDescriptor(&descriptor));
	CHECK(!cudnnSetRNNDataDescriptor(descriptor, n->type, layouts[n->way], STEPS, BATCH, vector, lengths, &fill));
	return descriptor;
}

/* What the descriptor's getters say. */
static void show_settings(cudnnRNNDescriptor_t rnn)
{
	int hidden = -1, layers = -1, input = -1, direction = -1, cell = -1, algo = -1, precision = -1, math = -1, bias = -1, state = -1, output = -1;
	unsigned padding = 99;
	cudnnDropoutDescriptor_t dropout = (cudnnDropoutDescriptor_t)&hidden;
	cudnnRNNClipMode_t clip = -1;
	cudnnNanPropagation_t nan = -1;
	double low = 77, high = 77;

	printf("get %d:", cudnnGetRNNDescriptor_v6(handle, rnn, &hidden, &layers, &dropout, (void *)&input, (void *)&direction, (void *)&cell,
						   (void *)&algo, (void *)&precision));
	printf(" %d %d %d %d %d %d %d %d", hidden, layers, dropout == NULL, input, direction, cell, algo, precision);
	printf(", math %d", cudnnGetRNNMatrixMathType(rnn, (void *)&math));
	printf(" %d, bias %d", math, cudnnGetRNNBiasMode(rnn, (void *)&bias));
	printf(" %d, padding %d", bias, cudnnGetRNNPaddingMode(rnn, &padding));
	printf(" %u, projection %d", padding, cudnnGetRNNProjectionLayers(handle, rnn, &state, &output));
	printf(" %d %d, clip %d", state, output, cudnnRNNGetClip(handle, rnn, &clip, &nan, &low, &high));
	printf(" %d %d %g %g", clip, nan, low, high);
	clip = -1;
	printf(", %d", cudnnRNNGetClip_v8(rnn, &clip, &nan, &low, &high));
	printf(" %d %d %g %g\n", clip, nan, low, high);
}

/* Calls ACTION for each region of the weights. */
static void each_region(struct net *n, char *base, void (*action)(struct net *n, int layer, int id, bool matrix, void *at, int count))
{
	for (int layer = 0; layer < n->pseudo_layers; layer++) {
		for (int id = 0; id < n->regions; id++) {
			for (int matrix = 1; matrix >= 0; matrix--) {
				cudnnFilterDescriptor_t f;
				void *at = (void *)8;
				int status, rank = -1, dim[4] = { -1, -1, -1, -1 };
				cudnnDataType_t type = -1;
				cudnnTensorFormat_t format = -1;

				CHECK(!cudnnCreateFilterDescriptor(&f));
				status = (matrix ? cudnnGetRNNLinLayerMatrixParams : cudnnGetRNNLinLayerBiasParams)(handle, n->rnn, layer, n->x[0],
													 n->w, base, id, f, &at);
				CHECK(!cudnnGetFilterNdDescriptor(f, 4, &type, &format, &rank, dim));
				if (!status && rank)
					action(n, layer, id, matrix, at, dim[0] * dim[1] * dim[2]);
				CHECK(!cudnnDestroyFilterDescriptor(f));
			}
		}
	}
}

static void fill_region(struct net *n, int layer, int id, bool matrix, void *at, int count)
{
	(void)layer, (void)id, (void)matrix;
	for (int i = 0; i < count; i++)
		put(n, at, i, next_number());
}

static void one_region(struct net *n, int layer, int id, bool matrix, void *at, int count)
{
	(void)layer, (void)id, (void)matrix;
	for (int i = 0; i < count; i++)
		put(n, at, i, 1);
}

static void show_region(struct net *n, int layer, int id, bool matrix, void *at, int count)
{
	char name[64];

	snprintf(name, sizeof name, "dw %d/%d%c", layer, id, matrix ? 'm' : 'b');
	show(n, name, at, count);
}

/* Which regions there are, of what shape, also without an address to count from and with a descriptor that is used again. */
static void show_regions(struct net *n)
{
	cudnnFilterDescriptor_t f;

	CHECK(!cudnnCreateFilterDescriptor(&f));
	for (int layer = -1; layer <= n->pseudo_layers; layer++) {
		for (int id = -1; id <= n->regions; id++) {
			for (int matrix = 1; matrix >= 0; matrix--) {
				for (int address = 1; address >= 0; address--) {
					char *base = address ? n->weights : NULL, *at = (char *)8;
					int status, rank = -1, dim[4] = { -1, -1, -1, -1 };
					cudnnDataType_t type = -1;
					cudnnTensorFormat_t format = -1;
					size_t size = 77;

					status = (matrix ? cudnnGetRNNLinLayerMatrixParams :
							   cudnnGetRNNLinLayerBiasParams)(handle, n->rnn, layer, n->x[0], n->w, base, id, f,
											  (void **)&at);
					CHECK(!cudnnGetFilterNdDescriptor(f, 4, &type, &format, &rank, dim));
					CHECK(!cudnnGetFilterSizeInBytes(f, &size));
					printf("%d/%d%c %d: type %d, %d dimensions %d %d %d, %zu bytes, ", layer, id, matrix ? 'm' : 'b', status, type,
					       rank, dim[0], dim[1], dim[2], rank ? size : 0);
					printf("%s\n", status ? "-" : !rank ? at ? "somewhere" : "nowhere" :
					       at >= base && (size_t)(at - base) + size <= n->weights_size ? "inside" : "outside");
				}
			}
		}
	}
	CHECK(!cudnnDestroyFilterDescriptor(f));
}

/* The same places as the new interface names. */
static void compare_regions(struct net *n)
{
	cudnnRNNDescriptor_t other;
	cudnnTensorDescriptor_t m, b;
	cudnnFilterDescriptor_t f;
	size_t size = 0;
	int same = 0, all = 0;

	CHECK(!cudnnCreateRNNDescriptor(&other) && !cudnnCreateTensorDescriptor(&m) && !cudnnCreateTensorDescriptor(&b) &&
	      !cudnnCreateFilterDescriptor(&f));
	CHECK(!cudnnSetRNNDescriptor_v8(other, 0, n->cell, n->bias, n->direction, n->skip, n->type, n->type, n->math, n->input, HIDDEN,
					n->projection ? n->projection : HIDDEN, LAYERS, NULL, 0));
	CHECK(!cudnnGetRNNWeightSpaceSize(handle, other, &size));
	CHECK(size == n->weights_size);
	for (int layer = 0; layer < n->pseudo_layers; layer++) {
		for (int id = 0; id < n->regions - !n->projection; id++) {
			void *matrix = NULL, *bias = NULL, *at = (void *)8;

			CHECK(!cudnnGetRNNWeightParams(handle, other, layer, size, n->weights, id, m, &matrix, b, &bias));
			CHECK(!cudnnGetRNNLinLayerMatrixParams(handle, n->rnn, layer, n->x[0], n->w, n->weights, id, f, &at));
			same += at == matrix;
			if (!cudnnGetRNNLinLayerBiasParams(handle, n->rnn, layer, n->x[0], n->w, n->weights, id, f, &at))
				same += at == bias;
			else
				same += !bias;
			all += 2;
		}
	}
	printf("%d of %d places are the new interface's\n", same, all);
	CHECK(!cudnnDestroyRNNDescriptor(other) && !cudnnDestroyTensorDescriptor(m) && !cudnnDestroyTensorDescriptor(b) &&
	      !cudnnDestroyFilterDescriptor(f));
}

static void begin(struct net *n)
{
	int projection = n->projection ? n->projection : HIDDEN, directions = n->direction ? 2 : 1;

	seed = 4711;
	n->element = n->type == CUDNN_DATA_DOUBLE ? 8 : 4;
	n->input = n->skip ? HIDDEN : 3;
	n->width = projection * directions;
	n->pseudo_layers = LAYERS * directions;
	n->regions = n->cell == CUDNN_LSTM ? 9 : n->cell == CUDNN_GRU ? 7 : 3;
	CHECK(!cudnnCreateRNNDescriptor(&n->rnn));
	CHECK(!cudnnSetRNNDescriptor_v6(handle, n->rnn, HIDDEN, LAYERS, NULL, n->skip, n->direction, n->cell, CUDNN_RNN_ALGO_STANDARD, n->type));
	CHECK(!cudnnSetRNNBiasMode(n->rnn, n->bias));
	CHECK(!cudnnSetRNNMatrixMathType(n->rnn, n->math));
	if (n->projection)
		CHECK(!cudnnSetRNNProjectionLayers(handle, n->rnn, n->projection, 0));
	if (n->clip)
		CHECK(!cudnnRNNSetClip(handle, n->rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -0.2, 0.2));
	if (n->way > DATA_PACKED)
		CHECK(!cudnnSetRNNPaddingMode(n->rnn, CUDNN_RNN_PADDED_IO_ENABLED));
	for (int t = 0; t < STEPS; t++) {
		/* Whoever uses padded data describes the whole batch at each step. */
		int now = n->way > DATA_PACKED ? BATCH : batches[t];

		n->x[t] = tensor(n->type, t % 2 ? 5 : 3, (int[]){ now, n->input, 1, 1, 1 });
		n->y[t] = tensor(n->type, 3, (int[]){ now, n->width, 1 });
	}
	if (n->way != ARRAYS) {
		n->xd = data(n, n->input);
		n->yd = data(n, n->width);
	}
	n->h = tensor(n->type, 3, (int[]){ n->pseudo_layers, BATCH, projection });
	n->c = tensor(n->type, 3, (int[]){ n->pseudo_layers, BATCH, HIDDEN });
	printf("cell %d bias %d direction %d skip %d projection %d clip %d type %d way %d\n", n->cell, n->bias, n->direction, n->skip,
	       n->projection, n->clip, n->type, n->way);
	CHECK(!cudnnGetRNNParamsSize(handle, n->rnn, n->x[0], &n->weights_size, n->type));
	CHECK(!cudnnGetRNNWorkspaceSize(handle, n->rnn, STEPS, n->x, &n->work_size));
	CHECK(!cudnnGetRNNTrainingReserveSize(handle, n->rnn, STEPS, n->x, &n->reserve_size));
	printf("weights %zu\n", n->weights_size);
	CHECK(!cudnnCreateFilterDescriptor(&n->w));
	CHECK(!cudnnSetFilterNdDescriptor(n->w, n->type, CUDNN_TENSOR_NCHW, 3, (int[]){ (int)(n->weights_size / n->element), 1, 1 }));
	n->weights = exactly(n->weights_size);
	n->work = exactly(n->work_size);
	n->reserve = exactly(n->reserve_size);
	each_region(n, n->weights, fill_region);
}

static void finish(struct net *n)
{
	guarded(n->weights, n->weights_size);
	guarded(n->work, n->work_size);
	guarded(n->reserve, n->reserve_size);
	free(n->weights);
	free(n->work);
	free(n->reserve);
	for (int t = 0; t < STEPS; t++)
		CHECK(!cudnnDestroyTensorDescriptor(n->x[t]) && !cudnnDestroyTensorDescriptor(n->y[t]));
	CHECK(!cudnnDestroyTensorDescriptor(n->h) && !cudnnDestroyTensorDescriptor(n->c));
	CHECK(!cudnnDestroyFilterDescriptor(n->w));
	if (n->way != ARRAYS)
		CHECK(!cudnnDestroyRNNDataDescriptor(n->xd) && !cudnnDestroyRNNDataDescriptor(n->yd));
	CHECK(!cudnnDestroyRNNDescriptor(n->rnn));
}

struct buffers {
	void *x, *y, *hx, *cx, *hy, *cy, *dy, *dhy, *dcy, *dx, *dhx, *dcx;
};

static int inference(struct net *n, const struct buffers *b, size_t less_weights, size_t less_work)
{
	cudnnFilterDescriptor_t w = n->w, smaller;
	int status;

	CHECK(!cudnnCreateFilterDescriptor(&smaller));
	if (less_weights) {
		CHECK(!cudnnSetFilterNdDescriptor(smaller, n->type, CUDNN_TENSOR_NCHW, 3,
						  (int[]){ (int)(n->weights_size / n->element - less_weights), 1, 1 }));
		w = smaller;
	}
	status = n->way == ARRAYS ?
		cudnnRNNForwardInference(handle, n->rnn, STEPS, n->x, b->x, n->h, b->hx, n->c, b->cx, w, n->weights, n->y, b->y, n->h, b->hy, n->c,
					 b->cy, n->work, n->work_size - less_work) :
		cudnnRNNForwardInferenceEx(handle, n->rnn, n->xd, b->x, n->h, b->hx, n->c, b->cx, w, n->weights, n->yd, b->y, n->h, b->hy, n->c,
					   b->cy, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, n->work, n->work_size - less_work);
	CHECK(!cudnnDestroyFilterDescriptor(smaller));
	return status;
}

/* Reserved arguments are not looked at, whatever they are. */
static int training(struct net *n, const struct buffers *b, size_t less_reserve)
{
	return n->way == ARRAYS ?
		cudnnRNNForwardTraining(handle, n->rnn, STEPS, n->x, b->x, n->h, b->hx, n->c, b->cx, n->w, n->weights, n->y, b->y, n->h, b->hy, n->c,
					b->cy, n->work, n->work_size, n->reserve, n->reserve_size - less_reserve) :
		cudnnRNNForwardTrainingEx(handle, n->rnn, n->xd, b->x, n->h, b->hx, n->c, b->cx, n->w, n->weights, n->yd, b->y, n->h, b->hy, n->c,
					  b->cy, n->xd, b->x, n->xd, b->y, n->yd, b->x, n->yd, b->y, n->work, n->work_size, n->reserve,
					  n->reserve_size - less_reserve);
}

static int backward_data(struct net *n, const struct buffers *b)
{
	return n->way == ARRAYS ?
		cudnnRNNBackwardData(handle, n->rnn, STEPS, n->y, b->y, n->y, b->dy, n->h, b->dhy, n->c, b->dcy, n->w, n->weights, n->h, b->hx, n->c,
				     b->cx, n->x, b->dx, n->h, b->dhx, n->c, b->dcx, n->work, n->work_size, n->reserve, n->reserve_size) :
		cudnnRNNBackwardDataEx(handle, n->rnn, n->yd, b->y, n->yd, b->dy, n->xd, b->x, n->h, b->dhy, n->c, b->dcy, n->w, n->weights, n->h,
				       b->hx, n->c, b->cx, n->xd, b->dx, n->h, b->dhx, n->c, b->dcx, n->xd, b->x, n->work, n->work_size, n->reserve,
				       n->reserve_size);
}

static int backward_weights(struct net *n, const struct buffers *b, void *dw)
{
	return n->way == ARRAYS ?
		cudnnRNNBackwardWeights(handle, n->rnn, STEPS, n->x, b->x, n->h, b->hx, n->y, b->y, n->work, n->work_size, n->w, dw, n->reserve,
					n->reserve_size) :
		cudnnRNNBackwardWeightsEx(handle, n->rnn, n->xd, b->x, n->h, b->hx, n->yd, b->y, n->work, n->work_size, n->w, dw, n->reserve,
					  n->reserve_size);
}

static struct buffers make_buffers(const struct net *n)
{
	struct buffers b;

	for (void **p = (void **)&b; p < (void **)(&b + 1); p++)
		*p = numbers(n);
	return b;
}

static void free_buffers(struct buffers *b)
{
	for (void **p = (void **)b; p < (void **)(b + 1); p++)
		free(*p);
}

static void compute(struct net *n)
{
	int rows = n->way > DATA_PACKED ? STEPS * BATCH : 10, h = n->pseudo_layers * BATCH * (n->projection ? n->projection : HIDDEN),
	    c = n->pseudo_layers * BATCH * HIDDEN;
	struct buffers b = make_buffers(n), none = b;
	char *dw = exactly(n->weights_size);

	printf("inference %d\n", inference(n, &b, 0, 0));
	show(n, "y", b.y, NUMBERS);	/* what lies beyond is as it was */
	show(n, "hy", b.hy, NUMBERS);
	show(n, "cy", b.cy, NUMBERS);
	none.hx = none.cx = none.hy = none.cy = NULL;
	printf("no states %d\n", inference(n, &none, 0, 0));
	show(n, "y", b.y, rows * n->width);
	printf("training %d\n", training(n, &b, 0));
	show(n, "y", b.y, rows * n->width);
	show(n, "hy", b.hy, h);
	if (n->cell == CUDNN_LSTM)
		show(n, "cy", b.cy, c);
	printf("data %d\n", backward_data(n, &b));
	show(n, "dx", b.dx, NUMBERS);
	show(n, "dhx", b.dhx, NUMBERS);
	show(n, "dcx", b.dcx, NUMBERS);
	each_region(n, dw, one_region);
	printf("weights %d\n", backward_weights(n, &b, dw));
	each_region(n, dw, show_region);
	none = b;
	none.hx = none.cx = none.dhy = none.dcy = none.dhx = none.dcx = none.hy = none.cy = NULL;
	printf("no states %d %d", training(n, &none, 0), backward_data(n, &none));
	printf(" %d\n", backward_weights(n, &none, dw));
	show(n, "dx", b.dx, rows * n->input);
	each_region(n, dw, show_region);
	printf("too small: %d %d %d\n", inference(n, &b, 1, 0), inference(n, &b, 0, n->work_size), training(n, &b, n->reserve_size));
	guarded(dw, n->weights_size);
	free(dw);
	free_buffers(&b);
}

static void all_networks(void)
{
	for (int cell = 0; cell < 4; cell++) {
		for (int kind = 0; kind < 16; kind++) {
			struct net n = { .cell = cell, .bias = kind % 4, .direction = kind / 4 % 2, .way = (kind + kind / 4) % 4,
					 .type = kind % 3 ? CUDNN_DATA_FLOAT : CUDNN_DATA_DOUBLE, .skip = kind % 5 == 2,
					 .math = kind % 2 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH };

			if (cell == CUDNN_LSTM && kind % 3 == 1)
				n.projection = 2;
			n.clip = cell == CUDNN_LSTM && kind > 8;
			begin(&n);
			show_settings(n.rnn);
			show_regions(&n);
			compare_regions(&n);
			compute(&n);
			finish(&n);
		}
	}
}

/* One descriptor serves inputs of different widths and types in turn. */
static void other_inputs(void)
{
	cudnnRNNDescriptor_t rnn;
	size_t size;

	CHECK(!cudnnCreateRNNDescriptor(&rnn));
	CHECK(!cudnnSetRNNDescriptor_v6(handle, rnn, HIDDEN, 1, NULL, CUDNN_LINEAR_INPUT, CUDNN_UNIDIRECTIONAL, CUDNN_GRU, CUDNN_RNN_ALGO_STANDARD,
					CUDNN_DATA_FLOAT));
	for (int i = 0; i < 12; i++) {
		cudnnTensorDescriptor_t x = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ 2, 1 + i % 4, 1 });

		CHECK(!cudnnGetRNNParamsSize(handle, rnn, x, &size, CUDNN_DATA_FLOAT));
		printf("input %d: %zu\n", 1 + i % 4, size);
		CHECK(!cudnnDestroyTensorDescriptor(x));
	}
	CHECK(!cudnnDestroyRNNDescriptor(rnn));
}

/* Several descriptors of one shape that do not say the same, and those of states that are not there. */
static void disagreeing(struct net *n, struct buffers *b)
{
	static const int others[BATCH] = { 4, 3, 1 };
	cudnnTensorDescriptor_t less = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ n->pseudo_layers, BATCH - 1, HIDDEN }), none,
				same = tensor(CUDNN_DATA_FLOAT, 4, (int[]){ n->pseudo_layers, BATCH, HIDDEN, 1 });
	cudnnRNNDataDescriptor_t xd, yd, dyd[2];

	CHECK(!cudnnCreateTensorDescriptor(&none));
#define INFERENCE(hxd, hx, cxd, cx, hyd, hy, cyd, cy) \
	cudnnRNNForwardInference(handle, n->rnn, STEPS, n->x, b->x, hxd, hx, cxd, cx, n->w, n->weights, n->y, b->y, hyd, hy, cyd, cy, n->work, n->work_size)
#define DATA(dyd, dhyd, dhxd, dcxd, hxd, hx) \
	cudnnRNNBackwardData(handle, n->rnn, STEPS, n->y, b->y, dyd, b->dy, dhyd, b->dhy, n->c, b->dcy, n->w, n->weights, hxd, hx, n->c, b->cx, n->x, b->dx, \
			     dhxd, b->dhx, dcxd, b->dcx, n->work, n->work_size, n->reserve, n->reserve_size)
	printf("hy %d", INFERENCE(n->h, b->hx, n->c, b->cx, less, b->hy, n->c, b->cy));
	printf(", cy %d", INFERENCE(n->h, b->hx, n->c, b->cx, n->h, b->hy, less, b->cy));
	printf(", of another rank %d", INFERENCE(n->h, b->hx, n->c, b->cx, same, b->hy, same, b->cy));
	printf(", hx not there %d", INFERENCE(less, NULL, none, NULL, n->h, b->hy, n->c, b->cy));
	show(n, "y", b->y, 10 * n->width);
	printf("nothing there %d", INFERENCE(less, NULL, none, NULL, none, NULL, less, NULL));
	printf(", undescribed %d", INFERENCE(NULL, b->hx, n->c, b->cx, n->h, b->hy, n->c, b->cy));
	printf(" %d\n", INFERENCE(n->h, b->hx, n->c, b->cx, n->h, b->hy, NULL, b->cy));
	CHECK(!training(n, b, 0));
	printf("dy %d, dhy %d, dhx %d", DATA(n->x, n->h, n->h, n->c, n->h, b->hx), DATA(n->y, less, n->h, n->c, n->h, b->hx),
	       DATA(n->y, n->h, less, n->c, n->h, b->hx));
	printf(", dcx %d, hx not there %d\n", DATA(n->y, n->h, n->h, less, n->h, b->hx), DATA(n->y, n->h, n->h, n->c, none, NULL));
	n->way = DATA_PACKED;
	xd = data(n, n->input);
	yd = data(n, n->width);
	dyd[0] = data(n, n->width);
	dyd[1] = data(n, n->width);
	CHECK(!cudnnSetRNNDataDescriptor(dyd[1], CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, STEPS, BATCH, n->width, others, NULL));
	for (int i = 0; i < 2; i++)
		printf("dy of its own %d\n", cudnnRNNBackwardDataEx(handle, n->rnn, yd, b->y, dyd[i], b->dy, NULL, NULL, n->h, b->dhy, n->c, b->dcy, n->w,
								    n->weights, n->h, b->hx, n->c, b->cx, xd, b->dx, n->h, b->dhx, n->c, b->dcx, NULL,
								    NULL, n->work, n->work_size, n->reserve, n->reserve_size));
	n->way = ARRAYS;
	CHECK(!cudnnDestroyRNNDataDescriptor(xd) && !cudnnDestroyRNNDataDescriptor(yd) && !cudnnDestroyRNNDataDescriptor(dyd[0]) &&
	      !cudnnDestroyRNNDataDescriptor(dyd[1]));
	CHECK(!cudnnDestroyTensorDescriptor(less) && !cudnnDestroyTensorDescriptor(none) && !cudnnDestroyTensorDescriptor(same));
}

/* Errors, each with the status that it gives. */
static void statuses(void)
{
	struct net n = { .cell = CUDNN_LSTM, .bias = CUDNN_RNN_DOUBLE_BIAS, .type = CUDNN_DATA_FLOAT };
	cudnnRNNDescriptor_t fresh;
	cudnnTensorDescriptor_t steps[STEPS], odd, wide, growing, twice;
	cudnnFilterDescriptor_t f;
	struct buffers b;
	void *at;
	size_t size = 0;
	int hidden;

	begin(&n);
	b = make_buffers(&n);
	CHECK(!cudnnCreateRNNDescriptor(&fresh) && !cudnnCreateFilterDescriptor(&f));
	show_settings(fresh);
	printf("not set: %d", cudnnGetRNNParamsSize(handle, fresh, n.x[0], &size, CUDNN_DATA_FLOAT));
	printf(" %d", cudnnSetRNNProjectionLayers(handle, fresh, 4, 0));
	printf(" %d\n", cudnnGetRNNWorkspaceSize(handle, fresh, STEPS, n.x, &size));
	printf("set before: %d %d %d\n", cudnnSetRNNBiasMode(fresh, CUDNN_RNN_NO_BIAS), cudnnSetRNNMatrixMathType(fresh, CUDNN_FMA_MATH),
	       cudnnSetRNNPaddingMode(fresh, CUDNN_RNN_PADDED_IO_ENABLED));
	show_settings(fresh);
#define SET(handle, rnn, hidden, layers, input, direction, cell, algo) \
	printf("set %d\n", cudnnSetRNNDescriptor_v6(handle, rnn, hidden, layers, NULL, input, direction, cell, algo, CUDNN_DATA_FLOAT))
	SET(NULL, fresh, 4, 2, 0, 0, CUDNN_LSTM, 0);
	SET(handle, NULL, 4, 2, 0, 0, CUDNN_LSTM, 0);
	SET(handle, fresh, 0, 2, 0, 0, CUDNN_LSTM, 0);
	SET(handle, fresh, 4, -1, 0, 0, CUDNN_LSTM, 0);
	SET(handle, fresh, 4, 2, 7, 0, CUDNN_LSTM, 0);
	SET(handle, fresh, 4, 2, 0, 7, CUDNN_LSTM, 0);
	SET(handle, fresh, 4, 2, 0, 0, 7, 0);
	SET(handle, fresh, 4, 2, 0, 0, CUDNN_LSTM, 7);
	show_settings(fresh);
	SET(handle, fresh, 4, 2, 0, 0, CUDNN_LSTM, 0);
	show_settings(fresh);
	printf("math %d bias %d padding %d\n", cudnnSetRNNMatrixMathType(fresh, 9), cudnnSetRNNBiasMode(fresh, 9), cudnnSetRNNPaddingMode(fresh, 9));
	printf("projection %d %d %d %d", cudnnSetRNNProjectionLayers(handle, fresh, 0, 0), cudnnSetRNNProjectionLayers(handle, fresh, 5, 0),
	       cudnnSetRNNProjectionLayers(handle, fresh, 4, -1), cudnnSetRNNProjectionLayers(handle, fresh, 4, 9));
	printf(" %d %d\n", cudnnSetRNNProjectionLayers(NULL, fresh, 2, 0), cudnnSetRNNProjectionLayers(handle, fresh, 2, 0));
	printf("clip %d %d\n", cudnnRNNSetClip(handle, fresh, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, 1, -1),
	       cudnnRNNSetClip_v8(fresh, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -1, 1));
	show_settings(fresh);
	SET(handle, fresh, 4, 2, 0, 0, CUDNN_GRU, 0);
	show_settings(fresh);
	printf("projection of a GRU %d %d\n", cudnnSetRNNProjectionLayers(handle, fresh, 2, 0), cudnnSetRNNProjectionLayers(handle, fresh, 4, 0));
	printf("nowhere %d %d %d %d", cudnnGetRNNMatrixMathType(fresh, NULL), cudnnGetRNNBiasMode(fresh, NULL), cudnnGetRNNPaddingMode(fresh, NULL),
	       cudnnGetRNNProjectionLayers(handle, fresh, &hidden, NULL));
	printf(" %d\n", cudnnGetRNNDescriptor_v6(handle, fresh, &hidden, NULL, NULL, NULL, NULL, NULL, NULL, NULL));

	twice = tensor(CUDNN_DATA_DOUBLE, 3, (int[]){ BATCH, n.input, 1 });
	wide = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ BATCH, n.input + 1, 1 });
	growing = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ BATCH + 1, n.input, 1 });
	CHECK(!cudnnCreateTensorDescriptor(&odd));
	CHECK(!cudnnSetTensorNdDescriptor(odd, CUDNN_DATA_FLOAT, 3, (int[]){ BATCH, n.input, 1 }, (int[]){ n.input + 1, 1, 1 }));
	memcpy(steps, n.x, sizeof steps);
	for (int i = 0; i < 4; i++) {
		steps[1] = i == 0 ? twice : i == 1 ? wide : i == 2 ? growing : odd;
		printf("steps %d\n", cudnnGetRNNWorkspaceSize(handle, n.rnn, STEPS, steps, &size));
	}
	steps[1] = n.x[1];
	printf("no steps %d %d %d\n", cudnnGetRNNWorkspaceSize(handle, n.rnn, 0, steps, &size), cudnnGetRNNWorkspaceSize(handle, n.rnn, STEPS, NULL, &size),
	       cudnnGetRNNTrainingReserveSize(handle, n.rnn, STEPS, steps, NULL));
	printf("size %d %d %d\n", cudnnGetRNNParamsSize(handle, n.rnn, n.x[0], &size, CUDNN_DATA_DOUBLE),
	       cudnnGetRNNParamsSize(handle, n.rnn, NULL, &size, CUDNN_DATA_FLOAT), cudnnGetRNNParamsSize(handle, n.rnn, n.x[0], NULL, CUDNN_DATA_FLOAT));
	printf("weights %d", cudnnGetRNNLinLayerMatrixParams(handle, n.rnn, 0, n.x[0], f, n.weights, 0, f, &at));
	CHECK(!cudnnSetFilterNdDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, (int[]){ 2, 1, 1 }));
	printf(" %d", cudnnGetRNNLinLayerMatrixParams(handle, n.rnn, 0, n.x[0], f, n.weights, 0, f, &at));
	CHECK(!cudnnSetFilterNdDescriptor(f, CUDNN_DATA_DOUBLE, CUDNN_TENSOR_NCHW, 3, (int[]){ 2000, 1, 1 }));
	printf(" %d\n", cudnnGetRNNLinLayerMatrixParams(handle, n.rnn, 0, n.x[0], f, n.weights, 0, f, &at));
	/* Of a step's tensor the weights depend on the vectors alone. */
	CHECK(!cudnnSetFilterNdDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, (int[]){ 2000, 1, 1 }));
	for (int i = 0; i < 4; i++) {
		static const int dim[][3] = { { 3, 5, 1 }, { 3, 5, 1 }, { 3, 5, 2 }, { 3, 5, 2 } }, stride[][3] = { { 7, 1, 1 }, { 1, 3, 1 }, { 10, 2, 1 }, { 20, 2, 1 } };
		cudnnFilterDescriptor_t place;
		cudnnDataType_t type;
		cudnnTensorFormat_t format;
		int rank = -1, size_of[3] = { -1, -1, -1 }, status;

		CHECK(!cudnnCreateFilterDescriptor(&place));
		CHECK(!cudnnSetTensorNdDescriptor(odd, CUDNN_DATA_FLOAT, 3, dim[i], stride[i]));
		size = 0;
		status = cudnnGetRNNParamsSize(handle, n.rnn, odd, &size, CUDNN_DATA_FLOAT);
		printf("another order: size %d %zu", status, size);
		printf(", place %d", cudnnGetRNNLinLayerMatrixParams(handle, n.rnn, 0, odd, f, n.weights, 0, place, &at));
		CHECK(!cudnnGetFilterNdDescriptor(place, 3, &type, &format, &rank, size_of) && !cudnnDestroyFilterDescriptor(place));
		printf(" of %d %d\n", size_of[1], size_of[2]);
	}
	printf("y %d", cudnnRNNForwardInference(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, n.w, n.weights, n.x, b.y, n.h, b.hy, n.c, b.cy, n.work,
						n.work_size));
	printf(" %d", cudnnRNNForwardInference(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, n.w, n.weights, NULL, b.y, n.h, b.hy, n.c, b.cy,
					       n.work, n.work_size));
	printf(", w %d\n", cudnnRNNForwardInference(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, NULL, n.weights, n.y, b.y, n.h, b.hy, n.c,
						    b.cy, n.work, n.work_size));
	printf("dy %d\n", cudnnRNNBackwardData(handle, n.rnn, STEPS, n.y, b.y, NULL, b.dy, n.h, b.dhy, n.c, b.dcy, n.w, n.weights, n.h, b.hx, n.c, b.cx,
					       n.x, b.dx, n.h, b.dhx, n.c, b.dcx, n.work, n.work_size, n.reserve, n.reserve_size));
	disagreeing(&n, &b);
	CHECK(!cudnnDestroyTensorDescriptor(odd) && !cudnnDestroyTensorDescriptor(wide) && !cudnnDestroyTensorDescriptor(growing) &&
	      !cudnnDestroyTensorDescriptor(twice));
	CHECK(!cudnnDestroyFilterDescriptor(f) && !cudnnDestroyRNNDescriptor(fresh));
	free_buffers(&b);
	finish(&n);
}

/* A descriptor set by the new call, used by the old ones, and the other way. */
static void mixed(void)
{
	struct net n = { .cell = CUDNN_LSTM, .bias = CUDNN_RNN_DOUBLE_BIAS, .type = CUDNN_DATA_FLOAT };
	cudnnTensorDescriptor_t wide = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ BATCH, 7, 1 });
	cudnnRNNAlgo_t algo;
	cudnnRNNMode_t cell;
	cudnnRNNBiasMode_t bias = -1;
	cudnnDirectionMode_t direction;
	cudnnRNNInputMode_t mode;
	cudnnDataType_t type, precision;
	cudnnMathType_t math = -1;
	int input = -1, hidden = -1, projection = -1, layers = -1;
	cudnnDropoutDescriptor_t dropout;
	uint32_t flags = 99;
	cudnnRNNDataDescriptor_t xd;
	size_t size, work, reserve;

	begin(&n);
	CHECK(!cudnnSetRNNDescriptor_v8(n.rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
					CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, n.input, HIDDEN, HIDDEN, LAYERS, NULL, 0));
	show_settings(n.rnn);
	CHECK(!cudnnRNNSetClip_v8(n.rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -0.1, 0.1));
	show_settings(n.rnn);
	compute(&n);
	CHECK(!cudnnRNNSetClip(handle, n.rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -0.3, 0.3));
	CHECK(!cudnnSetRNNMatrixMathType(n.rnn, CUDNN_DEFAULT_MATH) && !cudnnSetRNNPaddingMode(n.rnn, CUDNN_RNN_PADDED_IO_ENABLED));
	show_settings(n.rnn);
	CHECK(!cudnnGetRNNDescriptor_v8(n.rnn, &algo, &cell, &bias, &direction, &mode, &type, &precision, &math, &input, &hidden, &projection, &layers,
					&dropout, &flags));
	printf("new: bias %d math %d input %d hidden %d projection %d layers %d flags %u\n", bias, math, input, hidden, projection, layers, flags);
	compute(&n);
	printf("another input: %d\n", cudnnGetRNNParamsSize(handle, n.rnn, wide, &size, CUDNN_DATA_FLOAT));
	n.way = DATA_BY_STEP;
	xd = data(&n, n.input);
	n.way = ARRAYS;
	printf("new sizes %d\n", cudnnGetRNNTempSpaceSizes(handle, n.rnn, CUDNN_FWD_MODE_TRAINING, xd, &work, &reserve));
	CHECK(!cudnnDestroyRNNDataDescriptor(xd));
	/* The new call builds a dynamic persistent network for the old ones too. */
	CHECK(!cudnnSetRNNDescriptor_v8(n.rnn, CUDNN_RNN_ALGO_PERSIST_DYNAMIC, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
					CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, n.input, HIDDEN, HIDDEN, LAYERS, NULL, 0));
	printf("built %d %d\n", cudnnBuildRNNDynamic(handle, n.rnn, 0), cudnnBuildRNNDynamic(handle, n.rnn, BATCH));
	compute(&n);
	/* Set by the old call again, it takes any input. */
	CHECK(!cudnnSetRNNDescriptor_v6(handle, n.rnn, HIDDEN, LAYERS, NULL, 0, 0, CUDNN_LSTM, 0, CUDNN_DATA_FLOAT));
	show_settings(n.rnn);
	printf("another input: %d\n", cudnnGetRNNParamsSize(handle, n.rnn, wide, &size, CUDNN_DATA_FLOAT));
	compute(&n);
	CHECK(!cudnnDestroyTensorDescriptor(wide));
	finish(&n);
}

/* Storage of algorithms and performances. */
static void algorithms(void)
{
	enum { MANY = 40 };
	cudnnAlgorithmDescriptor_t a, b, of = NULL;
	cudnnAlgorithmPerformance_t many[MANY];
	cudnnAlgorithm_t algorithm, got;
	cudnnStatus_t status = -1;
	float time = -7;
	size_t size = 0, memory = 7;
	char saved[256];
	int number = CUDNN_RNN_ALGO_PERSIST_STATIC;

	CHECK(!cudnnCreateAlgorithmDescriptor(&a) && !cudnnCreateAlgorithmDescriptor(&b));
	memset(&got, 0x55, sizeof got);
	CHECK(!cudnnGetAlgorithmDescriptor(a, &got));
	memcpy(&number, &got, sizeof number);
	printf("new algorithm %d\n", number);
	number = CUDNN_RNN_ALGO_PERSIST_STATIC;
	memcpy(&algorithm, &number, sizeof number);
	CHECK(!cudnnSetAlgorithmDescriptor(a, algorithm) && !cudnnCopyAlgorithmDescriptor(a, b));
	CHECK(!cudnnGetAlgorithmDescriptor(b, &got));
	memcpy(&number, &got, sizeof number);
	printf("copied %d\n", number);
	CHECK(!cudnnGetAlgorithmSpaceSize(handle, a, &size));
	memset(saved, 0x55, sizeof saved);
	printf("%zu bytes, %d", size, cudnnSaveAlgorithm(handle, a, saved, size - 1));
	printf(" %d:", cudnnSaveAlgorithm(handle, a, saved, size));
	for (size_t i = 0; i < size + 2; i++)
		printf(" %02x", (unsigned char)saved[i]);
	number = 0;
	memcpy(&algorithm, &number, sizeof number);
	CHECK(!cudnnSetAlgorithmDescriptor(b, algorithm));
	printf("\nrestored %d", cudnnRestoreAlgorithm(handle, saved, size, b));
	CHECK(!cudnnGetAlgorithmDescriptor(b, &got));
	memcpy(&number, &got, sizeof number);
	printf(" %d, %d\n", number, cudnnRestoreAlgorithm(handle, saved, size - 1, b));
	/* Of another release, another build of it, and of a kind that no release writes. */
	for (int i = 0; i < 12; i += 4) {
		saved[i] ^= 1;
		printf("another %d: %d\n", i, cudnnRestoreAlgorithm(handle, saved, size, b));
		saved[i] ^= 1;
	}

	printf("no performances: %d %d\n", cudnnCreateAlgorithmPerformance(many, 0), cudnnCreateAlgorithmPerformance(many, -1));
	CHECK(!cudnnCreateAlgorithmPerformance(many, MANY));
	CHECK(!cudnnGetAlgorithmPerformance(many[1], &of, &status, &time, &memory));
	printf("new performance: %s %d %g %zu\n", of ? "own" : "none", status, time, memory);
	for (int s = 0; s < 15; s++) {
		CHECK(!cudnnSetAlgorithmPerformance(many[s], b, s, 1.5f, 99));
		CHECK(!cudnnGetAlgorithmPerformance(many[s], &of, &status, &time, &memory));
		printf("performance: %d %d %g %zu\n", of == b, status, time, memory);
	}
	CHECK(!cudnnDestroyAlgorithmPerformance(many, MANY));
	printf("destroyed: %p\n", (void *)many[3]);
	printf("none: %d %d %d\n", cudnnDestroyAlgorithmDescriptor(NULL), cudnnCopyAlgorithmDescriptor(a, NULL), cudnnSetAlgorithmDescriptor(NULL, algorithm));
	CHECK(!cudnnDestroyAlgorithmDescriptor(a) && !cudnnDestroyAlgorithmDescriptor(b));
}

static void show_found(const char *what, int status, int returned, cudnnAlgorithmPerformance_t *results)
{
	cudnnAlgorithmDescriptor_t of;
	cudnnAlgorithm_t got;
	cudnnStatus_t its = -1;
	float time = -7;
	size_t memory = 7;
	int number = -1;

	printf("%s %d, %d results", what, status, returned);
	if (!status && returned > 0) {
		CHECK(!cudnnGetAlgorithmPerformance(results[0], &of, &its, &time, &memory));
		CHECK(!cudnnGetAlgorithmDescriptor(of, &got));
		memcpy(&number, &got, sizeof number);
		printf(": algorithm %d, status %d, %g ms", number, its, time);
	}
	printf("\n");
}

/* Searches for algorithms, and algorithms and plans that are set. */
static void finding(void)
{
	struct net n = { .cell = CUDNN_GRU, .bias = CUDNN_RNN_DOUBLE_BIAS, .type = CUDNN_DATA_FLOAT };
	cudnnAlgorithmPerformance_t results[2];
	cudnnAlgorithmDescriptor_t a;
	cudnnAlgorithm_t algorithm;
	cudnnPersistentRNNPlan_t plan = NULL;
	struct buffers b;
	char *dw;
	int count = -1, returned = -1, number;

	begin(&n);
	b = make_buffers(&n);
	dw = exactly(n.weights_size);
	CHECK(!cudnnCreateAlgorithmPerformance(results, 2) && !cudnnCreateAlgorithmDescriptor(&a));
	printf("counts %d", cudnnGetRNNForwardInferenceAlgorithmMaxCount(handle, n.rnn, &count));
	printf(" %d, %d", count, cudnnGetRNNForwardTrainingAlgorithmMaxCount(handle, n.rnn, &count));
	printf(" %d, %d", count, cudnnGetRNNBackwardDataAlgorithmMaxCount(handle, n.rnn, &count));
	printf(" %d, %d", count, cudnnGetRNNBackwardWeightsAlgorithmMaxCount(handle, n.rnn, &count));
	printf(" %d\n", count);
	for (int i = 0; i < 2; i++) {
		int status;

		status = cudnnFindRNNForwardInferenceAlgorithmEx(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, n.w, n.weights, n.y, b.y, n.h, b.hy,
								 n.c, b.cy, 1, 2 * !i, &returned, results, n.work, n.work_size);
		show_found("inference", status, returned, results);
		show(&n, "y", b.y, 10 * n.width);
	}
	show_found("training", cudnnFindRNNForwardTrainingAlgorithmEx(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, n.w, n.weights, n.y, b.y, n.h,
								      b.hy, n.c, b.cy, 1, 1, &returned, results, n.work, n.work_size, n.reserve,
								      n.reserve_size), returned, results);
	show_found("data", cudnnFindRNNBackwardDataAlgorithmEx(handle, n.rnn, STEPS, n.y, b.y, n.y, b.dy, n.h, b.dhy, n.c, b.dcy, n.w, n.weights, n.h, b.hx,
							       n.c, b.cx, n.x, b.dx, n.h, b.dhx, n.c, b.dcx, 1, 1, &returned, results, n.work, n.work_size,
							       n.reserve, n.reserve_size), returned, results);
	show(&n, "dx", b.dx, 10 * n.input);
	each_region(&n, dw, one_region);
	show_found("weights", cudnnFindRNNBackwardWeightsAlgorithmEx(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.y, b.y, 1, 1, &returned, results, n.work,
								     n.work_size, n.w, dw, n.reserve, n.reserve_size), returned, results);
	each_region(&n, dw, show_region);

	number = CUDNN_RNN_ALGO_PERSIST_DYNAMIC;
	memcpy(&algorithm, &number, sizeof number);
	CHECK(!cudnnSetAlgorithmDescriptor(a, algorithm));
	printf("set %d\n", cudnnSetRNNAlgorithmDescriptor(handle, n.rnn, a));
	show_settings(n.rnn);
	printf("plans %d %d", cudnnCreatePersistentRNNPlan(n.rnn, 0, CUDNN_DATA_FLOAT, &plan), cudnnSetPersistentRNNPlan(n.rnn, NULL));
	printf(" %d\n", cudnnCreatePersistentRNNPlan(n.rnn, BATCH, CUDNN_DATA_FLOAT, &plan));
	/* cuDNN 9 itself says success, and computes nothing. */
	printf("without a plan %d\n", cudnnRNNForwardInference(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, n.w, n.weights, n.y, b.y, n.h, b.hy,
								n.c, b.cy, n.work, n.work_size));
	/* A search tells so of its result, in the caller's own numbers; what the caller did wrong, of itself. */
	show_found("without a plan", cudnnFindRNNForwardInferenceAlgorithmEx(handle, n.rnn, STEPS, n.x, b.x, n.h, b.hx, n.c, b.cx, n.w, n.weights, n.y, b.y,
									     n.h, b.hy, n.c, b.cy, 1, 1, &returned, results, n.work, n.work_size),
		   returned, results);
	printf("set %d\n", cudnnSetPersistentRNNPlan(n.rnn, plan));
	show_found("without an input", cudnnFindRNNForwardInferenceAlgorithmEx(handle, n.rnn, STEPS, n.x, NULL, n.h, b.hx, n.c, b.cx, n.w, n.weights, n.y,
									       b.y, n.h, b.hy, n.c, b.cy, 1, 1, &returned, results, n.work,
									       n.work_size), returned, results);
	compute(&n);
	printf("destroyed %d %d\n", cudnnDestroyPersistentRNNPlan(plan), cudnnDestroyPersistentRNNPlan(NULL));
	CHECK(!cudnnDestroyAlgorithmPerformance(results, 2) && !cudnnDestroyAlgorithmDescriptor(a));
	free(dw);
	free_buffers(&b);
	finish(&n);
}

/* More threads than kits share a descriptor; all must come out the same. */
static struct net shared;

static void *thread(void *argument)
{
	struct buffers *b = argument;
	char *work = exactly(shared.work_size);

	for (int i = 0; i < 30; i++)
		CHECK(!cudnnRNNForwardInference(handle, shared.rnn, STEPS, shared.x, b->x, shared.h, b->hx, shared.c, b->cx, shared.w, shared.weights,
						shared.y, b->y, shared.h, b->hy, shared.c, b->cy, work, shared.work_size));
	free(work);
	return NULL;
}

static void threads(void)
{
	enum { THREADS = 6 };
	pthread_t all[THREADS];
	struct buffers b[THREADS];

	shared = (struct net){ .cell = CUDNN_LSTM, .bias = CUDNN_RNN_DOUBLE_BIAS, .type = CUDNN_DATA_FLOAT };
	begin(&shared);
	for (int i = 0; i < THREADS; i++) {
		seed = 1;
		b[i] = make_buffers(&shared);
		CHECK(!pthread_create(&all[i], NULL, thread, &b[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(all[i], NULL));
		CHECK(!memcmp(b[i].y, b[0].y, NUMBERS * shared.element));
	}
	show(&shared, "y", b[0].y, 10 * shared.width);
	for (int i = 0; i < THREADS; i++)
		free_buffers(&b[i]);
	finish(&shared);
}

/* More descriptors than one chunk of memory holds, and a batch that is longer than what the stack is given for. */
static void many(void)
{
	enum { MANY = 700, LONG = 1500 };
	static cudnnRNNDescriptor_t rnn[MANY];
	cudnnTensorDescriptor_t x = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ LONG, 2, 1 }), y = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ LONG, 3, 1 }), h;
	static float in[LONG * 2], out[LONG * 3];
	cudnnFilterDescriptor_t w;
	size_t size = 0, work;
	char *memory;
	float *weights, sum = 0;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			CHECK(!cudnnCreateRNNDescriptor(&rnn[i]));
			CHECK(!cudnnSetRNNDescriptor_v6(handle, rnn[i], 1 + i % 50, 1, NULL, 0, 0, CUDNN_RNN_TANH, 0, CUDNN_DATA_FLOAT));
		}
		for (int i = 0; i < MANY; i++) {
			CHECK(!cudnnGetRNNParamsSize(handle, rnn[i], x, &size, CUDNN_DATA_FLOAT));
			CHECK(size == sizeof(float) * (size_t)(1 + i % 50) * (size_t)(2 + 1 + i % 50 + 2));
		}
		for (int i = 0; i < MANY; i++)
			CHECK(!cudnnDestroyRNNDescriptor(rnn[i]));
	}
	CHECK(!cudnnCreateRNNDescriptor(&rnn[0]));
	CHECK(!cudnnSetRNNDescriptor_v6(handle, rnn[0], 3, 1, NULL, 0, 0, CUDNN_RNN_TANH, 0, CUDNN_DATA_FLOAT));
	CHECK(!cudnnGetRNNParamsSize(handle, rnn[0], x, &size, CUDNN_DATA_FLOAT) && !cudnnGetRNNWorkspaceSize(handle, rnn[0], 1, &x, &work));
	CHECK(!cudnnCreateFilterDescriptor(&w));
	CHECK(!cudnnSetFilterNdDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, (int[]){ (int)(size / sizeof(float)), 1, 1 }));
	weights = calloc(1, size);
	weights[0] = 1;
	memory = exactly(work);
	for (int i = 0; i < LONG * 2; i++)
		in[i] = (float)(i % 7) / 8;
	h = tensor(CUDNN_DATA_FLOAT, 3, (int[]){ 1, LONG, 3 });
	CHECK(!cudnnRNNForwardInference(handle, rnn[0], 1, &x, in, h, NULL, h, NULL, w, weights, &y, out, h, NULL, h, NULL, memory, work));
	for (int i = 0; i < LONG * 3; i++)
		sum += out[i];
	printf("long: %.5g\n", sum);
	guarded(memory, work);
	free(memory);
	free(weights);
	CHECK(!cudnnDestroyFilterDescriptor(w) && !cudnnDestroyRNNDescriptor(rnn[0]));
	CHECK(!cudnnDestroyTensorDescriptor(x) && !cudnnDestroyTensorDescriptor(y) && !cudnnDestroyTensorDescriptor(h));
}

int main(void)
{
	CHECK(!cudnnCreate(&handle));
	all_networks();
	other_inputs();
	statuses();
	mixed();
	algorithms();
	finding();
	threads();
	many();
	CHECK(!cudnnDestroy(handle));
	return 0;
}
