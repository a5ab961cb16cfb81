/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the trace share. A process's trace is one gw_trace_life in pages that the kernel clears in every forked child, those included that
 * the C library knows nothing of (a raw clone): there it reads as zero, the epoch is no longer that of any thread, and the trace begins anew.
 */
#ifndef GW_TRACE_LIFE_H
#define GW_TRACE_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "abi/trace_format.h"
#include "trace.h"

#define GW_TRACE_BLOCK 16384u	/* bytes: 255 records; the ring's unit, and what a thread that records takes */
#define GW_TRACE_SLOTS (GW_TRACE_BLOCK / 64)	/* of which the first is the head */
#define GW_TRACE_STEP 64u	/* blocks that are allocated at once */
#define GW_TRACE_SHAPES 4096u	/* different ones that are told apart; a power of two */
#define GW_TRACE_SHARED(count) (((count) + GW_TRACE_SLOTS - 2) / (GW_TRACE_SLOTS - 1))

_Static_assert(sizeof(struct gw_trace_head) <= 4096 && sizeof(struct gw_trace_block) == 64 && sizeof(struct gw_trace_record) == 64 &&
	       sizeof(struct gw_trace_count) == 64 && sizeof(struct gw_trace_definition) == 16, "as the format says");

enum gw_trace_state { GW_TRACE_NONE, GW_TRACE_BEGINNING, GW_TRACE_READY, GW_TRACE_FAILED };

struct gw_trace_life {
	/* What each call reads. */
	_Atomic uint32_t epoch;		/* the process's id once it is ready; else 0 */
	_Atomic uint32_t state;		/* enum gw_trace_state */
	_Atomic uint32_t microsecond;	/* in ticks of the clock, about */
	uint32_t clock;			/* enum gw_trace_clock */
	struct gw_trace_head *head;
	unsigned char *blocks;		/* block 0 */
	/* The file's. */
	int file;
	dev_t device;
	ino_t inode;
	bool ring;
	_Atomic uint32_t limit;		/* blocks that there may be */
	_Atomic uint32_t claimed, allocated, hand, allocating, told;
	_Atomic uint64_t threads, dry_until;
	_Atomic uint32_t last_count;	/* where a count block of a thread that is gone was last looked for */
	/* Definitions'. */
	_Atomic(struct gw_trace_block *) definitions;
	_Atomic uint32_t marks, changes;
	_Atomic uint8_t functions[GW_FN_COUNT], enums[GW_ENUM_COUNT];	/* defined */
	_Atomic(const struct gw_numbering *) numberings[32];
	_Atomic(struct gw_trace_block *) shared[GW_TRACE_SHARED(GW_FN_COUNT)];	/* counts of threads that have no block */
	_Atomic(struct gw_trace_block *) shaped[GW_TRACE_SHARED(GW_TRACE_SHAPES + 1)];	/* counts by shape */
	_Atomic uint32_t shape_count;
	_Atomic uint64_t shapes[GW_TRACE_SHAPES];	/* hash, with its number in the low 16 bits; open addressing */
} __attribute__((aligned(4096)));

extern struct gw_trace_life gw_trace_life GW_TRACE_HIDDEN;

/* trace_file.c */

/* Opens the file that NAME, a directory or file, asks for, and writes its head. 0, or an errno; PATH is then what was tried. */
int gw_trace_file_begin(const char *name, char *path, size_t size) GW_TRACE_HIDDEN;
/*
 * A block for this thread; its head is written. KIND is an enum gw_trace_block_kind. NULL: there is none to be had. Blocks of threads that are
 * gone, and where the trace is a ring full blocks of records, are taken when all are in use.
 */
struct gw_trace_block *gw_trace_file_claim(uint16_t kind, uint32_t tid, uint64_t thread, uint64_t sequence, uint64_t first) GW_TRACE_HIDDEN;
/* A block of counts whose thread is gone; NULL: none was found in a few tries. */
struct gw_trace_block *gw_trace_file_inherit(uint32_t tid) GW_TRACE_HIDDEN;
void gw_trace_file_moment(struct gw_trace_moment *moment) GW_TRACE_HIDDEN;
void gw_trace_file_note_moment(void) GW_TRACE_HIDDEN;	/* into the head */
void gw_trace_file_drop(void) GW_TRACE_HIDDEN;		/* counts a record that is not written */

/* trace_define.c */

/* Writes TEXT, one JSON object. False: no room. */
bool gw_trace_define(const char *text, uint32_t length) GW_TRACE_HIDDEN;
void gw_trace_define_process(void) GW_TRACE_HIDDEN;
void gw_trace_define_function(uint32_t fn) GW_TRACE_HIDDEN;
void gw_trace_define_thread(uint64_t thread, uint32_t tid) GW_TRACE_HIDDEN;
void gw_trace_define_library(struct gw_binding *binding) GW_TRACE_HIDDEN;
void gw_trace_define_object(struct gw_object *object, const struct gw_binding *binding) GW_TRACE_HIDDEN;
void gw_trace_define_level(void) GW_TRACE_HIDDEN;	/* where it has been changed since */

/* trace_thread.c: the tables that all threads may count in, made while there surely is room; a definition's moment among this thread's records. */
void gw_trace_share(void) GW_TRACE_HIDDEN;
void gw_trace_mark(uint32_t mark) GW_TRACE_HIDDEN;

/* trace_level.c: reads GANGWAY_TRACE_LEVEL into levels; what cannot be read is told and left out. */
void gw_trace_levels_read(void) GW_TRACE_HIDDEN;
void gw_trace_levels_all(uint8_t level) GW_TRACE_HIDDEN;

/* trace_control.c: makes the control page reachable from outside; and undoes it in a child. */
void gw_trace_control_offer(void) GW_TRACE_HIDDEN;
void gw_trace_control_forked(void) GW_TRACE_HIDDEN;

static inline struct gw_trace_block *gw_trace_block_at(uint32_t index)
{
	return (struct gw_trace_block *)(gw_trace_life.blocks + (size_t)index * GW_TRACE_BLOCK);
}

#endif
