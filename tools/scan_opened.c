/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of the vendor's that a file opens itself (scan.h), as far as that can be known without running it: names in its strings, the
 * lists of frameworks (abi/frameworks), and sonames whose versions it needs without needing them, so that somebody must have opened them.
 * Each gets what dlopen would give it: the loader's search with the file's own RUNPATH. Names of one library in several versions are ways
 * to the same end, of which one is enough.
 */
#include "scan.h"

#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader_search.h"

#define MAX_OPENED 256

/* How a name is known: the JSON's "opened". */
static const char by_strings[] = "strings", by_framework[] = "framework", by_version[] = "version";

struct opened {
	char *name;
	char stem[GW_KNOWN_STEM];
	const char *family, *how;
	bool guessed;  /* put together from a name without a version */
	bool required; /* its framework does without the GPU where it is missing */
	/* what it gets */
	const char *status, *rule;
	char *path, *lacking;
	bool through;
};

struct list {
	struct gw_scan_walk *walk;
	struct opened item[MAX_OPENED];
	size_t count;
	/* the file itself, as one of the vendor's: NULL where it is none */
	const char *family, *version;
	char stem[GW_KNOWN_STEM];
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_needed(const struct gw_scan_walk *walk, const char *name)
{
	const struct gw_elf *elf = &walk->first->file->elf;

	for (size_t i = 0; i < elf->needed_count; i++)
		if (strcmp(elf->needed[i], name) == 0)
			return true;
	return elf->soname && strcmp(elf->soname, name) == 0;
}

static struct opened *add(struct list *list, const char *name, const char *how)
{
	struct opened item = {.how = how, .status = "missing"};
	const char *version;

	item.family = gw_known_family(&list->walk->scan->known, name, item.stem, &version);
	if (is_needed(list->walk, name) || (list->family && strcmp(item.stem, list->stem) == 0))
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i].name, name) == 0)
			return &list->item[i];
	item.name = list->count < MAX_OPENED ? strdup(name) : NULL;
	if (!item.name)
		return NULL;
	list->item[list->count++] = item;
	return &list->item[list->count - 1];
}

static void add_guess(struct list *list, const char *stem, const char *version, size_t length)
{
	char name[2 * GW_KNOWN_STEM];
	struct opened *item;

	snprintf(name, sizeof name, "%s.so%.*s", stem, (int)length, version);
	item = add(list, name, by_strings);
	if (item)
		item->guessed = true;
}

/*
 * "libcudnn_ops.so" in cuDNN's own front: it tries its own version, and ever less of it. "libnvrtc.so." in any file: some version is put
 * behind it, and any that is known will do. "libcublas.so" elsewhere stands for itself.
 */
static void add_string(struct list *list, const char *name)
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
		add(list, name, by_strings);
	}
}

/* Is the package INFO (".../tensorflow-2.15.1.dist-info") of LINE's name, and of a release between its two? */
static bool is_of(const struct gw_known_line *line, const char *info)
{
	const char *name = base_of(info), *dash = strchr(name, '-');
	unsigned release[4], first[4], last[4];
	size_t length = dash ? strspn(dash + 1, "0123456789.") : 0;

	if (length && dash[length] == '.')
		length--; /* that of ".dist-info" */
	if (!length || strlen(line->word[1]) != (size_t)(dash - name) || strncmp(name, line->word[1], (size_t)(dash - name)) != 0 ||
	    !abi_version_parse(dash + 1, length, release) || !abi_version_parse(line->word[2], strlen(line->word[2]), first) ||
	    !abi_version_parse(line->word[3], strlen(line->word[3]), last))
		return false;
	/* 2.15 stands for all 2.15.x */
	release[2] = release[3] = first[2] = first[3] = last[2] = last[3] = 0;
	return abi_version_compare(first, release) <= 0 && abi_version_compare(release, last) <= 0;
}

