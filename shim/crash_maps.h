/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that the records (objects.h) do not have, since they were mapped after the last look at the loader's list: cuDNN opens its parts within a
 * call. The kernel's own list of mappings names them, and their headers are mapped with them. Async-signal-safe: no lock, nothing allocated.
 */
#ifndef GW_CRASH_MAPS_H
#define GW_CRASH_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct gw_object;

/* Calls FOUND with each mapped file that holds code and of which KNOWN says that nobody knows its address. What FOUND gets lasts until the next call. */
void gw_crash_maps_read(bool (*known)(uintptr_t address), bool (*found)(const struct gw_object *object)) __attribute__((nonnull));

#endif
