/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that call each other by private functions, and come from different places (doctor.h): which partner each copy would really get,
 * in the frameworks that use it, else by itself; and the table of which libcublas works on which libcublasLt.
 */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include "loader_map.h"

#define MAX_PAIRS 1024

/* One library on another. */
struct pair {
	const struct gw_doctor_copy *library, *on;
	const char *how, *who; /* how ON is found; in which framework, or NULL */
	size_t lacks;
	const char *first; /* of the functions that ON lacks */
};

static bool exports(const struct gw_elf *elf, const struct gw_elf_import *import)
{
	struct gw_elf_version version = {0};
	struct gw_elf_query query;
	uint32_t index;

	if (import->node) {
		gw_elf_query_init(&query, import->node, NULL);
		version.node = import->node;
		version.hash = query.old_hash;
	}
	gw_elf_query_init(&query, import->name, import->node && elf->define_count ? &version : NULL);
	query.plt = true;
	return gw_elf_find(elf, &query, &index) != GW_ELF_ABSENT;
}

/* Counts what LIBRARY imports of ON's soname and ON does not export. */
static void compare(struct gw_doctor *doctor, struct pair *pair)
{
	struct gw_file *library = gw_loader_file(&doctor->scan.loader, pair->library->real), *on = gw_loader_file(&doctor->scan.loader, pair->on->real);

	if (!library || library->status || !on || on->status || gw_elf_list_imports(&library->elf) != 0)
		return;
	for (size_t i = 0; i < library->elf.import_count; i++) {
		const struct gw_elf_import *import = &library->elf.imports[i];

		if (import->weak || !import->file || !pair->on->soname || strcmp(import->file, pair->on->soname) != 0 || exports(&on->elf, import))
			continue;
		pair->first = pair->first ? pair->first : gw_doctor_keep(doctor, "%s", import->name);
		pair->lacks++;
	}
}

/* By the soname; a cuDNN that a wheel brings has one of its own. */
static const char *suite_of(const struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	if (strcmp(copy->family, "cudnn") == 0)
		return copy->family;
	return copy->soname ? gw_scan_suite(&doctor->scan.db, copy->soname) : NULL;
}

static bool same_suite(const struct gw_doctor *doctor, const struct gw_doctor_copy *a, const struct gw_doctor_copy *b)
{
	const char *x = suite_of(doctor, a), *y = suite_of(doctor, b);

	return x && y && strcmp(x, y) == 0;
}

/* Is it a pair that fails? One directory's own are told as a mixed set (doctor_sets.c). */
static bool fails(struct gw_doctor *doctor, struct pair *pair)
{
	bool private_place = pair->who || pair->library->site || (pair->library->origin && strncmp(pair->library->origin, "conda ", 6) == 0);

	if (strcmp(pair->library->directory, pair->on->directory) == 0 && same_suite(doctor, pair->library, pair->on))
		return false;
	/* Who is led to a toolkit by LD_LIBRARY_PATH gets all of it there. Environments' libraries are opened by their paths. */
	if (!private_place && strcmp(pair->how, gw_rule_name(GW_RULE_LIBRARY_PATH)) == 0)
		return false;
	compare(doctor, pair);
	return pair->lacks || (same_suite(doctor, pair->library, pair->on) && gw_doctor_differ(pair->library, pair->on));
}

static void add_pair(struct gw_doctor *doctor, struct pair **pairs, size_t *count, struct pair pair)
{
	struct pair *more;

	if (*count >= MAX_PAIRS || !fails(doctor, &pair) || !(more = gw_doctor_more(doctor, pairs, count, sizeof *more)))
		return;
	*more = pair;
}

static const char *release_of(struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	return copy->release ? gw_doctor_keep(doctor, "release %s", gw_doctor_release(doctor, copy)) : "an unknown release";
}

/* What a framework meets before what a library by itself would, and what lacks functions before what does not. */
static int rank(const struct pair *pair)
{
	return (pair->who ? 2 : 0) + (pair->lacks > 0);
}

