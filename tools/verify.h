/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of `gangway verify`: cmd_verify.c reads the command line, verify_find.c decides which files a program would get, verify_start.c has
 * gangway-verify compute, verify_compare.c puts the two runs side by side, verify_print.c writes that as text (docs/verify.md).
 */
#ifndef GW_TOOLS_VERIFY_H
#define GW_TOOLS_VERIFY_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "layout.h"
#include "loader.h"
#include "python.h"

enum { GW_VERIFY_MOST_LIBRARIES = 16 };

/* A library that steps ask for. */
struct gw_verify_library {
	const char *name;   /* "cublasLt" */
	const char *soname; /* that programs ask for */
	char *path;         /* the file that they get; NULL where there is none, and the loader is asked by the name */
	bool needed;        /* it has to be there: the program asks for it, or it is what --major is about */
};

struct gw_verify {
	/* what was asked for */
	const char *program, *library_path;
	char **steps; /* --only; NULL at the end */
	size_t step_count;
	struct gw_python_paths python;
	bool python_given;
	int major; /* 0: whatever is there */
	double limit; /* seconds a step; 0 for the helper's own */

	struct gw_layout layout;
	char helper[PATH_MAX];
	struct gw_loader loader;
	struct gw_verify_library library[GW_VERIFY_MOST_LIBRARIES];
	size_t library_count;
	char *framework; /* the file of the Python environment that says which libraries are needed; NULL for none */
	json_t *findings; /* of the comparison */
	bool severe, incomplete;
};

/* Fills library[] (and framework). 0; an enum gw_exit after a complaint. */
int gw_verify_find(struct gw_verify *verify) __attribute__((warn_unused_result, nonnull));

/* Is STEP one? Asks the helper. An enum gw_exit; after a complaint where it is not GW_EXIT_FINE. */
int gw_verify_check_steps(const struct gw_verify *verify) __attribute__((warn_unused_result, nonnull));
/*
 * Runs the helper, bare or under `gangway run`. An array of its lines, NULL after a complaint. SAID gets an array of what gangway told.
 */
json_t *gw_verify_start(const struct gw_verify *verify, bool with_shim, json_t **said) __attribute__((warn_unused_result, nonnull));

/* The report: {"libraries", "steps", "said", "findings"}. Sets severe and incomplete. NULL without memory. */
json_t *gw_verify_compare(struct gw_verify *verify, json_t *bare, json_t *with, json_t *said) __attribute__((warn_unused_result, nonnull));

void gw_verify_print(json_t *report) __attribute__((nonnull));

#endif
