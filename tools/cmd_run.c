/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway run`: sets the environment in which the loader maps libgangway.so and the auditor into a
 * program, then becomes that program. Decides nothing about libraries itself: a search's outcome is
 * known only when the program makes it.
 */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "find.h"
#include "policy.h"
#include "run.h"
#include "target.h"

/* A directory that a variable names and that is not there would silently help nobody. The program
 * may do without it. */
static void check_variables(const struct gw_run *run)
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

/* The lines that are in force, the last one that fits counts. */
static void explain_policy(void)
{
	const char *path = getenv("GANGWAY_POLICY"), *rescue = getenv("GANGWAY_RESCUE");
	struct gw_policy policy = {.count = 0};

	gw_complain("policy: rescue * on, by default");
	if (path && *path)
		(void)gw_policy_load(&policy, path);
	if (rescue && *rescue)
		(void)gw_policy_load_rescue(&policy, rescue);
	for (unsigned i = 0; i < policy.count; i++) {
		char text[512], where[32] = "GANGWAY_RESCUE";

		gw_policy_format(&policy.rules[i], text, sizeof text);
		if (policy.rules[i].line)
			snprintf(where, sizeof where, "line %u", policy.rules[i].line);
		gw_complain("policy: %s (%s)", text, where);
	}
}

/* What each facade would forward to, were it asked for. */
static void explain_targets(struct gw_run *run)
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

static bool facade_exists(const char *directory, const char *name)
{
	char path[PATH_MAX];

	return *name && !strchr(name, '/') &&
	       snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
	       access(path, R_OK) == 0;
}

/* Each name of --facades must be one that there is a facade for: a misspelt one would silently help
 * nobody. */
static int check_facades(const struct gw_run *run)
{
	int result = GW_EXIT_FINE;
	char *list, *rest, *name;

	if (!gw_run_names_facades(run))
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

static int find_libraries(struct gw_run *run)
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
static int check_program(struct gw_run *run, const char *name)
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

static int find_python(struct gw_run *run)
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

/* As the auditor reads it, with what --no-pairing has set. */
static bool pairing_is_off(void)
{
	const char *value = getenv("GANGWAY_PAIRING");

	return value && (strcmp(value, "off") == 0 || strcmp(value, "0") == 0);
}

static void tell(struct gw_run *run)
{
	if (!run->quiet)
		check_variables(run);
	if (run->no_audit && !run->quiet && !gw_run_names_facades(run))
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
	gw_complain("pairing: %s", pairing_is_off() ? "off" : "libraries that belong together come from one directory");
	gw_complain("facades: %s, from %s", run->facades ? run->facades : "auto",
		    run->layout.facades ? run->layout.facades : "nowhere");
	for (size_t i = 0; i < run->python.count; i++)
		gw_complain("Python path: %s", run->python.directory[i]);
	explain_variables();
	explain_policy();
	if (run->layout.facades && !(run->facades && strcmp(run->facades, "off") == 0))
		explain_targets(run);
}

static int prepare(struct gw_run *run, const char *name)
{
	int result = find_libraries(run);

	if (!result)
		result = check_program(run, name);
	if (!result)
		result = find_python(run);
	if (!result)
		result = gw_run_set_environment(run);
	if (!result)
		tell(run);
	return result;
}

int gw_cmd_run(int argc, char **argv)
{
	struct gw_run run = {0};
	int result = gw_run_parse(&run, argc, argv);

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