/* The first of those between the same two directories tells for all. */
static bool is_first(const struct pair *pairs, size_t count, size_t i, size_t *more)
{
	*more = 0;
	for (size_t k = 0; k < count; k++) {
		const struct pair *a = &pairs[i], *b = &pairs[k];

		if (k == i || strcmp(a->library->directory, b->library->directory) != 0 || strcmp(a->on->directory, b->on->directory) != 0)
			continue;
		if (rank(b) > rank(a) || (rank(b) == rank(a) && k < i))
			return false;
		++*more;
	}
	return true;
}

static void tell(struct gw_doctor *doctor, const struct pair *pair, size_t more)
{
	const char *others = more ? gw_doctor_keep(doctor, " (and %zu more)", more) : "";
	const char *why = "and their private calls differ", *plural = pair->lacks == 1 ? "" : "s";

	if (pair->lacks)
		why = gw_doctor_keep(doctor, "which lacks %zu function%s that it calls, such as %s", pair->lacks, plural, pair->first);
	gw_doctor_find(doctor, GW_FINDING_PARTNERS_CROSS,
		       strcmp(pair->library->directory, pair->on->directory) == 0 ? NULL
		       : strcmp(pair->library->family, "cudnn") == 0 && pair->library->soname && strncmp(pair->library->soname, "libcudnn-", 9) == 0
			       ? gw_doctor_keep(doctor, "install the cuDNN package of its release, and put that directory before all else in LD_LIBRARY_PATH")
			       : gw_doctor_keep(doctor, "put %s before all else in LD_LIBRARY_PATH, or take %s out of it", pair->library->directory, pair->on->directory),
		       "%s%s, %s, would get %s, %s, found by %s%s%s, %s", pair->library->path, others, release_of(doctor, pair->library), pair->on->path,
		       release_of(doctor, pair->on), pair->how, pair->who ? " in " : "", pair->who ? pair->who : "", why);
}

static bool is_used(const struct gw_doctor *doctor, const struct gw_doctor_copy *copy)
{
	for (size_t f = 0; f < doctor->framework_count; f++)
		for (size_t u = 0; u < doctor->installed[f].use_count; u++)
			if (doctor->installed[f].uses[u].copy && strcmp(doctor->installed[f].uses[u].copy->real, copy->real) == 0)
				return true;
	return false;
}

/* What one library would be with in its framework's process. */
static void in_framework(struct gw_doctor *doctor, const struct gw_doctor_framework *framework, struct pair **pairs, size_t *count)
{
	for (size_t a = 0; a < framework->use_count; a++) {
		const struct gw_doctor_copy *library = framework->uses[a].copy;
		struct gw_file *file = library ? gw_loader_file(&doctor->scan.loader, library->real) : NULL;

		/* cuDNN's front opens its parts by name: nothing of theirs stands in it */
		for (size_t b = 0; library && strcmp(library->stem, "libcudnn") == 0 && b < framework->use_count; b++) {
			const struct gw_doctor_copy *part = framework->uses[b].copy;

			if (part && part != library && strncmp(part->stem, "libcudnn_", 9) == 0)
				add_pair(doctor, pairs, count, (struct pair){library, part, framework->uses[b].how, framework->name, 0, NULL});
		}
		for (size_t i = 0; file && !file->status && i < file->elf.needed_count; i++)
			for (size_t b = 0; b < framework->use_count; b++)
				if (framework->uses[b].copy && strcmp(framework->uses[b].soname, file->elf.needed[i]) == 0)
					add_pair(doctor, pairs, count, (struct pair){library, framework->uses[b].copy, framework->uses[b].how, framework->name, 0, NULL});
	}
}

static const struct gw_doctor_copy *copy_of(const struct gw_doctor *doctor, const char *path)
{
	const struct gw_doctor_copy *found = NULL;
	char real[PATH_MAX];

	if (!gw_doctor_resolve(doctor, path, real))
		return NULL;
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (strcmp(doctor->copies[i].real, real) == 0 && (!found || strcmp(doctor->copies[i].path, path) == 0))
			found = &doctor->copies[i];
	return found;
}

