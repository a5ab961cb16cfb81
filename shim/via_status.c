/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuDNN's statuses where they are neither results nor in arrays: their names, and what its callback is told. Called by the generated
 * wrappers where caller and loaded release differ.
 */
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "binding.h"
#include "call.h"
#include "gw_types.h"
#include "gw_via.h"

/* Callbacks that are remembered. A library has one at a time; an older one is needed only while a call of it still runs. */
#define RECORDS 64u

struct record {
	_Atomic(const struct gw_binding *) binding;	/* NULL: free */
	_Atomic(cudnnCallback_t) function;
	_Atomic(void *) data;
};

static struct record records[RECORDS];
static _Atomic uint32_t taken;

/*
 * A status is named as the caller's release names it: the loaded one knows some by other names, and others that the caller's release
 * does not know. What neither knows all releases call the same.
 */
const char *gw_via_cudnn_get_error_string(struct gw_call *call, const char *(*real)(cudnnStatus_t), cudnnStatus_t status)
{
	const struct gw_numbering *numbering = call->binding->caller_numbering;
	const struct gw_constant *constant;

	/* Within one soname names stay, and where a number has two of them the library knows which it says. */
	if (!call->binding->translate || !call->binding->facade)
		return real(status);
	constant = gw_constant_find(numbering->constants, numbering->count, status);
	return constant ? gw_string(constant->name) : real(INT_MIN);
}

/* The library calls this in the caller's stead: with the status and the version that the caller's release would tell. */
static void deliver(cudnnSeverity_t severity, void *data, const cudnnDebug_t *debug, const char *message)
{
	struct record *record = data;
	const struct gw_binding *binding = atomic_load_explicit(&record->binding, memory_order_acquire);
	struct gw_call call = {.binding = binding};
	_Alignas(max_align_t) char copy[GW_SIZE_cudnnDebug_t];
	uint32_t version = binding->version_release->number;

	if (debug) {
		memcpy(copy, debug, sizeof(copy));
		memcpy(copy + GW_OFFSET_cudnnDebug_t_cudnn_version, &version, sizeof(version));
		gw_carried_out(&call, copy, 1, 1, sizeof(copy), GW_OFFSET_cudnnDebug_t_cudnnStatus);
		debug = (const cudnnDebug_t *)(const void *)copy;
	}
	atomic_load(&record->function)(severity, atomic_load(&record->data), debug, message);
}

static struct record *remember(const struct gw_binding *binding, cudnnCallback_t function, void *data)
{
	struct record *record;
	uint32_t i;

	for (i = 0; i < RECORDS; i++)
		if (atomic_load_explicit(&records[i].binding, memory_order_acquire) == binding &&
		    atomic_load(&records[i].function) == function && atomic_load(&records[i].data) == data)
			return &records[i];
	record = &records[atomic_fetch_add(&taken, 1) % RECORDS];
	atomic_store(&record->function, function);
	atomic_store(&record->data, data);
	atomic_store_explicit(&record->binding, binding, memory_order_release);
	return record;
}

cudnnStatus_t gw_via_cudnn_set_callback(struct gw_call *call, cudnnStatus_t (*real)(unsigned int, void *, cudnnCallback_t),
					unsigned int mask, void *data, cudnnCallback_t function)
{
	/* A callback that is none, or one of ours that somebody saved and puts back. */
	if (!function || function == deliver || !call->binding->translate || !call->binding->facade)
		return real(mask, data, function);
	return real(mask, remember(call->binding, function, data), deliver);
}

/* The caller is shown what it set. */
cudnnStatus_t gw_via_cudnn_get_callback(struct gw_call *call, cudnnStatus_t (*real)(unsigned int *, void **, cudnnCallback_t *),
					unsigned int *mask, void **data, cudnnCallback_t *function)
{
	cudnnStatus_t status = real(mask, data, function);

	(void)call;
	/* Nothing is asked a second time: each call is itself told to the callback. cuDNN takes no NULL here. */
	if (!status && data && function && *function == deliver) {
		const struct record *record = *data;

		*function = atomic_load(&record->function);
		*data = atomic_load(&record->data);
	}
	return status;
}
