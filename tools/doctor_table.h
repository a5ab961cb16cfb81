/* SPDX-License-Identifier: Apache-2.0 */
/* Reads abi/drivers (abi/README.md: grammar): which driver runs which CUDA and PTX, and which GPU has which architecture. */
#ifndef GW_TOOLS_DOCTOR_TABLE_H
#define GW_TOOLS_DOCTOR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include "abi/db.h"

enum gw_table_kind { GW_TABLE_CUDA, GW_TABLE_WITHIN, GW_TABLE_PTX, GW_TABLE_GPU };

struct gw_table_row {
	enum gw_table_kind kind;
	char *name, *value; /* as they stand on the line: "12.4", "550.54.14" */
};

struct gw_table {
	struct gw_table_row *row;
	size_t count;
};

/* 0, or -errno with FILE:LINE in ERROR; TABLE is empty then. */
int gw_table_load(struct gw_table *table, const char *path, struct abi_error *error) __attribute__((warn_unused_result, nonnull));
void gw_table_finish(struct gw_table *table) __attribute__((nonnull));

/* The newest CUDA that DRIVER comes with; NULL where it is older than any that is known. NEWER is set where the driver is of a newer branch
 * than any that is known: then it may run more than that. */
const char *gw_table_maximum(const struct gw_table *table, const char *driver, bool *newer) __attribute__((nonnull));
/* The oldest driver that comes with CUDA (two parts count), and the oldest that runs programs of its major release; NULL where unknown. */
const char *gw_table_driver(const struct gw_table *table, const char *cuda) __attribute__((nonnull));
const char *gw_table_within(const struct gw_table *table, const char *cuda) __attribute__((nonnull));
/* The first CUDA whose driver knows this PTX; NULL where unknown. */
const char *gw_table_ptx(const struct gw_table *table, unsigned major, unsigned minor) __attribute__((nonnull));
/* "9.0" of a GPU's name; NULL. */
const char *gw_table_gpu(const struct gw_table *table, const char *model) __attribute__((nonnull));

/* <0, 0, >0; parts that one of them lacks count as equal: "8.9.2" is "8.9.2.26". */
int gw_release_compare(const char *a, const char *b) __attribute__((nonnull));

#endif
