/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the numbers in a trace stand for: its definitions, read once, before the records. All strings live as long as the struct. Definitions,
 * members and classes of parameters that this gangway does not know are left alone.
 */
#ifndef GW_TRACE_DEFINE_H
#define GW_TRACE_DEFINE_H

#include <jansson.h>
#include "trace_map.h"
#include "trace_read.h"

enum gw_trace_class {	/* of a parameter */
	GW_TRACE_INT32, GW_TRACE_UINT32, GW_TRACE_INT64, GW_TRACE_UINT64, GW_TRACE_INT8, GW_TRACE_FLOAT, GW_TRACE_DOUBLE, GW_TRACE_POINTER,
	GW_TRACE_STRING, GW_TRACE_STRUCT, GW_TRACE_OTHER,
};

enum gw_trace_result { GW_TRACE_RESULT_VOID, GW_TRACE_RESULT_STATUS, GW_TRACE_RESULT_VALUE };

struct gw_trace_parameter {
	const char *name, *enumeration;		/* enumeration: NULL for none */
	enum gw_trace_class class;
	uint32_t size, in, out;			/* size: a struct's; in, out: bytes of what it points to */
	uint32_t place[2], payload[2];		/* where it lies in the record, and what it points to: without and with GW_TRACE_LONG */
};

struct gw_trace_function {
	const char *name, *family;		/* NULL: not defined */
	enum gw_trace_result result;
	enum gw_trace_class value;		/* of a GW_TRACE_RESULT_VALUE */
	int64_t success;			/* of a GW_TRACE_RESULT_STATUS: the status that is no failure */
	uint32_t parameter_count;
	uint32_t end[2];			/* where extension words begin, without and with GW_TRACE_LONG */
	struct gw_trace_parameter *parameters;
};

struct gw_trace_object {			/* a library of a family, or any file that calls */
	const char *path, *family, *build_id, *release, *soname;	/* NULL where unknown; family: a vendor's library */
	uint64_t low, high, stamp;
	json_t *statuses;			/* {family: id}, or NULL */
};

struct gw_trace_shape {
	uint64_t id;
	const char *function, *kind, *text, *type;
	double m, n, k, batch, flops, workspace;	/* workspace < 0: not told */
	json_t *json;
};

struct gw_trace_stack {
	uint64_t *frames;			/* the innermost first */
	uint32_t count;
};

struct gw_trace_definitions {
	json_t *process;			/* an empty object where it is missing */
	struct gw_trace_function *functions;
	uint32_t function_count;
	struct gw_trace_object *objects;	/* sorted by low address */
	uint32_t object_count;
	struct gw_trace_shape *shapes;
	uint32_t shape_count;
	struct gw_trace_map shape_by_id;
	struct gw_trace_stack *stacks;
	uint32_t stack_count;
	struct gw_trace_map stack_by_id;
	json_t *enums, *statuses;		/* {name: {constant: number}}; {"id": {"family", "values"}} */
	json_t *threads;			/* {"thread number": definition} */
	json_t *findings, *searches, *redirects, *levels;	/* definitions, as they came */
	json_t *all;				/* keeps every object that a string above lies in */
	uint32_t count, unknown;
	bool no_memory;
};

/* Reads all definition blocks of FILE. Damage is noted there. */
void gw_trace_define(struct gw_trace_definitions *definitions, struct gw_trace_file *file) __attribute__((nonnull));
void gw_trace_define_finish(struct gw_trace_definitions *definitions) __attribute__((nonnull));

/* The object that ADDRESS lies in; NULL for none. */
const struct gw_trace_object *gw_trace_object_at(const struct gw_trace_definitions *definitions, uint64_t address) __attribute__((nonnull));

/* What VALUE is called in the enum NAME; NULL: nothing. */
const char *gw_trace_enum_name(const struct gw_trace_definitions *definitions, const char *name, int64_t value) __attribute__((nonnull(1)));

/* The status VALUE of FAMILY as its caller CALLER (an address) knows it; NULL: no name. */
const char *gw_trace_status_name(const struct gw_trace_definitions *definitions, const char *family, uint64_t caller, int64_t value)
	__attribute__((nonnull(1, 2)));

/* A member's text, or OTHERWISE. */
const char *gw_trace_text(const json_t *object, const char *member, const char *otherwise);

#endif
