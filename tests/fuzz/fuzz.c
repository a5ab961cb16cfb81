/* SPDX-License-Identifier: Apache-2.0 */
/* See fuzz.h. */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char gw_data_place[];
const char gw_data_place[] = "/nowhere"; /* as each program of tools/ has one */

static void fill(int file, const void *data, size_t size)
{
	if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
		perror("fuzz");
		abort();
	}
}

const char *gw_fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int file = -1;

	if (file < 0) {
		file = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	}
	fill(file, data, size);
	return path;
}

static char root[PATH_MAX];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
	(void)info;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_root(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *gw_fuzz_root(void)
{
	if (!*root) {
		strcpy(root, "/dev/shm/gw-fuzz-XXXXXX");
		if (!mkdtemp(root)) {
			perror(root);
			abort();
		}
		atexit(remove_root);
	}
	return root;
}

void gw_fuzz_put(const char *name, const void *data, size_t size)
{
	char path[PATH_MAX + 256];
	int file;

	snprintf(path, sizeof path, "%s/%s", gw_fuzz_root(), name);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	for (char *slash = path + strlen(root); file < 0 && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	if (file < 0)
		file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	fill(file, data, size);
	close(file);
}

void gw_fuzz_error(const char *error, const char *path)
{
	static const char *const whole[] = {"is no regular file", "too many libraries", "cannot ", "out of memory"};
	size_t length = strlen(path), digits;
	const char *at = error + length;

	if (strncmp(error, path, length) != 0 || *at != ':') {
		fprintf(stderr, "an error without its file: %s\n", error);
		abort();
	}
	digits = strncmp(at, ":0x", 3) == 0 ? 2 + strspn(at + 3, "0123456789abcdef") : strspn(at + 1, "0123456789");
	if (digits > 0)
		return;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strstr(at, whole[i]))
			return;
	fprintf(stderr, "an error without its place: %s\n", error);
	abort();
}