static void add_framework(struct list *list)
{
	const struct gw_scan_walk *walk = list->walk;
	const struct gw_known_line *line;

	for (size_t at = 0; walk->info && (line = gw_known_next(&walk->scan->known, "framework", &at));) {
		if (fnmatch(line->word[4], base_of(walk->first->file->path), 0) != 0 || !is_of(line, walk->info))
			continue;
		for (size_t i = 5; i < line->count; i++) {
			char name[2 * GW_KNOWN_STEM];
			size_t length = strcspn(line->word[i], "?");
			struct opened *item;

			snprintf(name, sizeof name, "%.*s", (int)length, line->word[i]);
			item = add(list, name, by_framework);
			if (item)
				item->required = line->word[i][length] != '?';
		}
	}
}

static void collect(struct list *list)
{
	const struct gw_scan_walk *walk = list->walk;
	const struct gw_elf *elf = &walk->first->file->elf;

	list->family = gw_known_family(&walk->scan->known, base_of(elf->path), list->stem, &list->version);
	for (size_t i = 0; i < elf->need_count; i++)
		if (gw_scan_family_name(walk->scan, elf->needs[i].file))
			add(list, elf->needs[i].file, by_version);
	add_framework(list);
	for (size_t i = 0; i < walk->strings.name_count; i++)
		add_string(list, walk->strings.name[i]);
}

