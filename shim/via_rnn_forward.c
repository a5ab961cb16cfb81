/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computing calls of cuDNN 8's old RNN interface, forward, carried by the one that replaced it; it copies sequence lengths to the device
 * itself, so no CUDA call is made here.
 */
#include <stddef.h>

#include "gw_values.h"
#include "gw_via.h"
#include "rnn_run.h"
#include "rnn_table.h"

static cudnnStatus_t forward(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x_data, const void *x,
			     cudnnRNNDataDescriptor_t y_data, void *y, const struct gw_rnn_state *s, cudnnFilterDescriptor_t weights, const void *w,
			     const struct gw_rnn_space *space)
{
	size_t size = 0;
	struct gw_rnn_tensors t;
	cudnnStatus_t status = gw_rnn_run_weights(run, weights, &size);

	if (!status)
		status = gw_rnn_run_tensors(run, s, &t);
	return status ? status :
			run->calls.forward(handle, run->kit->rnn, mode, NULL, x_data, x, y_data, y, t.h, s->hx, s->hy, t.c, s->cx, s->cy, size, w,
					   space->work_size, space->work, space->reserve_size, space->reserve);
}

static cudnnStatus_t forward_packed(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
				    int count, const cudnnTensorDescriptor_t *x_steps, const void *x, const cudnnTensorDescriptor_t *y_steps,
				    void *y, const struct gw_rnn_state *s, cudnnFilterDescriptor_t weights, const void *w, const struct gw_rnn_space *space)
{
	struct gw_rnn_run run;
	cudnnStatus_t status = gw_rnn_run_begin(&run, call);

	if (status)
		return status;
	status = gw_rnn_run_take_packed(&run, handle, rnn, count, x_steps, y_steps, NULL);
	if (!status)
		status = forward(&run, handle, mode, run.kit->x, x, run.kit->y, y, s, weights, w, space);
	gw_rnn_run_end(&run);
	return status;
}

static cudnnStatus_t forward_data(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
				  cudnnRNNDataDescriptor_t x_data, const void *x, cudnnRNNDataDescriptor_t y_data, void *y,
				  const struct gw_rnn_state *s, cudnnFilterDescriptor_t weights, const void *w, const struct gw_rnn_space *space)
{
	struct gw_rnn_run run;
	cudnnStatus_t status = gw_rnn_run_begin(&run, call);

	if (status)
		return status;
	status = gw_rnn_run_take_data(&run, handle, rnn, x_data);
	if (!status)
		status = forward(&run, handle, mode, x_data, x, y_data, y, s, weights, w, space);
	gw_rnn_run_end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_inference(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				   const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				   const void *, const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t,
				   const void *, const cudnnTensorDescriptor_t *, void *, const cudnnTensorDescriptor_t, void *,
				   const cudnnTensorDescriptor_t, void *, void *, size_t), cudnnHandle_t handle,
				   const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				   const cudnnTensorDescriptor_t *xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc,
				   const void *hx, const cudnnTensorDescriptor_t cxDesc, const void *cx,
				   const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t *yDesc,
				   void *y, const cudnnTensorDescriptor_t hyDesc, void *hy,
				   const cudnnTensorDescriptor_t cyDesc, void *cy, void *workSpace, size_t workSpaceSizeInBytes)
{
	struct gw_rnn_state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct gw_rnn_space space = { workSpace, NULL, workSpaceSizeInBytes, 0 };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, workSpace, workSpaceSizeInBytes);
	return forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_training(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				  const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				  const void *, const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t,
				  const void *, const cudnnTensorDescriptor_t *, void *, const cudnnTensorDescriptor_t, void *,
				  const cudnnTensorDescriptor_t, void *, void *, size_t, void *, size_t), cudnnHandle_t handle,
				  const cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc,
				  const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx,
				  const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc,
				  const void *w, const cudnnTensorDescriptor_t *yDesc, void *y,
				  const cudnnTensorDescriptor_t hyDesc, void *hy, const cudnnTensorDescriptor_t cyDesc,
				  void *cy, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
				  size_t reserveSpaceSizeInBytes)
{
	struct gw_rnn_state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct gw_rnn_space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	return forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_TRAINING, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

/* 8.x reserves the arguments for attention (keys, queries and what belongs to them), and does not look at them. */

cudnnStatus_t gw_via_rnn_inference_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				      const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t, const void *,
				      const cudnnRNNDataDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				      const cudnnTensorDescriptor_t, void *, const cudnnRNNDataDescriptor_t, const void *,
				      const cudnnRNNDataDescriptor_t, void *, const cudnnRNNDataDescriptor_t, void *,
				      const cudnnRNNDataDescriptor_t, void *, void *, size_t), cudnnHandle_t handle,
				      const cudnnRNNDescriptor_t rnnDesc, const cudnnRNNDataDescriptor_t xDesc, const void *x,
				      const cudnnTensorDescriptor_t hxDesc, const void *hx,
				      const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnFilterDescriptor_t wDesc,
				      const void *w, const cudnnRNNDataDescriptor_t yDesc, void *y,
				      const cudnnTensorDescriptor_t hyDesc, void *hy, const cudnnTensorDescriptor_t cyDesc,
				      void *cy, const cudnnRNNDataDescriptor_t kDesc, const void *keys,
				      const cudnnRNNDataDescriptor_t cDesc, void *cAttn, const cudnnRNNDataDescriptor_t iDesc,
				      void *iAttn, const cudnnRNNDataDescriptor_t qDesc, void *queries, void *workSpace,
				      size_t workSpaceSizeInBytes)
{
	struct gw_rnn_state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct gw_rnn_space space = { workSpace, NULL, workSpaceSizeInBytes, 0 };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy,
	      kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes);
	return forward_data(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_training_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				     const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				     const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t, const void *,
				     const cudnnRNNDataDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				     const cudnnTensorDescriptor_t, void *, const cudnnRNNDataDescriptor_t, const void *,
				     const cudnnRNNDataDescriptor_t, void *, const cudnnRNNDataDescriptor_t, void *,
				     const cudnnRNNDataDescriptor_t, void *, void *, size_t, void *, size_t),
				     cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				     const cudnnRNNDataDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc,
				     const void *hx, const cudnnTensorDescriptor_t cxDesc, const void *cx,
				     const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnRNNDataDescriptor_t yDesc,
				     void *y, const cudnnTensorDescriptor_t hyDesc, void *hy,
				     const cudnnTensorDescriptor_t cyDesc, void *cy, const cudnnRNNDataDescriptor_t kDesc,
				     const void *keys, const cudnnRNNDataDescriptor_t cDesc, void *cAttn,
				     const cudnnRNNDataDescriptor_t iDesc, void *iAttn, const cudnnRNNDataDescriptor_t qDesc,
				     void *queries, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
				     size_t reserveSpaceSizeInBytes)
{
	struct gw_rnn_state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct gw_rnn_space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy,
	      kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes, reserveSpace,
	      reserveSpaceSizeInBytes);
	return forward_data(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_TRAINING, xDesc, x, yDesc, y, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_algorithm_count(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					 int *), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, int *count)
{
	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, count);
	(void)handle;
	if (!count || !gw_rnn_find(rnnDesc))
		return gw_rnn_wrong(call);
	*count = 1;
	return 0;
}

