/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The RNN descriptor of cuDNN 8's old interface on 9, which lacks it: what is set is kept beside the descriptor (rnn_table.h) and tried on
 * the library at once, so that it is refused when 8.x would refuse it. The computing calls are in via_rnn_forward.c and via_rnn_backward.c.
 *
 * A descriptor that was set by cudnnSetRNNDescriptor_v8, which both releases have, has its settings in the library too; the old setters
 * change both.
 */
#include <string.h>

#include "binding.h"
#include "gw_values.h"
#include "gw_via.h"
#include "rnn_calls.h"
#include "rnn_cells.h"
#include "rnn_kit.h"
#include "rnn_table.h"

static cudnnStatus_t wrong(const struct gw_call *call)
{
	return gw_rnn_status(call, GW_RNN_BAD_PARAM);
}

/* What is kept of DESCRIPTOR; one that we did not see being made is kept from now on. NULL when there is no room. */
static struct gw_rnn *kept(cudnnRNNDescriptor_t descriptor)
{
	struct gw_rnn *rnn = gw_rnn_find(descriptor);

	return rnn || !descriptor ? rnn : gw_rnn_add(descriptor);
}

static cudnnStatus_t entry(const struct gw_call *call, cudnnRNNDescriptor_t descriptor, struct gw_rnn **rnn)
{
	*rnn = kept(descriptor);
	if (*rnn)
		return 0;
	return descriptor ? gw_rnn_refuse(call, "it keeps no more than 16384 RNN descriptors at a time") : wrong(call);
}

/* Takes SETTINGS for RNN, which is DESCRIPTOR's, when the library does. */
static cudnnStatus_t change(const struct gw_call *call, cudnnRNNDescriptor_t descriptor, struct gw_rnn *rnn,
			    const struct gw_rnn_settings *settings)
{
	struct gw_rnn_calls calls;
	cudnnStatus_t status;

	if (!gw_rnn_calls_find(call, &calls))
		return gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
	status = gw_rnn_try(&calls, rnn, settings);
	if (!status && rnn->own)
		status = gw_rnn_apply(&calls, descriptor, settings, rnn->input, rnn->type);
	if (!status) {
		rnn->settings = *settings;
		rnn->generation++;
	}
	return status;
}

/* Functions that both releases have. */

cudnnStatus_t gw_via_rnn_create(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t *),
				cudnnRNNDescriptor_t *rnnDesc)
{
	cudnnStatus_t status = real(rnnDesc);

	if (!status && rnnDesc && gw_rnn_carried(call))
		gw_rnn_add(*rnnDesc);	/* when there is no room, the first old call tells so */
	return status;
}

cudnnStatus_t gw_via_rnn_destroy(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t),
				 cudnnRNNDescriptor_t rnnDesc)
{
	struct gw_rnn *rnn = gw_rnn_carried(call) ? gw_rnn_find(rnnDesc) : NULL;
	struct gw_rnn_calls calls;
	int i;

	/* Before the library gives the address away. */
	if (rnn && gw_rnn_calls_find(call, &calls))
		for (i = 0; i < GW_RNN_KITS; i++)
			gw_rnn_kit_empty(&calls, &rnn->kits[i]);
	if (rnn)
		gw_rnn_drop(rnn);
	return real(rnnDesc);
}

cudnnStatus_t gw_via_rnn_set_v8(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnRNNAlgo_t,
				cudnnRNNMode_t, cudnnRNNBiasMode_t, cudnnDirectionMode_t, cudnnRNNInputMode_t, cudnnDataType_t,
				cudnnDataType_t, cudnnMathType_t, int32_t, int32_t, int32_t, int32_t, cudnnDropoutDescriptor_t,
				uint32_t), cudnnRNNDescriptor_t rnnDesc, cudnnRNNAlgo_t algo, cudnnRNNMode_t cellMode,
				cudnnRNNBiasMode_t biasMode, cudnnDirectionMode_t dirMode, cudnnRNNInputMode_t inputMode,
				cudnnDataType_t dataType, cudnnDataType_t mathPrec, cudnnMathType_t mathType, int32_t inputSize,
				int32_t hiddenSize, int32_t projSize, int32_t numLayers, cudnnDropoutDescriptor_t dropoutDesc,
				uint32_t auxFlags)
{
	cudnnStatus_t status = real(rnnDesc, algo, cellMode, biasMode, dirMode, inputMode, dataType, mathPrec, mathType, inputSize, hiddenSize,
				    projSize, numLayers, dropoutDesc, auxFlags);
	struct gw_rnn *rnn;

	if (status || !gw_rnn_carried(call) || !(rnn = kept(rnnDesc)))
		return status;
	rnn->settings = (struct gw_rnn_settings){
		.hidden = hiddenSize, .layers = numLayers, .projection = projSize, .dropout = dropoutDesc, .input_mode = inputMode,
		.direction = dirMode, .cell = cellMode, .algo = algo, .precision = mathPrec, .math = mathType, .bias = biasMode,
		.padding = auxFlags,
	};
	rnn->set = rnn->own = true;
	rnn->input = inputSize;
	rnn->type = dataType;
	rnn->plan = 0;
	rnn->generation++;
	return status;
}

