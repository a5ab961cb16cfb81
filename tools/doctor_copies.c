/* SPDX-License-Identifier: Apache-2.0 */
/* Every copy of every family's libraries in the places where programs get them from (doctor.h), and which one the loader gives an ordinary one. */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "elf_read.h"
#include "loader_search.h"
#include "option.h"
#include "python.h"

#define MAX_COPIES 2048 /* more than any machine has; each is compared with each */

/* The file that the loader's search comes to first. */
struct winner {
	struct gw_doctor *doctor;
	const char *path;
	enum gw_rule rule;
};

/* By the conda-meta in a conda environment, whose libraries lie in its lib. One may have no Python. */
static void add_prefix(struct gw_doctor *doctor, const char *path, void *context)
{
	char real[PATH_MAX];
	const char **more, *prefix;

	(void)context;
	if (!gw_doctor_resolve(doctor, path, real) || !gw_option_is_directory(&doctor->scan.loader, real))
		return;
	prefix = gw_doctor_keep(doctor, "%.*s", (int)(strrchr(real, '/') - real), real);
	for (size_t i = 0; i < doctor->prefix_count; i++)
		if (strcmp(doctor->prefixes[i], prefix) == 0)
			return;
	more = gw_doctor_more(doctor, &doctor->prefixes, &doctor->prefix_count, sizeof *more);
	if (more)
		*more = prefix;
}

static void add_site(struct gw_doctor *doctor, const char *path, void *context)
{
	char real[PATH_MAX];
	const char **more;

	(void)context;
	if (!gw_doctor_resolve(doctor, path, real) || !gw_option_is_directory(&doctor->scan.loader, real))
		return;
	for (size_t i = 0; i < doctor->site_count; i++)
		if (strcmp(doctor->sites[i], real) == 0)
			return;
	more = gw_doctor_more(doctor, &doctor->sites, &doctor->site_count, sizeof *more);
	if (!more)
		return;
	*more = gw_doctor_keep(doctor, "%s", real);
	/* PREFIX/lib/python3.11/site-packages of conda's */
	add_prefix(doctor, gw_doctor_keep(doctor, "%s/../../../conda-meta", real), NULL);
}

void gw_doctor_find_sites(struct gw_doctor *doctor)
{
	/* Where images keep their Pythons. A virtual environment elsewhere is named with --python. */
	static const char *const usual[] = {
		"/usr/local/lib/python3*/dist-packages", "/usr/local/lib/python3*/site-packages", "/usr/lib/python3*/site-packages",
		"/usr/lib/python3/dist-packages", "/opt/*/lib/python3*/site-packages", "/opt/*/envs/*/lib/python3*/site-packages",
		"/*/lib/python3*/site-packages", "/*/venv/lib/python3*/site-packages", "/*/.venv/lib/python3*/site-packages",
		"/root/.local/lib/python3*/site-packages", "/root/*/lib/python3*/site-packages", "/root/*/envs/*/lib/python3*/site-packages",
		"/home/*/.local/lib/python3*/site-packages", "/home/*/*/lib/python3*/site-packages", "/home/*/*/envs/*/lib/python3*/site-packages",
	};
	static const char *const condas[] = {
		"/*/conda-meta", "/opt/*/conda-meta", "/opt/*/envs/*/conda-meta", "/root/*/conda-meta", "/root/*/envs/*/conda-meta", "/home/*/*/conda-meta",
		"/home/*/*/envs/*/conda-meta",
	};

	for (size_t i = 0; i < doctor->scan.given.count; i++)
		add_site(doctor, gw_loader_inside(&doctor->scan.loader, doctor->scan.given.directory[i]), NULL);
	if (doctor->scan.given.count)
		return;
	if (!*doctor->scan.loader.root) {
		struct gw_python_paths paths = {0};

		doctor->failed |= gw_python_paths_of_program(&paths, "/") != 0;
		for (size_t i = 0; i < paths.count; i++)
			add_site(doctor, paths.directory[i], NULL);
		gw_python_paths_finish(&paths);
		if (getenv("CONDA_PREFIX"))
			add_prefix(doctor, gw_doctor_keep(doctor, "%s/conda-meta", getenv("CONDA_PREFIX")), NULL);
		return;
	}
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		gw_doctor_match(doctor, usual[i], add_site, NULL);
	for (size_t i = 0; i < sizeof condas / sizeof *condas; i++)
		gw_doctor_match(doctor, condas[i], add_prefix, NULL);
}

