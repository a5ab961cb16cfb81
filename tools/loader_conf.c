/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directories of /etc/ld.so.conf (loader.h), for a root without a cache: a container's image is
 * often made without one, and gets it when the container starts. ldconfig would list what lies in
 * these directories; so they are looked into.
 */
#include "loader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DIRECTORIES 1024
#define MAX_FILES 1024	  /* that include each other */
#define MAX_SIZE (1u << 20) /* of one */
#define MAX_STARS 4	  /* of a pattern: each multiplies what comparing a name may cost */
#define MAX_PATTERNS 4096
#define MAX_ENTRIES 4096 /* of directories that patterns are compared with */

/* One reading of all files. Each file and pattern is looked at once, as a second time would name the same directories. */
struct conf {
	struct gw_loader *loader;
	struct {
		dev_t device;
		ino_t inode;
	} read[MAX_FILES];
	size_t count;
	size_t size; /* of all of them */
	void *patterns; /* a tree of strings */
	size_t pattern_count;
};

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

static int read_conf(struct conf *conf, const char *file);

/* glob asks for directories through these, so that a pattern cannot walk a whole file system. */
static unsigned entries_left;

static struct dirent *next_entry(void *directory)
{
	struct dirent *entry;

	do {
		if (!entries_left)
			return NULL;
		entries_left--;
		entry = readdir(directory);
		/* A `.?` that fits `..` would lead out of the root. */
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry;
}

static void *open_directory(const char *path)
{
	return entries_left ? opendir(path) : NULL;
}

static void close_directory(void *directory)
{
	closedir(directory);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Is PATTERN one that was not looked at yet? Keeps it. */
static bool is_new(struct conf *conf, const char *pattern)
{
	char *copy;

	if (tfind(pattern, &conf->patterns, compare) || conf->pattern_count == MAX_PATTERNS)
		return false;
	copy = strdup(pattern);
	if (!copy || !tsearch(copy, &conf->patterns, compare)) {
		free(copy);
		return false;
	}
	conf->pattern_count++;
	return true;
}

/* PATTERN is relative to the file's directory where it does not begin with a slash. */
static int include(struct conf *conf, const char *file, const char *pattern)
{
	const char *slash = strrchr(file, '/');
	char whole[PATH_MAX], host[PATH_MAX];
	glob_t found = {.gl_readdir = next_entry, .gl_opendir = open_directory, .gl_closedir = close_directory, .gl_lstat = lstat, .gl_stat = stat};
	unsigned stars = 0;
	int result = 0;

	for (const char *at = pattern; (at = strpbrk(at, "*[")); at++)
		stars++;
	if (stars > MAX_STARS ||
	    snprintf(whole, sizeof whole, "%.*s%s", *pattern == '/' ? 0 : (int)(slash + 1 - file),
		     file, pattern) >= (int)sizeof whole ||
	    gw_loader_host(conf->loader, whole, host) != 0 || !is_new(conf, host) || glob(host, GLOB_ALTDIRFUNC, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !result; i++)
		result = read_conf(conf, gw_loader_inside(conf->loader, found.gl_pathv[i]));
	globfree(&found);
	return result;
}

static int take_line(struct conf *conf, const char *file, char *line)
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
			result = include(conf, file, pattern);
		return result;
	}
	/* "hwcap …" and relative names are passed over, as by ldconfig. */
	if (line[0] != '/')
		return 0;
	while (end > 1 && line[end - 1] == '/')
		line[--end] = '\0';
	return add(conf->loader, line);
}

/* A file that was not read yet; NULL for any other. */
static FILE *open_conf(struct conf *conf, const char *host)
{
	int file = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool good = false;
	struct stat info;
	FILE *stream;

	if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && conf->count < MAX_FILES) {
		good = true;
		for (size_t i = 0; i < conf->count; i++)
			good &= conf->read[i].device != info.st_dev || conf->read[i].inode != info.st_ino;
	}
	if (good) {
		conf->read[conf->count].device = info.st_dev;
		conf->read[conf->count++].inode = info.st_ino;
	}
	stream = good ? fdopen(file, "r") : NULL;
	if (!stream && file >= 0)
		close(file);
	return stream;
}

static int read_conf(struct conf *conf, const char *file)
{
	char host[PATH_MAX], line[PATH_MAX + 16];
	bool whole = true; /* does a line begin here? */
	FILE *stream;
	int result = 0;

	if (gw_loader_host(conf->loader, file, host) != 0)
		return 0;
	stream = open_conf(conf, host);
	while (stream && !result && conf->size < MAX_SIZE && fgets(line, sizeof line, stream)) {
		bool begins = whole, ends = strchr(line, '\n') || feof(stream);

		conf->size += strlen(line) + 1;
		whole = ends;
		if (begins && ends)
			result = take_line(conf, file, line);
	}
	if (stream)
		fclose(stream);
	return result;
}

int gw_conf_read(struct gw_loader *loader)
{
	struct conf *conf = calloc(1, sizeof *conf);
	int result;

	if (!conf)
		return -ENOMEM;
	conf->loader = loader;
	entries_left = MAX_ENTRIES;
	result = read_conf(conf, "/etc/ld.so.conf");
	tdestroy(conf->patterns, free);
	free(conf);
	return result;
}

void gw_conf_finish(struct gw_loader *loader)
{
	for (size_t i = 0; i < loader->configured_count; i++)
		free(loader->configured[i]);
	free(loader->configured);
	loader->configured = NULL;
	loader->configured_count = 0;
}
