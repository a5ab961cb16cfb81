/* SPDX-License-Identifier: Apache-2.0 */
/* The environment that `gangway run` sets (run.h), in which the loader maps libgangway.so and the auditor. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd.h"
#include "facade_links.h"

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

/* A directory that is there, or can be made: each process names its own file in it. */
static int set_trace(const char *path)
{
	char *full = absolute(path, strlen(path));
	int result = GW_EXIT_FAILED;

	if (!full) {
		gw_complain("--trace %s: %s", path, strerror(errno));
		return GW_EXIT_FAILED;
	}
	if (mkdir(full, 0777) != 0 && errno != EEXIST)
		gw_complain("--trace %s: %s; name a directory in one that exists and may be written", path, strerror(errno));
	else if (access(full, W_OK | X_OK) != 0)
		gw_complain("--trace %s: %s", path, strerror(errno));
	else
		result = set("GANGWAY_TRACE", full);
	free(full);
	return result;
}

/* Its directories are there: gw_option_library_path looked. */
static int set_library_path(const char *list)
{
	char *all = strdup(""), *more;
	int result = GW_EXIT_FAILED;

	for (size_t length; all && *list; list += length + (list[length] == ':')) {
		char *full;

		length = strcspn(list, ":");
		if (!length)
			continue;
		full = absolute(list, length);
		if (!full || asprintf(&more, "%s%s%s", all, *all ? ":" : "", full) < 0)
			more = NULL;
		free(full);
		free(all);
		all = more;
	}
	if (all)
		result = set("GANGWAY_LIBRARY_PATH", all);
	else
		gw_complain("--library-path: %s", strerror(errno));
	free(all);
	return result;
}

static int set_python_paths(struct gw_run *run)
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

/* Without the auditor, facades that were asked for by name are put where the loader looks: behind
 * the user's own directories. */
static int append_links(const struct gw_run *run)
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

static int set_policy(const char *path)
{
	char *full = absolute(path, strlen(path));
	int result;

	if (!full) {
		gw_complain("--policy %s: %s", path, strerror(errno));
		return GW_EXIT_FAILED;
	}
	result = set("GANGWAY_POLICY", full);
	free(full);
	return result;
}

int gw_run_set_environment(struct gw_run *run)
{
	int result = prepend("LD_PRELOAD", run->layout.shim);

	if (!result && !run->no_audit)
		result = prepend("LD_AUDIT", run->layout.audit);
	if (!result && run->no_audit && gw_run_names_facades(run))
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
	if (!result && run->trace)
		result = set_trace(run->trace);
	if (!result && run->trace_level)
		result = set("GANGWAY_TRACE_LEVEL", run->trace_level);
	if (!result && run->trace_size)
		result = set("GANGWAY_TRACE_SIZE", run->trace_size);
	if (!result && run->trace_full)
		result = set("GANGWAY_TRACE_FULL", run->trace_full);
	if (!result && !getenv("GANGWAY_CONTROL"))
		result = set("GANGWAY_CONTROL", "1");
	if (!result && run->findings)
		result = set_output("GANGWAY_FINDINGS", "--findings", run->findings);
	if (!result && run->built_for)
		result = set("GANGWAY_BUILT_FOR", run->built_for);
	if (!result && run->policy)
		result = set_policy(run->policy);
	if (!result && run->quiet)
		result = set("GANGWAY_QUIET", "1");
	if (!result && (run->no_crash_report || !getenv("GANGWAY_CRASH")))
		result = set("GANGWAY_CRASH", run->no_crash_report ? "0" : "1");
	if (!result && run->no_pairing)
		result = set("GANGWAY_PAIRING", "off");
	if (!result && run->explain)
		result = set("GANGWAY_EXPLAIN", "1");
	return result;
}
