/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway scan` of one ELF file, with the whole database of facts. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/scan.h"

static struct gw_scan scan = {.loader.root = ""};
static char *nowhere[] = {"/nowhere"};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct abi_error error;
	char wrong[512];

	(void)argc;
	(void)argv;
	setenv("PATH", "/nowhere", 1); /* a python of this machine is not what is tried */
	if (abi_db_load(&scan.db, GW_BUILD_DATA "/facts", &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (gw_known_load(&scan.known, GW_BUILD_DATA, wrong, sizeof wrong) != 0) {
		fprintf(stderr, "%s\n", wrong);
		return 1;
	}
	scan.loader.platform = (struct gw_platform){.defaults = {"/nowhere"}, .default_count = 1, .lib = "lib", .platform = "x86_64",
						    .capability = {""}, .capability_count = 1};
	scan.given = (struct gw_python_paths){nowhere, 1};
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = gw_fuzz_file(data, size);
	char error[1024] = "", *text;
	bool severe = false;
	json_t *file = gw_scan_file(&scan, path, &severe, error, sizeof error);

	if (!file) {
		gw_fuzz_error(error, path);
	} else {
		text = json_dumps(file, JSON_COMPACT);
		if (!text)
			abort(); /* what was found out cannot be told */
		free(text);
	}
	json_decref(file);
	gw_scan_forget_copies(&scan);
	gw_loader_forget(&scan.loader);
	return 0;
}
