/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of `gangway report`, `top` and `metrics` share: what is asked for, and the sums over all files, by name. report_scan.c fills the
 * model from files, report_json.c makes the report of it (docs/report.md), and all outputs but those of single calls are readings of that.
 */
#ifndef GW_TOOLS_REPORT_H
#define GW_TOOLS_REPORT_H

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <uthash.h>
#include "trace_index.h"
#include "trace_sum.h"

struct gw_report_choice {
	char **functions;	/* names, with * and ?; or family:name */
	size_t function_count;
	int64_t from, to;	/* ns of CLOCK_REALTIME; INT64_MIN, INT64_MAX: no end */
	unsigned threads;
	bool progress;		/* a bar on stderr */
	bool quiet;		/* files that cannot be read are not told: `top` looks again */
};

enum gw_table {
	GW_TABLE_FUNCTIONS, GW_TABLE_SHAPES, GW_TABLE_FAILURES, GW_TABLE_CALLERS, GW_TABLE_STACKS, GW_TABLE_REDIRECTS, GW_TABLE_FINDINGS,
	GW_TABLE_LIBRARIES, GW_TABLE_SEQUENCES, GW_TABLE_DECISIONS, GW_TABLES
};

struct gw_row {
	char *key;
	json_t *facts;		/* what it is about */
	struct gw_sum sum;	/* ns */
	uint64_t recorded, processes, seen;	/* seen: the last file that had it */
	uint32_t *steps;	/* functions: a histogram, GW_SUM_STEPS */
	UT_hash_handle hh;
};

struct gw_model {
	pthread_mutex_t lock;
	struct gw_row *tables[GW_TABLES];
	uint32_t counts[GW_TABLES];
	json_t *processes, *searches, *problems, *levels;
	struct gw_sum_line line;
	struct gw_sequence_data sequences;
	uint64_t files, records, dropped, overwritten, damages, notes, bytes, unread;
	int64_t first, last;	/* ns of CLOCK_REALTIME; first > last: nothing */
	bool no_memory;
};

struct gw_trace_paths {
	char **paths;
	size_t count;
};

/* Each FILE, and each *.gwt below each directory, by name. 0, or -1 after a complaint: an argument that is not there. */
int gw_trace_paths_find(struct gw_trace_paths *paths, char **arguments, size_t count) __attribute__((nonnull));
void gw_trace_paths_finish(struct gw_trace_paths *paths) __attribute__((nonnull));

/* 0; or -1 after a complaint. */
int gw_model_init(struct gw_model *model) __attribute__((nonnull, warn_unused_result));
void gw_model_finish(struct gw_model *model) __attribute__((nonnull));

/*
 * Reads all files. What cannot be read at all is a problem in the model. 0, or -1 after a complaint (no memory).
 */
int gw_report_scan(struct gw_model *model, const struct gw_trace_paths *paths, const struct gw_report_choice *choice) __attribute__((nonnull));

/* What of FILE counts. FUNCTIONS: function_count + 1 bytes of the caller's. false: nothing. */
bool gw_report_choose(const struct gw_report_choice *choice, const struct gw_trace_file *file, const struct gw_trace_definitions *definitions,
		      uint32_t function_count, unsigned char *functions, struct gw_sum_choice *chosen) __attribute__((nonnull));

/* A file that was read, its sums by COUNT threads. COUNTED, COUNTED_SHAPES: of its blocks of counts, in ticks. */
void gw_model_add(struct gw_model *model, struct gw_trace_file *file, const struct gw_trace_definitions *definitions, const struct gw_trace_index *index,
		  struct gw_trace_sums *sums, unsigned count, const struct gw_sum *counted, struct gw_sum_table *counted_shapes) __attribute__((nonnull));
void gw_model_problem(struct gw_model *model, const char *path, const struct gw_trace_problem *problem, bool unread) __attribute__((nonnull));

struct gw_row *gw_model_row(struct gw_model *model, enum gw_table table, const char *key) __attribute__((nonnull));

/* The rank of a process, from its environment; -1: none. */
long gw_report_rank(const json_t *process);
/* "libfoo.so+0x1234": where a call came from. */
void gw_report_site(const struct gw_trace_definitions *definitions, uint64_t address, char *site, size_t size) __attribute__((nonnull));

/* The device's peak, in TFLOP/s, by type of number. */
struct gw_peaks {
	char device[64], source[200];
	struct { char type[16]; double tflops; } list[32];
	size_t count;
};
/* TEXT: a device of abi/peaks, or bf16=989,tf32=494. 0, or -1 after a complaint. */
int gw_peaks_read(struct gw_peaks *peaks, const char *text) __attribute__((nonnull));
/* The type of number that a shape is of, as abi/peaks and abi/workspaces call it. */
void gw_report_type(const json_t *shape, char type[16]) __attribute__((nonnull));
double gw_peaks_of(const struct gw_peaks *peaks, const char *type);	/* 0: unknown */

/* Each call, one after another: JSON lines, CSV, text. An enum gw_exit. */
enum gw_calls_form { GW_CALLS_JSONL, GW_CALLS_CSV, GW_CALLS_TEXT, GW_CALLS_CHROME, GW_CALLS_PERFETTO };
int gw_report_calls(FILE *out, const struct gw_trace_paths *paths, const struct gw_report_choice *choice, enum gw_calls_form form) __attribute__((nonnull));
/* Record NUMBER (its offset in the file / 64) as a command that runs it again. */
int gw_report_rerun(FILE *out, const char *path, uint64_t number) __attribute__((nonnull));

void gw_report_text(FILE *out, const json_t *report, bool color) __attribute__((nonnull));
int gw_report_html(FILE *out, const json_t *report) __attribute__((nonnull));

/* The whole report; NULL after a complaint. */
json_t *gw_report_json(struct gw_model *model, const struct gw_peaks *peaks) __attribute__((nonnull(1)));
/* What the report finds by itself: sequences, workspaces, damage; appended to its "advice". */
void gw_report_advise(json_t *report, struct gw_model *model) __attribute__((nonnull));

#endif
