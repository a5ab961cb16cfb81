/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver, as far as a rescue needs it: functions of the libcuda.so.1 that the program has mapped, found in its symbol table.
 * None is ever loaded by us. Declared as cuda.h has them; a result of 0 is success.
 */
#ifndef GW_DRIVER_H
#define GW_DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct gw_driver {
	int (*cuCtxGetCurrent)(void **context);
	int (*cuCtxGetDevice)(int *device);
	int (*cuDeviceGetAttribute)(int *value, int attribute, int device);
	int (*cuModuleLoadData)(void **module, const void *image);
	int (*cuModuleUnload)(void *module);
	int (*cuModuleGetFunction)(void **function, void *module, const char *name);
	int (*cuLaunchKernel)(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *stream, void **parameters,
			      void **extra);
	int (*cuMemAlloc_v2)(uint64_t *at, size_t size);
	int (*cuMemFree_v2)(uint64_t at);
	int (*cuMemGetInfo_v2)(size_t *free, size_t *total);
	int (*cuEventCreate)(void **event, unsigned flags);
	int (*cuEventDestroy_v2)(void *event);
	int (*cuEventRecord)(void *event, void *stream);
	int (*cuEventQuery)(void *event);
	int (*cuEventSynchronize)(void *event);
	int (*cuCtxPushCurrent_v2)(void *context);
	int (*cuCtxPopCurrent_v2)(void **context);
	int (*cuStreamIsCapturing)(void *stream, int *status);
	int (*cuThreadExchangeStreamCaptureMode)(int *mode);
	/* What an older driver may lack: NULL then. */
	int (*cuStreamGetCaptureInfo_v2)(void *stream, int *status, uint64_t *id, void **graph, const void ***dependencies, size_t *count);
	int (*cuUserObjectCreate)(void **object, void *data, void (*destroy)(void *), unsigned references, unsigned flags);
	int (*cuUserObjectRelease)(void *object, unsigned count);
	int (*cuGraphRetainUserObject)(void *graph, void *object, unsigned count, unsigned flags);
	int (*cuStreamGetId)(void *stream, uint64_t *id);
	int (*cuCtxGetId)(void *context, uint64_t *id);
};

/* NULL while no libcuda.so.1 is mapped, or where it lacks a function that is needed. Any thread; a load once it is found. */
const struct gw_driver *gw_driver(void);

/* 90 for compute capability 9.0, of the current device; 0 where that cannot be told. */
int gw_driver_architecture(const struct gw_driver *driver) __attribute__((nonnull));

/*
 * Around what could invalidate a capture that another thread has begun: between the two, this thread's calls are none that the driver
 * refuses for that. The value goes from the one to the other.
 */
int gw_driver_relax(const struct gw_driver *driver) __attribute__((nonnull));
void gw_driver_unrelax(const struct gw_driver *driver, int before) __attribute__((nonnull));

#endif
