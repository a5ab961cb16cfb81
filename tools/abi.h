/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of `gangway abi` share. Errors: 0 or -errno, the message in struct abi_error. One thread.
 */
#ifndef GW_ABI_H
#define GW_ABI_H

#include <obstack.h>
#include <stdio.h>
#include "abi/db.h"

/* Sets the message; returns CODE (which is negative). */
int gw_abi_fail(struct abi_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- abi_families.c: the file `families` */

struct gw_family_rule {
	char *name;
	char **headers, **libraries, **symbols, **version;	/* NULL-terminated */
};

struct gw_rules {
	struct gw_family_rule *rule;
	size_t count;
};

int gw_rules_load(struct gw_rules *rules, const char *path, struct abi_error *error);
void gw_rules_finish(struct gw_rules *rules);
bool gw_rule_has_header(const struct gw_family_rule *rule, const char *base_name);
bool gw_rule_has_library(const struct gw_family_rule *rule, const char *base_name);
bool gw_rule_has_symbol(const struct gw_family_rule *rule, const char *symbol);

/* ---- abi_facts.c: facts being collected */

/* Facts of one family out of one distribution. Strings live in `strings` until finish. */
struct gw_facts {
	struct abi_fact *fact;
	size_t count, room;
	struct obstack strings;
};

void gw_facts_init(struct gw_facts *facts);
void gw_facts_finish(struct gw_facts *facts);

/* A copy of printf's result that lives as long as FACTS. */
const char *gw_facts_text(struct gw_facts *facts, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a fact; the columns (as many as KIND has) and the source are copied, an empty one becomes "-". */
void gw_facts_add(struct gw_facts *facts, enum abi_kind kind, const char *source,
		  const char *const column[]);

/* Sorts, and merges the same fact found twice: the least source stays. */
void gw_facts_sort(struct gw_facts *facts);

/* FNV-1a 64 of sorted names, each followed by LF: what an `others` line states. */
uint64_t gw_abi_hash(const char **names, size_t count);

/* Which of two sources is to be preferred: by name, then by line. <0: a. */
int gw_source_compare(const char *a, const char *b);

/* ---- abi_source.c: wheels and directories */

struct gw_source_file {
	const char *name;	/* without directory */
	const char *path;	/* in the wheel, or on disk */
	uint64_t index;		/* in the wheel */
};

/* One distribution: a wheel, an unpacked wheel, one of a site-packages directory, or a toolkit. */
struct gw_source {
	const char *path;	/* as the user gave it */
	const char *wheel;	/* file name; "-" for a toolkit */
	const char *version;	/* NULL for a toolkit: the headers say it */
	struct gw_source_file *headers, *libraries;	/* those that some family's rule names, sorted by name */
	size_t header_count, library_count;
	void *zip;
	struct obstack strings;
};

struct gw_sources {
	struct gw_source **source;
	size_t count;
};

int gw_sources_open(struct gw_sources *sources, const char *path, const struct gw_rules *rules,
		    struct abi_error *error);
void gw_sources_close(struct gw_sources *sources);

/* A header's text, NUL-terminated, to be freed. */
int gw_source_text(struct gw_source *source, const struct gw_source_file *file, char **text, size_t *length,
		   struct abi_error *error);

/*
 * A file descriptor with the library's ELF tables at their offsets. Out of a wheel it is a sparse memory file with nothing
 * else in it, so a library of any size costs a few megabytes. To be closed.
 */
int gw_source_library(struct gw_source *source, const struct gw_source_file *file, struct abi_error *error);

/* abi_unzip.c: the same for a member of a wheel. */
int gw_unzip_text(void *zip, uint64_t index, const char *path, char **text, size_t *length,
		  struct abi_error *error);
int gw_unzip_library(void *zip, uint64_t index, const char *path, struct abi_error *error);

/* ---- abi_elf.c: the dynamic symbols of a library */

struct gw_symbol {
	const char *name, *node;	/* node: NULL when it has none */
	bool defined, function, base;	/* base: bound to no version of its own */
};

struct gw_library {
	const char *soname;	/* NULL when it has none */
	const char *node;	/* the version that most of its functions bear; NULL */
	const char **needed;
	size_t needed_count;
	struct gw_symbol *symbols;
	size_t count;
	struct obstack strings;
};

int gw_library_read(struct gw_library *library, int fd, const char *path, struct abi_error *error);
void gw_library_finish(struct gw_library *library);

/* ---- abi_header.c: what headers declare */

struct gw_text {
	const char *name;	/* base name */
	char *text;
	size_t length;
};

/*
 * Adds what the headers of RULE declare. ALL holds every header of the distribution (families include each other's). INCLUDE is a
 * directory with real CUDA headers, or NULL for the stand-ins in STAND_INS.
 */
int gw_headers_read(struct gw_facts *facts, const struct gw_family_rule *rule, const struct gw_text *all,
		    size_t count, const char *stand_ins, const char *include, struct abi_error *error);

/* ---- abi_store.c: merging and writing */

/* Merges the facts of one release (from WHEEL, or "-") into DIRECTORY's file of FAMILY. Atomic. */
int gw_store_merge(const char *directory, const char *family, const char *version, const char *wheel,
		   struct gw_facts *facts, struct abi_error *error);

/* ---- the sub-commands of `gangway abi`, each like gw_cmd_abi. DATABASE is the directory in use. */
int gw_abi_import(const char *database, int argc, char **argv);	/* in gangway-import alone */
int gw_abi_import_start(const char *database, int argc, char **argv); /* becomes gangway-import */
int gw_abi_list(const char *database, int argc, char **argv);
int gw_abi_show(const char *database, int argc, char **argv);
int gw_abi_diff(const char *database, int argc, char **argv);
int gw_abi_check(const char *database, int argc, char **argv);

#endif
