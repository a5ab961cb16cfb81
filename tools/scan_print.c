/* SPDX-License-Identifier: Apache-2.0 */
/* What `gangway scan` found out, as text: a reading of its JSON (scan.h). */
#include "scan.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));
	return value ? value : "";
}

static void print_need(json_t *need)
{
	const char *path = text_of(need, "path"), *by = text_of(need, "by");

	const char *release = text_of(need, "release"), *opened = text_of(need, "opened");

	printf("    %-28s %-8s %s%s%s%s%s%s%s%s\n", text_of(need, "soname"), text_of(need, "status"),
	       strcmp(text_of(need, "status"), "facade") == 0 ? "would forward to " : "", path,
	       *release ? "  release " : "", release,
	       *text_of(need, "through") ? " (Python paths: with gangway run)" : "",
	       *by ? "  needed by " : "", by,
	       strcmp(opened, "strings") == 0     ? "  (opened: its strings name it)"
	       : strcmp(opened, "framework") == 0 ? "  (opened: its framework's list has it)"
	       : strcmp(opened, "version") == 0	  ? "  (its versions are needed: who loads this file must have opened it)"
						  : "");
}

static void print_built(json_t *item)
{
	bool one = strcmp(text_of(item, "min"), text_of(item, "max")) == 0;

	printf("    built for %s %s%s%s (%s)\n", text_of(item, "family"), text_of(item, "min"),
	       one ? "" : " to ", one ? "" : text_of(item, "max"), text_of(item, "evidence"));
}

/* What of the vendor's the file has in itself. */
static void print_contents(json_t *file)
{
	json_t *item;
	const char *family;
	size_t i;

	json_array_foreach(json_object_get(file, "static"), i, item)
		printf("    contains %s (%s%s%s)\n", text_of(item, "family"), text_of(item, "evidence"), *text_of(item, "toolkit") ? "; compiled by " : "",
		       text_of(item, "toolkit"));
	json_object_foreach(json_object_get(file, "exports"), family, item)
		printf("    exports %lld functions of %s, and is not its library\n", (long long)json_integer_value(item), family);
}

static void print_findings(json_t *findings, const char *indent)
{
	size_t i;
	json_t *item;

	json_array_foreach(findings, i, item)
		printf("%s%s %s: %s: %s\n", indent, text_of(item, "code"),
		       text_of(item, "severity"), text_of(item, "text"), text_of(item, "remedy"));
}

/* Of a library in a process: who sees what it defines, where not all do. */
static const char *scope_text(const char *scope)
{
	return strcmp(scope, "local") == 0   ? ", RTLD_LOCAL"
	       : strcmp(scope, "other") == 0 ? ", of another namespace"
					     : "";
}

void gw_scan_print(json_t *files, json_t *findings)
{
	size_t f, i;
	const char *family;
	json_t *file, *item;

	json_array_foreach(files, f, file)
	{
		const char *soname = text_of(file, "soname");

		printf("%s%s%s%s%s\n", text_of(file, "path"), *soname ? " (" : "", soname,
		       *soname ? ")" : "", scope_text(text_of(file, "scope")));
		json_array_foreach(json_object_get(file, "needs"), i, item) print_need(item);
		json_object_foreach(json_object_get(file, "imports"), family, item) printf(
			"    imports %lld function%s of %s\n",
			(long long)json_integer_value(json_object_get(item, "count")),
			json_integer_value(json_object_get(item, "count")) == 1 ? "" : "s", family);
		json_array_foreach(json_object_get(file, "built_for"), i, item) print_built(item);
		print_contents(file);
		print_findings(json_object_get(file, "findings"), "    ");
	}
	print_findings(findings, "");
}
