/* SPDX-License-Identifier: Apache-2.0 */
/* See dnn_rnn.h: forward, and gradients by hand. Written for clearness; slow. */
#include "dnn_rnn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rnn_gates(const struct rnn *rnn)
{
	return rnn->cell == RNN_LSTM ? 4 : rnn->cell == RNN_GRU ? 3 : 1;
}

int rnn_width(const struct rnn *rnn)
{
	return rnn->projection * rnn->directions;
}

static int input_of(const struct rnn *rnn, int layer)
{
	return layer ? rnn_width(rnn) : rnn->input;
}

static bool has_projection(const struct rnn *rnn)
{
	return rnn->projection != rnn->hidden;
}

static int64_t matrices_of(const struct rnn *rnn, int pseudo)
{
	int layer = pseudo / rnn->directions;
	int64_t rows = (int64_t)rnn_gates(rnn) * rnn->hidden;

	return (layer || !rnn->skip ? rows * input_of(rnn, layer) : 0) + rows * rnn->projection +
	       (has_projection(rnn) ? (int64_t)rnn->projection * rnn->hidden : 0);
}

static int64_t biases_of(const struct rnn *rnn)
{
	return (int64_t)rnn_gates(rnn) * rnn->hidden * (rnn->input_bias + rnn->state_bias);
}

int64_t rnn_weights(const struct rnn *rnn)
{
	int64_t all = 0;

	for (int p = 0; p < rnn->layers * rnn->directions; p++)
		all += matrices_of(rnn, p) + biases_of(rnn);
	return all;
}

static int64_t matrices_at(const struct rnn *rnn, int pseudo)
{
	int64_t at = 0;

	for (int p = 0; p < pseudo; p++)
		at += matrices_of(rnn, p) + (rnn->mixed ? biases_of(rnn) : 0);
	return at;
}

static int64_t biases_at(const struct rnn *rnn, int pseudo)
{
	if (rnn->mixed)
		return matrices_at(rnn, pseudo) + matrices_of(rnn, pseudo);
	return matrices_at(rnn, rnn->layers * rnn->directions) + pseudo * biases_of(rnn);
}

struct rnn_place rnn_matrix(const struct rnn *rnn, int pseudo, int id)
{
	int gates = rnn_gates(rnn), layer = pseudo / rnn->directions, in = layer || !rnn->skip ? input_of(rnn, layer) : 0;
	int64_t at = matrices_at(rnn, pseudo), rows = rnn->hidden;

	if (id < gates)
		return in ? (struct rnn_place){ at + id * rows * in, rnn->hidden, in } : (struct rnn_place){ 0 };
	at += gates * rows * in;
	if (id < 2 * gates)
		return (struct rnn_place){ at + (id - gates) * rows * rnn->projection, rnn->hidden, rnn->projection };
	at += gates * rows * rnn->projection;
	if (id == 2 * gates && has_projection(rnn))
		return (struct rnn_place){ at, rnn->projection, rnn->hidden };
	return (struct rnn_place){ 0 };
}

struct rnn_place rnn_bias(const struct rnn *rnn, int pseudo, int id)
{
	int gates = rnn_gates(rnn);
	int64_t at = biases_at(rnn, pseudo), rows = rnn->hidden;

	if (id < gates && rnn->input_bias)
		return (struct rnn_place){ at + id * rows, rnn->hidden, 1 };
	at += rnn->input_bias ? gates * rows : 0;
	if (id >= gates && id < 2 * gates && rnn->state_bias)
		return (struct rnn_place){ at + (id - gates) * rows, rnn->hidden, 1 };
	return (struct rnn_place){ 0 };
}

int64_t rnn_at(const struct rnn_sequences *s, int vector, int step, int sequence)
{
	int64_t before = 0;

	if (s->layout == RNN_BY_STEP)
		return ((int64_t)step * s->batch + sequence) * vector;
	if (s->layout == RNN_BY_SEQUENCE)
		return ((int64_t)sequence * s->steps + step) * vector;
	for (int b = 0; b < s->batch; b++)
		before += s->length[b] < step ? s->length[b] : step;
	return (before + sequence) * vector;
}

