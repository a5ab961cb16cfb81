/* SPDX-License-Identifier: Apache-2.0 */
/* What the forms of single calls share: report_calls.c visits the records of each file by time, and hands each to one of them. */
#ifndef GW_TOOLS_REPORT_CALLS_H
#define GW_TOOLS_REPORT_CALLS_H

#include "report.h"
#include "trace_decode.h"

struct gw_calls_process {	/* whose records come */
	struct gw_trace_file *file;
	const struct gw_trace_definitions *definitions;
	const struct gw_trace_index *index;
	const char *host, *program;
	long rank;		/* -1: none */
	unsigned ordinal;	/* from 1 */
	int64_t base;		/* ns of CLOCK_REALTIME that all files' times can be counted from */
};

struct gw_calls_record {
	uint64_t number, thread;	/* number: offset in the file / 64 */
	uint32_t tid, sample;
	int64_t time;			/* ns of CLOCK_REALTIME */
	uint64_t ns;			/* 0: not timed */
	bool mark;			/* else CALL is set */
	uint64_t mark_number;
	struct gw_trace_call call;
};

struct gw_calls_writer {
	void (*begin)(FILE *out);
	void (*process)(FILE *out, const struct gw_calls_process *process);
	void (*record)(FILE *out, const struct gw_calls_process *process, const struct gw_calls_record *record);
	void (*end)(FILE *out);
};

extern const struct gw_calls_writer gw_calls_jsonl, gw_calls_csv, gw_calls_text, gw_calls_chrome, gw_calls_perfetto;

/* What the definition of a mark says, for people; "" where there is none. */
const char *gw_calls_mark_text(const struct gw_calls_process *process, uint64_t number) __attribute__((nonnull));
/* What a thread is called, or NULL. */
const char *gw_calls_thread_name(const struct gw_calls_process *process, uint64_t thread) __attribute__((nonnull));

#endif
