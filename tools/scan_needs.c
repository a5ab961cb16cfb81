/* SPDX-License-Identifier: Apache-2.0 */
/* What each needed name gets: a file, a file on the Python paths, a facade or nothing (scan.h). */
#include "scan.h"

#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "json_text.h"
#include "target.h"

#define MAX_TOLD 4096 /* names that are told: more are a hostile file's */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool gw_scan_has_facade(const struct gw_scan *scan, const char *name)
{
	char path[PATH_MAX];

	return scan->facades && !strchr(name, '/') && gw_target_has_facade(name) &&
	       snprintf(path, sizeof path, "%s/%s", scan->facades, name) < (int)sizeof path &&
	       access(path, R_OK) == 0;
}

const char *gw_scan_family_name(const struct gw_scan *scan, const char *base)
{
	const struct abi_family *family = gw_scan_family(&scan->db, base);
	char stem[GW_KNOWN_STEM];
	const char *version;

	return family ? family->name : gw_known_family(&scan->known, base, stem, &version);
}

char *gw_scan_target(const struct gw_scan_walk *walk, const char *name, char **lacking)
{
	const struct gw_scan *scan = walk->scan;
	const struct gw_target_places places = {
		.loader_path = scan->loader.library_path,
		.facades = scan->facades,
		.python = walk->python,
		.loader = &scan->loader,
	};
	char names[512];
	char *path = gw_target_find(&places, name, names, sizeof names);

	*lacking = path ? NULL : strdup(names);
	return path;
}

/* What one need gets, beside what the loader has for it. */
struct answer {
	const char *status, *path;
	char *target;  /* what its facade would forward to */
	char *lacking; /* or would have to, and nobody has */
	bool through;  /* it is only on the Python paths */
};

static struct answer answer_of(const struct gw_scan_walk *walk, const struct gw_need *need)
{
	struct answer answer = {.status = "found"};

	if (need->object) {
		answer.path = need->object->file->path;
		answer.through = need->object->rule == GW_RULE_FALLBACK;
	} else if (need->refused) {
		answer.path = need->refused_path;
	} else {
		if (gw_scan_has_facade(walk->scan, need->name))
			answer.target = gw_scan_target(walk, need->name, &answer.lacking);
		answer.status = answer.target ? "facade" : "missing";
		answer.path = answer.target;
	}
	return answer;
}

/* Does NAME lie beside OBJECT? Wheels bring libraries that each other needs, and that whoever loads
 * them finds for them. */
static bool is_beside(const struct gw_scan_walk *walk, const struct gw_mapped *object,
		      const char *name)
{
	char path[PATH_MAX], host[PATH_MAX];

	return object->file->origin && !strchr(name, '/') &&
	       snprintf(path, sizeof path, "%s/%s", object->file->origin, name) <
		       (int)sizeof path &&
	       gw_loader_host(&walk->scan->loader, path, host) == 0 && access(host, R_OK) == 0;
}

/* To free. NULL: as the registry says. */
static char *how_to_get(const struct gw_scan_walk *walk, const struct abi_family *family, const char *name)
{
	const char *known = gw_scan_family_name(walk->scan, name);
	char *package, *text = NULL;

	if (known && strcmp(known, "driver") == 0)
		return strdup("it comes with the GPU's driver: install that (a machine without a GPU has none)");
	if (family)
		return NULL;
	package = gw_scan_wheel(walk, name);
	if (!package)
		return strdup("install it; gangway has no facade for it");
	if (asprintf(&text, "pip install %s, and start the program with gangway run, which finds it there; gangway has no facade for it", package) < 0)
		text = NULL;
	free(package);
	return text;
}