#define MAX_PLACES (1u << 16) /* that are looked into for one name */

static bool take_first(void *context, const struct gw_candidate *candidate)
{
	struct winner *winner = context;

	winner->rule = candidate->rule;
	winner->path = gw_doctor_keep(winner->doctor, "%s", candidate->path);
	return true;
}

const char *gw_doctor_winner(struct gw_doctor *doctor, const char *soname, const char **how)
{
	struct gw_file ordinary = {0}; /* a program without paths of its own */
	struct gw_needer needer = {&ordinary, NULL};
	struct winner winner = {.doctor = doctor};
	struct gw_search search = {.loader = &doctor->scan.loader, .needer = &needer, .visit = take_first, .context = &winner};

	doctor->scan.loader.budget = MAX_PLACES;
	if (!gw_loader_search(&search, soname))
		return NULL;
	*how = gw_rule_name(winner.rule);
	return winner.path;
}

/* Who CONTEXT was found for: a Python environment's directory, or none. */
static void add(struct gw_doctor *doctor, const char *path, void *context)
{
	const char *base = strrchr(path, '/') + 1, *family, *directory;
	char stem[64], real[PATH_MAX], above[PATH_MAX], host[PATH_MAX], error[1024];
	struct gw_doctor_copy *copy;
	struct gw_elf elf;

	family = gw_doctor_family(base, stem);
	if (!family || doctor->copy_count >= MAX_COPIES || !gw_doctor_resolve(doctor, path, real) ||
	    !gw_doctor_resolve(doctor, gw_doctor_keep(doctor, "%.*s/", (int)(base - path - 1), path), above))
		return;
	directory = above;
	for (size_t i = 0; i < doctor->copy_count; i++) {
		copy = &doctor->copies[i];
		if (strcmp(copy->real, real) != 0 || strcmp(copy->directory, directory) != 0)
			continue;
		if (copy->soname && strcmp(copy->soname, base) == 0 && strcmp(strrchr(copy->path, '/') + 1, base) != 0)
			copy->path = gw_doctor_keep(doctor, "%s", path);
		return;
	}
	if (!(copy = gw_doctor_more(doctor, &doctor->copies, &doctor->copy_count, sizeof *copy)))
		return;
	*copy = (struct gw_doctor_copy){.family = family, .stem = gw_doctor_keep(doctor, "%s", stem), .path = gw_doctor_keep(doctor, "%s", path),
					.directory = gw_doctor_keep(doctor, "%s", directory), .real = gw_doctor_keep(doctor, "%s", real),
					.evidence = GW_DOCTOR_UNKNOWN, .site = context};
	if (gw_loader_host(&doctor->scan.loader, real, host) != 0)
		return;
	if (gw_elf_read(&elf, real, host, error, sizeof error) != 0) {
		gw_doctor_unreadable(doctor, error);
		return;
	}
	copy->soname = elf.soname ? gw_doctor_keep(doctor, "%s", elf.soname) : NULL;
	gw_elf_finish(&elf);
}

void gw_doctor_add_copy(struct gw_doctor *doctor, const char *path, const char *site)
{
	size_t length = site ? strlen(site) : 0;

	if (*path == '/')
		add(doctor, path, site && strncmp(path, site, length) == 0 && path[length] == '/' ? (void *)(uintptr_t)site : NULL);
}

