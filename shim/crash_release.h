/* SPDX-License-Identifier: Apache-2.0 */
/* Which release a library is, asked while it can be and kept for the crash report alone: nothing is translated because of it. */
#ifndef GW_CRASH_RELEASE_H
#define GW_CRASH_RELEASE_H

#include <stdint.h>

struct gw_binding;
struct gw_object;

/*
 * Asks the library of BINDING, where nobody has and that changes nothing: a call of it is about to be made, and not the first. May call
 * the library; errno is not kept.
 */
void gw_crash_release_ask(const struct gw_binding *binding, uint32_t fn) __attribute__((nonnull));

/* What was heard of OBJECT, or what its bindings know; NULL: nothing. Async-signal-safe. */
const char *gw_crash_release_of(const struct gw_object *object) __attribute__((nonnull));

#endif
