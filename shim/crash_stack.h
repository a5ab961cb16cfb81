/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Return addresses on a stack, found without frame data, for where that is missing or the stack is damaged: every word that points behind a call
 * instruction of a mapped object. Words that earlier calls have left are among them, and no frame is passed over; nothing waits for a lock, nothing is allocated.
 */
#ifndef GW_CRASH_STACK_H
#define GW_CRASH_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct gw_object;

/* The objects as they are known; once before the other functions. Async-signal-safe. */
void gw_crash_objects_read(void);

/* The object that ADDRESS lies in, NULL when none that is known. */
const struct gw_object *gw_crash_object_at(uintptr_t address);

/* Do the bytes before ADDRESS, which a known object has, end with a call? */
bool gw_crash_follows_call(uintptr_t address);

/* Looks at BYTES of stack from SP; returns how many it found, at most SPACE. One that follows itself counts once. */
unsigned gw_crash_stack(uintptr_t sp, uintptr_t bytes, uintptr_t *found, unsigned space) __attribute__((nonnull));

#endif
