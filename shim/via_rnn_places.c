/* SPDX-License-Identifier: Apache-2.0 */
/* cuDNN 8's old RNN interface: sizes of memory, and where its weights lie. The library lays them out as 8.x does (measured, see docs/measurements.md). */
#include <stddef.h>
#include <stdint.h>

#include "gw_values.h"
#include "gw_via.h"
#include "rnn_filter.h"
#include "rnn_run.h"
#include "rnn_steps.h"
#include "rnn_table.h"

struct sizes {
	size_t work, reserve;
};

/* One workspace serves inference and training. */
static cudnnStatus_t temp_sizes(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int count,
				const cudnnTensorDescriptor_t *x, struct sizes *sizes)
{
	size_t inference = 0, none = 0;
	struct gw_rnn_steps steps;
	struct gw_rnn_run run;
	cudnnStatus_t status = gw_rnn_run_begin(&run, call);

	if (status)
		return status;
	status = gw_rnn_steps_read(call, &run.calls, count, x, &steps);
	if (!status)
		status = gw_rnn_run_take(&run, handle, descriptor, steps.vector, steps.type);
	if (!status)
		status = gw_rnn_steps_describe(&run.calls, &steps, steps.vector, run.kit->x);
	if (!status)
		status = run.calls.temp_sizes(handle, run.kit->rnn, GW_VALUE_CUDNN_FWD_MODE_TRAINING, run.kit->x, &sizes->work, &sizes->reserve);
	if (!status && !run.calls.temp_sizes(handle, run.kit->rnn, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, run.kit->x, &inference, &none) &&
	    inference > sizes->work)
		sizes->work = inference;
	gw_rnn_run_end(&run);
	gw_rnn_steps_finish(&steps);
	return status;
}

/* *SIZE becomes *TOLD, a member of SIZES, when these are known. */
static cudnnStatus_t tell_size(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int count,
			       const cudnnTensorDescriptor_t *x, struct sizes *sizes, const size_t *told, size_t *size)
{
	cudnnStatus_t status;

	if (!size)
		return gw_rnn_wrong(call);
	status = temp_sizes(call, handle, descriptor, count, x, sizes);
	if (!status)
		*size = *told;
	return status;
}

cudnnStatus_t gw_via_rnn_workspace_size(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					const int, const cudnnTensorDescriptor_t *, size_t *), cudnnHandle_t handle,
					const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
					const cudnnTensorDescriptor_t *xDesc, size_t *sizeInBytes)
{
	struct sizes sizes = { 0, 0 };

	return gw_rnn_answers(call) ? tell_size(call, handle, rnnDesc, seqLength, xDesc, &sizes, &sizes.work, sizeInBytes) :
				      real(handle, rnnDesc, seqLength, xDesc, sizeInBytes);
}

cudnnStatus_t gw_via_rnn_reserve_size(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const int, const cudnnTensorDescriptor_t *, size_t *), cudnnHandle_t handle,
				      const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				      const cudnnTensorDescriptor_t *xDesc, size_t *sizeInBytes)
{
	struct sizes sizes = { 0, 0 };

	return gw_rnn_answers(call) ? tell_size(call, handle, rnnDesc, seqLength, xDesc, &sizes, &sizes.reserve, sizeInBytes) :
				      real(handle, rnnDesc, seqLength, xDesc, sizeInBytes);
}

cudnnStatus_t gw_via_rnn_weights_size(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const cudnnTensorDescriptor_t, size_t *, cudnnDataType_t), cudnnHandle_t handle,
				      const cudnnRNNDescriptor_t rnnDesc, const cudnnTensorDescriptor_t xDesc,
				      size_t *sizeInBytes, cudnnDataType_t dataType)
{
	int vector;
	cudnnDataType_t type;
	struct gw_rnn_run run;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, sizeInBytes, dataType);
	if (!sizeInBytes)
		return gw_rnn_wrong(call);
	status = gw_rnn_run_begin(&run, call);
	if (!status)
		status = gw_rnn_step_vector(call, &run.calls, xDesc, true, &vector, &type);
	if (!status && type != dataType)
		status = gw_rnn_wrong(call);
	if (!status)
		status = gw_rnn_run_take(&run, handle, rnnDesc, vector, type);
	if (!status)
		status = run.calls.weights_size(handle, run.kit->rnn, sizeInBytes);
	gw_rnn_run_end(&run);
	return status;
}

/* Where a matrix or bias vector lies. */

enum { LAYERS_MATRIX = 9, LAYERS_BIAS = 8 };	/* numbers of linear layers that the interface has at most */

/* How many bias vectors of each kind of cell the interface has: two for each matrix of its formulas. */
static int bias_count(cudnnRNNMode_t cell)
{
	return cell == GW_VALUE_CUDNN_LSTM ? LAYERS_BIAS : cell == GW_VALUE_CUDNN_GRU ? 6 : 2;
}

