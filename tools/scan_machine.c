/* SPDX-License-Identifier: Apache-2.0 */
/* The driver and the GPUs of the machine that files are scanned for (scan.h): by files alone, below a root those inside. */
#include "scan.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader_search.h"

#define MAX_PLACES 65536 /* more than any search path has */

struct found {
	char real[PATH_MAX];
	const struct gw_loader *loader;
};

/* The toolkit's stub is for linking; what it is not, serves. */
static bool take(void *context, const struct gw_candidate *candidate)
{
	struct found *found = context;

	return gw_loader_real(found->loader, candidate->path, found->real) == 0 && !strstr(found->real, "/stubs/");
}

/* A version with dots at the start of TEXT, to free; NULL. */
static char *version_at(const char *text)
{
	size_t length = strspn(text, "0123456789.");

	return length && memchr(text, '.', length) ? strndup(text, length) : NULL;
}

/* libcuda.so.1 of an ordinary program is a link to libcuda.so.535.104.05. */
static void find_library(struct gw_scan *scan)
{
	struct found found = {.loader = &scan->loader};
	struct gw_search search = {.loader = &scan->loader, .visit = take, .context = &found};
	static const struct gw_file none;
	const struct gw_needer nobody = {&none, NULL};
	const char *base;

	search.needer = &nobody;
	scan->loader.budget = MAX_PLACES;
	if (!gw_loader_search(&search, "libcuda.so.1"))
		return;
	base = strrchr(found.real, '/');
	base = base && strncmp(base + 1, "libcuda.so.", 11) == 0 ? base + 12 : "";
	scan->machine.driver = version_at(base);
	if (scan->machine.driver)
		scan->machine.driver_from = strdup(found.real);
}

static FILE *open_inside(const struct gw_scan *scan, const char *path)
{
	char host[PATH_MAX];

	return gw_loader_host(&scan->loader, path, host) == 0 ? fopen(host, "re") : NULL;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …" */
static void find_module(struct gw_scan *scan)
{
	static const char path[] = "/proc/driver/nvidia/version";
	FILE *file = open_inside(scan, path);
	char line[512], *at;

	if (file && fgets(line, sizeof line, file) && (at = strstr(line, "Module"))) {
		at += strcspn(at, "0123456789\n");
		scan->machine.driver = version_at(at);
		if (scan->machine.driver)
			scan->machine.driver_from = strdup(path);
	}
	if (file)
		fclose(file);
}

static void find_gpus(struct gw_scan *scan)
{
	struct gw_scan_machine *machine = &scan->machine;
	char pattern[PATH_MAX];
	glob_t matches;

	if (snprintf(pattern, sizeof pattern, "%s/proc/driver/nvidia/gpus/*/information", scan->loader.root) >= (int)sizeof pattern ||
	    glob(pattern, 0, NULL, &matches) != 0)
		return;
	for (size_t i = 0; i < matches.gl_pathc && machine->gpu_count < GW_SCAN_GPUS; i++) {
		FILE *file = fopen(matches.gl_pathv[i], "re");
		char line[256];

		while (file && fgets(line, sizeof line, file)) {
			unsigned arch;

			line[strcspn(line, "\n")] = '\0';
			if (strncmp(line, "Model:", 6) != 0)
				continue;
			arch = gw_known_gpu(&scan->known, line + 6 + strspn(line + 6, " \t"));
			if (arch)
				machine->gpu[machine->gpu_count++].arch = arch;
			break;
		}
		if (file)
			fclose(file);
	}
	globfree(&matches);
}

int gw_scan_machine_find(struct gw_scan *scan, const char *driver)
{
	struct gw_scan_machine *machine = &scan->machine;

	if (driver) {
		machine->driver = strdup(driver);
		machine->driver_from = strdup("--driver");
		if (!machine->driver || !machine->driver_from)
			return -ENOMEM;
	} else {
		find_library(scan);
		if (!machine->driver)
			find_module(scan);
	}
	if (!machine->gpu_given)
		find_gpus(scan);
	return 0;
}

void gw_scan_machine_finish(struct gw_scan_machine *machine)
{
	free(machine->driver);
	free(machine->driver_from);
	*machine = (struct gw_scan_machine){0};
}
