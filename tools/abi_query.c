/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of list, show, diff and check: loading, finding what was meant, printing. */
#include "abi_query.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"

/* Reading all families to show one would cost most of the time that is waited for. */
static int load(struct gw_query *query, const char *database, const char *family, struct abi_error *error)
{
	char *path = NULL;
	int rc = -ENOENT;

	if (family && !strchr(family, '/') && asprintf(&path, "%s/%s.abi", database, family) >= 0) {
		if (!access(path, F_OK))
			rc = abi_db_load_file(&query->db, path, error);
		free(path);
		if (!rc && abi_db_family(&query->db, family))
			return 0;
		if (rc != -ENOENT)
			return rc;
		abi_db_finish(&query->db);
	}
	return abi_db_load(&query->db, database, error);
}

static int begin(struct gw_query *query, const char *database, int argc, char **argv, const char *usage, int least,
		 int most, bool one)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct abi_error error = {""};
	char *rules;
	int option, rc;

	memset(query, 0, sizeof(*query));
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option != 'j') {
			fputs(usage, option == 'h' ? stdout : stderr);
			return option == 'h' ? GW_EXIT_FINE : GW_EXIT_USAGE;
		}
		query->json = true;
	}
	query->word_count = argc - optind;
	if (query->word_count < least || query->word_count > most) {
		fputs(usage, stderr);
		return GW_EXIT_USAGE;
	}
	query->words = argv + optind;
	rc = load(query, database, one ? query->words[0] : NULL, &error);
	rules = gw_data_path("families");
	if (!rc && rules)
		rc = gw_rules_load(&query->rules, rules, &error);
	free(rules);
	if (!rc)
		return -1;
	gw_complain("%s", error.text[0] ? error.text : strerror(-rc));
	gw_query_finish(query);
	return GW_EXIT_FAILED;
}

int gw_query_begin(struct gw_query *query, const char *database, int argc, char **argv,
		   const char *usage, int least, int most)
{
	return begin(query, database, argc, argv, usage, least, most, false);
}

int gw_query_begin_family(struct gw_query *query, const char *database, int argc, char **argv,
			  const char *usage, int least, int most)
{
	return begin(query, database, argc, argv, usage, least, most, true);
}

void gw_query_finish(struct gw_query *query)
{
	abi_db_finish(&query->db);
	gw_rules_finish(&query->rules);
}

unsigned gw_query_distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	unsigned row[128];

	if (m >= 128 || n >= 128)
		return 128;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j - 1] + 1 < change)
				change = row[j - 1] + 1;
			if (diagonal + 1 < change)
				change = diagonal + 1;
			row[j] = change;
		}
	}
	return row[n];
}

const struct abi_family *gw_query_family(const struct gw_query *query, const char *name)
{
	const struct abi_family *family = abi_db_family(&query->db, name);
	const char *near = NULL, *comma = "";
	char known[256] = "";

	if (family)
		return family;
	for (size_t i = 0; i < query->db.family_count; i++) {
		const char *other = query->db.families[i].name;
		size_t length = strlen(known);

		if (!strcasecmp(other, name) || (!near && gw_query_distance(other, name) <= 2))
			near = other;
		snprintf(known + length, sizeof(known) - length, "%s%s", comma, other);
		comma = ", ";
	}
	if (near)
		gw_complain("no family '%s'; did you mean %s? Known: %s", name, near, known);
	else
		gw_complain("no family '%s'; known: %s", name, known);
	return NULL;
}

int gw_query_release(const struct abi_family *family, const char *version)
{
	int release = abi_family_release(family, version);
	unsigned part[4];
	char near[512] = "";
	size_t at = 0, from, to;

	if (release >= 0)
		return release;
	if (!abi_version_parse(version, strlen(version), part)) {
		gw_complain("'%s' is no release of %s: up to four numbers with dots, such as %s",
			    version, family->name,
			    family->release_count
				    ? family->releases[family->release_count - 1].version
				    : "1.2.3");
		return -1;
	}
	while (at < family->release_count &&
	       abi_version_compare(family->releases[at].part, part) < 0)
		at++;
	/* the neighbours on both sides, in order */
	from = at > 3 ? at - 3 : 0;
	to = at + 3 < family->release_count ? at + 3 : family->release_count;
	for (size_t i = from; i < to; i++)
		snprintf(near + strlen(near), sizeof(near) - strlen(near), "%s%s",
			 i > from ? ", " : "", family->releases[i].version);
	gw_complain("release %s of %s is not known; near ones: %s (`gangway abi list` shows all)",
		    version, family->name, near);
	return -1;
}

bool gw_query_own(const struct gw_query *query, const struct abi_family *family,
		  const struct abi_fact *fact)
{
	const struct gw_family_rule *rule = NULL;
	char name[256];

	for (size_t i = 0; i < query->rules.count; i++)
		if (!strcmp(query->rules.rule[i].name, family->name))
			rule = &query->rules.rule[i];
	if (!rule || fact->kind < ABI_FUNCTION)
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(fact->source, ":"), fact->source);
	return gw_rule_has_header(rule, name);
}

size_t gw_query_symbol_length(const char *symbol)
{
	return strcspn(symbol, "@");
}

void gw_query_releases(const struct abi_family *family, const struct abi_set *set, char *text,
		       size_t size)
{
	const char *comma = "";

	*text = '\0';
	for (size_t i = 0, end; i < family->release_count; i = end) {
		size_t length = strlen(text);

		for (end = i; end < family->release_count && abi_set_has(set, end); end++)
			;
		if (end == i) {
			end++;
			continue;
		}
		if (end == family->release_count)
			snprintf(text + length, size - length, "%s%s..", comma,
				 family->releases[i].version);
		else if (end > i + 1)
			snprintf(text + length, size - length, "%s%s..%s", comma,
				 family->releases[i].version, family->releases[end - 1].version);
		else
			snprintf(text + length, size - length, "%s%s", comma,
				 family->releases[i].version);
		comma = ",";
	}
}

void gw_query_print(json_t *json)
{
	if (!json || json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII))
		gw_complain("cannot write JSON: %s", strerror(errno));
	putchar('\n');
	json_decref(json);
}

json_t *gw_query_number(const char *text)
{
	return json_integer(*text == '-' ? strtoll(text, NULL, 10)
					 : (json_int_t)strtoull(text, NULL, 10));
}

json_t *gw_query_text(const char *text, size_t length)
{
	return json_stringn(text, length);
}
