/* SPDX-License-Identifier: Apache-2.0 */
/* Versions and symbols of a link map, by the rules of glibc 2.30 and newer (loader_bind.h). */
#include "loader_bind.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FAULTS 65536
/* Some tenths of a second; more than twice what the largest frameworks take (tests/real/agreement.py). */
#define STEPS (1ul << 26)
#define STEPS_PER_OBJECT (1ul << 22)

static int add(struct gw_faults *faults, const struct gw_fault *fault)
{
	struct gw_fault *more;

	if (faults->count == MAX_FAULTS)
		return 0;
	if ((faults->count & (faults->count - 1)) == 0) {
		more = realloc(faults->fault,
			       (faults->count ? faults->count * 2 : 1) * sizeof *more);
		if (!more)
			return -ENOMEM;
		faults->fault = more;
	}
	faults->fault[faults->count++] = *fault;
	return 0;
}

void gw_faults_finish(struct gw_faults *faults)
{
	free(faults->fault);
	*faults = (struct gw_faults){0};
}

bool gw_bind_is_immediate(const struct gw_map *map, const struct gw_mapped *object,
			  const struct gw_elf_reference *reference)
{
	return reference->data || map->bind_now || object->file->elf.bind_now;
}

/* False where there are no steps left. */
static bool spend(const struct gw_map *map, unsigned long steps)
{
	struct gw_loader *loader = map->loader;

	loader->steps = loader->steps > steps ? loader->steps - steps : 0;
	return loader->steps;
}

static void init_query(const struct gw_map *map, struct gw_elf_query *query, const struct gw_elf_reference *reference)
{
	gw_elf_query_init(query, reference->name, reference->version);
	query->plt = reference->plt;
	query->steps = &map->loader->steps;
	spend(map, query->length);
}

/* ENDED: the loader ends here. */
enum answer { NOT_HERE, HERE, ENDED };

static enum answer ask(const struct gw_map *map, const struct gw_mapped *candidate,
		       const struct gw_elf_reference *reference, const struct gw_elf_query *query)
{
	const struct gw_elf_version *version = query->version;
	uint32_t index;

	/* A copy is made of what others than the program have. */
	if (reference->copy && candidate == map->all.object[0])
		return NOT_HERE;
	switch (gw_elf_find(&candidate->file->elf, query, &index)) {
	case GW_ELF_FOUND:
		return HERE;
	case GW_ELF_UNVERSIONED:
		return version->file && gw_map_named(map, version->file) == candidate ? ENDED
										      : HERE;
	default:
		return NOT_HERE;
	}
}

const struct gw_mapped *gw_bind_find(const struct gw_map *map, const struct gw_mapped *object,
				     const struct gw_elf_reference *reference, bool *plain)
{
	const struct gw_scope *scopes[] = {&map->global, object->has_own	  ? &object->own
							 : object->is_global ? NULL
									     : &map->local};
	struct gw_elf_query query;
	enum answer answer;

	*plain = false;
	if (reference->own)
		return object;
	init_query(map, &query, reference);
	if (object->file->elf.symbolic &&
	    (answer = ask(map, object, reference, &query)) != NOT_HERE) {
		*plain = answer == ENDED;
		return answer == HERE ? object : NULL;
	}
	for (size_t s = 0; s < 2 && scopes[s]; s++)
		for (size_t i = 0; i < scopes[s]->count; i++) {
			const struct gw_mapped *candidate = scopes[s]->object[i];

			answer = ask(map, candidate, reference, &query);
			if (answer == NOT_HERE)
				continue;
			*plain = answer == ENDED;
			return answer == HERE ? candidate : NULL;
		}
	return NULL;
}

/* Will somebody answer it? Most are answered by the file that their version names, or by whoever
 * did so in the map before: that is asked first. */
