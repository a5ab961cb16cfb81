/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file of each family a Python framework really gets (doctor.h): its own files are mapped by the loader model, in the order in which the
 * framework maps them (abi/frameworks), in one process, so that what is mapped first stays; then the names are looked for that it opens later.
 */
#include "doctor.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "loader_map.h"

/* One framework of one environment, as a process would have it. */
struct process {
	struct gw_doctor *doctor;
	struct gw_doctor_framework *framework;
	struct gw_map map;
	bool mapped, later;
	const char *last; /* the file that was opened last */
};

static const struct gw_framework_line *line_at(const struct gw_doctor *doctor, size_t i)
{
	return &doctor->frameworks.line[i];
}

static struct gw_doctor_use *use_of(struct process *process, const char *soname)
{
	struct gw_doctor_framework *framework = process->framework;

	for (size_t i = 0; i < framework->use_count; i++)
		if (strcmp(framework->uses[i].soname, soname) == 0)
			return &framework->uses[i];
	return NULL;
}

/* PATH without links in its directory: "/x/torch/lib/../../nvidia/y.so" is "/x/nvidia/y.so". */
static const char *tidy(struct gw_doctor *doctor, const char *path)
{
	const char *slash = strrchr(path, '/');
	char real[PATH_MAX];

	if (!slash || !gw_doctor_resolve(doctor, gw_doctor_keep(doctor, "%.*s/", (int)(slash - path), path), real))
		return path;
	return gw_doctor_keep(doctor, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash);
}

const char *gw_doctor_how(struct gw_doctor *doctor, enum gw_rule rule, const struct gw_file *owner)
{
	if (owner && (rule == GW_RULE_RPATH || rule == GW_RULE_RUNPATH))
		return gw_doctor_keep(doctor, "%s of %s", gw_rule_name(rule), tidy(doctor, owner->path));
	return gw_rule_name(rule);
}

/* Notes what a name gets; OBJECT: NULL where it is nowhere. */
static void note(struct process *process, const char *name, const struct gw_mapped *object, const char *by)
{
	struct gw_doctor *doctor = process->doctor;
	struct gw_doctor_framework *framework = process->framework;
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *family;
	struct gw_doctor_use *use;
	char stem[64], real[PATH_MAX];

	family = gw_doctor_family(base, stem);
	if (!family)
		return;
	use = use_of(process, base);
	if (use && (use->path || !object))
		return;
	if (!use)
		use = gw_doctor_more(doctor, &framework->uses, &framework->use_count, sizeof *use);
	if (!use)
		return;
	*use = (struct gw_doctor_use){.soname = gw_doctor_keep(doctor, "%s", base), .family = family, .by = gw_doctor_keep(doctor, "%s", tidy(doctor, by)),
				      .later = process->later};
	if (!object)
		return;
	use->path = gw_doctor_keep(doctor, "%s", tidy(doctor, object->file->path));
	use->how = gw_doctor_how(doctor, object->rule, object->owner);
	use->real = gw_doctor_resolve(doctor, use->path, real) ? gw_doctor_keep(doctor, "%s", real) : use->path;
	gw_doctor_add_copy(doctor, use->path, framework->site);
}

/* Notes what all objects need that were mapped so far. A later search may find what an earlier one did not. */
static void note_all(struct process *process)
{
	for (size_t o = 0; o < process->map.all.count; o++) {
		const struct gw_mapped *object = process->map.all.object[o];

		/* by its own name, where nobody needs it under another */
		if (!object->by || !object->name_count)
			note(process, object->file->elf.soname ? object->file->elf.soname : object->file->path, object, object->by ? object->by->file->path : "");
		for (size_t i = 0; i < object->file->elf.needed_count; i++)
			if (!object->needs[i].refused) /* one that is damaged is told as such */
				note(process, object->needs[i].name, object->needs[i].object, object->file->path);
	}
}

