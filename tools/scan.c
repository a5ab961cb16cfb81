/* SPDX-License-Identifier: Apache-2.0 */
/* Follows what a file needs, breadth first as the loader does (scan.h). */
#include "scan.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "target.h"

#define MAX_OBJECTS 4096

struct object {
	struct gw_elf elf;
	struct gw_needer needer;
};

/* A name that somebody needs, and what it gets. */
struct answer {
	char *name, *path;
	char *lacking; /* what its facade would forward to, and nobody has; NULL where that is not
			  the matter */
	const char *status, *through;
};

struct walk {
	const struct gw_scan *scan;
	struct gw_python_paths python; /* this file's own; empty where some were given */
	struct object **objects;       /* in the order in which they would be mapped */
	size_t object_count;
	struct answer *answers;
	size_t answer_count;
	json_t *needs, *findings;
	bool *severe;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The one file NAME in <site>/nvidia/<package>/lib; NULL where there are none, or several that
 * differ. */
static char *search_python(const struct walk *walk, const char *name)
{
	const struct gw_python_paths *paths =
		walk->scan->given.count ? &walk->scan->given : &walk->python;
	char *found = NULL;
	struct stat first = {0}, info;

	for (size_t i = 0; i < paths->count; i++) {
		char pattern[PATH_MAX];
		glob_t matches;

		if (strpbrk(name, "*?[\\") ||
		    snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib/%s", paths->directory[i],
			     name) >= (int)sizeof pattern ||
		    glob(pattern, 0, NULL, &matches) != 0)
			continue;
		for (size_t m = 0; m < matches.gl_pathc; m++) {
			if (stat(matches.gl_pathv[m], &info) != 0 || !S_ISREG(info.st_mode))
				continue;
			if (found && (info.st_dev != first.st_dev || info.st_ino != first.st_ino)) {
				free(found);
				globfree(&matches);
				return NULL;
			}
			if (!found)
				found = strdup(matches.gl_pathv[m]);
			first = info;
		}
		globfree(&matches);
	}
	return found;
}

static bool has_facade(const struct gw_scan *scan, const char *name)
{
	char path[PATH_MAX];

	return scan->facades && !strchr(name, '/') && gw_target_has_facade(name) &&
	       snprintf(path, sizeof path, "%s/%s", scan->facades, name) < (int)sizeof path &&
	       access(path, R_OK) == 0;
}

static const struct answer *answered(const struct walk *walk, const char *name)
{
	for (size_t i = 0; i < walk->answer_count; i++)
		if (strcmp(walk->answers[i].name, name) == 0)
			return &walk->answers[i];
	return NULL;
}

static struct answer *answer_new(struct walk *walk, const char *name)
{
	struct answer *more = realloc(walk->answers, (walk->answer_count + 1) * sizeof *more);

	if (!more)
		return NULL;
	walk->answers = more;
	more[walk->answer_count] = (struct answer){.name = strdup(name)};
	return more[walk->answer_count].name ? &more[walk->answer_count++] : NULL;
}

/* Maps PATH, unless it is mapped already, and remembers its soname as answered. */
static bool map(struct walk *walk, const char *path, const struct gw_needer *by, bool imports,
		char *error, size_t size)
{
	struct object *object, **more;
	struct answer *answer;

	for (size_t i = 0; i < walk->object_count; i++)
		if (strcmp(walk->objects[i]->elf.path, path) == 0)
			return true;
	more = realloc(walk->objects, (walk->object_count + 1) * sizeof(struct object *));
	object = calloc(1, sizeof *object);
	if (more)
		walk->objects = more;
	if (!more || !object || walk->object_count == MAX_OBJECTS) {
		snprintf(error, size, "%s: too many libraries, or out of memory", path);
		free(object);
		return false;
	}
	if (gw_elf_read(&object->elf, path, imports, error, size) != 0) {
		free(object);
		return false;
	}
	object->needer = (struct gw_needer){&object->elf, by};
	walk->objects[walk->object_count++] = object;
	if (object->elf.soname && !answered(walk, object->elf.soname)) {
		answer = answer_new(walk, object->elf.soname);
		if (answer) {
			answer->status = "found";
			answer->path = strdup(path);
		}
	}
	return true;
}

/* The file that the facade NAME would forward to, to free; NULL with what it lacks in *LACKING. */
static char *search_target(const struct walk *walk, const char *name, char **lacking)
{
	const struct gw_scan *scan = walk->scan;
	const struct gw_target_places places = {
		.loader_path = scan->loader.library_path,
		.facades = scan->facades,
		.python = scan->given.count ? &scan->given : &walk->python,
		.loader = &scan->loader,
	};
	char names[512];
	char *path = gw_target_find(&places, name, names, sizeof names);

	*lacking = path ? NULL : strdup(names);
	return path;
}

/* What the search for NAME by OBJECT ends with. */
static const struct answer *resolve(struct walk *walk, const struct object *object,
				    const char *name)
{
	char *path = gw_loader_search(&walk->scan->loader, &object->needer, name), *lacking = NULL;
	const char *status = "found", *through = NULL;
	char error[1024];
	struct answer *answer;

	if (!path && (path = search_python(walk, name)))
		through = "python";
	if (!path && has_facade(walk->scan, name) && (path = search_target(walk, name, &lacking)))
		status = "facade";
	if (!path)
		status = "missing";
	answer = answer_new(walk, name);
	if (!answer) {
		free(path);
		free(lacking);
		return NULL;
	}
	*answer = (struct answer){answer->name, path, lacking, status, through};
	if (strcmp(status, "found") == 0 &&
	    !map(walk, path, &object->needer, false, error, sizeof error)) {
		*walk->severe = true;
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_BROKEN, NULL,
				"%s, which %s needs", error, object->elf.path);
	}
	return answered(walk, name);
}

