/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong between copies and what lies around them (doctor.h): headers of another release, and a winner that nobody meant. */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include "abi_guess.h"

#define HEADER (8u << 20)

static void check_headers(struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	const struct gw_family_rule *rule = NULL;
	char host[PATH_MAX], version[64];

	if (copy->changed || copy->evidence > GW_DOCTOR_CONTENTS || (strcmp(copy->stem, "libcublas") != 0 && strcmp(copy->stem, "libcudnn") != 0))
		return;
	for (size_t r = 0; r < doctor->rules.count; r++)
		if (strcmp(doctor->rules.rule[r].name, copy->family) == 0)
			rule = &doctor->rules.rule[r];
	if (rule && gw_loader_host(&doctor->scan.loader, copy->real, host) == 0 &&
	    gw_guess_headers(host, rule, version, sizeof version) && gw_release_compare(version, copy->release) != 0)
		gw_doctor_find(doctor, GW_FINDING_HEADERS_OTHER, NULL, "the headers beside %s are of %s %s, and it is of %s", copy->path, copy->family,
			       version, copy->release);
}

/* The runtime's own headers count as cudart's: `#define CUDART_VERSION 12040`. */
static void check_runtime_headers(struct gw_doctor *doctor, const struct gw_doctor_toolkit *toolkit)
{
	const char *path = gw_doctor_keep(doctor, "%s/include/cuda_runtime_api.h", toolkit->path), *version;
	char *text = gw_doctor_read(doctor, path, HEADER);
	unsigned long number = text ? gw_version_define(text, "CUDART_VERSION") : 0;

	free(text);
	if (!number)
		return;
	version = gw_doctor_keep(doctor, "%lu.%lu", number / 1000, number % 1000 / 10);
	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *copy = &doctor->copies[i];

		if (!copy->toolkit || strcmp(copy->toolkit, toolkit->path) != 0 || strcmp(copy->family, "cudart") != 0 || copy->evidence > GW_DOCTOR_CONTENTS ||
		    gw_release_compare(version, copy->release) == 0)
			continue;
		gw_doctor_find(doctor, GW_FINDING_HEADERS_OTHER, NULL, "the headers beside %s are of cudart %s, and it is of %s", copy->path, version, copy->release);
		return;
	}
}

static const struct gw_doctor_copy *winner_of(const struct gw_doctor *doctor, const char *soname)
{
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (doctor->copies[i].wins && gw_doctor_is_named(&doctor->copies[i]) && strcmp(doctor->copies[i].soname, soname) == 0)
			return &doctor->copies[i];
	return NULL;
}

/* Is COPY shadowed by a winner of another release? Copies of the driver are not alternatives to each other. */
static const struct gw_doctor_copy *shadowing(const struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	const struct gw_doctor_copy *winner = gw_doctor_is_named(copy) && !copy->wins && strcmp(copy->family, "driver") ? winner_of(doctor, copy->soname) : NULL;

	return winner && strcmp(winner->directory, copy->directory) != 0 && gw_doctor_differ(copy, winner) ? winner : NULL;
}

/* The first of those that the same two directories shadow tells for all; MORE: how many others there are. */
static bool is_first(const struct gw_doctor *doctor, const struct gw_doctor_copy *copy, const struct gw_doctor_copy *winner, size_t *more)
{
	*more = 0;
	for (size_t i = 0; i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *other = &doctor->copies[i], *its = other->shadow;

		if (!its || other == copy || strcmp(other->directory, copy->directory) != 0 || strcmp(its->directory, winner->directory) != 0)
			continue;
		if (other < copy)
			return false;
		++*more;
	}
	return true;
}

static bool is_current(const struct gw_doctor *doctor, const char *toolkit)
{
	for (size_t i = 0; toolkit && i < doctor->toolkit_count; i++)
		if (strcmp(doctor->toolkits[i].path, toolkit) == 0)
			return doctor->toolkits[i].current;
	return false;
}

static void check_winner(struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	const struct gw_doctor_copy *winner = copy->shadow;
	const char *how, *others = "";
	size_t more;

	if (!winner || (!copy->site && !(winner->toolkit && is_current(doctor, copy->toolkit))) || !is_first(doctor, copy, winner, &more))
		return;
	if (more)
		others = gw_doctor_keep(doctor, " (and %zu more)", more);
	gw_doctor_winner(doctor, copy->soname, &how);
	if (copy->site)
		gw_doctor_find(doctor, GW_FINDING_SHADOWED, NULL, "%s%s of an ordinary program is %s, release %s, found by %s; %s has %s, release %s",
			       copy->soname, others, winner->path, gw_doctor_release(doctor, winner), how, copy->site, copy->path, gw_doctor_release(doctor, copy));
	else
		gw_doctor_find(doctor, GW_FINDING_TOOLKIT_OTHER, NULL, "%s%s of an ordinary program is %s, release %s, found by %s; /usr/local/cuda is %s, with release %s",
			       copy->soname, others, winner->path, gw_doctor_release(doctor, winner), how, copy->toolkit, gw_doctor_release(doctor, copy));
}

void gw_doctor_faults(struct gw_doctor *doctor)
{
	gw_doctor_check_sets(doctor);
	for (size_t i = 0; i < doctor->copy_count; i++)
		doctor->copies[i].shadow = shadowing(doctor, &doctor->copies[i]);
	for (size_t i = 0; i < doctor->copy_count; i++) {
		check_headers(doctor, &doctor->copies[i]);
		check_winner(doctor, &doctor->copies[i]);
	}
	for (size_t i = 0; i < doctor->toolkit_count; i++)
		check_runtime_headers(doctor, &doctor->toolkits[i]);
	gw_doctor_check_partners(doctor);
	gw_doctor_check_suits(doctor);
}