static void look_in(struct gw_doctor *doctor, const char *site, const char *directory)
{
	/* the directory itself, and the loader's subdirectories for better processors */
	gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/lib*.so*", directory), add, (void *)(uintptr_t)site);
	gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/glibc-hwcaps/*/lib*.so*", directory), add, (void *)(uintptr_t)site);
}

void gw_doctor_find_copies(struct gw_doctor *doctor)
{
	static const char *const of_toolkit[] = {"lib64", "targets/x86_64-linux/lib", "compat"};
	static const char *const of_site[] = {"nvidia/*/lib", "*.libs", "*/lib"};
	const struct gw_loader *loader = &doctor->scan.loader;
	char here[PATH_MAX] = ""; /* what other entries of LD_LIBRARY_PATH begin in */

	if (!*loader->root && !getcwd(here, sizeof here))
		here[0] = '\0';
	for (size_t i = 0; i < doctor->site_count; i++)
		for (size_t k = 0; k < 3; k++)
			look_in(doctor, doctor->sites[i], gw_doctor_keep(doctor, "%s/%s", doctor->sites[i], of_site[k]));
	for (size_t i = 0; i < doctor->prefix_count; i++)
		look_in(doctor, doctor->prefixes[i], gw_doctor_keep(doctor, "%s/lib", doctor->prefixes[i]));
	for (size_t i = 0; i < doctor->toolkit_count; i++)
		for (size_t k = 0; k < 3; k++)
			look_in(doctor, NULL, gw_doctor_keep(doctor, "%s/%s", doctor->toolkits[i].path, of_toolkit[k]));
	for (const char *list = loader->library_path; list && *list;) {
		size_t length = strcspn(list, ":;");

		look_in(doctor, NULL, *list == '/' ? gw_doctor_keep(doctor, "%.*s", (int)length, list) : gw_doctor_keep(doctor, "%s/%.*s", here, (int)length, list));
		list += length + (list[length] != '\0');
	}
	for (size_t i = 0; i < loader->platform.default_count; i++)
		look_in(doctor, NULL, loader->platform.defaults[i]);
	for (size_t i = 0; i < loader->configured_count; i++)
		look_in(doctor, NULL, loader->configured[i]);
	for (size_t i = 0; i < loader->cache.count; i++) {
		const char *path = loader->cache.entry[i].path;

		if (path[0] == '/')
			add(doctor, path, NULL);
	}
}

static int by_place(const void *a, const void *b)
{
	return strcmp(((const struct gw_doctor_copy *)a)->path, ((const struct gw_doctor_copy *)b)->path);
}

/* The copy that a use is: by the directory that it was found in, where there are several. */
static void link_use(struct gw_doctor *doctor, struct gw_doctor_use *use)
{
	for (size_t i = 0; use->real && i < doctor->copy_count; i++) {
		const struct gw_doctor_copy *copy = &doctor->copies[i];

		if (strcmp(copy->real, use->real) == 0 && (!use->copy || strcmp(copy->path, use->path) == 0))
			use->copy = copy;
	}
}

void gw_doctor_settle_copies(struct gw_doctor *doctor)
{
	if (doctor->copy_count)
		qsort(doctor->copies, doctor->copy_count, sizeof *doctor->copies, by_place);
	for (size_t i = 0; i < doctor->copy_count; i++) {
		struct gw_doctor_copy *copy = &doctor->copies[i];
		const char *how, *winner = copy->soname ? gw_doctor_winner(doctor, copy->soname, &how) : NULL;
		char real[PATH_MAX];

		copy->wins = winner && gw_doctor_resolve(doctor, winner, real) && strcmp(real, copy->real) == 0;
		for (size_t t = 0; t < doctor->toolkit_count; t++) {
			size_t length = strlen(doctor->toolkits[t].path);

			if (strncmp(copy->real, doctor->toolkits[t].path, length) == 0 && copy->real[length] == '/')
				copy->toolkit = doctor->toolkits[t].path;
		}
		gw_doctor_find_release(doctor, copy);
	}
	gw_doctor_find_origins(doctor);
	for (size_t f = 0; f < doctor->framework_count; f++)
		for (size_t u = 0; u < doctor->installed[f].use_count; u++)
			link_use(doctor, &doctor->installed[f].uses[u]);
}