int64_t rnn_elements(const struct rnn_sequences *s, int vector)
{
	int64_t all = 0;

	if (s->layout != RNN_PACKED)
		return (int64_t)s->steps * s->batch * vector;
	for (int b = 0; b < s->batch; b++)
		all += s->length[b];
	return all * vector;
}

/* What is kept of one pseudo layer at one step of one sequence. */
struct cell {
	double *gate;		/* [gates * hidden], after their functions */
	double *turn;		/* [hidden]: GRU, the recurrent part that the reset gate scales */
	double *c, *raw;	/* [hidden]: cell state, output before projection */
	double *h;		/* [projection] */
	double *input_slope, *state_slope;	/* [gates * hidden]: gradients at the sums of input and recurrent part */
	double *h_slope;	/* [projection]: gradient of h */
};

static int64_t cell_size(const struct rnn *rnn)
{
	return (int64_t)rnn->hidden * (3 * rnn_gates(rnn) + 3) + 2 * rnn->projection;
}

static int64_t layer_size(const struct rnn *rnn, int layer)
{
	return input_of(rnn, layer) + rnn->directions * cell_size(rnn);
}

int64_t rnn_kept(const struct rnn *rnn, const struct rnn_sequences *s)
{
	int64_t all = 0;

	for (int l = 0; l < rnn->layers; l++)
		all += layer_size(rnn, l);
	return all * s->steps * s->batch;
}

/* The input of LAYER at a step; its cells follow. */
static double *layer_input(const struct rnn *rnn, const struct rnn_sequences *s, double *kept, int layer, int t, int b)
{
	for (int l = 0; l < layer; l++)
		kept += layer_size(rnn, l) * s->steps * s->batch;
	return kept + layer_size(rnn, layer) * ((int64_t)t * s->batch + b);
}

static struct cell cell_of(const struct rnn *rnn, const struct rnn_sequences *s, double *kept, int layer, int direction, int t, int b)
{
	double *at = layer_input(rnn, s, kept, layer, t, b) + input_of(rnn, layer) + direction * cell_size(rnn);
	int h = rnn->hidden, n = rnn_gates(rnn) * h;

	return (struct cell){ .gate = at, .input_slope = at + n, .state_slope = at + 2 * n, .turn = at + 3 * n, .c = at + 3 * n + h,
			      .raw = at + 3 * n + 2 * h, .h = at + 3 * n + 3 * h, .h_slope = at + 3 * n + 3 * h + rnn->projection };
}

static double load(const void *data, enum fake_type type, int64_t at)
{
	return fake_load(data, type, at).re;
}

static void store(void *data, enum fake_type type, int64_t at, double value)
{
	fake_store(data, type, at, (struct fake_number){ value, 0 });
}

/* Row R of matrix or bias PLACE times V (1 for a bias). */
static double row(const void *w, enum fake_type type, struct rnn_place place, int r, const double *v)
{
	double sum = 0;

	if (!place.rows)
		return 0;
	for (int k = 0; k < place.columns; k++)
		sum += load(w, type, place.at + (int64_t)r * place.columns + k) * (v ? v[k] : 1);
	return sum;
}

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

struct job {
	const struct rnn *rnn;
	const struct rnn_sequences *s;
	enum fake_type type;
	const void *w;
	double *kept;
	int layer, direction, pseudo;
};

/* The input and recurrent sums of gate G, row R. */
static double input_sum(const struct job *j, int g, int r, const double *x)
{
	struct rnn_place m = rnn_matrix(j->rnn, j->pseudo, g);

	return (m.rows ? row(j->w, j->type, m, r, x) : x[r]) + row(j->w, j->type, rnn_bias(j->rnn, j->pseudo, g), r, NULL);
}