/*
 * The release that a wheel's own metadata gives for a file in <site>/nvidia/<package>/lib: the one
 * nvidia_<package>*-RELEASE.dist-info beside it. To free; NULL where there is none, or several.
 */
static char *release_of(const char *path)
{
	const char *site_end = strstr(path, "/nvidia/"), *package, *name, *dash, *end;
	char pattern[PATH_MAX];
	char *release = NULL;
	glob_t matches;
	size_t length;

	for (const char *next = site_end; next; next = strstr(next + 1, "/nvidia/"))
		site_end = next;
	if (!site_end)
		return NULL;
	package = site_end + strlen("/nvidia/");
	length = strcspn(package, "/");
	if (strncmp(package + length, "/lib/", 5) != 0 ||
	    snprintf(pattern, sizeof pattern, "%.*s/nvidia_%.*s*-*.dist-info",
		     (int)(site_end - path), path, (int)length, package) >= (int)sizeof pattern ||
	    glob(pattern, GLOB_ONLYDIR, NULL, &matches) != 0)
		return NULL;
	if (matches.gl_pathc == 1) {
		name = base_of(matches.gl_pathv[0]);
		dash = strchr(name, '-');
		end = strstr(name, ".dist-info");
		if (dash && end && dash < end)
			release = strndup(dash + 1, (size_t)(end - dash - 1));
	}
	globfree(&matches);
	return release;
}

/* The finding of one answer that is not simply found. */
static void tell(struct walk *walk, const struct object *object, const struct answer *answer,
		 const struct abi_family *family)
{
	const char *needer = base_of(object->elf.path);

	if (strcmp(answer->status, "missing") == 0)
		*walk->severe = true;
	if (answer->lacking)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_MISSING,
				gw_finding_remedy(GW_FINDING_NO_TARGET),
				"%s, which %s needs, is not here, and its facade has nothing to "
				"forward to (looked for %s)",
				answer->name, needer, answer->lacking);
	else if (strcmp(answer->status, "missing") == 0)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_MISSING,
				family ? NULL : "install it; gangway has no facade for it",
				"%s, which %s needs, is nowhere that the loader looks",
				answer->name, needer);
	else if (strcmp(answer->status, "facade") == 0)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_FACADE, NULL,
				"%s, which %s needs, is not here; a facade can stand in for it, "
				"and forward to %s",
				answer->name, needer, answer->path);
	else if (answer->through)
		gw_scan_finding(walk->findings, GW_FINDING_NEEDED_PYTHON, NULL,
				"%s, which %s needs, is only on the Python paths: %s", answer->name,
				needer, answer->path);
}

static void report(struct walk *walk, const struct object *object, const struct answer *answer)
{
	const struct abi_family *family = gw_scan_family(&walk->scan->db, answer->name);
	bool direct = object == walk->objects[0], found = strcmp(answer->status, "found") == 0;
	char *release = NULL;
	json_t *need;

	if (!direct && found)
		return;
	need = json_pack("{s:s,s:s,s:s?,s:s?}", "soname", answer->name, "status", answer->status,
			 "path", answer->path, "family", family ? family->name : NULL);
	if (answer->path && (release = release_of(answer->path)))
		json_object_set_new(need, "release", json_string(release));
	free(release);
	if (answer->through)
		json_object_set_new(need, "through", json_string(answer->through));
	if (!direct)
		json_object_set_new(need, "by", json_string(object->elf.path));
	json_array_append_new(walk->needs, need);
	tell(walk, object, answer, family);
}

static void follow(struct walk *walk)
{
	for (size_t o = 0; o < walk->object_count; o++) {
		const struct object *object = walk->objects[o];

		for (size_t i = 0; i < object->elf.needed_count; i++) {
			const struct answer *answer = answered(walk, object->elf.needed[i]);
			bool new = !answer;

			if (new)
				answer = resolve(walk, object, object->elf.needed[i]);
			if (answer && (new || o == 0))
				report(walk, object, answer);
		}
	}
}

static void walk_finish(struct walk *walk)
{
	for (size_t i = 0; i < walk->object_count; i++) {
		gw_elf_finish(&walk->objects[i]->elf);
		free(walk->objects[i]);
	}
	for (size_t i = 0; i < walk->answer_count; i++) {
		free(walk->answers[i].name);
		free(walk->answers[i].path);
		free(walk->answers[i].lacking);
	}
	free(walk->objects);
	free(walk->answers);
	gw_python_paths_finish(&walk->python);
}

json_t *gw_scan_file(const struct gw_scan *scan, const char *path, bool *severe, char *error,
		     size_t error_size)
{
	struct walk walk = {.scan = scan, .severe = severe};
	json_t *result = NULL;

	walk.needs = json_array();
	walk.findings = json_array();
	if (!scan->given.count && gw_python_paths_of_program(&walk.python, path) != 0)
		snprintf(error, error_size, "%s: out of memory", path);
	else if (map(&walk, path, NULL, true, error, error_size)) {
		const struct gw_elf *elf = &walk.objects[0]->elf;
		json_t *imports;

		follow(&walk);
		imports = gw_scan_imports(&scan->db, elf, walk.findings, severe);
		result = json_pack("{s:s,s:s?,s:O,s:o,s:o,s:O}", "path", path, "soname", elf->soname,
				   "needs", walk.needs, "imports", imports, "built_for",
				   gw_scan_built(&scan->db, elf, path), "findings", walk.findings);
		if (!result)
			snprintf(error, error_size, "%s: a name in it is not UTF-8", path);
	}
	json_decref(walk.needs);
	json_decref(walk.findings);
	walk_finish(&walk);
	return result;
}
