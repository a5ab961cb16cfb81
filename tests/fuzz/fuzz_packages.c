/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pip keeps beside a package. The first byte tells what the rest is: RECORD, METADATA, a pyvenv.cfg, or the first line
 * of a script that a Python runs.
 */
#include "fuzz.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/doctor_read.h"
#include "tools/scan.h"

static struct gw_scan scan = {.loader.root = ""};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct abi_error error;

	(void)argc;
	(void)argv;
	setenv("PATH", "/nowhere", 1);
	unsetenv("HOME");
	unsetenv("PYTHONPATH");
	gw_fuzz_put("app/app.so", "12345", 5);
	gw_fuzz_put("app/app-1.0.dist-info/RECORD", "app.so,,\n", 9);
	return abi_db_load_file(&scan.db, GW_BUILD_DATA "/facts/cublas.abi", &error);
}

static const char *count(void *context, const struct gw_record_line *line)
{
	unsigned *lines = context;

	if (!line->path || (line->hash && strlen(line->hash) != GW_RECORD_HASH))
		abort();
	return ++*lines > 1000 ? "is one line too many" : NULL;
}

static void use_record(const uint8_t *data, size_t size)
{
	FILE *stream = fopen(gw_fuzz_file(data, size), "re");
	unsigned number = 0, lines = 0;
	const char *wrong;

	if (!stream)
		abort();
	wrong = gw_record_read(stream, count, &lines, &number);
	if (wrong && (!*wrong || !number))
		abort(); /* an error without its place */
	fclose(stream);
}

static void use_metadata(const uint8_t *data, size_t size)
{
	static const char *needed[] = {"libcublas.so.12"};
	struct gw_elf elf = {.needed = needed, .needed_count = 1};
	struct gw_strings strings = {0};
	char path[PATH_MAX], *info;

	gw_fuzz_put("app/app-1.0.dist-info/METADATA", data, size);
	snprintf(path, sizeof path, "%s/app/app.so", gw_fuzz_root());
	info = gw_scan_package_info(&scan, path);
	json_decref(gw_scan_built(&scan, &elf, &strings, info));
	free(info);
}

static void use_python(const char *name, const uint8_t *data, size_t size)
{
	struct gw_python_paths paths = {0};
	char path[PATH_MAX];

	gw_fuzz_put(name, data, size);
	snprintf(path, sizeof path, "%s/%s", gw_fuzz_root(), strstr(name, "cfg") ? "venv/bin/python3" : name);
	if (gw_python_paths_of_program(&paths, path) != 0)
		abort();
	gw_python_paths_finish(&paths);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 4) {
	case 0:
		use_record(data + 1, size - 1);
		break;
	case 1:
		use_metadata(data + 1, size - 1);
		break;
	case 2:
		use_python("venv/pyvenv.cfg", data + 1, size - 1);
		break;
	default:
		use_python("venv/bin/script", data + 1, size - 1);
	}
	return 0;
}
