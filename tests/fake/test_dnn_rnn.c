/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The RNN interface that cuDNN 8 and 9 share, of the fakes: forward against formulas written here another way, gradients against
 * differences of the forward pass, over all kinds of cells. Built once for each release.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_api.h"

enum { STEPS = 4, BATCH = 3, HIDDEN = 4, LAYERS = 2, MOST = 4096 };

static cudnnHandle_t handle;
static const int lengths[BATCH] = { 4, 4, 2 };

struct net {
	int cell, bias, direction, skip, projection, clip, layout;
	int input, width, directions;
	cudnnRNNDescriptor_t rnn;
	cudnnRNNDataDescriptor_t xd, yd;
	cudnnTensorDescriptor_t hd, cd;
	size_t weights_size, work_size, reserve_size;
	double *w, x[MOST], y[MOST], hx[MOST], cx[MOST], hy[MOST], cy[MOST];
	void *work, *reserve;
	int x_count, y_count, h_count, c_count;
};

static unsigned seed;

static double next_number(void)
{
	seed = seed * 1103515245u + 12345u;
	return ((int)(seed >> 16) % 2000 - 1000) / 1500.0;
}

static cudnnTensorDescriptor_t state(int layers, int width)
{
	cudnnTensorDescriptor_t descriptor;

	assert_int_equal(cudnnCreateTensorDescriptor(&descriptor), 0);
	assert_int_equal(cudnnSetTensorNdDescriptor(descriptor, CUDNN_DATA_DOUBLE, 3, (int[]){ layers, BATCH, width },
						    (int[]){ BATCH * width, width, 1 }), 0);
	return descriptor;
}

static int data(cudnnRNNDataDescriptor_t *descriptor, int layout, int vector)
{
	double fill = 7;
	int all = 0;

	assert_int_equal(cudnnCreateRNNDataDescriptor(descriptor), 0);
	assert_int_equal(cudnnSetRNNDataDescriptor(*descriptor, CUDNN_DATA_DOUBLE, layout, STEPS, BATCH, vector, lengths, &fill), 0);
	for (int b = 0; b < BATCH; b++)
		all += layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED ? lengths[b] : STEPS;
	return all * vector;
}

static void fill(double *to, int count)
{
	while (count--)
		*to++ = next_number();
}

static void begin(struct net *n)
{
	int projection = n->projection ? n->projection : HIDDEN;

	seed = 4711;
	n->input = n->skip ? HIDDEN : 3;
	n->directions = n->direction ? 2 : 1;
	n->width = projection * n->directions;
	assert_int_equal(cudnnCreateRNNDescriptor(&n->rnn), 0);
	assert_int_equal(cudnnSetRNNDescriptor_v8(n->rnn, CUDNN_RNN_ALGO_STANDARD, n->cell, n->bias, n->direction, n->skip, CUDNN_DATA_DOUBLE,
						  CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH, n->input, HIDDEN, projection, LAYERS, NULL,
						  CUDNN_RNN_PADDED_IO_ENABLED), 0);
	if (n->clip)
		assert_int_equal(cudnnRNNSetClip_v8(n->rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -0.2, 0.2), 0);
	n->x_count = data(&n->xd, n->layout, n->input);
	n->y_count = data(&n->yd, n->layout, n->width);
	n->hd = state(LAYERS * n->directions, projection);
	n->cd = state(LAYERS * n->directions, HIDDEN);
	n->h_count = LAYERS * n->directions * BATCH * projection;
	n->c_count = LAYERS * n->directions * BATCH * HIDDEN;
	assert_int_equal(cudnnGetRNNWeightSpaceSize(handle, n->rnn, &n->weights_size), 0);
	assert_int_equal(cudnnGetRNNTempSpaceSizes(handle, n->rnn, CUDNN_FWD_MODE_TRAINING, n->xd, &n->work_size, &n->reserve_size), 0);
	n->w = malloc(n->weights_size);
	n->work = malloc(n->work_size);
	n->reserve = malloc(n->reserve_size);
	fill(n->w, (int)(n->weights_size / sizeof(double)));
	fill(n->x, n->x_count);
	fill(n->hx, n->h_count);
	fill(n->cx, n->c_count);
}

