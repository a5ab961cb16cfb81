/* SPDX-License-Identifier: Apache-2.0 */
/* Which name a program asks for of each library, and which file it would get (verify.h). Looks alone: nothing is loaded. */
#include "verify.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"
#include "loader_map.h"
#include "loader_search.h"
#include "target.h"

struct gw_verify_row {
	const char *library;
	int major; /* 0: any */
	const char *soname;
};

#include "verify_table.h"

enum { ROWS = sizeof rows / sizeof *rows, MOST_PLACES = 100000 };

static bool take_first(void *context, const struct gw_candidate *candidate)
{
	*(char **)context = strdup(candidate->path);
	return true;
}

/* What the loader would take when NEEDER asks for SONAME. To free; NULL. */
static char *ask_loader(struct gw_verify *verify, const char *needer, const char *soname)
{
	char *path = NULL;
	struct gw_needer by = {.file = gw_loader_file(&verify->loader, needer)};
	struct gw_search search = {.loader = &verify->loader, .needer = &by, .program = by.file, .visit = take_first, .context = &path};

	verify->loader.budget = MOST_PLACES;
	if (by.file && !by.file->status)
		gw_loader_search(&search, soname);
	return path;
}

/* The same in the Python paths' directories of libraries. */
static char *look_in_python(const struct gw_verify *verify, const char *soname)
{
	static const char *const places[] = {"nvidia/*/lib", "torch/lib"};

	for (size_t i = 0; i < verify->python.count; i++)
		for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
			char pattern[PATH_MAX];
			glob_t found;
			char *path = NULL;

			snprintf(pattern, sizeof pattern, "%s/%s/%s", verify->python.directory[i], places[k], soname);
			if (glob(pattern, 0, NULL, &found) != 0)
				continue;
			path = strdup(found.gl_pathv[0]);
			globfree(&found);
			return path;
		}
	return NULL;
}

/* Python's programs look into their environment first, others where the loader does. */
static char *look(struct gw_verify *verify, const char *soname)
{
	const char *needer = verify->program ? verify->program : verify->framework ? verify->framework : verify->helper;
	char *path = verify->python_given ? look_in_python(verify, soname) : NULL;

	if (!path)
		path = ask_loader(verify, needer, soname);
	if (!path && !verify->program)
		path = look_in_python(verify, soname);
	return path;
}

static struct gw_verify_library *library_of(struct gw_verify *verify, const char *name)
{
	struct gw_verify_library *library;

	for (size_t i = 0; i < verify->library_count; i++)
		if (!strcmp(verify->library[i].name, name))
			return &verify->library[i];
	if (verify->library_count == GW_VERIFY_MOST_LIBRARIES)
		return NULL;
	library = &verify->library[verify->library_count++];
	*library = (struct gw_verify_library){.name = name};
	return library;
}

/* All that FILE needs, directly and not. Its majors decide where the name alone does. */
static int take_needs(struct gw_verify *verify, const char *file)
{
	struct gw_map map = {0};
	char error[1024];

	if (gw_map_program(&map, &verify->loader, file, error, sizeof error) != 0) {
		gw_complain("%s", error);
		return GW_EXIT_FAILED;
	}
	for (size_t i = 0; i < map.all.count; i++)
		for (size_t k = 0; k < map.all.object[i]->file->elf.needed_count; k++) {
			const struct gw_need *need = &map.all.object[i]->needs[k];

			for (size_t r = 0; r < ROWS; r++) {
				struct gw_verify_library *library = strcmp(rows[r].soname, need->name) == 0 ? library_of(verify, rows[r].library) : NULL;

				if (!library || library->soname)
					continue;
				library->soname = rows[r].soname;
				library->needed = true;
				library->path = need->object ? strdup(need->object->file->path) : NULL;
				/* cuSOLVER and cuDNN have names that two majors share. */
				if (rows[r].major && !verify->major && strncmp(rows[r].library, "cu", 2) == 0 && strcmp(rows[r].library, "cudnn") &&
				    strcmp(rows[r].library, "cusolver"))
					verify->major = rows[r].major;
			}
		}
	gw_map_finish(&map);
	return 0;
}

/* The first file of a framework that the Python paths have. */
static void find_framework(struct gw_verify *verify)
{
	for (size_t i = 0; i < verify->python.count; i++)
		for (size_t k = 0; k < sizeof frameworks / sizeof *frameworks; k++) {
			char pattern[PATH_MAX];
			glob_t found;

			snprintf(pattern, sizeof pattern, "%s/%s", verify->python.directory[i], frameworks[k]);
			if (glob(pattern, 0, NULL, &found) != 0)
				continue;
			verify->framework = strdup(found.gl_pathv[0]);
			globfree(&found);
			return;
		}
}

static bool fits(const struct gw_verify *verify, const struct gw_verify_row *row, const char *library)
{
	return !strcmp(row->library, library) && (!row->major || !verify->major || row->major == verify->major);
}

/* The best name that a file is there for; else the best that a facade may answer, else the best. */
static void choose(struct gw_verify *verify, struct gw_verify_library *library, bool for_major)
{
	const char *best = NULL;

	for (size_t r = 0; r < ROWS && !library->path; r++)
		if (fits(verify, &rows[r], library->name)) {
			library->path = look(verify, rows[r].soname);
			library->soname = library->path ? rows[r].soname : library->soname;
			if (!best || (gw_target_has_facade(rows[r].soname) && !gw_target_has_facade(best)))
				best = rows[r].soname;
		}
	if (!library->soname)
		library->soname = best;
	library->needed = for_major && library->soname && gw_target_has_facade(library->soname);
}

/*
 * CUDA's major, where nobody named it: the newest whose cublasLt, or runtime, is there; of a Python environment that was named, the newest in
 * it, whatever else the machine has.
 */
static void choose_major(struct gw_verify *verify)
{
	static const char *const telling[] = {"cublasLt", "cublas", "cudart"};

	for (int everywhere = verify->python_given ? 0 : 1; everywhere < 2; everywhere++)
		for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
			for (size_t r = 0; r < ROWS && !verify->major; r++)
				if (!strcmp(rows[r].library, telling[i])) {
					char *path = everywhere ? look(verify, rows[r].soname) : look_in_python(verify, rows[r].soname);

					if (path)
						verify->major = rows[r].major;
					free(path);
				}
}

int gw_verify_find(struct gw_verify *verify)
{
	bool for_major = verify->major != 0;
	int result = 0;

	verify->loader.library_path = verify->library_path ? verify->library_path : getenv("LD_LIBRARY_PATH");
	if (verify->program && access(verify->program, R_OK) != 0) {
		gw_complain("--program %s: %s", verify->program, strerror(errno));
		return GW_EXIT_FAILED;
	}
	if (!verify->python.count && gw_python_paths_of_program(&verify->python, verify->program ? verify->program : verify->helper) != 0) {
		gw_complain("out of memory");
		return GW_EXIT_FAILED;
	}
	if (verify->program)
		result = take_needs(verify, verify->program);
	if (!result && !verify->program && verify->python_given && !for_major) {
		find_framework(verify);
		if (verify->framework)
			result = take_needs(verify, verify->framework);
	}
	if (result)
		return result;
	choose_major(verify);
	for (size_t r = 0; r < ROWS; r++) {
		struct gw_verify_library *library = library_of(verify, rows[r].library);

		if (library && !library->soname)
			choose(verify, library, for_major);
	}
	return 0;
}
