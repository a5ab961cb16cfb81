/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Version questions asked through a facade are answered as the newest release of the facade's own soname would: programs check that
 * what they run on is what they were built for. Called by the generated wrappers where caller and loaded release differ.
 */
#include <stdbool.h>
#include <stddef.h>

#include "binding.h"
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_via.h"

/* What every family's status calls success: the one value that no release ever gave another meaning. */
#define SUCCESS 0

/* libraryPropertyType counts 0 major, 1 minor, 2 patch; what is none of these is the library's to refuse. */
static bool property(struct gw_call *call, int type, int *value)
{
	const struct gw_release *release = call->binding->version_release;

	if (!release || !value || type < 0 || type > 2)
		return false;
	*value = release->part[type];
	call->absent = 0;	/* answered, whether the loaded release has the function or not */
	return true;
}

cublasStatus_t gw_via_cublas_get_property(struct gw_call *call, cublasStatus_t (*real)(libraryPropertyType, int *),
					  libraryPropertyType type, int *value)
{
	return property(call, (int)type, value) ? SUCCESS : real(type, value);
}

cublasStatus_t gw_via_lt_get_property(struct gw_call *call, cublasStatus_t (*real)(libraryPropertyType, int *),
				      libraryPropertyType type, int *value)
{
	return property(call, (int)type, value) ? SUCCESS : real(type, value);
}

cudnnStatus_t gw_via_cudnn_get_property(struct gw_call *call, cudnnStatus_t (*real)(libraryPropertyType, int *),
					libraryPropertyType type, int *value)
{
	return property(call, (int)type, value) ? SUCCESS : real(type, value);
}

/* The library checks handle and pointer as it always does; only its number is replaced. */
cublasStatus_t gw_via_cublas_get_version(struct gw_call *call, cublasStatus_t (*real)(cublasHandle_t, int *),
					 cublasHandle_t handle, int *version)
{
	cublasStatus_t status = real(handle, version);

	if (status == SUCCESS && version && call->binding->version_release)
		*version = (int)call->binding->version_release->number;
	return status;
}

size_t gw_via_lt_get_version(struct gw_call *call, size_t (*real)(void))
{
	return call->binding->version_release ? call->binding->version_release->number : real();
}

size_t gw_via_cudnn_get_version(struct gw_call *call, size_t (*real)(void))
{
	return call->binding->version_release ? call->binding->version_release->number : real();
}

/* 8.x asks whether its parts are of one release. Behind a facade they are all the same library; real parts know themselves. */
cudnnStatus_t gw_via_cudnn_version_check(struct gw_call *call, cudnnStatus_t (*real)(void))
{
	if (!call->absent && !call->binding->facade)
		return real();
	call->absent = 0;	/* answered, and success is success in every numbering */
	return SUCCESS;
}
