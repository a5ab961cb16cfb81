/* SPDX-License-Identifier: Apache-2.0 */
/* GPU 0 and its memory, through the driver (step.h): functions as cuda.h has had them since CUDA 4. */
#include "step.h"

#include <dlfcn.h>

#include "tools/verify/facts.h"

typedef unsigned long long device_pointer; /* CUdeviceptr */

static void *driver;
static int capability;

void *gw_driver(void)
{
	return driver;
}

/* The driver's own words. */
static _Noreturn void refused(enum gw_outcome outcome, const char *before, int status, const char *call)
{
	const char *name = NULL, *text = NULL;
	int (*name_of)(int, const char **) = (int (*)(int, const char **))gw_function_if_there(driver, "cuGetErrorName");
	int (*text_of)(int, const char **) = (int (*)(int, const char **))gw_function_if_there(driver, "cuGetErrorString");

	if (name_of)
		name_of(status, &name);
	if (text_of)
		text_of(status, &text);
	gw_end(outcome, "%s%s answered %d, %s: %s", before, call, status, name ? name : "an error", text ? text : "without words");
}

void gw_driver_must(int status, const char *call)
{
	if (status != GW_VALUE_CUDA_SUCCESS)
		refused(status == GW_VALUE_CUDA_ERROR_NO_DEVICE ? GW_NO_DEVICE : GW_FAILED, "", status, call);
}

/* The first calls: where they fail, there is nothing to compute on, whatever else is right. */
static void first_must(int status, const char *call)
{
	if (status != GW_VALUE_CUDA_SUCCESS)
		refused(GW_NO_DEVICE, "no CUDA device: ", status, call);
}

void gw_device_open(void)
{
	int (*init)(unsigned), (*retain)(void **, int), (*current)(void *), (*count)(int *), (*attribute)(int *, int, int);
	int devices = 0, major = 0, minor = 0;
	void *context = NULL;

	if (driver)
		return;
	driver = gw_library_if_there("driver");
	if (!driver) {
		const char *why = dlerror();

		gw_end(GW_NO_DEVICE, "no CUDA driver: %s", why ? why : "no file of it was named");
	}
	init = (int (*)(unsigned))gw_function(driver, "cuInit");
	first_must(init(0), "cuInit");
	count = (int (*)(int *))gw_function(driver, "cuDeviceGetCount");
	first_must(count(&devices), "cuDeviceGetCount");
	if (!devices)
		gw_end(GW_NO_DEVICE, "no CUDA device: cuDeviceGetCount counts none");
	attribute = (int (*)(int *, int, int))gw_function(driver, "cuDeviceGetAttribute");
	gw_driver_must(attribute(&major, GW_VALUE_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), "cuDeviceGetAttribute");
	gw_driver_must(attribute(&minor, GW_VALUE_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), "cuDeviceGetAttribute");
	capability = 10 * major + minor;
	retain = (int (*)(void **, int))gw_function(driver, "cuDevicePrimaryCtxRetain");
	gw_driver_must(retain(&context, 0), "cuDevicePrimaryCtxRetain");
	current = (int (*)(void *))gw_function(driver, "cuCtxSetCurrent");
	gw_driver_must(current(context), "cuCtxSetCurrent");
}

int gw_device_capability(void)
{
	return capability;
}

void *gw_device_room(size_t size)
{
	int (*alloc)(device_pointer *, size_t) = (int (*)(device_pointer *, size_t))gw_function(driver, "cuMemAlloc_v2");
	device_pointer at = 0;

	gw_driver_must(alloc(&at, size ? size : 1), "cuMemAlloc");
	return (void *)(uintptr_t)at;
}

void *gw_device_put(const void *data, size_t size)
{
	void *at = gw_device_room(size);
	int (*put)(device_pointer, const void *, size_t) = (int (*)(device_pointer, const void *, size_t))gw_function(driver, "cuMemcpyHtoD_v2");

	gw_driver_must(put((uintptr_t)at, data, size), "cuMemcpyHtoD");
	return at;
}

void gw_device_get(void *data, const void *device, size_t size)
{
	int (*wait)(void) = (int (*)(void))gw_function(driver, "cuCtxSynchronize");
	int (*get)(void *, device_pointer, size_t);

	gw_driver_must(wait(), "cuCtxSynchronize, behind what was started,");
	get = (int (*)(void *, device_pointer, size_t))gw_function(driver, "cuMemcpyDtoH_v2");
	gw_driver_must(get(data, (uintptr_t)device, size), "cuMemcpyDtoH");
}
