/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for libcudart: its device's memory is the host's. */
#include "fault.h"

EXPORT int cudaRuntimeGetVersion(int *version)
{
	*version = 12090;
	return 0;
}

EXPORT int cudaDriverGetVersion(int *version)
{
	*version = 13010;
	return 0;
}

EXPORT int cudaGetDeviceCount(int *count)
{
	*count = 1;
	return has_fault("cudart", "fail") ? 35 : 0;
}

EXPORT const char *cudaGetErrorName(int status)
{
	return status == 35 ? "cudaErrorInsufficientDriver" : "cudaErrorUnknown";
}

EXPORT const char *cudaGetErrorString(int status)
{
	return status == 35 ? "CUDA driver version is insufficient for CUDA runtime version" : "unknown error";
}

EXPORT int cudaMalloc(void **at, size_t size)
{
	*at = malloc(size);
	return *at ? 0 : 2;
}

EXPORT int cudaMemcpy(void *to, const void *from, size_t size, int kind)
{
	memcpy(to, from, size);
	return kind == 1 || kind == 2 ? 0 : 21;
}

EXPORT int cudaFree(void *at)
{
	free(at);
	return 0;
}
