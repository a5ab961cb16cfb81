/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_steps.h. */
#include "rnn_steps.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "gw_values.h"

enum { RANK = 8 };	/* as many dimensions as cuDNN lets one ask for */

cudnnStatus_t gw_rnn_step(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnTensorDescriptor_t descriptor, int *batch,
			  int *vector, cudnnDataType_t *type)
{
	int rank = 0, dim[RANK] = { 0 }, stride[RANK] = { 0 }, i;
	cudnnStatus_t status;

	if (!descriptor)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	/* cuDNN refuses to be asked for more than it ever has. */
	status = calls->get_tensor(descriptor, RANK, type, &rank, dim, stride);
	if (status)
		return status;
	if (rank < 2 || rank > RANK || dim[0] < 1 || dim[1] < 1)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	for (i = 2; i < rank; i++)
		if (dim[i] != 1)
			return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	if ((dim[0] > 1 && stride[0] != dim[1]) || (dim[1] > 1 && stride[1] != 1))
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	*batch = dim[0];
	*vector = dim[1];
	return 0;
}

cudnnStatus_t gw_rnn_step_vector(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnTensorDescriptor_t descriptor, bool packed,
				 int *vector, cudnnDataType_t *type)
{
	int rank = 0, dim[RANK] = { 0 }, stride[RANK] = { 0 }, i;
	uint64_t count = 1, last = 1;
	cudnnStatus_t status;

	if (!descriptor)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	status = calls->get_tensor(descriptor, RANK, type, &rank, dim, stride);
	if (status)
		return status;
	if (rank < 2 || rank > RANK || dim[1] < 1)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	for (i = 0; packed && i < rank; i++) {
		count *= (uint64_t)dim[i];
		last += ((uint64_t)dim[i] - 1) * (uint64_t)stride[i];
	}
	if (count != last)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	*vector = dim[1];
	return 0;
}

static bool room(struct gw_rnn_steps *steps)
{
	size_t size = (size_t)steps->batch * sizeof(*steps->lengths);
	int error = errno;
	void *made;

	if (steps->batch <= GW_RNN_LENGTHS) {
		steps->lengths = steps->here;
		return true;
	}
	made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = error;
	if (made == MAP_FAILED)
		return false;
	steps->lengths = made;
	steps->mapped = size;
	return true;
}

cudnnStatus_t gw_rnn_steps_read(const struct gw_call *call, const struct gw_rnn_calls *calls, int count,
				const cudnnTensorDescriptor_t *descriptors, struct gw_rnn_steps *steps)
{
	int t, alive = 0, batch = 0, vector = 0;
	cudnnDataType_t type = 0;
	cudnnStatus_t status;

	steps->lengths = NULL;
	steps->mapped = 0;
	steps->steps = count;
	if (count < 1 || !descriptors)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	for (t = 0; t < count; t++) {
		/* Many programs pass the same descriptor for each step. */
		if (!t || descriptors[t] != descriptors[t - 1]) {
			status = gw_rnn_step(call, calls, descriptors[t], &batch, &vector, &type);
			if (status)
				return status;
		}
		if (!t) {
			steps->batch = alive = batch;
			steps->vector = vector;
			steps->type = type;
			if (!room(steps))
				return gw_rnn_status(call, GW_RNN_INTERNAL_ERROR);
		} else if (batch > alive || vector != steps->vector || type != steps->type) {
			return gw_rnn_status(call, GW_RNN_BAD_PARAM);
		}
		while (alive > batch)
			steps->lengths[--alive] = t;
	}
	while (alive > 0)
		steps->lengths[--alive] = count;
	return 0;
}

cudnnStatus_t gw_rnn_steps_match(const struct gw_call *call, const struct gw_rnn_calls *calls, const struct gw_rnn_steps *steps,
				 const cudnnTensorDescriptor_t *descriptors, int *vector)
{
	int t, alive = steps->batch, batch = 0, width = 0;
	cudnnDataType_t type = 0;
	cudnnStatus_t status;

	*vector = 0;
	if (!descriptors)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	for (t = 0; t < steps->steps; t++) {
		if (!t || descriptors[t] != descriptors[t - 1]) {
			status = gw_rnn_step(call, calls, descriptors[t], &batch, &width, &type);
			if (status)
				return status;
		}
		while (alive > 0 && steps->lengths[alive - 1] <= t)
			alive--;
		if (batch != alive || (t && width != *vector) || type != steps->type)
			return gw_rnn_status(call, GW_RNN_BAD_PARAM);
		*vector = width;
	}
	return 0;
}

cudnnStatus_t gw_rnn_steps_describe(const struct gw_rnn_calls *calls, const struct gw_rnn_steps *steps, int vector,
				    cudnnRNNDataDescriptor_t descriptor)
{
	return calls->set_data(descriptor, steps->type, GW_VALUE_CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, steps->steps, steps->batch, vector,
			       steps->lengths, NULL);
}

void gw_rnn_steps_finish(struct gw_rnn_steps *steps)
{
	int error = errno;

	if (steps->mapped)
		munmap(steps->lengths, steps->mapped);
	steps->mapped = 0;
	errno = error;
}
