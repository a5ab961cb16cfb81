/* SPDX-License-Identifier: Apache-2.0 */
/* The same backward (via_rnn_forward.c). Gradients of weights are added to what is there, as 8.x adds them. */
#include <stddef.h>

#include "gw_values.h"
#include "gw_via.h"
#include "rnn_run.h"

/* Gradients of one call: what comes in from above, and what goes out below. */
struct gradients {
	const void *y, *dy, *dhy, *dcy;
	void *dx, *dhx, *dcx;
};

static cudnnStatus_t backward_data(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDataDescriptor_t y_data, cudnnRNNDataDescriptor_t x_data,
				   const struct gradients *g, const struct gw_rnn_state *s, cudnnFilterDescriptor_t weights, const void *w,
				   const struct gw_rnn_space *space)
{
	size_t size = 0;
	struct gw_rnn_tensors t;
	cudnnStatus_t status = gw_rnn_run_weights(run, weights, &size);

	if (!status)
		status = gw_rnn_run_tensors(run, s, &t);
	return status ? status :
			run->calls.backward_data(handle, run->kit->rnn, NULL, y_data, g->y, g->dy, x_data, g->dx, t.h, s->hx, g->dhy, g->dhx,
						 t.c, s->cx, g->dcy, g->dcx, size, w, space->work_size, space->work, space->reserve_size,
						 space->reserve);
}

static cudnnStatus_t backward_data_packed(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int count,
					  const cudnnTensorDescriptor_t *y_steps, const cudnnTensorDescriptor_t *dy_steps,
					  const cudnnTensorDescriptor_t *dx_steps, const struct gradients *g, const struct gw_rnn_state *s,
					  cudnnFilterDescriptor_t weights, const void *w, const struct gw_rnn_space *space)
{
	struct gw_rnn_run run;
	cudnnStatus_t status = gw_rnn_run_begin(&run, call);

	if (status)
		return status;
	if (!dy_steps)
		return gw_rnn_wrong(call);
	status = gw_rnn_run_take_packed(&run, handle, rnn, count, dx_steps, y_steps, dy_steps);
	if (!status)
		status = backward_data(&run, handle, run.kit->y, run.kit->x, g, s, weights, w, space);
	gw_rnn_run_end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_data(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t, const int,
			      const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t *, const void *,
			      const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
			      const cudnnFilterDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
			      const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t *, void *,
			      const cudnnTensorDescriptor_t, void *, const cudnnTensorDescriptor_t, void *, void *, size_t,
			      void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
			      const cudnnTensorDescriptor_t *yDesc, const void *y, const cudnnTensorDescriptor_t *dyDesc,
			      const void *dy, const cudnnTensorDescriptor_t dhyDesc, const void *dhy,
			      const cudnnTensorDescriptor_t dcyDesc, const void *dcy, const cudnnFilterDescriptor_t wDesc,
			      const void *w, const cudnnTensorDescriptor_t hxDesc, const void *hx,
			      const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnTensorDescriptor_t *dxDesc,
			      void *dx, const cudnnTensorDescriptor_t dhxDesc, void *dhx, const cudnnTensorDescriptor_t dcxDesc,
			      void *dcx, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
			      size_t reserveSpaceSizeInBytes)
{
	struct gradients g = { y, dy, dhy, dcy, dx, dhx, dcx };
	struct gw_rnn_state s = { { { hxDesc, hx }, { dhyDesc, dhy }, { dhxDesc, dhx } }, { { cxDesc, cx }, { dcyDesc, dcy }, { dcxDesc, dcx } }, hx, cx,
			   NULL, NULL };
	struct gw_rnn_space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx,
	      cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, workSpace, workSpaceSizeInBytes, reserveSpace,
	      reserveSpaceSizeInBytes);
	return backward_data_packed(call, handle, rnnDesc, seqLength, yDesc, dyDesc, dxDesc, &g, &s, wDesc, w, &space);
}

