/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions are declared as cuda.h (of any release since 3.2) has them. */
#include "memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long device_pointer;

static struct {
	int (*init)(unsigned);
	int (*retain)(void **, int);
	int (*current)(void *);
	int (*alloc)(device_pointer *, size_t);
	int (*put)(device_pointer, const void *, size_t);
	int (*get)(void *, device_pointer, size_t);
	int (*wait)(void);
} driver;

static void must(int status, const char *what)
{
	if (!status)
		return;
	printf("%s: driver error %d\n", what, status);
	exit(4);
}

int memory_open(void)
{
	static const struct {
		void *slot;
		const char *name;
	} wanted[] = {
		{&driver.init, "cuInit"}, {&driver.retain, "cuDevicePrimaryCtxRetain"}, {&driver.current, "cuCtxSetCurrent"},
		{&driver.alloc, "cuMemAlloc_v2"}, {&driver.put, "cuMemcpyHtoD_v2"}, {&driver.get, "cuMemcpyDtoH_v2"},
		{&driver.wait, "cuCtxSynchronize"},
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context = NULL;
	size_t i;

	if (!library)
		return 0;
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		*(void **)wanted[i].slot = dlsym(library, wanted[i].name);
		must(*(void **)wanted[i].slot ? 0 : -1, wanted[i].name);
	}
	must(driver.init(0), "cuInit");
	must(driver.retain(&context, 0), "cuDevicePrimaryCtxRetain");
	must(driver.current(context), "cuCtxSetCurrent");
	return 1;
}

void *memory_take(size_t size)
{
	device_pointer at = 0;
	void *memory;

	if (driver.alloc) {
		must(driver.alloc(&at, size ? size : 1), "cuMemAlloc");
		return (void *)(size_t)at;
	}
	memory = aligned_alloc(256, (size + 256) / 256 * 256);
	must(memory ? 0 : -1, "aligned_alloc");
	return memory;
}

void memory_put(void *device, const void *host, size_t size)
{
	if (driver.put)
		must(driver.put((size_t)device, host, size), "cuMemcpyHtoD");
	else
		memcpy(device, host, size);
}

void memory_get(void *host, const void *device, size_t size)
{
	if (driver.get)
		must(driver.get(host, (size_t)device, size), "cuMemcpyDtoH");
	else
		memcpy(host, device, size);
}

int memory_wait(void)
{
	return driver.wait ? driver.wait() : 0;
}
