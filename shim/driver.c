/* SPDX-License-Identifier: Apache-2.0 */
/* See driver.h. */
#include "driver.h"

#include <stdatomic.h>

#include "gw_values.h"
#include "image.h"
#include "objects.h"

#define PLACE(name) offsetof(struct gw_driver, name), #name

static const struct {
	size_t place;
	const char *name;
	int optional;
} functions[] = {
	{ PLACE(cuCtxGetCurrent) }, { PLACE(cuCtxGetDevice) }, { PLACE(cuDeviceGetAttribute) }, { PLACE(cuModuleLoadData) },
	{ PLACE(cuModuleUnload) }, { PLACE(cuModuleGetFunction) }, { PLACE(cuLaunchKernel) }, { PLACE(cuMemAlloc_v2) }, { PLACE(cuMemFree_v2) },
	{ PLACE(cuMemGetInfo_v2) }, { PLACE(cuEventCreate) }, { PLACE(cuEventDestroy_v2) }, { PLACE(cuEventRecord) }, { PLACE(cuEventQuery) },
	{ PLACE(cuEventSynchronize) }, { PLACE(cuCtxPushCurrent_v2) }, { PLACE(cuCtxPopCurrent_v2) },
	{ PLACE(cuStreamIsCapturing) }, { PLACE(cuThreadExchangeStreamCaptureMode) }, { PLACE(cuStreamGetCaptureInfo_v2), 1 },
	{ PLACE(cuUserObjectCreate), 1 }, { PLACE(cuUserObjectRelease), 1 }, { PLACE(cuGraphRetainUserObject), 1 }, { PLACE(cuStreamGetId), 1 },
	{ PLACE(cuCtxGetId), 1 },
};

/* Each thread that fills it in writes the same addresses: one aligned store each, published by `ready`. */
static struct gw_driver found;
static _Atomic int ready;

const struct gw_driver *gw_driver(void)
{
	struct gw_object *library;
	unsigned i;

	if (atomic_load_explicit(&ready, memory_order_acquire))
		return &found;
	library = gw_object_named("libcuda.so.1");
	if (!library)
		return NULL;
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = gw_image_function(&library->image, functions[i].name, NULL);

		if (!function && !functions[i].optional)
			return NULL;
		__atomic_store_n((void **)(void *)((char *)&found + functions[i].place), function, __ATOMIC_RELAXED);
	}
	atomic_store_explicit(&ready, 1, memory_order_release);
	return &found;
}

int gw_driver_architecture(const struct gw_driver *driver)
{
	int device, major, minor;

	if (driver->cuCtxGetDevice(&device) ||
	    driver->cuDeviceGetAttribute(&major, GW_VALUE_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
	    driver->cuDeviceGetAttribute(&minor, GW_VALUE_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
		return 0;
	return major * 10 + minor;
}

int gw_driver_relax(const struct gw_driver *driver)
{
	int mode = GW_VALUE_CU_STREAM_CAPTURE_MODE_RELAXED;

	return driver->cuThreadExchangeStreamCaptureMode(&mode) ? GW_VALUE_CU_STREAM_CAPTURE_MODE_RELAXED : mode;
}

void gw_driver_unrelax(const struct gw_driver *driver, int before)
{
	if (before != GW_VALUE_CU_STREAM_CAPTURE_MODE_RELAXED)
		driver->cuThreadExchangeStreamCaptureMode(&before);
}
