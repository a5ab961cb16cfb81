/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda.so.1 that computes on host memory, as the other fake libraries do, as far as a rescue uses the driver: a device pointer is a host
 * pointer, kernels are those of shim/kernels, compiled as C, and run at once. What a real driver would do to a capture is kept count of.
 *
 * The seam for tests: gwcuda_set(option, value), gwcuda_get(option), gwcuda_capture(stream, capture), gwcuda_drop_graph(capture).
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct index3 {
	unsigned x, y, z;
};

static __thread struct index3 threadIdx, blockIdx;

#include "shim/kernels/int8.cu"

#define API __attribute__((visibility("default")))

enum { SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONTEXT = 201, NOT_READY = 600, NOT_FOUND = 500, NOT_PERMITTED = 900, IMPLICIT = 906 };
enum { RELAXED = 2, STREAMS = 64 };

/* The options, by name. Those that count are read; those that steer are set. */
static const char *const names[] = {
	"fail_after",	/* so many allocations, module loads and launches may succeed yet; -1: all */
	"pending",	/* 1: events are not ready */
	"violations",	/* calls that would have ended a capture */
	"allocated",	/* blocks of memory that are not freed */
	"bytes",	/* that they hold */
	"launches",
	"loads",
	"memory",	/* of the device, bytes */
	"events",	/* not destroyed */
	"old",		/* 1: a driver without what came after CUDA 11.0 */
};
enum { FAIL_AFTER, PENDING, VIOLATIONS, ALLOCATED, BYTES, LAUNCHES, LOADS, MEMORY, EVENTS, OLD, OPTIONS };

static _Atomic long options[OPTIONS] = { [FAIL_AFTER] = -1, [MEMORY] = 1l << 36 };
static __thread int mode;	/* of capture: global at first */
static __thread void *pushed;

static struct capture {
	_Atomic(void *) stream;
	_Atomic uint64_t id;
} captures[STREAMS];
static _Atomic int capturing;

struct object {
	void *data;
	void (*destroy)(void *);
	_Atomic uint64_t graph;
	struct object *next;
};
static struct object *objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int option_named(const char *name)
{
	for (int i = 0; i < OPTIONS; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

API int gwcuda_set(const char *name, long value)
{
	int option = option_named(name);

	if (option >= 0)
		atomic_store(&options[option], value);
	return option < 0 ? -1 : 0;
}

API long gwcuda_get(const char *name)
{
	int option = option_named(name);

	return option < 0 ? -1 : atomic_load(&options[option]);
}

/* STREAM captures into the graph of that number; 0: it does no more. */
API void gwcuda_capture(void *stream, uint64_t id)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < STREAMS; i++) {
		if (captures[i].id && captures[i].stream == stream) {
			captures[i].id = 0;
			capturing--;
		}
	}
	for (int i = 0; id && i < STREAMS; i++)
		if (!captures[i].id) {
			captures[i].stream = stream;
			captures[i].id = id;
			capturing++;
			break;
		}
	pthread_mutex_unlock(&lock);
}

/* The graph and all that was made of it is gone. */
API void gwcuda_drop_graph(uint64_t id)
{
	struct object *gone = NULL;

	pthread_mutex_lock(&lock);
	for (struct object **at = &objects; *at;)
		if ((*at)->graph == id) {
			struct object *object = *at;

			*at = object->next;
			object->next = gone;
			gone = object;
		} else {
			at = &(*at)->next;
		}
	pthread_mutex_unlock(&lock);
	while (gone) {
		struct object *next = gone->next;

		gone->destroy(gone->data);
		free(gone);
		gone = next;
	}
}

static uint64_t capture_of(void *stream)
{
	for (int i = 0; i < STREAMS; i++)
		if (captures[i].id && captures[i].stream == stream)
			return captures[i].id;
	return 0;
}

/* What ends other threads' captures, unless this thread has said that it may. */
static int unsafe(void)
{
	if (!capturing || mode == RELAXED)
		return SUCCESS;
	options[VIOLATIONS]++;
	return NOT_PERMITTED;
}

static int fails(void)
{
	long left = atomic_load(&options[FAIL_AFTER]);

	while (left >= 0)
		if (!left)
			return 1;
		else if (atomic_compare_exchange_weak(&options[FAIL_AFTER], &left, left - 1))
			return 0;
	return 0;
}

static char the_context;

API int cuCtxGetCurrent(void **context)
{
	*context = pushed ? pushed : &the_context;
	return SUCCESS;
}

API int cuCtxPushCurrent_v2(void *context)
{
	pushed = context;
	return context ? SUCCESS : INVALID_CONTEXT;
}

API int cuCtxPopCurrent_v2(void **context)
{
	*context = pushed;
	pushed = NULL;
	return SUCCESS;
}

API int cuCtxGetId(void *context, unsigned long long *id)
{
	*id = context == &the_context ? 7 : 8;
	return SUCCESS;
}

API int cuCtxGetDevice(int *device)
{
	*device = 0;
	return SUCCESS;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	(void)device;
	*value = attribute == 75 ? 9 : 0;
	return SUCCESS;
}

API int cuModuleLoadData(void **module, const void *image)
{
	static char the_module;

	options[LOADS]++;
	if (unsafe())
		return NOT_PERMITTED;
	if (fails())
		return OUT_OF_MEMORY;
	*module = &the_module;
	return strstr(image, ".visible .entry gw_int8_gather(") && strstr(image, ".visible .entry gw_int8_finish(") ? SUCCESS : INVALID_VALUE;
}