static bool lacks_any(const struct process *process)
{
	char stem[64];

	for (size_t o = 0; process->mapped && o < process->map.all.count; o++) {
		const struct gw_mapped *object = process->map.all.object[o];

		for (size_t i = 0; i < object->file->elf.needed_count; i++)
			if (!object->needs[i].object && gw_doctor_family(object->needs[i].name, stem))
				return true;
	}
	return false;
}

static void open_file(struct gw_doctor *doctor, const char *path, void *context)
{
	struct process *process = context;
	char error[1024] = "";

	/* Without a python, the first file stands for the program. */
	if (!process->mapped) {
		process->mapped = gw_map_program(&process->map, &doctor->scan.loader, path, error, sizeof error) == 0;
	} else if (gw_map_open(&process->map, path, error, sizeof error) != 0) {
		if (!process->map.all.count)
			process->mapped = false; /* too much of it: what is known is noted already */
	}
	if (*error)
		gw_doctor_unreadable(doctor, error);
	process->last = gw_doctor_keep(doctor, "%s", path);
	if (process->mapped)
		note_all(process);
}

/* The python of the environment; the framework's own file stands in for one that is not there. */
static void start(struct process *process)
{
	struct gw_doctor *doctor = process->doctor;
	const char *site = process->framework->site, *lib = strstr(site, "/lib/python");
	const char *version = lib ? lib + strlen("/lib/") : "python3";
	int prefix = lib ? (int)(lib - site) : 0, length = (int)strcspn(version, "/");
	const char *const candidates[] = {
		gw_doctor_keep(doctor, "%.*s/bin/%.*s", prefix, site, length, version), gw_doctor_keep(doctor, "%.*s/bin/python3", prefix, site),
		gw_doctor_keep(doctor, "/usr/local/bin/%.*s", length, version), gw_doctor_keep(doctor, "/usr/bin/%.*s", length, version), "/usr/bin/python3",
	};
	char real[PATH_MAX], error[1024];

	for (size_t i = lib ? 0 : 4; i < 5 && !process->mapped; i++)
		if (gw_doctor_resolve(doctor, candidates[i], real))
			process->mapped = gw_map_program(&process->map, &doctor->scan.loader, candidates[i], error, sizeof error) == 0;
}

/* The first file that fits in any environment's nvidia/FOLDER/lib: as sys.path is searched. */
static void take_one(struct gw_doctor *doctor, const char *path, void *context)
{
	const char **found = context;

	if (!*found)
		*found = gw_doctor_keep(doctor, "%s", path);
}

static void preload(struct process *process, const struct gw_framework_line *line)
{
	struct gw_doctor *doctor = process->doctor;
	const char *found = NULL;

	for (size_t i = 0; i < doctor->site_count && !found; i++)
		gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/nvidia/%s/lib/%s", doctor->sites[i], line->word[0], line->word[1]), take_one, &found);
	if (found) {
		process->framework->preloads = true;
		open_file(doctor, found, process);
	}
}

/* Does what lines FIRST to END say is mapped. Preloads come in a row, and where something is missing alone; then the last file is opened again. */
static void open_all(struct process *process, size_t first, size_t end)
{
	struct gw_doctor *doctor = process->doctor;

	for (size_t i = first; i < end; i++) {
		const struct gw_framework_line *line = line_at(doctor, i);
		const char *pattern;

		if (line->kind == GW_FRAMEWORK_PRELOADS) {
			const char *again = process->last;
			bool needed = again && lacks_any(process);

			for (; i < end && line_at(doctor, i)->kind == GW_FRAMEWORK_PRELOADS; i++)
				if (needed)
					preload(process, line_at(doctor, i));
			if (needed)
				open_file(doctor, again, process);
			i--;
		}
		process->later = line->kind == GW_FRAMEWORK_LATER;
		if ((line->kind == GW_FRAMEWORK_OPENS || process->later) && (pattern = gw_doctor_fill(doctor, process->framework, line->word[0])))
			gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/%s", process->framework->site, pattern), open_file, process);
	}
}

struct found {
	struct gw_doctor *doctor;
	const char *path;
	enum gw_rule rule;
	const struct gw_file *owner;
};

