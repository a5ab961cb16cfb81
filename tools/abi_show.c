/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway abi show`: everything about one release, or one name of it with its source and releases.
 */
#include "abi_query.h"

#include <stdlib.h>
#include <string.h>
#include "cmd.h"

static const char usage[] =
	"Usage: gangway abi [--database DIR] show FAMILY RELEASE [NAME] [--json]\n"
	"\n"
	"What a release declares and exports. NAME narrows it to one function, enum, constant, "
	"struct,\n"
	"typedef, macro or exported symbol, and adds where it stands and in which releases.\n";

/* One question: this release of this family, and maybe one name only. */
struct show {
	const struct gw_query *query;
	const struct abi_family *family;
	size_t release;
	const char *name, *underlying; /* underlying: what a typedef NAME stands for, without
					  `enum`, `struct` */
};

static bool is_name(const char *text, const char *name)
{
	return name && !strcmp(text, name);
}

/* Does the fact answer the question? */
static bool asked(const struct show *show, const struct abi_fact *fact)
{
	if (!abi_set_has(&fact->releases, show->release))
		return false;
	if (!show->name)
		return true;
	switch (fact->kind) {
	case ABI_EXPORT:
		return strlen(show->name) == gw_query_symbol_length(fact->column[1]) &&
		       !strncmp(fact->column[1], show->name, strlen(show->name));
	case ABI_ENUM:
		return is_name(fact->column[0], show->name) ||
		       is_name(fact->column[1], show->name) ||
		       is_name(fact->column[0], show->underlying);
	case ABI_STRUCT:
	case ABI_FIELD:
		return is_name(fact->column[0], show->name) ||
		       is_name(fact->column[0], show->underlying);
	case ABI_NEEDED:
	case ABI_OTHERS:
	case ABI_NODE:
	case ABI_SONAME:
		return is_name(fact->column[0], show->name);
	default:
		return is_name(fact->column[0], show->name);
	}
}

/* The object KEY of PARENT, made if it is not there. */
static json_t *member(json_t *parent, const char *key, json_t *fresh)
{
	json_t *found = json_object_get(parent, key);

	if (found) {
		json_decref(fresh);
		return found;
	}
	json_object_set_new(parent, key, fresh);
	return fresh;
}

static json_t *parameters(const char *column)
{
	json_t *list = json_array();
	struct abi_parameter parameter;

	while (abi_parameter_next(&column, &parameter))
		json_array_append_new(
			list,
			json_pack("{s:o, s:o}", "name",
				  gw_query_text(parameter.name, parameter.name_length), "type",
				  gw_query_text(parameter.type, parameter.type_length)));
	return list;
}

static int by_offset(const void *a, const void *b)
{
	const struct abi_fact *x = *(const struct abi_fact *const *)a,
			      *y = *(const struct abi_fact *const *)b;
	long long offset_x = atoll(x->column[2]), offset_y = atoll(y->column[2]);

	const char *bit_x = strstr(x->column[4], " at bit "),
		   *bit_y = strstr(y->column[4], " at bit ");
	int order;

	if (offset_x != offset_y)
		return offset_x < offset_y ? -1 : 1;
	if (bit_x && bit_y && strcmp(bit_x, bit_y))
		return strcmp(bit_x, bit_y); /* 0 to 7 */
	order = gw_source_compare(x->source, y->source);
	return order ? order : strcmp(x->column[1], y->column[1]);
}

/* The fields of a struct in this release, in memory order; to be freed. */
static const struct abi_fact **fields_of(const struct show *show, const char *name, size_t *count)
{
	const struct abi_family *family = show->family;
	size_t first = family->first[ABI_FIELD], last = family->first[ABI_FIELD + 1];
	const struct abi_fact **list = calloc(last - first + 1, sizeof(*list));

	*count = 0;
	for (size_t i = first; list && i < last; i++)
		if (!strcmp(family->facts[i].column[0], name) &&
		    abi_set_has(&family->facts[i].releases, show->release))
			list[(*count)++] = &family->facts[i];
	if (list)
		qsort(list, *count, sizeof(*list), by_offset);
	return list;
}

static json_t *struct_json(const struct show *show, const struct abi_fact *fact)
{
	json_t *list = json_array();
	size_t count;
	const struct abi_fact **fields = fields_of(show, fact->column[0], &count);

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o}", "name",
						fields[i]->column[1], "type", fields[i]->column[4],
						"offset", gw_query_number(fields[i]->column[2]),
						"size", gw_query_number(fields[i]->column[3])));
	free(fields);
	return json_pack("{s:o, s:o}", "size", gw_query_number(fact->column[1]), "fields", list);
}

static void library_json(json_t *all, const struct abi_fact *fact)
{
	const char *soname = fact->column[0], *value = fact->column[1];
	size_t length = gw_query_symbol_length(value);
	json_t *symbol;

	switch (fact->kind) {
	case ABI_SONAME:
		json_object_set_new(member(all, "files", json_object()), soname,
				    json_string(value));
		break;
	case ABI_NODE:
		json_object_set_new(member(all, "nodes", json_object()), soname,
				    strcmp(value, "-") ? json_string(value) : json_null());
		break;
	case ABI_NEEDED:
		json_array_append_new(
			member(member(all, "needed", json_object()), soname, json_array()),
			json_string(value));
		break;
	case ABI_OTHERS:
		json_object_set_new(member(all, "others", json_object()), soname,
				    json_pack("{s:o, s:s}", "count", gw_query_number(value), "hash",
					      fact->column[2]));
		break;
	default:
		symbol = gw_query_text(value, length);
		json_array_append(
			member(member(all, "exports", json_object()), soname, json_array()),
			symbol);
		if (value[length])
			json_object_set_new(member(member(all, "export_nodes", json_object()),
						   soname, json_object()),
					    json_string_value(symbol),
					    json_string(value + length + 1));
		json_decref(symbol);
		break;
	}
}

static void header_json(const struct show *show, json_t *all, const struct abi_fact *fact)
{
	json_t *to = gw_query_own(show->query, show->family, fact)
			     ? all
			     : member(all, "foreign", json_object());

	switch (fact->kind) {
	case ABI_FUNCTION:
		json_array_append_new(member(to, "functions", json_array()),
				      json_pack("{s:s, s:s, s:o}", "name", fact->column[0],
						"returns", fact->column[1], "parameters",
						parameters(fact->column[2])));
		break;
	case ABI_ENUM:
		json_object_set_new(
			member(member(to, "enums", json_object()), fact->column[0], json_object()),
			fact->column[1], gw_query_number(fact->column[2]));
		break;
	case ABI_STRUCT:
		json_object_set_new(member(to, "structs", json_object()), fact->column[0],
				    struct_json(show, fact));
		break;
	case ABI_TYPEDEF:
		json_object_set_new(member(to, "typedefs", json_object()), fact->column[0],
				    json_string(fact->column[1]));
		break;
	case ABI_MACRO:
		json_object_set_new(member(to, "macros", json_object()), fact->column[0],
				    gw_query_number(fact->column[1]));
		break;
	default:
		break;
	}
}

/* The soname that the family is known by: libFAMILY.so.N, else the first. */
static const char *main_soname(const struct show *show)
{
	const char *first = NULL;

	for (size_t i = show->family->first[ABI_SONAME]; i < show->family->first[ABI_SONAME + 1];
	     i++) {
		const struct abi_fact *fact = &show->family->facts[i];
		const char *soname = fact->column[0];
		size_t length = strlen(show->family->name);

		if (!abi_set_has(&fact->releases, show->release))
			continue;
		if (!first)
			first = soname;
		if (!strncmp(soname, "lib", 3) &&
		    !strncmp(soname + 3, show->family->name, length) &&
		    !strncmp(soname + 3 + length, ".so", 3))
			return soname;
	}
	return first;
}

static void show_json(const struct show *show)
{
	const struct abi_family *family = show->family;
	const char *soname = main_soname(show);
	json_t *all = json_pack("{s:s, s:s, s:s*}", "family", family->name, "release",
				family->releases[show->release].version, "soname", soname);

	if (!show->name) {
		json_object_set_new(all, "wheels",
				    json_string(family->releases[show->release].wheels));
		json_object_set_new(all, "functions", json_array());
		json_object_set_new(all, "enums", json_object());
		json_object_set_new(all, "structs", json_object());
		json_object_set_new(all, "typedefs", json_object());
		json_object_set_new(all, "macros", json_object());
		json_object_set_new(all, "exports", json_object());
	}
	for (size_t i = 0; i < family->fact_count; i++) {
		const struct abi_fact *fact = &family->facts[i];

		if (!asked(show, fact))
			continue;
		if (fact->kind < ABI_FUNCTION)
			library_json(all, fact);
		else
			header_json(show, all, fact);
	}
	gw_query_print(all);
}

static void print_function(const struct abi_fact *fact)
{
	const char *column = fact->column[2], *comma = "";
	struct abi_parameter parameter;

	printf("%s%s%s(", fact->column[1],
	       fact->column[1][strlen(fact->column[1]) - 1] == '*' ? "" : " ", fact->column[0]);
	while (abi_parameter_next(&column, &parameter)) {
		printf("%s%.*s", comma, (int)parameter.type_length, parameter.type);
		if (parameter.name_length != 1 || *parameter.name != '_')
			printf(" %.*s", (int)parameter.name_length, parameter.name);
		comma = ", ";
	}
	printf("%s)", *comma ? "" : "void");
}

static void print_struct(const struct show *show, const struct abi_fact *fact)
{
	size_t count;
	const struct abi_fact **fields = fields_of(show, fact->column[0], &count);

	printf("%s: %s bytes", fact->column[0], fact->column[1]);
	for (size_t i = 0; i < count; i++)
		printf("\n    %6s +%-5s %-28s %s", fields[i]->column[2], fields[i]->column[3],
		       fields[i]->column[1], fields[i]->column[4]);
	free(fields);
}

static void print_fact(const struct show *show, const struct abi_fact *fact)
{
	switch (fact->kind) {
	case ABI_FUNCTION:
		print_function(fact);
		break;
	case ABI_ENUM:
		printf("%s = %s", fact->column[1], fact->column[2]);
		break;
	case ABI_STRUCT:
		print_struct(show, fact);
		break;
	case ABI_TYPEDEF:
	case ABI_MACRO:
		printf("%s = %s", fact->column[0], fact->column[1]);
		break;
	case ABI_OTHERS:
		printf("%s: %s further functions, hash %s", fact->column[0], fact->column[1],
		       fact->column[2]);
		break;
	default:
		printf("%s: %s", fact->column[0], fact->column[1]);
		break;
	}
}

static const char *const titles[ABI_KIND_COUNT] = {
	[ABI_SONAME] = "Files",   [ABI_NODE] = "Version nodes",   [ABI_NEEDED] = "Needed",
	[ABI_EXPORT] = "Exports", [ABI_OTHERS] = "Other exports", [ABI_FUNCTION] = "Functions",
	[ABI_ENUM] = "Enums",     [ABI_STRUCT] = "Structs",       [ABI_TYPEDEF] = "Typedefs",
	[ABI_MACRO] = "Macros",
};

static void show_text(const struct show *show)
{
	const struct abi_family *family = show->family;
	const char *enumeration = "", *wheels = family->releases[show->release].wheels;

	printf("%s %s%s%s\n", family->name, family->releases[show->release].version,
	       strcmp(wheels, "-") ? "  " : "", strcmp(wheels, "-") ? wheels : "");
	for (int kind = 0; kind < ABI_KIND_COUNT; kind++) {
		bool any = false;

		for (size_t i = family->first[kind]; i < family->first[kind + 1]; i++) {
			const struct abi_fact *fact = &family->facts[i];

			if (kind == ABI_FIELD || !asked(show, fact))
				continue;
			if (!any)
				printf("\n%s\n", titles[kind]);
			any = true;
			if (kind == ABI_ENUM && strcmp(enumeration, fact->column[0]))
				printf("  %s\n", enumeration = fact->column[0]);
			fputs(kind == ABI_ENUM ? "    " : "  ", stdout);
			print_fact(show, fact);
			putchar('\n');
		}
	}
}

static const char *label(const struct abi_fact *fact)
{
	static const char *const labels[ABI_KIND_COUNT] = {
		[ABI_SONAME] = "file",          [ABI_NODE] = "version node",
		[ABI_NEEDED] = "needed",        [ABI_EXPORT] = "export",
		[ABI_OTHERS] = "other exports", [ABI_FUNCTION] = "function",
		[ABI_ENUM] = "constant",        [ABI_STRUCT] = "struct",
		[ABI_TYPEDEF] = "typedef",      [ABI_MACRO] = "macro",
	};

	return labels[fact->kind];
}

/* One name: each fact with its source and releases. */
static void show_name(const struct show *show)
{
	const struct abi_family *family = show->family;
	char releases[512];

	for (size_t i = 0; i < family->fact_count; i++) {
		const struct abi_fact *fact = &family->facts[i];

		if (fact->kind == ABI_FIELD || !asked(show, fact))
			continue;
		gw_query_releases(family, &fact->releases, releases, sizeof(releases));
		printf("%-9s ", label(fact));
		print_fact(show, fact);
		printf("\n          %s%s%sin %s\n          from %s, as it stands in the oldest of "
		       "these\n",
		       fact->kind == ABI_ENUM ? "of " : "",
		       fact->kind == ABI_ENUM ? fact->column[0] : "",
		       fact->kind == ABI_ENUM ? ", " : "", releases, fact->source);
	}
}

/* A complaint about a NAME that this release lacks: where it is, or what is spelled like it. */
static void complain_name(const struct show *show)
{
	const struct abi_family *family = show->family;
	const char *version = family->releases[show->release].version, *near = NULL;
	unsigned best = 4;
	char releases[256];

	for (size_t i = 0; i < family->fact_count; i++) {
		const struct abi_fact *fact = &family->facts[i];
		const char *names[2] = {fact->column[0],
					fact->kind == ABI_ENUM || fact->kind == ABI_EXPORT
						? fact->column[1]
						: NULL};

		for (int n = 0; n < 2; n++) {
			unsigned distance =
				names[n] ? gw_query_distance(names[n], show->name) : best;

			if (names[n] && !distance) {
				gw_query_releases(family, &fact->releases, releases,
						  sizeof(releases));
				gw_complain("%s is not in %s %s; it is in %s", show->name,
					    family->name, version, releases);
				return;
			}
			if (distance < best && abi_set_has(&fact->releases, show->release)) {
				best = distance;
				near = names[n];
			}
		}
	}
	gw_complain("nothing in %s %s is called '%s'%s%s%s", family->name, version, show->name,
		    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* What a typedef of the asked name stands for. */
static const char *find_underlying(const struct show *show)
{
	static const char *const words[] = {"enum ", "struct ", "union "};

	for (size_t i = show->family->first[ABI_TYPEDEF]; i < show->family->first[ABI_TYPEDEF + 1];
	     i++) {
		const struct abi_fact *fact = &show->family->facts[i];
		const char *type = fact->column[1];

		if (!abi_set_has(&fact->releases, show->release))
			continue;
		for (size_t w = 0; w < 3; w++)
			if (!strncmp(type, words[w], strlen(words[w])))
				type += strlen(words[w]);
		if (is_name(fact->column[0], show->name))
			return type;
		if (is_name(type, show->name) && type != fact->column[1])
			return fact->column[0]; /* asked by its tag */
	}
	return NULL;
}

int gw_abi_show(const char *database, int argc, char **argv)
{
	struct gw_query query;
	struct show show = {.query = &query};
	int status = gw_query_begin(&query, database, argc, argv, usage, 2, 3), release = -1;
	bool any = false;

	if (status >= 0)
		return gw_finish_output(status);
	status = GW_EXIT_FAILED;
	show.family = gw_query_family(&query, query.words[0]);
	if (show.family)
		release = gw_query_release(show.family, query.words[1]);
	if (release < 0)
		goto out;
	show.release = (size_t)release;
	show.name = query.words[2];
	show.underlying = show.name ? find_underlying(&show) : NULL;
	for (size_t i = 0; !any && i < show.family->fact_count; i++)
		any = asked(&show, &show.family->facts[i]);
	if (show.name && !any) {
		complain_name(&show);
		goto out;
	}
	if (query.json)
		show_json(&show);
	else if (show.name)
		show_name(&show);
	else
		show_text(&show);
	status = GW_EXIT_FINE;
out:
	gw_query_finish(&query);
	return gw_finish_output(status);
}
