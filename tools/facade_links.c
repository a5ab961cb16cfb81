/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the directory of links that facade_links.h describes. */
#include "facade_links.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a: the same facades and list give the same name. */
static uint64_t hash(uint64_t value, const char *text)
{
	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return value;
}

/* Ours alone: a directory in /tmp that somebody else made first could lead the loader anywhere. */
static bool make_private(const char *directory)
{
	struct stat info;

	if (mkdir(directory, 0700) == 0)
		return true;
	if (errno != EEXIST || lstat(directory, &info) != 0)
		return false;
	if (S_ISDIR(info.st_mode) && info.st_uid == geteuid() && !(info.st_mode & 077))
		return true;
	errno = EPERM;
	return false;
}

/* Another run may be making the same link: the last one wins, and all are equal. */
static bool make_link(const char *target, const char *link)
{
	char *fresh = NULL;
	bool done;

	if (asprintf(&fresh, "%s.%ld", link, (long)getpid()) < 0)
		return false;
	unlink(fresh);
	done = symlink(target, fresh) == 0 && rename(fresh, link) == 0;
	free(fresh);
	return done;
}

char *gw_facade_links(const char *facades, const char *list, char **where)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	char *directory = NULL;
	bool done;

	*where = NULL;
	if (!base || *base != '/' || access(base, W_OK) != 0)
		base = "/tmp";
	if (asprintf(&directory, "%s/gangway-facades-%ld-%016llx", base, (long)geteuid(),
		     (unsigned long long)hash(hash(UINT64_C(0xcbf29ce484222325), facades), list)) <
	    0)
		return NULL;
	done = make_private(directory);
	for (size_t length; done && *list; list += length + (list[length] == ',')) {
		char *target = NULL, *link = NULL;

		length = strcspn(list, ",");
		done = asprintf(&target, "%s/%.*s", facades, (int)length, list) >= 0;
		done = done && asprintf(&link, "%s/%.*s", directory, (int)length, list) >= 0;
		done = done && make_link(target, link);
		free(target);
		free(link);
	}
	if (done)
		return directory;
	*where = directory;
	return NULL;
}
