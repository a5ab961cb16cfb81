/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks of the cuDNN fakes: the arithmetic (dnn_rnn_math.c: knows no release), the objects, and what old and new interface
 * share. Everything is computed in double precision.
 */
#ifndef FAKE_DNN_RNN_H
#define FAKE_DNN_RNN_H

#include "dnn.h"

enum rnn_cell { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU };

/* A network. Weight matrices of layer l, direction d are those of pseudo layer l * directions + d. */
struct rnn {
	enum rnn_cell cell;
	bool input_bias, state_bias;
	int directions;
	bool skip;		/* the first layer has no input matrices */
	int input, hidden, projection, layers;	/* projection: hidden where there is none */
	bool clips;
	double low, high;
	bool mixed;		/* biases lie behind each layer's matrices, not behind all of them */
};

/* Sequences of different lengths, in one of the library's layouts. */
struct rnn_sequences {
	int steps, batch;
	const int *length;	/* [batch] */
	enum { RNN_BY_STEP, RNN_PACKED, RNN_BY_SEQUENCE } layout;
};

/* A matrix or bias vector: where it begins, in elements. Without rows it does not exist. */
struct rnn_place {
	int64_t at;
	int rows, columns;
};

int rnn_gates(const struct rnn *rnn);	/* of one cell: 1, 3 or 4 */
int rnn_width(const struct rnn *rnn);	/* of the last layer's output */
int64_t rnn_weights(const struct rnn *rnn);	/* elements */
/* Linear layer ID of a pseudo layer: input gates, then recurrent gates, then the projection. */
struct rnn_place rnn_matrix(const struct rnn *rnn, int layer, int id);
struct rnn_place rnn_bias(const struct rnn *rnn, int layer, int id);

/* Elements of all vectors of sequences, and where the vector of a step begins. */
int64_t rnn_elements(const struct rnn_sequences *s, int vector);
int64_t rnn_at(const struct rnn_sequences *s, int vector, int step, int sequence);

/* Doubles that training keeps between its calls. */
int64_t rnn_kept(const struct rnn *rnn, const struct rnn_sequences *s);

/* States may be NULL: zero, or not wanted. Numbers are of TYPE. FILL: what padding of y becomes, NULL: it is left. KEPT is filled. */
struct rnn_states {
	const void *hx, *cx;
	void *hy, *cy;
};
void rnn_forward(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *w, const void *x, void *y,
		 const struct rnn_states *states, const void *fill, double *kept);

struct rnn_gradients {
	const void *dy, *dhy, *dcy;
	void *dx, *dhx, *dcx;
};
void rnn_backward_data(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *w,
		       const struct rnn_states *states, const struct rnn_gradients *g, double *kept);
/* Adds to DW, or writes it. After rnn_backward_data. */
void rnn_backward_weights(const struct rnn *rnn, const struct rnn_sequences *s, enum fake_type type, const void *hx, void *dw, bool add,
			  const double *kept);

/* The objects of the library. */
struct dnn_rnn {
	struct fake_head head;
	bool set, whole;	/* whole: set by the new call, so input and type are known */
	cudnnRNNAlgo_t algo;
	cudnnRNNMode_t cell;
	cudnnRNNBiasMode_t bias;
	cudnnDirectionMode_t direction;
	cudnnRNNInputMode_t input_mode;
	cudnnDataType_t type, precision;
	cudnnMathType_t math;
	int input, hidden, projection, layers;
	cudnnDropoutDescriptor_t dropout;
	uint32_t padding;
	cudnnRNNClipMode_t clip;
	cudnnNanPropagation_t clip_nan;
	double low, high;
	int built;		/* batch size, where the algorithm is compiled for one; 0: not yet */
};

struct dnn_rnn_data {
	struct fake_head head;
	bool set;
	cudnnDataType_t type;
	cudnnRNNDataLayout_t layout;
	int steps, batch, vector;
	int *length;
	bool fills;
	char fill[8];
};

/* The arithmetic's view; BAD_PARAM for what is not set or does not fit. */
cudnnStatus_t dnn_rnn_network(const struct dnn_rnn *own, int input, struct rnn *rnn);
cudnnStatus_t dnn_rnn_sequences(const struct dnn_rnn_data *data, struct rnn_sequences *s);
/* Checks the numbers that both interfaces set. */
cudnnStatus_t dnn_rnn_check(const struct dnn_rnn *own);

/* Bytes. */
size_t dnn_rnn_work_size(const struct rnn *rnn, const struct rnn_sequences *s);
size_t dnn_rnn_reserve_size(const struct rnn *rnn, const struct rnn_sequences *s);

/* The computing calls of both interfaces, on checked arguments. */
struct dnn_rnn_call {
	struct rnn rnn;
	struct rnn_sequences s;
	enum fake_type type;
	size_t weights_size, work_size, reserve_size;
	const void *w;
	void *work, *reserve;
};
/* The sizes told are enough, and the pointers there; TRAINING: the reserve too. */
cudnnStatus_t dnn_rnn_ready(const struct dnn_rnn *own, const struct dnn_rnn_call *call, bool training);
cudnnStatus_t dnn_rnn_run(const struct dnn_rnn_call *call, bool training, const void *x, void *y, const struct rnn_states *states,
			  const void *fill);
/* Whether states have the shape that the network wants: layers * directions, batch, width. NULL is fine. */
cudnnStatus_t dnn_rnn_states_fit(const struct dnn_rnn_call *call, const void *descriptor, int width);

#endif
