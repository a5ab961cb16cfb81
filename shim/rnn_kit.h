/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowing of kits (rnn_table.h): descriptors of the loaded library, set for one RNN descriptor and one input. Any thread. */
#ifndef GW_RNN_KIT_H
#define GW_RNN_KIT_H

#include "rnn_calls.h"
#include "rnn_table.h"

/*
 * A kit of RNN for inputs of INPUT numbers of TYPE, to be given back; SPARE, a zeroed one of the caller's, when other threads have all
 * of the descriptor's own. *KIT is NULL after an error, which is a status of the loaded release. HANDLE is needed by persistent plans alone.
 */
cudnnStatus_t gw_rnn_kit_take(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnHandle_t handle, struct gw_rnn *rnn,
			      int32_t input, cudnnDataType_t type, struct gw_rnn_kit *spare, struct gw_rnn_kit **kit)
	__attribute__((nonnull(1, 2, 4, 7, 8), warn_unused_result));

/* Gives it back; a spare one's descriptors are destroyed. KIT may be NULL. */
void gw_rnn_kit_give(const struct gw_rnn_calls *calls, struct gw_rnn_kit *kit, const struct gw_rnn_kit *spare) __attribute__((nonnull(1)));

/* Destroys what a kit holds, unless that is another library's. */
void gw_rnn_kit_empty(const struct gw_rnn_calls *calls, struct gw_rnn_kit *kit) __attribute__((nonnull));

/* SETTINGS for an input, applied to DESCRIPTOR. A status of the loaded release. */
cudnnStatus_t gw_rnn_apply(const struct gw_rnn_calls *calls, cudnnRNNDescriptor_t descriptor, const struct gw_rnn_settings *settings,
			   int32_t input, cudnnDataType_t type) __attribute__((nonnull(1, 3)));

/* Whether the loaded release takes SETTINGS at all, as far as that can be told without an input. A status of it. */
cudnnStatus_t gw_rnn_try(const struct gw_rnn_calls *calls, struct gw_rnn *rnn, const struct gw_rnn_settings *settings)
	__attribute__((nonnull));

#endif
