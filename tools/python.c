/* SPDX-License-Identifier: Apache-2.0 */
/* Works out site-packages directories (python.h) from the layout that Python's own start-up code
 * looks for. */
#include "python.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "find.h"

#define MAX_SCRIPTS 4 /* a script's interpreter may be a script, not for ever */

void gw_python_paths_finish(struct gw_python_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->directory[i]);
	free(paths->directory);
	*paths = (struct gw_python_paths){0};
}

static bool is_directory(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Adds one directory, by its real name, where it exists and is not there yet. */
static int add(struct gw_python_paths *paths, const char *directory)
{
	char *real = realpath(directory, NULL);
	char **more;

	if (!real || !is_directory(real)) {
		free(real);
		return 0;
	}
	for (size_t i = 0; i < paths->count; i++)
		if (strcmp(paths->directory[i], real) == 0) {
			free(real);
			return 0;
		}
	more = realloc(paths->directory, (paths->count + 1) * sizeof *more);
	if (!more) {
		free(real);
		return -ENOMEM;
	}
	paths->directory = more;
	more[paths->count++] = real;
	return 0;
}

/* Adds every match of a pattern, in sorted order. */
__attribute__((format(printf, 2, 3))) static int add_matches(struct gw_python_paths *paths,
							     const char *format, ...)
{
	char pattern[PATH_MAX];
	glob_t found;
	va_list arguments;
	int length, result = 0;

	va_start(arguments, format);
	length = vsnprintf(pattern, sizeof pattern, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof pattern)
		return 0;
	if (glob(pattern, GLOB_ONLYDIR, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !result; i++)
		result = add(paths, found.gl_pathv[i]);
	globfree(&found);
	return result;
}

/* VERSION: "3.11", or "3*" where it is not known. */
static int add_prefix(struct gw_python_paths *paths, const char *prefix, const char *version)
{
	static const char *const layout[] = {
		"%s/local/lib/python%s/dist-packages",
		"%s/lib/python%s/site-packages",
		"%s/lib64/python%s/site-packages",
	};
	int result = 0;

	for (size_t i = 0; i < sizeof layout / sizeof *layout && !result; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		result = add_matches(paths, layout[i], prefix, version);
#pragma GCC diagnostic pop
	}
	if (!result)
		result = add_matches(paths, "%s/lib/python3/dist-packages", prefix);
	return result;
}

/* The value of KEY in a pyvenv.cfg, to free; NULL where there is none. */
static char *configured(const char *file, const char *key)
{
	FILE *stream = fopen(file, "re");
	char *line = NULL, *value = NULL;
	size_t size = 0;

	if (!stream)
		return NULL;
	while (!value && getline(&line, &size, stream) > 0) {
		char *name = line + strspn(line, " \t");
		char *equals = strchr(name, '=');
		size_t length = equals ? (size_t)(equals - name) : 0;

		while (length && (name[length - 1] == ' ' || name[length - 1] == '\t'))
			length--;
		if (!equals || strlen(key) != length || strncmp(name, key, length) != 0)
			continue;
		equals += 1 + strspn(equals + 1, " \t");
		equals[strcspn(equals, "\r\n")] = '\0';
		value = strdup(equals);
	}
	free(line);
	fclose(stream);
	return value;
}

/* "3.11" out of a file name "python3.11", or "3*". */
static void version_of_name(const char *path, char *version, size_t size)
{
	const char *base = strrchr(path, '/');
	unsigned major, minor;

	base = base ? base + 1 : path;
	if (sscanf(base, "python%u.%u", &major, &minor) == 2)
		snprintf(version, size, "%u.%u", major, minor);
	else
		snprintf(version, size, "3*");
}

/* Cuts the last LEVELS components of a path off, in place. */
static bool cut(char *path, unsigned levels)
{
	while (levels--) {
		char *slash = strrchr(path, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	return true;
}

static int add_user(struct gw_python_paths *paths, const char *version)
{
	const char *base = getenv("PYTHONUSERBASE"), *home = getenv("HOME"),
		   *none = getenv("PYTHONNOUSERSITE");

	if (none && *none)
		return 0;
	if (base && *base)
		return add_matches(paths, "%s/lib/python%s/site-packages", base, version);
	return home && *home
		       ? add_matches(paths, "%s/.local/lib/python%s/site-packages", home, version)
		       : 0;
}

static int add_python_path(struct gw_python_paths *paths)
{
	const char *list = getenv("PYTHONPATH");
	char directory[PATH_MAX];
	int result = 0;

	for (size_t length; list && *list && !result; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (!length || length >= sizeof directory)
			continue;
		memcpy(directory, list, length);
		directory[length] = '\0';
		result = add(paths, directory);
	}
	return result;
}

/* An installed Python, found by the place where its file really is. */
static int add_installation(struct gw_python_paths *paths, const char *executable)
{
	char version[32];
	char *real = realpath(executable, NULL);
	int result;

	if (!real)
		return 0;
	version_of_name(real, version, sizeof version);
	result = add_user(paths, version);
	if (!result && cut(real, 2))
		result = add_prefix(paths, real, version);
	free(real);
	return result;
}

/* EXECUTABLE: as invoked, because a virtual environment is known by the link's place, not by its
 * target. */
static int add_python(struct gw_python_paths *paths, const char *executable)
{
	char prefix[PATH_MAX], config[PATH_MAX + 16];
	char *home = NULL, *system_too = NULL;
	int result = add_python_path(paths);

	if (result || snprintf(prefix, sizeof prefix, "%s", executable) >= (int)sizeof prefix)
		return result;
	if (!strchr(prefix, '/') || !cut(prefix, 2))
		return add_installation(paths, executable);
	snprintf(config, sizeof config, "%s/pyvenv.cfg", prefix);
	home = configured(config, "home");
	if (!home)
		return add_installation(paths, executable);
	result = add_prefix(paths, prefix, "3*");
	system_too = configured(config, "include-system-site-packages");
	if (!result && system_too && strcasecmp(system_too, "true") == 0)
		result = add_installation(paths, executable);
	free(system_too);
	free(home);
	return result;
}

static bool is_python(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return fnmatch("python*", base, 0) == 0 || fnmatch("pypy*", base, 0) == 0;
}

/* A pyenv shim is a shell script; which Python it starts is written beside it. To free, or NULL. */
static char *behind_pyenv(const char *shim)
{
	char root[PATH_MAX], file[PATH_MAX + 16], line[256];
	const char *base = strrchr(shim, '/'), *version = getenv("PYENV_VERSION");
	char *result = NULL;

	if (!base || fnmatch("*/shims/*", shim, 0) != 0 ||
	    snprintf(root, sizeof root, "%s", shim) >= (int)sizeof root)
		return NULL;
	cut(root, 2);
	if (!version || !*version) {
		FILE *stream;

		snprintf(file, sizeof file, "%s/version", root);
		stream = fopen(file, "re");
		version = stream ? fgets(line, sizeof line, stream) : NULL;
		if (stream)
			fclose(stream);
		if (!version)
			return NULL;
		line[strcspn(line, "\r\n")] = '\0';
	}
	if (asprintf(&result, "%s/versions/%.*s/bin%s", root, (int)strcspn(version, ":"), version,
		     base) < 0)
		return NULL;
	if (access(result, X_OK) != 0) {
		free(result);
		result = NULL;
	}
	return result;
}

char *gw_python_behind(const char *program)
{
	char *path = strdup(program);

	for (int i = 0; path && i < MAX_SCRIPTS; i++) {
		char *next;

		if (is_python(path) && gw_find_program_kind(path) != GW_PROGRAM_SCRIPT)
			return path;
		next = gw_find_program_kind(path) == GW_PROGRAM_SCRIPT ? behind_pyenv(path) : NULL;
		if (!next)
			next = gw_find_interpreter(path);
		free(path);
		path = next;
	}
	free(path);
	return NULL;
}

/* The site-packages that PATH lies in. */
static int add_around(struct gw_python_paths *paths, const char *path)
{
	char *real = realpath(path, NULL);
	char *end;
	int result = 0;

	if (!real)
		return 0;
	end = strstr(real, "/site-packages/");
	if (!end)
		end = strstr(real, "/dist-packages/");
	if (end) {
		end[strlen("/site-packages")] = '\0';
		result = add(paths, real);
	}
	free(real);
	return result;
}

/* What a program that is no Python will start, when it starts one. */
static int add_likely(struct gw_python_paths *paths)
{
	const char *active = getenv("VIRTUAL_ENV");
	char *found, *python;
	int status, reason, result = add_python_path(paths);

	if (!active || !*active)
		active = getenv("CONDA_PREFIX");
	if (!result && active && *active)
		return add_prefix(paths, active, "3*");
	found = result ? NULL : gw_find_program("python3", &status, &reason);
	python = found ? gw_python_behind(found) : NULL;
	if (python)
		result = add_python(paths, python);
	free(python);
	free(found);
	return result;
}

int gw_python_paths_of_program(struct gw_python_paths *paths, const char *program)
{
	char *python = gw_python_behind(program);
	int result = add_around(paths, program);

	if (!result)
		result = python ? add_python(paths, python) : add_likely(paths);
	free(python);
	return result;
}

int gw_python_paths_add_given(struct gw_python_paths *paths, const char *directory)
{
	size_t before = paths->count;
	int result;

	if (!is_directory(directory))
		return -ENOENT;
	result = add_matches(paths, "%s/lib/python3*/site-packages", directory);
	if (!result && paths->count == before)
		result = add(paths, directory);
	return result;
}
