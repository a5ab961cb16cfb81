/* SPDX-License-Identifier: Apache-2.0 */
/* What was found as JSON (doctor.h): the copies, what frameworks get, and the table of all that carries 'the CUDA version'. */
#include "doctor.h"

#include <string.h>

/* The frameworks that get a file. */
static json_t *users_of(const struct gw_doctor *doctor, const char *real)
{
	json_t *all = json_array();

	for (size_t i = 0; i < doctor->framework_count; i++)
		for (size_t u = 0; u < doctor->installed[i].use_count; u++)
			if (doctor->installed[i].uses[u].real && strcmp(doctor->installed[i].uses[u].real, real) == 0) {
				json_array_append_new(all, json_string(doctor->installed[i].name));
				break;
			}
	return all;
}

json_t *gw_doctor_copies(struct gw_doctor *doctor)
{
	json_t *all = json_array();

	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *c = &doctor->copies[i];

		json_array_append_new(all, json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:s,s:o,s:b,s:o}", "family", c->family, "path", gw_doctor_text(c->path), "real",
						     gw_doctor_text(c->real), "soname", gw_doctor_text(c->soname), "release",
						     gw_doctor_text(c->release), "oldest", gw_doctor_text(c->oldest), "release_by", gw_doctor_evidence[c->evidence], "origin",
						     gw_doctor_text(c->origin), "wins", c->wins, "used_by", users_of(doctor, c->real)));
	}
	return all;
}

static json_t *use_of(const struct gw_doctor_use *use)
{
	const struct gw_doctor_copy *copy = use->copy;

	return json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s}", "soname", gw_doctor_text(use->soname), "family", use->family, "path", gw_doctor_text(use->path),
			 "real", gw_doctor_text(use->real), "release", gw_doctor_text(copy ? copy->release : NULL), "oldest", gw_doctor_text(copy ? copy->oldest : NULL),
			 "origin", gw_doctor_text(copy ? copy->origin : NULL), "found_by", gw_doctor_text(use->how), "needed_by", gw_doctor_text(use->by), "when",
			 use->later ? "later" : "import");
}

/* Where it is known from, how the framework loads. */
static json_t *sources(const struct gw_doctor *doctor, size_t line)
{
	json_t *all = json_array();

	for (size_t i = line + 1; i < doctor->frameworks.count && doctor->frameworks.line[i].kind != GW_FRAMEWORK; i++)
		if (doctor->frameworks.line[i].kind == GW_FRAMEWORK_SOURCE)
			json_array_append_new(all, gw_doctor_text(doctor->frameworks.line[i].word[0]));
	return all;
}

json_t *gw_doctor_frameworks(struct gw_doctor *doctor)
{
	json_t *all = json_array();

	for (size_t i = 0; i < doctor->framework_count; i++) {
		const struct gw_doctor_framework *f = &doctor->installed[i];
		json_t *uses = json_array();

		for (size_t u = 0; u < f->use_count; u++)
			json_array_append_new(uses, use_of(&f->uses[u]));
		json_array_append_new(all, json_pack("{s:s,s:o,s:o,s:{s:o,s:o,s:o,s:o},s:b,s:o,s:o}", "name", f->name, "version", gw_doctor_text(f->version), "site",
						     gw_doctor_text(f->site), "built_for", "cuda", gw_doctor_text(f->cuda), "cuda_from", gw_doctor_text(f->cuda_from),
						     "cudnn", gw_doctor_text(f->cudnn), "cudnn_from", gw_doctor_text(f->cudnn_from), "preloads", f->preloads, "sources",
						     sources(doctor, f->line), "uses", uses));
	}
	return all;
}

static void add_row(json_t *rows, const char *what, const char *version, const char *from, const char *matters)
{
	json_array_append_new(rows, json_pack("{s:s,s:o,s:o,s:s}", "what", what, "version", gw_doctor_text(version), "from",
					      gw_doctor_text(from), "matters", matters));
}

static const struct gw_doctor_use *runtime_of(const struct gw_doctor_framework *framework)
{
	for (size_t u = 0; u < framework->use_count; u++)
		if (strcmp(framework->uses[u].family, "cudart") == 0 && framework->uses[u].path)
			return &framework->uses[u];
	return NULL;
}

static bool is_loaded(const struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	for (size_t i = 0; i < doctor->framework_count; i++)
		for (size_t u = 0; u < doctor->installed[i].use_count; u++)
			if (doctor->installed[i].uses[u].real && strcmp(doctor->installed[i].uses[u].real, copy->real) == 0)
				return true;
	return false;
}

static void add_frameworks(struct gw_doctor *doctor, json_t *rows)
{
	for (size_t i = 0; i < doctor->framework_count; i++) {
		const struct gw_doctor_framework *f = &doctor->installed[i];
		const struct gw_doctor_use *runtime = runtime_of(f);
		const char *name = f->version ? gw_doctor_keep(doctor, "%s %s", f->name, f->version) : f->name;

		if (runtime)
			add_row(rows, "runtime loaded", runtime->copy && runtime->copy->release ? gw_doctor_release(doctor, runtime->copy) : NULL,
				gw_doctor_keep(doctor, "%s gets %s", name, runtime->path), "what runs; this is what the driver's maximum has to reach, and its GPU code is for");
		if (f->cuda)
			add_row(rows, "built for", f->cuda, gw_doctor_keep(doctor, "%s, by %s", name, f->cuda_from),
				"which libraries it wants: the first number has to be that of what is loaded");
	}
}

json_t *gw_doctor_versions(struct gw_doctor *doctor)
{
	json_t *rows = json_array();

	add_row(rows, "driver's maximum", doctor->driver_maximum,
		doctor->maximum_from ? doctor->maximum_from : "no driver that tells it was found; nvidia-smi says it at the top right",
		"the limit: a runtime of a newer first number does not start, one of a newer second number runs without new PTX");
	for (size_t i = 0; i < doctor->toolkit_count; i++)
		add_row(rows, "toolkit", doctor->toolkits[i].release, doctor->toolkits[i].path,
			doctor->toolkits[i].nvcc ? "what its nvcc builds for; not what others' programs run on" : "without nvcc, nothing is built with it");
	add_frameworks(doctor, rows);
	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *copy = &doctor->copies[i];
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = strcmp(doctor->copies[k].real, copy->real) == 0 && doctor->copies[k].wins == copy->wins;
		if (!again && strcmp(copy->family, "cudart") == 0 && (copy->wins || !is_loaded(doctor, copy)))
			add_row(rows, "runtime library", copy->release ? gw_doctor_release(doctor, copy) : NULL, copy->path,
				copy->wins ? "what ordinary programs of its name run on" : "what programs run on that are led to it");
	}
	for (size_t i = 0; i < doctor->package_count; i++) {
		const struct gw_doctor_package *p = &doctor->packages[i];
		const char *local = strstr(p->version, "+cu");
		bool known = false;

		for (size_t f = 0; f < doctor->framework_count; f++)
			known |= doctor->installed[f].package == p;
		if (local && !known)
			add_row(rows, "built for", local + 1, gw_doctor_keep(doctor, "%s %s", p->name, p->version), "what that package was built for");
	}
	return rows;
}