cudnnStatus_t gw_via_rnn_data_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				 const cudnnRNNDataDescriptor_t, const void *, const cudnnRNNDataDescriptor_t, const void *,
				 const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				 const cudnnTensorDescriptor_t, const void *, const cudnnFilterDescriptor_t, const void *,
				 const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				 const cudnnRNNDataDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				 const cudnnTensorDescriptor_t, void *, const cudnnRNNDataDescriptor_t, void *, void *, size_t,
				 void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				 const cudnnRNNDataDescriptor_t yDesc, const void *y, const cudnnRNNDataDescriptor_t dyDesc,
				 const void *dy, const cudnnRNNDataDescriptor_t dcDesc, const void *dcAttn,
				 const cudnnTensorDescriptor_t dhyDesc, const void *dhy, const cudnnTensorDescriptor_t dcyDesc,
				 const void *dcy, const cudnnFilterDescriptor_t wDesc, const void *w,
				 const cudnnTensorDescriptor_t hxDesc, const void *hx, const cudnnTensorDescriptor_t cxDesc,
				 const void *cx, const cudnnRNNDataDescriptor_t dxDesc, void *dx,
				 const cudnnTensorDescriptor_t dhxDesc, void *dhx, const cudnnTensorDescriptor_t dcxDesc,
				 void *dcx, const cudnnRNNDataDescriptor_t dkDesc, void *dkeys, void *workSpace,
				 size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gradients g = { y, dy, dhy, dcy, dx, dhx, dcx };
	struct gw_rnn_state s = { { { hxDesc, hx }, { dhyDesc, dhy }, { dhxDesc, dhx } }, { { cxDesc, cx }, { dcyDesc, dcy }, { dcxDesc, dcx } }, hx, cx,
			   NULL, NULL };
	struct gw_rnn_space space = { workSpace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };
	struct gw_rnn_run run;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, yDesc, y, dyDesc, dy, dcDesc, dcAttn, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc,
	      hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, dkDesc, dkeys, workSpace, workSpaceSizeInBytes,
	      reserveSpace, reserveSpaceSizeInBytes);
	status = gw_rnn_run_begin(&run, call);
	if (status)
		return status;
	status = dyDesc && yDesc ? gw_rnn_run_take_data(&run, handle, rnnDesc, dxDesc) : gw_rnn_wrong(call);
	if (!status)
		status = gw_rnn_same_data(call, &run.calls, yDesc, dyDesc);
	if (!status)
		status = backward_data(&run, handle, yDesc, dxDesc, &g, &s, wDesc, w, &space);
	gw_rnn_run_end(&run);
	return status;
}

static cudnnStatus_t backward_weights(struct gw_rnn_run *run, cudnnHandle_t handle, cudnnRNNDataDescriptor_t x_data, const void *x,
				      cudnnTensorDescriptor_t h, const void *hx, cudnnRNNDataDescriptor_t y_data, const void *y,
				      cudnnFilterDescriptor_t weights, void *dw, const struct gw_rnn_space *space)
{
	size_t size = 0;
	cudnnStatus_t status = gw_rnn_run_weights(run, weights, &size);

	return status ? status :
			run->calls.backward_weights(handle, run->kit->rnn, GW_VALUE_CUDNN_WGRAD_MODE_ADD, NULL, x_data, x, h, hx, y_data, y,
						    size, dw, space->work_size, space->work, space->reserve_size, space->reserve);
}

static cudnnStatus_t backward_weights_packed(const struct gw_call *call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int count,
					     const cudnnTensorDescriptor_t *x_steps, const void *x, cudnnTensorDescriptor_t h, const void *hx,
					     const cudnnTensorDescriptor_t *y_steps, const void *y, cudnnFilterDescriptor_t weights, void *dw,
					     const struct gw_rnn_space *space)
{
	struct gw_rnn_run run;
	cudnnStatus_t status = gw_rnn_run_begin(&run, call);

	if (status)
		return status;
	status = gw_rnn_run_take_packed(&run, handle, rnn, count, x_steps, y_steps, NULL);
	if (!status)
		status = backward_weights(&run, handle, run.kit->x, x, h, hx, run.kit->y, y, weights, dw, space);
	gw_rnn_run_end(&run);
	return status;
}

/* 8.x promised to read these alone; the new call's types do not, though it does. */
static struct gw_rnn_space space_of(const void *work, size_t work_size, const void *reserve, size_t reserve_size)
{
	return (struct gw_rnn_space){ (void *)(uintptr_t)work, (void *)(uintptr_t)reserve, work_size, reserve_size };
}

cudnnStatus_t gw_via_rnn_weights(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				 const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				 const void *, const cudnnTensorDescriptor_t *, const void *, const void *, size_t,
				 const cudnnFilterDescriptor_t, void *, const void *, size_t), cudnnHandle_t handle,
				 const cudnnRNNDescriptor_t rnnDesc, const int seqLength, const cudnnTensorDescriptor_t *xDesc,
				 const void *x, const cudnnTensorDescriptor_t hxDesc, const void *hx,
				 const cudnnTensorDescriptor_t *yDesc, const void *y, const void *workSpace,
				 size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void *dw,
				 const void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gw_rnn_space space = space_of(workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc,
	      dw, reserveSpace, reserveSpaceSizeInBytes);
	return backward_weights_packed(call, handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, dwDesc, dw, &space);
}

