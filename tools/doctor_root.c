/* SPDX-License-Identifier: Apache-2.0 */
/* Files under a root (doctor.h), whose links are followed as loader_root.c does: none leads out of it. */
#include "doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gw_doctor_resolve(const struct gw_doctor *doctor, const char *path, char out[PATH_MAX])
{
	int result = gw_loader_real(&doctor->scan.loader, path, out);

	errno = -result;
	return !result;
}

int gw_doctor_open(const struct gw_doctor *doctor, const char *path, uint64_t *size)
{
	char host[PATH_MAX];
	struct stat info;
	int file = gw_loader_host(&doctor->scan.loader, path, host);

	if (file)
		return file;
	file = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return -errno;
	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
		close(file);
		return -EINVAL;
	}
	if (size)
		*size = (uint64_t)info.st_size;
	return file;
}

FILE *gw_doctor_stream(const struct gw_doctor *doctor, const char *path)
{
	int file = gw_doctor_open(doctor, path, NULL);
	FILE *stream = file < 0 ? NULL : fdopen(file, "r");

	if (file < 0)
		errno = -file;
	else if (!stream)
		close(file);
	return stream;
}

/* By reading, not by its size: files of the kernel's say 0. */
char *gw_doctor_read(const struct gw_doctor *doctor, const char *path, size_t limit)
{
	int file = gw_doctor_open(doctor, path, NULL);
	size_t used = 0, room = 4096;
	char *text = NULL, *more;
	ssize_t count = -1;

	if (file < 0) {
		errno = -file;
		return NULL;
	}
	for (;;) {
		more = realloc(text, room + 1);
		if (!more)
			break;
		text = more;
		count = read(file, text + used, room - used);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			break;
		used += (size_t)count;
		if (used > limit) {
			errno = EFBIG;
			count = -1;
			break;
		}
		if (used == room)
			room *= 2;
	}
	if (count == 0) {
		text[used] = '\0';
	} else {
		int why = more ? errno : ENOMEM;

		free(text);
		text = NULL;
		errno = why;
	}
	close(file);
	return text;
}

struct match {
	gw_doctor_match_fn *each;
	void *context;
};

static void match(struct gw_doctor *doctor, const char *prefix, const char *rest, const struct match *to);

/* Goes into each entry of the directory PREFIX that fits PART. */
static void match_entries(struct gw_doctor *doctor, const char *prefix, const char *part, const char *rest, const struct match *to)
{
	char host[PATH_MAX], path[PATH_MAX];
	struct dirent **entries;
	int count;

	if (gw_loader_host(&doctor->scan.loader, *prefix ? prefix : "/", host) != 0)
		return;
	count = scandir(host, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (fnmatch(part, entries[i]->d_name, FNM_PERIOD) == 0 &&
		    snprintf(path, sizeof path, "%s/%s", prefix, entries[i]->d_name) < (int)sizeof path)
			match(doctor, path, rest, to);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void match(struct gw_doctor *doctor, const char *prefix, const char *rest, const struct match *to)
{
	char real[PATH_MAX], part[NAME_MAX + 1], path[PATH_MAX];
	size_t length;

	rest += strspn(rest, "/");
	length = strcspn(rest, "/");
	if (!length) {
		if (gw_doctor_resolve(doctor, *prefix ? prefix : "/", real))
			to->each(doctor, *prefix ? prefix : "/", to->context);
		return;
	}
	if (length >= sizeof part)
		return;
	memcpy(part, rest, length);
	part[length] = '\0';
	if (strpbrk(part, "*?"))
		match_entries(doctor, prefix, part, rest + length, to);
	else if (snprintf(path, sizeof path, "%s/%s", prefix, part) < (int)sizeof path)
		match(doctor, path, rest + length, to);
}

void gw_doctor_match(struct gw_doctor *doctor, const char *pattern, gw_doctor_match_fn *each, void *context)
{
	match(doctor, "", pattern, &(struct match){each, context});
}
