/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loader of a running process has in its global scope, read out of its memory without stopping or changing it. The list of objects is
 * public (link.h); the global scope's place is glibc's own, the same since 2.17, and believed only where all that can be checked is as it must be.
 */
#ifndef GW_TOOLS_PROCESS_SCOPE_H
#define GW_TOOLS_PROCESS_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_process_object {
	char *name;   /* as the loader calls it; "" for the program */
	bool is_global; /* what it defines is seen by all */
};

struct gw_process_objects {
	struct gw_process_object *object; /* of the first namespace, in the loader's order */
	size_t count;
};

/* GLOBAL_OFFSET: where _rtld_global lies in the loader's file. 0; or -1 with the reason in WHY, and nothing to finish. */
int gw_process_objects_read(struct gw_process_objects *objects, int pid, uint64_t global_offset, char *why, size_t size)
	__attribute__((warn_unused_result, nonnull));
void gw_process_objects_finish(struct gw_process_objects *objects) __attribute__((nonnull));

#endif
