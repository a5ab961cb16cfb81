/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code for GPUs that a file holds (scan.h, fatbin.h): for which GPUs, by which compiler, and what of it the machine cannot use: PTX that
 * is newer than its driver (CUDA_ERROR_UNSUPPORTED_PTX_VERSION), a GPU that there is nothing for (no kernel image is available).
 */
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct gw_fatbin_code *code, char name[32])
{
	snprintf(name, 32, "sm_%u%.1s", code->gpu.arch, code->gpu.variant ? &code->gpu.variant : "");
	return name;
}

static json_t *listing(const struct gw_scan_walk *walk, const struct gw_fatbin *fatbin)
{
	json_t *kernels = json_array(), *ptx = json_array();
	char name[32], version[32];

	for (size_t i = 0; i < fatbin->count; i++) {
		const struct gw_fatbin_code *code = &fatbin->code[i];
		struct gw_known_cuda cuda = {0};

		snprintf(version, sizeof version, "%u.%u", code->major, code->minor);
		if (code->kind == GW_FATBIN_KERNELS)
			json_array_append_new(kernels, json_string(name_of(code, name)));
		else if (code->kind == GW_FATBIN_PTX)
			json_array_append_new(ptx, json_pack("{s:s,s:s,s:s?}", "version", version, "target", name_of(code, name), "cuda",
							     gw_known_ptx(&walk->scan->known, code->major, code->minor, &cuda) ? cuda.release
															      : NULL));
	}
	return json_pack("{s:o,s:o,s:I,s:s?}", "kernels", kernels, "ptx", ptx, "modules", (json_int_t)fatbin->modules, "incomplete",
			 fatbin->incomplete);
}

/* The names of all its kernels' architectures, to free. */
static char *architectures(const struct gw_fatbin *fatbin, enum gw_fatbin_kind kind)
{
	char *text = NULL, name[32];

	for (size_t i = 0; i < fatbin->count; i++) {
		char *more;

		if (fatbin->code[i].kind != kind || (i && fatbin->code[i - 1].kind == kind && fatbin->code[i - 1].gpu.arch == fatbin->code[i].gpu.arch &&
						     fatbin->code[i - 1].gpu.variant == fatbin->code[i].gpu.variant))
			continue;
		if (asprintf(&more, "%s%s%s", text ? text : "", text ? ", " : "", name_of(&fatbin->code[i], name)) < 0)
			more = NULL;
		free(text);
		text = more;
	}
	return text;
}

static void add_toolkit(struct gw_scan_walk *walk, const char *first, const char *last, const char *what, const char *kernels)
{
	char *evidence = NULL;

	if (asprintf(&evidence, "%s%s%s%s", what, *what && kernels ? "; " : "", kernels ? "kernels for " : "", kernels ? kernels : "") < 0)
		evidence = NULL;
	json_array_append_new(walk->built,
			      json_pack("{s:s,s:s,s:s,s:s}", "family", "cuda", "min", first, "max", last, "evidence", evidence ? evidence : ""));
	free(evidence);
}

/* The compiler writes its own version into PTX; without PTX, it knows the architectures of its kernels: "built_for" of the toolkit. */
static void note_toolkit(struct gw_scan_walk *walk, const struct gw_fatbin *fatbin)
{
	const struct gw_known *known = &walk->scan->known;
	const struct gw_fatbin_code *ptx = gw_fatbin_newest_ptx(fatbin, 0);
	char *kernels = architectures(fatbin, GW_FATBIN_KERNELS), name[32], text[64] = "";
	const char *last = gw_known_newest_cuda(known, NULL);
	struct gw_known_cuda first = {0}, one;

	if (ptx && gw_known_ptx(known, ptx->major, ptx->minor, &first)) {
		/* Of two toolkits with one version of PTX it may be either. */
		last = gw_known_newest_cuda(known, first.ptx);
		snprintf(text, sizeof text, "PTX %u.%u for %s", ptx->major, ptx->minor, name_of(ptx, name));
	}
	/* Architectures are listed by number, which is not the order in which compilers learnt them. */
	for (size_t i = 0; i < fatbin->count && !ptx; i++)
		if (gw_known_arch(known, fatbin->code[i].gpu.arch, &one) && (!first.release || gw_known_compare(one.release, first.release) > 0))
			first = one;
	if (first.release && last)
		add_toolkit(walk, first.release, last, text, kernels);
	free(kernels);
}

static bool is_newer(const struct gw_fatbin_code *code, const struct gw_known_cuda *cuda)
{
	unsigned major = 0, minor = 0;

	return sscanf(cuda->ptx, "%u.%u", &major, &minor) == 2 && (code->major > major || (code->major == major && code->minor > minor));
}