struct hunt {
	struct gw_loader *loader;
	struct opened *item;
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

static void resolve(struct list *list, struct opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	const struct gw_mapped *mapped = gw_map_named(&walk->map, item->name);
	struct hunt hunt = {&walk->scan->loader, item};
	struct gw_search search = {
		.loader = &walk->scan->loader,
		.needer = &walk->first->needer,
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
static bool is_shown(const struct list *list, const struct opened *item)
{
	const struct opened *best = NULL;

	if (!item->guessed)
		return true;
	for (size_t i = 0; i < list->count; i++) {
		const struct opened *other = &list->item[i];
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

static void show(struct list *list, const struct opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	char *release = item->path ? gw_scan_release(walk->scan, item->path, false) : NULL;
	json_t *out = json_pack("{s:s,s:s,s:s?,s:s?,s:s}", "soname", item->name, "status", item->status, "path", item->path, "family",
				gw_scan_family_name(walk->scan, item->name), "opened", item->how);

	if (release)
		json_object_set_new(out, "release", json_string(release));
	if (item->through)
		json_object_set_new(out, "through", json_string("python"));
	else if (item->rule)
		json_object_set_new(out, "rule", json_string(item->rule));
	json_array_append_new(walk->needs, out);
	free(release);
}

/* The names of ITEM's library as one text, to free: "a", "any of a, b". */
static char *names_of(const struct list *list, const struct opened *item)
{
	char *text = NULL;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct opened *other = &list->item[i];
		char *more;

		if (strcmp(other->stem, item->stem) != 0 || other->how == by_version)
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
static char *how_to_install(const struct list *list, const struct opened *item)
{
	const struct gw_scan_walk *walk = list->walk;
	const char *runpath = walk->first->file->elf.runpath;
	bool reaches = runpath && strstr(runpath, "nvidia/");
	char *package = gw_scan_wheel(walk, item->name), *text;

	if (!package || asprintf(&text, "pip install %s%s", package,
				 reaches ? "" : ", and start the program with gangway run, or name the directory in LD_LIBRARY_PATH") < 0)
		text = NULL;
	free(package);
	return text;
}

static const char *evidence_of(const struct opened *item)
{
	return item->how == by_framework ? "as its framework's list says" : "as its strings say";
}

/* cuDNN's front does nothing without its parts: the program ends at its first call. */
static bool is_part(const struct list *list, const struct opened *item)
{
	return list->family && strcmp(list->family, item->family) == 0 && strcmp(list->family, "cudnn") == 0;
}

/* The release that the parts have to be of, to free: by the name of a front that a wheel brings along, else by what is known of the file. */
static char *own_release(const struct list *list)
{
	unsigned part[4];
	const char *version = list->version + (*list->version == '.');
	size_t dots = 0;

	for (const char *at = version; *at; at++)
		dots += *at == '.';
	if (dots >= 2 && abi_version_parse(version, strlen(version), part))
		return strdup(version);
	return gw_scan_release(list->walk->scan, list->walk->first->file->path, true);
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
static char *fitting_copy(const struct list *list, const struct opened *item, const char *release)
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
static char *how_to_fit(const struct list *list, const struct opened *item, const char *release)
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
static const struct opened *other_part(const struct list *list, const struct opened *item, const char *release)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct opened *other = &list->item[i];
		char *its;
		int order;

		if (other == item)
			return NULL;
		if (!is_part(list, other) || strcmp(other->status, "found") != 0)
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
static bool tell_other_release(struct list *list, const struct opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	char *own = is_part(list, item) && strcmp(item->status, "found") == 0 ? own_release(list) : NULL;
	char *its = own ? gw_scan_release(walk->scan, item->path, true) : NULL, *remedy = its ? how_to_fit(list, item, own) : NULL;
	const struct opened *other = its ? other_part(list, item, its) : NULL;
	bool told = true;

	if (its && compare_releases(its, own) < 0)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_OTHER, remedy, "%s is of cuDNN %s, and opens %s, which is of %s",
				walk->first->file->path, own, item->path, its);
	else if (other)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_OTHER, NULL, "%s opens %s, which is of cuDNN %s, and %s, which is of another release",
				walk->first->file->path, item->path, its, other->path);
	else
		told = false;
	*walk->severe |= told;
	free(own);
	free(its);
	free(remedy);
	return told;
}

static void tell_missing(struct list *list, const struct opened *item)
{
	struct gw_scan_walk *walk = list->walk;
	const struct gw_scan_machine *machine = &walk->scan->machine;
	bool severe = is_part(list, item) || (item->required && (machine->gpu_given || machine->gpu_count || machine->driver));
	char *names = names_of(list, item), *own = is_part(list, item) ? own_release(list) : NULL;
	char *remedy = own ? how_to_fit(list, item, own) : how_to_install(list, item);

	if (names)
		gw_scan_finding(walk->findings, severe ? GW_FINDING_OPENED_MISSING : GW_FINDING_OPENED_ABSENT, remedy,
				"%s, which %s opens (%s), is nowhere that the loader looks%s%s", names, base_of(walk->first->file->path),
				evidence_of(item), item->lacking ? ", and its facade has nothing to forward to: looked for " : "",
				item->lacking ? item->lacking : "");
	*walk->severe |= severe;
	free(names);
	free(own);
	free(remedy);
}

/* What ITEM's library gets by any of its names: the best of them tells. */
static void tell(struct list *list, size_t index)
{
	struct gw_scan_walk *walk = list->walk;
	const struct opened *item = &list->item[index], *facade = NULL, *python = NULL;

	for (size_t i = 0; i < list->count; i++) {
		const struct opened *other = &list->item[i];

		if (strcmp(other->stem, item->stem) != 0 || other->how == by_version)
			continue;
		if (i < index)
			return; /* told with that one */
		if (strcmp(other->status, "found") == 0 && (tell_other_release(list, other) || !other->through))
			return;
		if (strcmp(other->status, "facade") == 0 && !facade)
			facade = other;
		if (other->through && !python)
			python = other;
	}
	if (python)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_PYTHON, NULL, "%s, which %s opens (%s), is only on the Python paths: %s", python->name,
				base_of(walk->first->file->path), evidence_of(python), python->path);
	else if (facade)
		gw_scan_finding(walk->findings, GW_FINDING_OPENED_FACADE, NULL,
				"%s, which %s opens (%s), is not here; a facade can stand in for it, and forward to %s", facade->name,
				base_of(walk->first->file->path), evidence_of(facade), facade->path);
	else
		tell_missing(list, item);
}

void gw_scan_opened(struct gw_scan_walk *walk)
{
	struct list *list = calloc(1, sizeof *list);

	if (!list)
		return;
	list->walk = walk;
	collect(list);
	for (size_t i = 0; i < list->count; i++)
		resolve(list, &list->item[i]);
	for (size_t i = 0; i < list->count; i++) {
		const struct opened *item = &list->item[i];

		if (is_shown(list, item))
			show(list, item);
		/* Each copy of the CUDA runtime opens the driver; a machine without a GPU has none. */
		if (item->how != by_version && strcmp(item->family, "driver") != 0)
			tell(list, i);
	}
	for (size_t i = 0; i < list->count; i++) {
		free(list->item[i].name);
		free(list->item[i].path);
		free(list->item[i].lacking);
	}
	free(list);
}
