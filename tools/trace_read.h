/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace file (abi/trace_format.h) block by block. What is damaged is noted with its offset, and the rest is read: nothing that
 * stands in a file can make this crash, and neither can a file that is written, cut short or removed meanwhile. So blocks are read into the
 * caller's memory, not mapped (a mapped file that is cut short ends the process).
 *
 * An open file may be read by several threads at once, each with its own buffers and cursor.
 */
#ifndef GW_TRACE_READ_H
#define GW_TRACE_READ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "abi/trace_format.h"

#define GW_TRACE_PROBLEMS_KEPT 256	/* of one file; the rest is counted */

struct gw_trace_problem {
	uint64_t offset;
	bool damage;		/* else it only says what is so: a call that was still going on when the process was killed */
	char text[200];
};

struct gw_trace_problems {
	pthread_mutex_t lock;
	struct gw_trace_problem *list;
	size_t kept, damages, notes;
};

struct gw_trace_file {
	char *path;
	int fd;
	uint64_t size;
	struct gw_trace_head head;
	uint32_t head_size, block_size, blocks;	/* as far as they can be believed */
	double ns_per_tick;	/* 0: unknown */
	struct gw_trace_problems problems;
};

/* 0; or -errno (ENOEXEC: not a trace, EPROTO: of a version that this gangway does not know), and why in WHY. */
int gw_trace_open(struct gw_trace_file *file, const char *path, char *why, size_t why_size) __attribute__((nonnull, warn_unused_result));
void gw_trace_close(struct gw_trace_file *file) __attribute__((nonnull));

uint64_t gw_trace_block_offset(const struct gw_trace_file *file, uint32_t number) __attribute__((nonnull));

/* SIZE bytes at OFFSET into BUFFER; what the file lacks is zero. Returns how many came from the file. */
size_t gw_trace_pread(struct gw_trace_file *file, uint64_t offset, void *buffer, size_t size) __attribute__((nonnull));

/* Is the head of a block as it was written? NUMBER's damage is noted when NOTE. */
bool gw_trace_block_sound(struct gw_trace_file *file, uint32_t number, const struct gw_trace_block *block, bool note)
	__attribute__((nonnull));

/* A block that was not used: its head is zero. */
bool gw_trace_is_free(const struct gw_trace_block *block) __attribute__((nonnull));

/* Whatever its head says: does BLOCK begin with a definition? */
bool gw_trace_holds_definitions(struct gw_trace_file *file, uint32_t number, const void *block) __attribute__((nonnull));

/* The records, or definitions, of one block, one after another. */
struct gw_trace_cursor {
	struct gw_trace_file *file;
	uint64_t offset;		/* the block's, in the file */
	const unsigned char *block;
	uint32_t size, position;	/* position: of what comes next */
	uint16_t generation;
	bool quiet;			/* notes nothing: whoever reads the block a second time */
	bool live;			/* a thread still owned it */
};

/* BLOCK: file->block_size bytes, 8-byte aligned. */
void gw_trace_cursor_init(struct gw_trace_cursor *cursor, struct gw_trace_file *file, uint32_t number, const void *block) __attribute__((nonnull));
/* The next record; NULL at the end. cursor->position - 64 * its slots is where it lies in the block. */
const struct gw_trace_record *gw_trace_next_record(struct gw_trace_cursor *cursor) __attribute__((nonnull));
/* The next definition's text, LENGTH bytes without a NUL; NULL at the end. */
const char *gw_trace_next_definition(struct gw_trace_cursor *cursor, uint32_t *length) __attribute__((nonnull));

void gw_trace_note(struct gw_trace_file *file, bool damage, uint64_t offset, const char *format, ...)
	__attribute__((nonnull(1, 4), format(printf, 4, 5)));

/* The check of bytes that need not be whole words: zeros follow. */
uint32_t gw_trace_check_bytes(uint64_t seed, const void *bytes, size_t size) __attribute__((nonnull));

static inline unsigned gw_trace_record_slots(const struct gw_trace_record *record)
{
	return (record->mark >> 16) & 0xff;
}

static inline unsigned gw_trace_record_kind_of(const struct gw_trace_record *record)
{
	return (record->mark >> 24) & 0xff;
}

#endif
