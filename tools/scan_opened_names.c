/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries a file opens, by its strings, its framework's list and the versions that it needs (scan_opened.h). */
#include "scan_opened.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_needed(const struct gw_opened_list *list, const char *name)
{
	const struct gw_elf *elf = &list->object->file->elf;

	for (size_t i = 0; i < elf->needed_count; i++)
		if (strcmp(elf->needed[i], name) == 0)
			return true;
	return elf->soname && strcmp(elf->soname, name) == 0;
}

static struct gw_opened *add(struct gw_opened_list *list, const char *name, enum gw_opened_how how)
{
	struct gw_opened item = {.how = how, .status = "missing"};
	const char *version;

	item.family = gw_known_family(&list->walk->scan->known, name, item.stem, &version);
	if (is_needed(list, name) || (list->family && strcmp(item.stem, list->stem) == 0))
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i].name, name) == 0)
			return &list->item[i];
	item.name = list->count < GW_OPENED_MAX ? strdup(name) : NULL;
	if (!item.name)
		return NULL;
	list->item[list->count++] = item;
	return &list->item[list->count - 1];
}

static void add_guess(struct gw_opened_list *list, const char *stem, const char *version, size_t length)
{
	char name[2 * GW_KNOWN_STEM];
	struct gw_opened *item;

	snprintf(name, sizeof name, "%s.so%.*s", stem, (int)length, version);
	item = add(list, name, GW_OPENED_STRINGS);
	if (item)
		item->guessed = true;
}

/*
 * "libcudnn_ops.so" in cuDNN's own front: it tries its own version, and ever less of it. "libnvrtc.so." in any file: some version is put
 * behind it, and any that is known will do. "libcublas.so" elsewhere stands for itself.
 */
static void add_string(struct gw_opened_list *list, const char *name)
{
	const struct gw_known *known = &list->walk->scan->known;
	char stem[GW_KNOWN_STEM], prefix[2 * GW_KNOWN_STEM];
	const char *version, *family = gw_known_family(known, name, stem, &version);
	const struct gw_known_line *line;

	if (family && !*version && list->family && strcmp(family, list->family) == 0 && *list->version) {
		for (size_t length = strlen(list->version); length; length--)
			if (length == strlen(list->version) || list->version[length] == '.')
				add_guess(list, stem, list->version, length);
		add_guess(list, stem, "", 0);
	} else if (family && strcmp(version, ".") == 0) {
		int length = snprintf(prefix, sizeof prefix, "%s.so.", stem);

		for (size_t at = 0; (line = gw_known_next(known, "wheel", &at));)
			if (strncmp(line->word[1], prefix, (size_t)length) == 0)
				add_guess(list, stem, line->word[1] + length - 1, strlen(line->word[1] + length - 1));
	} else if (family) {
		add(list, name, GW_OPENED_STRINGS);
	}
}

/* <0, 0, >0: RELEASE against BOUND, as far as that is written: 2.15 stands for all 2.15.x. */
static int order_of(const unsigned release[4], const char *bound)
{
	unsigned left[4], right[4];
	size_t parts = 1;

	if (!abi_version_parse(bound, strlen(bound), right))
		return -1;
	for (const char *at = bound; *at; at++)
		parts += *at == '.';
	for (size_t i = 0; i < 4; i++)
		left[i] = i < parts ? release[i] : right[i];
	return abi_version_compare(left, right);
}

/* Is the package INFO (".../tensorflow-2.15.1.dist-info") of LINE's name, and of a release between its two? */
static bool is_of(const struct gw_known_line *line, const char *info)
{
	const char *name = base_of(info), *dash = strchr(name, '-');
	size_t length = dash ? strspn(dash + 1, "0123456789.") : 0;
	unsigned release[4];

	if (length && dash[length] == '.')
		length--; /* that of ".dist-info" */
	return length && strlen(line->word[1]) == (size_t)(dash - name) && strncmp(name, line->word[1], (size_t)(dash - name)) == 0 &&
	       abi_version_parse(dash + 1, length, release) && order_of(release, line->word[2]) >= 0 && order_of(release, line->word[3]) <= 0;
}

static void add_framework(struct gw_opened_list *list)
{
	const struct gw_scan_walk *walk = list->walk;
	const struct gw_known_line *line;

	for (size_t at = 0; walk->info && (line = gw_known_next(&walk->scan->known, "framework", &at));) {
		if (fnmatch(line->word[4], base_of(list->object->file->path), 0) != 0 || !is_of(line, walk->info))
			continue;
		for (size_t i = 5; i < line->count; i++) {
			char name[2 * GW_KNOWN_STEM];
			size_t length = strcspn(line->word[i], "?");
			struct gw_opened *item;

			snprintf(name, sizeof name, "%.*s", (int)length, line->word[i]);
			item = add(list, name, GW_OPENED_FRAMEWORK);
			if (item)
				item->required = line->word[i][length] != '?';
		}
	}
}

void gw_opened_collect(struct gw_opened_list *list)
{
	const struct gw_scan_walk *walk = list->walk;
	const struct gw_elf *elf = &list->object->file->elf;

	list->family = gw_known_family(&walk->scan->known, base_of(elf->path), list->stem, &list->version);
	for (size_t i = 0; i < elf->need_count; i++)
		if (gw_scan_family_name(walk->scan, elf->needs[i].file))
			add(list, elf->needs[i].file, GW_OPENED_VERSION);
	add_framework(list);
	for (size_t i = 0; i < list->strings->name_count; i++)
		add_string(list, list->strings->name[i]);
}
