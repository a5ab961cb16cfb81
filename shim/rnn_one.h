/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The new calls take one descriptor where the old ones take several that have to say the same. 8.x checks that they do, each for the memory
 * that comes with it; so must we, or the library would write beyond what a smaller one describes. Any thread.
 */
#ifndef GW_RNN_ONE_H
#define GW_RNN_ONE_H

#include "rnn_calls.h"

/* A state, or its gradient: where its numbers are, and their tensor. */
struct gw_rnn_part {
	cudnnTensorDescriptor_t descriptor;
	const void *at;
};

enum { GW_RNN_PARTS = 3 };

/*
 * *ONE becomes the descriptor that stands for all PARTS, NULL when none of them has numbers: what has none is not looked at. BAD_PARAM where
 * 8.x gives it: numbers without a descriptor, or descriptors of different shapes.
 */
cudnnStatus_t gw_rnn_one_tensor(const struct gw_call *call, const struct gw_rnn_calls *calls, const struct gw_rnn_part parts[GW_RNN_PARTS],
				cudnnTensorDescriptor_t *one) __attribute__((nonnull, warn_unused_result));

/* Success when A and B describe the same sequences in the same layout, else BAD_PARAM, as 8.x has it. Neither may be NULL. */
cudnnStatus_t gw_rnn_same_data(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnRNNDataDescriptor_t a,
			       cudnnRNNDataDescriptor_t b) __attribute__((nonnull(1, 2), warn_unused_result));

#endif
