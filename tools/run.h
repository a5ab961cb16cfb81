/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `gangway run`: cmd_run.c checks and tells, run_options.c reads the command line, run_environment.c sets the environment. */
#ifndef GW_TOOLS_RUN_H
#define GW_TOOLS_RUN_H

#include <stdbool.h>
#include "layout.h"
#include "python.h"

struct gw_run {
	const char *facades, *log, *findings, *library_path, *built_for, *policy;
	const char *trace, *trace_level, *trace_size, *trace_full;
	bool no_audit, quiet, explain, no_crash_report, no_pairing;
	struct gw_python_paths python;
	struct gw_layout layout;
	char *program; /* the file that will be executed */
	bool helpless; /* the loader ignores the preload in this program, though not in its children */
};

/* Reads the command line; optind is then where the program stands. -1: go on; else the exit status. */
int gw_run_parse(struct gw_run *run, int argc, char **argv) __attribute__((nonnull));
/* Does --facades name some, one by one? */
bool gw_run_names_facades(const struct gw_run *run) __attribute__((nonnull));
/* Sets all that the loader, the auditor and the shim read. An enum gw_exit. */
int gw_run_set_environment(struct gw_run *run) __attribute__((nonnull));

#endif
