/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for functions that nobody has, so that no call ever goes through NULL. */
#ifndef GW_ABSENT_H
#define GW_ABSENT_H

#include <stdint.h>
#include "table.h"

/*
 * A function that answers for one whose result is of this class: the value in gw_thread.absent for integers and statuses, else zero
 * or NULL. Reads no argument, so it fits every signature.
 */
void *gw_absent_function(enum gw_class result_class) __attribute__((returns_nonnull));

/* Likewise, but zero for integers, too: for what no call of a wrapper surrounds. */
void *gw_absent_plain(enum gw_class result_class) __attribute__((returns_nonnull));

/* A function that always returns STATUS, for slots that are bound once. */
void *gw_absent_status(int32_t status) __attribute__((returns_nonnull));

#endif