static void finish(struct net *n)
{
	assert_int_equal(cudnnDestroyRNNDescriptor(n->rnn), 0);
	assert_int_equal(cudnnDestroyRNNDataDescriptor(n->xd), 0);
	assert_int_equal(cudnnDestroyRNNDataDescriptor(n->yd), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(n->hd), 0);
	assert_int_equal(cudnnDestroyTensorDescriptor(n->cd), 0);
	free(n->w);
	free(n->work);
	free(n->reserve);
}

static void forward(struct net *n, int mode)
{
	assert_int_equal(cudnnRNNForward(handle, n->rnn, mode, NULL, n->xd, n->x, n->yd, n->y, n->hd, n->hx, n->hy, n->cd, n->cx, n->cy,
					 n->weights_size, n->w, n->work_size, n->work,
					 mode == CUDNN_FWD_MODE_TRAINING ? n->reserve_size : 0,
					 mode == CUDNN_FWD_MODE_TRAINING ? n->reserve : NULL), 0);
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* Row R of linear layer ID at V, bias included; where there is no matrix, V itself. */
static double linear(struct net *n, int pseudo, int id, int r, const double *v, bool input)
{
	cudnnTensorDescriptor_t md, bd;
	void *m, *b;
	int rank, dim[3], stride[3], type;
	double sum = 0;

	assert_int_equal(cudnnCreateTensorDescriptor(&md), 0);
	assert_int_equal(cudnnCreateTensorDescriptor(&bd), 0);
	assert_int_equal(cudnnGetRNNWeightParams(handle, n->rnn, pseudo, n->weights_size, n->w, id, md, &m, bd, &b), 0);
	if (m) {
		assert_int_equal(cudnnGetTensorNdDescriptor(md, 3, (void *)&type, &rank, dim, stride), 0);
		for (int k = 0; k < dim[2]; k++)
			sum += ((double *)m)[r * dim[2] + k] * v[k];
	} else if (input) {
		sum = v[r];
	}
	if (b)
		sum += ((double *)b)[r];
	cudnnDestroyTensorDescriptor(md);
	cudnnDestroyTensorDescriptor(bd);
	return sum;
}

/* One step of a cell, as the documentation has it: h and c are replaced. */
static void step(struct net *n, int pseudo, const double *x, double *h, double *c)
{
	double next[HIDDEN];
	int p = n->projection ? n->projection : HIDDEN;

	for (int r = 0; r < HIDDEN; r++) {
		if (n->cell == CUDNN_LSTM) {
			double i = sigmoid(linear(n, pseudo, 0, r, x, true) + linear(n, pseudo, 4, r, h, false));
			double f = sigmoid(linear(n, pseudo, 1, r, x, true) + linear(n, pseudo, 5, r, h, false));
			double a = tanh(linear(n, pseudo, 2, r, x, true) + linear(n, pseudo, 6, r, h, false));
			double o = sigmoid(linear(n, pseudo, 3, r, x, true) + linear(n, pseudo, 7, r, h, false));

			c[r] = f * c[r] + i * a;
			if (n->clip)
				c[r] = c[r] < -0.2 ? -0.2 : c[r] > 0.2 ? 0.2 : c[r];
			next[r] = o * tanh(c[r]);
		} else if (n->cell == CUDNN_GRU) {
			double reset = sigmoid(linear(n, pseudo, 0, r, x, true) + linear(n, pseudo, 3, r, h, false));
			double z = sigmoid(linear(n, pseudo, 1, r, x, true) + linear(n, pseudo, 4, r, h, false));
			double a = tanh(linear(n, pseudo, 2, r, x, true) + reset * linear(n, pseudo, 5, r, h, false));

			next[r] = (1 - z) * a + z * h[r];
		} else {
			double sum = linear(n, pseudo, 0, r, x, true) + linear(n, pseudo, 1, r, h, false);

			next[r] = n->cell == CUDNN_RNN_TANH ? tanh(sum) : sum > 0 ? sum : 0;
		}
	}
	for (int r = 0; r < p; r++)
		h[r] = n->projection ? linear(n, pseudo, 8, r, next, false) : next[r];
}

static int place(const struct net *n, int vector, int t, int b)
{
	int before = 0;

	if (n->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED)
		return (t * BATCH + b) * vector;
	if (n->layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
		return (b * STEPS + t) * vector;
	for (int s = 0; s < t; s++)
		for (int k = 0; k < BATCH; k++)
			before += lengths[k] > s;
	return (before + b) * vector;
}

static void forward_is_right(struct net *n)
{
	int p = n->projection ? n->projection : HIDDEN;

	for (int b = 0; b < BATCH; b++) {
		double in[STEPS][2 * HIDDEN], out[STEPS][2 * HIDDEN];

		for (int t = 0; t < lengths[b]; t++)
			memcpy(in[t], n->x + place(n, n->input, t, b), (size_t)n->input * sizeof(double));
		for (int l = 0; l < LAYERS; l++) {
			for (int d = 0; d < n->directions; d++) {
				int pseudo = l * n->directions + d;
				double h[HIDDEN], c[HIDDEN];

				memcpy(h, n->hx + (pseudo * BATCH + b) * p, (size_t)p * sizeof(double));
				memcpy(c, n->cx + (pseudo * BATCH + b) * HIDDEN, sizeof c);
				for (int i = 0; i < lengths[b]; i++) {
					int t = d ? lengths[b] - 1 - i : i;

					step(n, pseudo, in[t], h, c);
					memcpy(out[t] + d * p, h, (size_t)p * sizeof(double));
				}
				for (int k = 0; k < p; k++)
					assert_float_equal(h[k], n->hy[(pseudo * BATCH + b) * p + k], 1e-12);
				for (int k = 0; n->cell == CUDNN_LSTM && k < HIDDEN; k++)
					assert_float_equal(c[k], n->cy[(pseudo * BATCH + b) * HIDDEN + k], 1e-12);
			}
			memcpy(in, out, sizeof in);
		}
		for (int t = 0; t < STEPS; t++)
			for (int k = 0; k < n->width && (t < lengths[b] || n->layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED); k++)
				assert_float_equal(n->y[place(n, n->width, t, b) + k], t < lengths[b] ? in[t][k] : 7, 1e-12);
	}
}

/* A number that depends on all outputs, by the factors dy, dhy, dcy. */
static double total(struct net *n, const double *dy, const double *dhy, const double *dcy)
{
	double sum = 0;

	forward(n, CUDNN_FWD_MODE_INFERENCE);
	for (int b = 0; b < BATCH; b++)
		for (int t = 0; t < lengths[b]; t++)
			for (int k = 0; k < n->width; k++)
				sum += n->y[place(n, n->width, t, b) + k] * dy[place(n, n->width, t, b) + k];
	for (int i = 0; i < n->h_count; i++)
		sum += n->hy[i] * dhy[i];
	for (int i = 0; n->cell == CUDNN_LSTM && i < n->c_count; i++)
		sum += n->cy[i] * dcy[i];
	return sum;
}

struct sought {
	const double *dy, *dhy, *dcy;
};

static void slopes_are_right(struct net *n, const struct sought *s, double *at, const double *slope, int count, const char *what)
{
	const double e = 1e-6;

	for (int i = 0; i < count; i++) {
		double kept = at[i], up, down;

		at[i] = kept + e;
		up = total(n, s->dy, s->dhy, s->dcy);
		at[i] = kept - e;
		down = total(n, s->dy, s->dhy, s->dcy);
		at[i] = kept;
		if (fabs((up - down) / (2 * e) - slope[i]) > 1e-7 * (1 + fabs(slope[i])))
			fail_msg("cell %d bias %d direction %d skip %d projection %d clip %d layout %d: %s %d is %g, not %g", n->cell, n->bias,
				 n->direction, n->skip, n->projection, n->clip, n->layout, what, i, slope[i], (up - down) / (2 * e));
	}
}

static void gradients_are_right(struct net *n)
{
	static double dy[MOST], dhy[MOST], dcy[MOST], dx[MOST], dhx[MOST], dcx[MOST];
	struct sought s = { dy, dhy, dcy };
	int count = (int)(n->weights_size / sizeof(double));
	double *dw = malloc(n->weights_size);

	fill(dy, n->y_count);
	fill(dhy, n->h_count);
	fill(dcy, n->c_count);
	forward(n, CUDNN_FWD_MODE_TRAINING);
	assert_int_equal(cudnnRNNBackwardData_v8(handle, n->rnn, NULL, n->yd, n->y, dy, n->xd, dx, n->hd, n->hx, dhy, dhx, n->cd, n->cx, dcy,
						 dcx, n->weights_size, n->w, n->work_size, n->work, n->reserve_size, n->reserve), 0);
	for (int i = 0; i < count; i++)
		dw[i] = 1;
	assert_int_equal(cudnnRNNBackwardWeights_v8(handle, n->rnn, CUDNN_WGRAD_MODE_ADD, NULL, n->xd, n->x, n->hd, n->hx, n->yd, n->y,
						    n->weights_size, dw, n->work_size, n->work, n->reserve_size, n->reserve), 0);
	for (int i = 0; i < count; i++)
		dw[i] -= 1;
	slopes_are_right(n, &s, n->x, dx, n->x_count, "dx");
	slopes_are_right(n, &s, n->hx, dhx, n->h_count, "dhx");
	if (n->cell == CUDNN_LSTM)
		slopes_are_right(n, &s, n->cx, dcx, n->c_count, "dcx");
	slopes_are_right(n, &s, n->w, dw, count, "dw");
	free(dw);
}

static void networks_of_each_kind_are_right_forward_and_backward(void **test_state)
{
	(void)test_state;
	for (int cell = 0; cell < 4; cell++) {
		for (int kind = 0; kind < 6; kind++) {
			struct net *n = calloc(1, sizeof *n);

			n->cell = cell;
			n->bias = kind == 0 ? CUDNN_RNN_NO_BIAS : kind == 1 ? CUDNN_RNN_SINGLE_INP_BIAS :
				  kind == 2 ? CUDNN_RNN_SINGLE_REC_BIAS : CUDNN_RNN_DOUBLE_BIAS;
			n->direction = kind & 1;
			n->skip = kind == 4;
			n->projection = cell == CUDNN_LSTM && (kind == 3 || kind == 0) ? 2 : 0;
			n->clip = cell == CUDNN_LSTM && kind >= 4;
			n->layout = kind % 3;
			begin(n);
			forward(n, CUDNN_FWD_MODE_INFERENCE);
			forward_is_right(n);
			gradients_are_right(n);
			finish(n);
			free(n);
		}
	}
}

static void too_little_room_is_refused(void **test_state)
{
	struct net *n = calloc(1, sizeof *n);

	(void)test_state;
	n->cell = CUDNN_LSTM;
	n->bias = CUDNN_RNN_DOUBLE_BIAS;
	begin(n);
	assert_int_equal(cudnnRNNForward(handle, n->rnn, CUDNN_FWD_MODE_INFERENCE, NULL, n->xd, n->x, n->yd, n->y, n->hd, NULL, NULL, n->cd, NULL,
					 NULL, n->weights_size, n->w, n->work_size - 1, n->work, 0, NULL), CUDNN_STATUS_BAD_PARAM);
	assert_int_equal(cudnnRNNForward(handle, n->rnn, CUDNN_FWD_MODE_TRAINING, NULL, n->xd, n->x, n->yd, n->y, n->hd, NULL, NULL, n->cd, NULL,
					 NULL, n->weights_size, n->w, n->work_size, n->work, n->reserve_size - 1, n->reserve),
			 CUDNN_STATUS_BAD_PARAM);
	assert_int_equal(cudnnRNNForward(handle, n->rnn, CUDNN_FWD_MODE_INFERENCE, NULL, n->xd, n->x, n->yd, n->y, n->hd, NULL, NULL, n->cd, NULL,
					 NULL, n->weights_size - 1, n->w, n->work_size, n->work, 0, NULL), CUDNN_STATUS_BAD_PARAM);
	finish(n);
	free(n);
}

static int open_handle(void **test_state)
{
	(void)test_state;
	return cudnnCreate(&handle);
}

static int close_handle(void **test_state)
{
	(void)test_state;
	return cudnnDestroy(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networks_of_each_kind_are_right_forward_and_backward),
		cmocka_unit_test(too_little_room_is_refused),
	};

	return cmocka_run_group_tests(tests, open_handle, close_handle);
}