static bool take_first(void *context, const struct gw_candidate *candidate)
{
	struct found *found = context;

	*found = (struct found){found->doctor, gw_doctor_keep(found->doctor, "%s", candidate->path), candidate->rule, candidate->owner};
	return true;
}

/* What dlopen(NAME) gives FROM: what is mapped under that name, else what is found. */
static void ask(struct process *process, struct gw_mapped *from, const char *name)
{
	struct gw_doctor *doctor = process->doctor;
	struct found found = {.doctor = doctor};
	struct gw_search search = {.loader = &doctor->scan.loader, .needer = &from->needer, .program = process->map.all.object[0]->file,
				   .visit = take_first, .context = &found};
	char error[1024] = "";

	for (size_t o = 0; o < process->map.all.count; o++) {
		const char *soname = process->map.all.object[o]->file->elf.soname;

		if (soname && strcmp(soname, name) == 0) {
			note(process, name, process->map.all.object[o], from->file->path);
			return;
		}
	}
	process->later = true;
	if (!gw_loader_search(&search, name)) {
		note(process, name, NULL, from->file->path);
		return;
	}
	if (gw_map_open(&process->map, found.path, error, sizeof error) != 0) {
		process->mapped = process->map.all.count > 0;
		if (*error)
			gw_doctor_unreadable(doctor, error);
		return;
	}
	for (size_t o = 0; o < process->map.all.count; o++) {
		struct gw_mapped *object = process->map.all.object[o];

		if (strcmp(object->file->path, found.path) != 0)
			continue;
		object->rule = found.rule;
		object->owner = found.owner;
		note(process, name, object, from->file->path);
	}
	note_all(process);
}

/* Of a file that is mapped, in the words of the data file: a path below the environment. */
static struct gw_mapped *mapped_as(const struct process *process, const char *pattern)
{
	size_t length = strlen(process->framework->site);

	for (size_t o = 0; o < process->map.all.count; o++) {
		const char *path = process->map.all.object[o]->file->path;
		char real[PATH_MAX];

		if (!gw_doctor_resolve(process->doctor, path, real))
			continue;
		if (strncmp(real, process->framework->site, length) == 0 && fnmatch(pattern, real + length + 1, 0) == 0)
			return process->map.all.object[o];
	}
	return NULL;
}

static void ask_all(struct process *process, size_t first, size_t end)
{
	struct gw_doctor *doctor = process->doctor;

	for (size_t i = first; i < end; i++) {
		const struct gw_framework_line *line = line_at(doctor, i);
		struct gw_mapped *from;

		bool any = line->kind == GW_FRAMEWORK_ASKS && strcmp(line->word[0], "*") == 0;

		if (line->kind != GW_FRAMEWORK_ASKS || (!any && (!process->framework->cuda || gw_release_compare(line->word[0], process->framework->cuda) != 0)))
			continue;
		from = process->mapped ? mapped_as(process, line->word[1]) : NULL;
		for (size_t w = 2; from && process->mapped && w < line->words; w++) {
			const char *name = gw_doctor_fill(doctor, process->framework, line->word[w]);

			if (name)
				ask(process, from, name);
		}
	}
}

/* Is a part in the front's directory, and not found there? Only a front that lacks the vendor's RUNPATH is like that. */
static bool lies_beside(struct process *process, struct gw_mapped *front, const char *name)
{
	struct gw_doctor *doctor = process->doctor;
	struct found found = {.doctor = doctor};
	struct gw_search search = {.loader = &doctor->scan.loader, .needer = &front->needer, .program = process->map.all.object[0]->file,
				   .visit = take_first, .context = &found};
	const char *path = front->file->path;
	char real[PATH_MAX];

	return !gw_loader_search(&search, name) && gw_doctor_resolve(doctor, gw_doctor_keep(doctor, "%.*s/%s", (int)(strrchr(path, '/') - path), path, name), real);
}

