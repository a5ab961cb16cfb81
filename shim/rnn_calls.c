/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_calls.h. */
#include "rnn_calls.h"

#include <errno.h>
#include <string.h>

#include "binding.h"
#include "finding.h"
#include "line.h"

static void *target(const struct gw_call *call, uint32_t fn)
{
	/* A binding is shared and never freed; looking up fills its cache alone. */
	return gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, fn);
}

bool gw_rnn_answers(struct gw_call *call)
{
	if (!call->absent || !call->binding->loaded)
		return false;
	call->absent = 0;
	return true;
}

bool gw_rnn_carried(const struct gw_call *call)
{
	/* Who needs the library's own soname, and no facade, cannot call what no release of that soname has; asking would go through all libraries. */
	return call->binding->loaded && call->binding->facade && !target(call, GW_FN_cudnnSetRNNDescriptor_v6);
}

bool gw_rnn_calls_find(const struct gw_call *call, struct gw_rnn_calls *calls)
{
	calls->create = (gw_create_rnn_fn *)target(call, GW_FN_cudnnCreateRNNDescriptor);
	calls->destroy = (gw_destroy_rnn_fn *)target(call, GW_FN_cudnnDestroyRNNDescriptor);
	calls->set = (gw_set_rnn_fn *)target(call, GW_FN_cudnnSetRNNDescriptor_v8);
	calls->set_clip = (gw_set_clip_fn *)target(call, GW_FN_cudnnRNNSetClip_v8);
	calls->build = (gw_build_rnn_fn *)target(call, GW_FN_cudnnBuildRNNDynamic);
	calls->create_data = (gw_create_data_fn *)target(call, GW_FN_cudnnCreateRNNDataDescriptor);
	calls->destroy_data = (gw_destroy_data_fn *)target(call, GW_FN_cudnnDestroyRNNDataDescriptor);
	calls->set_data = (gw_set_data_fn *)target(call, GW_FN_cudnnSetRNNDataDescriptor);
	calls->get_data = (gw_get_data_fn *)target(call, GW_FN_cudnnGetRNNDataDescriptor);
	calls->create_tensor = (gw_create_tensor_fn *)target(call, GW_FN_cudnnCreateTensorDescriptor);
	calls->destroy_tensor = (gw_destroy_tensor_fn *)target(call, GW_FN_cudnnDestroyTensorDescriptor);
	calls->get_tensor = (gw_get_tensor_fn *)target(call, GW_FN_cudnnGetTensorNdDescriptor);
	calls->size_tensor = (gw_size_tensor_fn *)target(call, GW_FN_cudnnGetTensorSizeInBytes);
	calls->get_filter = (gw_get_filter_fn *)target(call, GW_FN_cudnnGetFilterNdDescriptor);
	calls->set_filter = (gw_set_filter_fn *)target(call, GW_FN_cudnnSetFilterNdDescriptor);
	calls->size_filter = (gw_size_filter_fn *)target(call, GW_FN_cudnnGetFilterSizeInBytes);
	calls->weights_size = (gw_weights_size_fn *)target(call, GW_FN_cudnnGetRNNWeightSpaceSize);
	calls->weights_at = (gw_weights_at_fn *)target(call, GW_FN_cudnnGetRNNWeightParams);
	calls->temp_sizes = (gw_temp_sizes_fn *)target(call, GW_FN_cudnnGetRNNTempSpaceSizes);
	calls->forward = (gw_forward_fn *)target(call, GW_FN_cudnnRNNForward);
	calls->backward_data = (gw_backward_data_fn *)target(call, GW_FN_cudnnRNNBackwardData_v8);
	calls->backward_weights = (gw_backward_weights_fn *)target(call, GW_FN_cudnnRNNBackwardWeights_v8);
	if (calls->create && calls->destroy && calls->set && calls->set_clip && calls->build && calls->create_data && calls->destroy_data &&
	    calls->set_data && calls->get_data && calls->create_tensor && calls->destroy_tensor && calls->get_tensor && calls->size_tensor &&
	    calls->get_filter && calls->set_filter && calls->size_filter && calls->weights_size && calls->weights_at && calls->temp_sizes &&
	    calls->forward && calls->backward_data && calls->backward_weights)
		return true;
	gw_rnn_refuse(call, "the library lacks the interface that replaced it");
	return false;
}

static const char *const names[] = {
	[GW_RNN_BAD_PARAM] = "CUDNN_STATUS_BAD_PARAM",
	[GW_RNN_NOT_SUPPORTED] = "CUDNN_STATUS_NOT_SUPPORTED",
	[GW_RNN_INVALID_VALUE] = "CUDNN_STATUS_INVALID_VALUE",
	[GW_RNN_INTERNAL_ERROR] = "CUDNN_STATUS_INTERNAL_ERROR",
};

cudnnStatus_t gw_rnn_status(const struct gw_call *call, enum gw_rnn_status status)
{
	const struct gw_binding *b = call->binding;
	/* The caller's numbering has these names; its own number comes back the same, whatever 9 calls it. */
	const struct gw_numbering *numbering = b->caller_numbering ? b->caller_numbering : b->loaded_numbering;
	uint32_t i;

	for (i = 0; numbering && i < numbering->count; i++)
		if (!strcmp(gw_string(numbering->constants[i].name), names[status]))
			return gw_status_in(call, numbering->constants[i].value);
	return gw_status_in(call, b->refuse);
}

cudnnStatus_t gw_rnn_refuse(const struct gw_call *call, const char *why)
{
	char text[512];
	struct gw_line line;
	int error = errno;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(call->fn));
	gw_line_text(&line, " was told 'not supported' by gangway: ");
	gw_line_text(&line, why);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_RNN, gw_function_name(call->fn), text, NULL);
	errno = error;
	return gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
}
