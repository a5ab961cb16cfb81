/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's two halves (doctor.h): the kernel's module, by what the kernel says of it, and libcuda, by its file's name and place; the
 * newest CUDA that they run, by abi/drivers; and the GPUs, by their names.
 */
#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fatbin.h"

#define SMALL (64u << 10)
#define WSL "/usr/lib/wsl/lib/libcuda.so.1" /* where Windows puts its driver's half */

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

static void add_gpu(struct gw_doctor *doctor, const char *model, const char *arch, const char *from)
{
	struct gw_doctor_gpu *gpu;

	for (size_t i = 0; i < doctor->gpu_count; i++)
		if (strcmp(doctor->gpus[i].model, model) == 0)
			return;
	gpu = gw_doctor_more(doctor, &doctor->gpus, &doctor->gpu_count, sizeof *gpu);
	if (gpu)
		*gpu = (struct gw_doctor_gpu){model, arch, from};
}

/* What the kernel's module says of one GPU. */
static void read_gpu(struct gw_doctor *doctor, const char *path, void *context)
{
	char *text = gw_doctor_read(doctor, path, SMALL), *model = text ? strstr(text, "Model:") : NULL;

	(void)context;
	if (model) {
		model += strlen("Model:");
		model += strspn(model, " \t");
		model[strcspn(model, "\r\n")] = '\0';
		add_gpu(doctor, gw_doctor_keep(doctor, "%s", model), gw_table_gpu(&doctor->table, model), gw_doctor_keep(doctor, "%s", path));
	}
	free(text);
}

static void find_gpus(struct gw_doctor *doctor)
{
	struct gw_gpu gpu;

	if (!doctor->given_gpu) {
		gw_doctor_match(doctor, "/proc/driver/nvidia/gpus/*/information", read_gpu, NULL);
		return;
	}
	if (gw_gpu_parse(&gpu, doctor->given_gpu))
		add_gpu(doctor, "the GPU of --gpu", gw_doctor_keep(doctor, "%u.%u", gpu.arch / 10, gpu.arch % 10), "--gpu");
}

static const char *kind_of(const char *path, const char *real)
{
	if (strstr(path, "/stubs/") || strstr(real, "/stubs/"))
		return "stub";
	if (strstr(path, "/compat/") || strstr(real, "/compat/") || strstr(path, "/cuda-compat") || strstr(real, "/cuda-compat"))
		return "compat";
	if (strncmp(real, "/usr/lib/wsl/", 13) == 0)
		return "wsl";
	return "real";
}

/* A compat package lies in the directory of the toolkit whose release it is for: /usr/local/cuda-12.4/compat. */
static const char *directory_says(struct gw_doctor *doctor, const char *real)
{
	const char *at = strstr(real, "/cuda-");

	return at && strcmp(doctor->driver_kind, "compat") == 0 ? gw_doctor_number(doctor, gw_doctor_keep(doctor, "%.*s", (int)strcspn(at + 5, "/"), at + 5), 2)
								: NULL;
}

/* libcuda alone decides; without it, as in an image that gets it at its start, the module that it will belong to. */
static void find_maximum(struct gw_doctor *doctor, const char *real)
{
	const char *driver = real ? doctor->driver : doctor->module;

	if (real && strcmp(doctor->driver_kind, "stub") == 0)
		return;
	if (driver && (doctor->driver_maximum = gw_table_maximum(&doctor->table, driver, &doctor->driver_newer))) {
		doctor->maximum_from = gw_doctor_keep(doctor, "driver %s, by NVIDIA's table%s", driver, doctor->driver_newer ? ", which ends before it" : "");
		return;
	}
	doctor->driver_maximum = real ? directory_says(doctor, real) : NULL;
	doctor->maximum_from = doctor->driver_maximum ? "the directory of the compat package" : NULL;
}

static void check(struct gw_doctor *doctor, const char *path, const char *how)
{
	int order = doctor->module && doctor->driver ? gw_release_compare(doctor->driver, doctor->module) : 0;
	bool compat = strcmp(doctor->driver_kind, "compat") == 0;
	char real[PATH_MAX];

	if (strcmp(doctor->driver_kind, "stub") == 0)
		gw_doctor_find(doctor, GW_FINDING_DRIVER_STUB, NULL, "libcuda.so.1 of an ordinary program is the toolkit's stub %s, found by %s",
			       path, how);
	else if (strcmp(doctor->driver_kind, "wsl") != 0 && gw_doctor_resolve(doctor, WSL, real))
		gw_doctor_find(doctor, GW_FINDING_DRIVER_WSL, NULL, "libcuda.so.1 of an ordinary program is %s, found by %s, and this is WSL, whose driver is in %s", path,
			       how, WSL);
	else if (compat && order < 0)
		gw_doctor_find(doctor, GW_FINDING_COMPAT_OLDER, NULL,
			       "libcuda.so.1 of an ordinary program is the compat package's %s of driver %s, found by %s, and the kernel's module is of driver %s",
			       path, doctor->driver, how, doctor->module);
	else if (order && !compat)
		gw_doctor_find(doctor, GW_FINDING_DRIVER_MIXED, NULL, "libcuda.so.1 is %s of driver %s, and the kernel's module is of driver %s",
			       path, doctor->driver, doctor->module);
}

static json_t *gpus(const struct gw_doctor *doctor)
{
	json_t *all = json_array();

	for (size_t i = 0; i < doctor->gpu_count; i++)
		json_array_append_new(all, json_pack("{s:o,s:o,s:o}", "model", gw_doctor_text(doctor->gpus[i].model), "architecture",
						     gw_doctor_text(doctor->gpus[i].arch), "from", gw_doctor_text(doctor->gpus[i].from)));
	return all;
}

json_t *gw_doctor_driver(struct gw_doctor *doctor)
{
	const char *from = NULL, *how = NULL, *path, *real_path = NULL;
	char real[PATH_MAX];

	find_module(doctor, &from);
	find_gpus(doctor);
	path = gw_doctor_winner(doctor, "libcuda.so.1", &how);
	if (path && gw_doctor_resolve(doctor, path, real)) {
		const char *base = strrchr(real, '/') + 1;

		doctor->driver_kind = kind_of(path, real);
		doctor->driver = strncmp(base, "libcuda.so.", 11) == 0 ? gw_doctor_number(doctor, base + 11, 2) : NULL;
		real_path = real;
		check(doctor, path, how);
	} else if (doctor->module) {
		gw_doctor_find(doctor, GW_FINDING_DRIVER_LACKS, NULL, "the kernel's module is of driver %s, and no libcuda.so.1 is found", doctor->module);
	}
	find_maximum(doctor, real_path);
	return json_pack("{s:{s:o,s:o},s:{s:o,s:o,s:o,s:o,s:o},s:o,s:o,s:o}", "module", "version", gw_doctor_text(doctor->module), "from",
			 gw_doctor_text(from), "libcuda", "path", gw_doctor_text(path), "real", gw_doctor_text(real_path), "kind",
			 gw_doctor_text(doctor->driver_kind), "version", gw_doctor_text(doctor->driver), "found_by", gw_doctor_text(how),
			 "maximum_cuda", gw_doctor_text(doctor->driver_maximum), "maximum_from", gw_doctor_text(doctor->maximum_from), "gpus", gpus(doctor));
}
