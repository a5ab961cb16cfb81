/* SPDX-License-Identifier: Apache-2.0 */
/* Between calls.c and its plug-ins: what a plug-in calls, and what is timed. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stddef.h>

/* One function that a plug-in calls. OWN is what its own reference binds to; RAW the vendor library's, found without gangway. */
struct bench_function {
	const char *name;
	void *own, *raw;
};

/*
 * One thing that is timed: COUNT calls, through the library's own functions (RAW) or as the plug-in is bound. BASE is what the same
 * costs without what is translated, where that is another call; NULL: the same one.
 */
struct bench_row {
	const char *what;
	void (*run)(int raw, long count);
	void (*base)(int raw, long count);
};

/* A plug-in exports these; both lists end with a NULL name. PREPARE returns 0, or what failed. */
extern struct bench_function bench_functions[];
extern const struct bench_row bench_rows[];
const char *bench_prepare(void);

#endif
