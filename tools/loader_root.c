/* SPDX-License-Identifier: Apache-2.0 */
/* Paths below a --root: links, absolute ones too, are followed inside it (loader.h). */
#include "loader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40 /* as the kernel */

/* A path that is being walked: DONE is resolved, REST is not yet. */
struct walk {
	char done[PATH_MAX], rest[PATH_MAX];
	size_t root; /* how much of DONE is the root's own name */
	unsigned links;
};

static void go_up(struct walk *walk)
{
	char *slash = strrchr(walk->done + walk->root, '/');

	if (slash)
		*slash = '\0';
}

/* Puts a link's text in the place of its name. */
static int follow(struct walk *walk)
{
	char text[PATH_MAX], whole[2 * PATH_MAX];
	ssize_t length = readlink(walk->done, text, sizeof text - 1);

	if (length < 0)
		return errno == EINVAL || errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	text[length] = '\0';
	snprintf(whole, sizeof whole, "%s/%s", text, walk->rest);
	if (strlen(whole) >= sizeof walk->rest)
		return -ENAMETOOLONG;
	strcpy(walk->rest, whole);
	if (text[0] == '/')
		walk->done[walk->root] = '\0';
	else
		go_up(walk);
	return 0;
}

static int resolve(struct walk *walk, const char *root, const char *path)
{
	int result = 0;

	if (strlen(root) >= sizeof walk->done || strlen(path) >= sizeof walk->rest)
		return -ENAMETOOLONG;
	strcpy(walk->done, root);
	strcpy(walk->rest, path);
	walk->root = strlen(root);
	while (!result) {
		char *name = walk->rest + strspn(walk->rest, "/");
		size_t length = strcspn(name, "/"), used = strlen(walk->done);
		char part[PATH_MAX];

		if (!length)
			return 0;
		memcpy(part, name, length);
		part[length] = '\0';
		memmove(walk->rest, name + length, strlen(name + length) + 1);
		if (strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0) {
			go_up(walk);
			continue;
		}
		if (used + length + 2 > sizeof walk->done)
			return -ENAMETOOLONG;
		snprintf(walk->done + used, sizeof walk->done - used, "/%s", part);
		result = follow(walk);
	}
	return result;
}

int gw_loader_host(const struct gw_loader *loader, const char *path, char *host)
{
	struct walk walk = {0};
	int result;

	if (!*loader->root) {
		if (strlen(path) >= PATH_MAX)
			return -ENAMETOOLONG;
		strcpy(host, path);
		return 0;
	}
	result = resolve(&walk, loader->root, path);
	strcpy(host, walk.done);
	return result;
}

int gw_loader_real(const struct gw_loader *loader, const char *path, char *real)
{
	struct walk walk = {0};
	int result;

	if (!*loader->root)
		return realpath(path, real) ? 0 : -errno;
	result = resolve(&walk, loader->root, path);
	if (result)
		return result;
	if (access(walk.done, F_OK) != 0)
		return -errno;
	strcpy(real, walk.done[walk.root] ? walk.done + walk.root : "/");
	return 0;
}

const char *gw_loader_inside(const struct gw_loader *loader, const char *path)
{
	size_t length = strlen(loader->root);

	return length && strncmp(path, loader->root, length) == 0 && path[length] == '/'
		       ? path + length
		       : path;
}
