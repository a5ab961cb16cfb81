/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the loader's view of an ELF file (elf_read.h) with libelf. */
#include "elf_read.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any real object has; what says more is broken, or wants our memory. */
#define MAX_NEEDED 4096
#define MAX_SYMBOLS (16u << 20)
#define NOWHERE UINT64_MAX /* an error that no place in the file is to blame for */

struct storage {
	Elf *elf;
	int file;
};

struct reader {
	struct gw_elf *out;
	Elf *elf;
	uint64_t size; /* of the file */
	GElf_Phdr *segments;
	size_t segment_count;
	/* values of the dynamic section; 0 where absent */
	uint64_t strings, strings_size, symbols, hash, gnu_hash, versions, needs, needs_count;
	char *error;
	size_t error_size;
};

__attribute__((format(printf, 3, 4))) static int fail(struct reader *reader, uint64_t offset,
						      const char *format, ...)
{
	va_list arguments;
	int length;

	length = offset == NOWHERE
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

/* The bytes of the file at OFFSET in the host's form; NULL where the file ends before. */
static const void *chunk(struct reader *reader, uint64_t offset, uint64_t size, Elf_Type type)
{
	Elf_Data *data;

	if (!size || offset > reader->size || size > reader->size - offset)
		return NULL;
	data = elf_getdata_rawchunk(reader->elf, (int64_t)offset, size, type);
	return data ? data->d_buf : NULL;
}

/* Where an address that the loader would map comes from: its offset, and how many bytes of the file
 * follow it there. */
static bool locate(const struct reader *reader, uint64_t address, uint64_t *offset, uint64_t *room)
{
	for (size_t i = 0; i < reader->segment_count; i++) {
		const GElf_Phdr *segment = &reader->segments[i];

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

/* The place in the file that an address stands for, for an error. */
static uint64_t place_of(const struct reader *reader, uint64_t address)
{
	uint64_t offset, room;
	return locate(reader, address, &offset, &room) ? offset : NOWHERE;
}

static const void *at_address(struct reader *reader, uint64_t address, uint64_t size, Elf_Type type)
{
	uint64_t offset, room;

	if (!locate(reader, address, &offset, &room) || size > room)
		return NULL;
	return chunk(reader, offset, size, type);
}

/* A string of the dynamic string table; NULL where it is not wholly inside. */
static const char *string(struct reader *reader, uint64_t index)
{
	const char *table = at_address(reader, reader->strings, reader->strings_size, ELF_T_BYTE);

	if (!table || index >= reader->strings_size ||
	    !memchr(table + index, '\0', reader->strings_size - index))
		return NULL;
	return table + index;
}

static int open_file(struct reader *reader, struct storage *storage)
{
	struct stat info;

	storage->file = open(reader->out->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (storage->file < 0 || fstat(storage->file, &info) != 0) {
		int why = errno;
		fail(reader, NOWHERE, "%s", strerror(why));
		return -why;
	}
	if (!S_ISREG(info.st_mode))
		return fail(reader, NOWHERE, "is no regular file");
	reader->size = (uint64_t)info.st_size;
	elf_version(EV_CURRENT);
	storage->elf = elf_begin(storage->file, ELF_C_READ_MMAP, NULL);
	if (!storage->elf)
		return fail(reader, 0, "%s", elf_errmsg(-1));
	reader->elf = storage->elf;
	return 0;
}

static int read_segments(struct reader *reader)
{
	GElf_Ehdr header;
	size_t count;

	if (elf_kind(reader->elf) != ELF_K_ELF)
		return fail(reader, 0, "this is not an ELF file");
	if (!gelf_getehdr(reader->elf, &header))
		return fail(reader, 0, "its ELF header is incomplete");
	if (gelf_getclass(reader->elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
		return fail(reader, 0,
			    "is an ELF file for another machine; only x86-64 can be scanned");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return fail(reader, 0, "is neither a program nor a shared library");
	if (elf_getphdrnum(reader->elf, &count) != 0 || !count || count > UINT16_MAX)
		return fail(reader, header.e_phoff, "its program headers are broken");
	reader->segments = calloc(count, sizeof *reader->segments);
	if (!reader->segments)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!gelf_getphdr(reader->elf, (int)i, &reader->segments[i]))
			return fail(reader, header.e_phoff,
				    "program header %zu lies beyond the end of the file", i);
	reader->segment_count = count;
	return 0;
}

static int note_value(struct reader *reader, const Elf64_Dyn *entry)
{
	switch (entry->d_tag) {
	case DT_STRTAB:
		reader->strings = entry->d_un.d_ptr;
		break;
	case DT_STRSZ:
		reader->strings_size = entry->d_un.d_val;
		break;
	case DT_SYMTAB:
		reader->symbols = entry->d_un.d_ptr;
		break;
	case DT_HASH:
		reader->hash = entry->d_un.d_ptr;
		break;
	case DT_GNU_HASH:
		reader->gnu_hash = entry->d_un.d_ptr;
		break;
	case DT_VERSYM:
		reader->versions = entry->d_un.d_ptr;
		break;
	case DT_VERNEED:
		reader->needs = entry->d_un.d_ptr;
		break;
	case DT_VERNEEDNUM:
		reader->needs_count = entry->d_un.d_val;
		break;
	case DT_FLAGS_1:
		reader->out->no_default = entry->d_un.d_val & DF_1_NODEFLIB;
		break;
	case DT_NEEDED:
		reader->out->needed_count++;
		break;
	default:
		break;
	}
	return reader->out->needed_count > MAX_NEEDED
		       ? fail(reader, NOWHERE, "needs more than %d libraries", MAX_NEEDED)
		       : 0;
}

/* Entries that are strings, once the string table is known. */
static int note_string(struct reader *reader, const Elf64_Dyn *entry, uint64_t offset,
		       size_t *needed)
{
	const char **place;

	switch (entry->d_tag) {
	case DT_NEEDED:
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
	*place = string(reader, entry->d_un.d_val);
	return *place ? 0
		      : fail(reader, offset,
			     "a name of the dynamic section lies outside its string table");
}

static int read_dynamic(struct reader *reader)
{
	const Elf64_Dyn *entries = NULL;
	const GElf_Phdr *segment = NULL;
	size_t count, needed = 0;
	int result = 0;

	for (size_t i = 0; i < reader->segment_count && !segment; i++)
		if (reader->segments[i].p_type == PT_DYNAMIC)
			segment = &reader->segments[i];
	if (!segment)
		return 0;
	entries = chunk(reader, segment->p_offset, segment->p_filesz, ELF_T_DYN);
	if (!entries)
		return fail(reader, segment->p_offset,
			    "the dynamic section lies beyond the end of the file");
	reader->out->is_dynamic = true;
	for (count = 0; count < segment->p_filesz / sizeof *entries && !result; count++) {
		if (entries[count].d_tag == DT_NULL)
			break;
		result = note_value(reader, &entries[count]);
	}
	if (result)
		return result;
	reader->out->needed = calloc(reader->out->needed_count + 1, sizeof *reader->out->needed);
	if (!reader->out->needed)
		return -ENOMEM;
	for (size_t i = 0; i < count && !result; i++)
		result = note_string(reader, &entries[i], segment->p_offset + i * sizeof *entries,
				     &needed);
	return result;
}

/*
 * How many dynamic symbols there are. The loader never asks; the old hash table says so, the
 * section headers do where they were not stripped, and else the string table follows the symbols.
 */
static uint64_t symbol_count(struct reader *reader)
{
	const uint32_t *hash =
		reader->hash ? at_address(reader, reader->hash, 8, ELF_T_WORD) : NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (hash)
		return hash[1];
	while ((section = elf_nextscn(reader->elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
		    header.sh_addr == reader->symbols)
			return header.sh_size / sizeof(Elf64_Sym);
	return reader->strings > reader->symbols
		       ? (reader->strings - reader->symbols) / sizeof(Elf64_Sym)
		       : 0;
}

/* Which file and node stand behind a version index. */
static int find_version(struct reader *reader, unsigned index, struct gw_elf_import *import)
{
	uint64_t address = reader->needs;

	for (uint64_t i = 0; i < reader->needs_count; i++) {
		const Elf64_Verneed *need = at_address(reader, address, sizeof *need, ELF_T_BYTE);
		uint64_t place = need ? address + need->vn_aux : 0;

		if (!need)
			return fail(reader, place_of(reader, address),
				    "its table of needed versions is broken");
		for (unsigned j = 0; j < need->vn_cnt; j++) {
			const Elf64_Vernaux *aux =
				at_address(reader, place, sizeof *aux, ELF_T_BYTE);

			if (!aux)
				return fail(reader, place_of(reader, address),
					    "its table of needed versions is broken");
			if (aux->vna_other == index) {
				import->file = string(reader, need->vn_file);
				import->node = string(reader, aux->vna_name);
				return import->file && import->node
					       ? 0
					       : fail(reader, place_of(reader, place),
						      "a needed version has no name");
			}
			if (!aux->vna_next)
				break;
			place += aux->vna_next;
		}
		if (!need->vn_next)
			break;
		address += need->vn_next;
	}
	return 0;
}

static int read_imports(struct reader *reader)
{
	uint64_t count = reader->symbols && reader->strings ? symbol_count(reader) : 0;
	const Elf64_Sym *symbols;
	const Elf64_Versym *versions = NULL;
	int result = 0;

	if (!count)
		return 0;
	if (count > MAX_SYMBOLS)
		return fail(reader, place_of(reader, reader->symbols),
			    "has an impossible number of symbols");
	symbols = at_address(reader, reader->symbols, count * sizeof *symbols, ELF_T_SYM);
	if (!symbols)
		return fail(reader, place_of(reader, reader->symbols),
			    "its dynamic symbols lie beyond the end of the file");
	if (reader->versions) {
		versions =
			at_address(reader, reader->versions, count * sizeof *versions, ELF_T_HALF);
		if (!versions)
			return fail(reader, place_of(reader, reader->versions),
				    "its symbol versions lie beyond the end of the file");
	}
	reader->out->imports = calloc(count, sizeof *reader->out->imports);
	if (!reader->out->imports)
		return -ENOMEM;
	for (uint64_t i = 1; i < count && !result; i++) {
		struct gw_elf_import *import = &reader->out->imports[reader->out->import_count];
		unsigned index = versions ? versions[i] & 0x7fffu : 0;

		if (symbols[i].st_shndx != SHN_UNDEF || !symbols[i].st_name)
			continue;
		import->name = string(reader, symbols[i].st_name);
		if (!import->name)
			return fail(reader, place_of(reader, reader->symbols),
				    "symbol %llu has no name", (unsigned long long)i);
		import->weak = ELF64_ST_BIND(symbols[i].st_info) == STB_WEAK;
		if (index > 1)
			result = find_version(reader, index, import);
		reader->out->import_count++;
	}
	return result;
}

int gw_elf_read(struct gw_elf *elf, const char *path, bool with_imports, char *error,
		size_t error_size)
{
	struct reader reader = {.out = elf, .error = error, .error_size = error_size};
	struct storage *storage = calloc(1, sizeof *storage);
	int result = -ENOMEM;

	*elf = (struct gw_elf){.path = strdup(path), .storage = storage};
	error[0] = '\0';
	if (storage)
		storage->file = -1;
	if (storage && elf->path)
		result = open_file(&reader, storage);
	if (!result)
		result = read_segments(&reader);
	if (!result)
		result = read_dynamic(&reader);
	if (!result && with_imports)
		result = read_imports(&reader);
	free(reader.segments);
	if (!result)
		return 0;
	if (!error[0])
		snprintf(error, error_size, "%s: %s", path, strerror(-result));
	gw_elf_finish(elf);
	return result;
}

void gw_elf_finish(struct gw_elf *elf)
{
	struct storage *storage = elf->storage;

	if (storage) {
		elf_end(storage->elf);
		if (storage->file >= 0)
			close(storage->file);
		free(storage);
	}
	free(elf->path);
	free(elf->needed);
	free(elf->imports);
	*elf = (struct gw_elf){0};
}
