/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of the files by which installers say what they installed. Each takes one file's contents from a stream or from memory, keeps
 * nothing, and asks nothing of the machine. Hostile contents cost neither memory nor time beyond their own size.
 */
#ifndef GW_TOOLS_DOCTOR_READ_H
#define GW_TOOLS_DOCTOR_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- doctor_record.c: a wheel's RECORD, `path,sha256=…,size` a line */

#define GW_RECORD_HASH 43 /* digits of a SHA-256 in its base64 */

struct gw_record_line {
	const char *path; /* gone after the visit, as HASH is */
	const char *hash; /* NULL where none is given, or one of another kind */
	uint64_t size;    /* where a hash is */
};

/* NULL: go on; else why the line is refused. */
typedef const char *gw_record_visit(void *context, const struct gw_record_line *line);

/* NULL, or what is wrong with line *NUMBER, after which nothing is read. */
const char *gw_record_read(FILE *stream, gw_record_visit *visit, void *context, unsigned *number) __attribute__((nonnull(1, 2, 4)));

/* ---- doctor_lists.c: Debian's and conda's */

/* True ends the reading. */
typedef bool gw_list_visit(void *context, const char *path);

/* /var/lib/dpkg/info/PACKAGE.list: a path a line. NULL, or what is wrong with line *NUMBER. */
const char *gw_dpkg_list_read(FILE *stream, gw_list_visit *visit, void *context, unsigned *number) __attribute__((nonnull(1, 2, 4)));

/* VERSION of an installed package; both gone after the visit. */
typedef void gw_status_visit(void *context, const char *package, const char *version);
/* /var/lib/dpkg/status: stanzas of `Field: value`. NULL, or what is wrong with line *NUMBER. */
const char *gw_dpkg_status_read(FILE *stream, gw_status_visit *visit, void *context, unsigned *number) __attribute__((nonnull(1, 2, 4)));

/* Of conda-meta/PACKAGE.json. Strings live as long as ALL, which is to be given back with json_decref. */
struct gw_conda_package {
	json_t *all;
	const char *name, *version; /* VERSION may be NULL */
	json_t *files;              /* paths below the environment; may be NULL */
};

/* 0; or -1 with "LINE: what is wrong" in ERROR. */
int gw_conda_read(struct gw_conda_package *package, const char *text, char *error, size_t error_size) __attribute__((nonnull));

/* ---- doctor_version.c: the release that a file names. Each: 0 with it in RELEASE; or -1 with "LINE: what is wrong" in ERROR. */

#define GW_RELEASE_SIZE 48

/* A toolkit's version.json. */
int gw_version_json(const char *text, char release[GW_RELEASE_SIZE], char *error, size_t error_size) __attribute__((nonnull));
/* A toolkit's version.txt, /proc/driver/nvidia/version, /sys/module/nvidia/version: the first number of the first line that has two parts. */
int gw_version_text(const char *text, char release[GW_RELEASE_SIZE], char *error, size_t error_size) __attribute__((nonnull));
/* The first number after KEY that has LEAST parts, on the same line: of a package's own word of what it was built for. */
int gw_version_after(const char *text, const char *key, unsigned least, char release[GW_RELEASE_SIZE], char *error, size_t error_size)
	__attribute__((nonnull));
/* A package's METADATA: its header has to name the package and its version. 0; or -1 with "LINE: what is wrong" in ERROR. */
int gw_metadata_check(const char *text, char *error, size_t error_size) __attribute__((nonnull));
/* What "Requires-Dist: PACKAGE…" of a package's METADATA asks for: after `==`, else after `>=` or `~=`. PACKAGE may go on with -cu12. */
bool gw_version_required(const char *text, const char *package, char release[GW_RELEASE_SIZE]) __attribute__((nonnull));
/* The number that a header's `#define NAME` gives it; 0 where there is none. */
unsigned long gw_version_define(const char *text, const char *name) __attribute__((nonnull));
/* The first number with dots in TEXT, up to END, as long as it has LEAST parts; false where there is none. */
bool gw_version_number(const char *text, const char *end, unsigned least, char release[GW_RELEASE_SIZE]) __attribute__((nonnull));

/* JSON in bounded memory; NULL with its line in ERROR. */
json_t *gw_json_parse(const char *text, json_error_t *error) __attribute__((nonnull));

#endif