/* The old calls compute on descriptors of ours, which are built as the caller's own is. */
cudnnStatus_t gw_via_rnn_build(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t, int),
			       cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc, int miniBatch)
{
	struct gw_rnn *rnn = gw_rnn_carried(call) ? gw_rnn_find(rnnDesc) : NULL;
	cudnnStatus_t status = real(handle, rnnDesc, miniBatch);

	if (!status && rnn && rnn->own)
		rnn->plan = miniBatch;
	return status;
}

static void keep_clip(struct gw_rnn_settings *settings, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan, double low, double high)
{
	settings->clips = true;
	settings->clip = mode;
	settings->clip_nan = nan;
	settings->low = low;
	settings->high = high;
}

cudnnStatus_t gw_via_rnn_set_clip_v8(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnRNNClipMode_t,
				     cudnnNanPropagation_t, double, double), cudnnRNNDescriptor_t rnnDesc,
				     cudnnRNNClipMode_t clipMode, cudnnNanPropagation_t clipNanOpt, double lclip, double rclip)
{
	cudnnStatus_t status = real(rnnDesc, clipMode, clipNanOpt, lclip, rclip);
	struct gw_rnn *rnn;

	if (status || !gw_rnn_carried(call) || !(rnn = kept(rnnDesc)))
		return status;
	keep_clip(&rnn->settings, clipMode, clipNanOpt, lclip, rclip);
	rnn->generation++;
	return status;
}

/* What the old calls set, the library's own descriptor does not know. */
cudnnStatus_t gw_via_rnn_get_clip_v8(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnRNNClipMode_t *,
				     cudnnNanPropagation_t *, double *, double *), cudnnRNNDescriptor_t rnnDesc,
				     cudnnRNNClipMode_t *clipMode, cudnnNanPropagation_t *clipNanOpt, double *lclip,
				     double *rclip)
{
	struct gw_rnn *rnn = gw_rnn_carried(call) ? gw_rnn_find(rnnDesc) : NULL;
	cudnnStatus_t status = real(rnnDesc, clipMode, clipNanOpt, lclip, rclip);

	if (status || !rnn || rnn->own || !clipMode || !clipNanOpt || !lclip || !rclip)
		return status;
	*clipMode = rnn->settings.clip;
	*clipNanOpt = rnn->settings.clip_nan;
	*lclip = rnn->settings.low;
	*rclip = rnn->settings.high;
	return status;
}

/* The descriptor's old setters and getters. */

cudnnStatus_t gw_via_rnn_set(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t, const int,
			     const int, cudnnDropoutDescriptor_t, cudnnRNNInputMode_t, cudnnDirectionMode_t, cudnnRNNMode_t,
			     cudnnRNNAlgo_t, cudnnDataType_t), cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
			     const int hiddenSize, const int numLayers, cudnnDropoutDescriptor_t dropoutDesc,
			     cudnnRNNInputMode_t inputMode, cudnnDirectionMode_t direction, cudnnRNNMode_t cellMode,
			     cudnnRNNAlgo_t algo, cudnnDataType_t mathPrec)
{
	struct gw_rnn_settings settings = {
		.hidden = hiddenSize, .layers = numLayers, .projection = hiddenSize, .dropout = dropoutDesc, .input_mode = inputMode,
		.direction = direction, .cell = cellMode, .algo = algo, .precision = mathPrec, .math = GW_VALUE_CUDNN_DEFAULT_MATH,
		.bias = GW_VALUE_CUDNN_RNN_DOUBLE_BIAS,
	};
	struct gw_rnn *rnn;
	cudnnStatus_t status;
	bool own;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, hiddenSize, numLayers, dropoutDesc, inputMode, direction, cellMode, algo,
	      mathPrec);
	if (!handle || hiddenSize < 1 || numLayers < 1)
		return wrong(call);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	own = rnn->own;
	rnn->own = false;
	status = change(call, rnnDesc, rnn, &settings);
	if (status) {
		rnn->own = own;
		return status;
	}
	rnn->set = true;
	rnn->plan = 0;
	return 0;
}

