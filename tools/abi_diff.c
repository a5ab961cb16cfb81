/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway abi diff`: what changed between two releases of a family, and how gangway treats it. */
#include "abi_query.h"

#include <stdlib.h>
#include <string.h>
#include "abi/subject.h"
#include "cmd.h"
#include "translations.h"

static const char usage[] =
	"Usage: gangway abi [--database DIR] diff FAMILY A B [--json]\n"
	"\n"
	"What B has that A lacks (+), lacks that A has (-), and has otherwise (~); behind | how\n"
	"gangway treats it. With --json, `treatments` has that in the same order.\n";

/* What the kinds are called. */
static const struct comparison {
	const char *title, *json;
} comparisons[ABI_KIND_COUNT] = {
	[ABI_SONAME] = {"Sonames", "sonames"},
	[ABI_NODE] = {"Version nodes", "nodes"},
	[ABI_NEEDED] = {"Needed libraries", "needed"},
	[ABI_EXPORT] = {"Exports", "exports"},
	[ABI_OTHERS] = {"Other exports", "others"},
	[ABI_FUNCTION] = {"Functions", "functions"},
	[ABI_ENUM] = {"Enum constants", "enums"},
	[ABI_STRUCT] = {"Structs", "structs"},
	[ABI_FIELD] = {"Fields", "fields"},
	[ABI_TYPEDEF] = {"Typedefs", "typedefs"},
	[ABI_MACRO] = {"Macros", "macros"},
};

enum change { ADDED, REMOVED, CHANGED };

struct item {
	char *key; /* what it is called, across releases */
	const struct abi_fact *fact;
};

struct side {
	struct item *item;
	size_t count;
};

struct diff {
	const struct abi_family *family;
	size_t a, b;
	struct gw_translations translations; /* empty where they are not known */
	json_t *json, *treatments;	     /* NULL: text */
	size_t counts[3];
};

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : abi_fact_compare(x->fact, y->fact);
}

static int fill(struct side *side, const struct diff *diff, enum abi_kind kind, size_t release)
{
	const struct abi_family *family = diff->family;
	size_t first = family->first[kind], last = family->first[kind + 1];

	side->count = 0;
	side->item = calloc(last - first + 1, sizeof(*side->item));
	for (size_t i = first; side->item && i < last; i++) {
		struct item *item = &side->item[side->count];

		if (!abi_set_has(&family->facts[i].releases, release))
			continue;
		item->fact = &family->facts[i];
		item->key = abi_subject(item->fact);
		if (!item->key)
			return -1;
		side->count++;
	}
	if (!side->item)
		return -1;
	qsort(side->item, side->count, sizeof(*side->item), by_key);
	return 0;
}

/* What stands beside the name: the columns that are no key. */
static void describe(const struct abi_fact *fact, char *text, size_t size)
{
	switch (fact->kind) {
	case ABI_FUNCTION:
		snprintf(text, size, "%s (%s)", fact->column[1],
			 strcmp(fact->column[2], "-") ? fact->column[2] : "");
		break;
	case ABI_ENUM:
		snprintf(text, size, "= %s", fact->column[2]);
		break;
	case ABI_STRUCT:
		snprintf(text, size, "%s bytes", fact->column[1]);
		break;
	case ABI_FIELD:
		snprintf(text, size, "%s at %s, %s bytes", fact->column[4], fact->column[2],
			 fact->column[3]);
		break;
	case ABI_OTHERS:
		snprintf(text, size, "%s, hash %s", fact->column[1], fact->column[2]);
		break;
	case ABI_NEEDED:
	case ABI_EXPORT:
		*text = '\0';
		break;
	default:
		snprintf(text, size, "= %s", fact->column[1]);
		break;
	}
}

/* "TYPE CONSTANT" and the like, for people. */
static void print_name(const struct abi_fact *fact)
{
	fputs(fact->column[0], stdout);
	if (abi_subject_columns(fact->kind) > 1)
		printf(fact->kind == ABI_FIELD ? ".%s" : " %s", fact->column[1]);
}

static json_t *side_json(const struct abi_fact *fact)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < abi_kinds[fact->kind].columns; i++)
		json_array_append_new(list, abi_kinds[fact->kind].numbers >> i & 1
						    ? gw_query_number(fact->column[i])
						    : json_string(fact->column[i]));
	return list;
}

/* Between an older and a newer release, whichever is A. NULL: not known, as of a release that another gangway imported. */
static const struct gw_treated *treated(const struct diff *diff, const struct item *item, enum change change)
{
	bool appears = (change == ADDED) == (diff->a < diff->b);

	return gw_translations_find(&diff->translations, item->fact->kind, item->key,
				    change == CHANGED ? "changes"
				    : appears	      ? "appears"
						      : "vanishes");
}

static json_t *treated_json(const struct gw_treated *how)
{
	json_t *status = how && strcmp(how->status, "-") ? json_string(how->status) : json_null(),
	       *finding = how && strcmp(how->finding, "-") ? json_string(how->finding) : json_null();

	if (!how)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:s}", "how", how->how, "status", status, "finding", finding, "note",
			 how->note);
}

static void print_treated(const struct gw_treated *how)
{
	if (!how)
		return;
	printf("  | %s", how->how);
	if (strcmp(how->status, "-"))
		printf(", %s", how->status);
	if (strcmp(how->finding, "-"))
		printf(", %s", how->finding);
	printf(": %s", how->note);
}

static void report(struct diff *diff, enum abi_kind kind, enum change change,
		   const struct item *from, const struct item *to)
{
	static const char *const names[] = {"added", "removed", "changed"};
	const struct abi_fact *a = from ? from->fact : NULL, *b = to ? to->fact : NULL, *named = b ? b : a;
	const struct gw_treated *how = treated(diff, to ? to : from, change);
	char before[4096], after[4096];
	json_t *group, *list;

	diff->counts[change]++;
	if (diff->json) {
		group = json_object_get(diff->json, comparisons[kind].json);
		list = json_object_get(group, names[change]);
		json_array_append_new(list, change == CHANGED
						    ? json_pack("{s:o, s:o}", "from", side_json(a),
								"to", side_json(b))
						    : side_json(named));
		group = json_object_get(diff->treatments, comparisons[kind].json);
		json_array_append_new(json_object_get(group, names[change]), treated_json(how));
		return;
	}
	printf("  %c ", "+-~"[change]);
	print_name(named);
	describe(named, after, sizeof(after));
	if (change == CHANGED) {
		describe(a, before, sizeof(before));
		printf("  %s, before: %s", after, before);
	} else if (*after) {
		printf("  %s", after);
	}
	print_treated(how);
	putchar('\n');
}

/* Walks the facts of one key on both sides; more than one on a side means two wheels that differ.
 */
static void compare_key(struct diff *diff, enum abi_kind kind, const struct side *a, size_t *i,
			const struct side *b, size_t *j)
{
	const char *key = a->item[*i].key;
	size_t end_a = *i, end_b = *j;

	while (end_a < a->count && !strcmp(a->item[end_a].key, key))
		end_a++;
	while (end_b < b->count && !strcmp(b->item[end_b].key, key))
		end_b++;
	/* the last of several is what counts on both sides, as in `show` */
	if (!abi_subject_same(a->item[end_a - 1].fact, b->item[end_b - 1].fact))
		report(diff, kind, CHANGED, &a->item[end_a - 1], &b->item[end_b - 1]);
	*i = end_a;
	*j = end_b;
}

static int compare_kind(struct diff *diff, enum abi_kind kind)
{
	struct side a = {0}, b = {0};
	int rc = fill(&a, diff, kind, diff->a) || fill(&b, diff, kind, diff->b) ? -1 : 0;
	size_t before = diff->counts[0] + diff->counts[1] + diff->counts[2];
	bool titled = diff->json != NULL;

	for (size_t i = 0, j = 0; !rc && (i < a.count || j < b.count);) {
		int order = i == a.count   ? 1
			    : j == b.count ? -1
					   : strcmp(a.item[i].key, b.item[j].key);

		if (!titled && (order || !abi_subject_same(a.item[i].fact, b.item[j].fact))) {
			printf("%s%s\n", before ? "\n" : "", comparisons[kind].title);
			titled = true;
		}
		if (order < 0)
			report(diff, kind, REMOVED, &a.item[i++], NULL);
		else if (order > 0)
			report(diff, kind, ADDED, NULL, &b.item[j++]);
		else
			compare_key(diff, kind, &a, &i, &b, &j);
	}
	for (size_t i = 0; i < a.count; i++)
		free(a.item[i].key);
	for (size_t i = 0; i < b.count; i++)
		free(b.item[i].key);
	free(a.item);
	free(b.item);
	return rc;
}

static int run(struct diff *diff, bool json)
{
	const struct abi_release *releases = diff->family->releases;
	int rc = 0;

	if (json) {
		diff->json = json_pack("{s:s, s:s, s:s}", "family", diff->family->name, "from",
				       releases[diff->a].version, "to", releases[diff->b].version);
		diff->treatments = json_object();
		for (int kind = 0; kind < ABI_KIND_COUNT; kind++) {
			json_object_set_new(
				diff->json, comparisons[kind].json,
				json_pack("{s:[], s:[], s:[]}", "added", "removed", "changed"));
			json_object_set_new(
				diff->treatments, comparisons[kind].json,
				json_pack("{s:[], s:[], s:[]}", "added", "removed", "changed"));
		}
		json_object_set_new(diff->json, "treatments", diff->treatments);
	} else {
		printf("%s %s -> %s\n\n", diff->family->name, releases[diff->a].version,
		       releases[diff->b].version);
	}
	for (int kind = 0; !rc && kind < ABI_KIND_COUNT; kind++)
		rc = compare_kind(diff, (enum abi_kind)kind);
	if (rc)
		gw_complain("out of memory");
	else if (json)
		gw_query_print(diff->json);
	else
		printf("%s%zu added, %zu removed, %zu changed\n",
		       diff->counts[0] + diff->counts[1] + diff->counts[2] ? "\n" : "",
		       diff->counts[ADDED], diff->counts[REMOVED], diff->counts[CHANGED]);
	return rc ? GW_EXIT_FAILED : GW_EXIT_FINE;
}

int gw_abi_diff(const char *database, int argc, char **argv)
{
	struct gw_query query;
	struct diff diff = {0};
	int status = gw_query_begin_family(&query, database, argc, argv, usage, 3, 3), a = -1, b = -1;

	if (status >= 0)
		return gw_finish_output(status);
	status = GW_EXIT_FAILED;
	diff.family = gw_query_family(&query, query.words[0]);
	if (diff.family)
		a = gw_query_release(diff.family, query.words[1]);
	if (a >= 0)
		b = gw_query_release(diff.family, query.words[2]);
	if (b >= 0) {
		diff.a = (size_t)a;
		diff.b = (size_t)b;
		gw_translations_load(&diff.translations, diff.family->name);
		status = run(&diff, query.json);
		gw_translations_finish(&diff.translations);
	}
	gw_query_finish(&query);
	return gw_finish_output(status);
}
