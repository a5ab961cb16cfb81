/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of a cuBLAS handle for the emulation of floating point, where the loaded release has none: what is asked for has the value
 * that it has by default, and may be set to that. Another value is refused (GW-319), as the library would not obey it. So nothing
 * needs to be remembered.
 */
#include <stddef.h>

#include "binding.h"
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_values.h"
#include "gw_via.h"
#include "refuse.h"

/* The loaded library's word on whether HANDLE is one. */
static cublasStatus_t alive(struct gw_call *call, cublasHandle_t handle)
{
	cublasStatus_t (*ask)(cublasHandle_t, cublasPointerMode_t *) =
		gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, GW_FN_cublasGetPointerMode_v2);
	cublasPointerMode_t mode;

	return ask ? ask(handle, &mode) : call->binding->refuse;
}

static cublasStatus_t answer(struct gw_call *call, cublasHandle_t handle, int *place, int value)
{
	cublasStatus_t status = alive(call, handle);

	call->absent = 0;
	if (status)
		return status;
	if (!place)
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	*place = value;
	return status;
}

static cublasStatus_t accept(struct gw_call *call, cublasHandle_t handle, int asked, int value)
{
	cublasStatus_t status = alive(call, handle);

	call->absent = 0;
	return status || asked == value ? status : gw_refuse(call, "it emulates no floating point, so the default is all that can be set");
}

/* Is there a library, which lacks the function? Else it answers itself, or nobody does. */
static int lacks(const struct gw_call *call)
{
	return call->absent && call->binding->loaded;
}

cublasStatus_t gw_via_get_emulation_strategy(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, cublasEmulationStrategy_t *),
					     cublasHandle_t handle, cublasEmulationStrategy_t *strategy)
{
	return lacks(call) ? answer(call, handle, strategy, GW_VALUE_CUBLAS_EMULATION_STRATEGY_DEFAULT) : real(handle, strategy);
}

cublasStatus_t gw_via_set_emulation_strategy(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, cublasEmulationStrategy_t),
					     cublasHandle_t handle, cublasEmulationStrategy_t strategy)
{
	return lacks(call) ? accept(call, handle, strategy, GW_VALUE_CUBLAS_EMULATION_STRATEGY_DEFAULT) : real(handle, strategy);
}

cublasStatus_t gw_via_get_emulation_special(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, cudaEmulationSpecialValuesSupport *),
					    cublasHandle_t handle, cudaEmulationSpecialValuesSupport *mask)
{
	return lacks(call) ? answer(call, handle, mask, GW_VALUE_CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT) : real(handle, mask);
}

cublasStatus_t gw_via_set_emulation_special(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, cudaEmulationSpecialValuesSupport),
					    cublasHandle_t handle, cudaEmulationSpecialValuesSupport mask)
{
	return lacks(call) ? accept(call, handle, mask, GW_VALUE_CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT) : real(handle, mask);
}

cublasStatus_t gw_via_get_emulation_control(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, cudaEmulationMantissaControl *),
					    cublasHandle_t handle, cudaEmulationMantissaControl *control)
{
	return lacks(call) ? answer(call, handle, control, GW_VALUE_CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC) : real(handle, control);
}

cublasStatus_t gw_via_set_emulation_control(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, cudaEmulationMantissaControl),
					    cublasHandle_t handle, cudaEmulationMantissaControl control)
{
	return lacks(call) ? accept(call, handle, control, GW_VALUE_CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC) : real(handle, control);
}

/* The most bits of a mantissa, and what is added to their number: both 0 by default. */
cublasStatus_t gw_via_get_emulation_bits(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, int *), cublasHandle_t handle, int *bits)
{
	return lacks(call) ? answer(call, handle, bits, 0) : real(handle, bits);
}

cublasStatus_t gw_via_set_emulation_bits(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, int), cublasHandle_t handle, int bits)
{
	return lacks(call) ? accept(call, handle, bits, 0) : real(handle, bits);
}

/* Where the library would write how many bits it kept: nowhere, by default. */
cublasStatus_t gw_via_get_emulation_bit_count(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, int **), cublasHandle_t handle,
					      int **place)
{
	cublasStatus_t status;
	int none;

	if (!lacks(call))
		return real(handle, place);
	status = answer(call, handle, place ? &none : NULL, 0);
	if (!status)
		*place = NULL;
	return status;
}

cublasStatus_t gw_via_set_emulation_bit_count(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, int *), cublasHandle_t handle,
					      int *place)
{
	return lacks(call) ? accept(call, handle, place != NULL, 0) : real(handle, place);
}