/* Says of PTX that the driver does not know both numbers, and what driver would. GPU: 0 where it is not known. */
static void tell_newer(struct gw_scan_walk *walk, const struct gw_fatbin_code *ptx, const struct gw_known_cuda *has, unsigned gpu, bool severe)
{
	const struct gw_scan_machine *machine = &walk->scan->machine;
	struct gw_known_cuda wants = {0};
	bool known = gw_known_ptx(&walk->scan->known, ptx->major, ptx->minor, &wants);
	char *remedy = NULL, where[64] = "";

	if (known && wants.driver &&
	    asprintf(&remedy, "install driver %s or newer (CUDA %s), or the compatibility package of that release (cuda-compat); or take a build "
			      "of this file for CUDA %s or older",
		     wants.driver, wants.release, has->release) < 0)
		remedy = NULL;
	if (gpu)
		snprintf(where, sizeof where, "; sm_%u has nothing else of it", gpu);
	gw_scan_finding(walk->findings, severe ? GW_FINDING_PTX_REFUSED : GW_FINDING_PTX_NEWER, remedy,
			"%s holds PTX of version %u.%u (CUDA %s), and driver %s (%s) compiles PTX up to version %s (CUDA %s)%s", walk->first->file->path,
			ptx->major, ptx->minor, known ? wants.release : "newer than known", machine->driver, machine->driver_from, has->ptx,
			has->release, where);
	*walk->severe |= severe;
	free(remedy);
}

static void check_gpu(struct gw_scan_walk *walk, const struct gw_fatbin *fatbin, unsigned arch, const struct gw_known_cuda *has)
{
	const struct gw_fatbin_code *ptx = NULL;
	char *kernels, *texts;

	switch (gw_fatbin_fits(fatbin, arch)) {
	case GW_FATBIN_READY:
		return;
	case GW_FATBIN_COMPILED:
		/* The driver takes the one for the newest architecture that it can compile for. */
		for (size_t i = 0; i < fatbin->count; i++)
			if (fatbin->code[i].kind == GW_FATBIN_PTX && fatbin->code[i].gpu.arch <= arch &&
			    (!fatbin->code[i].gpu.variant || fatbin->code[i].gpu.arch == arch)) {
				if (!has || !is_newer(&fatbin->code[i], has))
					return;
				ptx = &fatbin->code[i];
			}
		if (ptx)
			tell_newer(walk, ptx, has, arch, true);
		return;
	case GW_FATBIN_NOTHING:
		kernels = architectures(fatbin, GW_FATBIN_KERNELS);
		texts = architectures(fatbin, GW_FATBIN_PTX);
		gw_scan_finding(walk->findings, GW_FINDING_NO_KERNELS, NULL,
				"%s holds neither kernels nor PTX that a GPU of sm_%u could use (kernels for %s; PTX for %s)",
				walk->first->file->path, arch, kernels ? kernels : "none", texts ? texts : "none");
		*walk->severe = true;
		free(kernels);
		free(texts);
		return;
	}
}

static bool has_kernels(const struct gw_fatbin *fatbin)
{
	return fatbin->count && fatbin->code[0].kind == GW_FATBIN_KERNELS;
}

static bool has_code(const struct gw_fatbin *fatbin)
{
	return has_kernels(fatbin) || gw_fatbin_newest_ptx(fatbin, 0);
}

static void check(struct gw_scan_walk *walk, const struct gw_fatbin *fatbin)
{
	const struct gw_scan_machine *machine = &walk->scan->machine;
	const struct gw_fatbin_code *ptx = gw_fatbin_newest_ptx(fatbin, 0), *text = &walk->strings.ptx;
	struct gw_known_cuda has;
	bool known = machine->driver && gw_known_driver(&walk->scan->known, machine->driver, &has);

	if (!fatbin->incomplete && has_code(fatbin))
		for (size_t i = 0; i < machine->gpu_count; i++)
			check_gpu(walk, fatbin, machine->gpu[i].arch, known ? &has : NULL);
	/* Without a GPU to ask: PTX matters to those that there are no kernels for. */
	if (known && !machine->gpu_count && ptx && is_newer(ptx, &has))
		tell_newer(walk, ptx, &has, 0, !has_kernels(fatbin));
	if (known && text->count && !has_code(fatbin) && is_newer(text, &has))
		tell_newer(walk, text, &has, 0, false);
}

json_t *gw_scan_gpu(struct gw_scan_walk *walk)
{
	struct gw_fatbin fatbin;
	json_t *out;

	if (gw_fatbin_read(&fatbin, &walk->first->file->elf) != 0)
		return json_null();
	/* A file without section headers and without a word of GPUs has none. */
	if (!fatbin.modules && !walk->strings.ptx.count && (!fatbin.incomplete || walk->strings.unread)) {
		gw_fatbin_finish(&fatbin);
		return json_null();
	}
	out = listing(walk, &fatbin);
	if (walk->strings.ptx.count) {
		struct gw_known_cuda cuda = {0};
		char version[32], name[32];
		const struct gw_fatbin_code *text = &walk->strings.ptx;

		snprintf(version, sizeof version, "%u.%u", text->major, text->minor);
		json_array_append_new(json_object_get(out, "ptx"),
				      json_pack("{s:s,s:s,s:s?,s:b}", "version", version, "target", name_of(text, name), "cuda",
						gw_known_ptx(&walk->scan->known, text->major, text->minor, &cuda) ? cuda.release : NULL, "text", 1));
	}
	note_toolkit(walk, &fatbin);
	check(walk, &fatbin);
	gw_fatbin_finish(&fatbin);
	return out;
}
