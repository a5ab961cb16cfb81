/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic symbols, their hash tables and relocations (elf_symbol.h), by the loader's own rules
 * (check_match and do_lookup_x of glibc 2.30 and newer). */
#include "elf_symbol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mapping.h"

/* More than any real object has; what says more is broken, or wants our memory and time. */
#define MAX_SYMBOLS (1u << 20)
#define MAX_RELOCATIONS (2u << 20)
#define MAX_CHAIN 65536
#define BLOOM_BITS 64u
#define FIND_STEPS 16	      /* what a lookup costs before its first entry, in entries */
#define RELEASE (1u << 19) /* relocations, after which those before are not kept in memory */

static uint32_t word(const struct gw_elf_table *table, uint64_t index)
{
	uint32_t value;

	memcpy(&value, table->bytes + index * sizeof value, sizeof value);
	return value;
}

static Elf64_Sym symbol(const struct gw_elf *elf, uint64_t index)
{
	Elf64_Sym value;

	memcpy(&value, elf->symbols.bytes + index * sizeof value, sizeof value);
	return value;
}

/* Bit 15: hidden. 0 where the file has no such table. */
static unsigned version_index(const struct gw_elf *elf, uint64_t index)
{
	uint16_t value;

	if (index >= elf->indices.count)
		return 0;
	memcpy(&value, elf->indices.bytes + index * sizeof value, sizeof value);
	return value;
}

static int view(struct gw_elf_reader *reader, struct gw_elf_table *table, uint64_t address,
		uint64_t count, size_t size, const char *what)
{
	table->bytes = count <= UINT64_MAX / size ? gw_elf_at(reader, address, count * size) : NULL;
	if (!table->bytes && count)
		return gw_elf_fail(reader, gw_elf_place(reader, address),
				   "%s lie beyond the end of the file", what);
	table->count = count;
	return 0;
}

/* The newer hash table; *COUNT gets how many symbols it knows of. */
static int read_new_hash(struct gw_elf_reader *reader, uint64_t *count)
{
	struct gw_elf *out = reader->out;
	uint64_t address = reader->gnu_hash_at, highest = 0;
	const unsigned char *at = gw_elf_at(reader, address, 16);
	uint32_t head[4];
	int result;

	if (!at)
		return gw_elf_fail(reader, gw_elf_place(reader, address),
				   "its hash table is broken");
	memcpy(head, at, sizeof head);
	if (!head[2] || (head[2] & (head[2] - 1)))
		return gw_elf_fail(reader, gw_elf_place(reader, address),
				   "its hash table has a filter of %u words", head[2]);
	out->first_hashed = head[1];
	out->bloom_shift = head[3] & 31;
	out->newer_hash = true;
	address += 16;
	result = view(reader, &out->bloom, address, head[2], 8, "its hash tables");
	address += (uint64_t)head[2] * 8;
	if (!result)
		result = view(reader, &out->buckets, address, head[0], 4, "its hash tables");
	address += (uint64_t)head[0] * 4;
	for (uint64_t i = 0; !result && i < head[0]; i++)
		if (word(&out->buckets, i) > highest)
			highest = word(&out->buckets, i);
	if (result || highest < head[1])
		return result;
	/* The chain has no length: it ends behind the highest bucket's last entry. */
	out->chain.count = gw_elf_room(reader, address) / 4;
	out->chain.bytes = gw_elf_at(reader, address, out->chain.count * 4);
	do
		if (highest - head[1] >= out->chain.count)
			return gw_elf_fail(reader, gw_elf_place(reader, reader->gnu_hash_at),
					   "its hash table does not end");
	while (!(word(&out->chain, highest++ - head[1]) & 1));
	out->chain.count = highest - head[1];
	*count = highest;
	return 0;
}

static int read_old_hash(struct gw_elf_reader *reader, uint64_t *count)
{
	struct gw_elf *out = reader->out;
	const unsigned char *at = gw_elf_at(reader, reader->hash_at, 8);
	uint32_t head[2];
	int result;

	if (!at)
		return gw_elf_fail(reader, gw_elf_place(reader, reader->hash_at),
				   "its hash table is broken");
	memcpy(head, at, sizeof head);
	if (head[1] > *count)
		*count = head[1];
	if (reader->gnu_hash_at) /* the loader does not look at this one */
		return 0;
	result = view(reader, &out->buckets, reader->hash_at + 8, head[0], 4, "its hash tables");
	if (!result)
		result = view(reader, &out->chain, reader->hash_at + 8 + 4 * (uint64_t)head[0],
			      head[1], 4, "its hash tables");
	return result;
}

