/* SPDX-License-Identifier: Apache-2.0 */
/* cublasLt: handle, versions, names of statuses, the heuristics cache's capacity, logging switches. */
#include "lt_problem.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "handle.h"

struct lt_handle {
	struct fake_head head;
	uint64_t owner;		/* 0: where a cublas handle, which cublasLt accepts as well, says whose it is */
};

cublasStatus_t fake_cublasLtCreate(cublasLtHandle_t *out)
{
	struct lt_handle *handle;

	if (!out)
		return CUBLAS_STATUS_INVALID_VALUE;
	handle = calloc(1, sizeof *handle);
	if (!handle)
		return CUBLAS_STATUS_ALLOC_FAILED;
	fake_head_init(&handle->head, FAKE_RELEASE_HASH, LT_KIND_HANDLE);
	*out = (cublasLtHandle_t)handle;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtDestroy(cublasLtHandle_t handle)
{
	if (!fake_head_is(handle, FAKE_RELEASE_HASH, LT_KIND_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	fake_head_kill(handle);
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

size_t fake_cublasLtGetVersion(void)
{
	return CUBLAS_VERSION;
}

/* There is no CUDA runtime behind a fake: the release's major number stands in, encoded as the runtime encodes it. */
size_t fake_cublasLtGetCudartVersion(void)
{
	return CUBLAS_VER_MAJOR * 1000;
}

cublasStatus_t fake_cublasLtGetProperty(libraryPropertyType type, int *value)
{
	if (!value)
		return CUBLAS_STATUS_INVALID_VALUE;
	switch (type) {
	case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; return CUBLAS_STATUS_SUCCESS;
	case MINOR_VERSION: *value = CUBLAS_VER_MINOR; return CUBLAS_STATUS_SUCCESS;
	case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; return CUBLAS_STATUS_SUCCESS;
	default: return CUBLAS_STATUS_INVALID_VALUE;
	}
}

const char *fake_cublasLtGetStatusName(cublasStatus_t status)
{
	return fake_status_name_cublas(status);
}

const char *fake_cublasLtGetStatusString(cublasStatus_t status)
{
	return fake_status_name_cublas(status);
}

#ifdef fake_cublasLtHeuristicsCacheGetCapacity
static _Atomic size_t capacity = 8192;

cublasStatus_t fake_cublasLtHeuristicsCacheGetCapacity(size_t *out)
{
	if (!out)
		return CUBLAS_STATUS_INVALID_VALUE;
	*out = atomic_load(&capacity);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtHeuristicsCacheSetCapacity(size_t value)
{
	atomic_store(&capacity, value);
	return CUBLAS_STATUS_SUCCESS;
}
#endif

#ifdef fake_cublasLtDisableCpuInstructionsSetMask
static _Atomic unsigned cpu_mask;

unsigned fake_cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
	return atomic_exchange(&cpu_mask, mask);
}
#endif

/* The fakes write no log of their own; switching one on is fine, as on the real libraries. */
cublasStatus_t fake_cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback)
{
	(void)callback;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtLoggerSetLevel(int level)
{
	(void)level;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtLoggerSetMask(int mask)
{
	(void)mask;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtLoggerForceDisable(void)
{
	return CUBLAS_STATUS_SUCCESS;
}
