/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for libcuda.so.1: one device whose memory is the host's. It can launch the one kernel that `gangway verify` makes. Faults of `cuda`: `none`
 * (no device), `spoilN` (copies of N bytes from the device come with another last byte), `slightN` (the same, in the first
 * byte's lowest bit), `coarseN` (copies of N bytes of floats come with as many bits as TF32 has), and those of fault.h in cuInit.
 */
#include <stdint.h>
#include <stdio.h>

#include "fault.h"

typedef unsigned long long device_pointer;

EXPORT int cuInit(unsigned flags)
{
	(void)flags;
	obey("cuda");
	return has_fault("cuda", "none") ? 100 : 0;
}

EXPORT int cuDriverGetVersion(int *version)
{
	*version = 13010;
	return 0;
}

EXPORT int cuGetErrorName(int status, const char **name)
{
	*name = status == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN";
	return 0;
}

EXPORT int cuGetErrorString(int status, const char **text)
{
	*text = status == 100 ? "no CUDA-capable device is detected" : "unknown error";
	return 0;
}

EXPORT int cuDeviceGetCount(int *count)
{
	*count = 1;
	return 0;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	const char *capability = getenv("FAKE_CAPABILITY");
	int number = capability ? atoi(capability) : 90;

	(void)device;
	*value = attribute == 75 ? number / 10 : attribute == 76 ? number % 10 : 0;
	return 0;
}

EXPORT int cuDeviceGetName(char *name, int size, int device)
{
	(void)device;
	snprintf(name, (size_t)size, "Fake \"GPU\"");
	return 0;
}

EXPORT int cuDeviceTotalMem_v2(size_t *size, int device)
{
	(void)device;
	*size = (size_t)1 << 30;
	return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
	(void)device;
	*context = context;
	return 0;
}

EXPORT int cuCtxSetCurrent(void *context)
{
	(void)context;
	return 0;
}

EXPORT int cuCtxSynchronize(void)
{
	return 0;
}

EXPORT int cuMemAlloc_v2(device_pointer *at, size_t size)
{
	*at = (uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256);
	return *at ? 0 : 2;
}

EXPORT int cuMemcpyHtoD_v2(device_pointer to, const void *from, size_t size)
{
	memcpy((void *)(uintptr_t)to, from, size);
	return 0;
}

EXPORT int cuMemcpyDtoH_v2(void *to, device_pointer from, size_t size)
{
	char spoil[32], slight[32], coarse[32];

	memcpy(to, (const void *)(uintptr_t)from, size);
	snprintf(spoil, sizeof spoil, "spoil%zu", size);
	snprintf(slight, sizeof slight, "slight%zu", size);
	snprintf(coarse, sizeof coarse, "coarse%zu", size);
	for (size_t i = 0; has_fault("cuda", coarse) && i < size / 4; i++)
		((uint32_t *)to)[i] &= 0xffffe000;
	if (has_fault("cuda", spoil))
		((unsigned char *)to)[size - 1] ^= 0x44;
	if (has_fault("cuda", slight))
		((unsigned char *)to)[0] ^= 1;
	return 0;
}

EXPORT int cuModuleLoadData(void **module, const void *code)
{
	*module = (void *)(uintptr_t)code;
	return strstr(code, "gangway_verify") ? 0 : 200;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
	*function = module;
	return strcmp(name, "gangway_verify") ? 500 : 0;
}

EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
			  void **arguments, void **extra)
{
	const float *x = *(const float **)arguments[0], factor = *(const float *)arguments[2];
	float *y = *(float **)arguments[1];
	int count = *(const int *)arguments[3];

	(void)function, (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
	for (unsigned i = 0; i < gx * bx; i++)
		if ((int)i < count)
			y[i] = factor * x[i] + 1;
	return 0;
}
