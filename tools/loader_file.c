/* SPDX-License-Identifier: Apache-2.0 */
/* The files and directories that one run has looked at, each once (loader.h). */
#include "loader.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct directory {
	char *path;
	unsigned has;
};

/* Both kinds of node begin with their path. */
static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A program is known by its real place, a library by the name that it was found under. */
static char *origin_of(const struct gw_loader *loader, const struct gw_elf *elf)
{
	char path[PATH_MAX], *slash, *whole = NULL;

	if (elf->interpreter && gw_loader_real(loader, elf->path, path) == 0)
		whole = strdup(path);
	else if (elf->path[0] == '/')
		whole = strdup(elf->path);
	else if (getcwd(path, sizeof path) && asprintf(&whole, "%s/%s", path, elf->path) < 0)
		whole = NULL;
	slash = whole ? strrchr(whole, '/') : NULL;
	if (slash)
		slash[slash == whole] = '\0';
	return whole;
}

static void read_file(const struct gw_loader *loader, struct gw_file *file)
{
	char host[PATH_MAX], error[1024] = "";

	file->status = gw_loader_host(loader, file->path, host);
	if (file->status)
		snprintf(error, sizeof error, "%s: %s", file->path, strerror(-file->status));
	else
		file->status = gw_elf_read(&file->elf, file->path, host, error, sizeof error);
	if (file->status)
		file->error = strdup(error);
	else
		file->origin = origin_of(loader, &file->elf);
}

struct gw_file *gw_loader_file(struct gw_loader *loader, const char *path)
{
	struct gw_file **found = tfind(&path, &loader->files, compare), *file;

	if (found)
		return *found;
	file = calloc(1, sizeof *file);
	if (!file)
		return NULL;
	file->path = strdup(path);
	if (!file->path || !tsearch(file, &loader->files, compare)) {
		free(file->path);
		free(file);
		return NULL;
	}
	loader->file_count++;
	read_file(loader, file);
	return file;
}

int gw_file_references(struct gw_file *file)
{
	int result;

	if (file->references)
		return 0;
	result = gw_elf_references(&file->elf, &file->references, &file->reference_count);
	if (result)
		return result;
	file->hints = calloc(file->reference_count + 1, sizeof *file->hints);
	return file->hints ? 0 : -ENOMEM;
}

static unsigned look(const struct gw_loader *loader, const char *directory)
{
	const struct gw_platform *platform = &loader->platform;
	unsigned has = 0;

	for (size_t i = platform->capability_count; i-- > 0;) {
		char path[PATH_MAX], host[PATH_MAX];
		struct stat info;

		if (snprintf(path, sizeof path, "%s/%s", directory, platform->capability[i]) <
			    (int)sizeof path &&
		    gw_loader_host(loader, path, host) == 0 && stat(host, &info) == 0 &&
		    S_ISDIR(info.st_mode))
			has |= 1u << i;
		if (!has)
			break; /* without the directory, none of its subdirectories */
	}
	return has;
}

unsigned gw_loader_directory(struct gw_loader *loader, const char *path)
{
	struct directory **found = tfind(&path, &loader->directories, compare), *directory;
	unsigned has;

	if (found)
		return (*found)->has;
	has = look(loader, *path ? path : ".");
	directory = calloc(1, sizeof *directory);
	if (!directory)
		return has;
	directory->path = strdup(path);
	directory->has = has;
	if (!directory->path || !tsearch(directory, &loader->directories, compare)) {
		free(directory->path);
		free(directory);
	}
	return has;
}

static void free_file(void *node)
{
	struct gw_file *file = node;

	if (!file->status)
		gw_elf_finish(&file->elf);
	free(file->path);
	free(file->error);
	free(file->origin);
	free(file->references);
	free(file->hints);
	free(file);
}

static void free_directory(void *node)
{
	struct directory *directory = node;

	free(directory->path);
	free(directory);
}

void gw_loader_forget(struct gw_loader *loader)
{
	tdestroy(loader->files, free_file);
	tdestroy(loader->directories, free_directory);
	loader->files = loader->directories = NULL;
	loader->file_count = 0;
}
