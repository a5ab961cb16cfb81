/* SPDX-License-Identifier: Apache-2.0 */
/* See kernel.h. */
#include "kernel.h"

#include <stdatomic.h>

#include "gw_values.h"

#define CONTEXTS 32u

extern const char gw_kernels_int8[] __attribute__((visibility("hidden")));	/* kernels.S: the text of int8.ptx, NUL-terminated */

enum { FREE, FILLING, READY, REFUSED };

static struct {
	_Atomic int state;
	uint64_t context;
	struct gw_kernels kernels;
} loaded[CONTEXTS];

/* READY, REFUSED, or FREE: another time, with more memory, perhaps. */
static int load(const struct gw_driver *driver, struct gw_kernels *kernels)
{
	void *module = NULL;
	int status = driver->cuModuleLoadData(&module, gw_kernels_int8);

	if (status)
		return status == GW_VALUE_CUDA_ERROR_OUT_OF_MEMORY ? FREE : REFUSED;
	if (!driver->cuModuleGetFunction(&kernels->gather, module, "gw_int8_gather") &&
	    !driver->cuModuleGetFunction(&kernels->finish, module, "gw_int8_finish"))
		return READY;
	driver->cuModuleUnload(module);
	return REFUSED;
}

/* Two threads that come first both load: the driver's business is not waited for, and a module costs 100 KB. */
static const struct gw_kernels *add(const struct gw_driver *driver, uint64_t context)
{
	struct gw_kernels kernels = { NULL, NULL };
	int mode = gw_driver_relax(driver), state = load(driver, &kernels);
	unsigned i;

	gw_driver_unrelax(driver, mode);
	for (i = 0; i < CONTEXTS && state != FREE; i++) {
		int free = FREE;

		if (!atomic_compare_exchange_strong(&loaded[i].state, &free, FILLING))
			continue;
		loaded[i].context = context;
		loaded[i].kernels = kernels;
		atomic_store_explicit(&loaded[i].state, state, memory_order_release);
		return state == READY ? &loaded[i].kernels : NULL;
	}
	return NULL;
}

const struct gw_kernels *gw_kernels(const struct gw_driver *driver, uint64_t context, int may_load)
{
	unsigned i;

	for (i = 0; i < CONTEXTS; i++) {
		int state = atomic_load_explicit(&loaded[i].state, memory_order_acquire);

		if (state == FREE)
			break;
		if (state != FILLING && loaded[i].context == context)
			return state == READY ? &loaded[i].kernels : NULL;
	}
	return may_load && i < CONTEXTS ? add(driver, context) : NULL;
}
