/* SPDX-License-Identifier: Apache-2.0 */
/* What list, show, diff and check share: the loaded database, releases named by people, small text helpers. */
#ifndef GW_ABI_QUERY_H
#define GW_ABI_QUERY_H

#include <jansson.h>
#include "abi.h"

struct gw_query {
	struct abi_db db;
	struct gw_rules rules;	/* empty where no `families` file is found */
	bool json;
	char **words;	/* the arguments that are no options, NULL-terminated */
	int word_count;
};

/*
 * Reads the options and loads the database. Returns -1 to go on, else the status to exit with. USAGE is printed for --help and wrong
 * usage; between LEAST and MOST words are right.
 */
int gw_query_begin(struct gw_query *query, const char *database, int argc, char **argv, const char *usage,
		   int least, int most);
/* The same where the first word names a family: no other is read, if it stands in a file of its name. */
int gw_query_begin_family(struct gw_query *query, const char *database, int argc, char **argv,
			  const char *usage, int least, int most);
void gw_query_finish(struct gw_query *query);

/* The family or NULL, after a complaint that names near ones. */
const struct abi_family *gw_query_family(const struct gw_query *query, const char *name);

/* The release's index or -1, after a complaint that lists near ones. */
int gw_query_release(const struct abi_family *family, const char *version);

/* Does the fact stand in a header (or library) of the family itself, not in one that it includes? */
bool gw_query_own(const struct gw_query *query, const struct abi_family *family, const struct abi_fact *fact);

/* "symbol@node" -> length of "symbol". */
size_t gw_query_symbol_length(const char *symbol);

/* RELEASES as in the file, into TEXT. */
void gw_query_releases(const struct abi_family *family, const struct abi_set *set, char *text, size_t size);

/* Prints JSON to stdout and drops it. */
void gw_query_print(json_t *json);

json_t *gw_query_number(const char *text);
json_t *gw_query_text(const char *text, size_t length);

/* Edit distance, for suggestions. */
unsigned gw_query_distance(const char *a, const char *b);

#endif
