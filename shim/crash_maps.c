/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_maps.h. */
#include "crash_maps.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "crash_memory.h"
#include "objects.h"

#define OBJECTS 64u
#define PATHS 16384u
#define LINE 1024u	/* what is longer is cut: a path's end */
#define PAGE 4096u

static struct gw_object objects[OBJECTS];
static unsigned object_count;
static char paths[PATHS];
static size_t paths_used;

/* One line: LOW-HIGH PERMISSIONS OFFSET DEVICE INODE PATH. */
struct mapping {
	uintptr_t low, high, offset;
	bool executable;
	const char *path;	/* "" where there is none */
};

/* The mappings of one file so far, which follow each other. */
static struct group {
	uintptr_t low, high;
	bool executable, whole;	/* whole: it begins with the file's own beginning */
	char path[LINE];
} group;

static bool copy(uintptr_t from, void *to, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += 8)
		if (!gw_crash_load(from + i, (char *)to + i, size - i < 8 ? size - i : 8))
			return false;
	return true;
}

static uintptr_t hexadecimal(const char **at)
{
	uintptr_t value = 0;

	for (;; (*at)++) {
		if (**at >= '0' && **at <= '9')
			value = value << 4 | (uintptr_t)(**at - '0');
		else if (**at >= 'a' && **at <= 'f')
			value = value << 4 | (uintptr_t)(**at - 'a' + 10);
		else
			return value;
	}
}

static bool parse(const char *text, struct mapping *mapping)
{
	unsigned blanks;

	mapping->low = hexadecimal(&text);
	if (*text++ != '-')
		return false;
	mapping->high = hexadecimal(&text);
	if (text[0] != ' ' || !text[1] || !text[2] || !text[3] || text[4] == 0 || text[5] != ' ')
		return false;
	mapping->executable = text[3] == 'x';
	text += 6;
	mapping->offset = hexadecimal(&text);
	for (blanks = 0; blanks < 3 && *text; blanks++) {
		while (*text && *text != ' ')
			text++;
		while (*text == ' ')
			text++;
	}
	mapping->path = text;
	return mapping->low < mapping->high;
}

/* Does the dynamic section end where its segment does, all of it there? gw_image_read asks nobody. */
static bool is_dynamic_whole(uintptr_t at, uint64_t size)
{
	Elf64_Dyn entry;
	uint64_t i;

	for (i = 0; i + sizeof(entry) <= size; i += sizeof(entry)) {
		if (!copy(at + i, &entry, sizeof(entry)))
			return false;
		if (entry.d_tag == DT_NULL)
			return true;
	}
	return false;
}

/* Where the bytes of the file end that are mapped around ADDRESS. */
static uintptr_t end_around(const Elf64_Ehdr *header, uintptr_t low, uintptr_t base, uintptr_t address)
{
	Elf64_Phdr p;
	unsigned i;

	for (i = 0; i < header->e_phnum && copy(low + header->e_phoff + i * sizeof(p), &p, sizeof(p)); i++)
		if (p.p_type == PT_LOAD && address >= base + p.p_vaddr && address - base - p.p_vaddr < p.p_filesz)
			return base + p.p_vaddr + p.p_filesz;
	return 0;
}

/* What the file's headers say, which are mapped at LOW. */
static void read_headers(struct gw_object *object, uintptr_t low)
{
	Elf64_Ehdr header;
	Elf64_Phdr p;
	uintptr_t base = low, frames = 0, dynamic = 0;
	uint64_t dynamic_size = 0;
	bool first = true;
	unsigned i;

	if (!copy(low, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof(p))
		return;
	for (i = 0; i < header.e_phnum && copy(low + header.e_phoff + i * sizeof(p), &p, sizeof(p)); i++) {
		if (p.p_type == PT_LOAD && first) {
			base = low - (p.p_vaddr & ~(Elf64_Addr)(PAGE - 1));
			first = false;
		} else if (p.p_type == PT_GNU_EH_FRAME) {
			frames = p.p_vaddr;
		} else if (p.p_type == PT_DYNAMIC) {
			dynamic = p.p_vaddr;
			dynamic_size = p.p_memsz;
		}
	}
	object->image.base = base;
	object->frames = frames ? base + frames : 0;
	if (dynamic && is_dynamic_whole(base + dynamic, dynamic_size) && gw_image_read(&object->image, base, (const Elf64_Dyn *)(base + dynamic)))
		object->symbols_end = end_around(&header, low, base, (uintptr_t)object->image.symbols);
	else
		object->image = (struct gw_image){ .base = base };
}

/* The file is over: is it one that nobody knows? False: no more are wanted. */
static bool finish(bool (*known)(uintptr_t address), bool (*found)(const struct gw_object *object))
{
	size_t length = strlen(group.path) + 1;
	struct gw_object *object;

	if (!group.executable || !group.whole || known(group.low))
		return true;
	if (object_count == OBJECTS || length > PATHS - paths_used)
		return false;
	object = &objects[object_count++];
	memset(object, 0, sizeof(*object));
	object->low = group.low;
	object->high = group.high;
	object->path = memcpy(paths + paths_used, group.path, length);
	object->family = -1;
	object->identity = 1;
	paths_used += length;
	read_headers(object, group.low);
	return found(object);
}

static bool take(const char *text, bool (*known)(uintptr_t address), bool (*found)(const struct gw_object *object))
{
	struct mapping mapping;
	bool same;

	if (!parse(text, &mapping))
		return true;
	same = group.path[0] && !strcmp(mapping.path, group.path) && mapping.offset;
	if (!same && !mapping.path[0] && group.path[0] && mapping.low == group.high) {
		group.high = mapping.high;	/* what the file does not fill */
		return true;
	}
	if (!same) {
		if (group.path[0] && !finish(known, found))
			return false;
		group.low = mapping.low;
		group.executable = false;
		group.whole = !mapping.offset;
		group.path[0] = 0;
		if (mapping.path[0] == '/')
			memcpy(group.path, mapping.path, strlen(mapping.path) + 1);
	}
	group.executable |= mapping.executable;
	group.high = mapping.high;
	return true;
}

void gw_crash_maps_read(bool (*known)(uintptr_t address), bool (*found)(const struct gw_object *object))
{
	static char line[LINE], chunk[4096];
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	bool going = file >= 0;
	ssize_t got, i;

	object_count = 0;
	paths_used = 0;
	group.path[0] = 0;
	while (going && (got = read(file, chunk, sizeof(chunk))) > 0)
		for (i = 0; going && i < got; i++) {
			if (chunk[i] != '\n') {
				if (length < LINE - 1)
					line[length++] = chunk[i];
				continue;
			}
			line[length] = 0;
			length = 0;
			going = take(line, known, found);
		}
	if (going && group.path[0])
		finish(known, found);
	if (file >= 0)
		close(file);
}
