/* SPDX-License-Identifier: Apache-2.0 */
/* Reads abi/frameworks (abi/README.md: grammar): what Python frameworks map of the vendor's libraries, and how. */
#ifndef GW_TOOLS_DOCTOR_FRAMEWORKS_H
#define GW_TOOLS_DOCTOR_FRAMEWORKS_H

#include <stddef.h>
#include "abi/db.h"

enum gw_framework_kind {
	GW_FRAMEWORK,		/* NAME DIRECTORY */
	GW_FRAMEWORK_PACKAGE,	/* PATTERN… */
	GW_FRAMEWORK_SOURCE,
	GW_FRAMEWORK_AFTER,	/* NAME */
	GW_FRAMEWORK_OPENS,	/* PATTERN */
	GW_FRAMEWORK_LATER,	/* PATTERN */
	GW_FRAMEWORK_INSTEAD,	/* PATTERN */
	GW_FRAMEWORK_PRELOADS,	/* FOLDER PATTERN */
	GW_FRAMEWORK_ASKS,	/* MAJOR PATTERN NAME… */
	GW_FRAMEWORK_CUDA,	/* FILE KEY */
	GW_FRAMEWORK_CUDNN,	/* FILE KEY */
};

struct gw_framework_line {
	enum gw_framework_kind kind;
	char *text;  /* the words, each ended by NUL */
	char **word; /* into text; NULL at its end */
	size_t words;
};

/* A framework begins with a line of kind GW_FRAMEWORK, and goes on to the next. */
struct gw_frameworks {
	struct gw_framework_line *line;
	size_t count;
};

/* 0, or -errno with FILE:LINE in ERROR; FRAMEWORKS is empty then. */
int gw_frameworks_load(struct gw_frameworks *frameworks, const char *path, struct abi_error *error) __attribute__((warn_unused_result, nonnull));
void gw_frameworks_finish(struct gw_frameworks *frameworks) __attribute__((nonnull));

#endif