static double state_sum(const struct job *j, int g, int r, const double *h)
{
	int id = rnn_gates(j->rnn) + g;

	return row(j->w, j->type, rnn_matrix(j->rnn, j->pseudo, id), r, h) + row(j->w, j->type, rnn_bias(j->rnn, j->pseudo, id), r, NULL);
}

static void step_lstm(const struct job *j, struct cell *cell, const double *x, const double *h, const double *c)
{
	int n = j->rnn->hidden;

	for (int r = 0; r < n; r++) {
		double *g = cell->gate;

		for (int k = 0; k < 4; k++) {
			double sum = input_sum(j, k, r, x) + state_sum(j, k, r, h);

			g[k * n + r] = k == 2 ? tanh(sum) : logistic(sum);
		}
		cell->c[r] = g[n + r] * c[r] + g[r] * g[2 * n + r];
		if (j->rnn->clips)
			cell->c[r] = fmin(fmax(cell->c[r], j->rnn->low), j->rnn->high);
		cell->raw[r] = g[3 * n + r] * tanh(cell->c[r]);
	}
}

static void step_gru(const struct job *j, struct cell *cell, const double *x, const double *h)
{
	int n = j->rnn->hidden;

	for (int r = 0; r < n; r++) {
		double *g = cell->gate;

		g[r] = logistic(input_sum(j, 0, r, x) + state_sum(j, 0, r, h));
		g[n + r] = logistic(input_sum(j, 1, r, x) + state_sum(j, 1, r, h));
		cell->turn[r] = state_sum(j, 2, r, h);
		g[2 * n + r] = tanh(input_sum(j, 2, r, x) + g[r] * cell->turn[r]);
		cell->raw[r] = (1 - g[n + r]) * g[2 * n + r] + g[n + r] * h[r];
	}
}

static void step_plain(const struct job *j, struct cell *cell, const double *x, const double *h)
{
	for (int r = 0; r < j->rnn->hidden; r++) {
		double sum = input_sum(j, 0, r, x) + state_sum(j, 0, r, h);

		cell->gate[r] = cell->raw[r] = j->rnn->cell == RNN_RELU ? fmax(sum, 0) : tanh(sum);
	}
}

/* The first state of sequence B. */
static void begin_state(const struct job *j, const void *states, int width, int b, double *out)
{
	for (int k = 0; k < width; k++)
		out[k] = states ? load(states, j->type, ((int64_t)j->pseudo * j->s->batch + b) * width + k) : 0;
}

static void end_state(const struct job *j, void *states, int width, int b, const double *from)
{
	for (int k = 0; states && k < width; k++)
		store(states, j->type, ((int64_t)j->pseudo * j->s->batch + b) * width + k, from[k]);
}

/* The I-th step that a direction takes. */
static int step_of(const struct job *j, int b, int i)
{
	return j->direction ? j->s->length[b] - 1 - i : i;
}

static void sequence_forward(const struct job *j, int b, const struct rnn_states *states)
{
	const struct rnn *rnn = j->rnn;
	double h0[rnn->projection], c0[rnn->hidden], *h = h0, *c = c0;

	begin_state(j, states->hx, rnn->projection, b, h0);
	begin_state(j, states->cx, rnn->hidden, b, c0);
	for (int i = 0; i < j->s->length[b]; i++) {
		int t = step_of(j, b, i);
		struct cell cell = cell_of(rnn, j->s, j->kept, j->layer, j->direction, t, b);
		const double *x = layer_input(rnn, j->s, j->kept, j->layer, t, b);

		if (rnn->cell == RNN_LSTM)
			step_lstm(j, &cell, x, h, c);
		else if (rnn->cell == RNN_GRU)
			step_gru(j, &cell, x, h);
		else
			step_plain(j, &cell, x, h);
		for (int r = 0; r < rnn->projection; r++)
			cell.h[r] = has_projection(rnn) ?
				row(j->w, j->type, rnn_matrix(rnn, j->pseudo, 2 * rnn_gates(rnn)), r, cell.raw) : cell.raw[r];
		h = cell.h;
		c = cell.c;
	}
	end_state(j, states->hy, rnn->projection, b, h);
	if (rnn->cell == RNN_LSTM)
		end_state(j, states->cy, rnn->hidden, b, c);
}

