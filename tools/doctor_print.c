/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `gangway doctor` as text (doctor.h): a reading of its JSON. */
#include "doctor.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *text_of(json_t *object, const char *key, const char *otherwise)
{
	const char *value = json_string_value(json_object_get(object, key));
	return value && *value ? value : otherwise;
}

/* Columns are as wide as their widest cell, and lines as wide as the terminal, else WIDTH: what is longer goes on below. */
#define WIDTH 120

static size_t width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > WIDTH ? size.ws_col : WIDTH;
}

/* Letters of TEXT, which is UTF-8. */
static size_t letters(const char *text, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes && text[i]; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

/* TEXT behind COLUMN letters that are printed already, further lines as far in; broken at blanks. */
static void print_wrapped(const char *text, size_t column)
{
	size_t at = column, room = width();

	while (*text) {
		size_t length = strcspn(text, " "), size = letters(text, length);

		if (at > column && at + 1 + size > room) {
			printf("\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)length, text);
		at += size;
		text += length + strspn(text + length, " ");
	}
	putchar('\n');
}

static void print_cell(const char *text, size_t columns)
{
	size_t size = letters(text, strlen(text));

	printf("%s%*s", text, size < columns ? (int)(columns - size) : 0, "");
}

static size_t widest(json_t *items, const char *key, size_t least)
{
	json_t *item;
	size_t i;

	json_array_foreach(items, i, item)
	{
		const char *text = text_of(item, key, "unknown");
		size_t size = letters(text, strlen(text));

		least = size > least ? size : least;
	}
	return least;
}

static void print_findings(json_t *findings)
{
	json_t *item;
	size_t i;

	puts(json_array_size(findings) ? "What is wrong" : "What is wrong\n    nothing was found");
	json_array_foreach(findings, i, item)
	{
		printf("  %s %s\n      ", text_of(item, "code", ""), text_of(item, "severity", ""));
		print_wrapped(text_of(item, "text", ""), 6);
		fputs("      -> ", stdout);
		print_wrapped(text_of(item, "remedy", ""), 9);
	}
}

static void print_driver(json_t *driver)
{
	json_t *module = json_object_get(driver, "module"), *libcuda = json_object_get(driver, "libcuda"), *item;
	size_t i;

	printf("\nDriver\n    kernel module   %s\n", text_of(module, "version", "not loaded, or not to be seen from here"));
	if (json_is_string(json_object_get(libcuda, "path")))
		printf("    libcuda.so.1    %s  %s, version %s, found by %s\n", text_of(libcuda, "path", ""), text_of(libcuda, "kind", ""),
		       text_of(libcuda, "version", "unknown"), text_of(libcuda, "found_by", ""));
	else
		puts("    libcuda.so.1    not found");
	json_array_foreach(json_object_get(driver, "gpus"), i, item)
		printf("    GPU             %s, architecture %s\n", text_of(item, "model", ""), text_of(item, "architecture", "unknown"));
}

static void print_toolkits(json_t *toolkits)
{
	json_t *item;
	size_t i;

	puts(json_array_size(toolkits) ? "\nToolkits" : "\nToolkits\n    none under /usr/local");
	json_array_foreach(toolkits, i, item)
	{
		const char *names = text_of(item, "names", "");

		printf("    %-15s %s%s%s%s%s\n", text_of(item, "release", "unknown"), text_of(item, "path", ""), *names ? " (" : "", names,
		       *names ? ")" : "", json_is_true(json_object_get(item, "nvcc")) ? "" : ", without nvcc");
	}
}

static void print_versions(json_t *versions)
{
	size_t what = widest(versions, "what", 4), version = widest(versions, "version", 7), i;
	json_t *item;

	puts("\nWhat is called 'the CUDA version'");
	json_array_foreach(versions, i, item)
	{
		fputs("    ", stdout);
		print_cell(text_of(item, "what", ""), what + 2);
		print_cell(text_of(item, "version", "unknown"), version + 2);
		print_wrapped(text_of(item, "from", ""), 4 + what + 2 + version + 2);
		printf("%*s", (int)(4 + what + 2 + version + 2), "");
		print_wrapped(text_of(item, "matters", ""), 4 + what + 2 + version + 2);
	}
}

/* "9.1.0.70 to 9.20.0.48" */
static const char *release_of(json_t *item, char text[128])
{
	const char *release = text_of(item, "release", NULL), *oldest = text_of(item, "oldest", "");

	if (!release)
		return "unknown";
	snprintf(text, 128, "%s%s%s", strcmp(release, oldest) == 0 ? "" : oldest, strcmp(release, oldest) == 0 ? "" : " to ", release);
	return text;
}

/* "RPATH of libtorch_cuda.so": the file's directory is in the JSON. */
static void print_rule(const char *text)
{
	const char *of = strstr(text, " of /"), *slash = strrchr(text, '/');

	if (of && slash)
		printf("%.*s of %s", (int)(of - text), text, slash + 1);
	else
		fputs(text, stdout);
}

static void print_frameworks(json_t *frameworks)
{
	json_t *item, *use;
	size_t i, u;
	char release[128];

	if (json_array_size(frameworks))
		puts("\nWhat frameworks get");
	json_array_foreach(frameworks, i, item)
	{
		json_t *built = json_object_get(item, "built_for"), *uses = json_object_get(item, "uses");
		size_t soname = widest(uses, "soname", 6), number = 7;

		json_array_foreach(uses, u, use)
		{
			size_t size = strlen(release_of(use, release));

			number = size > number ? size : number;
		}

		printf("    %s %s in %s, built for CUDA %s, cuDNN %s%s\n", text_of(item, "name", ""), text_of(item, "version", ""), text_of(item, "site", ""),
		       text_of(built, "cuda", "unknown"), text_of(built, "cudnn", "unknown"),
		       json_is_true(json_object_get(item, "preloads")) ? "; it opens its libraries by their paths" : "");
		json_array_foreach(uses, u, use)
		{
			bool found = json_is_string(json_object_get(use, "path"));

			fputs(found ? "        " : "      ! ", stdout);
			print_cell(text_of(use, "soname", ""), soname + 2);
			print_cell(found ? release_of(use, release) : "", number + 2);
			if (found)
				print_rule(text_of(use, "found_by", ""));
			else
				printf("not found, for");
			printf("\n            %s\n", text_of(use, found ? "path" : "needed_by", ""));
		}
	}
}

static void print_pairs(json_t *pairs)
{
	json_t *item;
	size_t i;

	if (json_array_size(pairs) < 2)
		return;
	puts("\nWhich libcublas works on which libcublasLt (they call each other by private functions: only one release's pair is sure to)");
	json_array_foreach(pairs, i, item)
	{
		const char *verdict = text_of(item, "verdict", "");
		long long lacks = json_integer_value(json_object_get(item, "lacks"));

		printf("    %s (%s)\n        on %s (%s): ", text_of(item, "library", ""), text_of(item, "release", "unknown"), text_of(item, "on", ""),
		       text_of(item, "on_release", "unknown"));
		if (strcmp(verdict, "fails") == 0)
			printf("fails, %lld function%s missing, such as %s\n", lacks, lacks == 1 ? "" : "s", text_of(item, "first", ""));
		else
			puts(strcmp(verdict, "own") == 0 ? "works, of one release" : "loads, and may fail at any call: of another release");
	}
}

static void print_copies(json_t *copies)
{
	size_t soname = widest(copies, "soname", 6), i, u;
	json_t *item, *user;
	char release[128];

	puts(json_array_size(copies) ? "\nLibraries (*: what an ordinary program gets)" : "\nLibraries\n    none");
	json_array_foreach(copies, i, item)
	{
		const char *path = text_of(item, "path", ""), *real = text_of(item, "real", ""), *by = text_of(item, "release_by", "");
		bool link = strcmp(path, real) != 0, known = text_of(item, "release", NULL);

		printf("  %s ", json_is_true(json_object_get(item, "wins")) ? "*" : " ");
		print_cell(text_of(item, "soname", "no soname"), soname + 2);
		printf("%s%s%s%s, %s", release_of(item, release), known ? " (by " : "", known ? by : "", known ? ")" : "",
		       text_of(item, "origin", "of no known package"));
		json_array_foreach(json_object_get(item, "used_by"), u, user) printf("%s %s", u ? "," : "; used by", json_string_value(user));
		putchar('\n');
		printf("      %s%s%s\n", path, link ? " -> " : "", link ? real : "");
	}
}

void gw_doctor_print(json_t *report)
{
	print_findings(json_object_get(report, "findings"));
	print_driver(json_object_get(report, "driver"));
	print_toolkits(json_object_get(report, "toolkits"));
	print_versions(json_object_get(report, "versions"));
	print_frameworks(json_object_get(report, "frameworks"));
	print_pairs(json_object_get(report, "pairs"));
	print_copies(json_object_get(report, "copies"));
}
