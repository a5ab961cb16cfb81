/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which release of a library a file was built for, and which it gets (scan.h). An older one of the same soname loads, and then a check of the
 * program's, or of cuDNN's, refuses it. And of all files together, since one process has one copy: the first that is loaded serves all.
 */
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one file wants of one soname, and gets. */
struct wanted {
	struct wanted *next;
	char *file, *soname, *wants, *path, *has;
	const struct abi_family *family;
};

/* Parts that one of them lacks count as equal: a file's name says 8.7.0 of 8.7.0.84. */
static int compare_versions(const char *a, const char *b)
{
	unsigned left[4], right[4];
	size_t mine = 1, other = 1;

	if (!abi_version_parse(a, strlen(a), left) || !abi_version_parse(b, strlen(b), right))
		return 0;
	for (const char *at = a; *at; at++)
		mine += *at == '.';
	for (const char *at = b; *at; at++)
		other += *at == '.';
	for (size_t i = mine < other ? mine : other; i < 4; i++)
		left[i] = right[i] = 0;
	return abi_version_compare(left, right);
}

/* Programs ask of cuDNN's release its first two numbers: PyTorch (torch/backends/cudnn/__init__.py) and TensorFlow (xla's cuda_dnn.cc) give up
 * where the second one is smaller than what they were compiled with, and go on with any third. */
static bool is_refused(const struct abi_family *family, const char *has, const char *wants)
{
	unsigned left[4], right[4];

	if (strcmp(family->name, "cudnn") != 0 || !abi_version_parse(has, strlen(has), left) || !abi_version_parse(wants, strlen(wants), right))
		return false;
	left[2] = left[3] = right[2] = right[3] = 0;
	return abi_version_compare(left, right) < 0;
}

/* Does a copy of release HAS not do for who was built for WANTS? */
static bool is_too_old(const struct abi_family *family, const char *has, const char *wants)
{
	return strcmp(family->name, "cudnn") == 0 ? is_refused(family, has, wants) : compare_versions(has, wants) < 0;
}

static const char *text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void forget(struct wanted *wanted)
{
	if (!wanted)
		return;
	free(wanted->file);
	free(wanted->soname);
	free(wanted->wants);
	free(wanted->path);
	free(wanted->has);
	free(wanted);
}

/* Is VERSION the oldest known release of SONAME? Then nothing but the soname says that it was built for that, and older ones may do. */
static bool is_oldest(const struct abi_family *family, const char *soname, const char *version)
{
	for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++)
		for (size_t r = 0; r < family->release_count && strcmp(family->facts[f].column[0], soname) == 0; r++)
			if (abi_set_has(&family->facts[f].releases, r))
				return compare_versions(version, family->releases[r].version) <= 0;
	return true;
}

/* The release that the file was built for at least, to free: what its package pins, else the oldest that fits. NULL: not known. */
static char *wants_of(const struct gw_scan_walk *walk, const struct abi_family *family, const char *soname)
{
	const struct gw_known_line *wheel = gw_known_wheel(&walk->scan->known, soname);
	json_t *item;
	size_t i;
	char *pin = NULL;

	for (size_t w = 2; wheel && w < wheel->count && !pin; w++)
		pin = gw_scan_pin(walk->info, wheel->word[w]);
	if (pin)
		return pin;
	json_array_foreach(walk->built, i, item)
	{
		const char *least = text_of(item, "min");

		if (strcmp(text_of(item, "family"), family->name) == 0 && !is_oldest(family, soname, least))
			return strdup(least);
	}
	return NULL;
}

/* Is it told already that functions of the library at PATH are missing? */
static bool is_told(const struct gw_scan_walk *walk, const char *path)
{
	json_t *item;
	size_t i;

	json_array_foreach(walk->findings, i, item)
	{
		const char *code = text_of(item, "code");

		if ((strcmp(code, gw_finding_code(GW_FINDING_SYMBOL_NOW)) == 0 || strcmp(code, gw_finding_code(GW_FINDING_SYMBOL_LATER)) == 0) &&
		    strstr(text_of(item, "text"), path))
			return true;
	}
	return false;
}

static void tell_older(struct gw_scan_walk *walk, const struct wanted *wanted)
{
	char *package = gw_scan_package(wanted->family, wanted->has), *remedy = NULL;
	const struct gw_known_line *wheel = gw_known_wheel(&walk->scan->known, wanted->soname);
	bool refused = is_refused(wanted->family, wanted->has, wanted->wants);

	if ((package || wheel) &&
	    asprintf(&remedy, "install release %s of it, or a newer one of the same soname: pip install '%s>=%s'", wanted->wants,
		     package ? package : wheel->word[2], wanted->wants) < 0)
		remedy = NULL;
	gw_scan_finding(walk->findings, refused ? GW_FINDING_OLDER_REFUSED : GW_FINDING_OLDER_LOADED, remedy,
			"%s was built for %s %s, and gets %s of release %s, which is older", wanted->file, wanted->family->name, wanted->wants,
			wanted->path, wanted->has);
	*walk->severe |= refused;
	free(package);
	free(remedy);
}

