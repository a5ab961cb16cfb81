/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that have to come from one release and directory (doctor.h): the parts of cuDNN, libcublas and libcublasLt. */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

bool gw_doctor_differ(const struct gw_doctor_copy *a, const struct gw_doctor_copy *b)
{
	if (a->evidence > GW_DOCTOR_EXPORTS || b->evidence > GW_DOCTOR_EXPORTS)
		return false;
	return gw_release_compare(a->release, b->oldest) < 0 || gw_release_compare(b->release, a->oldest) < 0;
}

bool gw_doctor_is_named(const struct gw_doctor_copy *copy)
{
	return copy->soname && strcmp(strrchr(copy->path, '/') + 1, copy->soname) == 0;
}

const char *gw_doctor_release(struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	if (strcmp(copy->release, copy->oldest) == 0)
		return copy->release;
	return gw_doctor_keep(doctor, "%s to %s", copy->oldest, copy->release);
}

/* "9" of "libcudnn_ops.so.9". */
static const char *major_of(const struct gw_doctor_copy *copy)
{
	return strrchr(copy->soname, '.');
}

static const struct gw_doctor_copy *beside(const struct gw_doctor *doctor, const struct gw_doctor_copy *copy, const char *soname)
{
	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *other = &doctor->copies[i];

		if (gw_doctor_is_named(other) && strcmp(other->directory, copy->directory) == 0 && strcmp(other->soname, soname) == 0)
			return other;
	}
	return NULL;
}

static void check_parts(struct gw_doctor *doctor, const struct gw_doctor_copy *front)
{
	for (size_t i = 0; i < doctor->copy_count; i++) {
		struct gw_doctor_copy *part = &doctor->copies[i];

		if (strcmp(part->family, "cudnn") != 0 || !gw_doctor_is_named(part) || strcmp(part->directory, front->directory) != 0 ||
		    strcmp(major_of(part), major_of(front)) != 0 || !gw_doctor_differ(front, part))
			continue;
		part->blamed = true;
		/* One is enough to say that the set is mixed. */
		gw_doctor_find(doctor, GW_FINDING_CUDNN_MIXED, NULL, "%s is of cuDNN %s, and %s beside it of %s", front->path,
			       gw_doctor_release(doctor, front), part->soname, gw_doctor_release(doctor, part));
		return;
	}
}

/* Does a release that FRONT may be of have the library SONAME? All of those that have FRONT's soname, where its own is not known. */
static bool required(const struct abi_family *family, const struct gw_doctor_copy *front, const struct abi_fact *fact)
{
	int known = front->evidence <= GW_DOCTOR_EXPORTS ? abi_family_release(family, front->release) : -1;
	bool any = false;

	if (known >= 0)
		return abi_set_has(&fact->releases, (size_t)known);
	for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++) {
		if (strcmp(family->facts[f].column[0], front->soname) != 0)
			continue;
		for (size_t r = 0; r < family->release_count; r++) {
			if (!abi_set_has(&family->facts[f].releases, r))
				continue;
			if (!abi_set_has(&fact->releases, r))
				return false;
			any = true;
		}
	}
	return any;
}

/*
 * A front library that a repaired wheel bundles under a name with a hash opens its parts by their own names all the same, and finds those
 * that the loader or its Python environment has.
 */
static bool has_part(const struct gw_doctor *doctor, const struct gw_doctor_copy *front, const char *soname)
{
	bool bundled = strncmp(front->soname, "libcudnn.so.", 12) != 0;

	if (beside(doctor, front, soname) || (bundled && strncmp(soname, "libcudnn.so.", 12) == 0))
		return true;
	for (size_t i = 0; bundled && i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *part = &doctor->copies[i];
		size_t length = strlen(part->stem);

		if (part->soname && strcmp(part->soname, soname) == 0 && (part->wins || (part->site && front->site && !strcmp(part->site, front->site))))
			return true;
		/* the parts were bundled, too */
		if (strcmp(part->directory, front->directory) == 0 && strncmp(soname, part->stem, length) == 0 && soname[length] == '.')
			return true;
	}
	return false;
}

static const char bundled_remedy[] = "install the cuDNN package of its release, and name that directory in LD_LIBRARY_PATH";

static void check_whole(struct gw_doctor *doctor, const struct gw_doctor_copy *front)
{
	const struct abi_family *family = abi_db_family(&doctor->scan.db, "cudnn");
	const char *lacking = "";

	/* conda's variant without the precompiled engines is meant to be so */
	if (!family || (front->origin && strstr(front->origin, "-jit")))
		return;
	for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++) {
		const struct abi_fact *fact = &family->facts[f];

		if (required(family, front, fact) && !has_part(doctor, front, fact->column[0]))
			lacking = gw_doctor_keep(doctor, "%s%s%s", lacking, *lacking ? ", " : "", fact->column[0]);
	}
	if (*lacking)
		gw_doctor_find(doctor, GW_FINDING_CUDNN_INCOMPLETE, strncmp(front->soname, "libcudnn.so.", 12) == 0 ? NULL : bundled_remedy,
			       "%s lacks beside it: %s", front->path, lacking);
}

static void check_pair(struct gw_doctor *doctor, const struct gw_doctor_copy *front)
{
	const struct gw_doctor_copy *partner = beside(doctor, front, gw_doctor_keep(doctor, "libcublasLt.so%s", major_of(front)));

	if (partner && gw_doctor_differ(front, partner))
		gw_doctor_find(doctor, GW_FINDING_CUBLAS_MIXED, NULL, "%s is of release %s, and %s beside it of %s", front->path,
			       gw_doctor_release(doctor, front), partner->soname, gw_doctor_release(doctor, partner));
}

void gw_doctor_check_sets(struct gw_doctor *doctor)
{
	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *copy = &doctor->copies[i];

		if (!gw_doctor_is_named(copy))
			continue;
		if (strcmp(copy->stem, "libcudnn") == 0) {
			check_parts(doctor, copy);
			check_whole(doctor, copy);
		} else if (strcmp(copy->stem, "libcublas") == 0) {
			check_pair(doctor, copy);
		}
	}
}
