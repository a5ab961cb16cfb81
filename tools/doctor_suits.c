/* SPDX-License-Identifier: Apache-2.0 */
/* Does what is installed run on this driver, and do frameworks get what they need (doctor.h)? */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

/* "12.4" of "12.4.127". */
static const char *two_parts(struct gw_doctor *doctor, const char *release)
{
	size_t first = strcspn(release, "."), second = release[first] ? strcspn(release + first + 1, ".") : 0;

	return gw_doctor_keep(doctor, "%.*s", (int)(first + (second ? 1 + second : 0)), release);
}

/* A runtime, whom it is for, and where from. One finding for each release. */
struct runtime {
	const char *release, *whose;
};

static void tell_runtime(struct gw_doctor *doctor, const struct runtime *runtime, size_t more)
{
	const char *release = two_parts(doctor, runtime->release), *within = gw_table_within(&doctor->table, release);
	const char *driver = doctor->driver ? doctor->driver : doctor->module, *needed = gw_table_driver(&doctor->table, release);
	const char *others = more ? gw_doctor_keep(doctor, " (and %zu more)", more) : "";

	if (within && driver && gw_release_compare(driver, within) >= 0)
		gw_doctor_find(doctor, GW_FINDING_DRIVER_MINOR, NULL, "%s%s runs CUDA %s, and the driver's maximum is %s (%s)", runtime->whose, others, release,
			       doctor->driver_maximum, doctor->maximum_from);
	else
		gw_doctor_find(doctor, GW_FINDING_DRIVER_OLD,
			       needed || within ? gw_doctor_keep(doctor, "install driver %s or newer, or the CUDA %s build of that program", within ? within : needed,
								 doctor->driver_maximum)
						: NULL,
			       "%s%s runs CUDA %s, and the driver's maximum is %s (%s)", runtime->whose, others, release, doctor->driver_maximum, doctor->maximum_from);
}

static void add_runtime(struct gw_doctor *doctor, struct runtime **all, size_t *count, const struct gw_doctor_copy *copy, const char *whose)
{
	struct runtime *more;

	if (!copy || copy->evidence > GW_DOCTOR_CONTENTS || gw_release_compare(two_parts(doctor, copy->release), doctor->driver_maximum) <= 0)
		return;
	more = gw_doctor_more(doctor, all, count, sizeof *more);
	if (more)
		*more = (struct runtime){copy->release, whose};
}

/* Runtimes that somebody here runs on: frameworks, ordinary programs, other programs of an environment, and those that nvcc links. */
static void check_driver(struct gw_doctor *doctor)
{
	struct runtime *all = NULL;
	size_t count = 0;

	if (!doctor->driver_maximum || doctor->driver_newer)
		return;
	for (size_t i = 0; i < doctor->framework_count; i++)
		for (size_t u = 0; u < doctor->installed[i].use_count; u++)
			if (strcmp(doctor->installed[i].uses[u].family, "cudart") == 0)
				add_runtime(doctor, &all, &count, doctor->installed[i].uses[u].copy,
					    gw_doctor_keep(doctor, "%s, with %s,", doctor->installed[i].name, doctor->installed[i].uses[u].path));
	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *copy = &doctor->copies[i];

		if (strcmp(copy->family, "cudart") == 0 && (copy->wins || copy->site))
			add_runtime(doctor, &all, &count, copy, gw_doctor_keep(doctor, copy->wins ? "an ordinary program, with %s," : "a program that is led to %s", copy->path));
	}
	for (size_t i = 0; i < doctor->toolkit_count; i++)
		for (size_t k = 0; doctor->toolkits[i].current && doctor->toolkits[i].nvcc && k < doctor->copy_count; k++)
			if (doctor->copies[k].toolkit && strcmp(doctor->copies[k].family, "cudart") == 0 && strcmp(doctor->copies[k].toolkit, doctor->toolkits[i].path) == 0)
				add_runtime(doctor, &all, &count, &doctor->copies[k], gw_doctor_keep(doctor, "what nvcc of %s builds", doctor->toolkits[i].path));
	for (size_t i = 0; i < count; i++) {
		const char *release = two_parts(doctor, all[i].release);
		size_t more = 0;
		bool told = false;

		for (size_t k = 0; k < count; k++) {
			bool same = strcmp(two_parts(doctor, all[k].release), release) == 0;

			told |= same && k < i;
			more += same && k > i;
		}
		if (!told)
			tell_runtime(doctor, &all[i], more);
	}
	free(all);
}

