/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what the loader would end with, and why (scan.h): GW-110 to GW-115. Faults of one object
 * with one other are one finding, which names both files, their releases and the rule that brought
 * them together; the remedy is a file that would do, where there is one.
 */
#include "scan.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "json_text.h"
#include "loader_search.h"

#define NAMED 3 /* how many symbols a finding names */
#define MAX_TOLD 4096 /* faults that are looked into: more are a hostile file's, or hide no other cause */
#define MAX_MISSING 256 /* names in "missing" of one family, for the same reason */

/* Faults of one kind between two objects. */
struct group {
	struct gw_scan_walk *walk;
	const struct gw_faults *faults;
	const struct gw_fault *first;
	size_t count;
	bool more; /* there are too many faults for all to be told */
	const char *newest; /* the first release that has all of them; NULL: not known */
	bool is_public;     /* each is declared by a header */
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool belongs(const struct group *group, const struct gw_fault *fault)
{
	return fault->kind == group->first->kind && fault->object == group->first->object &&
	       fault->named == group->first->named && (fault->named || !fault->version);
}

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return text;
}

/* "PATH (release R)", to free. */
static char *described(struct gw_scan *scan, const char *path)
{
	char *release = gw_scan_release(scan, path, true);
	char *text = release ? text_of("%s (release %s)", path, release) : strdup(path);

	free(release);
	return text;
}

/* "a, b, c and 4 more", to free. */
static char *names_of(const struct group *group)
{
	char *text = NULL;
	size_t told = 0;

	for (size_t i = 0; i < group->faults->count && told < NAMED; i++) {
		const struct gw_fault *fault = &group->faults->fault[i];
		char *more;

		if (!belongs(group, fault))
			continue;
		more = text_of("%s%s%s", text ? text : "", text ? ", " : "", fault->name);
		free(text);
		text = more;
		told++;
	}
	if (text && group->count > told) {
		char *more = text_of("%s and %zu more%s", text, group->count - told, group->more ? " or yet more" : "");

		free(text);
		text = more;
	}
	return text;
}

static bool is_declared(const struct abi_family *family, const char *symbol)
{
	for (size_t f = family->first[ABI_FUNCTION]; f < family->first[ABI_FUNCTION + 1]; f++)
		if (strcmp(family->facts[f].column[0], symbol) == 0)
			return true;
	return false;
}

/* What the database knows of a group's symbols. */
static void look_up(struct group *group)
{
	const struct abi_db *db = &group->walk->scan->db;
	const struct gw_fault *first = group->first;
	const struct abi_family *family = first->version && first->version->file
						  ? gw_scan_family(db, first->version->file)
						  : NULL;
	int newest = -1;

	group->is_public = family != NULL;
	for (size_t i = 0; i < group->faults->count && family; i++) {
		const struct gw_fault *fault = &group->faults->fault[i];
		const char *release;
		int at;

		if (!belongs(group, fault) || !fault->name)
			continue;
		group->is_public &= is_declared(family, fault->name);
		release = gw_scan_first_release(family, fault->name);
		at = release ? abi_family_release(family, release) : -1;
		if (at < 0) {
			group->newest = NULL;
			group->is_public = false;
			return;
		}
		newest = at > newest ? at : newest;
	}
	group->newest = newest >= 0 ? family->releases[newest].version : NULL;
}

/* Why NAMED was taken: the rule, in words. To free. */
static char *reason(const struct gw_mapped *named)
{
	const char *needer = named->by ? base_of(named->by->file->path) : NULL;

	switch (named->rule) {
	case GW_RULE_LIBRARY_PATH:
		return named->by && named->by->file->elf.runpath
			       ? text_of("taken from LD_LIBRARY_PATH, which comes before the "
					 "RUNPATH of %s",
					 needer)
			       : strdup("taken from LD_LIBRARY_PATH");
	case GW_RULE_RPATH:
	case GW_RULE_RUNPATH:
		return text_of("taken from the %s of %s", gw_rule_name(named->rule),
			       base_of(named->owner ? named->owner->path : named->file->path));
	default:
		return named->by ? text_of("taken from %s", gw_rule_name(named->rule))
				 : strdup("mapped before");
	}
}

