/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_run.h. */
#include "rnn_run.h"

#include <stddef.h>
#include <string.h>

#include "gw_values.h"
#include "rnn_cells.h"
#include "rnn_steps.h"
#include "rnn_table.h"

cudnnStatus_t gw_rnn_wrong(const struct gw_call *call)
{
	return gw_rnn_status(call, GW_RNN_BAD_PARAM);
}

cudnnStatus_t gw_rnn_run_begin(struct gw_rnn_run *run, const struct gw_call *call)
{
	run->call = call;
	run->kit = NULL;
	memset(&run->spare, 0, sizeof(run->spare));
	return gw_rnn_calls_find(call, &run->calls) ? 0 : gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
}

cudnnStatus_t gw_rnn_run_take(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int input, cudnnDataType_t type)
{
	struct gw_rnn *rnn = gw_rnn_find(descriptor);

	if (!rnn)
		return gw_rnn_wrong(run->call);
	return gw_rnn_kit_take(run->call, &run->calls, handle, rnn, input, type, &run->spare, &run->kit);
}

void gw_rnn_run_end(struct gw_rnn_run *run)
{
	gw_rnn_kit_give(&run->calls, run->kit, &run->spare);
	run->kit = NULL;
}

cudnnStatus_t gw_rnn_run_tensors(const struct gw_rnn_run *run, const struct gw_rnn_state *s, struct gw_rnn_tensors *tensors)
{
	cudnnStatus_t status = gw_rnn_one_tensor(run->call, &run->calls, s->h, &tensors->h);

	return status ? status : gw_rnn_one_tensor(run->call, &run->calls, s->c, &tensors->c);
}

cudnnStatus_t gw_rnn_run_weights(struct gw_rnn_run *run, cudnnFilterDescriptor_t descriptor, size_t *size)
{
	return descriptor ? run->calls.size_filter(descriptor, size) : gw_rnn_wrong(run->call);
}

/* As take, for a run: a dynamic persistent kernel wants the plan of cudnnSetPersistentRNNPlan; without one the library computes nothing, and says nothing. */
static cudnnStatus_t take_to_run(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int input, cudnnDataType_t type)
{
	const struct gw_rnn *rnn = gw_rnn_find(descriptor);

	if (rnn && !rnn->own && !rnn->plan && rnn->settings.algo == GW_VALUE_CUDNN_RNN_ALGO_PERSIST_DYNAMIC)
		return gw_rnn_status(run->call, GW_RNN_INVALID_VALUE);
	return gw_rnn_run_take(run, handle, descriptor, input, type);
}

cudnnStatus_t gw_rnn_run_take_packed(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int count,
				     const cudnnTensorDescriptor_t *x, const cudnnTensorDescriptor_t *y, const cudnnTensorDescriptor_t *dy)
{
	struct gw_rnn_steps steps;
	int width = 0, other = 0;
	cudnnStatus_t status = gw_rnn_steps_read(run->call, &run->calls, count, x, &steps);

	if (!status)
		status = gw_rnn_steps_match(run->call, &run->calls, &steps, y, &width);
	if (!status && dy)
		status = gw_rnn_steps_match(run->call, &run->calls, &steps, dy, &other);
	if (!status && dy && other != width)
		status = gw_rnn_wrong(run->call);
	if (!status)
		status = take_to_run(run, handle, descriptor, steps.vector, steps.type);
	if (!status)
		status = gw_rnn_steps_describe(&run->calls, &steps, steps.vector, run->kit->x);
	if (!status)
		status = gw_rnn_steps_describe(&run->calls, &steps, width, run->kit->y);
	gw_rnn_steps_finish(&steps);
	return status;
}

cudnnStatus_t gw_rnn_run_take_data(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnRNNDataDescriptor_t x)
{
	cudnnDataType_t type = 0;
	cudnnRNNDataLayout_t layout;
	int longest, batch, vector = 0;
	double fill[2];		/* of whatever type */
	cudnnStatus_t status;

	if (!x)
		return gw_rnn_wrong(run->call);
	status = run->calls.get_data(x, &type, &layout, &longest, &batch, &vector, 0, NULL, fill);
	return status ? status : take_to_run(run, handle, descriptor, vector, type);
}

cudnnStatus_t gw_rnn_found(const struct gw_call *call, cudnnRNNDescriptor_t descriptor, cudnnStatus_t status, size_t memory, int requested,
			   int *returned, cudnnAlgorithmPerformance_t *results)
{
	const struct gw_rnn *rnn = gw_rnn_find(descriptor);
	int32_t told = gw_status_out(call, status);	/* as the caller numbers it: results are read as they are kept */
	struct gw_cell *cell;

	/* Of whatever finer kind: 8.x knows but one status for the caller's own error. */
	if (!rnn || told == gw_status_out(call, gw_rnn_wrong(call)))
		return status;
	cell = gw_cell_of(results[0], GW_CELL_PERFORMANCE);
	if (!cell || requested < 1)
		return gw_rnn_wrong(call);
	cell->own->number = rnn->settings.algo;
	cell->algorithm = cell->own;
	cell->number = told;
	cell->time = status ? -1 : 0;
	cell->memory = memory;
	*returned = 1;
	return 0;
}

bool gw_rnn_can_tell(int requested, const int *returned, const cudnnAlgorithmPerformance_t *results)
{
	return requested > 0 && returned && results && gw_cell_of(results[0], GW_CELL_PERFORMANCE);
}
