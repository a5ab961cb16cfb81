/* SPDX-License-Identifier: Apache-2.0 */
/* Have the binaries of frameworks code for the GPUs that are here, and can the driver compile what has to be compiled (doctor.h)? */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include "fatbin.h"

/* What is wrong with the code for one GPU in a framework's own files: the first that has it, and how many others. */
struct code {
	const struct gw_doctor_framework *framework;
	const struct gw_doctor_gpu *gpu;
	unsigned arch;
	const char *none, *newer; /* files */
	const char *ptx, *cuda;	  /* of NEWER */
	size_t none_count, newer_count;
	const char **seen;
	size_t seen_count;
};

static void check_code(struct gw_doctor *doctor, const char *path, void *context)
{
	struct code *code = context;
	const struct gw_fatbin_code *ptx;
	struct gw_fatbin fatbin;
	struct gw_file *file;
	const char **seen;

	for (size_t i = 0; i < code->seen_count; i++)
		if (strcmp(code->seen[i], path) == 0)
			return;
	seen = gw_doctor_more(doctor, &code->seen, &code->seen_count, sizeof *seen);
	file = seen ? gw_loader_file(&doctor->scan.loader, path) : NULL;
	if (seen)
		*seen = path = gw_doctor_keep(doctor, "%s", path);
	if (!file || file->status || gw_fatbin_read(&fatbin, &file->elf) != 0)
		return;
	if (fatbin.count && !fatbin.incomplete && gw_fatbin_fits(&fatbin, code->arch) == GW_FATBIN_NOTHING) {
		code->none = code->none ? code->none : path;
		code->none_count++;
	} else if (fatbin.count && !fatbin.incomplete && gw_fatbin_fits(&fatbin, code->arch) == GW_FATBIN_COMPILED) {
		const char *cuda;

		ptx = gw_fatbin_newest_ptx(&fatbin, code->arch);
		cuda = ptx ? gw_table_ptx(&doctor->table, ptx->major, ptx->minor) : NULL;
		if (cuda && doctor->driver_maximum && !doctor->driver_newer && gw_release_compare(cuda, doctor->driver_maximum) > 0) {
			code->ptx = code->newer ? code->ptx : gw_doctor_keep(doctor, "%u.%u", ptx->major, ptx->minor);
			code->cuda = code->newer ? code->cuda : cuda;
			code->newer = code->newer ? code->newer : path;
			code->newer_count++;
		}
	}
	gw_fatbin_finish(&fatbin);
}

static const char *others(struct gw_doctor *doctor, size_t count)
{
	return count > 1 ? gw_doctor_keep(doctor, " (and %zu more)", count - 1) : "";
}

static void check_instead(struct gw_doctor *doctor, const char *path, void *context)
{
	struct code *code = context;
	struct gw_file *file = gw_loader_file(&doctor->scan.loader, path);
	struct gw_fatbin fatbin;

	if (!file || file->status || gw_fatbin_read(&fatbin, &file->elf) != 0)
		return;
	if (fatbin.count && gw_fatbin_fits(&fatbin, code->arch) != GW_FATBIN_NOTHING)
		code->none = NULL;
	gw_fatbin_finish(&fatbin);
}

/* Libraries of a framework's own; the vendor's keep kernels in places of their own, and are for all GPUs of their time. */
static void check_gpu(struct gw_doctor *doctor, struct code *code)
{
	const struct gw_doctor_framework *framework = code->framework;

	for (size_t i = framework->line + 1; i < doctor->frameworks.count && doctor->frameworks.line[i].kind != GW_FRAMEWORK; i++) {
		const struct gw_framework_line *line = &doctor->frameworks.line[i];
		const char *pattern = line->kind == GW_FRAMEWORK_OPENS || line->kind == GW_FRAMEWORK_LATER ? line->word[0] : NULL;

		if (line->kind == GW_FRAMEWORK_ASKS)
			pattern = line->word[1];
		if (pattern && (pattern = gw_doctor_fill(doctor, framework, pattern)))
			gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/%s", framework->site, pattern), check_code, code);
	}
	for (size_t i = framework->line + 1; code->none && i < doctor->frameworks.count && doctor->frameworks.line[i].kind != GW_FRAMEWORK; i++) {
		const struct gw_framework_line *line = &doctor->frameworks.line[i];
		const char *pattern = line->kind == GW_FRAMEWORK_INSTEAD ? gw_doctor_fill(doctor, framework, line->word[0]) : NULL;

		if (pattern)
			gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/%s", framework->site, pattern), check_instead, code);
	}
	if (code->none)
		gw_doctor_find(doctor, GW_FINDING_PACKAGE_NO_KERNELS, NULL, "%s%s of %s has neither kernels nor PTX for %s, whose architecture is %s", code->none,
			       others(doctor, code->none_count), framework->name, code->gpu->model, code->gpu->arch);
	if (code->newer)
		gw_doctor_find(doctor, GW_FINDING_PTX_NEW, NULL,
			       "%s%s of %s has no kernels for %s, whose architecture is %s, and its PTX %s is that of CUDA %s; the driver's maximum is %s (%s)", code->newer,
			       others(doctor, code->newer_count), framework->name, code->gpu->model, code->gpu->arch, code->ptx, code->cuda, doctor->driver_maximum,
			       doctor->maximum_from);
	free(code->seen);
	gw_loader_forget(&doctor->scan.loader);
}

void gw_doctor_check_kernels(struct gw_doctor *doctor, const struct gw_doctor_framework *framework)
{
	for (size_t g = 0; g < doctor->gpu_count; g++) {
		struct code code = {.framework = framework, .gpu = &doctor->gpus[g]};
		struct gw_gpu gpu;

		if (!code.gpu->arch || !gw_gpu_parse(&gpu, code.gpu->arch))
			continue;
		code.arch = gpu.arch;
		check_gpu(doctor, &code);
	}
}