/* What it gets where it is opened by itself, as by a program that knows its path. */
static void by_itself(struct gw_doctor *doctor, const struct gw_doctor_copy *library, struct pair **pairs, size_t *count)
{
	char error[1024];
	struct gw_map map;

	if (gw_map_program(&map, &doctor->scan.loader, library->path, error, sizeof error) != 0)
		return; /* what it cannot be read for is told already */
	for (size_t i = 0; i < map.all.object[0]->file->elf.needed_count; i++) {
		const struct gw_mapped *object = map.all.object[0]->needs[i].object;
		const struct gw_doctor_copy *on = object ? copy_of(doctor, object->file->path) : NULL;
		const char *how = object ? gw_doctor_how(doctor, object->rule, object->owner) : NULL;

		if (on)
			add_pair(doctor, pairs, count, (struct pair){library, on, how, NULL, 0, NULL});
	}
	gw_map_finish(&map);
}

static void blame(struct gw_doctor *doctor, const struct gw_doctor_copy *wrong)
{
	for (size_t i = 0; i < doctor->copy_count; i++)
		doctor->copies[i].blamed |= strcmp(doctor->copies[i].real, wrong->real) == 0;
}

void gw_doctor_check_partners(struct gw_doctor *doctor)
{
	struct pair *pairs = NULL;
	size_t count = 0, more;

	for (size_t f = 0; f < doctor->framework_count; f++)
		in_framework(doctor, &doctor->installed[f], &pairs, &count);
	for (size_t i = 0; i < doctor->copy_count; i++)
		if (gw_doctor_is_named(&doctor->copies[i]) && strcmp(doctor->copies[i].family, "driver") != 0 && !is_used(doctor, &doctor->copies[i]))
			by_itself(doctor, &doctor->copies[i], &pairs, &count);
	for (size_t i = 0; i < count; i++)
		blame(doctor, pairs[i].on);
	for (size_t i = 0; i < count; i++)
		if (is_first(pairs, count, i, &more))
			tell(doctor, &pairs[i], more);
	free(pairs);
	gw_loader_forget(&doctor->scan.loader);
}

/* Is it the first of the copies of its file? */
static bool is_own(const struct gw_doctor *doctor, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(doctor->copies[k].real, doctor->copies[i].real) == 0)
			return false;
	return true;
}

json_t *gw_doctor_pairs(struct gw_doctor *doctor)
{
	json_t *all = json_array();
	size_t count = 0;

	for (size_t a = 0; a < doctor->copy_count; a++)
		for (size_t b = 0; strcmp(doctor->copies[a].stem, "libcublas") == 0 && is_own(doctor, a) && b < doctor->copy_count && count < MAX_PAIRS; b++) {
			struct pair pair = {&doctor->copies[a], &doctor->copies[b], NULL, NULL, 0, NULL};
			const char *major = pair.library->soname ? strstr(pair.library->soname, ".so.") : NULL, *other = pair.on->soname ? strstr(pair.on->soname, ".so.") : NULL;
			bool own;

			if (strcmp(pair.on->stem, "libcublasLt") != 0 || !is_own(doctor, b) || !major || !other || strcmp(major, other) != 0)
				continue;
			compare(doctor, &pair);
			own = !gw_doctor_differ(pair.library, pair.on) && pair.library->release && pair.on->release;
			count++;
			json_array_append_new(all, json_pack("{s:o,s:o,s:o,s:o,s:s,s:i,s:o}", "library", gw_doctor_text(pair.library->path), "release",
							     gw_doctor_text(pair.library->release ? gw_doctor_release(doctor, pair.library) : NULL), "on",
							     gw_doctor_text(pair.on->path), "on_release",
							     gw_doctor_text(pair.on->release ? gw_doctor_release(doctor, pair.on) : NULL), "verdict",
							     pair.lacks ? "fails" : own ? "own" : "differs", "lacks", (int)pair.lacks, "first", gw_doctor_text(pair.first)));
		}
	gw_loader_forget(&doctor->scan.loader);
	return all;
}