static bool is_answered(const struct gw_map *map, const struct gw_mapped *object, size_t index,
			const struct gw_mapped *named, bool *plain)
{
	struct gw_file *file = object->file;
	const struct gw_elf_reference *reference = &file->references[index];
	const struct gw_file *hint = file->hints[index];
	unsigned long generation = map->loader->generation;
	const struct gw_mapped *found;
	struct gw_elf_query query;

	*plain = false;
	if (hint &&
	    (hint->in_map == 2 * generation ||
	     (hint->in_map == 2 * generation + 1 && !object->is_global)) &&
	    (!reference->version || (named && hint == named->file)))
		return true;
	if (named && !reference->copy &&
	    (named->is_global || (named->is_local && !object->is_global))) {
		init_query(map, &query, reference);
		if (ask(map, named, reference, &query) == HERE) {
			file->hints[index] = named->file;
			return true;
		}
	}
	found = gw_bind_find(map, object, reference, plain);
	file->hints[index] = found ? found->file : NULL;
	return found;
}

static bool lacks(const struct gw_mapped *object, const char *name)
{
	for (size_t i = 0; i < object->file->elf.needed_count; i++)
		if (strcmp(object->needs[i].name, name) == 0)
			return !object->needs[i].object;
	return false;
}

/* Is the library that NAME stands for missing, so that its versions are? */
static bool is_missing(const struct gw_map *map, const char *name)
{
	for (size_t i = 0; i < map->all.count; i++)
		if (lacks(map->all.object[i], name))
			return true;
	return false;
}

static bool any_missing(const struct gw_map *map)
{
	for (size_t o = 0; o < map->all.count; o++)
		for (size_t i = 0; i < map->all.object[o]->file->elf.needed_count; i++)
			if (!map->all.object[o]->needs[i].object && map->all.object[o]->needs[i].kind != GW_ELF_AUXILIARY)
				return true;
	return false;
}

static bool defines(const struct gw_elf *elf, const struct gw_elf_version *version)
{
	for (size_t i = 0; i < elf->define_count; i++)
		if (elf->defines[i].hash == version->hash &&
		    strcmp(elf->defines[i].node, version->node) == 0)
			return true;
	return false;
}

/* The first check: is each needed version defined by the file that it is needed of? A file without
 * any versions passes, with a warning. */
static int check_versions(const struct gw_map *map, const struct gw_mapped *object,
			  struct gw_faults *faults)
{
	const struct gw_elf *elf = &object->file->elf;
	int result = 0;

	for (size_t i = 0; i < elf->need_count && !result; i++) {
		const struct gw_elf_version *version = &elf->needs[i];
		struct gw_fault fault = {.object = object, .version = version};

		if (!spend(map, map->all.count))
			return -ELOOP;
		fault.named = gw_map_named(map, version->file);
		fault.kind = fault.named ? GW_FAULT_VERSION : GW_FAULT_UNMAPPED;
		if (!fault.named && !spend(map, map->all.count * 16 + elf->needed_count))
			return -ELOOP;
		if (!fault.named ? is_missing(map, version->file)
				 : !fault.named->file->elf.define_count || version->weak ||
					   defines(&fault.named->file->elf, version))
			continue;
		/* One unmapped file is told once. */
		if (!fault.named && i && elf->needs[i - 1].file == version->file)
			continue;
		result = add(faults, &fault);
	}
	return result;
}

/* What all references to one version share. */
struct wanted {
	const struct gw_mapped *named; /* what it is needed of; NULL: nothing, or not mapped */
	bool failed;		       /* the version itself is missing, which is told already */
};

static bool version_failed(const struct gw_faults *faults, const struct gw_mapped *object,
			   const struct gw_elf_version *version)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct gw_fault *fault = &faults->fault[i];

		if (fault->object == object && fault->kind <= GW_FAULT_UNMAPPED &&
		    strcmp(fault->version->file, version->file) == 0 &&
		    (!fault->named || strcmp(fault->version->node, version->node) == 0))
			return true;
	}
	return false;
}

