/* SPDX-License-Identifier: Apache-2.0 */
/* See target.h. */
#include "target.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "binding.h"
#include "find.h"
#include "finding.h"
#include "gw_fn.h"
#include "line.h"
#include "objects.h"
#include "ordered.h"
#include "real.h"
#include "release.h"
#include "settings.h"

#define PARTNERS 8
#define STEM 64

/* The stems of all families in the facade's suite: "libcublas", "libcublasLt". */
struct suite {
	char stems[PARTNERS][STEM];
	const char *list[PARTNERS + 1];
	unsigned count;
};

static void add_stem(struct suite *suite, unsigned family)
{
	const char *soname = gw_families[family].sonames[0], *end = soname ? strstr(soname, ".so.") : NULL;
	size_t length = end ? (size_t)(end - soname) : 0;

	if (!length || length >= STEM || suite->count == PARTNERS)
		return;
	memcpy(suite->stems[suite->count], soname, length);
	suite->stems[suite->count][length] = 0;
	suite->list[suite->count] = suite->stems[suite->count];
	suite->list[++suite->count] = NULL;
}

/* Partners in opening order. A suite of one family has none: its facades may be parts that newer releases cut otherwise. */
static void collect(struct suite *suite, const struct gw_facade *facade)
{
	unsigned f, members = 0, first;

	suite->count = 0;
	suite->list[0] = NULL;
	if (facade->family < 0)
		return;
	for (f = 0; f < GW_FAMILY_COUNT; f++)
		members += gw_families[f].suite == gw_families[facade->family].suite;
	if (members < 2)
		return;
	for (first = 2; first-- > 0;)
		for (f = 0; f < GW_FAMILY_COUNT; f++)
			if (gw_families[f].suite == gw_families[facade->family].suite && gw_families[f].suite_first == first)
				add_stem(suite, f);
}

/* LACKING: a partner that was missing beside a library that would have done, or "". */
static void tell_missing(const struct gw_facade *facade, const char *lacking)
{
	char text[1536];
	struct gw_line line;
	unsigned i;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "a program built for ");
	gw_line_text(&line, facade->soname);
	gw_line_text(&line, " called it, and no library that could answer is installed (looked for ");
	for (i = 0; facade->targets[i]; i++) {
		gw_line_text(&line, i ? " and " : "");
		gw_line_text(&line, facade->targets[i]);
	}
	gw_line_text(&line, ")");
	if (*lacking) {
		gw_line_text(&line, "; one was found, but not its partner ");
		gw_line_text(&line, lacking);
	}
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_NO_TARGET, facade->family_name, text,
			*lacking ? "install the whole release: both come from one directory" : NULL);
}

static void tell_refused(const char *path, const char *why)
{
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, path);
	gw_line_text(&line, " cannot be used: ");
	gw_line_text(&line, why ? why : "the loader gave no reason");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_OPEN_FAILED, path, text, NULL);
}

/* DIRECTORY/STEM + the target's ".so.N". */
static bool path_of(char *path, const char *directory, const char *stem, const char *target)
{
	const char *suffix = strstr(target, ".so.");
	struct gw_line line;

	gw_line_start(&line, path, PATH_MAX);
	gw_line_text(&line, directory);
	gw_line_char(&line, '/');
	gw_line_text(&line, stem);
	if (suffix && !strstr(stem, ".so"))
		gw_line_text(&line, suffix);
	line.text[line.length] = 0;
	return !line.cut;
}

static void *open_one(const char *path)
{
	void *handle = gw_real()->dlopen(path, RTLD_LAZY | RTLD_LOCAL);

	if (!handle)
		tell_refused(path, dlerror());
	return handle;
}

GW_READS_LOADER static const void *dynamic_section(void *handle)
{
	struct link_map *map = NULL;

	return !dlinfo(handle, RTLD_DI_LINKMAP, &map) && map ? map->l_ld : NULL;
}

/* What the loader opened, by its own word: a copy of the same soname may be mapped from elsewhere. */
static struct gw_object *object_of(void *handle)
{
	const void *inside = dynamic_section(handle);
	struct gw_object *object = inside ? gw_object_of(inside) : NULL;

	return object && object->identity && object->role != GW_ROLE_FACADE && object->role != GW_ROLE_SELF ? object : NULL;
}

void gw_target_open(const struct gw_facade *facade, struct gw_target *target)
{
	struct suite suite;
	char directory[PATH_MAX], partner[PATH_MAX], lacking[PATH_MAX] = "";
	const char *soname = NULL;
	int error = errno;
	struct gw_find find = { .targets = facade->targets, .lacking = lacking };
	unsigned i;

	memset(target, 0, offsetof(struct gw_target, path));
	target->path[0] = target->version[0] = 0;
	collect(&suite, facade);
	find.suite = facade->family < 0 ? facade->family_name : gw_families[facade->family].suite_name;
	find.partners = suite.count ? suite.list : NULL;
	if (!gw_find_library(&find, directory, sizeof(directory), &soname) ||
	    !path_of(target->path, directory, soname, soname)) {
		tell_missing(facade, lacking);
		goto done;
	}
	/* In the suite's order, the target at its own place: what needs another would find a copy elsewhere by its name. */
	for (i = 0; i < suite.count; i++) {
		void *handle = path_of(partner, directory, suite.stems[i], soname) ? open_one(partner) : NULL;

		if (!handle)
			goto done;
		if (!strcmp(partner, target->path))
			target->handle = handle;
	}
	if (!target->handle)
		target->handle = open_one(target->path);
	if (!target->handle)
		goto done;
	target->library = object_of(target->handle);
	if (!target->library)
		tell_refused(target->path, "it is a facade itself");
	if (target->library && facade->family >= 0)
		target->release = gw_release_of(target->library, (unsigned)facade->family, target->version,
						sizeof(target->version));
done:
	errno = error;
}

void gw_target_close(struct gw_target *target)
{
	int error = errno;

	if (target->handle)
		gw_real()->dlclose(target->handle);
	errno = error;
}
