/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `gangway scan` finds out about one file: which file each name that it needs would get,
 * directly and further down, and which functions of the known families it imports. The outcome is
 * JSON, of which the text output is a reading. Executes nothing.
 */
#ifndef GW_TOOLS_SCAN_H
#define GW_TOOLS_SCAN_H

#include <jansson.h>
#include "abi/db.h"
#include "gw_findings.h"
#include "loader.h"
#include "python.h"

struct gw_scan {
	struct gw_loader loader;
	struct abi_db db;             /* empty where there is no database */
	struct gw_python_paths given; /* --python; empty: each file's own */
	const char *facades;          /* the directory of facades; NULL for none */
};

/*
 * One entry of "files" of the JSON output, to json_decref. NULL with a message in ERROR where PATH
 * cannot be scanned. SEVERE is set when something is missing that neither a real file nor a facade
 * will serve.
 */
json_t *gw_scan_file(const struct gw_scan *scan, const char *path, bool *severe, char *error,
		     size_t error_size) __attribute__((nonnull));

/* scan_imports.c: "imports" of one file; adds findings about functions that no known release has.
 */
json_t *gw_scan_imports(const struct abi_db *db, const struct gw_elf *elf, json_t *findings,
			bool *severe) __attribute__((nonnull));
/* scan_built.c: "built_for" of one file: for each family, the oldest and newest release that it may have been built for, and what says so. */
json_t *gw_scan_built(const struct abi_db *db, const struct gw_elf *elf, const char *path)
	__attribute__((nonnull));
/* The family of a soname, NULL where the database knows none. */
const struct abi_family *gw_scan_family(const struct abi_db *db, const char *soname)
	__attribute__((nonnull));
/* REMEDY: NULL for the finding's own. */
void gw_scan_finding(json_t *findings, enum gw_finding which, const char *remedy, const char *format,
		     ...) __attribute__((nonnull(1, 4), format(printf, 4, 5)));

#endif