static void give_input(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *x, double *kept, int layer)
{
	for (int b = 0; b < s->batch; b++) {
		for (int t = 0; t < s->length[b]; t++) {
			double *to = layer_input(rnn, s, kept, layer, t, b);

			for (int k = 0; k < input_of(rnn, layer); k++)
				to[k] = layer ? cell_of(rnn, s, kept, layer - 1, k / rnn->projection, t, b).h[k % rnn->projection] :
						load(x, type, rnn_at(s, rnn->input, t, b) + k);
		}
	}
}

void rnn_forward(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *w, const void *x, void *y,
		 const struct rnn_states *states, const void *fill, double *kept)
{
	struct job j = { .rnn = rnn, .s = s, .type = type, .w = w, .kept = kept };
	int width = rnn_width(rnn);

	for (j.layer = 0; j.layer < rnn->layers; j.layer++) {
		give_input(rnn, s, type, x, kept, j.layer);
		for (j.direction = 0; j.direction < rnn->directions; j.direction++) {
			j.pseudo = j.layer * rnn->directions + j.direction;
			for (int b = 0; b < s->batch; b++)
				sequence_forward(&j, b, states);
		}
	}
	for (int b = 0; b < s->batch; b++) {
		for (int t = 0; t < (s->layout == RNN_PACKED ? s->length[b] : s->steps); t++) {
			for (int k = 0; k < width; k++) {
				int64_t at = rnn_at(s, width, t, b) + k;

				if (t < s->length[b])
					store(y, type, at,
					      cell_of(rnn, s, kept, rnn->layers - 1, k / rnn->projection, t, b).h[k % rnn->projection]);
				else if (fill)
					store(y, type, at, load(fill, type, 0));
			}
		}
	}
}

/* Adds PLACE transposed times V to OUT. */
static void transposed(const struct job *j, struct rnn_place place, const double *v, double *out)
{
	for (int r = 0; r < place.rows; r++)
		for (int k = 0; k < place.columns; k++)
			out[k] += load(j->w, j->type, place.at + (int64_t)r * place.columns + k) * v[r];
}

/* From the gradients of the output before projection and of the cell state (now and, on return, before the step) to those of the sums. */
static void slopes_lstm(const struct job *j, struct cell *cell, const double *draw, const double *c_before, double *dc)
{
	int n = j->rnn->hidden;

	for (int r = 0; r < n; r++) {
		double i = cell->gate[r], f = cell->gate[n + r], a = cell->gate[2 * n + r], o = cell->gate[3 * n + r], tc = tanh(cell->c[r]);
		double d = dc[r] + draw[r] * o * (1 - tc * tc), plain = f * c_before[r] + i * a;

		if (j->rnn->clips && (plain < j->rnn->low || plain > j->rnn->high))
			d = 0;
		cell->input_slope[r] = d * a * i * (1 - i);
		cell->input_slope[n + r] = d * c_before[r] * f * (1 - f);
		cell->input_slope[2 * n + r] = d * i * (1 - a * a);
		cell->input_slope[3 * n + r] = draw[r] * tc * o * (1 - o);
		dc[r] = d * f;
	}
	memcpy(cell->state_slope, cell->input_slope, 4 * (size_t)n * sizeof(double));
}