cudnnStatus_t gw_via_rnn_get(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t, int *, int *,
			     cudnnDropoutDescriptor_t *, cudnnRNNInputMode_t *, cudnnDirectionMode_t *, cudnnRNNMode_t *,
			     cudnnRNNAlgo_t *, cudnnDataType_t *), cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
			     int *hiddenSize, int *numLayers, cudnnDropoutDescriptor_t *dropoutDesc,
			     cudnnRNNInputMode_t *inputMode, cudnnDirectionMode_t *direction, cudnnRNNMode_t *cellMode,
			     cudnnRNNAlgo_t *algo, cudnnDataType_t *mathPrec)
{
	const struct gw_rnn_settings *s;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, hiddenSize, numLayers, dropoutDesc, inputMode, direction, cellMode, algo,
	      mathPrec);
	if (!handle || !hiddenSize || !numLayers || !dropoutDesc || !inputMode || !direction || !cellMode || !algo || !mathPrec)
		return wrong(call);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	s = &rnn->settings;
	*hiddenSize = s->hidden;
	*numLayers = s->layers;
	*dropoutDesc = s->dropout;
	*inputMode = s->input_mode;
	*direction = s->direction;
	*cellMode = s->cell;
	*algo = s->algo;
	*mathPrec = s->precision;
	return 0;
}

cudnnStatus_t gw_via_rnn_set_math(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnMathType_t),
				  cudnnRNNDescriptor_t rnnDesc, cudnnMathType_t mType)
{
	struct gw_rnn_settings settings;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, mType);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	settings = rnn->settings;
	settings.math = mType;
	return change(call, rnnDesc, rnn, &settings);
}

cudnnStatus_t gw_via_rnn_get_math(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnMathType_t *),
				  cudnnRNNDescriptor_t rnnDesc, cudnnMathType_t *mType)
{
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, mType);
	status = entry(call, rnnDesc, &rnn);
	if (!status && !mType)
		status = wrong(call);
	if (!status)
		*mType = rnn->settings.math;
	return status;
}

cudnnStatus_t gw_via_rnn_set_bias(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnRNNBiasMode_t),
				  cudnnRNNDescriptor_t rnnDesc, cudnnRNNBiasMode_t biasMode)
{
	struct gw_rnn_settings settings;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, biasMode);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	settings = rnn->settings;
	settings.bias = biasMode;
	return change(call, rnnDesc, rnn, &settings);
}

cudnnStatus_t gw_via_rnn_get_bias(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnRNNBiasMode_t *),
				  cudnnRNNDescriptor_t rnnDesc, cudnnRNNBiasMode_t *biasMode)
{
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, biasMode);
	status = entry(call, rnnDesc, &rnn);
	if (!status && !biasMode)
		status = wrong(call);
	if (!status)
		*biasMode = rnn->settings.bias;
	return status;
}

cudnnStatus_t gw_via_rnn_set_padding(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, unsigned int),
				     cudnnRNNDescriptor_t rnnDesc, unsigned int paddingMode)
{
	struct gw_rnn_settings settings;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, paddingMode);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	settings = rnn->settings;
	settings.padding = paddingMode;
	return change(call, rnnDesc, rnn, &settings);
}

cudnnStatus_t gw_via_rnn_get_padding(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, unsigned int *),
				     cudnnRNNDescriptor_t rnnDesc, unsigned int *paddingMode)
{
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, paddingMode);
	status = entry(call, rnnDesc, &rnn);
	if (!status && !paddingMode)
		status = wrong(call);
	if (!status)
		*paddingMode = rnn->settings.padding;
	return status;
}

/* As 8.9.7 checks it; an output projection was never computed. */
cudnnStatus_t gw_via_rnn_set_projection(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t,
					const int, const int), cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
					const int recProjSize, const int outProjSize)
{
	struct gw_rnn_settings settings;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, recProjSize, outProjSize);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	settings = rnn->settings;
	if (!handle || recProjSize < 1 || outProjSize < 0)
		return wrong(call);
	if (recProjSize > settings.hidden || outProjSize > settings.hidden)
		return gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
	if (recProjSize < settings.hidden &&
	    (settings.cell != GW_VALUE_CUDNN_LSTM || settings.algo != GW_VALUE_CUDNN_RNN_ALGO_STANDARD))
		return gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
	settings.projection = recProjSize;
	return change(call, rnnDesc, rnn, &settings);
}

