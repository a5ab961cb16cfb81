/* SPDX-License-Identifier: Apache-2.0 */
/* See elf_file.h. */
#include "elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "audit_system.h"

#define ENTRIES_MOST 4096u /* of a list in a file: a longer one is damaged, or was made to keep us busy */

/* SIZE bytes at OFFSET, or NULL where the file ends before. */
static const void *at(const struct gw_elf_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

static const char *string_at(const struct gw_elf_file *file, uint64_t offset)
{
	const char *text = offset < file->strings_size ? at(file, file->strings + offset, 1) : NULL;
	size_t left = text ? file->size - (size_t)(file->strings + offset) : 0;

	for (size_t i = 0; i < left; i++)
		if (!text[i])
			return text;
	return NULL;
}

/* Where in the file the address ADDRESS lies; 0: nowhere. */
static uint64_t offset_of(const struct gw_elf_file *file, uint64_t address)
{
	for (unsigned i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
			return segment->p_offset + (address - segment->p_vaddr);
	}
	return 0;
}

static bool read_dynamic(struct gw_elf_file *file)
{
	for (unsigned i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (segment->p_type != PT_DYNAMIC)
			continue;
		file->dynamic = at(file, segment->p_offset, segment->p_filesz);
		file->dynamic_count = segment->p_filesz / sizeof *file->dynamic;
		if (segment->p_offset % 8)
			file->dynamic = NULL;
	}
	for (size_t i = 0; file->dynamic && i < file->dynamic_count; i++) {
		uint64_t value = file->dynamic[i].d_un.d_val, place = offset_of(file, value);

		switch (file->dynamic[i].d_tag) {
		case DT_NULL: file->dynamic_count = i; break;
		case DT_STRTAB: file->strings = place; break;
		case DT_STRSZ: file->strings_size = value; break;
		case DT_SYMTAB: file->symbols = place % 8 ? 0 : place; break;
		case DT_VERSYM: file->versions = place % 2 ? 0 : place; break;
		case DT_VERNEED: file->needed = place; break;
		case DT_VERDEF: file->defined = place; break;
		case DT_GNU_HASH: file->gnu_hash = place % 8 ? 0 : place; break;
		case DT_HASH: file->sysv_hash = place % 4 ? 0 : place; break;
		default: break;
		}
	}
	return file->dynamic && file->strings && file->symbols;
}

bool gw_elf_file_open(struct gw_elf_file *file, const char *path)
{
	const Elf64_Ehdr *head;
	struct stat info;
	int descriptor = (int)gw_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);

	*file = (struct gw_elf_file){ 0 };
	if (descriptor < 0)
		return false;
	if (gw_sys_fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= (off_t)sizeof *head) {
		file->size = (size_t)info.st_size;
		file->data = gw_sys_map(descriptor, file->size);
	}
	gw_sys_close(descriptor);
	if (!file->data)
		return false;
	head = (const void *)file->data;
	if (!memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == EM_X86_64 &&
	    head->e_phentsize == sizeof *file->segments && head->e_phoff % 8 == 0)
		file->segments = at(file, head->e_phoff, (uint64_t)head->e_phnum * sizeof *file->segments);
	file->segment_count = file->segments ? head->e_phnum : 0;
	if (file->segments && read_dynamic(file))
		return true;
	gw_elf_file_close(file);
	return false;
}

void gw_elf_file_close(struct gw_elf_file *file)
{
	if (file->data)
		gw_sys_unmap((void *)(uintptr_t)file->data, file->size);
	file->data = NULL;
}

const unsigned char *gw_elf_file_build_id(const struct gw_elf_file *file, size_t *length)
{
	for (unsigned i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];
		uint64_t offset = segment->p_offset, end = segment->p_offset + segment->p_filesz;

		while (segment->p_type == PT_NOTE && offset % 4 == 0 && offset < end) {
			const Elf64_Nhdr *note = at(file, offset, sizeof *note);
			uint64_t name = offset + sizeof *note, content;

			if (!note)
				break;
			content = name + (((uint64_t)note->n_namesz + 3) & ~UINT64_C(3));
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && at(file, name, 4) && !memcmp(at(file, name, 4), "GNU", 4)) {
				*length = note->n_descsz;
				return at(file, content, note->n_descsz);
			}
			offset = content + (((uint64_t)note->n_descsz + 3) & ~UINT64_C(3));
		}
	}
	return NULL;
}

const char *gw_elf_file_needed(const struct gw_elf_file *file, unsigned n)
{
	for (size_t i = 0; i < file->dynamic_count; i++)
		if (file->dynamic[i].d_tag == DT_NEEDED && !n--)
			return string_at(file, file->dynamic[i].d_un.d_val);
	return NULL;
}

/* The name of the version that bears INDEX among those that the file defines. */
static const char *node_of(const struct gw_elf_file *file, unsigned index)
{
	uint64_t offset = file->defined;

	for (unsigned i = 0; offset && i < ENTRIES_MOST; i++) {
		const Elf64_Verdef *definition = at(file, offset, sizeof *definition);
		const Elf64_Verdaux *name = definition ? at(file, offset + definition->vd_aux, sizeof *name) : NULL;

		if (!name)
			return NULL;
		if (definition->vd_ndx == index)
			return string_at(file, name->vda_name);
		if (!definition->vd_next)
			return NULL;
		offset += definition->vd_next;
	}
	return NULL;
}

