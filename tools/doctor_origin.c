/* SPDX-License-Identifier: Apache-2.0 */
/* Where each copy comes from (doctor.h): a package of pip's, Debian's or conda's, by the lists of files that these keep, or a toolkit. */
#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JSON (8u << 20)

/* Gives the copies of the file PATH, where it is none of another package's, this origin. */
static void own(struct gw_doctor *doctor, const char *path, const char *kind, const char *package, int length, const char *version)
{
	const char *slash = strrchr(path, '/');
	char stem[64], real[PATH_MAX];

	if (!slash || !gw_doctor_family(slash + 1, stem) || !gw_doctor_resolve(doctor, path, real))
		return;
	for (size_t i = 0; i < doctor->copy_count; i++) {
		struct gw_doctor_copy *copy = &doctor->copies[i];

		if (!copy->origin && strcmp(copy->real, real) == 0)
			copy->origin = gw_doctor_keep(doctor, "%s %.*s%s%s", kind, length, package, *version ? " " : "", version);
	}
}

/* One of Debian's lists that is being read. */
struct list {
	struct gw_doctor *doctor;
	const char *package;
	int length;
};

static bool take_path(void *context, const char *path)
{
	struct list *list = context;

	own(list->doctor, path, "Debian", list->package, list->length, "");
	return false;
}

static void read_list(struct gw_doctor *doctor, const char *path, void *context)
{
	const char *base = strrchr(path, '/') + 1, *wrong;
	int name = (int)(strlen(base) - strlen(".list")), colon = (int)strcspn(base, ":");
	struct list list = {doctor, base, colon < name ? colon : name};
	FILE *stream = gw_doctor_stream(doctor, path);
	unsigned number;

	(void)context;
	if (!stream) {
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, errno == EINVAL ? "is no regular file" : strerror(errno));
		return;
	}
	wrong = gw_dpkg_list_read(stream, take_path, &list, &number);
	if (wrong)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%u: %s", path, number, wrong);
	fclose(stream);
}

/* Adds its version to the copies of an installed package. */
static void take_package(void *context, const char *package, const char *version)
{
	struct gw_doctor *doctor = context;

	for (size_t i = 0; i < doctor->copy_count; i++) {
		const char *origin = doctor->copies[i].origin;

		if (origin && strncmp(origin, "Debian ", 7) == 0 && strcmp(origin + 7, package) == 0)
			doctor->copies[i].origin = gw_doctor_keep(doctor, "%s %s", origin, version);
	}
}

static void read_status(struct gw_doctor *doctor, const char *path, void *context)
{
	FILE *stream = gw_doctor_stream(doctor, path);
	const char *wrong;
	unsigned number;

	(void)context;
	if (!stream) {
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, errno == EINVAL ? "is no regular file" : strerror(errno));
		return;
	}
	wrong = gw_dpkg_status_read(stream, take_package, doctor, &number);
	if (wrong)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%u: %s", path, number, wrong);
	fclose(stream);
}

static void read_conda(struct gw_doctor *doctor, const char *path, void *context)
{
	char *text = gw_doctor_read(doctor, path, MAX_JSON), error[256];
	struct gw_conda_package package = {0};
	json_t *item;
	size_t i;

	if (!text) {
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, strerror(errno));
		return;
	}
	/* Most packages of an environment have nothing of ours, and need not be parsed. */
	if ((strstr(text, "/libcu") || strstr(text, "/libnv") || strstr(text, "/libnccl")) && gw_conda_read(&package, text, error, sizeof error) != 0)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%s", path, error);
	free(text);
	json_array_foreach(package.files, i, item)
	{
		const char *file = json_string_value(item);
		char whole[PATH_MAX];

		if (file && snprintf(whole, sizeof whole, "%s/%s", (const char *)context, file) < (int)sizeof whole)
			own(doctor, whole, "conda", package.name, (int)strlen(package.name), package.version ? package.version : "");
	}
	json_decref(package.all);
}

/* A container's start mounts the machine's driver, file by file. */
static void by_mount(struct gw_doctor *doctor)
{
	char *text = gw_doctor_read(doctor, "/proc/self/mountinfo", MAX_JSON), *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *at = line, *field = NULL;

		/* the fifth field is where; the fourth, what of the other file system */
		for (size_t i = 0; i < 5; i++)
			field = strsep(&at, " ");
		for (size_t i = 0; field && i < doctor->copy_count; i++)
			if (!doctor->copies[i].origin && strcmp(doctor->copies[i].real, field) == 0)
				doctor->copies[i].origin = "mounted into the container";
	}
	free(text);
}

static void by_pip(struct gw_doctor *doctor, struct gw_doctor_copy *copy)
{
	const struct gw_doctor_record *record, *best = NULL;
	size_t count;

	record = gw_doctor_records(doctor, copy->real, &count);
	for (size_t i = 0; i < count; i++)
		if (!best || (best->wrong && !record[i].wrong))
			best = &record[i];
	if (best)
		copy->origin = gw_doctor_keep(doctor, "pip %s %s%s", doctor->packages[best->package].name, doctor->packages[best->package].version,
					      best->wrong ? ", changed" : "");
}

void gw_doctor_find_origins(struct gw_doctor *doctor)
{
	bool debian = false;

	if (!doctor->copy_count)
		return;
	by_mount(doctor);
	for (size_t i = 0; i < doctor->copy_count; i++)
		by_pip(doctor, &doctor->copies[i]);
	for (size_t i = 0; i < doctor->prefix_count; i++)
		gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/conda-meta/*.json", doctor->prefixes[i]), read_conda,
				(void *)(uintptr_t)doctor->prefixes[i]);
	gw_doctor_match(doctor, "/var/lib/dpkg/info/*.list", read_list, NULL);
	for (size_t i = 0; i < doctor->copy_count; i++)
		debian |= doctor->copies[i].origin && strncmp(doctor->copies[i].origin, "Debian ", 7) == 0;
	if (debian)
		gw_doctor_match(doctor, "/var/lib/dpkg/status", read_status, NULL);
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (!doctor->copies[i].origin && doctor->copies[i].toolkit)
			doctor->copies[i].origin = gw_doctor_keep(doctor, "toolkit %s", doctor->copies[i].toolkit);
}
