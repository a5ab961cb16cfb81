/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of libgangway-audit.so, the LD_AUDIT library that decides which FILE answers a search.
 * It lives in a namespace of its own, without a C library (audit_system.h): it shares no variable
 * with libgangway.so, and has no errno to spoil.
 *
 * Threads: the loader calls in with its load lock held (or before there is a second thread), one
 * search at a time. So everything here is static memory without locks; nothing allocates. Paths
 * that do not fit GW_AUDIT_PATH are treated as absent.
 */
#ifndef GW_AUDIT_H
#define GW_AUDIT_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#include "gw_findings.h"

#define GW_AUDIT_PATH 4096
#define GW_AUDIT_NAME 256

/* One facade, as abi/treatment tells (meson writes the table into audit_table.h). */
struct gw_audit_facade {
	const char *soname;
	const char *group;   /* its suite, or its family where that is no suite: these come from one
				directory together */
	const char *setting; /* the variable that names its directory: GANGWAY_CUBLAS */
	const char *const *targets; /* NULL-terminated */
};

extern const struct gw_audit_facade gw_audit_facades[]; /* ends with soname NULL */
const struct gw_audit_facade *gw_audit_facade_find(const char *soname) __attribute__((nonnull));

/* What the environment says; empty strings where it says nothing. Read once, when the loader
 * announces itself. */
struct gw_audit_settings {
	const char *facades, *facade_dir, *python_paths, *library_path, *loader_path, *log,
		*findings;
	bool disabled, explain, quiet, no_pairing;
};

extern struct gw_audit_settings gw_audit_settings;

/* audit_loader.c: questions to the loader. */

/* Is MAP the loader itself, met for the first time? From then on the questions below have answers.
 * The program's is met before. */
bool gw_audit_loader_meet(struct link_map *map) __attribute__((nonnull));
/* Is MAP a C library of a release whose loader keeps the name that was asked for beside the one we
 * answer? */
bool gw_audit_loader_is_new(const struct link_map *map) __attribute__((nonnull));
/* A variable of the environment that the process began with; an empty string when it is not set. */
const char *gw_audit_setting(const char *variable) __attribute__((nonnull, returns_nonnull));
/* The directories that MAP's searches go through, but for the cache. Valid until the next call.
 * NULL: cannot tell. */
const Dl_serinfo *gw_audit_loader_searches(struct link_map *map);
/* Likewise those that end every search. */
const Dl_serinfo *gw_audit_loader_defaults(void);

/* audit_look.c: questions to the file system. None changes anything. */

/* Would the loader stop its search at this file? True for anything that is not an object of another
 * class or machine. */
bool gw_audit_file_stops(const char *path) __attribute__((nonnull));
/* Does DIRECTORY, or a hwcaps directory in it, hold a file NAME that stops a search? */
bool gw_audit_directory_has(const char *directory, size_t length, const char *name)
	__attribute__((nonnull));
/* Does a default directory of the loader? SHOWN: a path of that search, from which one more
 * directory is learnt. */
bool gw_audit_defaults_have(const char *name, const char *shown) __attribute__((nonnull(1)));
/* Does any directory that MAP's own searches go through (RPATH, LD_LIBRARY_PATH, RUNPATH,
 * defaults), or the loader's cache? */
bool gw_audit_search_has(struct link_map *map, const char *name) __attribute__((nonnull(2)));
/* Called for files of one name, in some order, with the loader's rule that leads there (LA_SER_…; 0: none); false ends it. PATH lives
 * as long as the call. */
typedef bool gw_audit_visit(const char *path, unsigned rule, void *data);
/* Each file NAME that MAP's own search would come to, in its order: the first is what the loader would
 * take. False: cannot tell. */
bool gw_audit_search_each(struct link_map *map, const char *name, gw_audit_visit *visit, void *data)
	__attribute__((nonnull(1, 2, 3)));
/* Does the loader's cache know a file NAME that still exists? */
bool gw_audit_cache_has(const char *name) __attribute__((nonnull));
/* audit_places.c: likewise, for places that the loader does not know. */

/* Each file NAME in the Python paths' nvidia/<package>/lib. */
void gw_audit_python_each(const char *name, gw_audit_visit *visit, void *data)
	__attribute__((nonnull(1, 2)));
/*
 * How many different files NAME lie in the Python paths' nvidia/<package>/lib. PATH (GW_AUDIT_PATH
 * bytes) gets the first.
 */
unsigned gw_audit_python_find(const char *name, char *path) __attribute__((nonnull));
/*
 * Can this facade's target be found where libgangway.so will look for it (gw_find_library, in
 * shim/find.c)? Not asked: what is mapped already; audit.c knows that.
 */
bool gw_audit_target_exists(const struct gw_audit_facade *facade) __attribute__((nonnull));

/* audit_note.c: one JSON line to GANGWAY_LOG, one line of text to stderr when asked to explain;
 * each outcome of a name once. WHY, PATH: may be NULL. */
enum gw_audit_outcome {
	GW_AUDIT_FACADE,
	GW_AUDIT_PYTHON,
	GW_AUDIT_MISSING,
	GW_AUDIT_PARTNER,
	GW_AUDIT_NEWEST,
	GW_AUDIT_REFUSED
};
void gw_audit_note(enum gw_audit_outcome outcome, const char *name, const char *path,
		   const char *why) __attribute__((nonnull(2)));
/* audit_tell.c: a finding about SUBJECT, once; REMEDY NULL: the code's own. */
void gw_audit_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
	__attribute__((nonnull(2, 3)));
/* GW-310, once for each facade: its soname was not found, and it has nothing to forward to. */
void gw_audit_tell_no_target(const struct gw_audit_facade *facade) __attribute__((nonnull));

#endif
