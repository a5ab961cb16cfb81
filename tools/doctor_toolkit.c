/* SPDX-License-Identifier: Apache-2.0 */
/* Toolkits under /usr/local (doctor.h). */
#include "doctor.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SMALL (1u << 20)
#define HEADER (8u << 20)

typedef int reader(const char *text, char release[GW_RELEASE_SIZE], char *error, size_t error_size);

/* What a file says of its toolkit's release; NULL. */
static const char *read_version(struct gw_doctor *doctor, const char *path, reader *read)
{
	char *text = gw_doctor_read(doctor, path, SMALL), release[GW_RELEASE_SIZE], error[256];
	bool found;

	if (!text) {
		if (errno != ENOENT && errno != ENOTDIR)
			gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, strerror(errno));
		return NULL;
	}
	found = read(text, release, error, sizeof error) == 0;
	if (!found)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%s", path, error);
	free(text);
	return found ? gw_doctor_keep(doctor, "%s", release) : NULL;
}

/* Without a version file, as in some packages, the headers tell: `#define CUDA_VERSION 12040`. */
static void by_header(struct gw_doctor *doctor, struct gw_doctor_toolkit *toolkit)
{
	const char *path = gw_doctor_keep(doctor, "%s/include/cuda.h", toolkit->path);
	char *text = gw_doctor_read(doctor, path, HEADER);
	unsigned long version = text ? gw_version_define(text, "CUDA_VERSION") : 0;

	if (version) {
		toolkit->release = gw_doctor_keep(doctor, "%lu.%lu", version / 1000, version % 1000 / 10);
		toolkit->version_file = path;
	}
	free(text);
}

static void add(struct gw_doctor *doctor, const char *path, void *context)
{
	char real[PATH_MAX], file[PATH_MAX + 32], ignored[PATH_MAX];
	struct gw_doctor_toolkit *toolkit = NULL;

	(void)context;
	if (!gw_doctor_resolve(doctor, path, real))
		return;
	for (size_t i = 0; i < doctor->toolkit_count; i++)
		if (strcmp(doctor->toolkits[i].path, real) == 0)
			toolkit = &doctor->toolkits[i];
	if (!toolkit) {
		bool whole = false;

		for (size_t i = 0; i < 3; i++) {
			static const char *const marks[] = {"lib64", "bin", "include"};

			snprintf(file, sizeof file, "%s/%s", real, marks[i]);
			whole |= gw_doctor_resolve(doctor, file, ignored);
		}
		if (!whole || !(toolkit = gw_doctor_more(doctor, &doctor->toolkits, &doctor->toolkit_count, sizeof *toolkit)))
			return;
		toolkit->path = gw_doctor_keep(doctor, "%s", real);
		toolkit->names = "";
		toolkit->version_file = gw_doctor_keep(doctor, "%s/version.json", real);
		toolkit->release = read_version(doctor, toolkit->version_file, gw_version_json);
		if (!toolkit->release) {
			toolkit->version_file = gw_doctor_keep(doctor, "%s/version.txt", real);
			toolkit->release = read_version(doctor, toolkit->version_file, gw_version_text);
		}
		if (!toolkit->release)
			by_header(doctor, toolkit);
		snprintf(file, sizeof file, "%s/bin/nvcc", real);
		toolkit->nvcc = gw_doctor_resolve(doctor, file, ignored);
	}
	if (strcmp(path, real) != 0)
		toolkit->names = gw_doctor_keep(doctor, "%s%s%s", toolkit->names, *toolkit->names ? ", " : "", path);
	toolkit->current |= strcmp(path, "/usr/local/cuda") == 0;
}

void gw_doctor_find_toolkits(struct gw_doctor *doctor)
{
	gw_doctor_match(doctor, "/usr/local/cuda*", add, NULL);
}

json_t *gw_doctor_toolkits(struct gw_doctor *doctor)
{
	json_t *all = json_array();

	for (size_t i = 0; i < doctor->toolkit_count; i++) {
		const struct gw_doctor_toolkit *t = &doctor->toolkits[i];

		json_array_append_new(all, json_pack("{s:o,s:o,s:o,s:o,s:b,s:b}", "path", gw_doctor_text(t->path), "names",
						     gw_doctor_text(t->names), "release", gw_doctor_text(t->release), "from",
						     gw_doctor_text(t->release ? t->version_file : NULL), "nvcc", t->nvcc, "current",
						     t->current));
	}
	return all;
}