/* One for each of the object's versions, to free. */
static int look_up_versions(const struct gw_map *map, const struct gw_mapped *object, const struct gw_faults *faults, size_t versions,
			    struct wanted **list)
{
	const struct gw_elf *elf = &object->file->elf;
	struct gw_faults of_versions = {faults->fault, versions};

	*list = calloc(elf->version_count + 1, sizeof **list);
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < elf->version_count; i++) {
		const struct gw_elf_version *version = &elf->versions[i];

		if (!version->node || !version->file)
			continue;
		if (!spend(map, map->all.count + versions))
			return -ELOOP;
		(*list)[i].named = gw_map_named(map, version->file);
		(*list)[i].failed = version_failed(&of_versions, object, version);
	}
	return 0;
}

/* VERSIONS: how many of the faults are about versions. */
static int check_symbols(const struct gw_map *map, const struct gw_mapped *object, bool incomplete, size_t versions,
			 struct gw_faults *faults)
{
	struct gw_file *file = object->file;
	size_t before = faults->count;
	struct wanted *wanted = NULL;
	int result = gw_file_references(file);

	if (!result)
		result = look_up_versions(map, object, faults, versions, &wanted);
	for (size_t i = 0; i < file->reference_count && !result; i++) {
		const struct gw_elf_reference *reference = &file->references[i];
		const struct gw_elf_version *version = reference->version;
		struct gw_fault fault = {
			.object = object, .name = reference->name, .version = version};
		struct wanted nothing = {0}, *its = version ? &wanted[version - file->elf.versions] : &nothing;
		bool plain;

		/* What it defines itself, is there at worst; a copy is not: it is of another's. */
		if ((reference->defined && !reference->copy) || reference->own)
			continue;
		fault.named = its->named;
		if (is_answered(map, object, i, fault.named, &plain))
			continue;
		if (!map->loader->steps)
			result = -ELOOP;
		if (plain)
			fault.kind = GW_FAULT_PLAIN;
		else if (reference->weak || (fault.version && version->file && !fault.named) ||
			 (!fault.named && incomplete) || its->failed)
			continue;
		else
			fault.kind = gw_bind_is_immediate(map, object, reference) ? GW_FAULT_SYMBOL
										  : GW_FAULT_CALL;
		/* One assertion is enough. */
		if (plain && faults->count > before &&
		    faults->fault[faults->count - 1].kind == GW_FAULT_PLAIN)
			continue;
		if (!result)
			result = add(faults, &fault);
	}
	free(wanted);
	return result;
}

/* Where something was opened, what was there before is not the matter. */
static bool is_checked(const struct gw_map *map, const struct gw_mapped *object)
{
	return !object->is_loader && !object->is_apart && !(map->local.count && object->is_global);
}

int gw_bind_check(const struct gw_map *map, struct gw_faults *faults)
{
	unsigned long generation = ++map->loader->generation;
	bool incomplete = any_missing(map);
	size_t versions;
	int result = 0;

	*faults = (struct gw_faults){0};
	map->loader->steps = STEPS + map->all.count * STEPS_PER_OBJECT;
	for (size_t i = 0; i < map->all.count; i++) {
		struct gw_mapped *object = map->all.object[i];

		object->file->in_map = object->is_global  ? 2 * generation
				       : object->is_local ? 2 * generation + 1
							  : 0;
	}
	for (size_t i = 0; i < map->all.count && !result; i++)
		if (is_checked(map, map->all.object[i]))
			result = check_versions(map, map->all.object[i], faults);
	versions = faults->count;
	for (size_t i = 0; i < map->all.count && !result; i++)
		if (is_checked(map, map->all.object[i]))
			result = check_symbols(map, map->all.object[i], incomplete, versions, faults);
	map->loader->steps = ULONG_MAX;
	if (result)
		gw_faults_finish(faults);
	return result;
}