static const char *remedy_of(struct gw_doctor *doctor, const char *soname)
{
	const struct abi_family *family = gw_scan_family(&doctor->scan.db, soname);
	const char *release = NULL, *remedy = NULL;
	char *package;

	for (size_t f = family ? family->first[ABI_SONAME] : 0; family && f < family->first[ABI_SONAME + 1]; f++)
		for (size_t r = 0; strcmp(family->facts[f].column[0], soname) == 0 && r < family->release_count; r++)
			if (abi_set_has(&family->facts[f].releases, r))
				release = family->releases[r].version;
	package = release ? gw_scan_package(family, release) : NULL;
	if (package && *package && *package != '-')
		remedy = gw_doctor_keep(doctor, "install what holds it (pip install %s), or start with gangway run where a newer release is installed", package);
	free(package);
	return remedy;
}

/* Is it a library that is there instead of the right one? */
static bool is_blamed(const struct gw_doctor *doctor, const char *path)
{
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (strcmp(doctor->copies[i].path, path) == 0 && (doctor->copies[i].blamed || doctor->copies[i].changed))
			return true;
	return false;
}

static void check_framework(struct gw_doctor *doctor, const struct gw_doctor_framework *framework)
{
	const char *now = "", *later = "", *first_now = NULL, *first_later = NULL, *by = "", *asked = "";

	for (size_t u = 0; u < framework->use_count; u++) {
		const struct gw_doctor_use *use = &framework->uses[u];

		if (use->path || strcmp(use->family, "driver") == 0 || is_blamed(doctor, use->by))
			continue;
		if (use->later) {
			later = gw_doctor_keep(doctor, "%s%s%s", later, *later ? ", " : "", use->soname);
			asked = first_later ? asked : use->by;
			first_later = first_later ? first_later : use->soname;
		} else {
			now = gw_doctor_keep(doctor, "%s%s%s", now, *now ? ", " : "", use->soname);
			by = first_now ? by : use->by;
			first_now = first_now ? first_now : use->soname;
		}
	}
	if (first_now)
		gw_doctor_find(doctor, GW_FINDING_FRAMEWORK_LACKS, remedy_of(doctor, first_now), "%s of %s would not find %s, which %s needs", framework->name,
			       framework->site, now, by);
	/* Without a driver it is meant to run on the processor. */
	if (first_later && (doctor->module || doctor->driver_kind))
		gw_doctor_find(doctor, GW_FINDING_FRAMEWORK_CPU, remedy_of(doctor, first_later), "%s of %s would not find %s, which %s wants", framework->name,
			       framework->site, later, asked);
}

/* What a framework was built for, and gets older. */
static void check_age(struct gw_doctor *doctor, const struct gw_doctor_framework *framework)
{
	for (size_t u = 0; framework->cudnn && u < framework->use_count; u++) {
		const struct gw_doctor_copy *copy = framework->uses[u].copy;

		if (!copy || strcmp(copy->stem, "libcudnn") != 0 || copy->evidence > GW_DOCTOR_EXPORTS || !copy->release)
			continue;
		if (gw_release_compare(copy->release, framework->cudnn) < 0)
			gw_doctor_find(doctor, GW_FINDING_FRAMEWORK_OLDER, NULL, "%s of %s was built for cuDNN %s (%s), and gets %s, which is %s, by %s", framework->name,
				       framework->site, framework->cudnn, framework->cudnn_from, framework->uses[u].path, gw_doctor_release(doctor, copy),
				       framework->uses[u].how);
		return;
	}
}

void gw_doctor_check_suits(struct gw_doctor *doctor)
{
	check_driver(doctor);
	for (size_t i = 0; i < doctor->framework_count; i++) {
		check_framework(doctor, &doctor->installed[i]);
		check_age(doctor, &doctor->installed[i]);
		gw_doctor_check_nccl(doctor, &doctor->installed[i]);
		gw_doctor_check_kernels(doctor, &doctor->installed[i]);
	}
}
