/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's two halves (doctor.h): the kernel's module, by what the kernel says of it, and libcuda, by its file's name and place. */
#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMALL (64u << 10)

static void find_module(struct gw_doctor *doctor, const char **from)
{
	static const char *const files[] = {"/proc/driver/nvidia/version", "/sys/module/nvidia/version"};

	for (size_t i = 0; i < sizeof files / sizeof *files && !doctor->module; i++) {
		char *text = gw_doctor_read(doctor, files[i], SMALL), release[GW_RELEASE_SIZE], error[256];
		int why = errno;

		if (!text) {
			if (why != ENOENT && why != ENOTDIR)
				gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", files[i], strerror(why));
			continue;
		}
		if (gw_version_text(text, release, error, sizeof error) == 0) {
			doctor->module = gw_doctor_keep(doctor, "%s", release);
			*from = files[i];
		} else {
			gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%s", files[i], error);
		}
		free(text);
	}
}

static const char *kind_of(const char *path, const char *real)
{
	if (strstr(path, "/stubs/") || strstr(real, "/stubs/"))
		return "stub";
	if (strstr(path, "/compat/") || strstr(real, "/compat/") || strstr(path, "/cuda-compat") || strstr(real, "/cuda-compat"))
		return "compat";
	return "real";
}

/* A compat package lies in the directory of the toolkit whose release it is for: /usr/local/cuda-12.4/compat. */
static const char *maximum_of(struct gw_doctor *doctor, const char *real)
{
	const char *at = strstr(real, "/cuda-");

	if (!at || strcmp(doctor->driver_kind, "compat") != 0)
		return NULL;
	return gw_doctor_number(doctor, gw_doctor_keep(doctor, "%.*s", (int)strcspn(at + 5, "/"), at + 5), 2);
}

static void check(struct gw_doctor *doctor, const char *path, const char *how)
{
	int order = doctor->module && doctor->driver ? gw_doctor_compare(doctor->driver, doctor->module) : 0;

	if (strcmp(doctor->driver_kind, "stub") == 0)
		gw_doctor_find(doctor, GW_FINDING_DRIVER_STUB, NULL, "libcuda.so.1 of an ordinary program is the toolkit's stub %s, found by %s",
			       path, how);
	else if (order && strcmp(doctor->driver_kind, "compat") != 0)
		gw_doctor_find(doctor, GW_FINDING_DRIVER_MIXED, NULL, "libcuda.so.1 is %s of driver %s, and the kernel's module is of driver %s",
			       path, doctor->driver, doctor->module);
}

json_t *gw_doctor_driver(struct gw_doctor *doctor)
{
	const char *from = NULL, *how = NULL, *path, *real_path = NULL;
	char real[PATH_MAX];

	find_module(doctor, &from);
	path = gw_doctor_winner(doctor, "libcuda.so.1", &how);
	if (path && gw_doctor_resolve(doctor, path, real)) {
		const char *base = strrchr(real, '/') + 1;

		doctor->driver_kind = kind_of(path, real);
		doctor->driver = strncmp(base, "libcuda.so.", 11) == 0 ? gw_doctor_number(doctor, base + 11, 2) : NULL;
		doctor->driver_maximum = maximum_of(doctor, real);
		real_path = real;
		check(doctor, path, how);
	}
	return json_pack("{s:{s:o,s:o},s:{s:o,s:o,s:o,s:o,s:o},s:o}", "module", "version", gw_doctor_text(doctor->module), "from",
			 gw_doctor_text(from), "libcuda", "path", gw_doctor_text(path), "real", gw_doctor_text(real_path), "kind",
			 gw_doctor_text(doctor->driver_kind), "version", gw_doctor_text(doctor->driver), "found_by", gw_doctor_text(how),
			 "maximum_cuda", gw_doctor_text(doctor->driver_maximum));
}
