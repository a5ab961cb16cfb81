/* SPDX-License-Identifier: Apache-2.0 */
/* Where each copy comes from (doctor.h): a package of pip's, Debian's or conda's, by the lists of files that these keep, or a toolkit. */
#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINE 8192
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

static void read_list(struct gw_doctor *doctor, const char *path, void *context)
{
	const char *base = strrchr(path, '/') + 1;
	int file = gw_doctor_open(doctor, path, NULL), length = (int)(strlen(base) - strlen(".list"));
	FILE *stream = file < 0 ? NULL : fdopen(file, "r");
	char line[MAX_LINE];

	(void)context;
	if (file >= 0 && !stream)
		close(file);
	while (stream && fgets(line, sizeof line, stream)) {
		size_t end = strcspn(line, "\n");

		if (line[end] != '\n' && !feof(stream))
			break; /* no path is that long: this is no such list */
		line[end] = '\0';
		own(doctor, line, "Debian", base, (int)strcspn(base, ":") < length ? (int)strcspn(base, ":") : length, "");
	}
	if (stream)
		fclose(stream);
}

static void read_conda(struct gw_doctor *doctor, const char *path, void *context)
{
	char *text = gw_doctor_read(doctor, path, MAX_JSON);
	const char *name, *version;
	json_error_t error;
	json_t *all, *item;
	size_t i;

	if (!text) {
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, strerror(errno));
		return;
	}
	/* Most packages of an environment have nothing of ours, and need not be parsed. */
	all = strstr(text, "/libcu") || strstr(text, "/libnv") || strstr(text, "/libnccl") ? gw_doctor_parse(text, &error) : json_object();
	free(text);
	if (!all) {
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%d: %s", path, error.line, error.text);
		return;
	}
	name = json_string_value(json_object_get(all, "name"));
	version = json_string_value(json_object_get(all, "version"));
	json_array_foreach(json_object_get(all, "files"), i, item)
	{
		const char *file = json_string_value(item);
		char whole[PATH_MAX];

		if (name && file && snprintf(whole, sizeof whole, "%s/%s", (const char *)context, file) < (int)sizeof whole)
			own(doctor, whole, "conda", name, (int)strlen(name), version ? version : "");
	}
	json_decref(all);
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
	if (!doctor->copy_count)
		return;
	for (size_t i = 0; i < doctor->copy_count; i++)
		by_pip(doctor, &doctor->copies[i]);
	for (size_t i = 0; i < doctor->prefix_count; i++)
		gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/conda-meta/*.json", doctor->prefixes[i]), read_conda,
				(void *)(uintptr_t)doctor->prefixes[i]);
	gw_doctor_match(doctor, "/var/lib/dpkg/info/*.list", read_list, NULL);
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (!doctor->copies[i].origin && doctor->copies[i].toolkit)
			doctor->copies[i].origin = gw_doctor_keep(doctor, "toolkit %s", doctor->copies[i].toolkit);
}
