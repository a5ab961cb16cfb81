/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of loader it is (loader_platform.h). Its default directories and its release stand in
 * its file as strings; what the processor has is asked of this one, since programs are scanned
 * where they will run.
 */
#include "loader_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SIZE (16u << 20)
#define LAST_LEGACY 36 /* glibc 2.37 dropped the older kind of subdirectory, */
#define FIRST_NAMED 33 /* and 2.33 brought glibc-hwcaps */

static char *read_whole(const char *path, size_t *size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat info;
	char *bytes = NULL;
	ssize_t count = 0;

	*size = 0;
	if (file < 0)
		return NULL;
	if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
	    info.st_size < MAX_SIZE)
		bytes = malloc((size_t)info.st_size + 1);
	while (bytes && *size < (size_t)info.st_size &&
	       (count = read(file, bytes + *size, (size_t)info.st_size - *size)) > 0)
		*size += (size_t)count;
	if (bytes)
		bytes[*size] = '\0';
	close(file);
	return bytes;
}

static int add_default(struct gw_platform *platform, const char *text, size_t length)
{
	if (platform->default_count == GW_MAX_DEFAULTS)
		return 0;
	platform->defaults[platform->default_count] = strndup(text, length);
	return platform->defaults[platform->default_count++] ? 0 : -ENOMEM;
}

/* Adds strings of the form "/…/" as long as one follows another. */
static int add_run(struct gw_platform *platform, const char *at, const char *end)
{
	int result = 0;

	while (at < end && *at == '/' && !result) {
		size_t length = strnlen(at, (size_t)(end - at));

		if (length < 2 || at[length - 1] != '/' || at + length == end)
			break;
		result = add_default(platform, at, length - 1);
		at += length + 1;
	}
	return result;
}

/* The list begins with a directory in /lib… or /usr/lib…, behind the 0 of another string. */
static int find_defaults(struct gw_platform *platform, const char *bytes, size_t size)
{
	static const char *const starts[] = {"/lib", "/usr/lib"};
	const char *best = NULL, *end = bytes + size;

	for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
		for (const char *at = bytes;
		     (at = memmem(at, (size_t)(end - at), starts[s], strlen(starts[s]))); at++) {
			size_t length = strnlen(at, (size_t)(end - at));

			if (at > bytes && !at[-1] && at + length < end && at[length - 1] == '/') {
				best = !best || at < best ? at : best;
				break;
			}
		}
	return best ? add_run(platform, best, end) : 0;
}

static int set_defaults(struct gw_platform *platform)
{
	static const char *const debian[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
					     "/lib", "/usr/lib"};
	int result = 0;

	for (size_t i = 0; i < sizeof debian / sizeof *debian && !result; i++)
		result = add_default(platform, debian[i], strlen(debian[i]));
	return result;
}

/* N of "release version 2.N"; 0 where the file does not say. */
static unsigned minor_release(const char *bytes, size_t size)
{
	static const char text[] = "release version 2.";
	const char *at = bytes ? memmem(bytes, size, text, strlen(text)) : NULL;

	return at ? (unsigned)strtoul(at + strlen(text), NULL, 10) : 0;
}

static int add_capability(struct gw_platform *platform, const char *name)
{
	platform->capability[platform->capability_count] = strdup(name);
	return platform->capability[platform->capability_count++] ? 0 : -ENOMEM;
}

static int add_named(struct gw_platform *platform)
{
	bool second = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
	bool third = second && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		     __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
	bool fourth = third && __builtin_cpu_supports("avx512f") &&
		      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
		      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	int result = 0;

	if (fourth)
		result = add_capability(platform, "glibc-hwcaps/x86-64-v4/");
	if (!result && third)
		result = add_capability(platform, "glibc-hwcaps/x86-64-v3/");
	if (!result && second)
		result = add_capability(platform, "glibc-hwcaps/x86-64-v2/");
	platform->named_count = platform->capability_count;
	return result;
}

/* Each subset of the older names, in their order, the larger ones first. */
static int add_legacy(struct gw_platform *platform)
{
	const char *names[4] = {"tls/"};
	unsigned count = 1;
	int result = 0;

	if (strcmp(platform->platform, "x86_64") != 0)
		names[count++] = "haswell/";
	if (__builtin_cpu_is("intel") && __builtin_cpu_supports("avx512cd") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		names[count++] = "avx512_1/";
	names[count++] = "x86_64/";
	for (unsigned set = (1u << count) - 1; set && !result; set--) {
		char path[64] = "";

		for (unsigned i = 0; i < count; i++)
			if (set >> (count - 1 - i) & 1)
				strcat(path, names[i]);
		result = add_capability(platform, path);
	}
	return result;
}

int gw_platform_init(struct gw_platform *platform, const char *loader_file)
{
	size_t size;
	char *bytes = read_whole(loader_file, &size);
	unsigned minor = minor_release(bytes, size);
	bool haswell;
	int result = 0;

	__builtin_cpu_init();
	haswell = __builtin_cpu_is("intel") && __builtin_cpu_supports("avx2") &&
		  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
		  __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
	*platform = (struct gw_platform){.platform = haswell && minor <= LAST_LEGACY ? "haswell"
										     : "x86_64"};
	if (bytes)
		result = find_defaults(platform, bytes, size);
	if (!result && !platform->default_count)
		result = set_defaults(platform);
	free(bytes);
	if (!result && (!minor || minor >= FIRST_NAMED))
		result = add_named(platform);
	if (!result && minor && minor <= LAST_LEGACY)
		result = add_legacy(platform);
	if (!result)
		result = add_capability(platform, "");
	if (!result)
		platform->lib = strdup(platform->defaults[0] + 1);
	if (!result && !platform->lib)
		result = -ENOMEM;
	if (result)
		gw_platform_finish(platform);
	return result;
}

void gw_platform_finish(struct gw_platform *platform)
{
	for (size_t i = 0; i < platform->default_count; i++)
		free(platform->defaults[i]);
	for (size_t i = 0; i < platform->capability_count; i++)
		free(platform->capability[i]);
	free(platform->lib);
	*platform = (struct gw_platform){0};
}