cudnnStatus_t gw_via_rnn_weights_ex(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				    const cudnnRNNDataDescriptor_t, const void *, const cudnnTensorDescriptor_t, const void *,
				    const cudnnRNNDataDescriptor_t, const void *, void *, size_t, const cudnnFilterDescriptor_t,
				    void *, void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				    const cudnnRNNDataDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t hxDesc,
				    const void *hx, const cudnnRNNDataDescriptor_t yDesc, const void *y, void *workSpace,
				    size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void *dw,
				    void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gw_rnn_space space = space_of(workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	struct gw_rnn_run run;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw,
	      reserveSpace, reserveSpaceSizeInBytes);
	status = gw_rnn_run_begin(&run, call);
	if (status)
		return status;
	status = gw_rnn_run_take_data(&run, handle, rnnDesc, xDesc);
	if (!status)
		status = backward_weights(&run, handle, xDesc, x, hxDesc, hx, yDesc, y, dwDesc, dw, &space);
	gw_rnn_run_end(&run);
	return status;
}

cudnnStatus_t gw_via_rnn_find_data(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				   const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t *,
				   const void *, const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t,
				   const void *, const cudnnFilterDescriptor_t, const void *, const cudnnTensorDescriptor_t,
				   const void *, const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t *,
				   void *, const cudnnTensorDescriptor_t, void *, const cudnnTensorDescriptor_t, void *,
				   const float, const int, int *, cudnnAlgorithmPerformance_t *, void *, size_t, void *,
				   size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
				   const cudnnTensorDescriptor_t *yDesc, const void *y, const cudnnTensorDescriptor_t *dyDesc,
				   const void *dy, const cudnnTensorDescriptor_t dhyDesc, const void *dhy,
				   const cudnnTensorDescriptor_t dcyDesc, const void *dcy, const cudnnFilterDescriptor_t wDesc,
				   const void *w, const cudnnTensorDescriptor_t hxDesc, const void *hx,
				   const cudnnTensorDescriptor_t cxDesc, const void *cx, const cudnnTensorDescriptor_t *dxDesc,
				   void *dx, const cudnnTensorDescriptor_t dhxDesc, void *dhx,
				   const cudnnTensorDescriptor_t dcxDesc, void *dcx, const float findIntensity,
				   const int requestedAlgoCount, int *returnedAlgoCount,
				   cudnnAlgorithmPerformance_t *perfResults, void *workspace, size_t workSpaceSizeInBytes,
				   void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gradients g = { y, dy, dhy, dcy, dx, dhx, dcx };
	struct gw_rnn_state s = { { { hxDesc, hx }, { dhyDesc, dhy }, { dhxDesc, dhx } }, { { cxDesc, cx }, { dcyDesc, dcy }, { dcxDesc, dcx } }, hx, cx,
			   NULL, NULL };
	struct gw_rnn_space space = { workspace, reserveSpace, workSpaceSizeInBytes, reserveSpaceSizeInBytes };
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w, hxDesc, hx,
	      cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, findIntensity, requestedAlgoCount, returnedAlgoCount,
	      perfResults, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	(void)findIntensity;
	if (!gw_rnn_can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return gw_rnn_wrong(call);
	status = backward_data_packed(call, handle, rnnDesc, seqLength, yDesc, dyDesc, dxDesc, &g, &s, wDesc, w, &space);
	return gw_rnn_found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t gw_via_rnn_find_weights(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
				      const int, const cudnnTensorDescriptor_t *, const void *, const cudnnTensorDescriptor_t,
				      const void *, const cudnnTensorDescriptor_t *, const void *, const float, const int,
				      int *, cudnnAlgorithmPerformance_t *, const void *, size_t, const cudnnFilterDescriptor_t,
				      void *, const void *, size_t), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
				      const int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x,
				      const cudnnTensorDescriptor_t hxDesc, const void *hx,
				      const cudnnTensorDescriptor_t *yDesc, const void *y, const float findIntensity,
				      const int requestedAlgoCount, int *returnedAlgoCount,
				      cudnnAlgorithmPerformance_t *perfResults, const void *workspace,
				      size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void *dw,
				      const void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
	struct gw_rnn_space space = space_of(workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, findIntensity, requestedAlgoCount,
	      returnedAlgoCount, perfResults, workspace, workSpaceSizeInBytes, dwDesc, dw, reserveSpace,
	      reserveSpaceSizeInBytes);
	(void)findIntensity;
	if (!gw_rnn_can_tell(requestedAlgoCount, returnedAlgoCount, perfResults))
		return gw_rnn_wrong(call);
	status = backward_weights_packed(call, handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, dwDesc, dw, &space);
	return gw_rnn_found(call, rnnDesc, status, workSpaceSizeInBytes, requestedAlgoCount, returnedAlgoCount, perfResults);
}
