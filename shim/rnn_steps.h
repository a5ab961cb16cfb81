/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The old interface describes a sequence by one tensor descriptor a time step, of batch sizes that never grow: the packed layout of the
 * new one, whose descriptor wants the length of each sequence instead. Any thread; what is read lies on the caller's stack, or, for
 * batches of more than GW_RNN_LENGTHS sequences, in memory mapped until gw_rnn_steps_finish.
 */
#ifndef GW_RNN_STEPS_H
#define GW_RNN_STEPS_H

#include "rnn_calls.h"

enum { GW_RNN_LENGTHS = 512 };

struct gw_rnn_steps {
	int *lengths;		/* [batch], not increasing */
	int steps, batch, vector;
	cudnnDataType_t type;
	size_t mapped;		/* bytes; 0: lengths is here[] */
	int here[GW_RNN_LENGTHS];
};

/* One time step: its batch size, the numbers of a vector and their type. BAD_PARAM where 8.x gives it: unset, or not fully packed. */
cudnnStatus_t gw_rnn_step(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnTensorDescriptor_t descriptor, int *batch,
			  int *vector, cudnnDataType_t *type) __attribute__((nonnull(1, 2, 4, 5, 6), warn_unused_result));

/*
 * The numbers of a vector and their type alone, for questions about weights. 8.x does not look at anything else for them, but for PACKED
 * (cudnnGetRNNParamsSize): the tensor has no gaps, in whatever order. Statuses as above.
 */
cudnnStatus_t gw_rnn_step_vector(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnTensorDescriptor_t descriptor, bool packed,
				 int *vector, cudnnDataType_t *type) __attribute__((nonnull(1, 2, 5, 6), warn_unused_result));

/* Reads COUNT descriptors. A status of the loaded release; gw_rnn_steps_finish in any case. */
cudnnStatus_t gw_rnn_steps_read(const struct gw_call *call, const struct gw_rnn_calls *calls, int count,
				const cudnnTensorDescriptor_t *descriptors, struct gw_rnn_steps *steps)
	__attribute__((nonnull(1, 2, 5), warn_unused_result));

/* Whether DESCRIPTORS have the batch sizes and the type of STEPS; the numbers of a vector in *VECTOR. Statuses as above. */
cudnnStatus_t gw_rnn_steps_match(const struct gw_call *call, const struct gw_rnn_calls *calls, const struct gw_rnn_steps *steps,
				 const cudnnTensorDescriptor_t *descriptors, int *vector)
	__attribute__((nonnull(1, 2, 3, 5), warn_unused_result));

/* Sets DESCRIPTOR for sequences as STEPS has them, of vectors of VECTOR numbers. */
cudnnStatus_t gw_rnn_steps_describe(const struct gw_rnn_calls *calls, const struct gw_rnn_steps *steps, int vector,
				    cudnnRNNDataDescriptor_t descriptor) __attribute__((nonnull(1, 2), warn_unused_result));

void gw_rnn_steps_finish(struct gw_rnn_steps *steps) __attribute__((nonnull));

#endif
