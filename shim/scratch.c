/* SPDX-License-Identifier: Apache-2.0 */
/* See scratch.h. A block belongs to whoever has made its state BUSY; all else of it is that one's to read and write. */
#include "scratch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "gw_values.h"

#define ROUND ((size_t)2 << 20)		/* the driver's own step for big allocations */
#define SHARE 8u			/* of the device's memory, one part of so many */

enum { NONE, BUSY, IDLE, GRAPH };

struct gw_scratch {
	_Atomic int state;
	_Atomic uint64_t context, id;	/* read by whoever looks for a block, before it is theirs: a hint until then */
	_Atomic size_t size;
	uint64_t at;
	void *owner;			/* CUcontext */
	_Atomic(void *) handle;
	void *stream;
	void *event;			/* recorded behind the last use */
	bool recorded;			/* EVENT says when the last use has ended; else nothing does */
	bool fresh;			/* never used, or its graph is gone: nothing uses it */
};

static struct gw_scratch blocks[GW_SCRATCH_BLOCKS];
static _Atomic size_t total;

static bool claim(struct gw_scratch *block, int from)
{
	return atomic_compare_exchange_strong_explicit(&block->state, &from, BUSY, memory_order_acquire, memory_order_relaxed);
}

static void release(struct gw_scratch *block, int to)
{
	atomic_store_explicit(&block->state, to, memory_order_release);
}

enum gw_scratch_failure gw_scratch_look(const struct gw_driver *driver, void *stream, struct gw_scratch_stream *look)
{
	void *context = NULL;
	int status = GW_VALUE_CU_STREAM_CAPTURE_STATUS_NONE;

	memset(look, 0, sizeof(*look));
	look->driver = driver;
	look->stream = stream;
	if (driver->cuCtxGetCurrent(&context) || !context || driver->cuStreamIsCapturing(stream, &status))
		return GW_SCRATCH_DRIVER;
	look->context = (uintptr_t)context;
	if (driver->cuCtxGetId && driver->cuCtxGetId(context, &look->context))
		return GW_SCRATCH_DRIVER;
	look->id = (uintptr_t)stream;
	if (status == GW_VALUE_CU_STREAM_CAPTURE_STATUS_NONE) {
		if (driver->cuStreamGetId && driver->cuStreamGetId(stream, &look->id))
			look->id = (uintptr_t)stream;
		return GW_SCRATCH_OK;
	}
	look->capturing = 1;
	if (status != GW_VALUE_CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return GW_SCRATCH_DRIVER;
	if (!driver->cuStreamGetCaptureInfo_v2 || driver->cuStreamGetCaptureInfo_v2(stream, &status, &look->id, &look->graph, NULL, NULL))
		return GW_SCRATCH_CAPTURING;
	return GW_SCRATCH_OK;
}

/* Has everything that used BLOCK, which is ours, ended? */
static bool is_done(const struct gw_driver *driver, const struct gw_scratch *block)
{
	return block->fresh || (block->recorded && !driver->cuEventQuery(block->event));
}

/* The graph that used the block is gone, and every launch of it has ended. On a thread of the driver's, which may not be called here. */
static void graph_gone(void *data)
{
	struct gw_scratch *block = data;

	if (!claim(block, GRAPH))
		return;
	block->fresh = true;
	release(block, IDLE);
}

/* BLOCK, which is ours, is the graph's from now on; for good where the driver cannot tell when the graph goes. */
static void leave_to_graph(const struct gw_scratch_stream *look, struct gw_scratch *block)
{
	const struct gw_driver *driver = look->driver;
	void *object = NULL;

	atomic_store_explicit(&block->id, look->id, memory_order_relaxed);
	block->stream = look->stream;
	block->fresh = block->recorded = false;
	if (!look->graph || !driver->cuUserObjectCreate || !driver->cuUserObjectRelease || !driver->cuGraphRetainUserObject ||
	    driver->cuUserObjectCreate(&object, block, graph_gone, 1, GW_VALUE_CU_USER_OBJECT_NO_DESTRUCTOR_SYNC))
		return;
	/*
	 * Not released on failure: that would call graph_gone, at a time of its own, for a block that is in use. The object, a few bytes of the
	 * driver's, stays with the block.
	 */
	(void)driver->cuGraphRetainUserObject(look->graph, object, 1, GW_VALUE_CU_GRAPH_USER_OBJECT_MOVE);
}

/* One that is at hand: the last use was in the same stream and, inside a capture, in the same capture. Or (IDLY) one that nothing uses. */
static struct gw_scratch *find(const struct gw_scratch_stream *look, size_t size, bool idly)
{
	int from = look->capturing && !idly ? GRAPH : IDLE;
	struct gw_scratch *block;

	for (block = blocks; block < blocks + GW_SCRATCH_BLOCKS; block++) {
		if (atomic_load_explicit(&block->state, memory_order_relaxed) != from ||
		    atomic_load_explicit(&block->size, memory_order_relaxed) < size ||
		    (!idly && atomic_load_explicit(&block->id, memory_order_relaxed) != look->id) ||
		    atomic_load_explicit(&block->context, memory_order_relaxed) != look->context || !claim(block, from))
			continue;
		/* It may have become another's since it was looked at. */
		if (block->size >= size && block->context == look->context &&
		    (idly ? is_done(look->driver, block) : block->id == look->id && block->stream == look->stream))
			return block;
		release(block, from);
	}
	return NULL;
}

/* As above, of those that nothing uses. An event that is asked while another thread captures would end that capture but for the relaxed mode. */
static struct gw_scratch *find_idle(const struct gw_scratch_stream *look, size_t size)
{
	int mode = gw_driver_relax(look->driver);
	struct gw_scratch *block = find(look, size, true);