/* cuDNN's front library opens its parts by name, those of its own release. */
static void ask_parts(struct process *process)
{
	const struct abi_family *family = abi_db_family(&process->doctor->scan.db, "cudnn");
	size_t count = process->mapped ? process->map.all.count : 0;

	for (size_t o = 0; family && process->mapped && o < count; o++) {
		struct gw_mapped *front = process->map.all.object[o];
		const struct abi_fact *own = NULL;
		char soname[64], stem[64];
		const char *number;

		/* one that a wheel brings under a name of its own (libcudnn-463fd6d5.so.8.9.7), too */
		if (!front->file->elf.soname || !gw_doctor_family(front->file->elf.soname, stem) || strcmp(stem, "libcudnn") != 0)
			continue;
		number = strstr(front->file->elf.soname, ".so.");
		if (!number)
			continue;
		snprintf(soname, sizeof soname, "libcudnn.so.%.*s", (int)strspn(number + 4, "0123456789"), number + 4);
		for (size_t f = family->first[ABI_SONAME]; f < family->first[ABI_SONAME + 1]; f++)
			if (strcmp(family->facts[f].column[0], soname) == 0)
				own = &family->facts[f];
		for (size_t f = family->first[ABI_SONAME]; own && f < family->first[ABI_SONAME + 1] && process->mapped; f++) {
			const struct abi_fact *part = &family->facts[f];
			bool always = part != own;

			/* those that each release of the front's soname has: which one it is, is not asked here */
			for (size_t r = 0; r < family->release_count; r++)
				always &= !abi_set_has(&own->releases, r) || abi_set_has(&part->releases, r);
			if (always && !lies_beside(process, front, part->column[0]))
				ask(process, front, part->column[0]);
		}
	}
}

/* Where the lines of the framework that begins at FIRST end. */
static size_t end_of(const struct gw_doctor *doctor, size_t first)
{
	size_t end = first + 1;

	while (end < doctor->frameworks.count && line_at(doctor, end)->kind != GW_FRAMEWORK)
		end++;
	return end;
}

static void follow(struct gw_doctor *doctor, struct gw_doctor_framework *framework)
{
	struct process process = {.doctor = doctor, .framework = framework};
	size_t first = framework->line, end = end_of(doctor, first);

	start(&process);
	for (size_t i = first; i < end; i++)
		for (size_t f = 0; line_at(doctor, i)->kind == GW_FRAMEWORK_AFTER && f < doctor->framework_count; f++) {
			const struct gw_doctor_framework *other = &doctor->installed[f];

			if (other->site != framework->site || strcmp(other->name, line_at(doctor, i)->word[0]) != 0)
				continue;
			open_all(&process, other->line, end_of(doctor, other->line));
			framework->cuda = framework->cuda ? framework->cuda : other->cuda;
			if (!framework->cuda_from)
				framework->cuda_from = gw_doctor_keep(doctor, "%s: it follows that", other->cuda_from ? other->cuda_from : other->name);
		}
	open_all(&process, first, end);
	/* Where nothing says what it was built for, the runtime's name does. */
	for (size_t i = 0; i < framework->use_count && !framework->cuda; i++)
		if (strcmp(framework->uses[i].family, "cudart") == 0) {
			const char *number = strstr(framework->uses[i].soname, ".so.");

			/* libcudart.so.11.0 is that of all of CUDA 11 */
			framework->cuda = number ? gw_doctor_keep(doctor, "%.*s", (int)strcspn(number + 4, "."), number + 4) : NULL;
			framework->cuda_from = gw_doctor_keep(doctor, "the %s that it needs", framework->uses[i].soname);
		}
	ask_all(&process, first, end);
	ask_parts(&process);
	gw_map_finish(&process.map);
}

void gw_doctor_follow_frameworks(struct gw_doctor *doctor)
{
	gw_doctor_find_frameworks(doctor);
	for (size_t i = 0; i < doctor->framework_count; i++) {
		follow(doctor, &doctor->installed[i]);
		/* Each file stays mapped in us, and the kernel allows so many. */
		gw_loader_forget(&doctor->scan.loader);
	}
}
