/* SPDX-License-Identifier: Apache-2.0 */
/* Tells of symbols that would be missing (scan_fault.h): GW-111 to GW-113, GW-118, GW-119. The remedy is a file that has them, where there is one. */
#include "scan_fault.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "loader_search.h"

static bool is_declared(const struct abi_family *family, const char *symbol)
{
	for (size_t f = family->first[ABI_FUNCTION]; f < family->first[ABI_FUNCTION + 1]; f++)
		if (strcmp(family->facts[f].column[0], symbol) == 0)
			return true;
	return false;
}

/* What the database knows of a group's symbols. */
static void look_up(struct gw_fault_group *group)
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

		if (!gw_fault_belongs(group, fault) || !fault->name)
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

/* A search for another file of the same name that has what is lacking. */
struct hunt {
	const struct gw_fault_group *group;
	char *path;
};

static bool serves(void *context, const struct gw_candidate *candidate)
{
	struct hunt *hunt = context;
	const struct gw_fault_group *group = hunt->group;
	const struct gw_file *bad = group->first->named->file;
	struct gw_file *file = gw_loader_file(&group->walk->scan->loader, candidate->path);

	if (!file || file->status ||
	    (file->elf.inode == bad->elf.inode && file->elf.device == bad->elf.device))
		return false;
	for (size_t i = 0; i < group->faults->count; i++) {
		const struct gw_fault *fault = &group->faults->fault[i];
		struct gw_elf_query query;
		uint32_t index;

		if (!gw_fault_belongs(group, fault) || !fault->name)
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
static char *better(const struct gw_fault_group *group)
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

static char *remedy_of(const struct gw_fault_group *group)
{
	const struct gw_mapped *named = group->first->named;
	const struct abi_family *family =
		gw_scan_family(&group->walk->scan->db, group->first->version->file);
	char *path = better(group), *good, *bad, *package, *text;

	if (path) {
		good = directory_of(path);
		bad = directory_of(named->file->path);
		if (good && bad && named->rule == GW_RULE_LIBRARY_PATH)
			text = gw_fault_text("take %s out of LD_LIBRARY_PATH, or put the right one "
				       "first: LD_LIBRARY_PATH=%s",
				       bad, good);
		else
			text = gw_fault_text("name the right directory: LD_LIBRARY_PATH=%s",
				       good ? good : path);
		free(good);
		free(bad);
		free(path);
		return text;
	}
	package = family && group->newest ? gw_scan_package(family, group->newest) : NULL;
	if (package && group->is_public)
		text = gw_fault_text("install release %s of it, or a newer one of the same soname: pip "
			       "install '%s>=%s'; or start the program with gangway run, which "
			       "loads it, and refuses what the library cannot do",
			       group->newest, package, group->newest);
	else if (package)
		text = gw_fault_text(
			"install both from one release: pip install %s==%s holds what is "
			"missing; these functions are private, and gangway cannot supply them",
			package, group->newest);
	else
		text = strdup(gw_finding_remedy(GW_FINDING_SYMBOL_NOW));
	free(package);
	return text;
}

void gw_fault_tell_symbols(struct gw_fault_group *group)
{
	bool now = group->first->kind == GW_FAULT_SYMBOL;
	bool opened_by_any = !group->walk->map.all.object[0]->file->elf.interpreter;
	struct gw_scan *scan = group->walk->scan;
	char *names = gw_fault_names(group), *needer, *named, *why, *remedy;

	look_up(group);
	needer = gw_fault_described(scan, group->first->object->file->path);
	named = gw_fault_described(scan, group->first->named->file->path);
	why = gw_fault_reason(group->first->named);
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

void gw_fault_tell_plain(struct gw_fault_group *group)
{
	const struct gw_mapped *object = group->first->object;
	bool opened = group->walk->map.local.count, now = group->first->kind == GW_FAULT_SYMBOL;
	bool program = group->walk->map.all.object[0]->file->elf.interpreter && !opened;
	char *names = gw_fault_names(group);

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
