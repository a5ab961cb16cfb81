/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `gangway scan` finds out about one file: which file each name that it needs would get,
 * directly and further down, what would fail when they are bound to each other, and which functions
 * of the known families it imports. The outcome is JSON, of which the text output is a reading.
 * Executes nothing.
 */
#ifndef GW_TOOLS_SCAN_H
#define GW_TOOLS_SCAN_H

#include <jansson.h>
#include "abi/db.h"
#include "gw_findings.h"
#include "loader.h"
#include "loader_bind.h"
#include "python.h"

struct gw_scan {
	struct gw_loader loader;
	struct abi_db db;             /* empty where there is no database */
	struct gw_python_paths given; /* --python; empty: each file's own */
	const char *facades;          /* the directory of facades; NULL for none */
	void *packages;               /* private to scan_built.c */
	void *environments;           /* private to scan_python.c */
};

/* What is known of the file that is being scanned. */
struct gw_scan_walk {
	struct gw_scan *scan;
	const struct gw_python_paths *python; /* this file's own, or those that were given */
	struct gw_map map;
	json_t *needs, *findings;
	bool scopes_known; /* of a process: does the map tell who sees whom? */
	bool *severe;
};

/*
 * One entry of "files" of the JSON output, to json_decref. NULL with a message in ERROR where PATH
 * cannot be scanned. SEVERE is set when something is missing that neither a real file nor a facade
 * will serve.
 */
json_t *gw_scan_file(struct gw_scan *scan, const char *path, bool *severe, char *error,
		     size_t error_size) __attribute__((nonnull));

/* scan_process.c: an entry for each file that the process has mapped, appended to FILES, and what
 * is the matter with all of them, to FINDINGS. The loader's root must be the process's. 0 or -1
 * with a message in ERROR. */
int gw_scan_process(struct gw_scan *scan, int pid, json_t *files, json_t *findings, bool *severe,
		    char *error, size_t error_size) __attribute__((nonnull));

/* scan_python.c: the Python paths of a program or library, those given first of all; owned by SCAN.
 * NULL: out of memory. */
const struct gw_python_paths *gw_scan_python(struct gw_scan *scan, const char *path)
	__attribute__((nonnull));
/* The python that opens extensions there, as seen inside the root, to free; NULL: there is none. */
char *gw_scan_python_program(const struct gw_scan_walk *walk) __attribute__((nonnull));
/* The one file NAME in <site>/nvidia/<package>/lib, to free; NULL where there are none, or several
 * that differ. The loader's fallback; WALK is a gw_scan_walk. */
char *gw_scan_search_python(void *walk, const char *name) __attribute__((nonnull));
void gw_scan_forget_python(struct gw_scan *scan) __attribute__((nonnull));

/* scan_needs.c: "needs" of OBJECT into the walk's needs, with their findings. */
void gw_scan_needs(struct gw_scan_walk *walk, const struct gw_scope *scope)
	__attribute__((nonnull));
/* Is there a facade of that soname? */
bool gw_scan_has_facade(const struct gw_scan *scan, const char *name) __attribute__((nonnull));

/* scan_faults.c: what the loader would end with, as findings; "missing" of IMPORTS gets what the
 * first object of SCOPE imports and would not get. Where ONE, faults of that object alone. */
void gw_scan_faults(struct gw_scan_walk *walk, const struct gw_faults *faults,
		    const struct gw_mapped *first, json_t *imports, bool one)
	__attribute__((nonnull));
/* Objects that must come from one directory, and do not, where no fault has told of them. ONE: what
 * that object needs alone; NULL: all. */
void gw_scan_partners(struct gw_scan_walk *walk, const struct gw_faults *faults,
		      const struct gw_mapped *one) __attribute__((nonnull(1, 2)));

/* scan_release.c: the release of a file as far as its place, its name or its exports tell, to free:
 * "12.8.5.5", "12.8.3.14 to 12.8.5.5"; NULL where nothing does. BY_EXPORTS: may take long. */
char *gw_scan_release(struct gw_scan *scan, const char *path, bool by_exports)
	__attribute__((nonnull));
/* "nvidia-cublas-cu12" of a release's wheel, to free; NULL. */
char *gw_scan_package(const struct abi_family *family, const char *release)
	__attribute__((nonnull));
/* The suite of a soname, of which all must come from one directory; NULL. */
const char *gw_scan_suite(const struct abi_db *db, const char *soname) __attribute__((nonnull));

/* scan_imports.c: "imports" of one file; adds findings about functions that no known release has.
 */
json_t *gw_scan_imports(const struct abi_db *db, const struct gw_elf *elf, json_t *findings,
			bool *severe) __attribute__((nonnull));
/* The oldest release of any soname of the family that exports SYMBOL; NULL where none does. */
const char *gw_scan_first_release(const struct abi_family *family, const char *symbol)
	__attribute__((nonnull));
/* scan_built.c: "built_for" of one file: for each family, the oldest and newest release that it may
 * have been built for, and what says so. */
json_t *gw_scan_built(struct gw_scan *scan, const struct gw_elf *elf, const char *path)
	__attribute__((nonnull));
void gw_scan_forget_packages(struct gw_scan *scan) __attribute__((nonnull));
/* The family of a soname, NULL where the database knows none. */
const struct abi_family *gw_scan_family(const struct abi_db *db, const char *soname)
	__attribute__((nonnull));
/* REMEDY: NULL for the finding's own. */
void gw_scan_finding(json_t *findings, enum gw_finding which, const char *remedy, const char *format,
		     ...) __attribute__((nonnull(1, 4), format(printf, 4, 5)));

#endif
