/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control page, through which `gangway trace PID …` reaches a running process: a memfd called GW_CONTROL_NAME, which libgangway.so makes at
 * the first vendor call and maps over its own table, so that a change counts at the next call. Opened by the tool as /proc/PID/fd/N; who may
 * do that is the kernel's to decide. All numbers little-endian, all stores of the tool single words or bytes.
 */
#ifndef GW_CONTROL_FORMAT_H
#define GW_CONTROL_FORMAT_H

#include <stdint.h>

#define GW_CONTROL_NAME "gangway-control"
#define GW_CONTROL_MAGIC "gangway control"	/* 16 bytes with its NUL; written last */
#define GW_CONTROL_VERSION 1u
#define GW_CONTROL_SWITCHES 64u

/* What is done with a function's calls: struct gw_control's level[]. */
enum gw_control_level {
	GW_CONTROL_UNDECIDED = 0,	/* nobody has asked for this function's level yet */
	GW_CONTROL_OFF = 1,		/* alone: nothing */
	GW_CONTROL_COUNT = 2,		/* calls, failures, times */
	GW_CONTROL_RECORD = 4,		/* and a record of each call */
	GW_CONTROL_SAMPLE = 8,		/* of about one in every[fn] calls */
	GW_CONTROL_STACK = 16,		/* with the backtrace */
	GW_CONTROL_TIME = 32,		/* each call is timed, also cheap ones */
};

/* Behind it, at names_at: for each function, in order of their numbers, FAMILY, a NUL, NAME, a NUL. */
struct gw_control {
	char magic[16];
	uint32_t version;
	uint32_t size;			/* of this struct */
	uint32_t pid;			/* whose it is: a forked child has another */
	uint32_t function_count;
	uint32_t level_at;		/* offset of uint8_t level[function_count] */
	uint32_t every_at;		/* offset of uint16_t every[function_count] */
	uint32_t names_at, names_size;
	char build_id[80];
	/* The rest is the tool's to change. */
	uint32_t changes;		/* counts changes of levels: the process notes each as a definition */
	uint32_t reserved;
	char directory[1024];		/* where a trace is begun when there is none; written before the levels */
	uint32_t switches[GW_CONTROL_SWITCHES];	/* kept for what else may be switched while a program runs; 0 */
};

#endif
