/* SPDX-License-Identifier: Apache-2.0 */
/* Which frameworks are installed in which environment, and the CUDA and cuDNN that they say they were built for (doctor.h). */
#include "doctor.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define MAX_METADATA (1u << 20)

const char *gw_doctor_fill(struct gw_doctor *doctor, const struct gw_doctor_framework *framework, const char *text)
{
	const char *brace = strchr(text, '{'), *end = brace ? strchr(brace, '}') : NULL, *value;
	char digits[16];
	size_t length = 0;

	if (!end)
		return text;
	value = strncmp(brace, "{cuda}", 6) == 0 ? framework->cuda : framework->cudnn;
	if (!value)
		return NULL;
	/* 12.1 is 121 in names of files; of cuDNN, the first number alone counts */
	for (const char *at = value; *at && length + 1 < sizeof digits; at++) {
		if (*at == '.' && value == framework->cudnn)
			break;
		if (*at != '.')
			digits[length++] = *at;
	}
	return gw_doctor_keep(doctor, "%.*s%.*s%s", (int)(brace - text), text, (int)length, digits, end + 1);
}

/* Is it a package of SITE whose name fits one of the words? */
static bool fits(const struct gw_doctor_package *package, const char *site, const struct gw_framework_line *line)
{
	size_t length = strlen(site);
	const char *below = package->record + length + 1;

	if (strncmp(package->record, site, length) != 0 || package->record[length] != '/' || strchr(below + strcspn(below, "/") + 1, '/'))
		return false;
	for (size_t w = 0; w < line->words; w++)
		if (fnmatch(line->word[w], package->name, 0) == 0)
			return true;
	return false;
}

/* What a file of the framework's own says after a key. */
static void by_file(struct gw_doctor *doctor, struct gw_doctor_framework *framework, const struct gw_framework_line *line)
{
	const char *path = gw_doctor_keep(doctor, "%s/%s", framework->site, line->word[0]);
	char *text = gw_doctor_read(doctor, path, MAX_METADATA), release[GW_RELEASE_SIZE], error[256];
	bool dnn = line->kind == GW_FRAMEWORK_CUDNN;

	if (text && gw_version_after(text, line->word[1], 1, release, error, sizeof error) == 0) {
		*(dnn ? &framework->cudnn : &framework->cuda) = gw_doctor_keep(doctor, "%s", release);
		*(dnn ? &framework->cudnn_from : &framework->cuda_from) = path;
	}
	free(text);
}

static bool is_more_exact(const char *known, const char *release)
{
	return !known || (gw_release_compare(known, release) == 0 && strlen(release) > strlen(known));
}

/* What its package requires. */
static void by_requirements(struct gw_doctor *doctor, struct gw_doctor_framework *framework, const struct gw_doctor_package *package)
{
	const char *path = gw_doctor_keep(doctor, "%.*s/METADATA", (int)(strrchr(package->record, '/') - package->record), package->record);
	char *text = gw_doctor_read(doctor, path, MAX_METADATA), release[GW_RELEASE_SIZE];

	if (text && gw_version_required(text, "nvidia-cuda-runtime", release) && !framework->cuda) {
		framework->cuda = gw_doctor_keep(doctor, "%s", release);
		framework->cuda_from = path;
	}
	if (text && gw_version_required(text, "nvidia-cudnn", release) && is_more_exact(framework->cudnn, release)) {
		framework->cudnn = gw_doctor_keep(doctor, "%s", release);
		framework->cudnn_from = path;
	}
	free(text);
}

/* "+cu121" of its version, "cuda12x" of its name. */
static void by_name(struct gw_doctor *doctor, struct gw_doctor_framework *framework, const struct gw_doctor_package *package)
{
	const char *local = strstr(package->version, "+cu"), *name = strstr(package->name, "cu");

	if (local && strspn(local + 3, "0123456789") >= 2) {
		size_t digits = strspn(local + 3, "0123456789");

		framework->cuda = gw_doctor_keep(doctor, "%.*s.%.*s", (int)digits - 1, local + 3, 1, local + 3 + digits - 1);
		framework->cuda_from = gw_doctor_keep(doctor, "the version of %s %s", package->name, package->version);
		return;
	}
	for (; name && !framework->cuda; name = strstr(name + 1, "cu")) {
		const char *digit = name + (strncmp(name, "cuda", 4) == 0 ? 4 : 2);
		size_t digits = strspn(digit, "0123456789");

		if (digits == 2) {
			framework->cuda = gw_doctor_keep(doctor, "%.2s", digit);
			framework->cuda_from = gw_doctor_keep(doctor, "the name of %s", package->name);
		}
	}
}

/* The first package gives the version; of jax's two, the second has the requirements. */
static void by_packages(struct gw_doctor *doctor, struct gw_doctor_framework *framework, const struct gw_framework_line *line)
{
	for (size_t i = 0; i < doctor->package_count; i++) {
		const struct gw_doctor_package *package = &doctor->packages[i];

		if (!fits(package, framework->site, line))
			continue;
		framework->package = framework->package ? framework->package : package;
		by_requirements(doctor, framework, package);
	}
	if (!framework->package)
		return;
	framework->version = framework->package->version;
	if (!framework->cuda)
		by_name(doctor, framework, framework->package);
}

static void examine(struct gw_doctor *doctor, struct gw_doctor_framework *framework)
{
	const struct gw_framework_line *packages = NULL;

	for (size_t i = framework->line + 1; i < doctor->frameworks.count && doctor->frameworks.line[i].kind != GW_FRAMEWORK; i++) {
		const struct gw_framework_line *line = &doctor->frameworks.line[i];

		if (line->kind == GW_FRAMEWORK_PACKAGE)
			packages = line;
		if ((line->kind == GW_FRAMEWORK_CUDA && !framework->cuda) || (line->kind == GW_FRAMEWORK_CUDNN && !framework->cudnn))
			by_file(doctor, framework, line);
	}
	if (packages)
		by_packages(doctor, framework, packages);
}

/* Where a framework begins in the data, and whose directory is looked for. */
struct wanted {
	size_t line;
	const char *site;
	bool found;
};

static void found(struct gw_doctor *doctor, const char *path, void *context)
{
	struct wanted *wanted = context;
	struct gw_doctor_framework *framework;

	(void)path;
	if (wanted->found || !(framework = gw_doctor_more(doctor, &doctor->installed, &doctor->framework_count, sizeof *framework)))
		return;
	wanted->found = true;
	*framework = (struct gw_doctor_framework){.name = doctor->frameworks.line[wanted->line].word[0], .line = wanted->line, .site = wanted->site};
	examine(doctor, framework);
}

void gw_doctor_find_frameworks(struct gw_doctor *doctor)
{
	for (size_t s = 0; s < doctor->site_count; s++)
		for (size_t i = 0; i < doctor->frameworks.count; i++) {
			struct wanted wanted = {i, doctor->sites[s], false};

			if (doctor->frameworks.line[i].kind == GW_FRAMEWORK)
				gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/%s", doctor->sites[s], doctor->frameworks.line[i].word[1]), found, &wanted);
		}
}
