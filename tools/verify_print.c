/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `gangway verify` as text (verify.h): a reading of its JSON. */
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(json_t *object, const char *key, const char *otherwise)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value && *value ? value : otherwise;
}

/* The case that comes nearest to its limit, or is farthest beyond it. */
static void print_error(json_t *step)
{
	json_t *item, *worst = NULL;
	double most = -1;
	size_t i;

	json_array_foreach(json_object_get(step, "cases"), i, item)
	{
		json_t *error = json_object_get(item, "error");
		double limit = json_number_value(json_object_get(item, "limit")), share = json_number_value(error);

		if (json_is_null(error))
			share = INFINITY;
		else if (limit > 0)
			share /= limit;
		else if (share > 0)
			share = INFINITY;
		if (share > most)
			most = share, worst = item;
	}
	if (!worst)
		printf("  %-8s %-8s", "", "");
	else if (json_is_null(json_object_get(worst, "error")))
		printf("  %-8s %-8.1g", "no number", json_number_value(json_object_get(worst, "limit")));
	else
		printf("  %-8.2g %-8.1g", json_number_value(json_object_get(worst, "error")), json_number_value(json_object_get(worst, "limit")));
}

static void print_step(json_t *step)
{
	json_t *drift = json_object_get(step, "drift");

	printf("    %-18s %-10s %-10s", text_of(step, "step", ""), text_of(step, "bare", ""), text_of(step, "outcome", ""));
	print_error(step);
	if (json_is_null(drift))
		printf("  %-10s", "");
	else if (json_number_value(drift) > 0)
		printf("  %-10.2g", json_number_value(drift));
	else
		printf("  %-10s", "same bits");
	printf(" %.1f s\n", json_number_value(json_object_get(step, "seconds")));
}

/* Why steps are not ok; those that say the same together. */
static void print_reasons(json_t *steps, const char *key, const char *run)
{
	json_t *step, *other;
	size_t i, k;

	json_array_foreach(steps, i, step)
	{
		const char *why = text_of(step, key, "");
		bool first = *why;

		json_array_foreach(steps, k, other) if (k < i && !strcmp(text_of(other, key, ""), why)) first = false;
		if (!first)
			continue;
		printf("    %s: %s", run, text_of(step, "step", ""));
		json_array_foreach(steps, k, other) if (k > i && !strcmp(text_of(other, key, ""), why)) printf(", %s", text_of(other, "step", ""));
		printf(":\n        %s\n", why);
	}
}

static void print_facts(json_t *steps)
{
	json_t *step, *value;
	const char *name;
	size_t i;

	json_array_foreach(steps, i, step) json_object_foreach(json_object_get(step, "facts"), name, value)
		printf("    %s: %s: %s\n", text_of(step, "step", ""), name, json_string_value(value));
}

static void print_files(const char *run, json_t *files, const char *facades)
{
	json_t *file;
	size_t i;

	json_array_foreach(files, i, file)
	{
		const char *path = text_of(file, "path", ""), *release = text_of(file, "release", "");
		bool facade = *facades && !strncmp(path, facades, strlen(facades));

		/* cuDNN's parts say no release; its front does. */
		if (!*release)
			continue;
		printf("        %-8s %s  %s%s\n", run, path, release, facade ? " to the program, by a facade" : "");
	}
}

static void print_libraries(json_t *libraries, const char *facades)
{
	json_t *library;
	size_t i;

	json_array_foreach(libraries, i, library)
	{
		json_t *bare = json_object_get(library, "bare_files"), *with = json_object_get(library, "files");

		printf("    %s%s%s\n", text_of(library, "soname", text_of(library, "library", "")),
		       json_is_true(json_object_get(library, "needed")) ? ", needed" : "",
		       json_is_null(json_object_get(library, "path")) ? ": no file of that name" : "");
		if (json_equal(bare, with)) {
			print_files("both", with, facades);
		} else {
			print_files("bare", bare, facades);
			print_files("gangway", with, facades);
		}
	}
}

void gw_verify_print(json_t *report)
{
	json_t *steps = json_object_get(report, "steps"), *findings = json_object_get(report, "findings"), *item;
	const char *program = text_of(report, "program", "");
	size_t i;

	printf("Libraries%s%s\n", *program ? " as needed by " : "", program);
	print_libraries(json_object_get(report, "libraries"), text_of(report, "facades", ""));
	puts("Machine");
	print_facts(steps);
	printf("Steps\n    %-18s %-10s %-10s  %-8s %-8s  %-10s %s\n", "", "bare", "gangway", "error", "allowed", "drift", "time");
	json_array_foreach(steps, i, item) print_step(item);
	print_reasons(steps, "bare_why", "bare");
	print_reasons(steps, "why", "gangway");
	if (json_array_size(json_object_get(report, "said")))
		puts("What gangway said");
	json_array_foreach(json_object_get(report, "said"), i, item) printf("    %s\n", json_string_value(item));
	puts(json_array_size(findings) ? "Findings" : "Findings\n    none");
	json_array_foreach(findings, i, item) printf("    %s %s: %s: %s\n", text_of(item, "code", ""), text_of(item, "severity", ""),
						     text_of(item, "text", ""), text_of(item, "remedy", ""));
}
