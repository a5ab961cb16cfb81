/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A regular file mapped for reading, that may be cut short meanwhile: a library is being installed, a disk fills up. What is gone then
 * reads as zeros, and who asks is told, instead of SIGBUS. One thread.
 */
#ifndef GW_TOOLS_MAPPING_H
#define GW_TOOLS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gw_mapping {
	const unsigned char *bytes; /* NULL where the file is empty */
	size_t size;
	dev_t device;
	ino_t inode;
	struct gw_mapping_state *state; /* private to mapping.c */
};

/* 0 or -errno; -EINVAL: no regular file. Never waits for a pipe or device. Copies of MAPPING are as good, until one is closed. */
int gw_mapping_open(struct gw_mapping *mapping, const char *path) __attribute__((warn_unused_result, nonnull));
void gw_mapping_close(struct gw_mapping *mapping) __attribute__((nonnull));

/* Was something of it gone when it was read? AT gets the first place. */
bool gw_mapping_is_cut(const struct gw_mapping *mapping, size_t *at) __attribute__((nonnull));

/* Tells the system that these bytes, read once, need no memory any more. */
void gw_mapping_forget(const unsigned char *bytes, size_t size);

#endif