/* A search for another file of the same name that has what is lacking. */
struct hunt {
	const struct group *group;
	char *path;
};

static bool serves(void *context, const struct gw_candidate *candidate)
{
	struct hunt *hunt = context;
	const struct group *group = hunt->group;
	const struct gw_file *bad = group->first->named->file;
	struct gw_file *file = gw_loader_file(&group->walk->scan->loader, candidate->path);

	if (!file || file->status ||
	    (file->elf.inode == bad->elf.inode && file->elf.device == bad->elf.device))
		return false;
	for (size_t i = 0; i < group->faults->count; i++) {
		const struct gw_fault *fault = &group->faults->fault[i];
		struct gw_elf_query query;
		uint32_t index;

		if (!belongs(group, fault) || !fault->name)
			continue;
		gw_elf_query_init(&query, fault->name, fault->version);
		query.plt = true;
		if (gw_elf_find(&file->elf, &query, &index) != GW_ELF_FOUND)
			return false;
	}
	hunt->path = strdup(candidate->path);
	return true;
}

/* The same name in the wheels beside. */
static void hunt_python(struct hunt *hunt, const char *name)
{
	const struct gw_scan_walk *walk = hunt->group->walk;
	const struct gw_python_paths *paths = walk->python;

	for (size_t i = 0; i < paths->count && !hunt->path; i++) {
		char pattern[PATH_MAX];
		glob_t matches;

		if (snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib/%s", paths->directory[i],
			     name) >= (int)sizeof pattern ||
		    glob(pattern, 0, NULL, &matches) != 0)
			continue;
		for (size_t m = 0; m < matches.gl_pathc && !hunt->path; m++) {
			const struct gw_candidate candidate = {
				gw_loader_inside(&walk->scan->loader, matches.gl_pathv[m]),
				GW_RULE_FALLBACK, NULL};

			serves(hunt, &candidate);
		}
		globfree(&matches);
	}
}

/* A file of the same name that would do, to free: what the loader would come to later, what lies
 * beside who needs it, what a wheel has. NULL where none does. */