/* Shows DESCRIPTOR the shape of PLACE, BYTES from START on, when that lies within the weights of SIZE bytes. */
static cudnnStatus_t show(struct gw_rnn_run *run, cudnnTensorDescriptor_t place, size_t start, size_t size, cudnnFilterDescriptor_t descriptor)
{
	int rank = 0, dim[8] = { 0 }, stride[8];
	size_t bytes = 0;
	cudnnDataType_t type;
	cudnnStatus_t status = run->calls.get_tensor(place, 8, &type, &rank, dim, stride);

	if (!status)
		status = run->calls.size_tensor(place, &bytes);
	if (status)
		return status;
	if (start > size || bytes > size - start)
		return gw_rnn_status(run->call, GW_RNN_INVALID_VALUE);
	status = run->calls.set_filter(descriptor, type, GW_VALUE_CUDNN_TENSOR_NCHW, rank, dim);
	if (!status)
		gw_rnn_filter_unblank(descriptor);
	return status;
}

/* What does not exist is NULL, and its descriptor as a new one is. */
static cudnnStatus_t show_none(struct gw_rnn_run *run, cudnnFilterDescriptor_t descriptor, void **at)
{
	int rank = 0, dim[8];
	cudnnDataType_t type;
	cudnnTensorFormat_t format;
	cudnnStatus_t status = run->calls.get_filter(descriptor, 3, &type, &format, &rank, dim);

	*at = NULL;
	/* The library sets no descriptor to nothing. */
	if (!status && rank && !gw_rnn_filter_blank(descriptor))
		return gw_rnn_refuse(run->call, "the descriptor of a matrix that does not exist was in use before; pass a new one");
	return status;
}

static cudnnStatus_t locate(struct gw_rnn_run *run, cudnnHandle_t handle, int layer, size_t size, const void *w, int id, bool matrix,
			    cudnnFilterDescriptor_t descriptor, void **at)
{
	/* The library wants an address, where 8.x was content with none and counted from 0. */
	char *base = (char *)(uintptr_t)(w ? (uintptr_t)w : UINT64_C(1) << 40), *found;
	void *matrix_at = NULL, *bias_at = NULL;
	cudnnTensorDescriptor_t place = matrix ? run->kit->matrix : run->kit->bias;
	size_t needed = 0;
	cudnnStatus_t status = run->calls.weights_size(handle, run->kit->rnn, &needed);

	if (!status)
		status = run->calls.weights_at(handle, run->kit->rnn, layer, needed, base, id, run->kit->matrix, &matrix_at, run->kit->bias,
					       &bias_at);
	if (status)
		return status;
	found = matrix ? matrix_at : bias_at;
	if (!found)
		return show_none(run, descriptor, at);
	status = show(run, place, (size_t)(found - base), size, descriptor);
	if (!status)
		*at = (char *)(uintptr_t)((uintptr_t)w + (size_t)(found - base));
	return status;
}

static cudnnStatus_t params(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int layer,
			    cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t weights, const void *w, int id, bool matrix,
			    cudnnFilterDescriptor_t descriptor, void **at)
{
	int vector, rank = 0, dim[8];
	size_t size = 0;
	cudnnDataType_t type, weights_type = 0;
	cudnnTensorFormat_t format;
	struct gw_rnn_run run;
	const struct gw_rnn *entry = gw_rnn_find(rnn);
	cudnnStatus_t status;

	if (!entry || !weights || !descriptor || !at || id < 0 || id >= (matrix ? LAYERS_MATRIX : bias_count(entry->settings.cell)))
		return gw_rnn_wrong(call);
	status = gw_rnn_run_begin(&run, call);
	if (status)
		return status;
	status = gw_rnn_step_vector(call, &run.calls, x, false, &vector, &type);
	if (!status)
		status = run.calls.get_filter(weights, 3, &weights_type, &format, &rank, dim);
	if (!status && rank && weights_type != type)
		status = gw_rnn_wrong(call);
	if (!status)
		status = run.calls.size_filter(weights, &size);
	if (!status)
		status = gw_rnn_run_take(&run, handle, rnn, vector, type);
	if (!status)
		status = locate(&run, handle, layer, size, w, id, matrix, descriptor, at);
	gw_rnn_run_end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_matrix(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				const int, const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t, const void *,
				const int, cudnnFilterDescriptor_t, void **), cudnnHandle_t handle,
				const cudnnRNNDescriptor_t rnnDesc, const int pseudoLayer, const cudnnTensorDescriptor_t xDesc,
				const cudnnFilterDescriptor_t wDesc, const void *w, const int linLayerID,
				cudnnFilterDescriptor_t linLayerMatDesc, void **linLayerMat)
{
	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, linLayerMatDesc, linLayerMat);
	return params(call, handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, true, linLayerMatDesc, linLayerMat);
}

cudnnStatus_t gw_via_rnn_bias(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t, const int,
			      const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t, const void *, const int,
			      cudnnFilterDescriptor_t, void **), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
			      const int pseudoLayer, const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc,
			      const void *w, const int linLayerID, cudnnFilterDescriptor_t linLayerBiasDesc,
			      void **linLayerBias)
{
	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, linLayerBiasDesc, linLayerBias);
	return params(call, handle, rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, false, linLayerBiasDesc, linLayerBias);
}
