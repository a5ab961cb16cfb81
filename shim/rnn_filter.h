/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 8.x makes a filter descriptor blank again, as a new one is, to say that a weight matrix does not exist; 9 has no call that does. So
 * blank ones are remembered, up to 512 (4 KiB), until they are set or destroyed, and questions about them are answered here. Any thread.
 */
#ifndef GW_RNN_FILTER_H
#define GW_RNN_FILTER_H

#include <stdbool.h>
#include "gw_types.h"

/* From now on DESCRIPTOR is blank. False: no room. */
bool gw_rnn_filter_blank(cudnnFilterDescriptor_t descriptor) __attribute__((nonnull));

/* It has been set, or is gone. Any pointer. */
void gw_rnn_filter_unblank(cudnnFilterDescriptor_t descriptor);

#endif
