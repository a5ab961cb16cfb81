/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that may not be there any more, looked at from a signal handler. */
#ifndef GW_CRASH_MEMORY_H
#define GW_CRASH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can LENGTH bytes at ADDRESS be read? Async-signal-safe; a system call a page; errno kept. */
bool gw_crash_readable(const void *address, size_t length);

/*
 * Copies LENGTH bytes, at most eight, from ADDRESS, where they can be read. What one report has found to be there is not asked again; gw_crash_forget
 * begins a new one. For one thread at a time. Async-signal-safe.
 */
bool gw_crash_load(uintptr_t address, void *value, size_t length);
void gw_crash_forget(void);

/* TEXT, or "?" where its first bytes cannot be read. Names lie in the loader's memory, which ends with their object. */
const char *gw_crash_text(const char *text) __attribute__((returns_nonnull));

#endif
