/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `gangway doctor` as text (doctor.h): a reading of its JSON. */
#include "doctor.h"

#include <string.h>

static const char *text_of(json_t *object, const char *key, const char *otherwise)
{
	const char *value = json_string_value(json_object_get(object, key));
	return value && *value ? value : otherwise;
}

static void print_driver(json_t *driver)
{
	json_t *module = json_object_get(driver, "module"), *libcuda = json_object_get(driver, "libcuda");

	printf("Driver\n    kernel module   %s\n", text_of(module, "version", "not loaded, or not to be seen from here"));
	if (json_is_string(json_object_get(libcuda, "path")))
		printf("    libcuda.so.1    %s  %s, version %s, found by %s\n", text_of(libcuda, "path", ""), text_of(libcuda, "kind", ""),
		       text_of(libcuda, "version", "unknown"), text_of(libcuda, "found_by", ""));
	else
		puts("    libcuda.so.1    not found");
}

static void print_toolkits(json_t *toolkits)
{
	json_t *item;
	size_t i;

	puts(json_array_size(toolkits) ? "Toolkits" : "Toolkits\n    none under /usr/local");
	json_array_foreach(toolkits, i, item)
	{
		const char *names = text_of(item, "names", "");

		printf("    %-15s %s%s%s%s%s\n", text_of(item, "release", "unknown"), text_of(item, "path", ""), *names ? " (" : "", names,
		       *names ? ")" : "", json_is_true(json_object_get(item, "nvcc")) ? "" : ", without nvcc");
	}
}

static void print_versions(json_t *versions)
{
	json_t *item;
	size_t i;

	puts("What is called 'the CUDA version'");
	json_array_foreach(versions, i, item) printf("    %-16s %-12s %s: %s\n", text_of(item, "what", ""), text_of(item, "version", "unknown"),
						     text_of(item, "from", ""), text_of(item, "matters", ""));
}

static void print_copies(json_t *copies)
{
	json_t *item;
	size_t i;

	puts(json_array_size(copies) ? "Libraries (*: what an ordinary program gets)" : "Libraries\n    none");
	json_array_foreach(copies, i, item)
	{
		const char *path = text_of(item, "path", ""), *real = text_of(item, "real", ""), *by = text_of(item, "release_by", "");
		const char *release = text_of(item, "release", NULL), *oldest = text_of(item, "oldest", "");
		bool link = strcmp(path, real) != 0, range = release && strcmp(release, oldest) != 0;

		printf("  %s %-26s %s%s%s  %s%s%s  (%s%s%s)\n", json_is_true(json_object_get(item, "wins")) ? "*" : " ", text_of(item, "soname", "no soname"),
		       range ? oldest : "", range ? " to " : "", release ? release : "unknown release", path, link ? " -> " : "", link ? real : "",
		       text_of(item, "origin", "of no known package"), release ? "; release by " : "", release ? by : "");
	}
}

void gw_doctor_print(json_t *report)
{
	json_t *findings = json_object_get(report, "findings"), *item;
	size_t i;

	print_driver(json_object_get(report, "driver"));
	print_toolkits(json_object_get(report, "toolkits"));
	print_versions(json_object_get(report, "versions"));
	print_copies(json_object_get(report, "copies"));
	puts(json_array_size(findings) ? "Findings" : "Findings\n    none");
	json_array_foreach(findings, i, item) printf("    %s %s: %s: %s\n", text_of(item, "code", ""), text_of(item, "severity", ""),
						     text_of(item, "text", ""), text_of(item, "remedy", ""));
}