cudnnStatus_t gw_via_rnn_get_projection(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, const cudnnRNNDescriptor_t,
					int *, int *), cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
					int *recProjSize, int *outProjSize)
{
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, recProjSize, outProjSize);
	status = entry(call, rnnDesc, &rnn);
	if (!status && (!handle || !recProjSize || !outProjSize))
		status = wrong(call);
	if (!status) {
		*recProjSize = rnn->settings.projection;
		*outProjSize = 0;
	}
	return status;
}

cudnnStatus_t gw_via_rnn_set_clip(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t,
				  cudnnRNNClipMode_t, cudnnNanPropagation_t, double, double), cudnnHandle_t handle,
				  cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t clipMode, cudnnNanPropagation_t clipNanOpt,
				  double lclip, double rclip)
{
	struct gw_rnn_settings settings;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, clipMode, clipNanOpt, lclip, rclip);
	status = entry(call, rnnDesc, &rnn);
	if (status)
		return status;
	settings = rnn->settings;
	keep_clip(&settings, clipMode, clipNanOpt, lclip, rclip);
	return change(call, rnnDesc, rnn, &settings);
}

cudnnStatus_t gw_via_rnn_get_clip(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t,
				  cudnnRNNClipMode_t *, cudnnNanPropagation_t *, double *, double *), cudnnHandle_t handle,
				  cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t *clipMode, cudnnNanPropagation_t *clipNanOpt,
				  double *lclip, double *rclip)
{
	const struct gw_rnn_settings *s;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, clipMode, clipNanOpt, lclip, rclip);
	status = entry(call, rnnDesc, &rnn);
	if (!status && (!handle || !clipMode || !clipNanOpt || !lclip || !rclip))
		status = wrong(call);
	if (status)
		return status;
	s = &rnn->settings;
	*clipMode = s->clip;
	*clipNanOpt = s->clip_nan;
	*lclip = s->low;
	*rclip = s->high;
	return 0;
}

cudnnStatus_t gw_via_rnn_set_algorithm(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnRNNDescriptor_t,
				       cudnnAlgorithmDescriptor_t), cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
				       cudnnAlgorithmDescriptor_t algoDesc)
{
	struct gw_cell *cell;
	struct gw_rnn_settings settings;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(handle, rnnDesc, algoDesc);
	cell = gw_cell_of(algoDesc, GW_CELL_ALGORITHM);
	status = entry(call, rnnDesc, &rnn);
	if (!status && (!handle || !cell))
		status = wrong(call);
	if (status)
		return status;
	settings = rnn->settings;
	settings.algo = cell->number;
	return change(call, rnnDesc, rnn, &settings);
}

/* Persistent plans: the library makes them itself (rnn_kit.c), once it has been told the batch size. */

cudnnStatus_t gw_via_rnn_plan_create(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, const int,
				     const cudnnDataType_t, cudnnPersistentRNNPlan_t *), cudnnRNNDescriptor_t rnnDesc,
				     const int minibatch, const cudnnDataType_t dataType, cudnnPersistentRNNPlan_t *plan)
{
	struct gw_cell *cell;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, minibatch, dataType, plan);
	(void)dataType;
	status = entry(call, rnnDesc, &rnn);
	if (!status && (minibatch < 1 || !plan))
		status = wrong(call);
	if (status)
		return status;
	cell = gw_cell_make(GW_CELL_PLAN);
	if (!cell)
		return gw_rnn_refuse(call, "it keeps no more than 16384 objects at a time");
	cell->number = minibatch;
	*plan = (cudnnPersistentRNNPlan_t)(void *)cell;
	return 0;
}

cudnnStatus_t gw_via_rnn_plan_destroy(struct gw_call *call, cudnnStatus_t (*real)(cudnnPersistentRNNPlan_t),
				      cudnnPersistentRNNPlan_t plan)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(plan);
	cell = gw_cell_of(plan, GW_CELL_PLAN);
	if (cell)
		gw_cell_free(cell);
	return cell || !plan ? 0 : wrong(call);
}

cudnnStatus_t gw_via_rnn_plan_set(struct gw_call *call, cudnnStatus_t (*real)(cudnnRNNDescriptor_t, cudnnPersistentRNNPlan_t),
				  cudnnRNNDescriptor_t rnnDesc, cudnnPersistentRNNPlan_t plan)
{
	struct gw_cell *cell;
	struct gw_rnn *rnn;
	cudnnStatus_t status;

	if (!gw_rnn_answers(call))
		return real(rnnDesc, plan);
	cell = gw_cell_of(plan, GW_CELL_PLAN);
	status = entry(call, rnnDesc, &rnn);
	if (!status && !cell)
		status = wrong(call);
	if (!status)
		rnn->plan = cell->number;
	return status;
}
