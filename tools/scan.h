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
#include "fatbin.h"
#include "known.h"
#include "loader_bind.h"
#include "python.h"
#include "scan_strings.h"

#define GW_SCAN_GPUS 16

/* Where the files will run: what the command line says of it, else what the machine (or the root) does. */
struct gw_scan_machine {
	char *driver, *driver_from; /* "535.104.05", and where that was read; NULL: there is none */
	struct gw_gpu gpu[GW_SCAN_GPUS];
	size_t gpu_count; /* 0: not known */
	bool gpu_given;	  /* by --gpu: somebody means to use one */
};

struct gw_scan {
	struct gw_loader loader;
	struct abi_db db;             /* empty where there is no database */
	struct gw_known known;        /* the same */
	struct gw_scan_machine machine;
	struct gw_python_paths given; /* --python; empty: each file's own */
	const char *facades;          /* the directory of facades; NULL for none */
	void *packages;               /* private to scan_built.c */
	void *environments;           /* private to scan_python.c */
	void *wanted;                 /* private to scan_copies.c */
};

/* What is known of the file that is being scanned. */
struct gw_scan_walk {
	struct gw_scan *scan;
	const struct gw_python_paths *python; /* this file's own, or those that were given */
	struct gw_map map;
	const struct gw_mapped *first; /* the file itself */
	struct gw_strings strings;     /* of it */
	char *info;                    /* the .dist-info of its Python package, or NULL */
	json_t *needs, *findings, *built;
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

/* scan_print.c: "files" and "findings" of the JSON as text on stdout. */
void gw_scan_print(json_t *files, json_t *findings) __attribute__((nonnull));

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
/* The file that the facade NAME would forward to, to free; NULL with what it lacks in *LACKING, to free. */
char *gw_scan_target(const struct gw_scan_walk *walk, const char *name, char **lacking) __attribute__((nonnull));
/* The family of a library's file name: one of the database, or another of the vendor's; NULL. */
const char *gw_scan_family_name(const struct gw_scan *scan, const char *base) __attribute__((nonnull));

/* scan_opened.c: what the file opens by itself, or wants to be opened before: into the walk's needs, with their findings. */
void gw_scan_opened(struct gw_scan_walk *walk) __attribute__((nonnull));

/* scan_machine.c: what the machine below the loader's root has: its driver and its GPUs. DRIVER, GPU…: given ones instead. */
int gw_scan_machine_find(struct gw_scan *scan, const char *driver) __attribute__((nonnull(1)));
void gw_scan_machine_finish(struct gw_scan_machine *machine) __attribute__((nonnull));

/* scan_gpu.c: "gpu", the code for GPUs in the file, to own; adds what its PTX was compiled by to the walk's built, and findings of what
 * the machine's driver and GPUs cannot use. */
json_t *gw_scan_gpu(struct gw_scan_walk *walk) __attribute__((nonnull));
/* scan_contents.c: {"static", "exports"}: the vendor's code that the file contains, and the vendor's names that it exports, to own; and their
 * findings. */
json_t *gw_scan_contents(struct gw_scan_walk *walk) __attribute__((nonnull));

/* scan_major.c: names that it lacks, where libraries of other major releases are there. */
void gw_scan_major(struct gw_scan_walk *walk) __attribute__((nonnull));
/* The package that holds SONAME and goes with the file, to free: "nvidia-cublas-cu12==12.2.5.6" where the file's own package asks for that
 * version; NULL where none is known. */
char *gw_scan_wheel(const struct gw_scan_walk *walk, const char *soname) __attribute__((nonnull));

/* scan_copies.c: does what the file gets do for what it was built for? Notes both for gw_scan_copies. */
void gw_scan_note_copies(struct gw_scan_walk *walk) __attribute__((nonnull));
/* Of all files that were scanned: which copy of a library would do for each. */
void gw_scan_copies(struct gw_scan *scan, json_t *findings) __attribute__((nonnull));
void gw_scan_forget_copies(struct gw_scan *scan) __attribute__((nonnull));

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
json_t *gw_scan_built(struct gw_scan *scan, const struct gw_elf *elf, const struct gw_strings *strings, const char *info)
	__attribute__((nonnull(1, 2, 3)));
/* scan_package.c: the .dist-info of the Python package that PATH belongs to, to free; NULL. */
char *gw_scan_package_info(struct gw_scan *scan, const char *path) __attribute__((nonnull));
/* Each "NAME ==VERSION" that it requires, extras included; NAME with hyphens. */
typedef void gw_scan_requirement(void *context, const char *name, const char *version);
void gw_scan_each_requirement(const char *info, gw_scan_requirement *each, void *context) __attribute__((nonnull(1, 2)));
/* The version of PACKAGE that it requires, to free; NULL. INFO may be NULL. */
char *gw_scan_pin(const char *info, const char *package) __attribute__((nonnull(2)));
void gw_scan_forget_packages(struct gw_scan *scan) __attribute__((nonnull));
/* The family of a soname, NULL where the database knows none. */
const struct abi_family *gw_scan_family(const struct abi_db *db, const char *soname)
	__attribute__((nonnull));
/* REMEDY: NULL for the finding's own. */
void gw_scan_finding(json_t *findings, enum gw_finding which, const char *remedy, const char *format,
		     ...) __attribute__((nonnull(1, 4), format(printf, 4, 5)));

#endif
