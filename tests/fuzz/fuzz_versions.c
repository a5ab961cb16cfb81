/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that say which release something is, or which package a file is of. The first byte tells what the rest is: version.json
 * or version.txt of a toolkit, a package's JSON of conda, a package's list of dpkg, dpkg's status.
 */
#include "fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/doctor_read.h"

/* "LINE: what is wrong" */
static void check(const char *error)
{
	if (!isdigit((unsigned char)*error) || !strstr(error, ": ")) {
		fprintf(stderr, "an error without its line: %s\n", error);
		abort();
	}
}

static bool visit_path(void *context, const char *path)
{
	(void)context;
	return !path;
}

static void visit_status(void *context, const char *package, const char *version)
{
	(void)context;
	if (!package || !version)
		abort();
}

static void use_text(unsigned kind, const char *text)
{
	char release[GW_RELEASE_SIZE], error[512] = "";
	struct gw_conda_package package;
	int result;

	if (kind == 2) {
		result = gw_conda_read(&package, text, error, sizeof error);
		if (!result)
			json_decref(package.all);
	} else {
		result = kind == 0   ? gw_version_json(text, release, error, sizeof error)
			 : kind == 1 ? gw_version_text(text, release, error, sizeof error)
				     : gw_version_after(text, "Version:", 2, release, error, sizeof error);
	}
	if (result)
		check(error);
}

static void use_stream(unsigned kind, const uint8_t *data, size_t size)
{
	FILE *stream = fopen(gw_fuzz_file(data, size), "re");
	unsigned number = 0;
	const char *wrong;

	if (!stream)
		abort();
	wrong = kind == 3 ? gw_dpkg_list_read(stream, visit_path, NULL, &number) : gw_dpkg_status_read(stream, visit_status, NULL, &number);
	if (wrong && (!*wrong || !number))
		abort();
	fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned kind = size ? data[0] % 8 : 0;
	char *text;

	if (!size)
		return 0;
	if (kind == 3 || kind == 4) {
		use_stream(kind, data + 1, size - 1);
		return 0;
	}
	text = strndup((const char *)data + 1, size - 1);
	if (text)
		use_text(kind, text);
	free(text);
	return 0;
}
