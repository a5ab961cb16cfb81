/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directories of /etc/ld.so.conf (loader.h), for a root without a cache: a container's image is
 * often made without one, and gets it when the container starts. ldconfig would list what lies in
 * these directories; so they are looked into.
 */
#include "loader.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIRECTORIES 1024
#define MAX_DEPTH 8 /* a file may include itself */
#define MAX_LINES 65536

static int add(struct gw_loader *loader, const char *directory)
{
	char **more;

	for (size_t i = 0; i < loader->configured_count; i++)
		if (strcmp(loader->configured[i], directory) == 0)
			return 0;
	if (loader->configured_count == MAX_DIRECTORIES)
		return 0;
	more = realloc(loader->configured, (loader->configured_count + 1) * sizeof *more);
	if (!more)
		return -ENOMEM;
	loader->configured = more;
	more[loader->configured_count] = strdup(directory);
	return more[loader->configured_count++] ? 0 : -ENOMEM;
}

static int read_conf(struct gw_loader *loader, const char *file, unsigned depth);

/* PATTERN is relative to the file's directory where it does not begin with a slash. */
static int include(struct gw_loader *loader, const char *file, const char *pattern, unsigned depth)
{
	const char *slash = strrchr(file, '/');
	char whole[PATH_MAX], host[PATH_MAX];
	glob_t found;
	int result = 0;

	if (snprintf(whole, sizeof whole, "%.*s%s", *pattern == '/' ? 0 : (int)(slash + 1 - file),
		     file, pattern) >= (int)sizeof whole ||
	    gw_loader_host(loader, whole, host) != 0 || glob(host, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !result; i++)
		result = read_conf(loader, gw_loader_inside(loader, found.gl_pathv[i]), depth + 1);
	globfree(&found);
	return result;
}

static int take_line(struct gw_loader *loader, const char *file, char *line, unsigned depth)
{
	size_t end;

	line[strcspn(line, "#\n")] = '\0';
	line += strspn(line, " \t\r\f\v");
	for (end = strlen(line); end && strchr(" \t\r\f\v", line[end - 1]);)
		line[--end] = '\0';
	if (strncmp(line, "include", 7) == 0 && (line[7] == ' ' || line[7] == '\t')) {
		char *rest, *pattern = strtok_r(line + 7, " \t", &rest);
		int result = 0;

		for (; pattern && !result; pattern = strtok_r(NULL, " \t", &rest))
			result = include(loader, file, pattern, depth);
		return result;
	}
	/* "hwcap …" and relative names are passed over, as by ldconfig. */
	if (line[0] != '/')
		return 0;
	while (end > 1 && line[end - 1] == '/')
		line[--end] = '\0';
	return add(loader, line);
}

static int read_conf(struct gw_loader *loader, const char *file, unsigned depth)
{
	char host[PATH_MAX], *line = NULL;
	size_t size = 0;
	FILE *stream;
	int result = 0;

	if (depth > MAX_DEPTH || gw_loader_host(loader, file, host) != 0)
		return 0;
	stream = fopen(host, "re");
	for (unsigned i = 0; stream && !result && i < MAX_LINES; i++) {
		if (getline(&line, &size, stream) <= 0)
			break;
		result = take_line(loader, file, line, depth);
	}
	free(line);
	if (stream)
		fclose(stream);
	return result;
}

int gw_conf_read(struct gw_loader *loader)
{
	return read_conf(loader, "/etc/ld.so.conf", 0);
}

void gw_conf_finish(struct gw_loader *loader)
{
	for (size_t i = 0; i < loader->configured_count; i++)
		free(loader->configured[i]);
	free(loader->configured);
	loader->configured = NULL;
	loader->configured_count = 0;
}
