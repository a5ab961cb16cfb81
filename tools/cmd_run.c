/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway run`: sets the environment in which the loader maps libgangway.so and the auditor into a
 * program, then becomes that program. Decides nothing about libraries itself: a search's outcome is
 * known only when the program makes it.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "built_for.h"
#include "facade_links.h"
#include "find.h"
#include "layout.h"
#include "python.h"
#include "target.h"

struct run {
	const char *facades, *log, *findings, *library_path, *built_for;
	bool no_audit, quiet, explain;
	struct gw_python_paths python;
	struct gw_layout layout;
	char *program; /* the file that will be executed */
	bool helpless; /* the loader ignores the preload in this program, though not in its children
			*/
};

enum {
	OPTION_FACADES = 256,
	OPTION_LOG,
	OPTION_FINDINGS,
	OPTION_LIBRARY_PATH,
	OPTION_PYTHON,
	OPTION_NO_AUDIT,
	OPTION_QUIET,
	OPTION_EXPLAIN,
	OPTION_BUILT_FOR,
	OPTION_HELP
};

static const struct option options[] = {
	{"facades", required_argument, NULL, OPTION_FACADES},
	{"log", required_argument, NULL, OPTION_LOG},
	{"findings", required_argument, NULL, OPTION_FINDINGS},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"no-audit", no_argument, NULL, OPTION_NO_AUDIT},
	{"quiet", no_argument, NULL, OPTION_QUIET},
	{"explain", no_argument, NULL, OPTION_EXPLAIN},
	{"built-for", required_argument, NULL, OPTION_BUILT_FOR},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway run [OPTION]… [--] PROGRAM [ARGUMENT]…\n"
	"Runs PROGRAM, and what it starts, on the CUDA libraries that this machine has.\n\n"
	"  --facades auto|off|SONAME,…  which facades may answer a search that ends without a file "
	"(auto)\n"
	"  --log FILE                   append one JSON line for each search, call and finding\n"
	"  --findings FILE              append findings there as well\n"
	"  --library-path DIR:…         where a facade looks first for the library it forwards to\n"
	"  --python DIR                 a site-packages or environment, instead of the program's "
	"own; may be repeated\n"
	"  --built-for FILE:FAMILY=RELEASE,…;…\n"
	"                               which releases files were built for, where they do not tell "
	"(gangway scan)\n"
	"  --no-audit                   do without the auditor; a facade then answers only names "
	"that are dlopened, or, asked\n"
	"                               for by SONAME, every search that LD_LIBRARY_PATH ends\n"
	"  --quiet                      no findings on stderr\n"
	"  --explain                    say on stderr what is set, and how each search without a "
	"file ends\n\n"
	"Exits with PROGRAM's own status; 127 when it is not found, 126 when it cannot be "
	"executed,\n"
	"2 for wrong usage, 3 when gangway could not do its part.\n";

static int set(const char *name, const char *value)
{
	if (setenv(name, value, 1) == 0)
		return GW_EXIT_FINE;
	gw_complain("cannot set %s: %s", name, strerror(errno));
	return GW_EXIT_FAILED;
}

/* Puts PATH in front of a list of libraries, once. */
static int prepend(const char *variable, const char *path)
{
	const char *old = getenv(variable);
	size_t length = strlen(path);
	char *value = NULL;
	int result;

	if (old && strncmp(old, path, length) == 0 && (!old[length] || old[length] == ':'))
		return GW_EXIT_FINE;
	if (asprintf(&value, "%s%s%s", path, old && *old ? ":" : "", old ? old : "") < 0) {
		gw_complain("out of memory");
		return GW_EXIT_FAILED;
	}
	result = set(variable, value);
	free(value);
	return result;
}

/* A path as it stands from every directory that the program may go to. To free. */
static char *absolute(const char *path, size_t length)
{
	char *here, *result = NULL;

	if (length && path[0] == '/')
		return strndup(path, length);
	here = getcwd(NULL, 0);
	if (here && asprintf(&result, "%s/%.*s", here, (int)length, path) < 0)
		result = NULL;
	free(here);
	return result;
}

/* Makes sure that FILE can be appended to, now, where there is somebody to tell. */
static int set_output(const char *variable, const char *option, const char *path)
{
	char *full = absolute(path, strlen(path));
	int file, result;

	if (!full) {
		gw_complain("%s %s: %s", option, path, strerror(errno));
		return GW_EXIT_FAILED;
	}
	file = open(full, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	if (file < 0) {
		gw_complain("%s %s: %s; name a file in a directory that exists and may be written",
			    option, path, strerror(errno));
		free(full);
		return GW_EXIT_FAILED;
	}
	close(file);
	result = set(variable, full);
	free(full);
	return result;
}

static int set_library_path(const char *list)
{
	char *all = strdup(""), *more;
	int result = GW_EXIT_FAILED;

	for (size_t length; all && *list; list += length + (list[length] == ':')) {
		struct stat info;
		char *full;

		length = strcspn(list, ":");
		if (!length)
			continue;
		full = absolute(list, length);
		if (!full || stat(full, &info) != 0 || !S_ISDIR(info.st_mode)) {
			gw_complain("--library-path %.*s: no such directory", (int)length, list);
			free(full);
			goto free_all;
		}
		if (asprintf(&more, "%s%s%s", all, *all ? ":" : "", full) < 0)
			more = NULL;
		free(full);
		free(all);
		all = more;
	}
	if (all)
		result = set("GANGWAY_LIBRARY_PATH", all);
	else
		gw_complain("out of memory");
free_all:
	free(all);
	return result;
}

/* A directory that a variable names and that is not there would silently help nobody. The program
 * may do without it. */
static void check_variables(const struct run *run)
{
	static const char *const variables[] = {"GANGWAY_LIBRARY_PATH", "GANGWAY_CUBLAS",
						"GANGWAY_CUDNN", "GANGWAY_CUSPARSE"};

	for (size_t i = run->library_path ? 1 : 0; i < sizeof variables / sizeof *variables; i++) {
		const char *list = getenv(variables[i]);

		for (size_t length; list && *list; list += length + (list[length] == ':')) {
			struct stat info;
			char *directory;

			length = strcspn(list, ":");
			directory = strndup(list, length);
			if (directory && length &&
			    (stat(directory, &info) != 0 || !S_ISDIR(info.st_mode)))
				gw_complain("warning: %s: %s is no directory; nothing will be "
					    "found there",
					    variables[i], directory);
			free(directory);
		}
	}
}

static void explain_variables(void)
{
	static const char *const variables[] = {"GANGWAY_CUBLAS", "GANGWAY_CUDNN",
						"GANGWAY_CUSPARSE", "GANGWAY_LIBRARY_PATH",
						"LD_LIBRARY_PATH"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			gw_complain("%s: %s", variables[i], value);
	}
}

/* What each facade would forward to, were it asked for. */
static void explain_targets(struct run *run)
{
	const char *list = run->python.count ? NULL : getenv("GANGWAY_PYTHON_PATHS");
	struct gw_loader loader;
	char error[1024];
	const struct gw_target_places places = {
		.loader_path = getenv("LD_LIBRARY_PATH"),
		.facades = run->layout.facades,
		.python = &run->python,
		.loader = &loader,
	};

	for (size_t length; list && *list; list += length + (list[length] == ':')) {
		char *directory;

		length = strcspn(list, ":");
		directory = strndup(list, length);
		if (!directory || gw_python_paths_add_given(&run->python, directory) != 0)
			gw_complain("GANGWAY_PYTHON_PATHS: an entry is no directory");
		free(directory);
	}
	if (gw_loader_init(&loader, "", error, sizeof error) != 0)
		gw_complain("%s; going on without the cache", error);
	gw_target_explain(&places);
	gw_loader_finish(&loader);
}

static int set_python_paths(struct run *run)
{
	char *all = strdup(""), *more;
	int result;

	for (size_t i = 0; all && i < run->python.count; i++) {
		const char *directory = run->python.directory[i];

		if (strchr(directory, ':')) {
			gw_complain("%s: left out, because its name holds a colon", directory);
			continue;
		}
		if (asprintf(&more, "%s%s%s", all, *all ? ":" : "", directory) < 0)
			more = NULL;
		free(all);
		all = more;
	}
	if (!all) {
		gw_complain("out of memory");
		return GW_EXIT_FAILED;
	}
	result = *all ? set("GANGWAY_PYTHON_PATHS", all) : GW_EXIT_FINE;
	free(all);
	return result;
}

static bool facades_are_named(const struct run *run)
{
	return run->facades && strcmp(run->facades, "auto") != 0 &&
	       strcmp(run->facades, "off") != 0;
}

static bool facade_exists(const char *directory, const char *name)
{
	char path[PATH_MAX];

	return *name && !strchr(name, '/') &&
	       snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
	       access(path, R_OK) == 0;
}

/* Each name of --facades must be one that there is a facade for: a misspelt one would silently help
 * nobody. */
static int check_facades(const struct run *run)
{
	int result = GW_EXIT_FINE;
	char *list, *rest, *name;

	if (!facades_are_named(run))
		return GW_EXIT_FINE;
	if (!run->layout.facades) {
		gw_complain("--facades %s: no facades are installed beside %s", run->facades,
			    run->layout.shim);
		return GW_EXIT_FAILED;
	}
	rest = list = strdup(run->facades);
	if (!list) {
		gw_complain("out of memory");
		return GW_EXIT_FAILED;
	}
	while (!result && (name = strsep(&rest, ",")) != NULL)
		if (!facade_exists(run->layout.facades, name)) {
			char names[1024];
			gw_target_names(names, sizeof names);
			gw_complain("--facades: there is no facade '%s'; there are %s", name, names);
			result = GW_EXIT_USAGE;
		}
	free(list);
	return result;
}

/* LD_PRELOAD and LD_AUDIT are lists without any quoting. */
static int check_path(const char *path)
{
	if (!strpbrk(path, " :\t\n"))
		return GW_EXIT_FINE;
	gw_complain("%s: the loader cannot preload a path with a blank or colon in it; install "
		    "gangway elsewhere, or "
		    "reach it through a link without one",
		    path);
	return GW_EXIT_FAILED;
}

static int find_libraries(struct run *run)
{
	int result = gw_layout_find(&run->layout);

	if (result) {
		gw_complain("libgangway.so is neither in ../lib/gangway nor in ../shim, seen from "
			    "this program; "
			    "install gangway as a whole");
		return GW_EXIT_FAILED;
	}
	if (!run->no_audit && !run->layout.audit) {
		gw_complain("libgangway-audit.so is not beside %s; install gangway as a whole, or "
			    "use --no-audit",
			    run->layout.shim);
		return GW_EXIT_FAILED;
	}
	result = check_path(run->layout.shim);
	if (!result)
		result = check_facades(run);
	return result;
}

/* Programs that we cannot help are named; only one that would run with other rights is refused. */
static int check_program(struct run *run, const char *name)
{
	static const char *const why[] = {
		[GW_PROGRAM_STATIC] =
			"is linked statically: the loader has no part in it, so gangway has none",
		[GW_PROGRAM_32_BIT] =
			"is a 32-bit program: gangway helps only 64-bit ones that it starts",
		[GW_PROGRAM_FOREIGN] = "is for another machine: gangway helps only x86-64 programs",
	};
	enum gw_program_kind kind;
	int status, reason;

	run->program = gw_find_program(name, &status, &reason);
	if (!run->program) {
		gw_complain("%s: %s", name,
			    status == 127 && !strchr(name, '/') ? "command not found"
								: strerror(reason));
		return status > 0 ? status : GW_EXIT_FAILED;
	}
	if (gw_find_gains_rights(run->program)) {
		gw_complain("%s runs with other rights than yours, and the loader then ignores the "
			    "preload; run "
			    "gangway inside it instead: %s gangway run PROGRAM",
			    run->program, name);
		return GW_EXIT_FAILED;
	}
	kind = gw_find_program_kind(run->program);
	run->helpless = kind == GW_PROGRAM_STATIC || kind == GW_PROGRAM_32_BIT ||
			kind == GW_PROGRAM_FOREIGN;
	if (run->helpless && !run->quiet)
		gw_complain("%s %s", run->program, why[kind]);
	return GW_EXIT_FINE;
}

static int find_python(struct run *run)
{
	if (run->python.count || getenv("GANGWAY_PYTHON_PATHS"))
		return GW_EXIT_FINE;
	if (gw_python_paths_of_program(&run->python, run->program) == 0)
		return GW_EXIT_FINE;
	gw_complain("out of memory");
	return GW_EXIT_FAILED;
}

/* Before 2.35 the loader slows each lazily bound call while it audits. */
static bool audit_slows_calls(void)
{
	unsigned major, minor;
	const char *now = getenv("LD_BIND_NOW");

	return !(now && *now) && sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor) == 2 &&
	       major == 2 && minor < 35;
}

/* Without the auditor, facades that were asked for by name are put where the loader looks: behind
 * the user's own directories. */
static int append_links(const struct run *run)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	char *where, *value = NULL,
		     *links = gw_facade_links(run->layout.facades, run->facades, &where);
	int result;

	if (!links) {
		gw_complain("%s: %s; it must be a directory that is yours alone",
			    where ? where : "links to facades", strerror(errno));
		free(where);
		return GW_EXIT_FAILED;
	}
	if (asprintf(&value, "%s%s%s", old ? old : "", old && *old ? ":" : "", links) < 0) {
		gw_complain("out of memory");
		free(links);
		return GW_EXIT_FAILED;
	}
	result = set("LD_LIBRARY_PATH", value);
	if (!result && !run->quiet)
		gw_complain("without the auditor %s from %s hide a library of that name which a "
			    "RUNPATH, the loader's "
			    "cache or a default directory would give",
			    run->facades, links);
	free(value);
	free(links);
	return result;
}

static void tell(struct run *run)
{
	if (!run->quiet)
		check_variables(run);
	if (run->no_audit && !run->quiet && !facades_are_named(run))
		gw_complain("without the auditor a missing library that a program or library needs "
			    "by its own dynamic "
			    "section (DT_NEEDED) is not supplied; only names that are dlopened are "
			    "(--facades SONAME,… does "
			    "supply those)");
	if (!run->no_audit && !run->quiet && audit_slows_calls())
		gw_complain("this machine's loader makes lazily bound calls slower under an "
			    "auditor; LD_BIND_NOW=1 or "
			    "--no-audit avoids that");
	if (!run->explain)
		return;
	gw_complain("program: %s", run->program);
	gw_complain("preload: %s", run->layout.shim);
	gw_complain("auditor: %s", run->no_audit ? "none" : run->layout.audit);
	gw_complain("facades: %s, from %s", run->facades ? run->facades : "auto",
		    run->layout.facades ? run->layout.facades : "nowhere");
	for (size_t i = 0; i < run->python.count; i++)
		gw_complain("Python path: %s", run->python.directory[i]);
	explain_variables();
	if (run->layout.facades && !(run->facades && strcmp(run->facades, "off") == 0))
		explain_targets(run);
}

static int set_environment(struct run *run)
{
	int result = prepend("LD_PRELOAD", run->layout.shim);

	if (!result && !run->no_audit)
		result = prepend("LD_AUDIT", run->layout.audit);
	if (!result && run->no_audit && facades_are_named(run))
		result = append_links(run);
	if (!result && run->layout.facades)
		result = set("GANGWAY_FACADE_DIR", run->layout.facades);
	if (!result && (run->facades || !getenv("GANGWAY_FACADES")))
		result = set("GANGWAY_FACADES", run->facades ? run->facades : "auto");
	if (!result && run->library_path)
		result = set_library_path(run->library_path);
	if (!result)
		result = set_python_paths(run);
	if (!result && run->log)
		result = set_output("GANGWAY_LOG", "--log", run->log);
	if (!result && run->findings)
		result = set_output("GANGWAY_FINDINGS", "--findings", run->findings);
	if (!result && run->built_for)
		result = set("GANGWAY_BUILT_FOR", run->built_for);
	if (!result && run->quiet)
		result = set("GANGWAY_QUIET", "1");
	if (!result && run->explain)
		result = set("GANGWAY_EXPLAIN", "1");
	return result;
}

static int add_python(struct run *run, const char *directory)
{
	int result = gw_python_paths_add_given(&run->python, directory);

	if (!result)
		return GW_EXIT_FINE;
	gw_complain("--python %s: %s", directory, strerror(-result));
	return GW_EXIT_FAILED;
}

static bool is_empty(const char *option, const char *value)
{
	if (value && !*value)
		gw_complain("run: %s needs a value; `gangway run --help` lists the options", option);
	return value && !*value;
}

static int check_built_for(const char *value)
{
	const char *at, *why = gw_built_for_check(value, &at);

	if (!why)
		return -1;
	gw_complain("--built-for %s: %s at character %td", value, why, at - value + 1);
	return GW_EXIT_USAGE;
}

/* -1: go on; else the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	int option, result = -1;

	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_FACADES:
			run->facades = optarg;
			break;
		case OPTION_LOG:
			run->log = optarg;
			break;
		case OPTION_FINDINGS:
			run->findings = optarg;
			break;
		case OPTION_LIBRARY_PATH:
			run->library_path = optarg;
			break;
		case OPTION_PYTHON:
			result = add_python(run, optarg) ? GW_EXIT_FAILED : -1;
			break;
		case OPTION_NO_AUDIT:
			run->no_audit = true;
			break;
		case OPTION_QUIET:
			run->quiet = true;
			break;
		case OPTION_EXPLAIN:
			run->explain = true;
			break;
		case OPTION_BUILT_FOR:
			run->built_for = optarg;
			result = check_built_for(optarg);
			break;
		case OPTION_HELP:
		case 'h':
			fputs(help, stdout);
			result = gw_finish_output(GW_EXIT_FINE);
			break;
		default:
			gw_complain("run: %s %s; `gangway run --help` lists the options",
				    argv[optind - 1],
				    option == ':' ? "needs a value"
						  : "is no option, or takes no value");
			result = GW_EXIT_USAGE;
		}
	}
	if (result < 0 && (is_empty("--log", run->log) || is_empty("--findings", run->findings) ||
			   is_empty("--library-path", run->library_path)))
		result = GW_EXIT_USAGE;
	if (result < 0 && optind >= argc) {
		gw_complain("run: no program is given; `gangway run --help` says how");
		result = GW_EXIT_USAGE;
	}
	return result;
}

static int prepare(struct run *run, const char *name)
{
	int result = find_libraries(run);

	if (!result)
		result = check_program(run, name);
	if (!result)
		result = find_python(run);
	if (!result)
		result = set_environment(run);
	if (!result)
		tell(run);
	return result;
}

int gw_cmd_run(int argc, char **argv)
{
	struct run run = {0};
	int result = parse(&run, argc, argv);

	if (result < 0)
		result = prepare(&run, argv[optind]);
	else
		goto finish;
	if (!result) {
		fflush(NULL);
		execvp(run.program, argv + optind);
		gw_complain("%s: %s", run.program, strerror(errno));
		result = 126;
	}
finish:
	free(run.program);
	gw_python_paths_finish(&run.python);
	gw_layout_finish(&run.layout);
	return result;
}
