/* SPDX-License-Identifier: Apache-2.0 */
/* See process_scope.h. Every address is the process's, and may point anywhere: reading it fails then, and nothing else. */
#include "process_scope.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OBJECTS 4096
#define MAX_SEGMENTS 512
#define MAX_DYNAMIC 4096
#define TRIES 5 /* the process goes on while it is read */

struct process {
	int memory;
	uint64_t phdr, phnum, base; /* of the auxiliary vector */
	uint64_t map; /* the first object */
	uint64_t *address; /* of each object */
	struct gw_process_objects *out;
	const char *why;
};

/* The beginning of struct link_namespaces, of which _rtld_global begins with an array. */
struct name_space {
	uint64_t loaded;
	uint32_t count, padding;
	uint64_t search_list;
};

struct search_list {
	uint64_t list;
	uint32_t count;
};

static bool get(const struct process *process, uint64_t address, void *to, size_t size)
{
	return address && address < INT64_MAX && pread(process->memory, to, size, (off_t)address) == (ssize_t)size;
}

static bool read_auxiliary(struct process *process, int pid)
{
	Elf64_auxv_t entry;
	char name[64];
	FILE *file;

	snprintf(name, sizeof name, "/proc/%d/auxv", pid);
	file = fopen(name, "re");
	process->why = "its auxiliary vector cannot be read";
	if (!file)
		return false;
	while (fread(&entry, sizeof entry, 1, file) == 1 && entry.a_type != AT_NULL) {
		if (entry.a_type == AT_PHDR)
			process->phdr = entry.a_un.a_val;
		else if (entry.a_type == AT_PHNUM)
			process->phnum = entry.a_un.a_val;
		else if (entry.a_type == AT_BASE)
			process->base = entry.a_un.a_val;
	}
	fclose(file);
	return process->phdr && process->phnum && process->phnum <= MAX_SEGMENTS;
}

/* What the program's DT_DEBUG points to: the loader has put it there. */
static bool find_first(struct process *process)
{
	uint64_t bias = 0, dynamic = 0;
	struct r_debug debug;
	Elf64_Phdr segment;
	Elf64_Dyn entry;

	process->why = "its program has no list of loaded objects";
	for (uint64_t i = 0; i < process->phnum; i++) {
		if (!get(process, process->phdr + i * sizeof segment, &segment, sizeof segment))
			return false;
		if (segment.p_type == PT_PHDR)
			bias = process->phdr - segment.p_vaddr;
		else if (segment.p_type == PT_DYNAMIC)
			dynamic = segment.p_vaddr;
	}
	for (unsigned i = 0; dynamic && i < MAX_DYNAMIC; i++) {
		if (!get(process, bias + dynamic + i * sizeof entry, &entry, sizeof entry) || entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag != DT_DEBUG)
			continue;
		if (!get(process, entry.d_un.d_ptr, &debug, sizeof debug))
			return false;
		process->map = (uint64_t)(uintptr_t)debug.r_map;
		return debug.r_state == RT_CONSISTENT && process->map;
	}
	return false;
}

static bool read_name(const struct process *process, uint64_t address, char name[PATH_MAX])
{
	/* A string may end just before a page that is not there. */
	for (size_t i = 0; i < PATH_MAX; i++)
		if (!get(process, address + i, name + i, 1))
			return false;
		else if (!name[i])
			return true;
	return false;
}

static bool read_objects(struct process *process)
{
	uint64_t at = process->map;
	struct link_map map;
	char name[PATH_MAX];

	process->why = "its list of loaded objects is broken";
	while (at && process->out->count < MAX_OBJECTS) {
		struct gw_process_object *object = &process->out->object[process->out->count];

		if (!get(process, at, &map, sizeof map) || !read_name(process, (uint64_t)(uintptr_t)map.l_name, name))
			return false;
		object->name = strdup(name);
		if (!object->name)
			return false;
		process->address[process->out->count++] = at;
		at = (uint64_t)(uintptr_t)map.l_next;
	}
	return !at;
}

static bool read_global(struct process *process, uint64_t offset)
{
	struct search_list list;
	struct name_space space;

	process->why = "its loader is of an unknown kind";
	if (!get(process, process->base + offset, &space, sizeof space) || space.loaded != process->map || space.count != process->out->count ||
	    !get(process, space.search_list, &list, sizeof list) || !list.count || list.count > process->out->count)
		return false;
	for (uint32_t i = 0; i < list.count; i++) {
		uint64_t address;
		size_t o = 0;

		if (!get(process, list.list + i * sizeof address, &address, sizeof address) || (!i && address != process->map))
			return false;
		while (o < process->out->count && process->address[o] != address)
			o++;
		if (o == process->out->count)
			return false;
		process->out->object[o].is_global = true;
	}
	return true;
}

static bool read_once(struct process *process, uint64_t offset)
{
	gw_process_objects_finish(process->out);
	process->out->object = calloc(MAX_OBJECTS, sizeof *process->out->object);
	process->why = "out of memory";
	return process->out->object && find_first(process) && read_objects(process) && read_global(process, offset);
}

int gw_process_objects_read(struct gw_process_objects *objects, int pid, uint64_t global_offset, char *why, size_t size)
{
	struct process process = {.out = objects, .address = calloc(MAX_OBJECTS, sizeof(uint64_t))};
	char name[64];
	bool good = false;

	*objects = (struct gw_process_objects){0};
	snprintf(name, sizeof name, "/proc/%d/mem", pid);
	process.memory = open(name, O_RDONLY | O_CLOEXEC);
	process.why = process.memory < 0 ? strerror(errno) : "out of memory";
	if (process.memory >= 0 && process.address && read_auxiliary(&process, pid))
		for (unsigned i = 0; i < TRIES && !good; i++)
			good = read_once(&process, global_offset);
	if (process.memory >= 0)
		close(process.memory);
	free(process.address);
	if (good)
		return 0;
	snprintf(why, size, "%s", process.why);
	gw_process_objects_finish(objects);
	return -1;
}

void gw_process_objects_finish(struct gw_process_objects *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		free(objects->object[i].name);
	free(objects->object);
	*objects = (struct gw_process_objects){0};
}