static Elf64_Rela relocation(const struct gw_elf_table *table, uint64_t index)
{
	Elf64_Rela value;

	memcpy(&value, table->bytes + index * sizeof value, sizeof value);
	return value;
}

/* A table of relocations may be larger than all else together, and is walked from its start to its end. */
static void release(const struct gw_elf_table *table, uint64_t index)
{
	if (index % RELEASE == 0 && index)
		gw_mapping_forget(table->bytes + (index - RELEASE) * sizeof(Elf64_Rela), RELEASE * sizeof(Elf64_Rela));
}

static uint64_t highest_in(const struct gw_elf_table *table, uint64_t count)
{
	for (uint64_t i = 0; i < table->count; i++) {
		Elf64_Rela entry = relocation(table, i);

		release(table, i);
		if (ELF64_R_SYM(entry.r_info) >= count)
			count = ELF64_R_SYM(entry.r_info) + 1;
	}
	return count;
}

static int read_relocations(struct gw_elf_reader *reader)
{
	struct gw_elf *out = reader->out;
	uint64_t rela = reader->rela_size / sizeof(Elf64_Rela),
		 plt = reader->plt_size / sizeof(Elf64_Rela);
	int result = 0;

	if (rela > MAX_RELOCATIONS || plt > MAX_RELOCATIONS)
		return gw_elf_fail(reader, gw_elf_place(reader, reader->rela_at),
				   "has an impossible number of relocations");
	/* The PLT's may be the end of the others: they count as the PLT's then. */
	if (reader->plt_at >= reader->rela_at &&
	    reader->plt_at - reader->rela_at < rela * sizeof(Elf64_Rela) &&
	    reader->rela_at + rela * sizeof(Elf64_Rela) ==
		    reader->plt_at + plt * sizeof(Elf64_Rela))
		rela -= plt;
	if (reader->rela_at)
		result = view(reader, &out->relocations, reader->rela_at, rela, sizeof(Elf64_Rela),
			      "its relocations");
	if (!result && reader->plt_at)
		result = view(reader, &out->plt, reader->plt_at, plt, sizeof(Elf64_Rela),
			      "its relocations");
	return result;
}

/*
 * How many dynamic symbols there are, nothing says outright, and the loader never asks: as many as
 * the hash table knows, and the relocations name.
 */
int gw_elf_read_symbols(struct gw_elf_reader *reader)
{
	struct gw_elf *out = reader->out;
	uint64_t count = 0;
	int result = 0;

	if (!reader->symbols_at || !reader->strings_at)
		return 0;
	if (reader->gnu_hash_at)
		result = read_new_hash(reader, &count);
	if (!result && reader->hash_at)
		result = read_old_hash(reader, &count);
	if (!result)
		result = read_relocations(reader);
	if (result)
		return result;
	count = highest_in(&out->plt, highest_in(&out->relocations, count));
	if (count > MAX_SYMBOLS)
		return gw_elf_fail(reader, gw_elf_place(reader, reader->symbols_at),
				   "has an impossible number of symbols");
	result = view(reader, &out->symbols, reader->symbols_at, count, sizeof(Elf64_Sym),
		      "its dynamic symbols");
	if (!result && reader->indices_at)
		result = view(reader, &out->indices, reader->indices_at, count,
			      sizeof(Elf64_Versym), "its symbol versions");
	return result;
}

static const struct gw_elf_version *version_of(const struct gw_elf *elf, uint64_t index)
{
	unsigned at = version_index(elf, index) & 0x7fff;

	return at < elf->version_count && elf->versions[at].node && elf->versions[at].hash
		       ? &elf->versions[at]
		       : NULL;
}

static bool is_import(const struct gw_elf *elf, uint64_t index)
{
	Elf64_Sym entry = symbol(elf, index);

	return entry.st_shndx == SHN_UNDEF && entry.st_name && gw_elf_text(elf, entry.st_name);
}

int gw_elf_list_imports(struct gw_elf *elf)
{
	size_t count = 0;

	if (elf->imports)
		return 0;
	for (uint64_t i = 1; i < elf->symbols.count; i++)
		count += is_import(elf, i);
	elf->imports = calloc(count + 1, sizeof *elf->imports);
	if (!elf->imports)
		return -ENOMEM;
	for (uint64_t i = 1; i < elf->symbols.count; i++) {
		const struct gw_elf_version *version = version_of(elf, i);
		const char *file = version ? version->file : NULL;
		Elf64_Sym entry = symbol(elf, i);

		if (is_import(elf, i))
			elf->imports[elf->import_count++] = (struct gw_elf_import){
				.name = gw_elf_text(elf, entry.st_name),
				.file = file,
				.node = file ? version->node : NULL,
				.weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK,
			};
	}
	return 0;
}

