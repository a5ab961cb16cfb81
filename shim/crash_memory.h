/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that may not be there any more, looked at from a signal handler. */
#ifndef GW_CRASH_MEMORY_H
#define GW_CRASH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Can LENGTH bytes at ADDRESS be read? Async-signal-safe; a system call a page; errno kept. */
bool gw_crash_readable(const void *address, size_t length);

/* TEXT, or "?" where its first bytes cannot be read. Names lie in the loader's memory, which ends with their object. */
const char *gw_crash_text(const char *text) __attribute__((returns_nonnull));

#endif
