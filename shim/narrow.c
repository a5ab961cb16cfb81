/* SPDX-License-Identifier: Apache-2.0 */
/* See narrow.h. */
#include "narrow.h"

#include <errno.h>

#include "binding.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_values.h"
#include "line.h"
#include "release.h"

static void *target_of(const struct gw_call *call, uint32_t fn)
{
	return gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, fn);
}

void *gw_narrow_target(struct gw_call *call, uint32_t fn)
{
	void *target = call->absent && call->binding->loaded ? target_of(call, fn) : NULL;

	if (target)
		call->absent = 0;
	return target;
}

int32_t gw_narrow_refuse(struct gw_call *call, const char *parameter, int64_t value, int32_t status)
{
	char text[1024], remedy[256];
	struct gw_line line;
	int error = errno;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(call->fn));
	gw_line_text(&line, " was called with ");
	gw_line_text(&line, parameter);
	gw_line_text(&line, " = ");
	gw_line_signed(&line, value);
	gw_line_text(&line, ", and ");
	gw_line_text(&line, call->binding->path);
	gw_line_text(&line, " has this function for 32 bits alone; the program was told 'invalid value'");
	line.text[line.length] = 0;
	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_release_remedy(&line, GW_FINDING_TOO_WIDE, call->fn);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_TOO_WIDE, gw_function_name(call->fn), text, remedy);
	errno = error;
	return status;
}

int *gw_wide_begin(struct gw_wide *wide, struct gw_call *call, void *handle, int64_t *place)
{
	cublasStatus_t (*get)(cublasHandle_t, cublasPointerMode_t *) = target_of(call, GW_FN_cublasGetPointerMode_v2);
	cublasPointerMode_t mode = GW_VALUE_CUBLAS_POINTER_MODE_HOST;

	wide->place = place;
	wide->value = 0;
	wide->status = get ? get(handle, &mode) : GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	wide->device = mode == GW_VALUE_CUBLAS_POINTER_MODE_DEVICE;
	return !place ? NULL : wide->device ? (int *)(void *)place : &wide->value;
}

/*
 * Zeroes the 32 bits at PLACE in device memory, in HANDLE's stream. C = 0 A + 0 B is the way that cuBLAS documents of setting a matrix
 * to zero (cublasSgeam, in place); the factors are ours, so they lie in host memory.
 */
static cublasStatus_t zero(struct gw_call *call, cublasHandle_t handle, float *place)
{
	cublasStatus_t (*set)(cublasHandle_t, cublasPointerMode_t) = target_of(call, GW_FN_cublasSetPointerMode_v2);
	cublasStatus_t (*add)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const float *, const float *, int,
			      const float *, const float *, int, float *, int) = target_of(call, GW_FN_cublasSgeam);
	static const float none = 0;
	cublasStatus_t status, back;

	if (!set || !add)
		return GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	status = set(handle, GW_VALUE_CUBLAS_POINTER_MODE_HOST);
	if (status)
		return status;
	status = add(handle, GW_VALUE_CUBLAS_OP_N, GW_VALUE_CUBLAS_OP_N, 1, 1, &none, place, 1, &none, place, 1, place, 1);
	back = set(handle, GW_VALUE_CUBLAS_POINTER_MODE_DEVICE);
	return status ? status : back;
}

int32_t gw_wide_end(struct gw_wide *wide, struct gw_call *call, void *handle, int32_t status)
{
	if (status || !wide->place)
		return status;
	if (wide->status)
		return wide->status;
	if (wide->device)
		return zero(call, handle, (float *)(void *)wide->place + 1);
	*wide->place = wide->value;
	return status;
}