void gw_elf_query_init(struct gw_elf_query *query, const char *name,
		       const struct gw_elf_version *version)
{
	uint32_t hash = 5381, old = 0;
	const unsigned char *at;

	for (at = (const unsigned char *)name; *at; at++) {
		hash = hash * 33 + *at;
		old = (old << 4) + *at;
		old ^= (old >> 24) & 0xf0;
		old &= 0x0fffffff;
	}
	*query = (struct gw_elf_query){name, version, false, hash, old, (size_t)(at - (const unsigned char *)name), NULL};
}

/* False where there are no STEPS left. */
static bool spend(const struct gw_elf_query *query, size_t steps)
{
	if (!query->steps)
		return true;
	*query->steps = *query->steps > steps ? *query->steps - steps : 0;
	return *query->steps;
}

/* What one chain has shown so far. */
struct search {
	const struct gw_elf_query *query;
	uint32_t index, other;
	unsigned others; /* definitions under versions, where none was asked for */
	bool unversioned;
};

static bool is_definition(const Elf64_Sym *entry, bool plt)
{
	unsigned type = ELF64_ST_TYPE(entry->st_info), bind = ELF64_ST_BIND(entry->st_info);
	unsigned visibility = ELF64_ST_VISIBILITY(entry->st_other);

	if ((entry->st_value == 0 && entry->st_shndx != SHN_ABS && type != STT_TLS) ||
	    (plt && entry->st_shndx == SHN_UNDEF))
		return false;
	return (type <= STT_FUNC || type == STT_COMMON || type == STT_TLS ||
		type == STT_GNU_IFUNC) &&
	       (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
	       visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

/* Does the symbol's version do? Without one wanted: the oldest node's do, and else the only one
 * that is not hidden. */
static bool version_fits(const struct gw_elf *elf, struct search *search, uint32_t index)
{
	const struct gw_elf_version *wanted = search->query->version, *has;
	unsigned raw = version_index(elf, index), at = raw & 0x7fff;
	bool versioned = elf->version_count && elf->indices.count;

	if (!versioned) {
		search->unversioned = wanted != NULL;
		return true;
	}
	if (!wanted) {
		if (at < 3)
			return true;
		if (!(raw & 0x8000) && search->others++ == 0)
			search->other = index;
		return false;
	}
	has = at < elf->version_count && elf->versions[at].node ? &elf->versions[at] : NULL;
	if (has && has->hash == wanted->hash && strcmp(has->node, wanted->node) == 0)
		return true;
	return !wanted->hidden && !(has && has->hash) && !(raw & 0x8000);
}

static bool fits(const struct gw_elf *elf, struct search *search, uint32_t index)
{
	Elf64_Sym entry;
	const char *name;

	if (index >= elf->symbols.count)
		return false;
	entry = symbol(elf, index);
	if (!is_definition(&entry, search->query->plt))
		return false;
	name = gw_elf_text(elf, entry.st_name);
	if (!name || !spend(search->query, search->query->length / 8) || strcmp(name, search->query->name) != 0 ||
	    !version_fits(elf, search, index))
		return false;
	search->index = index;
	return true;
}

static bool find_new(const struct gw_elf *elf, struct search *search)
{
	uint32_t hash = search->query->hash, at;
	uint64_t filter;
	unsigned steps = 0;

	if (!elf->bloom.count || !elf->buckets.count)
		return false;
	memcpy(&filter, elf->bloom.bytes + 8 * ((hash / BLOOM_BITS) & (elf->bloom.count - 1)), 8);
	if (!(filter >> (hash % BLOOM_BITS) &
	      (filter >> ((hash >> elf->bloom_shift) % BLOOM_BITS)) & 1))
		return false;
	at = word(&elf->buckets, hash % elf->buckets.count);
	if (!at || at < elf->first_hashed)
		return false;
	for (;; at++) {
		uint32_t entry;

		if (at - elf->first_hashed >= elf->chain.count || ++steps > MAX_CHAIN || !spend(search->query, 1))
			return false;
		entry = word(&elf->chain, at - elf->first_hashed);
		if ((entry | 1) == (hash | 1) && fits(elf, search, at))
			return true;
		if (entry & 1)
			return false;
	}
}

static bool find_old(const struct gw_elf *elf, struct search *search)
{
	uint32_t at;
	unsigned steps = 0;

	if (!elf->buckets.count)
		return false;
	at = word(&elf->buckets, search->query->old_hash % elf->buckets.count);
	for (; at && at < elf->chain.count && ++steps <= MAX_CHAIN && spend(search->query, 1); at = word(&elf->chain, at))
		if (fits(elf, search, at))
			return true;
	return false;
}

enum gw_elf_match gw_elf_find(const struct gw_elf *elf, const struct gw_elf_query *query,
			      uint32_t *index)
{
	struct search search = {.query = query};
	bool found = spend(query, FIND_STEPS) && (elf->newer_hash ? find_new(elf, &search) : find_old(elf, &search));

	if (!found && search.others == 1) {
		search.index = search.other;
		found = true;
	}
	*index = search.index;
	return !found ? GW_ELF_ABSENT : search.unversioned ? GW_ELF_UNVERSIONED : GW_ELF_FOUND;
}

uint64_t gw_elf_value(const struct gw_elf *elf, uint32_t index)
{
	return index < elf->symbols.count ? symbol(elf, index).st_value : 0;
}

enum { SEEN_DATA = 1, SEEN_CALL = 2, SEEN_COPY = 4, SEEN_OTHER = 8 };

static void see(const struct gw_elf *elf, const struct gw_elf_table *table, bool lazy,
		unsigned char *seen)
{
	for (uint64_t i = 0; i < table->count; i++) {
		Elf64_Rela entry = relocation(table, i);
		uint64_t index = ELF64_R_SYM(entry.r_info);
		unsigned type = ELF64_R_TYPE(entry.r_info);
		bool plt = type == R_X86_64_JUMP_SLOT || type == R_X86_64_DTPMOD64 ||
			   type == R_X86_64_DTPOFF64 || type == R_X86_64_TPOFF64 ||
			   type == R_X86_64_TLSDESC;

		release(table, i);
		if (!index || index >= elf->symbols.count || type == R_X86_64_NONE)
			continue;
		seen[index] |= (unsigned char)((lazy && type == R_X86_64_JUMP_SLOT ? SEEN_CALL
										   : SEEN_DATA) |
					       (type == R_X86_64_COPY ? SEEN_COPY : 0) |
					       (plt ? 0 : SEEN_OTHER));
	}
}

int gw_elf_references(const struct gw_elf *elf, struct gw_elf_reference **list, size_t *count)
{
	unsigned char *seen = calloc(elf->symbols.count + 1, 1);
	size_t many = 0;

	*count = 0;
	*list = NULL;
	if (!seen)
		return -ENOMEM;
	see(elf, &elf->relocations, false, seen);
	see(elf, &elf->plt, true, seen);
	for (uint64_t i = 1; i < elf->symbols.count; i++)
		many += seen[i] != 0;
	*list = calloc(many + 1, sizeof **list);
	for (uint64_t i = 1; *list && i < elf->symbols.count; i++) {
		Elf64_Sym entry = symbol(elf, i);
		unsigned bind = ELF64_ST_BIND(entry.st_info);
		unsigned visibility = ELF64_ST_VISIBILITY(entry.st_other);
		const char *name = seen[i] ? gw_elf_text(elf, entry.st_name) : NULL;

		if (!name)
			continue;
		(*list)[(*count)++] = (struct gw_elf_reference){
			.index = (uint32_t)i,
			.name = name,
			.version = version_of(elf, i),
			.weak = bind == STB_WEAK,
			.unique = bind == STB_GNU_UNIQUE,
			.defined = entry.st_shndx != SHN_UNDEF,
			.own = bind == STB_LOCAL || visibility == STV_HIDDEN ||
			       visibility == STV_INTERNAL ||
			       (visibility == STV_PROTECTED && entry.st_shndx != SHN_UNDEF),
			.data = seen[i] & SEEN_DATA,
			.call = seen[i] & SEEN_CALL,
			.plt = !(seen[i] & SEEN_OTHER),
			.copy = seen[i] & SEEN_COPY,
		};
	}
	free(seen);
	return *list ? 0 : -ENOMEM;
}

bool gw_elf_exports_prefix(const struct gw_elf *elf, const char *prefix)
{
	size_t length = strlen(prefix);

	for (uint64_t i = 1; i < elf->symbols.count; i++) {
		Elf64_Sym entry = symbol(elf, i);
		const char *name =
			is_definition(&entry, true) ? gw_elf_text(elf, entry.st_name) : NULL;

		if (name && strncmp(name, prefix, length) == 0)
			return true;
	}
	return false;
}
