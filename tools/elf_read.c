/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens an ELF file, and reads its header, program headers and dynamic section (elf_read.h). libelf, which reads headers too, makes room for
 * each section first: up to several times the size of a hostile file, and the loader looks at none.
 */
#include "elf_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mapping.h"

/* More than any real object has; what says more is broken, or wants our memory. */
#define MAX_NEEDED 4096
#define MAX_SEGMENTS 512
#define MAX_DYNAMIC (1u << 16)

struct storage {
	struct gw_mapping mapping;
	const char *strings; /* gw_elf_text looks names up long after reading */
	uint64_t strings_size;
	const unsigned char *bytes; /* the whole file */
	uint64_t size;
};

int gw_elf_fail(struct gw_elf_reader *reader, uint64_t offset, const char *format, ...)
{
	va_list arguments;
	int length;

	length = offset == GW_ELF_NOWHERE
			 ? snprintf(reader->error, reader->error_size, "%s: ", reader->out->path)
			 : snprintf(reader->error, reader->error_size,
				    "%s:0x%llx: ", reader->out->path, (unsigned long long)offset);
	if (length < 0 || (size_t)length >= reader->error_size)
		return -ENOEXEC;
	va_start(arguments, format);
	vsnprintf(reader->error + length, reader->error_size - (size_t)length, format, arguments);
	va_end(arguments);
	return -ENOEXEC;
}

static const unsigned char *chunk(const struct gw_elf_reader *reader, uint64_t offset,
				  uint64_t size)
{
	return size && offset <= reader->size && size <= reader->size - offset
		       ? reader->bytes + offset
		       : NULL;
}

static bool locate(const struct gw_elf_reader *reader, uint64_t address, uint64_t *offset,
		   uint64_t *room)
{
	for (size_t i = 0; i < reader->segment_count; i++) {
		const Elf64_Phdr *segment = &reader->segments[i];

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    address - segment->p_vaddr >= segment->p_filesz)
			continue;
		*room = segment->p_filesz - (address - segment->p_vaddr);
		*offset = segment->p_offset + (address - segment->p_vaddr);
		if (*offset < segment->p_offset || *offset > reader->size)
			return false;
		if (*room > reader->size - *offset)
			*room = reader->size - *offset;
		return *room != 0;
	}
	return false;
}

uint64_t gw_elf_place(const struct gw_elf_reader *reader, uint64_t address)
{
	uint64_t offset, room;

	/* What the file has nothing of was named by its dynamic section. */
	return locate(reader, address, &offset, &room) ? offset : reader->dynamic_at;
}

uint64_t gw_elf_room(const struct gw_elf_reader *reader, uint64_t address)
{
	uint64_t offset, room;
	return locate(reader, address, &offset, &room) ? room : 0;
}

const unsigned char *gw_elf_at(const struct gw_elf_reader *reader, uint64_t address, uint64_t size)
{
	uint64_t offset, room;

	if (!locate(reader, address, &offset, &room) || size > room)
		return NULL;
	return chunk(reader, offset, size);
}

const char *gw_elf_string(const struct gw_elf_reader *reader, uint64_t index)
{
	return index < reader->strings_size ? reader->strings + index : NULL;
}

static int open_file(struct gw_elf_reader *reader, struct storage *storage, const char *host)
{
	int result = gw_mapping_open(&storage->mapping, host);

	if (result == -EINVAL)
		return gw_elf_fail(reader, GW_ELF_NOWHERE, "is no regular file");
	if (result) {
		gw_elf_fail(reader, GW_ELF_NOWHERE, "%s", strerror(-result));
		return result;
	}
	reader->out->device = storage->mapping.device;
	reader->out->inode = storage->mapping.inode;
	reader->bytes = storage->mapping.bytes;
	reader->size = storage->mapping.size;
	return 0;
}

static int read_header(struct gw_elf_reader *reader, Elf64_Ehdr *header)
{
	const unsigned char *at = chunk(reader, 0, EI_NIDENT);

	if (!at || memcmp(at, ELFMAG, SELFMAG) != 0)
		return gw_elf_fail(reader, 0, "this is not an ELF file");
	if (at[EI_CLASS] != ELFCLASS64 || at[EI_DATA] != ELFDATA2LSB)
		return gw_elf_fail(reader, EI_CLASS, "is an ELF file for another machine; only x86-64 can be scanned");
	if (!chunk(reader, 0, sizeof *header))
		return gw_elf_fail(reader, 0, "its ELF header is incomplete");
	memcpy(header, at, sizeof *header);
	if (header->e_machine != EM_X86_64)
		return gw_elf_fail(reader, offsetof(Elf64_Ehdr, e_machine), "is an ELF file for another machine; only x86-64 can be scanned");
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return gw_elf_fail(reader, offsetof(Elf64_Ehdr, e_type), "is neither a program nor a shared library");
	reader->out->type = header->e_type;
	reader->out->abi = at[EI_OSABI];
	return 0;
}

