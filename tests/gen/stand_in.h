/* SPDX-License-Identifier: Apache-2.0 */
/* The question that stand_in.c hands on to the test. */
#ifndef GW_STAND_IN_H
#define GW_STAND_IN_H

#include <stdbool.h>
#include "shim/facade.h"

extern void *(*stand_in_bind)(const struct gw_facade *facade, uint32_t symbol)
	__attribute__((visibility("default")));
/* Is an answer put into the slot? */
extern bool stand_in_keeps __attribute__((visibility("default")));
extern __typeof__(gw_facade_bind) gw_facade_bind __attribute__((visibility("default")));

#endif
