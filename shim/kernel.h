/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own kernels (shim/kernels), which the driver compiles for the GPU that a context is on when they are first needed there: tens of
 * milliseconds, and the driver keeps what it compiled on disk. A context has them until it ends. Any thread; no lock.
 */
#ifndef GW_KERNEL_H
#define GW_KERNEL_H

#include <stdint.h>
#include "driver.h"

struct gw_kernels {
	void *gather, *finish;	/* gw_int8_gather, gw_int8_finish of kernels/int8.cu */
};

/*
 * Those of the current context, whose identity is CONTEXT. NULL: the driver refuses them; CONTEXTS contexts have them; or they are not loaded
 * yet and MAY_LOAD is 0, as inside a capture.
 */
const struct gw_kernels *gw_kernels(const struct gw_driver *driver, uint64_t context, int may_load) __attribute__((nonnull));

#endif
