/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_kit.h. */
#include "rnn_kit.h"

#include <string.h>

#include "gw_values.h"

cudnnStatus_t gw_rnn_apply(const struct gw_rnn_calls *calls, cudnnRNNDescriptor_t descriptor, const struct gw_rnn_settings *s, int32_t input,
			   cudnnDataType_t type)
{
	int32_t projection = s->projection ? s->projection : s->hidden;
	cudnnStatus_t status = calls->set(descriptor, s->algo, s->cell, s->bias, s->direction, s->input_mode, type, s->precision, s->math, input,
					  s->hidden, projection, s->layers, s->dropout, s->padding);

	/* Setting a descriptor ends its clipping. */
	if (!status && s->clips)
		status = calls->set_clip(descriptor, s->clip, s->clip_nan, s->low, s->high);
	return status;
}

void gw_rnn_kit_empty(const struct gw_rnn_calls *calls, struct gw_rnn_kit *kit)
{
	if (kit->library == (void *)calls->create) {
		if (kit->rnn)
			calls->destroy(kit->rnn);
		if (kit->x)
			calls->destroy_data(kit->x);
		if (kit->y)
			calls->destroy_data(kit->y);
		if (kit->matrix)
			calls->destroy_tensor(kit->matrix);
		if (kit->bias)
			calls->destroy_tensor(kit->bias);
	}
	kit->library = NULL;
	kit->rnn = NULL;
	kit->x = kit->y = NULL;
	kit->matrix = kit->bias = NULL;
	kit->input = kit->built = 0;
}

static cudnnStatus_t fill(const struct gw_rnn_calls *calls, struct gw_rnn_kit *kit)
{
	cudnnStatus_t status;

	if (kit->library == (void *)calls->create)
		return 0;
	gw_rnn_kit_empty(calls, kit);
	kit->library = (void *)calls->create;
	if (!(status = calls->create(&kit->rnn)) && !(status = calls->create_data(&kit->x)) && !(status = calls->create_data(&kit->y)) &&
	    !(status = calls->create_tensor(&kit->matrix)) && !(status = calls->create_tensor(&kit->bias)))
		return 0;
	gw_rnn_kit_empty(calls, kit);
	return status;
}

static bool fits(const struct gw_rnn_kit *kit, const struct gw_rnn *rnn, int32_t input, cudnnDataType_t type)
{
	return kit->input == input && kit->type == type && kit->generation == rnn->generation;
}

static bool take(struct gw_rnn_kit *kit)
{
	uint32_t no = 0;

	return !atomic_load_explicit(&kit->busy, memory_order_relaxed) &&
	       atomic_compare_exchange_strong_explicit(&kit->busy, &no, 1, memory_order_acquire, memory_order_relaxed);
}

/* One that nobody has: the one that is set for this input, else an empty one, else any; SPARE when others have them all. */
static struct gw_rnn_kit *choose(struct gw_rnn *rnn, int32_t input, cudnnDataType_t type, struct gw_rnn_kit *spare)
{
	int pass, i;

	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < GW_RNN_KITS; i++) {
			struct gw_rnn_kit *kit = &rnn->kits[i];

			if (!take(kit))
				continue;
			if (pass == 2 || (pass == 1 && !kit->library) || (pass == 0 && fits(kit, rnn, input, type)))
				return kit;
			atomic_store_explicit(&kit->busy, 0, memory_order_release);
		}
	}
	return spare;
}

static cudnnStatus_t prepare(const struct gw_rnn_calls *calls, cudnnHandle_t handle, const struct gw_rnn *rnn, int32_t input,
			     cudnnDataType_t type, struct gw_rnn_kit *kit)
{
	cudnnStatus_t status = fill(calls, kit);

	if (!status && !fits(kit, rnn, input, type)) {
		kit->input = kit->built = 0;
		status = gw_rnn_apply(calls, kit->rnn, &rnn->settings, input, type);
		if (!status) {
			kit->input = input;
			kit->type = type;
			kit->generation = rnn->generation;
		}
	}
	if (!status && rnn->plan && rnn->settings.algo == GW_VALUE_CUDNN_RNN_ALGO_PERSIST_DYNAMIC && kit->built != rnn->plan) {
		status = calls->build(handle, kit->rnn, rnn->plan);
		kit->built = status ? 0 : rnn->plan;
	}
	return status;
}

cudnnStatus_t gw_rnn_kit_take(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnHandle_t handle, struct gw_rnn *rnn,
			      int32_t input, cudnnDataType_t type, struct gw_rnn_kit *spare, struct gw_rnn_kit **kit)
{
	struct gw_rnn_kit *chosen;
	cudnnStatus_t status;

	*kit = NULL;
	/* One that was set by the new call has an input already. */
	if (!rnn->set || input <= 0 || (rnn->own && (rnn->input != input || rnn->type != type)))
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	chosen = choose(rnn, input, type, spare);
	status = prepare(calls, handle, rnn, input, type, chosen);
	if (status)
		gw_rnn_kit_give(calls, chosen, spare);
	else
		*kit = chosen;
	return status;
}

void gw_rnn_kit_give(const struct gw_rnn_calls *calls, struct gw_rnn_kit *kit, const struct gw_rnn_kit *spare)
{
	if (!kit)
		return;
	if (kit == spare)
		gw_rnn_kit_empty(calls, kit);
	else
		atomic_store_explicit(&kit->busy, 0, memory_order_release);
}

cudnnStatus_t gw_rnn_try(const struct gw_rnn_calls *calls, struct gw_rnn *rnn, const struct gw_rnn_settings *settings)
{
	struct gw_rnn_kit spare, *kit;
	struct gw_rnn_settings s = *settings;
	cudnnStatus_t status;

	memset(&spare, 0, sizeof(spare));
	/* Some setters may come before the sizes. */
	if (!s.hidden)
		s.hidden = s.layers = 1;
	kit = choose(rnn, 0, 0, &spare);
	status = fill(calls, kit);
	kit->input = kit->built = 0;
	/* Skipped inputs are as wide as the hidden state; weights of the precision's own type fit every precision. */
	if (!status)
		status = gw_rnn_apply(calls, kit->rnn, &s, s.hidden, s.precision);
	gw_rnn_kit_give(calls, kit, &spare);
	return status;
}
