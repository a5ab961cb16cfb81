/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions behind the hooks of hooks.S. */
#ifndef GW_HOOKS_H
#define GW_HOOKS_H

#include <stdint.h>

/* The layout is known to hooks.S. */
struct gw_dl_request {
	uint64_t first, second, third;	/* the call's arguments; changing one changes what the real function gets */
	const void *caller;		/* return address */
	void *answer;			/* returned when the decision is not to call the real function */
};

/* Each returns the real function to jump to, or NULL to return request->answer. */
void *gw_hook_dlopen(struct gw_dl_request *request) __attribute__((nonnull));
void *gw_hook_dlsym(struct gw_dl_request *request) __attribute__((nonnull));
void *gw_hook_dlvsym(struct gw_dl_request *request) __attribute__((nonnull));

#endif
