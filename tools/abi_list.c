/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway abi list`: which families, releases and sonames the database knows. */
#include "abi_query.h"

#include <string.h>
#include "cmd.h"

static const char usage[] =
	"Usage: gangway abi [--database DIR] list [--json]\n\n"
	"Families, their releases, and the sonames that each release's libraries bear.\n";

static json_t *sonames(const struct abi_family *family, size_t release)
{
	json_t *list = json_array();

	for (size_t i = family->first[ABI_SONAME]; i < family->first[ABI_SONAME + 1]; i++)
		if (abi_set_has(&family->facts[i].releases, release))
			json_array_append_new(list, json_string(family->facts[i].column[0]));
	return list;
}

static json_t *wheels(const char *joined)
{
	json_t *list = json_array();

	for (const char *at = joined; strcmp(at, "-");) {
		size_t length = strcspn(at, ",");

		json_array_append_new(list, gw_query_text(at, length));
		if (!at[length])
			break;
		at += length + 1;
	}
	return list;
}

static void list_json(const struct gw_query *query)
{
	json_t *families = json_array();

	for (size_t f = 0; f < query->db.family_count; f++) {
		const struct abi_family *family = &query->db.families[f];
		json_t *releases = json_array();

		for (size_t r = 0; r < family->release_count; r++)
			json_array_append_new(releases,
					      json_pack("{s:s, s:o, s:o}", "release",
							family->releases[r].version, "sonames",
							sonames(family, r), "wheels",
							wheels(family->releases[r].wheels)));
		json_array_append_new(families, json_pack("{s:s, s:o}", "family", family->name,
							  "releases", releases));
	}
	gw_query_print(json_pack("{s:o}", "families", families));
}

static void list_text(const struct gw_query *query)
{
	for (size_t f = 0; f < query->db.family_count; f++) {
		const struct abi_family *family = &query->db.families[f];

		printf("%s%s: %zu releases, %zu facts\n", f ? "\n" : "", family->name,
		       family->release_count, family->fact_count);
		for (size_t r = 0; r < family->release_count; r++) {
			const char *blank = "";

			printf("  %-14s ", family->releases[r].version);
			for (size_t i = family->first[ABI_SONAME];
			     i < family->first[ABI_SONAME + 1]; i++) {
				if (!abi_set_has(&family->facts[i].releases, r))
					continue;
				printf("%s%s", blank, family->facts[i].column[0]);
				blank = " ";
			}
			putchar('\n');
		}
	}
}

int gw_abi_list(const char *database, int argc, char **argv)
{
	struct gw_query query;
	int status = gw_query_begin(&query, database, argc, argv, usage, 0, 0);

	if (status >= 0)
		return gw_finish_output(status);
	if (query.json)
		list_json(&query);
	else
		list_text(&query);
	gw_query_finish(&query);
	return gw_finish_output(GW_EXIT_FINE);
}
