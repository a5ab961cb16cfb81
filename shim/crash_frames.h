/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a crash report that lists the stack. */
#ifndef GW_CRASH_FRAMES_H
#define GW_CRASH_FRAMES_H

#include <stdint.h>

/* CONTEXT: the ucontext_t of the crash; CALL: where on the stack the vendor call is kept that is under way, 0 for none. */
void gw_crash_frames_tell(const void *context, uintptr_t call) __attribute__((nonnull));

#endif
