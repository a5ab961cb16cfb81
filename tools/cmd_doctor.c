/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway doctor`: what is on this machine, or in a container's file system: the driver, toolkits, each copy of each library and which one
 * programs get, and what is wrong between them. Executes nothing of it, and needs no GPU.
 */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doctor.h"
#include "option.h"

enum { OPTION_JSON = 256, OPTION_ROOT, OPTION_PYTHON, OPTION_LIBRARY_PATH, OPTION_HELP };

static const struct option options[] = {
	{"json", no_argument, NULL, OPTION_JSON},
	{"root", required_argument, NULL, OPTION_ROOT},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway doctor [OPTION]…\n"
	"Says which driver, toolkits and copies of NVIDIA's libraries are here, which copy an ordinary program gets, and what\n"
	"is wrong between them. Reads the files of the vendor's wheels in whole. Executes nothing, and needs no GPU.\n\n"
	"  --json                       print JSON\n"
	"  --root DIR                   look into a container's file system; all other paths are then as seen in it\n"
	"  --python DIR                 a site-packages or environment, instead of the usual ones; may be repeated\n"
	"  --library-path DIR:…         what LD_LIBRARY_PATH will be, instead of what it is (with --root: instead of none)\n\n"
	"Exit status: 0 fine, or with warnings; 1 a finding of severity error; 2 wrong usage; 3 could not do it.\n";

static int take_root(struct gw_doctor *doctor, char root[PATH_MAX], const char *directory)
{
	struct stat info;

	if (!realpath(directory, root) || stat(root, &info) != 0 || !S_ISDIR(info.st_mode)) {
		gw_complain("--root %s: %s", directory, strerror(errno ? errno : ENOTDIR));
		return GW_EXIT_FAILED;
	}
	if (strcmp(root, "/") == 0)
		root[0] = '\0';
	doctor->root = root;
	return -1;
}

/* -1: go on; else the exit status. */
static int parse(struct gw_doctor *doctor, char root[PATH_MAX], const char **list, bool *as_json, int argc, char **argv)
{
	int option, result = -1;
	char **more;

	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_JSON:
			*as_json = true;
			break;
		case OPTION_ROOT:
			errno = 0;
			result = take_root(doctor, root, optarg);
			break;
		case OPTION_PYTHON:
			more = gw_doctor_more(doctor, &doctor->given, &doctor->given_count, sizeof *more);
			if (more)
				*more = optarg;
			break;
		case OPTION_LIBRARY_PATH:
			*list = optarg;
			break;
		case OPTION_HELP:
		case 'h':
			result = gw_option_help(help);
			break;
		default:
			result = gw_option_wrong("doctor", option, argv);
		}
	}
	if (result < 0 && optind < argc) {
		gw_complain("doctor: '%s' is not expected; `gangway scan` looks at files", argv[optind]);
		result = GW_EXIT_USAGE;
	}
	return result;
}

/* As a program that starts in the root's top directory sees it; on this machine, in this directory. To keep, or NULL after a complaint. */
static const char *directory_of(struct gw_doctor *doctor, const char *option, const char *text, size_t length)
{
	char given[PATH_MAX], real[PATH_MAX], here[PATH_MAX] = "", host[2 * PATH_MAX];
	struct stat info;

	if (*text != '/' && !*doctor->root && !getcwd(here, sizeof here))
		here[0] = '\0';
	if (snprintf(given, sizeof given, "%s/%.*s", here, (int)length, text) < (int)sizeof given && gw_doctor_resolve(doctor, given, real)) {
		snprintf(host, sizeof host, "%s%s", doctor->root, real);
		if (stat(host, &info) == 0 && S_ISDIR(info.st_mode))
			return gw_doctor_keep(doctor, "%s", given + (given[1] == '/'));
	}
	if (option)
		gw_complain("%s %.*s: no such directory%s%s", option, (int)length, text, *doctor->root ? " in " : "", doctor->root);
	return NULL;
}

/* Directories of the options have to be there, since one that is not is more likely misspelt than meant; those of the environment need not. */
static int take_directories(struct gw_doctor *doctor, const char *list)
{
	const char *option = list ? "--library-path" : NULL, *all = "";

	for (size_t i = 0; i < doctor->given_count; i++) {
		const char *directory = directory_of(doctor, "--python", doctor->given[i], strlen(doctor->given[i]));

		if (!directory)
			return GW_EXIT_FAILED;
		doctor->given[i] = (char *)(uintptr_t)directory;
	}
	if (list && !*list) {
		gw_complain("--library-path: no directory is given");
		return GW_EXIT_USAGE;
	}
	if (!list && !*doctor->root)
		list = getenv("LD_LIBRARY_PATH");
	while (list && *list) {
		size_t length = strcspn(list, ":;");
		const char *directory = length ? directory_of(doctor, option, list, length) : NULL;

		if (!directory && length && option)
			return GW_EXIT_FAILED;
		if (directory)
			all = gw_doctor_keep(doctor, "%s%s%s", all, *all ? ":" : "", directory);
		list += length + (list[length] != '\0');
	}
	doctor->library_path = all;
	return -1;
}

/* Without the database, releases that only exports could tell stay unknown. */
static void load_data(struct gw_doctor *doctor)
{
	struct abi_error error = {0};
	char *facts = gw_data_path("facts"), *families = gw_data_path("families");

	if (!facts || abi_db_load(&doctor->db, facts, &error) != 0 || !families || gw_rules_load(&doctor->rules, families, &error) != 0)
		gw_complain("%s; fewer releases are recognised", error.text[0] ? error.text : "there is no database of facts");
	free(facts);
	free(families);
}

static void load_cache(struct gw_doctor *doctor)
{
	char error[1024] = "";

	if (gw_loader_init(&doctor->loader, doctor->root, error, sizeof error) != 0)
		gw_doctor_unreadable(doctor, *error ? error : GW_CACHE_FILE);
}

static json_t *examine(struct gw_doctor *doctor)
{
	json_t *driver, *toolkits, *versions, *copies;

	load_data(doctor);
	load_cache(doctor);
	gw_doctor_find_sites(doctor);
	gw_doctor_find_toolkits(doctor);
	gw_doctor_read_packages(doctor);
	gw_doctor_check_records(doctor);
	gw_doctor_find_copies(doctor);
	driver = gw_doctor_driver(doctor);
	gw_doctor_faults(doctor);
	toolkits = gw_doctor_toolkits(doctor);
	versions = gw_doctor_versions(doctor);
	copies = gw_doctor_copies(doctor);
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:O}", "root", gw_doctor_text(*doctor->root ? doctor->root : "/"), "driver", driver, "toolkits", toolkits,
			 "versions", versions, "copies", copies, "findings", doctor->findings);
}

int gw_cmd_doctor(int argc, char **argv)
{
	struct gw_doctor doctor = {.root = "", .findings = json_array()};
	char root[PATH_MAX];
	const char *list = NULL;
	bool as_json = false;
	json_t *report = NULL;
	int result = parse(&doctor, root, &list, &as_json, argc, argv);

	if (result < 0)
		result = take_directories(&doctor, list);
	if (result >= 0)
		goto finish;
	report = examine(&doctor);
	if (!report || doctor.failed) {
		gw_complain("doctor: out of memory");
		result = GW_EXIT_FAILED;
		goto finish;
	}
	if (as_json) {
		json_dumpf(report, stdout, JSON_INDENT(1));
		putchar('\n');
	} else {
		gw_doctor_print(report);
	}
	result = gw_finish_output(doctor.severe ? GW_EXIT_FINDINGS : GW_EXIT_FINE);
finish:
	json_decref(report);
	gw_doctor_finish(&doctor);
	return result;
}