static char *better(const struct group *group)
{
	const struct gw_mapped *named = group->first->named, *object = group->first->object;
	const char *name = group->first->version->file;
	char beside[PATH_MAX];
	struct hunt hunt = {.group = group};
	struct gw_search search = {
		.loader = &group->walk->scan->loader,
		.needer = named->by ? &named->by->needer : &object->needer,
		.program = group->walk->map.all.object[0]->file,
		.visit = serves,
		.context = &hunt,
	};

	if (!strchr(name, '/')) {
		const struct gw_candidate candidate = {beside, GW_RULE_PATH, NULL};
		char host[PATH_MAX];

		gw_loader_search(&search, name);
		if (!hunt.path && object->file->origin &&
		    snprintf(beside, sizeof beside, "%s/%s", object->file->origin, name) <
			    (int)sizeof beside &&
		    gw_loader_host(search.loader, beside, host) == 0 && access(host, R_OK) == 0)
			serves(&hunt, &candidate);
		if (!hunt.path)
			hunt_python(&hunt, name);
	}
	return hunt.path;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static char *remedy_of(const struct group *group)
{
	const struct gw_mapped *named = group->first->named;
	const struct abi_family *family =
		gw_scan_family(&group->walk->scan->db, group->first->version->file);
	char *path = better(group), *good, *bad, *package, *text;

	if (path) {
		good = directory_of(path);
		bad = directory_of(named->file->path);
		if (good && bad && named->rule == GW_RULE_LIBRARY_PATH)
			text = text_of("take %s out of LD_LIBRARY_PATH, or put the right one "
				       "first: LD_LIBRARY_PATH=%s",
				       bad, good);
		else
			text = text_of("name the right directory: LD_LIBRARY_PATH=%s",
				       good ? good : path);
		free(good);
		free(bad);
		free(path);
		return text;
	}
	package = family && group->newest ? gw_scan_package(family, group->newest) : NULL;
	if (package && group->is_public)
		text = text_of("install release %s of it, or a newer one of the same soname: pip "
			       "install '%s>=%s'; or start the program with gangway run, which "
			       "loads it, and refuses what the library cannot do",
			       group->newest, package, group->newest);
	else if (package)
		text = text_of(
			"install both from one release: pip install %s==%s holds what is "
			"missing; these functions are private, and gangway cannot supply them",
			package, group->newest);
	else
		text = strdup(gw_finding_remedy(GW_FINDING_SYMBOL_NOW));
	free(package);
	return text;
}

/* Symbols of a library that is there. */
static void tell_symbols(struct group *group)
{
	bool now = group->first->kind == GW_FAULT_SYMBOL;
	bool opened_by_any = !group->walk->map.all.object[0]->file->elf.interpreter;
	struct gw_scan *scan = group->walk->scan;
	char *names = names_of(group), *needer, *named, *why, *remedy;

	look_up(group);
	needer = described(scan, group->first->object->file->path);
	named = described(scan, group->first->named->file->path);
	why = reason(group->first->named);
	remedy = remedy_of(group);
	if (names && needer && named && why && remedy)
		gw_scan_finding(
			group->walk->findings,
			now ? GW_FINDING_SYMBOL_NOW : GW_FINDING_SYMBOL_LATER, remedy,
			"%s needs %s, which %s lacks%s%s (%s): undefined symbol %s", needer, names,
			named, group->newest ? "; the first release that has it is " : "",
			group->newest ? group->newest : "", why,
			now             ? "when it is loaded"
			: opened_by_any ? "at the first call, or at once where it is opened "
					  "with RTLD_NOW, as Python does"
					: "at the first call");
	*group->walk->severe = true;
	free(names);
	free(needer);
	free(named);
	free(why);
	free(remedy);
}

/* Symbols without a version, or whose library nobody names: whoever is in scope may have them. */
static void tell_plain(struct group *group)
{
	const struct gw_mapped *object = group->first->object;
	bool opened = group->walk->map.local.count, now = group->first->kind == GW_FAULT_SYMBOL;
	bool program = group->walk->map.all.object[0]->file->elf.interpreter && !opened;
	char *names = names_of(group);

	if (names && (program || opened))
		gw_scan_finding(group->walk->findings,
				now ? GW_FINDING_PLAIN_NOW : GW_FINDING_PLAIN_LATER, NULL,
				"%s needs %s, which nothing that is loaded with it defines: "
				"undefined symbol %s",
				object->file->path, names,
				now ? "when it is loaded" : "at the first call");
	else if (names)
		gw_scan_finding(
			group->walk->findings, GW_FINDING_PLAIN_OPENED, NULL,
			"%s needs %s, which no library that it needs defines: whoever opens "
			"it must have them",
			object->file->path, names);
	if (now && (program || opened))
		*group->walk->severe = true;
	free(names);
}

/* A version that is not defined: often a link of one soname to a library of another. */
static void tell_version(struct group *group)
{
	const struct gw_fault *fault = group->first;
	struct gw_scan *scan = group->walk->scan;
	const char *path = fault->named->file->path, *soname = fault->named->file->elf.soname;
	char real[PATH_MAX];
	bool is_link = gw_loader_real(&scan->loader, path, real) == 0 && strcmp(real, path) != 0 &&
		       soname && strcmp(soname, base_of(path)) != 0 &&
		       strcmp(soname, fault->version->file) != 0;
	bool facade = gw_scan_has_facade(scan, fault->version->file);
	char *named = described(scan, path);

	if (is_link && facade)
		gw_scan_finding(group->walk->findings, GW_FINDING_VERSION_MISSING,
				"remove that link, and start the program with gangway run, which "
				"has a facade of it; or install the library itself",
				"version `%s' not found: %s is a link to %s, which is a %s, and %s "
				"was linked to another library",
				fault->version->node, path, real, soname,
				fault->object->file->path);
	else if (is_link)
		gw_scan_finding(group->walk->findings, GW_FINDING_VERSION_MISSING,
				"remove that link, and install the library that it stands for",
				"version `%s' not found: %s is a link to %s, which is a %s, and %s "
				"was linked to another library",
				fault->version->node, path, real, soname,
				fault->object->file->path);
	else
		gw_scan_finding(group->walk->findings, GW_FINDING_VERSION_MISSING, NULL,
				"version `%s' not found in %s, which %s was linked to",
				fault->version->node, named ? named : path,
				fault->object->file->path);
	*group->walk->severe = true;
	free(named);
}

static void tell_assertion(struct group *group)
{
	const struct gw_fault *fault = group->first;

	if (fault->kind == GW_FAULT_UNMAPPED)
		gw_scan_finding(group->walk->findings, GW_FINDING_LOADER_ENDS, NULL,
				"%s needs versions of %s, and does not name it as needed: unless "
				"it is loaded already, the loader ends the process",
				fault->object->file->path, fault->version->file);
	else
		gw_scan_finding(group->walk->findings, GW_FINDING_LOADER_ENDS,
				"install the vendor's own library in its place",
				"%s has no versions, and %s needs %s of it with version %s: the "
				"loader ends the process",
				fault->named ? fault->named->file->path : fault->version->file,
				fault->object->file->path, fault->name, fault->version->node);
	*group->walk->severe = true;
}

/* "missing" of the imports, where the release that is there lacks what others have. */
static void note_missing(const struct group *group, const struct gw_fault *fault, json_t *imports)
{
	const struct abi_family *family =
		fault->version && fault->version->file
			? gw_scan_family(&group->walk->scan->db, fault->version->file)
			: NULL;
	json_t *missing =
		       family ? json_object_get(json_object_get(imports, family->name), "missing")
			      : NULL,
	       *item;
	size_t i;

	if (json_array_size(missing) >= MAX_MISSING)
		return;
	json_array_foreach(missing, i,
			   item) if (strcmp(json_string_value(json_object_get(item, "name")),
					    fault->name) == 0) return;
	if (missing)
		json_array_append_new(missing,
				      json_pack("{s:o,s:o,s:s?}", "name", gw_json_text(fault->name), "node",
						gw_json_text(fault->version->node), "first_release",
						gw_scan_first_release(family, fault->name)));
}

static void tell(struct group *group)
{
	switch (group->first->kind) {
	case GW_FAULT_VERSION:
		tell_version(group);
		break;
	case GW_FAULT_UNMAPPED:
	case GW_FAULT_PLAIN:
		tell_assertion(group);
		break;
	default:
		if (group->first->named)
			tell_symbols(group);
		else
			tell_plain(group);
	}
}

/* Is it the first fault of its group? Each group is told once. A missing version is told alone. */
static bool opens_group(struct group *group, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (belongs(group, &group->faults->fault[i]) &&
		    (group->first->kind != GW_FAULT_VERSION ||
		     strcmp(group->faults->fault[i].version->node, group->first->version->node) ==
			     0))
			return false;
	for (size_t i = index; i < group->faults->count; i++)
		group->count += belongs(group, &group->faults->fault[i]);
	return true;
}

void gw_scan_faults(struct gw_scan_walk *walk, const struct gw_faults *all,
		    const struct gw_mapped *first, json_t *imports, bool one)
{
	const struct gw_faults told = {all->fault, all->count < MAX_TOLD ? all->count : MAX_TOLD}, *faults = &told;

	for (size_t i = 0; i < faults->count; i++) {
		const struct gw_fault *fault = &faults->fault[i];
		struct group group = {.walk = walk, .faults = faults, .first = fault, .more = all->count > MAX_TOLD};

		if (one && fault->object != first)
			continue;
		if (fault->object == first && fault->named &&
		    (fault->kind == GW_FAULT_SYMBOL || fault->kind == GW_FAULT_CALL))
			note_missing(&group, fault, imports);
		if (opens_group(&group, i))
			tell(&group);
	}
}

static bool same_directory(const struct gw_loader *loader, const char *a, const char *b)
{
	char left[PATH_MAX], right[PATH_MAX];

	if (gw_loader_real(loader, a, left) != 0 || gw_loader_real(loader, b, right) != 0)
		return true;
	return strrchr(left, '/') - left == strrchr(right, '/') - right &&
	       strncmp(left, right, (size_t)(strrchr(left, '/') - left)) == 0;
}

/* "A" or "A to B". */
static bool parse_range(const char *text, unsigned first[4], unsigned last[4])
{
	const char *to = strstr(text, " to ");

	return abi_version_parse(text, to ? (size_t)(to - text) : strlen(text), first) &&
	       abi_version_parse(to ? to + 4 : text, strlen(to ? to + 4 : text), last);
}

/* Can the two not be one release? */
static bool differ(const char *a, const char *b)
{
	unsigned a_first[4], a_last[4], b_first[4], b_last[4];

	if (!parse_range(a, a_first, a_last) || !parse_range(b, b_first, b_last))
		return strcmp(a, b) != 0;
	return abi_version_compare(a_last, b_first) < 0 || abi_version_compare(b_last, a_first) < 0;
}

/* Nothing says that these are two. */
static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* A and B, which A needs, of one suite: from two directories, and of two releases. */
static void check_partners(struct gw_scan_walk *walk, const struct gw_mapped *a,
			   const struct gw_mapped *b)
{
	char *left = gw_scan_release(walk->scan, a->file->path, true);
	char *right = gw_scan_release(walk->scan, b->file->path, true);
	char *why = reason(b), *remedy = NULL;
	const char *good = a->file->origin;

	if (good)
		remedy = text_of("%s: LD_LIBRARY_PATH=%s", gw_finding_remedy(GW_FINDING_PARTNERS_DIFFER), good);
	if (left && right && why && remedy && differ(left, right)) {
		gw_scan_finding(walk->findings, GW_FINDING_PARTNERS_DIFFER, remedy,
				"%s is release %s, and %s, which it needs, is release %s (%s): "
				"they call each other through an interface that changes with every "
				"release, and calls will fail",
				a->file->path, left, b->file->path, right, why);
		*walk->severe = true;
	} else if (!(left && right && same(left, right)) && why && remedy) {
		gw_scan_finding(walk->findings, GW_FINDING_PARTNERS_APART, remedy,
				"%s and %s, which it needs, come from two directories (%s), and "
				"their releases cannot be told",
				a->file->path, b->file->path, why);
	}
	free(left);
	free(right);
	free(why);
	free(remedy);
}

/* Is it told already that A misses something of B? */
static bool is_told(const struct gw_faults *faults, const struct gw_mapped *a,
		    const struct gw_mapped *b)
{
	for (size_t i = 0; i < faults->count; i++)
		if (faults->fault[i].object == a && faults->fault[i].named == b)
			return true;
	return false;
}

void gw_scan_partners(struct gw_scan_walk *walk, const struct gw_faults *faults,
		      const struct gw_mapped *one)
{
	const struct abi_db *db = &walk->scan->db;

	for (size_t o = 0; o < walk->map.all.count; o++) {
		const struct gw_mapped *object = walk->map.all.object[o];
		const char *soname = object->file->elf.soname, *suite;

		suite = soname && (!one || one == object) ? gw_scan_suite(db, soname) : NULL;
		for (size_t i = 0; suite && i < object->file->elf.needed_count; i++) {
			const struct gw_mapped *partner = object->needs[i].object;
			const char *other = partner ? partner->file->elf.soname : NULL, *its;

			its = other ? gw_scan_suite(db, other) : NULL;
			if (its && strcmp(its, suite) == 0 && !is_told(faults, object, partner) &&
			    !same_directory(&walk->scan->loader, object->file->path,
					    partner->file->path))
				check_partners(walk, object, partner);
		}
	}
}