static void note(struct gw_scan_walk *walk, json_t *need)
{
	const char *soname = text_of(need, "soname"), *path = text_of(need, "path");
	const struct abi_family *family = gw_scan_family(&walk->scan->db, soname);
	struct wanted *wanted;

	if (!family || !path || strcmp(text_of(need, "status"), "found") != 0 || json_object_get(need, "by"))
		return;
	wanted = calloc(1, sizeof *wanted);
	if (!wanted)
		return;
	wanted->family = family;
	wanted->file = strdup(walk->first->file->path);
	wanted->soname = strdup(soname);
	wanted->path = strdup(path);
	wanted->wants = wants_of(walk, family, soname);
	wanted->has = wanted->wants ? gw_scan_release(walk->scan, path, true) : NULL;
	if (!wanted->file || !wanted->soname || !wanted->path || !wanted->has || strchr(wanted->has, ' ')) {
		forget(wanted); /* "8.9.2.26 to 8.9.7.29": not known well enough */
		return;
	}
	if (compare_versions(wanted->has, wanted->wants) < 0 && !is_told(walk, path))
		tell_older(walk, wanted);
	wanted->next = walk->scan->wanted;
	walk->scan->wanted = wanted;
}

void gw_scan_note_copies(struct gw_scan_walk *walk)
{
	json_t *need;
	size_t i;

	json_array_foreach(walk->needs, i, need) note(walk, need);
}

/* The newest known release of the soname; NULL. */
static const char *newest_of(const struct abi_family *family, const char *soname)
{
	for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++)
		for (size_t r = family->release_count; strcmp(family->facts[f].column[0], soname) == 0 && r-- > 0;)
			if (abi_set_has(&family->facts[f].releases, r))
				return family->releases[r].version;
	return NULL;
}

static char *remedy_of(const struct gw_scan *scan, const struct wanted *most, const struct wanted *best)
{
	const char *newest = newest_of(most->family, most->soname);
	const struct gw_known_line *wheel = gw_known_wheel(&scan->known, most->soname);
	const char *slash = strrchr(best->path, '/');
	char *package = gw_scan_package(most->family, best->has), *text = NULL;

	if (compare_versions(best->has, most->wants) >= 0 && slash) {
		if (asprintf(&text, "one copy does for all of them, release %s: LD_LIBRARY_PATH=%.*s", best->has, (int)(slash - best->path), best->path) < 0)
			text = NULL;
	} else if (package || wheel) {
		if (asprintf(&text, "install release %s or a newer one for all of them: pip install '%s>=%s'%s%s", most->wants,
			     package ? package : wheel->word[2], most->wants, newest ? "; the newest known of this soname is " : "", newest ? newest : "") < 0)
			text = NULL;
	}
	free(package);
	return text;
}

/* All that want SONAME's library, of which FIRST is the first in the list. */
static void tell_one_for_all(struct gw_scan *scan, const struct wanted *first, json_t *findings)
{
	const struct wanted *most = first, *least = first, *best = first;
	char *remedy;

	for (const struct wanted *at = first; at; at = at->next) {
		if (strcmp(at->soname, first->soname) != 0)
			continue;
		most = compare_versions(at->wants, most->wants) > 0 ? at : most;
		least = compare_versions(at->has, least->has) < 0 ? at : least;
		best = compare_versions(at->has, best->has) > 0 ? at : best;
	}
	if (least == most || !is_too_old(first->family, least->has, most->wants))
		return;
	/* One file alone is told of its own copy. */
	if (strcmp(least->path, most->path) == 0) {
		const struct wanted *other = first;

		while (other && (strcmp(other->soname, first->soname) != 0 || compare_versions(other->wants, most->wants) == 0))
			other = other->next;
		if (!other)
			return;
		least = other;
	}
	remedy = remedy_of(scan, most, best);
	gw_scan_finding(findings, GW_FINDING_ONE_FOR_ALL, remedy,
			"a process has one %s: %s was built for %s %s, and %s, built for %s, gets %s of release %s: the one that is loaded first serves both",
			first->soname, most->file, first->family->name, most->wants, least->file, least->wants, least->path, least->has);
	free(remedy);
}

void gw_scan_copies(struct gw_scan *scan, json_t *findings)
{
	for (struct wanted *at = scan->wanted; at; at = at->next) {
		const struct wanted *before = scan->wanted;

		while (before != at && strcmp(before->soname, at->soname) != 0)
			before = before->next;
		if (before == at)
			tell_one_for_all(scan, at, findings);
	}
}

void gw_scan_forget_copies(struct gw_scan *scan)
{
	for (struct wanted *at = scan->wanted, *next; at; at = next) {
		next = at->next;
		forget(at);
	}
	scan->wanted = NULL;
}