/* The finding of a need that nothing was found for, or nothing that serves without us. */
static void tell(struct gw_scan_walk *walk, const struct gw_mapped *object,
		 const struct gw_need *need, const struct answer *answer,
		 const struct abi_family *family)
{
	const char *needer = base_of(object->file->path);
	char *remedy = strcmp(answer->status, "missing") == 0 ? how_to_get(walk, family, need->name) : NULL;

	if (need->refused)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_BROKEN, NULL,
				"%s, which %s needs", need->refused, object->file->path);
	else if (answer->lacking)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_MISSING,
				gw_finding_remedy(GW_FINDING_NO_TARGET),
				"%s, which %s needs, is not here, and its facade has nothing to "
				"forward to (looked for %s)",
				need->name, needer, answer->lacking);
	else if (strcmp(answer->status, "missing") == 0 && is_beside(walk, object, need->name))
		gw_scan_finding(
			walk->findings, GW_FINDING_NEEDED_BESIDE, NULL,
			"%s, which %s needs, lies beside it, where the loader does not look: "
			"who loads %s must have loaded it",
			need->name, needer, needer);
	else if (strcmp(answer->status, "missing") == 0)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_MISSING, remedy,
				"%s, which %s needs, is nowhere that the loader looks%s%s",
				need->name, needer,
				need->other ? "; passed over, for it is for another machine: " : "",
				need->other ? need->other : "");
	else if (answer->target)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_FACADE, NULL,
				"%s, which %s needs, is not here; a facade can stand in for it, "
				"and forward to %s",
				need->name, needer, answer->path);
	else if (answer->through)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_PYTHON, NULL,
				"%s, which %s needs, is only on the Python paths: %s", need->name,
				needer, answer->path);
	if (need->refused ||
	    (strcmp(answer->status, "missing") == 0 && !is_beside(walk, object, need->name)))
		*walk->severe = true;
	free(remedy);
}

static void report(struct gw_scan_walk *walk, const struct gw_mapped *object,
		   const struct gw_need *need, bool direct)
{
	const struct abi_family *family = gw_scan_family(&walk->scan->db, need->name);
	struct answer answer = answer_of(walk, need);
	char *release = NULL;
	json_t *out;

	if (direct || strcmp(answer.status, "found") != 0) {
		out = json_pack("{s:o,s:s,s:o,s:s?}", "soname", gw_json_text(need->name), "status",
				answer.status, "path", gw_json_text(answer.path), "family",
				gw_scan_family_name(walk->scan, need->name));
		if (answer.path && (release = gw_scan_release(walk->scan, answer.path, false)))
			json_object_set_new(out, "release", json_string(release));
		if (answer.through)
			json_object_set_new(out, "through", json_string("python"));
		else if (need->object && !need->object->is_loader && need->object->by)
			json_object_set_new(out, "rule",
					    json_string(gw_rule_name(need->object->rule)));
		if (!direct)
			json_object_set_new(out, "by", gw_json_text(object->file->path));
		json_array_append_new(walk->needs, out);
	}
	if (direct || strcmp(answer.status, "found") != 0 || need->refused || answer.through)
		tell(walk, object, need, &answer, family);
	free(release);
	free(answer.target);
	free(answer.lacking);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void keep(void *name)
{
	(void)name; /* the file's own */
}

/* Is NAME told already, needed by an earlier object or entry? Keeps it. */
static bool was_needed(void **told, const char *name)
{
	if (tfind(name, told, compare))
		return true;
	tsearch(name, told, compare);
	return false;
}

void gw_scan_needs(struct gw_scan_walk *walk, const struct gw_scope *scope)
{
	size_t count = 0;
	void *told = NULL;

	for (size_t o = 0; o < scope->count; o++) {
		const struct gw_mapped *object = scope->object[o];

		for (size_t i = 0; i < object->file->elf.needed_count && count < MAX_TOLD; i++) {
			const struct gw_need *need = &object->needs[i];
			bool plain = need->object && need->object->rule != GW_RULE_FALLBACK;

			/* The loader goes on without what helps another library. */
			if ((need->kind == GW_ELF_AUXILIARY && !need->object) || was_needed(&told, need->name) || (o && plain))
				continue;
			report(walk, object, need, o == 0);
			count++;
		}
	}
	tdestroy(told, keep);
}