/* NODE NULL: any. */
static bool is_definition(const struct gw_elf_file *file, uint64_t index, const char *name, const char *node)
{
	const Elf64_Sym *symbol = at(file, file->symbols + index * sizeof *symbol, sizeof *symbol);
	const char *own = symbol && symbol->st_shndx != SHN_UNDEF ? string_at(file, symbol->st_name) : NULL;
	const uint16_t *version = file->versions && file->defined ? at(file, file->versions + index * 2, 2) : NULL;
	const char *mine;

	if (!own || strcmp(own, name) != 0)
		return false;
	if (!node)
		return true;
	mine = version ? node_of(file, *version & 0x7fffu) : NULL;
	return !version || (mine && !strcmp(mine, node));
}

/* The index of the definition, 0 where there is none: no hash table holds symbol 0. */
static uint64_t find_by_gnu_hash(const struct gw_elf_file *file, const char *name, const char *node)
{
	const uint32_t *head = at(file, file->gnu_hash, 16), *bucket, *chain;
	uint64_t buckets, chains, index;
	uint32_t hash = 5381;

	if (!head || !head[0])
		return 0;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	buckets = file->gnu_hash + 16 + (uint64_t)head[2] * 8;
	chains = buckets + (uint64_t)head[0] * 4;
	bucket = at(file, buckets + (uint64_t)(hash % head[0]) * 4, 4);
	for (index = bucket ? *bucket : 0; index >= head[1] && index; index++) {
		chain = at(file, chains + (index - head[1]) * 4, 4);
		if (!chain)
			return 0;
		if ((*chain | 1) == (hash | 1) && is_definition(file, index, name, node))
			return index;
		if (*chain & 1)
			return 0;
	}
	return 0;
}

static uint64_t find_by_sysv_hash(const struct gw_elf_file *file, const char *name, const char *node)
{
	const uint32_t *head = at(file, file->sysv_hash, 8), *next;
	uint32_t hash = 0, steps = 0;

	if (!head || !head[0])
		return 0;
	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (unsigned char)*c;
		hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
	}
	next = at(file, file->sysv_hash + 8 + (uint64_t)(hash % head[0]) * 4, 4);
	while (next && *next && steps++ < head[1]) {
		if (is_definition(file, *next, name, node))
			return *next;
		next = at(file, file->sysv_hash + 8 + ((uint64_t)head[0] + *next) * 4, 4);
	}
	return 0;
}

static uint64_t find(const struct gw_elf_file *file, const char *name, const char *node)
{
	if (file->gnu_hash)
		return find_by_gnu_hash(file, name, node);
	return file->sysv_hash ? find_by_sysv_hash(file, name, node) : 0;
}

bool gw_elf_file_defines(const struct gw_elf_file *file, const char *name, const char *node)
{
	return find(file, name, node) != 0;
}

const unsigned char *gw_elf_file_symbol(const struct gw_elf_file *file, const char *name, size_t *size)
{
	uint64_t index = find(file, name, NULL), offset;
	const Elf64_Sym *symbol = index ? at(file, file->symbols + index * sizeof *symbol, sizeof *symbol) : NULL;

	offset = symbol ? offset_of(file, symbol->st_value) : 0;
	*size = symbol ? symbol->st_size : 0;
	return offset ? at(file, offset, *size) : NULL;
}

/* The version of INDEX that the file needs of LIBRARY; NULL where that is another library's. */
static const char *needed_node(const struct gw_elf_file *file, const char *library, unsigned index)
{
	uint64_t offset = file->needed;

	for (unsigned i = 0; offset && i < ENTRIES_MOST; i++) {
		const Elf64_Verneed *need = at(file, offset, sizeof *need);
		const char *from = need ? string_at(file, need->vn_file) : NULL;
		uint64_t aux = need ? offset + need->vn_aux : 0;

		for (unsigned k = 0; from && !strcmp(from, library) && k < need->vn_cnt && k < ENTRIES_MOST; k++) {
			const Elf64_Vernaux *version = at(file, aux, sizeof *version);

			if (!version)
				return NULL;
			if (version->vna_other == index)
				return string_at(file, version->vna_name);
			aux += version->vna_next;
		}
		if (!need || !need->vn_next)
			return NULL;
		offset += need->vn_next;
	}
	return NULL;
}

/* A GNU hash table says where the symbols begin that it holds; those before are the undefined ones, but for a table that holds none. */
static uint64_t symbols_to_look_at(const struct gw_elf_file *file)
{
	const uint32_t *gnu = file->gnu_hash ? at(file, file->gnu_hash, 16) : NULL;
	const uint32_t *sysv = file->sysv_hash ? at(file, file->sysv_hash, 8) : NULL;

	if (gnu && gnu[1] > 1)
		return gnu[1];
	if (sysv)
		return sysv[1];
	return file->strings > file->symbols ? (file->strings - file->symbols) / sizeof(Elf64_Sym) : 0;
}

void gw_elf_file_imports(const struct gw_elf_file *file, const char *library, bool (*visit)(const char *name, const char *node, void *data),
			 void *data)
{
	uint64_t count = symbols_to_look_at(file);

	for (uint64_t i = 1; file->versions && i < count; i++) {
		const Elf64_Sym *symbol = at(file, file->symbols + i * sizeof *symbol, sizeof *symbol);
		const uint16_t *version = at(file, file->versions + i * 2, 2);
		const char *name, *node;

		if (!symbol || !version)
			return;
		if (symbol->st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL)
			continue;
		node = needed_node(file, library, *version & 0x7fffu);
		name = node ? string_at(file, symbol->st_name) : NULL;
		if (name && !visit(name, node, data))
			return;
	}
}