	if (block && look->capturing)
		leave_to_graph(look, block);
	gw_driver_unrelax(look->driver, mode);
	return block;
}

/* Frees BLOCK, which is ours, and its place. Everything that used it has ended. */
static void drop(const struct gw_driver *driver, struct gw_scratch *block)
{
	if (block->event)
		driver->cuEventDestroy_v2(block->event);
	driver->cuMemFree_v2(block->at);
	atomic_fetch_sub(&total, block->size);
	atomic_store_explicit(&block->size, 0, memory_order_relaxed);
	atomic_store_explicit(&block->handle, NULL, memory_order_relaxed);
	block->event = NULL;
	block->recorded = block->fresh = false;
	release(block, NONE);
}

/* Before one that is bigger is made: those of this context that are of no use any more. */
static void make_room(const struct gw_scratch_stream *look, size_t size, bool all)
{
	struct gw_scratch *block;

	for (block = blocks; block < blocks + GW_SCRATCH_BLOCKS; block++) {
		if (atomic_load_explicit(&block->state, memory_order_relaxed) != IDLE ||
		    atomic_load_explicit(&block->context, memory_order_relaxed) != look->context ||
		    (!all && (atomic_load_explicit(&block->id, memory_order_relaxed) != look->id || block->size >= size)) || !claim(block, IDLE))
			continue;
		if (block->context == look->context && is_done(look->driver, block))
			drop(look->driver, block);
		else
			release(block, IDLE);
	}
}

static bool within_bound(const struct gw_driver *driver, size_t size)
{
	size_t rest, whole, now = atomic_load(&total);

	if (driver->cuMemGetInfo_v2(&rest, &whole))
		return false;
	do {
		if (size > whole / SHARE || now > whole / SHARE - size)
			return false;
	} while (!atomic_compare_exchange_weak(&total, &now, now + size));
	return true;
}

static bool allocate(const struct gw_driver *driver, struct gw_scratch *block, size_t size)
{
	if (!within_bound(driver, size))
		return false;
	if (driver->cuEventCreate(&block->event, GW_VALUE_CU_EVENT_DISABLE_TIMING)) {
		block->event = NULL;
		atomic_fetch_sub(&total, size);
		return false;
	}
	if (driver->cuMemAlloc_v2(&block->at, size)) {
		driver->cuEventDestroy_v2(block->event);
		block->event = NULL;
		atomic_fetch_sub(&total, size);
		return false;
	}
	return true;
}

static struct gw_scratch *make(const struct gw_scratch_stream *look, size_t size)
{
	struct gw_scratch *block;
	void *context = NULL;

	for (block = blocks; block < blocks + GW_SCRATCH_BLOCKS; block++)
		if (atomic_load_explicit(&block->state, memory_order_relaxed) == NONE && claim(block, NONE))
			break;
	if (block == blocks + GW_SCRATCH_BLOCKS)
		return NULL;
	if (look->driver->cuCtxGetCurrent(&context) || !allocate(look->driver, block, size)) {
		release(block, NONE);
		return NULL;
	}
	block->owner = context;
	block->fresh = true;
	block->recorded = false;
	atomic_store_explicit(&block->context, look->context, memory_order_relaxed);
	atomic_store_explicit(&block->size, size, memory_order_relaxed);
	return block;
}

static struct gw_scratch *make_relaxed(const struct gw_scratch_stream *look, size_t size)
{
	int mode = gw_driver_relax(look->driver);
	struct gw_scratch *block;

	size = (size + ROUND - 1) / ROUND * ROUND;
	make_room(look, size, false);
	block = make(look, size);
	if (!block) {
		make_room(look, size, true);
		block = make(look, size);
	}
	gw_driver_unrelax(look->driver, mode);
	return block;
}

enum gw_scratch_failure gw_scratch_take(const struct gw_scratch_stream *look, void *handle, size_t size, struct gw_scratch **taken, uint64_t *at)
{
	struct gw_scratch *block;

	if (size > SIZE_MAX - ROUND)
		return GW_SCRATCH_MEMORY;
	block = find(look, size, false);
	if (!block)
		block = find_idle(look, size);
	if (!block && look->capturing)
		return GW_SCRATCH_CAPTURING;
	if (!block)
		block = make_relaxed(look, size);
	if (!block)
		return GW_SCRATCH_MEMORY;
	atomic_store_explicit(&block->handle, handle, memory_order_relaxed);
	*taken = block;
	*at = block->at;
	return GW_SCRATCH_OK;
}

void gw_scratch_give(const struct gw_scratch_stream *look, struct gw_scratch *block)
{
	atomic_store_explicit(&block->id, look->id, memory_order_relaxed);
	block->stream = look->stream;
	if (look->capturing) {
		release(block, GRAPH);
		return;
	}
	block->fresh = false;
	block->recorded = !look->driver->cuEventRecord(block->event, look->stream);
	release(block, IDLE);
}

void gw_scratch_forget(void *handle)
{
	const struct gw_driver *driver = atomic_load(&total) ? gw_driver() : NULL;
	struct gw_scratch *block;
	int mode;

	if (!driver || !handle)
		return;
	mode = gw_driver_relax(driver);
	for (block = blocks; block < blocks + GW_SCRATCH_BLOCKS; block++) {
		void *context = NULL;

		if (atomic_load_explicit(&block->handle, memory_order_relaxed) != handle || !claim(block, IDLE))
			continue;
		if (block->handle != handle || driver->cuCtxPushCurrent_v2(block->owner)) {
			release(block, IDLE);
			continue;
		}
		if (block->fresh || (block->recorded && !driver->cuEventSynchronize(block->event)))
			drop(driver, block);
		else
			release(block, IDLE);
		driver->cuCtxPopCurrent_v2(&context);
	}
	gw_driver_unrelax(driver, mode);
}