static int read_segments(struct gw_elf_reader *reader)
{
	const unsigned char *at;
	Elf64_Ehdr header;
	size_t count;
	int result = read_header(reader, &header);

	if (result)
		return result;
	count = header.e_phnum;
	if (!count || count > MAX_SEGMENTS || header.e_phentsize != sizeof(Elf64_Phdr))
		return gw_elf_fail(reader, offsetof(Elf64_Ehdr, e_phentsize), "its program headers are broken");
	at = chunk(reader, header.e_phoff, count * sizeof(Elf64_Phdr));
	if (!at)
		return gw_elf_fail(reader, offsetof(Elf64_Ehdr, e_phoff), "its program headers lie beyond the end of the file");
	reader->segments = calloc(count, sizeof *reader->segments);
	if (!reader->segments)
		return -ENOMEM;
	memcpy(reader->segments, at, count * sizeof *reader->segments);
	reader->segment_count = count;
	reader->segments_at = header.e_phoff;
	return 0;
}

/* The place of a segment's header. */
static uint64_t header_of(const struct gw_elf_reader *reader, const Elf64_Phdr *segment)
{
	return reader->segments_at + (uint64_t)(segment - reader->segments) * sizeof *segment;
}

static int read_interpreter(struct gw_elf_reader *reader)
{
	for (size_t i = 0; i < reader->segment_count; i++) {
		const Elf64_Phdr *segment = &reader->segments[i];
		const unsigned char *at;

		if (segment->p_type != PT_INTERP)
			continue;
		at = chunk(reader, segment->p_offset, segment->p_filesz);
		if (!at || !memchr(at, '\0', segment->p_filesz))
			return gw_elf_fail(reader, header_of(reader, segment),
					   "its interpreter's name is broken");
		reader->out->interpreter = (const char *)at;
		return 0;
	}
	return 0;
}

static int note_flags(struct gw_elf *out, const Elf64_Dyn *entry)
{
	uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_FLAGS_1:
		out->no_default = value & DF_1_NODEFLIB;
		out->no_open = value & DF_1_NOOPEN;
		out->is_pie = value & DF_1_PIE;
		out->bind_now |= (value & DF_1_NOW) != 0;
		break;
	case DT_FLAGS:
		out->bind_now |= (value & DF_BIND_NOW) != 0;
		out->symbolic |= (value & DF_SYMBOLIC) != 0;
		break;
	case DT_BIND_NOW:
		out->bind_now = true;
		break;
	case DT_SYMBOLIC:
		out->symbolic = true;
		break;
	case DT_NEEDED:
	case DT_AUXILIARY:
	case DT_FILTER:
		out->needed_count++;
		break;
	default:
		break;
	}
	return out->needed_count > MAX_NEEDED ? -1 : 0;
}

static int note_value(struct gw_elf_reader *reader, const Elf64_Dyn *entry)
{
	const struct {
		int64_t tag;
		uint64_t *value;
	} places[] = {
		{DT_STRTAB, &reader->strings_at},    {DT_STRSZ, &reader->strings_length},
		{DT_SYMTAB, &reader->symbols_at},    {DT_HASH, &reader->hash_at},
		{DT_GNU_HASH, &reader->gnu_hash_at}, {DT_VERSYM, &reader->indices_at},
		{DT_VERNEED, &reader->needs_at},     {DT_VERNEEDNUM, &reader->needs_count},
		{DT_VERDEF, &reader->defines_at},    {DT_VERDEFNUM, &reader->defines_count},
		{DT_RELA, &reader->rela_at},         {DT_RELASZ, &reader->rela_size},
		{DT_JMPREL, &reader->plt_at},        {DT_PLTRELSZ, &reader->plt_size},
	};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (places[i].tag == entry->d_tag)
			*places[i].value = entry->d_un.d_val;
	return note_flags(reader->out, entry)
		       ? gw_elf_fail(reader, reader->dynamic_at, "needs more than %d libraries",
				     MAX_NEEDED)
		       : 0;
}

/* Entries that are strings, once the string table is known. */
static int note_string(struct gw_elf_reader *reader, const Elf64_Dyn *entry, uint64_t offset,
		       size_t *needed)
{
	const char **place;

	switch (entry->d_tag) {
	case DT_NEEDED:
	case DT_AUXILIARY:
	case DT_FILTER:
		reader->out->needed_kind[*needed] = entry->d_tag == DT_NEEDED	   ? GW_ELF_NEEDED
						    : entry->d_tag == DT_AUXILIARY ? GW_ELF_AUXILIARY
										   : GW_ELF_FILTER;
		place = &reader->out->needed[(*needed)++];
		break;
	case DT_SONAME:
		place = &reader->out->soname;
		break;
	case DT_RPATH:
		place = &reader->out->rpath;
		break;
	case DT_RUNPATH:
		place = &reader->out->runpath;
		break;
	default:
		return 0;
	}
	*place = gw_elf_string(reader, entry->d_un.d_val);
	return *place ? 0
		      : gw_elf_fail(reader, offset,
				    "a name of the dynamic section lies outside its string table");
}

