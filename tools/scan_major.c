/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build for one major release of CUDA on a machine that has another (scan.h): which build the file is, what it lacks, and which libraries of
 * other major releases are there instead. Told where facades alone do not help: what one forwards to, its own finding says.
 */
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader_search.h"

static bool take(void *context, const struct gw_candidate *candidate)
{
	char **path = context;

	*path = strdup(candidate->path);
	return true;
}

/* Where the file would get SONAME, to free; NULL. */
static char *find(struct gw_scan_walk *walk, const char *soname)
{
	char *path = NULL;
	struct gw_search search = {
		.loader = &walk->scan->loader,
		.needer = &walk->first->needer,
		.program = walk->map.all.object[0]->file,
		.visit = take,
		.context = &path,
	};

	if (!gw_loader_search(&search, soname))
		return gw_scan_search_python(walk, soname);
	return path;
}

/* Appends to *TEXT. */
static void append(char **text, const char *more)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *text ? *text : "", *text ? ", " : "", more) < 0)
		longer = NULL;
	free(*text);
	*text = longer;
}

/* Other versions of SONAME's library that are there. */
static void note_others(struct gw_scan_walk *walk, const char *soname, char **there)
{
	const struct gw_known *known = &walk->scan->known;
	const char *dot = strstr(soname, ".so.");
	const struct gw_known_line *line;

	for (size_t at = 0; dot && (line = gw_known_next(known, "wheel", &at));) {
		size_t length = (size_t)(dot - soname) + 4;
		char *path, *release, *text;

		if (strncmp(line->word[1], soname, length) != 0 || strcmp(line->word[1], soname) == 0)
			continue;
		path = find(walk, line->word[1]);
		release = path ? gw_scan_release(walk->scan, path, true) : NULL;
		if (path && asprintf(&text, "%s%s%s%s", path, release ? " (release " : "", release ? release : "", release ? ")" : "") >= 0) {
			if (!*there || !strstr(*there, path))
				append(there, text);
			free(text);
		}
		free(path);
		free(release);
	}
}

/* "-cu11" of "nvidia-cuda-runtime-cu11"; "" where the package's name does not say. */
static const char *suffix_of(const char *package)
{
	const char *at = strrchr(package, '-');

	return at && strncmp(at, "-cu", 3) == 0 && at[3] >= '0' && at[3] <= '9' ? at : "";
}

/* The suffix of packages that go with the file: by a library that it needs and only one package has. NULL: not known. */
static const char *own_suffix(const struct gw_scan_walk *walk)
{
	const struct gw_elf *elf = &walk->first->file->elf;

	for (size_t i = 0; i < elf->needed_count; i++) {
		const struct gw_known_line *wheel = gw_known_wheel(&walk->scan->known, elf->needed[i]);

		if (wheel && wheel->count == 3)
			return suffix_of(wheel->word[2]);
	}
	for (size_t i = 0; i < walk->strings.name_count; i++) {
		const struct gw_known_line *wheel = gw_known_wheel(&walk->scan->known, walk->strings.name[i]);

		if (wheel && wheel->count == 3)
			return suffix_of(wheel->word[2]);
	}
	return NULL;
}

char *gw_scan_wheel(const struct gw_scan_walk *walk, const char *soname)
{
	const struct gw_known_line *wheel = gw_known_wheel(&walk->scan->known, soname);
	const char *suffix = wheel ? own_suffix(walk) : NULL, *package = wheel ? wheel->word[2] : NULL;
	char *pin = NULL, *text = NULL;

	for (size_t i = 2; wheel && i < wheel->count && !pin; i++)
		if ((pin = gw_scan_pin(walk->info, wheel->word[i])))
			package = wheel->word[i];
	for (size_t i = 2; suffix && !pin && i < wheel->count; i++)
		if (strcmp(suffix_of(wheel->word[i]), suffix) == 0)
			package = wheel->word[i];
	if (package && asprintf(&text, "%s%s%s", package, pin ? "==" : "", pin ? pin : "") < 0)
		text = NULL;
	free(pin);
	return text;
}

/* Appends the package of SONAME, once. */
static void note_package(const struct gw_scan_walk *walk, const char *soname, char **packages)
{
	char *package = gw_scan_wheel(walk, soname), *longer;

	if (package && !(*packages && strstr(*packages, package))) {
		if (asprintf(&longer, "%s%s%s", *packages ? *packages : "", *packages ? " " : "", package) < 0)
			longer = NULL;
		free(*packages);
		*packages = longer;
	}
	free(package);
}

void gw_scan_major(struct gw_scan_walk *walk)
{
	char *lacks = NULL, *there = NULL, *packages = NULL, *remedy = NULL;
	const char *suffix = own_suffix(walk), *major = suffix && *suffix ? suffix + 3 : NULL;
	json_t *need;
	size_t i;

	json_array_foreach(walk->needs, i, need)
	{
		const char *soname = json_string_value(json_object_get(need, "soname"));
		const char *status = json_string_value(json_object_get(need, "status"));

		/* What is only opened has ways of its own. */
		if (!gw_known_wheel(&walk->scan->known, soname) || strcmp(status, "found") == 0 || json_object_get(need, "by") ||
		    json_object_get(need, "opened"))
			continue;
		append(&lacks, soname);
		note_others(walk, soname, &there);
		if (!gw_scan_has_facade(walk->scan, soname))
			note_package(walk, soname, &packages);
	}
	/* PACKAGES: what no facade can stand in for. */
	if (packages && there) {
		if (asprintf(&remedy, "%s: pip install %s", gw_finding_remedy(GW_FINDING_OTHER_MAJOR), packages) < 0)
			remedy = NULL;
		gw_scan_finding(walk->findings, GW_FINDING_OTHER_MAJOR, remedy, "%s is a build for %s%s: it lacks %s, and here there are %s",
				walk->first->file->path, major ? "CUDA " : "another major release", major ? major : "", lacks, there);
	}
	free(lacks);
	free(there);
	free(packages);
	free(remedy);
}