static void slopes_gru(const struct job *j, struct cell *cell, const double *dh, const double *h_before, double *dh_before)
{
	int n = j->rnn->hidden;

	for (int r = 0; r < n; r++) {
		double reset = cell->gate[r], z = cell->gate[n + r], a = cell->gate[2 * n + r];
		double da = dh[r] * (1 - z) * (1 - a * a);

		cell->input_slope[r] = da * cell->turn[r] * reset * (1 - reset);
		cell->input_slope[n + r] = dh[r] * (h_before[r] - a) * z * (1 - z);
		cell->input_slope[2 * n + r] = da;
		cell->state_slope[r] = cell->input_slope[r];
		cell->state_slope[n + r] = cell->input_slope[n + r];
		cell->state_slope[2 * n + r] = da * reset;
		dh_before[r] += dh[r] * z;
	}
}

static void slopes_plain(const struct job *j, struct cell *cell, const double *dh)
{
	for (int r = 0; r < j->rnn->hidden; r++) {
		double y = cell->gate[r];

		cell->input_slope[r] = cell->state_slope[r] = dh[r] * (j->rnn->cell == RNN_RELU ? y > 0 : 1 - y * y);
	}
}

/* DOWN: gradients of the layer's input, added to; [steps * batch * input]. UP: those of its output. */
static void sequence_backward(const struct job *j, int b, const struct rnn_states *states, const struct rnn_gradients *g, const double *up,
			      double *down)
{
	const struct rnn *rnn = j->rnn;
	int p = rnn->projection, n = rnn->hidden, gates = rnn_gates(rnn), width = rnn_width(rnn), in = input_of(rnn, j->layer);
	double h0[p], c0[n], dh[p], dc[n];

	begin_state(j, states->hx, p, b, h0);
	begin_state(j, states->cx, n, b, c0);
	begin_state(j, g->dhy, p, b, dh);
	begin_state(j, g->dcy, n, b, dc);
	for (int i = j->s->length[b] - 1; i >= 0; i--) {
		int t = step_of(j, b, i);
		int64_t at = (int64_t)t * j->s->batch + b;
		struct cell cell = cell_of(rnn, j->s, j->kept, j->layer, j->direction, t, b), before = { 0 };
		double draw[n], dh_before[p];

		if (i)
			before = cell_of(rnn, j->s, j->kept, j->layer, j->direction, step_of(j, b, i - 1), b);
		memset(dh_before, 0, sizeof dh_before);
		for (int k = 0; k < p; k++)
			cell.h_slope[k] = dh[k] + up[at * width + j->direction * p + k];
		memset(draw, 0, sizeof draw);
		if (has_projection(rnn))
			transposed(j, rnn_matrix(rnn, j->pseudo, 2 * gates), cell.h_slope, draw);
		else
			memcpy(draw, cell.h_slope, sizeof draw);
		if (rnn->cell == RNN_LSTM)
			slopes_lstm(j, &cell, draw, i ? before.c : c0, dc);
		else if (rnn->cell == RNN_GRU)
			slopes_gru(j, &cell, draw, i ? before.h : h0, dh_before);
		else
			slopes_plain(j, &cell, draw);
		for (int k = 0; k < gates; k++) {
			struct rnn_place m = rnn_matrix(rnn, j->pseudo, k);

			transposed(j, m, cell.input_slope + k * n, down + at * in);
			for (int r = 0; !m.rows && r < n; r++)
				down[at * in + r] += cell.input_slope[k * n + r];
			transposed(j, rnn_matrix(rnn, j->pseudo, gates + k), cell.state_slope + k * n, dh_before);
		}
		memcpy(dh, dh_before, sizeof dh);
	}
	end_state(j, g->dhx, p, b, dh);
	if (rnn->cell == RNN_LSTM)
		end_state(j, g->dcx, n, b, dc);
}

