/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway scan`: options, and the output of what scan.c found out, as text or JSON. */
#include "cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "layout.h"
#include "option.h"
#include "scan.h"

enum { OPTION_JSON = 256, OPTION_LIBRARY_PATH, OPTION_PYTHON, OPTION_HELP };

static const struct option options[] = {
	{"json", no_argument, NULL, OPTION_JSON},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway scan [OPTION]… FILE…\n"
	"Says for each program or library which file every name that it needs would get, and which "
	"functions of the\n"
	"known families it imports, and which releases of them it may have been built for. Executes nothing.\n\n"
	"  --json                       print JSON\n"
	"  --library-path DIR:…         what LD_LIBRARY_PATH will be, instead of what it is\n"
	"  --python DIR                 a site-packages or environment, instead of each file's "
	"own; may be repeated\n\n"
	"Exit status: 0 fine; 1 something is missing that neither a real file nor a facade serves; "
	"2 wrong usage;\n"
	"3 a file could not be scanned.\n";

static const char *text_of(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));
	return value ? value : "";
}

static void print_need(json_t *need)
{
	const char *path = text_of(need, "path"), *by = text_of(need, "by");

	const char *release = text_of(need, "release");

	printf("    %-28s %-8s %s%s%s%s%s%s%s\n", text_of(need, "soname"), text_of(need, "status"),
	       strcmp(text_of(need, "status"), "facade") == 0 ? "would forward to " : "", path, *release ? "  release " : "", release,
	       *text_of(need, "through") ? " (Python paths: with gangway run)" : "",
	       *by ? "  needed by " : "", by);
}

static void print_built(json_t *item)
{
	bool one = strcmp(text_of(item, "min"), text_of(item, "max")) == 0;

	printf("    built for %s %s%s%s (%s)\n", text_of(item, "family"), text_of(item, "min"), one ? "" : " to ", one ? "" : text_of(item, "max"),
	       text_of(item, "evidence"));
}

static void print_text(json_t *files)
{
	size_t f, i;
	const char *family;
	json_t *file, *item;

	json_array_foreach(files, f, file)
	{
		const char *soname = text_of(file, "soname");

		printf("%s%s%s%s\n", text_of(file, "path"), *soname ? " (" : "", soname,
		       *soname ? ")" : "");
		json_array_foreach(json_object_get(file, "needs"), i, item) print_need(item);
		json_object_foreach(json_object_get(file, "imports"), family, item) printf(
			"    imports %lld function%s of %s\n",
			(long long)json_integer_value(json_object_get(item, "count")),
			json_integer_value(json_object_get(item, "count")) == 1 ? "" : "s", family);
		json_array_foreach(json_object_get(file, "built_for"), i, item) print_built(item);
		json_array_foreach(json_object_get(file, "findings"), i, item) printf(
			"    %s %s: %s: %s\n", text_of(item, "code"), text_of(item, "severity"),
			text_of(item, "text"), text_of(item, "remedy"));
	}
}

static int load_database(struct gw_scan *scan)
{
	struct abi_error error = {0};
	char *directory = gw_data_path("facts");
	int result = directory ? abi_db_load(&scan->db, directory, &error) : 0;

	if (!directory || result)
		gw_complain("%s; families are not told apart",
			    error.text[0] ? error.text : "there is no database of facts");
	free(directory);
	return 0;
}

/* -1: go on; else the exit status. */
static int parse(struct gw_scan *scan, bool *as_json, int argc, char **argv)
{
	int option, result = -1;

	opterr = 0;
	optind = 1;
	scan->loader.library_path = getenv("LD_LIBRARY_PATH");
	while (result < 0 && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_JSON:
			*as_json = true;
			break;
		case OPTION_LIBRARY_PATH:
			scan->loader.library_path = optarg;
			result = gw_option_library_path(optarg);
			break;
		case OPTION_PYTHON:
			result = gw_option_python(&scan->given, optarg);
			break;
		case OPTION_HELP:
		case 'h':
			result = gw_option_help(help);
			break;
		default:
			result = gw_option_wrong("scan", option, argv);
		}
	}
	if (result < 0 && optind >= argc) {
		gw_complain("scan: no file is given; `gangway scan --help` says how");
		result = GW_EXIT_USAGE;
	}
	return result;
}

static int scan_all(const struct gw_scan *scan, bool as_json, char **paths)
{
	json_t *files = json_array();
	bool severe = false, failed = false;
	char error[1024];

	for (; *paths; paths++) {
		json_t *file = gw_scan_file(scan, *paths, &severe, error, sizeof error);

		if (file) {
			json_array_append_new(files, file);
			continue;
		}
		gw_complain("%s", error);
		failed = true;
	}
	if (as_json) {
		json_t *all = json_pack("{s:O,s:[]}", "files", files, "findings");

		json_dumpf(all, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(all);
	} else {
		print_text(files);
	}
	json_decref(files);
	return gw_finish_output(failed ? GW_EXIT_FAILED : severe ? GW_EXIT_FINDINGS : GW_EXIT_FINE);
}

int gw_cmd_scan(int argc, char **argv)
{
	struct gw_scan scan = {0};
	struct gw_layout layout = {0};
	bool as_json = false;
	char error[1024] = "";
	const char *library_path;
	int result = parse(&scan, &as_json, argc, argv);

	if (result >= 0)
		goto finish;
	library_path = scan.loader.library_path;
	if (gw_loader_init(&scan.loader, GW_CACHE_FILE, error, sizeof error) != 0)
		gw_complain("%s; going on without the cache", error);
	scan.loader.library_path = library_path;
	if (gw_layout_find(&layout) == 0)
		scan.facades = layout.facades;
	result = load_database(&scan);
	if (!result)
		result = scan_all(&scan, as_json, argv + optind);
	abi_db_finish(&scan.db);
	gw_loader_finish(&scan.loader);
finish:
	gw_python_paths_finish(&scan.given);
	gw_layout_finish(&layout);
	return result;
}
