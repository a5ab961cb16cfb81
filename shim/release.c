/* SPDX-License-Identifier: Apache-2.0 */
/* See release.h. All families answer the property question (major, minor, patch) without a handle or a device. */
#include "release.h"

#include <string.h>

#include "image.h"
#include "finding.h"
#include "gw_fn.h"
#include "line.h"
#include "objects.h"

#define PARTS 3

static bool ask(struct gw_object *library, unsigned family, int part[PARTS])
{
	int (*property)(int, int *) =
		(int (*)(int, int *))gw_image_function(&library->image, gw_families[family].property_function, NULL);
	int i;

	for (i = 0; property && i < PARTS; i++)
		if (property(i, &part[i]))
			return false;
	return property != NULL;
}

static int compare(const struct gw_release *release, const int part[PARTS])
{
	int i;

	for (i = 0; i < PARTS; i++)
		if (release->part[i] != part[i])
			return release->part[i] < part[i] ? -1 : 1;
	return 0;
}

static void tell_unknown(const char *version, unsigned family, const struct gw_release *nearest)
{
	char text[256];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_families[family].name);
	gw_line_char(&line, ' ');
	gw_line_text(&line, version);
	gw_line_text(&line, " is not in the database; treated as ");
	gw_line_text(&line, nearest->version);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_UNKNOWN_RELEASE, gw_families[family].name, text, NULL);
}

static const struct gw_release *nearest_to(struct gw_object *library, unsigned family, char *version, size_t size, bool tell)
{
	const struct gw_family_data *data = &gw_families[family];
	const char *major = library->node ? strstr(library->node, ".so.") : NULL;
	const struct gw_release *nearest = NULL;
	int part[PARTS] = { 0 };
	struct gw_line line;
	uint32_t i;
	bool known = ask(library, family, part);

	gw_line_start(&line, version, size);
	for (i = 0; known && i < PARTS; i++) {
		if (i)
			gw_line_char(&line, '.');
		gw_line_signed(&line, part[i]);
	}
	line.text[line.length] = 0;
	for (i = 0; i < data->release_count; i++) {
		const struct gw_release *release = &data->releases[i];

		if (major && strcmp(release->soname_major, major + 4))
			continue;
		if (!nearest || !known || compare(release, part) <= 0)
			nearest = release;
	}
	if (!nearest)
		nearest = &data->releases[data->release_count - 1];
	if (tell && known && compare(nearest, part))
		tell_unknown(version, family, nearest);
	return nearest;
}

const struct gw_release *gw_release_of(struct gw_object *library, unsigned family, char *version, size_t size)
{
	return nearest_to(library, family, version, size, true);
}

const struct gw_release *gw_release_asked(struct gw_object *library, unsigned family, char *version, size_t size)
{
	const struct gw_release *release = nearest_to(library, family, version, size, false);

	return *version ? release : NULL;
}

void gw_release_range_of(struct gw_line *line, unsigned family, unsigned first, unsigned last)
{
	const struct gw_family_data *data = &gw_families[family];

	gw_line_text(line, data->name);
	if (!first && last + 1 == data->release_count) {
		gw_line_text(line, " has it in every release");
		return;
	}
	gw_line_text(line, first == last ? " has it in " : first ? " has it from " : " has it up to ");
	gw_line_text(line, data->releases[first ? first : last].version);
	if (first && last + 1 == data->release_count) {
		gw_line_text(line, " on");
	} else if (first && first != last) {
		gw_line_text(line, " to ");
		gw_line_text(line, data->releases[last].version);
	}
}

void gw_release_range(struct gw_line *line, uint32_t fn)
{
	gw_release_range_of(line, gw_functions[fn].family, gw_functions[fn].first, gw_functions[fn].last);
}

void gw_release_remedy(struct gw_line *line, enum gw_finding which, uint32_t fn)
{
	gw_line_text(line, gw_finding_remedy(which));
	gw_line_text(line, ": ");
	gw_release_range(line, fn);
}
