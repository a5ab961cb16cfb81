/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of the vendor's that a file opens itself (scan.h), as far as that can be known without running it: names in its strings, the
 * lists of frameworks (abi/opened), and sonames whose versions it needs without needing them, so that somebody must have opened them.
 * Each gets what dlopen would give it: the loader's search with the file's own RUNPATH. Names of one library in several versions are ways
 * to the same end, of which one is enough.
 */
#include "scan_opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_text.h"
#include "loader_search.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

struct hunt {
	struct gw_loader *loader;
	struct gw_opened *item;
};

/* dlopen fails at a file that it cannot map, and looks no further; so do we, but for what it would pass over. */
static bool take(void *context, const struct gw_candidate *candidate)
{
	struct hunt *hunt = context;
	struct gw_file *file = gw_loader_file(hunt->loader, candidate->path);

	if (!file || file->status)
		return true;
	hunt->item->path = strdup(candidate->path);
	hunt->item->rule = gw_rule_name(candidate->rule);
	hunt->item->through = candidate->rule == GW_RULE_FALLBACK;
	return true;
}

static void resolve(struct gw_opened_list *list, struct gw_opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	const struct gw_mapped *mapped = gw_map_named(&walk->map, item->name);
	struct hunt hunt = {&walk->scan->loader, item};
	struct gw_search search = {
		.loader = &walk->scan->loader,
		.needer = &list->object->needer,
		.program = walk->map.all.object[0]->file,
		.visit = take,
		.context = &hunt,
	};

	if (mapped) {
		item->path = strdup(mapped->file->path);
		item->through = mapped->rule == GW_RULE_FALLBACK;
	} else if (!gw_loader_search(&search, item->name)) {
		item->path = gw_scan_search_python(walk, item->name);
		item->through = item->path != NULL;
	}
	if (item->path) {
		item->status = "found";
	} else if (gw_scan_has_facade(walk->scan, item->name)) {
		item->path = gw_scan_target(walk, item->name, &item->lacking);
		item->status = item->path ? "facade" : "missing";
	}
}

/* Of names that were put together one entry says what became of them: the one that was found, else that with a major version. */
static bool is_shown(const struct gw_opened_list *list, const struct gw_opened *item)
{
	const struct gw_opened *best = NULL;

	if (!item->guessed)
		return true;
	for (size_t i = 0; i < list->count; i++) {
		const struct gw_opened *other = &list->item[i];
		const char *version = strstr(other->name, ".so");

		if (!other->guessed || strcmp(other->stem, item->stem) != 0)
			continue;
		if (strcmp(other->status, "missing") != 0)
			return other == item;
		if (!best || (version[3] && !strchr(version + 4, '.')))
			best = other;
	}
	return best == item;
}

static void show(struct gw_opened_list *list, const struct gw_opened *item)
{
	static const char *const how[] = {"strings", "framework", "version"};
	struct gw_scan_walk *walk = list->walk;
	char *release = item->path ? gw_scan_release(walk->scan, item->path, false) : NULL;
	json_t *out = json_pack("{s:o,s:s,s:o,s:s?,s:s}", "soname", gw_json_text(item->name), "status", item->status, "path", gw_json_text(item->path), "family",
				gw_scan_family_name(walk->scan, item->name), "opened", how[item->how]);

	if (release)
		json_object_set_new(out, "release", json_string(release));
	if (item->through)
		json_object_set_new(out, "through", json_string("python"));
	else if (item->rule)
		json_object_set_new(out, "rule", json_string(item->rule));
	if (list->object != walk->first)
		json_object_set_new(out, "by", gw_json_text(list->object->file->path));
	json_array_append_new(walk->needs, out);
	free(release);
}

/* The names of ITEM's library as one text, to free: "a", "any of a, b". */
static char *names_of(const struct gw_opened_list *list, const struct gw_opened *item)
{
	char *text = NULL;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct gw_opened *other = &list->item[i];
		char *more;

		if (strcmp(other->stem, item->stem) != 0 || other->how == GW_OPENED_VERSION)
			continue;
		if (asprintf(&more, "%s%s%s", text ? text : "", text ? ", " : "", other->name) < 0)
			more = NULL;
		free(text);
		text = more;
		count++;
	}
	if (text && count > 1) {
		char *any;

		if (asprintf(&any, "any of %s", text) < 0)
			any = NULL;
		free(text);
		text = any;
	}
	return text;
}

/* "pip install PACKAGE==VERSION", the version that the file's own package asks for; else NULL for the code's own words. To free. */
static char *how_to_install(const struct gw_opened_list *list, const struct gw_opened *item)
{
	const struct gw_scan_walk *walk = list->walk;
	const struct gw_elf *elf = &list->object->file->elf;
	const char *own = elf->runpath ? elf->runpath : elf->rpath;
	bool reaches = own && strstr(own, "nvidia/"); /* it looks into the wheels beside it */
	char *package = gw_scan_wheel(walk, item->name), *text;

	if (!package || asprintf(&text, "pip install %s%s", package,
				 reaches ? "" : ", and start the program with gangway run, or name the directory in LD_LIBRARY_PATH") < 0)
		text = NULL;
	free(package);
	return text;
}

