/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace file, shared by its writer (shim/trace*.c) and its readers (tools/trace*.c); docs/trace.md tells it in prose, with a worked example.
 *
 * One file a process, little-endian, mapped by the writer: a head, then blocks of equal size. A block belongs to one thread at a time, or holds
 * definitions. What is complete is marked by a word that is written last, so all of it survives the death of the process at any moment. Nothing
 * in the file points at memory; what records name by number is defined in the same file, in JSON.
 *
 * Forward-readable: a reader skips kinds of blocks, records and definitions that it does not know, takes the head's and the blocks' sizes from
 * the file, and refuses only a `version` that it does not know.
 */
#ifndef GW_TRACE_FORMAT_H
#define GW_TRACE_FORMAT_H

#include <stdint.h>

#define GW_TRACE_MAGIC "gangway trace\r\n"	/* 16 bytes with its NUL; CR LF shows a file that was copied as text */
#define GW_TRACE_VERSION 1u
#define GW_TRACE_SUFFIX ".gwt"

enum gw_trace_clock {
	GW_TRACE_CLOCK_TSC = 1,		/* stamps are the processor's time stamp counter */
	GW_TRACE_CLOCK_MONOTONIC = 2,	/* stamps are CLOCK_MONOTONIC, ns: where that counter is not invariant */
};

enum gw_trace_stop {			/* why nothing is recorded any more; gw_trace_head.stopped */
	GW_TRACE_STOP_NONE,
	GW_TRACE_STOP_LIMIT,		/* the file has its size, and is no ring */
	GW_TRACE_STOP_SPACE,		/* disk full, quota, RLIMIT_FSIZE: stop_errno says which */
	GW_TRACE_STOP_END,		/* the process ended by exit */
};

/* A moment by each clock. The first is taken when the file is made, the second whenever a block is claimed and when the process ends. */
struct gw_trace_moment {
	uint64_t stamp, monotonic_ns, realtime_ns;
};

/* At offset 0; head_size bytes. Members up to `check` are written once, before the file gets its magic; the rest changes. */
struct gw_trace_head {
	char magic[16];
	uint32_t version;
	uint32_t head_size;		/* where block 0 lies: a multiple of 4096 */
	uint32_t block_size;		/* bytes, a multiple of 4096 */
	uint32_t block_limit;		/* the file never has more blocks */
	uint32_t pid;
	uint32_t clock;			/* enum gw_trace_clock */
	uint32_t ring;			/* 1: full blocks of records are used again, oldest first; 0: it stops */
	uint32_t function_count;	/* function numbers are below */
	struct gw_trace_moment start;
	uint32_t reserved[5];
	uint32_t check;			/* gw_trace_check_words of the head to here, with 0 for itself, seed 0 */
	/* Atomics. */
	uint32_t blocks;		/* how many blocks are, or were, in use: those beyond hold nothing */
	uint32_t stopped;		/* enum gw_trace_stop */
	int32_t stop_errno;
	uint32_t moment_version;	/* odd while `now` is written */
	struct gw_trace_moment now;
	uint64_t dropped;		/* calls that were to be recorded and were not: no block to be had, stopped */
	uint64_t overwritten;		/* records in blocks that were used again */
};

enum gw_trace_block_kind {
	GW_TRACE_FREE,
	GW_TRACE_RECORDS,	/* struct gw_trace_record… */
	GW_TRACE_DEFINITIONS,	/* struct gw_trace_definition… */
	GW_TRACE_COUNTS,	/* struct gw_trace_count[] up to the block's end, in no order; those with no calls hold nothing */
};

/* The first 64 bytes of each block. Members after `check` may change while the block is in use. */
struct gw_trace_block {
	uint16_t kind;		/* enum gw_trace_block_kind */
	uint16_t generation;	/* counts the times that this block was claimed, from 1, never 0: what bears another is an older use's */
	uint32_t tid;		/* kernel id of its thread; 0: definitions, and counts that all threads add to */
	uint64_t thread;	/* number of the thread in this process, from 1, in order of appearance: tids are used again */
	uint64_t sequence;	/* this thread's blocks: 0, 1, …: a gap is what a ring overwrote */
	uint64_t first;		/* how many records the thread had made before this block: numbers them across gaps */
	uint32_t sample;	/* 1: each call is here; N: about one in N */
	uint32_t check;		/* gw_trace_check_words of the first 5 words, with 0 for itself, seed 0 */
	uint32_t owner;		/* atomic: tid of the thread that writes; 0: nobody does */
	uint32_t fill;		/* atomic, definitions: bytes behind this head that were claimed; may say more than there are */
	uint32_t reserved[4];
};

enum gw_trace_record_kind {
	GW_TRACE_CALL = 1,	/* struct gw_trace_record */
	GW_TRACE_MARK = 2,	/* a definition's moment in this thread's order: `mark` numbers it (a finding, a search, a redirect) */
};

