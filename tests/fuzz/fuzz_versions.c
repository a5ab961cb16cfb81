/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that say which release something is, or which package a file is of. The first byte tells what the rest is: version.json
 * or version.txt of a toolkit, a package's JSON of conda, a package's list of dpkg.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "tools/doctor.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	gw_fuzz_put("usr/local/cuda-12.1/bin/nvcc", "", 0);
	gw_fuzz_put("conda/lib/libcublas.so.12", "12345", 5);
	return 0;
}

static void check(const json_t *findings, const char *path)
{
	const char *text;
	json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		text = json_string_value(json_object_get(finding, "text"));
		if (!text)
			abort();
		gw_fuzz_error(text, path);
	}
}

static void use_toolkit(const char *name, const uint8_t *data, size_t size)
{
	struct gw_doctor doctor = {.root = gw_fuzz_root(), .findings = json_array()};
	char path[PATH_MAX];

	snprintf(path, sizeof path, "/%s", name);
	gw_fuzz_put("usr/local/cuda-12.1/version.json", "{\"cuda\":{\"version\":\"12.1\"}}", 28);
	gw_fuzz_put("usr/local/cuda-12.1/version.txt", "CUDA Version 12.1.105\n", 22);
	if (strstr(name, "txt"))
		gw_fuzz_put("usr/local/cuda-12.1/version.json", "{}", 2);
	gw_fuzz_put(name, data, size);
	gw_doctor_find_toolkits(&doctor);
	if (!strstr(name, "txt"))
		check(doctor.findings, path);
	json_decref(gw_doctor_toolkits(&doctor));
	gw_doctor_finish(&doctor);
}

static void use_list(const char *name, const uint8_t *data, size_t size)
{
	struct gw_doctor doctor = {.root = gw_fuzz_root(), .findings = json_array(), .prefix_count = 1, .copy_count = 1};
	char path[PATH_MAX];

	snprintf(path, sizeof path, "/%s", name);
	gw_fuzz_put(name, data, size);
	doctor.prefixes = calloc(1, sizeof *doctor.prefixes);
	doctor.copies = calloc(1, sizeof *doctor.copies);
	if (!doctor.prefixes || !doctor.copies)
		abort();
	doctor.prefixes[0] = "/conda";
	doctor.copies[0] = (struct gw_doctor_copy){.family = "cublas", .stem = "libcublas", .path = "/conda/lib/libcublas.so.12",
						   .directory = "/conda/lib", .real = "/conda/lib/libcublas.so.12"};
	gw_doctor_find_origins(&doctor);
	check(doctor.findings, path);
	gw_doctor_finish(&doctor);
	gw_fuzz_put(name, "{}", 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 4) {
	case 0:
		use_toolkit("usr/local/cuda-12.1/version.json", data + 1, size - 1);
		break;
	case 1:
		use_toolkit("usr/local/cuda-12.1/version.txt", data + 1, size - 1);
		break;
	case 2:
		use_list("conda/conda-meta/libcublas-12.1.json", data + 1, size - 1);
		break;
	default:
		use_list("var/lib/dpkg/info/libcublas12:amd64.list", data + 1, size - 1);
	}
	return 0;
}
