/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway scan`: options, and the output of what scan.c found out, as text or JSON. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "layout.h"
#include "option.h"
#include "scan.h"
#include "scan_tree.h"

enum {
	OPTION_JSON = 256,
	OPTION_LIBRARY_PATH,
	OPTION_PYTHON,
	OPTION_ROOT,
	OPTION_AGAINST,
	OPTION_PID,
	OPTION_GPU,
	OPTION_DRIVER,
	OPTION_HELP
};

static const struct option options[] = {
	{"json", no_argument, NULL, OPTION_JSON},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"root", required_argument, NULL, OPTION_ROOT},
	{"against", required_argument, NULL, OPTION_AGAINST},
	{"pid", required_argument, NULL, OPTION_PID},
	{"gpu", required_argument, NULL, OPTION_GPU},
	{"driver", required_argument, NULL, OPTION_DRIVER},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway scan [OPTION]… PATH…\n"
	"       gangway scan [OPTION]… --pid PID\n"
	"Says for each program or library, and for each below a directory, which file every name "
	"that it needs would\n"
	"get, what the loader would miss then, which functions of the known families it imports, "
	"and which releases\n"
	"of them it may have been built for. Executes nothing.\n\n"
	"  --json                       print JSON\n"
	"  --library-path DIR:…         what LD_LIBRARY_PATH will be, instead of what it is\n"
	"  --python DIR                 a site-packages or environment, instead of each file's "
	"own; may be repeated\n"
	"  --root DIR                   the file system that the files will run in (a "
	"container's); "
	"paths are those inside\n"
	"  --against DIR                as if the loader looked into DIR first, before any other "
	"place\n"
	"  --pid PID                    what that running process has mapped\n"
	"  --gpu sm_90                  a GPU that the files will run on, instead of those of this "
	"machine; may be repeated\n"
	"  --driver VERSION             its driver, instead of this machine's (535.104.05)\n\n"
	"Exit status: 0 fine; 1 something is missing that neither a real file nor a facade serves; "
	"2 wrong usage;\n"
	"3 a file could not be scanned.\n";

/* What is known beside the database lies beside it. */
static int load_known(struct gw_scan *scan)
{
	char *path = gw_data_path("libraries"), error[512] = "there is no list of the vendor's libraries";
	char *slash = path ? strrchr(path, '/') : NULL;

	if (slash)
		*slash = '\0';
	if (!slash || gw_known_load(&scan->known, path, error, sizeof error) != 0)
		gw_complain("%s; what files open by themselves is told in part", error);
	free(path);
	return 0;
}

/* What the command line asks for, beside what struct gw_scan holds. */
struct request {
	struct gw_scan *scan;
	const char *library_path, *root, *against;
	const char **python; /* in the order in which they are given */
	size_t python_count;
	const char *driver;
	int pid; /* 0: none */
	bool as_json;
	/* and what came of it */
	json_t *files, *findings;
	size_t scanned; /* files of the directory that is being walked */
	bool severe, failed;
};

static int parse_pid(struct request *request, const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value <= 0 || value > INT_MAX) {
		gw_complain("--pid %s: is no process id", text);
		return GW_EXIT_USAGE;
	}
	request->pid = (int)value;
	return -1;
}

static int parse_gpu(struct request *request, const char *text)
{
	struct gw_scan_machine *machine = &request->scan->machine;
	struct gw_gpu gpu;

	if (!gw_gpu_parse(&gpu, text)) {
		gw_complain("--gpu %s: is no architecture; say sm_90, or 9.0", text);
		return GW_EXIT_USAGE;
	}
	machine->gpu_given = true;
	if (machine->gpu_count < GW_SCAN_GPUS)
		machine->gpu[machine->gpu_count++] = gpu;
	return -1;
}

static int parse_driver(struct request *request, const char *text)
{
	unsigned part[4];

	if (!gw_known_version(text, part)) {
		gw_complain("--driver %s: is no version of a driver, such as 535.104.05", text);
		return GW_EXIT_USAGE;
	}
	request->driver = text;
	return -1;
}

static int take_option(struct request *request, int option, char **argv)
{
	switch (option) {
	case OPTION_JSON:
		request->as_json = true;
		return -1;
	case OPTION_LIBRARY_PATH:
		request->library_path = optarg;
		return -1;
	case OPTION_PYTHON:
		request->python[request->python_count++] = optarg;
		return -1;
	case OPTION_ROOT:
		request->root = optarg;
		return -1;
	case OPTION_AGAINST:
		request->against = optarg;
		return -1;
	case OPTION_PID:
		return parse_pid(request, optarg);
	case OPTION_GPU:
		return parse_gpu(request, optarg);
	case OPTION_DRIVER:
		return parse_driver(request, optarg);
	case OPTION_HELP:
	case 'h':
		return gw_option_help(help);
	default:
		return gw_option_wrong("scan", option, argv);
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
	if (result < 0 && optind >= argc && !request->pid) {
		gw_complain("scan: no file is given; `gangway scan --help` says how");
		result = GW_EXIT_USAGE;
	}
	if (result < 0 && request->pid && (optind < argc || request->root)) {
		gw_complain("scan: --pid goes with no file and no --root");
		result = GW_EXIT_USAGE;
	}
	return result;
}

/* The root's name on this machine, to free: "" for the machine's own, NULL where there is none.
 * That of a process in a container may have no other name than the link in /proc. */
static char *root_of(const struct request *request)
{
	struct stat own, other;
	char name[64];

	snprintf(name, sizeof name, "/proc/%d/root", request->pid);
	if (!request->pid && !request->root)
		return strdup("");
	if (stat("/", &own) != 0 || stat(request->pid ? name : request->root, &other) != 0)
		return NULL;
	if (own.st_dev == other.st_dev && own.st_ino == other.st_ino)
		return strdup("");
	return request->pid ? strdup(name) : realpath(request->root, NULL);
}

/* -1: go on; else the exit status. */
static int set_up(struct request *request, const char *root)
{
	struct gw_loader *loader = &request->scan->loader;
	char error[1024] = "";
	int result = -1;

	if (gw_loader_init(loader, root, error, sizeof error) != 0)
		gw_complain("%s; going on without the cache", error[0] ? error : "out of memory");
	loader->library_path =
		request->library_path ? request->library_path : getenv("LD_LIBRARY_PATH");
	loader->preload = getenv("LD_PRELOAD");
	loader->bind_now = getenv("LD_BIND_NOW") && *getenv("LD_BIND_NOW");
	loader->against = request->against;
	if (request->library_path)
		result = gw_option_library_path(loader, request->library_path);
	if (result < 0 && request->against && !gw_option_is_directory(loader, request->against)) {
		gw_complain("--against %s: no such directory", request->against);
		result = GW_EXIT_FAILED;
	}
	for (size_t i = 0; i < request->python_count && result < 0; i++)
		result = gw_option_python(loader, &request->scan->given, request->python[i]);
	return result;
}

static void scan_one(struct request *request, const char *path)
{
	char error[1024] = "";
	json_t *file = gw_scan_file(request->scan, path, &request->severe, error, sizeof error);

	if (file) {
		json_array_append_new(request->files, file);
		return;
	}
	gw_complain("%s", error);
	request->failed = true;
}

static void scan_below(void *context, const char *path)
{
	struct request *request = context;

	request->scanned++;
	scan_one(request, gw_loader_inside(&request->scan->loader, path));
}

static void scan_path(struct request *request, const char *given)
{
	const struct gw_loader *loader = &request->scan->loader;
	const char *path = gw_loader_inside(loader, given);
	char host[PATH_MAX];

	request->scanned = 0;
	if (gw_option_is_directory(loader, path) && gw_loader_host(loader, path, host) == 0 &&
	    gw_scan_tree(host, scan_below, request) == 0 && request->scanned)
		return;
	scan_one(request, path);
}

static int scan_all(struct request *request, char **paths)
{
	char error[1024] = "";

	request->files = json_array();
	request->findings = json_array();
	if (request->pid &&
	    gw_scan_process(request->scan, request->pid, request->files, request->findings,
			    &request->severe, error, sizeof error) != 0) {
		gw_complain("%s", error);
		request->failed = true;
	}
	for (; *paths; paths++)
		scan_path(request, *paths);
	gw_scan_copies(request->scan, request->findings);
	if (request->as_json) {
		json_t *all = json_pack("{s:O,s:O}", "files", request->files, "findings",
					request->findings);

		json_dumpf(all, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(all);
	} else {
		gw_scan_print(request->files, request->findings);
	}
	json_decref(request->files);
	json_decref(request->findings);
	return gw_finish_output(request->failed   ? GW_EXIT_FAILED
				: request->severe ? GW_EXIT_FINDINGS
						  : GW_EXIT_FINE);
}

int gw_cmd_scan(int argc, char **argv)
{
	struct gw_scan scan = {.loader.root = ""};
	struct gw_layout layout = {0};
	struct request request = {.scan = &scan, .python = calloc((size_t)argc, sizeof(char *))};
	char *root = NULL;
	int result = request.python ? parse(&request, argc, argv) : GW_EXIT_FAILED;

	if (result >= 0)
		goto finish;
	root = root_of(&request);
	if (!root) {
		if (request.pid)
			gw_complain("--pid %d: %s", request.pid, strerror(errno));
		else
			gw_complain("--root %s: %s", request.root, strerror(errno));
		result = GW_EXIT_FAILED;
		goto finish;
	}
	result = set_up(&request, root);
	if (result >= 0)
		goto finish;
	/* What a facade would forward to is looked for on this machine alone. */
	if (!*root && gw_layout_find(&layout) == 0)
		scan.facades = layout.facades;
	gw_option_database(&scan.db, "families are not told apart");
	result = load_known(&scan);
	if (!result && gw_scan_machine_find(&scan, request.driver) != 0)
		result = GW_EXIT_FAILED;
	if (!result)
		result = scan_all(&request, argv + optind);
finish:
	gw_scan_forget_copies(&scan);
	gw_scan_machine_finish(&scan.machine);
	gw_known_finish(&scan.known);
	abi_db_finish(&scan.db);
	gw_loader_finish(&scan.loader);
	gw_python_paths_finish(&scan.given);
	gw_scan_forget_packages(&scan);
	gw_scan_forget_python(&scan);
	gw_layout_finish(&layout);
	free(request.python);
	free(root);
	return result;
}
