/* SPDX-License-Identifier: Apache-2.0 */
/* Toolkits under /usr/local, and the table of all that carries 'the CUDA version' (doctor.h). */
#include "doctor.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SMALL (1u << 20)

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

static void add_row(json_t *rows, const char *what, const char *version, const char *from, const char *matters)
{
	json_array_append_new(rows, json_pack("{s:s,s:o,s:o,s:s}", "what", what, "version", gw_doctor_text(version), "from",
					      gw_doctor_text(from), "matters", matters));
}

json_t *gw_doctor_versions(struct gw_doctor *doctor)
{
	json_t *rows = json_array();

	add_row(rows, "driver's maximum", doctor->driver_maximum,
		doctor->driver_maximum ? "the directory of the compat package" : "only the driver itself can say it: nvidia-smi, at the top right",
		"the newest CUDA that programs here may be built for");
	for (size_t i = 0; i < doctor->toolkit_count; i++)
		add_row(rows, "toolkit", doctor->toolkits[i].release, doctor->toolkits[i].path, "what nvcc of it builds for; not what runs");
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (strcmp(doctor->copies[i].family, "cudart") == 0)
			add_row(rows, "runtime library", doctor->copies[i].release, doctor->copies[i].path,
				doctor->copies[i].wins ? "what ordinary programs of its name run on" : "what programs run on that are led to it");
	for (size_t i = 0; i < doctor->package_count; i++) {
		const struct gw_doctor_package *p = &doctor->packages[i];
		const char *local = strstr(p->version, "+cu");

		if (strncmp(p->name, "nvidia-cuda-runtime", 19) == 0)
			add_row(rows, "wheel", p->version, p->name, "the runtime library that pip installed");
		else if (local)
			add_row(rows, "wheel", local + 1, gw_doctor_keep(doctor, "%s %s", p->name, p->version), "what that package was built for");
	}
	return rows;
}
