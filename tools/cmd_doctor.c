/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway doctor`: what is on this machine, or in a container's file system: the driver, toolkits, each copy of each library and which one
 * programs get, and what is wrong between them. Executes nothing of it, and needs no GPU.
 */
#include "cmd.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "doctor.h"
#include "fatbin.h"
#include "option.h"

enum { OPTION_JSON = 256, OPTION_ROOT, OPTION_PYTHON, OPTION_LIBRARY_PATH, OPTION_GPU, OPTION_HELP };

static const struct option options[] = {
	{"json", no_argument, NULL, OPTION_JSON},
	{"root", required_argument, NULL, OPTION_ROOT},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"gpu", required_argument, NULL, OPTION_GPU},
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
	"  --library-path DIR:…         what LD_LIBRARY_PATH will be, instead of what it is (with --root: instead of none)\n"
	"  --gpu ARCHITECTURE           the GPU that programs will run on (9.0, sm_90), instead of those that are here\n\n"
	"Exit status: 0 fine, or with warnings; 1 a finding of severity error; 2 wrong usage; 3 could not do it.\n";

/* What the command line asks for, beside what struct gw_doctor holds. */
struct request {
	struct gw_doctor *doctor;
	const char *root, *library_path;
	const char **python; /* in the order in which they are given */
	size_t python_count;
	bool as_json;
};

static int take_option(struct request *request, int option, char **argv)
{
	struct gw_gpu gpu;

	switch (option) {
	case OPTION_JSON:
		request->as_json = true;
		return -1;
	case OPTION_ROOT:
		request->root = optarg;
		return -1;
	case OPTION_PYTHON:
		request->python[request->python_count++] = optarg;
		return -1;
	case OPTION_GPU:
		if (!gw_gpu_parse(&gpu, optarg)) {
			gw_complain("--gpu %s: is no architecture, such as 9.0 or sm_90a", optarg);
			return GW_EXIT_USAGE;
		}
		request->doctor->given_gpu = optarg;
		return -1;
	case OPTION_LIBRARY_PATH:
		request->library_path = optarg;
		return -1;
	case OPTION_HELP:
	case 'h':
		return gw_option_help(help);
	default:
		return gw_option_wrong("doctor", option, argv);
	}
}

/* -1: go on; else the exit status. */
static int parse(struct request *request, int argc, char **argv)
{
	int option, result = -1;

	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
		result = take_option(request, option, argv);
	if (result < 0 && optind < argc) {
		gw_complain("doctor: '%s' is not expected; `gangway scan` looks at files", argv[optind]);
		result = GW_EXIT_USAGE;
	}
	return result;
}

/* ROOT: room for --root's name on this machine: "" for the machine's own. */
static int set_up(struct request *request, char root[PATH_MAX])
{
	struct gw_doctor *doctor = request->doctor;
	struct gw_loader *loader = &doctor->scan.loader;
	char error[1024] = "";
	int result = -1;

	root[0] = '\0';
	if (request->root && (!gw_option_is_directory(NULL, request->root) || !realpath(request->root, root))) {
		gw_complain("--root %s: no such directory", request->root);
		return GW_EXIT_FAILED;
	}
	if (strcmp(root, "/") == 0)
		root[0] = '\0';
	if (gw_loader_init(loader, root, error, sizeof error) != 0)
		gw_doctor_unreadable(doctor, *error ? error : GW_CACHE_FILE);
	loader->library_path = request->library_path || *root ? request->library_path : getenv("LD_LIBRARY_PATH");
	if (request->library_path)
		result = gw_option_library_path(loader, request->library_path);
	for (size_t i = 0; i < request->python_count && result < 0; i++)
		result = gw_option_python(loader, &doctor->scan.given, request->python[i]);
	return result;
}

/* Without the database, releases that only exports could tell stay unknown. */
static void load_data(struct gw_doctor *doctor)
{
	struct abi_error error = {0};
	char *families = gw_data_path("families"), *drivers = gw_data_path("drivers"), *frameworks = gw_data_path("frameworks");

	gw_option_database(&doctor->scan.db, "fewer releases are recognised");
	if (!families || gw_rules_load(&doctor->rules, families, &error) != 0)
		gw_complain("%s; headers are not compared", error.text[0] ? error.text : "there is no list of families");
	free(families);
	if (!drivers || gw_table_load(&doctor->table, drivers, &error) != 0)
		gw_complain("%s; what drivers run is not known", drivers ? error.text : "there is no list of drivers");
	if (!frameworks || gw_frameworks_load(&doctor->frameworks, frameworks, &error) != 0)
		gw_complain("%s; frameworks are not looked at", frameworks ? error.text : "there is no list of frameworks");
	free(drivers);
	free(frameworks);
}

static json_t *examine(struct gw_doctor *doctor)
{
	json_t *driver, *toolkits, *versions, *copies, *frameworks, *pairs;

	load_data(doctor);
	gw_doctor_find_sites(doctor);
	gw_doctor_find_toolkits(doctor);
	gw_doctor_read_packages(doctor);
	gw_doctor_check_records(doctor);
	gw_doctor_find_copies(doctor);
	gw_doctor_follow_frameworks(doctor);
	gw_doctor_settle_copies(doctor);
	driver = gw_doctor_driver(doctor);
	gw_doctor_faults(doctor);
	toolkits = gw_doctor_toolkits(doctor);
	versions = gw_doctor_versions(doctor);
	frameworks = gw_doctor_frameworks(doctor);
	copies = gw_doctor_copies(doctor);
	pairs = gw_doctor_pairs(doctor);
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:O}", "root", gw_doctor_text(*doctor->scan.loader.root ? doctor->scan.loader.root : "/"), "driver", driver, "toolkits", toolkits,
			 "versions", versions, "frameworks", frameworks, "copies", copies, "pairs", pairs, "findings", doctor->findings);
}

int gw_cmd_doctor(int argc, char **argv)
{
	struct gw_doctor doctor = {.scan.loader.root = "", .findings = json_array()};
	struct request request = {.doctor = &doctor, .python = calloc((size_t)argc, sizeof(char *))};
	char root[PATH_MAX];
	json_t *report = NULL;
	int result = request.python ? parse(&request, argc, argv) : GW_EXIT_FAILED;

	if (result < 0)
		result = set_up(&request, root);
	if (result >= 0)
		goto finish;
	report = examine(&doctor);
	if (!report || doctor.failed) {
		gw_complain("doctor: out of memory");
		result = GW_EXIT_FAILED;
		goto finish;
	}
	if (request.as_json) {
		json_dumpf(report, stdout, JSON_INDENT(1));
		putchar('\n');
	} else {
		gw_doctor_print(report);
	}
	result = gw_finish_output(doctor.severe ? GW_EXIT_FINDINGS : GW_EXIT_FINE);
finish:
	json_decref(report);
	gw_doctor_finish(&doctor);
	free(request.python);
	return result;
}