void rnn_backward_data(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *w,
		       const struct rnn_states *states, const struct rnn_gradients *g, double *kept)
{
	struct job j = { .rnn = rnn, .s = s, .type = type, .w = w, .kept = kept };
	int width = rnn_width(rnn), most = width > rnn->input ? width : rnn->input;
	size_t cells = (size_t)s->steps * (size_t)s->batch;
	double *up = calloc(cells * (size_t)most, sizeof *up), *down = calloc(cells * (size_t)most, sizeof *down), *swap;

	for (int b = 0; b < s->batch; b++)
		for (int t = 0; t < s->length[b]; t++)
			for (int k = 0; k < width; k++)
				up[((int64_t)t * s->batch + b) * width + k] = load(g->dy, type, rnn_at(s, width, t, b) + k);
	for (j.layer = rnn->layers - 1; j.layer >= 0; j.layer--) {
		memset(down, 0, cells * (size_t)most * sizeof *down);
		for (j.direction = 0; j.direction < rnn->directions; j.direction++) {
			j.pseudo = j.layer * rnn->directions + j.direction;
			for (int b = 0; b < s->batch; b++)
				sequence_backward(&j, b, states, g, up, down);
		}
		swap = up;
		up = down;
		down = swap;
	}
	for (int b = 0; b < s->batch; b++)
		for (int t = 0; t < (s->layout == RNN_PACKED ? s->length[b] : s->steps); t++)
			for (int k = 0; k < rnn->input; k++)
				store(g->dx, type, rnn_at(s, rnn->input, t, b) + k,
				      t < s->length[b] ? up[((int64_t)t * s->batch + b) * rnn->input + k] : 0);
	free(up);
	free(down);
}

/* Adds A times B, as column and row, to the sums of PLACE; B is 1 where it is NULL. */
static void outer(double *sums, struct rnn_place place, const double *a, const double *b)
{
	for (int r = 0; r < place.rows; r++)
		for (int k = 0; k < place.columns; k++)
			sums[place.at + (int64_t)r * place.columns + k] += a[r] * (b ? b[k] : 1);
}

static void sequence_weights(const struct job *j, int b, const void *hx, double *sums)
{
	const struct rnn *rnn = j->rnn;
	int n = rnn->hidden, gates = rnn_gates(rnn);
	double h0[rnn->projection];
	const double *h = h0;

	begin_state(j, hx, rnn->projection, b, h0);
	for (int i = 0; i < j->s->length[b]; i++) {
		int t = step_of(j, b, i);
		struct cell cell = cell_of(rnn, j->s, j->kept, j->layer, j->direction, t, b);
		const double *x = layer_input(rnn, j->s, j->kept, j->layer, t, b);

		for (int k = 0; k < gates; k++) {
			outer(sums, rnn_matrix(rnn, j->pseudo, k), cell.input_slope + k * n, x);
			outer(sums, rnn_bias(rnn, j->pseudo, k), cell.input_slope + k * n, NULL);
			outer(sums, rnn_matrix(rnn, j->pseudo, gates + k), cell.state_slope + k * n, h);
			outer(sums, rnn_bias(rnn, j->pseudo, gates + k), cell.state_slope + k * n, NULL);
		}
		outer(sums, rnn_matrix(rnn, j->pseudo, 2 * gates), cell.h_slope, cell.raw);
		h = cell.h;
	}
}

void rnn_backward_weights(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *hx, void *dw, bool add,
			  const double *kept)
{
	struct job j = { .rnn = rnn, .s = s, .type = type, .kept = (double *)(uintptr_t)kept };
	int64_t count = rnn_weights(rnn);
	double *sums = calloc((size_t)count, sizeof *sums);

	for (j.layer = 0; j.layer < rnn->layers; j.layer++) {
		for (j.direction = 0; j.direction < rnn->directions; j.direction++) {
			j.pseudo = j.layer * rnn->directions + j.direction;
			for (int b = 0; b < s->batch; b++)
				sequence_weights(&j, b, hx, sums);
		}
	}
	for (int64_t k = 0; k < count; k++)
		store(dw, type, k, sums[k] + (add ? load(dw, type, k) : 0));
	free(sums);
}