/* The string table up to its last 0: so any index inside gives a whole string. */
static void find_strings(struct gw_elf_reader *reader)
{
	const unsigned char *table = gw_elf_at(reader, reader->strings_at, reader->strings_length);
	const unsigned char *last = table ? memrchr(table, '\0', reader->strings_length) : NULL;

	reader->strings = (const char *)table;
	reader->strings_size = last ? (uint64_t)(last - table) + 1 : 0;
}

static int read_dynamic(struct gw_elf_reader *reader)
{
	const unsigned char *entries = NULL;
	const Elf64_Phdr *segment = NULL;
	size_t count, limit, needed = 0;
	Elf64_Dyn entry;
	int result = 0;

	/* Of several, the loader takes the last. */
	for (size_t i = 0; i < reader->segment_count; i++)
		if (reader->segments[i].p_type == PT_DYNAMIC)
			segment = &reader->segments[i];
	if (!segment)
		return 0;
	entries = chunk(reader, segment->p_offset, segment->p_filesz);
	if (!entries)
		return gw_elf_fail(reader, header_of(reader, segment),
				   "the dynamic section lies beyond the end of the file");
	reader->dynamic_at = segment->p_offset;
	reader->out->is_dynamic = true;
	limit = segment->p_filesz / sizeof entry;
	limit = limit < MAX_DYNAMIC ? limit : MAX_DYNAMIC;
	for (count = 0; count < limit && !result; count++) {
		memcpy(&entry, entries + count * sizeof entry, sizeof entry);
		if (entry.d_tag == DT_NULL)
			break;
		result = note_value(reader, &entry);
	}
	if (result)
		return result;
	find_strings(reader);
	reader->out->needed = calloc(reader->out->needed_count + 1, sizeof *reader->out->needed);
	reader->out->needed_kind = calloc(reader->out->needed_count + 1, sizeof *reader->out->needed_kind);
	if (!reader->out->needed || !reader->out->needed_kind)
		return -ENOMEM;
	for (size_t i = 0; i < count && !result; i++) {
		memcpy(&entry, entries + i * sizeof entry, sizeof entry);
		result = note_string(reader, &entry, segment->p_offset + i * sizeof entry, &needed);
	}
	if (reader->out->runpath)
		reader->out->rpath = NULL; /* as if it were not there */
	return result;
}

/* All that is read at once. */
static int read_whole(struct gw_elf_reader *reader, struct storage *storage)
{
	int result = read_segments(reader);
	size_t cut;

	if (!result)
		result = read_interpreter(reader);
	if (!result)
		result = read_dynamic(reader);
	if (!result) {
		storage->strings = reader->strings;
		storage->strings_size = reader->strings_size;
		result = gw_elf_read_versions(reader);
	}
	if (!result)
		result = gw_elf_read_symbols(reader);
	if (gw_mapping_is_cut(&storage->mapping, &cut))
		result = gw_elf_fail(reader, cut, "was cut short while it was read");
	return result;
}

int gw_elf_read(struct gw_elf *elf, const char *path, const char *host, char *error,
		size_t error_size)
{
	struct gw_elf_reader reader = {.out = elf, .error = error, .error_size = error_size, .dynamic_at = GW_ELF_NOWHERE};
	struct storage *storage = calloc(1, sizeof *storage);
	int result = -ENOMEM;

	*elf = (struct gw_elf){.path = strdup(path), .storage = storage};
	error[0] = '\0';
	if (storage && elf->path)
		result = open_file(&reader, storage, host);
	if (!result)
		result = read_whole(&reader, storage);
	free(reader.segments);
	if (!result)
		return 0;
	if (!error[0])
		snprintf(error, error_size, "%s: %s", path, strerror(-result));
	gw_elf_finish(elf);
	return result;
}

const unsigned char *gw_elf_bytes(const struct gw_elf *elf, uint64_t *size)
{
	const struct storage *storage = elf->storage;

	*size = storage->mapping.size;
	return storage->mapping.bytes;
}

const char *gw_elf_text(const struct gw_elf *elf, uint64_t index)
{
	const struct storage *storage = elf->storage;
	return index < storage->strings_size ? storage->strings + index : NULL;
}

bool gw_elf_is_cut(const struct gw_elf *elf, char *error, size_t error_size)
{
	const struct storage *storage = elf->storage;
	size_t cut;

	if (!storage || !gw_mapping_is_cut(&storage->mapping, &cut))
		return false;
	snprintf(error, error_size, "%s:0x%zx: was cut short while it was read", elf->path, cut);
	return true;
}

void gw_elf_finish(struct gw_elf *elf)
{
	struct storage *storage = elf->storage;

	if (storage)
		gw_mapping_close(&storage->mapping);
	free(storage);
	free(elf->path);
	free(elf->needed);
	free(elf->needed_kind);
	free(elf->imports);
	free(elf->needs);
	free(elf->defines);
	free(elf->versions);
	*elf = (struct gw_elf){0};
}
