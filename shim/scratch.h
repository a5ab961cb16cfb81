/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory of our own for what a rescue needs between two steps. A block is used by one call at a time and goes from call to call in the
 * order of its stream; another stream gets it once an event says that the last use has ended. A block that a captured graph uses is the
 * graph's until the graph is gone. At most GW_SCRATCH_BLOCKS blocks, and at most an eighth of the device's memory, in a process.
 *
 * Any thread: no lock, nothing waits. Allocated and freed in the driver's relaxed mode alone, so that no other thread's capture ends by it,
 * and nothing is allocated, freed or asked of the device inside a capture.
 */
#ifndef GW_SCRATCH_H
#define GW_SCRATCH_H

#include <stddef.h>
#include <stdint.h>
#include "driver.h"

#define GW_SCRATCH_BLOCKS 64u

struct gw_scratch;

enum gw_scratch_failure {
	GW_SCRATCH_OK,
	GW_SCRATCH_CAPTURING,	/* an allocation would be needed inside a capture */
	GW_SCRATCH_MEMORY,	/* no memory, or the bound is reached */
	GW_SCRATCH_DRIVER,	/* the driver does not answer */
};

/* What a call may do in its stream. */
struct gw_scratch_stream {
	const struct gw_driver *driver;
	void *stream;
	uint64_t context;	/* identity of the current context */
	uint64_t id;		/* of the stream or, inside a capture, of the capture */
	void *graph;		/* that is being captured; NULL: none */
	int capturing;
};

/* Looks at STREAM in the current context. DRIVER: work cannot be put there, or nothing is known of it. */
enum gw_scratch_failure gw_scratch_look(const struct gw_driver *driver, void *stream, struct gw_scratch_stream *look) __attribute__((nonnull(1, 3)));

/* A block of at least SIZE bytes, 256 byte aligned, at *AT, for work in LOOK's stream from now on. HANDLE: when it is destroyed, the block goes. */
enum gw_scratch_failure gw_scratch_take(const struct gw_scratch_stream *look, void *handle, size_t size, struct gw_scratch **block, uint64_t *at)
	__attribute__((nonnull(1, 4, 5)));

/* All work that uses it has been put into the stream. */
void gw_scratch_give(const struct gw_scratch_stream *look, struct gw_scratch *block) __attribute__((nonnull));

/* HANDLE is about to be destroyed: frees its blocks, once their last use has ended, but for those of graphs. */
void gw_scratch_forget(void *handle);

#endif
