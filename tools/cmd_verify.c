/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway verify`: small computations through the libraries that a program would get, bare and under gangway, and what differs. The computing is
 * done by gangway-verify, in processes of its own (verify.h).
 */
#include "cmd.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "option.h"
#include "verify.h"

enum { OPTION_JSON = 256, OPTION_PROGRAM, OPTION_PYTHON, OPTION_LIBRARY_PATH, OPTION_ONLY, OPTION_MAJOR, OPTION_LIMIT, OPTION_HELP };

static const struct option options[] = {
	{"json", no_argument, NULL, OPTION_JSON},
	{"program", required_argument, NULL, OPTION_PROGRAM},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"only", required_argument, NULL, OPTION_ONLY},
	{"major", required_argument, NULL, OPTION_MAJOR},
	{"limit", required_argument, NULL, OPTION_LIMIT},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway verify [OPTION]…\n"
	"Computes small things through the CUDA libraries that a program would get, first bare, then under `gangway run`, and compares the results\n"
	"with this machine's own processor and with each other.\n\n"
	"  --program FILE               take the libraries that this program or library needs\n"
	"  --python DIR                 those of this site-packages or environment; may be repeated\n"
	"  --library-path DIR:…         what LD_LIBRARY_PATH will be, instead of what it is\n"
	"  --major 11|12|13             ask for the libraries of this CUDA, as a program does that was built for it\n"
	"  --only STEP                  this step alone; may be repeated\n"
	"  --limit SECONDS              how long a step may take (120)\n"
	"  --json                       print JSON\n\n"
	"Exit status: 0 all that can be asked of this machine is right; 1 a step failed; 2 wrong usage; 3 a step could not run, or gangway could\n"
	"not do its part.\n";

static int take_major(struct gw_verify *verify, const char *text)
{
	char *end;
	long major = strtol(text, &end, 10);

	if (*end || major < 11 || major > 13) {
		gw_complain("--major %s: 11, 12 and 13 are known", text);
		return GW_EXIT_USAGE;
	}
	verify->major = (int)major;
	return -1;
}

static int take_limit(struct gw_verify *verify, const char *text)
{
	char *end;

	verify->limit = strtod(text, &end);
	if (!*end && verify->limit > 0 && verify->limit <= 86400)
		return -1;
	gw_complain("--limit %s: give a number of seconds, up to 86400", text);
	return GW_EXIT_USAGE;
}

/* -1: go on; else the exit status. */
static int parse(struct gw_verify *verify, bool *as_json, int argc, char **argv)
{
	int option, result = -1;

	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_JSON:
			*as_json = true;
			break;
		case OPTION_PROGRAM:
			verify->program = optarg;
			break;
		case OPTION_PYTHON:
			verify->python_given = true;
			result = gw_option_python(NULL, &verify->python, optarg);
			break;
		case OPTION_LIBRARY_PATH:
			verify->library_path = optarg;
			result = gw_option_library_path(NULL, optarg);
			break;
		case OPTION_ONLY:
			verify->steps[verify->step_count++] = optarg;
			break;
		case OPTION_MAJOR:
			result = take_major(verify, optarg);
			break;
		case OPTION_LIMIT:
			result = take_limit(verify, optarg);
			break;
		case OPTION_HELP:
		case 'h':
			result = gw_option_help(help);
			break;
		default:
			result = gw_option_wrong("verify", option, argv);
		}
	}
	if (result < 0 && optind < argc) {
		gw_complain("verify: '%s' is not expected; --program names a program", argv[optind]);
		result = GW_EXIT_USAGE;
	}
	return result;
}

/* gangway-verify, beside the installed program or in the build directory. */
static int find_helper(struct gw_verify *verify)
{
	static const char *const places[] = {"../libexec/gangway/gangway-verify", "verify/gangway-verify"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[length > 0 ? length : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof path, "%s/%s", self, places[i]);
		if (realpath(path, verify->helper) && access(verify->helper, X_OK) == 0)
			return -1;
	}
	gw_complain("gangway-verify is neither in ../libexec/gangway nor in verify, seen from this program; install gangway as a whole");
	return GW_EXIT_FAILED;
}

/* The status to end with. */
static int report(struct gw_verify *verify, bool as_json)
{
	json_t *said = NULL, *nothing = NULL, *bare = gw_verify_start(verify, false, &nothing), *with = bare ? gw_verify_start(verify, true, &said) : NULL;
	json_t *all = bare && with ? gw_verify_compare(verify, bare, with, said) : NULL;
	int result = GW_EXIT_FAILED;

	if (all) {
		if (as_json) {
			json_dumpf(all, stdout, JSON_INDENT(1));
			putchar('\n');
		} else {
			gw_verify_print(all);
		}
		result = gw_finish_output(verify->severe ? GW_EXIT_FINDINGS : verify->incomplete ? GW_EXIT_FAILED : GW_EXIT_FINE);
	} else if (bare && with) {
		gw_complain("verify: out of memory");
	}
	json_decref(all);
	json_decref(bare);
	json_decref(with);
	json_decref(said);
	json_decref(nothing);
	return result;
}

static void finish(struct gw_verify *verify)
{
	for (size_t i = 0; i < verify->library_count; i++)
		free(verify->library[i].path);
	gw_loader_finish(&verify->loader);
	gw_python_paths_finish(&verify->python);
	gw_layout_finish(&verify->layout);
	json_decref(verify->findings);
	free(verify->framework);
	free(verify->steps);
}

int gw_cmd_verify(int argc, char **argv)
{
	struct gw_verify verify = {.steps = calloc((size_t)argc + 1, sizeof(char *)), .findings = json_array()};
	char error[1024];
	bool as_json = false;
	int result = verify.steps && verify.findings ? parse(&verify, &as_json, argc, argv) : GW_EXIT_FAILED;

	if (result < 0)
		result = find_helper(&verify);
	if (result < 0) {
		if (gw_loader_init(&verify.loader, "", error, sizeof error) != 0)
			gw_complain("%s; going on without the cache", error);
		result = gw_layout_find(&verify.layout) ? GW_EXIT_FAILED : -1;
		if (result >= 0)
			gw_complain("libgangway.so is neither in ../lib/gangway nor in ../shim, seen from this program; install gangway as a whole");
	}
	if (result < 0) {
		result = gw_verify_check_steps(&verify);
		if (!result)
			result = gw_verify_find(&verify);
		if (!result)
			result = report(&verify, as_json);
	}
	finish(&verify);
	return result;
}