static const char *evidence_of(const struct gw_opened *item)
{
	return item->how == GW_OPENED_FRAMEWORK ? "as its framework's list says" : "as its strings say";
}

static void tell_missing(struct gw_opened_list *list, const struct gw_opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	const struct gw_scan_machine *machine = &walk->scan->machine;
	bool severe = gw_opened_is_part(list, item) || (item->required && (machine->gpu_given || machine->gpu_count || machine->driver));
	char *names = names_of(list, item), *remedy = gw_opened_is_part(list, item) ? gw_opened_fit(list, item) : how_to_install(list, item);

	if (names)
		gw_scan_finding(walk->findings, severe ? GW_FINDING_OPENED_MISSING : GW_FINDING_OPENED_ABSENT, remedy,
				"%s, which %s opens (%s), is nowhere that the loader looks%s%s", names, base_of(list->object->file->path),
				evidence_of(item), item->lacking ? ", and its facade has nothing to forward to: looked for " : "",
				item->lacking ? item->lacking : "");
	*walk->severe |= severe;
	free(names);
	free(remedy);
}

/* What ITEM's library gets by any of its names: the best of them tells. */
static void tell(struct gw_opened_list *list, size_t index)
{
	struct gw_scan_walk *walk = list->walk;
	const struct gw_opened *item = &list->item[index], *facade = NULL, *python = NULL;

	for (size_t i = 0; i < list->count; i++) {
		const struct gw_opened *other = &list->item[i];

		if (strcmp(other->stem, item->stem) != 0 || other->how == GW_OPENED_VERSION)
			continue;
		if (i < index)
			return; /* told with that one */
		if (strcmp(other->status, "found") == 0 && (gw_opened_check_part(list, other) || !other->through))
			return;
		if (strcmp(other->status, "facade") == 0 && !facade)
			facade = other;
		if (other->through && !python)
			python = other;
	}
	if (python)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_PYTHON, NULL, "%s, which %s opens (%s), is only on the Python paths: %s", python->name,
				base_of(list->object->file->path), evidence_of(python), python->path);
	else if (facade)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_FACADE, NULL,
				"%s, which %s opens (%s), is not here; a facade can stand in for it, and forward to %s", facade->name,
				base_of(list->object->file->path), evidence_of(facade), facade->path);
	else
		tell_missing(list, item);
}

/* What OBJECT opens: the file itself, or a library that it needs. */
static void report(struct gw_opened_list *list, const struct gw_mapped *object, const struct gw_strings *strings)
{
	*list = (struct gw_opened_list){.walk = list->walk, .object = object, .strings = strings};
	gw_opened_collect(list);
	for (size_t i = 0; i < list->count; i++)
		resolve(list, &list->item[i]);
	for (size_t i = 0; i < list->count; i++) {
		const struct gw_opened *item = &list->item[i];

		if (object == list->walk->first || gw_opened_is_part(list, item)) {
			/* Of libraries that it needs what is missing alone is listed, as of what they need. */
			if (is_shown(list, item) && (object == list->walk->first || item->through || strcmp(item->status, "found") != 0))
				show(list, item);
			/* Each copy of the CUDA runtime opens the driver; a machine without a GPU has none. */
			if (item->how != GW_OPENED_VERSION && strcmp(item->family, "driver") != 0)
				tell(list, i);
		}
	}
	for (size_t i = 0; i < list->count; i++) {
		free(list->item[i].name);
		free(list->item[i].path);
		free(list->item[i].lacking);
	}
}

/* A library that does nothing without parts, which it opens: whoever needs it needs those. */
static bool has_parts(const struct gw_scan *scan, const struct gw_mapped *object)
{
	char stem[GW_KNOWN_STEM];
	const char *version, *family = gw_known_family(&scan->known, base_of(object->file->path), stem, &version);
	const struct gw_known_line *line;

	for (size_t at = 0; family && (line = gw_known_next(&scan->known, "library", &at));)
		if (line->count > 3 && strcmp(line->word[1], stem) == 0)
			return true;
	return false;
}

void gw_scan_opened(struct gw_scan_walk *walk)
{
	struct gw_opened_list *list = calloc(1, sizeof *list);

	if (!list)
		return;
	list->walk = walk;
	report(list, walk->first, &walk->strings);
	for (size_t i = 0; i < walk->map.all.count; i++) {
		const struct gw_mapped *object = walk->map.all.object[i];
		struct gw_strings strings;

		if (object == walk->first || !has_parts(walk->scan, object))
			continue;
		gw_strings_read(&strings, &walk->scan->known, &object->file->elf);
		report(list, object, &strings);
	}
	free(list);
}
