/* SPDX-License-Identifier: Apache-2.0 */
/* Do the parts that cuDNN's front would open do for it, and for each other (scan_opened.h)? */
#include "scan_opened.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gw_opened_is_part(const struct gw_opened_list *list, const struct gw_opened *item)
{
	return list->family && strcmp(list->family, item->family) == 0 && strcmp(list->family, "cudnn") == 0;
}

/* The release that the parts have to be of, to free: by the name of a front that a wheel brings along, else by what is known of the file. */
static char *own_release(const struct gw_opened_list *list)
{
	unsigned part[4];
	const char *version = list->version + (*list->version == '.');
	size_t dots = 0;

	for (const char *at = version; *at; at++)
		dots += *at == '.';
	if (dots >= 2 && abi_version_parse(version, strlen(version), part))
		return strdup(version);
	return gw_scan_release(list->walk->scan, list->object->file->path, true);
}

/* By what cuDNN itself counts: 9.1.0 is 9.1.0.70. 0, too, where one is not known well enough. */
static int compare_releases(const char *a, const char *b)
{
	unsigned left[4], right[4];

	if (!abi_version_parse(a, strlen(a), left) || !abi_version_parse(b, strlen(b), right))
		return 0;
	left[3] = right[3] = 0;
	return abi_version_compare(left, right);
}

/* A copy of ITEM on the Python paths that is of RELEASE or newer, to free; NULL. */
static char *fitting_copy(const struct gw_opened_list *list, const struct gw_opened *item, const char *release)
{
	const struct gw_scan_walk *walk = list->walk;
	char *found = NULL;

	for (size_t i = 0; i < walk->python->count && !found; i++) {
		char pattern[PATH_MAX];
		glob_t matches;

		if (snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib/%s", walk->python->directory[i], item->name) >= (int)sizeof pattern ||
		    glob(pattern, 0, NULL, &matches) != 0)
			continue;
		for (size_t m = 0; m < matches.gl_pathc && !found; m++) {
			const char *path = gw_loader_inside(&walk->scan->loader, matches.gl_pathv[m]);
			char *its = gw_scan_release(walk->scan, path, true);

			if (its && compare_releases(its, release) >= 0)
				found = strdup(path);
			free(its);
		}
		globfree(&matches);
	}
	return found;
}

/* "LD_LIBRARY_PATH=DIRECTORY" of a copy that fits, else the package to install; to free. */
static char *how_to_fit(const struct gw_opened_list *list, const struct gw_opened *item, const char *release)
{
	char *path = fitting_copy(list, item, release), *package = gw_scan_wheel(list->walk, item->name), *text = NULL;
	unsigned major = (unsigned)strtoul(release, NULL, 10);
	int length = -1;

	if (path)
		length = asprintf(&text, "name the directory of those that fit: LD_LIBRARY_PATH=%.*s", (int)(strrchr(path, '/') - path), path);
	else if (package && strchr(package, '='))
		length = asprintf(&text, "pip install %s, and start the program with gangway run, or name the directory in LD_LIBRARY_PATH", package);
	else if (package)
		length = asprintf(&text, "pip install '%s>=%s,<%u', and start the program with gangway run, or name the directory in LD_LIBRARY_PATH",
				  package, release, major + 1);
	free(path);
	free(package);
	return length < 0 ? NULL : text;
}

/* The first part of cuDNN that was found, of another release than ITEM's; NULL. */
static const struct gw_opened *other_part(const struct gw_opened_list *list, const struct gw_opened *item, const char *release)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct gw_opened *other = &list->item[i];
		char *its;
		int order;

		if (other == item)
			return NULL;
		if (!gw_opened_is_part(list, other) || strcmp(other->status, "found") != 0)
			continue;
		its = gw_scan_release(list->walk->scan, other->path, true);
		order = its ? compare_releases(its, release) : 0;
		free(its);
		if (order)
			return other;
	}
	return NULL;
}

/* Parts do what a front of their release or an older one asks for, and each other for theirs alone. True where that was told. */
bool gw_opened_check_part(struct gw_opened_list *list, const struct gw_opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	char *own = gw_opened_is_part(list, item) && strcmp(item->status, "found") == 0 ? own_release(list) : NULL;
	char *its = own ? gw_scan_release(walk->scan, item->path, true) : NULL, *remedy = its ? how_to_fit(list, item, own) : NULL;
	const struct gw_opened *other = its ? other_part(list, item, its) : NULL;
	bool told = true;

	if (its && compare_releases(its, own) < 0)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_OTHER, remedy, "%s is of cuDNN %s, and opens %s, which is of %s",
				list->object->file->path, own, item->path, its);
	else if (other)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_OTHER, NULL, "%s opens %s, which is of cuDNN %s, and %s, which is of another release",
				list->object->file->path, item->path, its, other->path);
	else
		told = false;
	*walk->severe |= told;
	free(own);
	free(its);
	free(remedy);
	return told;
}

char *gw_opened_fit(const struct gw_opened_list *list, const struct gw_opened *item)
{
	char *own = own_release(list), *text = own ? how_to_fit(list, item, own) : NULL;

	free(own);
	return text;
}