enum gw_trace_record_flags {
	GW_TRACE_LONG = 1,	/* integers of 8 bytes lie in 8 bytes (else in 4: all of this call's fit) */
	GW_TRACE_NESTED = 2,	/* made inside another recorded call */
	GW_TRACE_STACK = 4,	/* an extension word: number of the backtrace (definition "stack") */
	GW_TRACE_SHAPE = 8,	/* an extension word: number of what the opaque arguments held (definition "shape") */
	GW_TRACE_SLOW = 16,	/* an extension word: the duration, which did not fit */
	GW_TRACE_STATUS = 32,	/* an extension word: the result, which did not fit in 16 bits */
	GW_TRACE_REDIRECTED = 64,	/* another call than the program's was made: extension word, definition "redirect" */
	GW_TRACE_GPU = 128,	/* an extension word: time on the device, ns */
};

/*
 * One call: `slots` times 64 bytes, 64-byte aligned within the block. After the first 32 bytes, one behind the other with no gap: the arguments in
 * the order of the function's definition (pointers and doubles 8 bytes; int, enum, float, and with no GW_TRACE_LONG every integer, 4; a struct its
 * size, rounded up to 4), then, parameter after parameter, what those that the definition marks "in" or "out" pointed to, as many bytes as it says
 * (zeros where the call failed, the pointer is NULL or the caller's size is smaller); then the extension words, 8 bytes each, in the order of their
 * flags' bits; then zeros. So everything is aligned to 4.
 *
 * `mark` is written last: generation | slots << 16 | kind << 24 | check << 32, check = gw_trace_check_words of the 8 * slots - 1 words behind the
 * mark, seeded with the low 32 bits of mark. A record whose mark bears another generation, or none, is not there (yet). Such a slot ends a thread's
 * records but where the writer was interrupted: by a signal's handler that made calls, whose records follow, or by what killed it.
 *
 * GW_TRACE_MARK has the definition's number in words[0], and start; all else is zero.
 */
struct gw_trace_record {
	uint64_t mark;
	uint64_t start;		/* stamp */
	uint32_t duration;	/* in ticks of the same clock; 0: not timed; 0xffffffff: see GW_TRACE_SLOW */
	uint16_t fn;
	uint16_t flags;		/* enum gw_trace_record_flags */
	uint64_t caller;	/* bits 0..47: return address; bits 48..63: result (status as the caller saw it, or the value, cut; void: 0) */
	uint64_t words[4];
};

/*
 * What numbers stand for: `size` bytes, a multiple of 8, 8-byte aligned in the block, entry after entry. Claimed by adding to the block's
 * fill, then written, `state` last. An entry that stayed unfinished (the process died) is skipped by its size.
 */
struct gw_trace_definition {
	uint32_t size;		/* bytes, this head included, written right after the claim; 0: the block's end */
	uint16_t generation;	/* as in the block's head, else it is not there */
	uint16_t state;		/* 1: complete */
	uint32_t check;		/* gw_trace_check_words of the text, padded with zeros to words, seed 0 */
	uint32_t length;	/* bytes of text that follow: one JSON object, no NUL */
};

/*
 * One function's calls by the threads that used this block, one after another: sums over blocks are the process's. Where shape is not 0: how many of
 * them had that shape; these are among the others. Written by one thread at a time, or, in a block of no thread, by atomic additions.
 */
struct gw_trace_count {
	uint16_t fn;
	uint16_t skip;		/* the writer's own: how many of the next calls are not timed */
	uint32_t shape;		/* number of a definition "shape", or 0 */
	uint64_t calls, failures;
	uint64_t timed;		/* how many of the calls were timed */
	uint64_t ticks;		/* what the calls took: each timed one counts for those before it that were not */
	uint64_t longest;	/* of the timed ones */
	uint64_t latest;	/* stamp of the last timed one's end */
	uint32_t shortest;	/* of the timed ones, plus 1; 0: none */
	uint32_t average;	/* the writer's own: of the last timed ones, in ticks */
};

/*
 * Sum of products with odd constants, folded: finds any changed byte (tests/trace proves it for each byte of a record) at a few cycles a slot.
 * COUNT words of 8 bytes.
 */
static inline uint32_t gw_trace_check_words(uint64_t seed, const uint64_t *words, uint32_t count)
{
	uint64_t sum = seed * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i;

	for (i = 0; i < count; i++)
		sum += (words[i] ^ (words[i] >> 32)) * (UINT64_C(0xbf58476d1ce4e5b9) + 2 * UINT64_C(0x94d049bb133111eb) * i);
	return (uint32_t)(sum >> 32) ^ (uint32_t)sum;
}

#endif
