/* SPDX-License-Identifier: Apache-2.0 */
/* What differs from one build of the loader, and from one processor, to another. */
#ifndef GW_TOOLS_LOADER_PLATFORM_H
#define GW_TOOLS_LOADER_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#define GW_MAX_CAPABILITIES 32 /* bits of an unsigned */
#define GW_MAX_DEFAULTS 8

struct gw_platform {
	/* The default directories, in order, without a slash at their end. */
	char *defaults[GW_MAX_DEFAULTS];
	size_t default_count;
	char *lib;            /* $LIB */
	const char *platform; /* $PLATFORM */
	/* Subdirectories that are tried in each directory, best first; the last is "". */
	char *capability[GW_MAX_CAPABILITIES];
	size_t capability_count;
	size_t named_count; /* how many of them are glibc-hwcaps/NAME/ */
};

/* LOADER_FILE: the loader's own file, which holds its default directories as strings. Where it
 * cannot be read, Debian's are taken. 0 or -ENOMEM. */
int gw_platform_init(struct gw_platform *platform, const char *loader_file)
	__attribute__((warn_unused_result, nonnull));
void gw_platform_finish(struct gw_platform *platform) __attribute__((nonnull));

#endif