API int cuModuleUnload(void *module)
{
	(void)module;
	return SUCCESS;
}

static char gather, finish;

API int cuModuleGetFunction(void **function, void *module, const char *name)
{
	(void)module;
	*function = !strcmp(name, "gw_int8_gather") ? &gather : !strcmp(name, "gw_int8_finish") ? &finish : NULL;
	return *function ? SUCCESS : NOT_FOUND;
}

API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
		       void **parameters, void **extra)
{
	struct gw_int8_gather g;
	struct gw_int8_finish f;

	(void)shared, (void)stream, (void)extra;
	options[LAUNCHES]++;
	if (fails())
		return OUT_OF_MEMORY;
	if (bx != GW_INT8_THREADS || by != 1 || bz != 1 || !gx || !gy || !gz || gx > 0x7fffffff || gy > 65535 || gz > 65535)
		return INVALID_VALUE;
	if (function == &gather)
		memcpy(&g, parameters[0], sizeof g);
	else
		memcpy(&f, parameters[0], sizeof f);
	for (blockIdx.z = 0; blockIdx.z < gz; blockIdx.z++)
		for (blockIdx.y = 0; blockIdx.y < gy; blockIdx.y++)
			for (blockIdx.x = 0; blockIdx.x < gx; blockIdx.x++)
				for (threadIdx.x = 0; threadIdx.x < bx; threadIdx.x++)
					if (function == &gather)
						gw_int8_gather(g);
					else
						gw_int8_finish(f);
	return SUCCESS;
}

/* The size lies before the block; what is new holds no zeros. */
API int cuMemAlloc_v2(uint64_t *at, size_t size)
{
	char *memory;

	if (unsafe())
		return NOT_PERMITTED;
	if (fails() || options[BYTES] + (long)size > options[MEMORY] || !(memory = aligned_alloc(256, (size + 511) / 256 * 256)))
		return OUT_OF_MEMORY;
	memcpy(memory, &size, sizeof size);
	memset(memory + 256, 0xa5, size);
	options[ALLOCATED]++;
	options[BYTES] += (long)size;
	*at = (uintptr_t)(memory + 256);
	return SUCCESS;
}

API int cuMemFree_v2(uint64_t at)
{
	char *memory = (char *)(uintptr_t)at - 256;
	size_t size;

	if (unsafe())
		return NOT_PERMITTED;
	memcpy(&size, memory, sizeof size);
	options[ALLOCATED]--;
	options[BYTES] -= (long)size;
	free(memory);
	return SUCCESS;
}

API int cuMemGetInfo_v2(size_t *rest, size_t *whole)
{
	*whole = (size_t)options[MEMORY];
	*rest = *whole - (size_t)options[BYTES];
	return SUCCESS;
}

API int cuEventCreate(void **event, unsigned flags)
{
	(void)flags;
	if (fails() || !(*event = malloc(1)))
		return OUT_OF_MEMORY;
	options[EVENTS]++;
	return SUCCESS;
}

API int cuEventDestroy_v2(void *event)
{
	free(event);
	options[EVENTS]--;
	return SUCCESS;
}

API int cuEventRecord(void *event, void *stream)
{
	(void)event;
	return capture_of(stream) ? NOT_PERMITTED : SUCCESS;
}

API int cuEventQuery(void *event)
{
	(void)event;
	return unsafe() ? NOT_PERMITTED : options[PENDING] ? NOT_READY : SUCCESS;
}

API int cuEventSynchronize(void *event)
{
	(void)event;
	return unsafe();
}

/* Work cannot be put into the legacy stream while another one captures. */
API int cuStreamIsCapturing(void *stream, int *status)
{
	if (!stream && capturing && !capture_of(stream))
		return IMPLICIT;
	*status = capture_of(stream) != 0;
	return SUCCESS;
}

API int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph, const void ***dependencies, size_t *count)
{
	(void)dependencies, (void)count;
	*id = capture_of(stream);
	*status = *id != 0;
	*graph = (void *)(uintptr_t)*id;
	return options[OLD] ? NOT_FOUND : SUCCESS;
}

API int cuThreadExchangeStreamCaptureMode(int *new_mode)
{
	int before = mode;

	mode = *new_mode;
	*new_mode = before;
	return SUCCESS;
}

API int cuStreamGetId(void *stream, unsigned long long *id)
{
	*id = (uintptr_t)stream + 1;
	return SUCCESS;
}

API int cuUserObjectCreate(void **object, void *data, void (*destroy)(void *), unsigned references, unsigned flags)
{
	struct object *made = calloc(1, sizeof *made);

	(void)flags;
	if (!made || references != 1 || options[OLD]) {
		free(made);
		return INVALID_VALUE;
	}
	made->data = data;
	made->destroy = destroy;
	pthread_mutex_lock(&lock);
	made->next = objects;
	objects = made;
	pthread_mutex_unlock(&lock);
	*object = made;
	return SUCCESS;
}

API int cuUserObjectRelease(void *object, unsigned count)
{
	(void)object, (void)count;
	return SUCCESS;
}

API int cuGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags)
{
	if (count != 1 || flags != 1)
		return INVALID_VALUE;
	((struct object *)object)->graph = (uintptr_t)graph;
	return SUCCESS;
}