cudnnStatus_t gw_via_rnn_find_inference(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
					const void *, const cudnnTensorDescriptor_t, const void *,
					const cudnnFilterDescriptor_t, const void *, const cudnnTensorDescriptor_t *, void *,
					const cudnnTensorDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
					const float, const int, int *, cudnnAlgorithmPerformance_t *, void *, size_t),
					cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
					const cudnnTensorDescriptor_t *xDesc, const void *x,
					const cudnnTensorDescriptor_t hxDesc, const void *hx,
					const cudnnTensorDescriptor_t cxDesc, const void *cx,
					const cudnnFilterDescriptor_t wDesc, const void *w,
					const cudnnTensorDescriptor_t *yDesc, void *y, const cudnnTensorDescriptor_t hyDesc,
					void *hy, const cudnnTensorDescriptor_t cyDesc, void *cy, const float findIntensity,
					const int requestedAlgoCount, int *returnedAlgoCount,
					cudnnAlgorithmPerformance_t *perfResults, void *workspace, size_t workSpaceSizeInBytes)
{
	struct gw_rnn_state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct gw_rnn_space space = { workspace, NULL, workSpaceSizeInBytes, 0 };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, findIntensity, requestedAlgoCount, returnedAlgoCount, perfResults, workspace, workSpaceSizeInBytes);
	(void)findIntensity;
	if (!gw_rnn_can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return gw_rnn_wrong(call);
	status = forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_INFERENCE, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
	return gw_rnn_found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t gw_via_rnn_find_training(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				       const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				       const void *, const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t,
				       const void *, const cudnnTensorDescriptor_t *, void *, const cudnnTensorDescriptor_t,
				       void *, const cudnnTensorDescriptor_t, void *, const float, const int, int *,
				       cudnnAlgorithmPerformance_t *, void *, size_t, void *, size_t), cudnnHandle_t handle,
				       const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				       const cudnnTensorDescriptor_t *xDesc, const void *x,
				       const cudnnTensorDescriptor_t hxDesc, const void *hx,
				       const cudnnTensorDescriptor_t cxDesc, const void *cx,
				       const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t *yDesc,
				       void *y, const cudnnTensorDescriptor_t hyDesc, void *hy,
				       const cudnnTensorDescriptor_t cyDesc, void *cy, const float findIntensity,
				       const int requestedAlgoCount, int *returnedAlgoCount,
				       cudnnAlgorithmPerformance_t *perfResults, void *workspace, size_t workSpaceSizeInBytes,
				       void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gw_rnn_state s = { { { hxDesc, hx }, { hyDesc, hy } }, { { cxDesc, cx }, { cyDesc, cy } }, hx, cx, hy, cy };
	struct gw_rnn_space space = { workspace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
	      cyDesc, cy, findIntensity, requestedAlgoCount, returnedAlgoCount, perfResults, workspace, workSpaceSizeInBytes,
	      reserveSpace, reserveSpaceSizeInBytes);
	(void)findIntensity;
	if (!gw_rnn_can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return gw_rnn_wrong(call);
	status = forward_packed(call, handle, rnnDesc, GW_VALUE_CUDNN_FWD_MODE_TRAINING, seqLength, xDesc, x, yDesc, y, &s, wDesc, w, &space);
	return gw_rnn_found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}
