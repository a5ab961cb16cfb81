/* SPDX-License-Identifier: Apache-2.0 */
/* From numbers of one file to rows by name: the part of the model (report.h) that knows what each table is about. Ticks become ns here. */
#ifndef GW_TOOLS_REPORT_ROWS_H
#define GW_TOOLS_REPORT_ROWS_H

#include "report.h"

struct gw_rows {		/* whose numbers come; the model is locked */
	struct gw_model *model;
	const struct gw_trace_definitions *definitions;
	struct gw_trace_file *file;
	double scale;
	const char *program;
	double *means;		/* ticks a call, by function: what is counted, else what is recorded */
	uint32_t mean_count;
};

void gw_rows_function(struct gw_rows *c, uint32_t fn, const struct gw_sum *recorded, const struct gw_sum *counted) __attribute__((nonnull));
void gw_rows_steps(struct gw_rows *c, const struct gw_trace_sums *sums, uint32_t fn) __attribute__((nonnull));
void gw_rows_shapes(struct gw_rows *c, const struct gw_sum_table *recorded, const struct gw_sum_table *counted) __attribute__((nonnull));
/* Failures, callers, stacks, redirects, sequences. */
void gw_rows_tables(struct gw_rows *c, const struct gw_trace_sums *sums) __attribute__((nonnull));
/* Findings and libraries. */
void gw_rows_definitions(struct gw_rows *c) __attribute__((nonnull));

/* TEXT as JSON: what is no UTF-8 loses its odd bytes. */
json_t *gw_model_text(const char *text) __attribute__((nonnull));

#endif
