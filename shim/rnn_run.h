/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the computing calls of cuDNN 8's old RNN interface have in common: a call begins, takes a kit set for its input, and ends. Any thread; statuses
 * are the loaded release's.
 */
#ifndef GW_RNN_RUN_H
#define GW_RNN_RUN_H

#include "gw_via.h"
#include "rnn_calls.h"
#include "rnn_kit.h"
#include "rnn_one.h"

/* One call of the old interface. */
struct gw_rnn_run {
	const struct gw_call *call;
	struct gw_rnn_calls calls;
	struct gw_rnn_kit *kit, spare;
};

/* What a computing call is given besides its sequences: of the hidden state and of the cell's one the descriptors, each with its memory. */
struct gw_rnn_state {
	struct gw_rnn_part h[GW_RNN_PARTS], c[GW_RNN_PARTS];
	const void *hx, *cx;
	void *hy, *cy;
};

/* The one descriptor of each. */
struct gw_rnn_tensors {
	cudnnTensorDescriptor_t h, c;
};

struct gw_rnn_space {
	void *work, *reserve;
	size_t work_size, reserve_size;		/* bytes */
};

/* The caller's own error. */
cudnnStatus_t gw_rnn_wrong(const struct gw_call *call) __attribute__((nonnull));

/* Finds the functions. What it began, gw_rnn_run_end ends, whatever happens between. */
cudnnStatus_t gw_rnn_run_begin(struct gw_rnn_run *run, const struct gw_call *call) __attribute__((nonnull, warn_unused_result));
void gw_rnn_run_end(struct gw_rnn_run *run) __attribute__((nonnull));

/* A kit for inputs of INPUT numbers of TYPE. */
cudnnStatus_t gw_rnn_run_take(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int input, cudnnDataType_t type)
	__attribute__((nonnull(1), warn_unused_result));

/* The same for a run: sequences X and Y, packed, into the kit's descriptors; for vectors of X. DY, when there is one, has to be as Y. */
cudnnStatus_t gw_rnn_run_take_packed(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int count,
				     const cudnnTensorDescriptor_t *x, const cudnnTensorDescriptor_t *y, const cudnnTensorDescriptor_t *dy)
	__attribute__((nonnull(1), warn_unused_result));

/* For the vectors of data that the caller describes itself. */
cudnnStatus_t gw_rnn_run_take_data(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNDataDescriptor_t x)
	__attribute__((nonnull(1), warn_unused_result));

cudnnStatus_t gw_rnn_run_tensors(const struct gw_rnn_run *run, const struct gw_rnn_state *state, struct gw_rnn_tensors *tensors)
	__attribute__((nonnull, warn_unused_result));

/* Bytes of the weights that DESCRIPTOR describes. */
cudnnStatus_t gw_rnn_run_weights(struct gw_rnn_run *run, cudnnFilterDescriptor_t descriptor, size_t *size)
	__attribute__((nonnull(1, 3), warn_unused_result));

/*
 * Finding an algorithm: the call is made once, with the algorithm that the descriptor has, and that is the one answer. Its time is 0,
 * since measuring it would take CUDA calls of ours. Can the answer be told, before the call is made?
 */
bool gw_rnn_can_tell(int requested, const int *returned, const cudnnAlgorithmPerformance_t *results);

/* The status with which the call ended becomes the result's; only a caller's error is the find's own. */
cudnnStatus_t gw_rnn_found(const struct gw_call *call, cudnnRNNDescriptor_t descriptor, cudnnStatus_t status, size_t memory, int requested,
			   int *returned, cudnnAlgorithmPerformance_t *results) __attribute__((nonnull(1)));

#endif
