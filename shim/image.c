/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol lookup and version nodes of mapped objects; see image.h. Must never call into the loader. */
#include "image.h"

#include <stddef.h>

/* glibc relocates the pointers of a dynamic section in place; musl and the vdso do not. */
static const void *dynamic_address(const struct gw_image *image, Elf64_Addr value)
{
	return (const void *)(value >= image->base ? value : image->base + value);
}

bool gw_image_read(struct gw_image *image, uintptr_t base, const Elf64_Dyn *dynamic)
{
	const Elf64_Dyn *d;
	bool has_soname = false;
	Elf64_Xword soname = 0;

	*image = (struct gw_image){ .base = base, .dynamic = dynamic };
	if (!dynamic)
		return false;
	for (d = dynamic; d->d_tag != DT_NULL; d++) {
		const void *at = dynamic_address(image, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_STRTAB: image->strings = at; break;
		case DT_STRSZ: image->strings_size = d->d_un.d_val; break;
		case DT_SYMTAB: image->symbols = at; break;
		case DT_VERSYM: image->versions = at; break;
		case DT_VERDEF: image->defined = at; break;
		case DT_VERNEED: image->needed = at; break;
		case DT_GNU_HASH: image->gnu_hash = at; break;
		case DT_HASH: image->sysv_hash = at; break;
		case DT_SONAME: soname = d->d_un.d_val; has_soname = true; break;
		default: break;
		}
	}
	if (!image->strings || !image->symbols || (!image->gnu_hash && !image->sysv_hash))
		return false;
	if (has_soname)
		image->soname = image->strings + soname;
	return true;
}

void gw_image_nodes(const struct gw_image *image, bool defined, bool (*visit)(const char *node, void *data), void *data)
{
	const char *at = defined ? image->defined : image->needed;

	while (at) {
		uint32_t next;

		if (defined) {
			const Elf64_Verdef *def = (const void *)at;
			const Elf64_Verdaux *aux = (const void *)(at + def->vd_aux);

			if (!(def->vd_flags & VER_FLG_BASE) && !visit(image->strings + aux->vda_name, data))
				return;
			next = def->vd_next;
		} else {
			const Elf64_Verneed *need = (const void *)at;
			const char *aux_at = at + need->vn_aux;
			unsigned i;

			for (i = 0; i < need->vn_cnt; i++) {
				const Elf64_Vernaux *aux = (const void *)aux_at;

				if (!visit(image->strings + aux->vna_name, data))
					return;
				aux_at += aux->vna_next;
			}
			next = need->vn_next;
		}
		at = next ? at + next : NULL;
	}
}

static bool node_differs(const char *node, void *data)
{
	const char **wanted = data;

	if (!gw_same(node, *wanted))
		return true;
	*wanted = NULL;
	return false;
}

bool gw_image_defines_node(const struct gw_image *image, const char *node)
{
	const char *wanted = node;

	gw_image_nodes(image, true, node_differs, &wanted);
	return !wanted;
}

static const char *node_of_index(const struct gw_image *image, unsigned index)
{
	const char *at = image->defined;

	while (at) {
		const Elf64_Verdef *def = (const void *)at;

		if (def->vd_ndx == index)
			return image->strings + ((const Elf64_Verdaux *)(at + def->vd_aux))->vda_name;
		at = def->vd_next ? at + def->vd_next : NULL;
	}
	return NULL;
}

/* What is looked for. */
struct wanted {
	const char *name, *version;
	bool object;	/* a variable, not a function */
};

static bool is_kind(unsigned type, bool object)
{
	return object ? type == STT_OBJECT : type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* 0: not it; 1: it, under a hidden (old) version; 2: it. */
static int matches(const struct gw_image *image, uint32_t index, const struct wanted *wanted)
{
	const Elf64_Sym *symbol = &image->symbols[index];
	unsigned type = ELF64_ST_TYPE(symbol->st_info), at;
	const char *node;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || !is_kind(type, wanted->object))
		return 0;
	if (!gw_same(image->strings + symbol->st_name, wanted->name))
		return 0;
	if (!image->versions || !image->defined)
		return 2;
	at = image->versions[index];
	if (!wanted->version)
		return at & 0x8000 ? 1 : 2;
	node = node_of_index(image, at & 0x7fff);
	return node && gw_same(node, wanted->version) ? 2 : 0;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static uint32_t sysv_hash_of(const char *name)
{
	uint32_t h = 0, g;

	while (*name) {
		h = (h << 4) + (unsigned char)*name++;
		g = h & 0xf0000000;
		h ^= g >> 24;
		h &= ~g;
	}
	return h;
}

static uint32_t find_gnu(const struct gw_image *image, const struct wanted *wanted)
{
	const uint32_t *table = image->gnu_hash;
	uint32_t bucket_count = table[0], offset = table[1], bloom_size = table[2], shift = table[3];
	const uint64_t *bloom = (const void *)(table + 4);
	const uint32_t *buckets = (const void *)(bloom + bloom_size), *chain = buckets + bucket_count;
	uint32_t h = gnu_hash_of(wanted->name), i, fallback = 0;
	uint64_t word;

	if (!bucket_count || !bloom_size)
		return 0;
	word = bloom[(h / 64) % bloom_size];
	if (!(word >> (h % 64) & word >> ((h >> shift) % 64) & 1))
		return 0;
	i = buckets[h % bucket_count];
	if (i < offset)
		return 0;
	for (;; i++) {
		uint32_t other = chain[i - offset];

		if ((other | 1) == (h | 1)) {
			int match = matches(image, i, wanted);

			if (match == 2)
				return i;
			if (match == 1 && !fallback)
				fallback = i;
		}
		if (other & 1)
			return fallback;
	}
}

static uint32_t find_sysv(const struct gw_image *image, const struct wanted *wanted)
{
	const uint32_t *table = image->sysv_hash;
	uint32_t i, fallback = 0;

	if (!table[0])
		return 0;
	for (i = table[2 + sysv_hash_of(wanted->name) % table[0]]; i; i = table[2 + table[0] + i]) {
		int match = matches(image, i, wanted);

		if (match == 2)
			return i;
		if (match == 1 && !fallback)
			fallback = i;
	}
	return fallback;
}

static void *find(const struct gw_image *image, const struct wanted *wanted)
{
	const Elf64_Sym *symbol;
	uint32_t index;
	void *at;

	if (!image->strings || !image->symbols || (!image->gnu_hash && !image->sysv_hash))
		return NULL;	/* nothing can be looked up in it; the loader says the same */
	index = image->gnu_hash ? find_gnu(image, wanted) : find_sysv(image, wanted);
	if (!index)
		return NULL;
	symbol = &image->symbols[index];
	at = (void *)(image->base + symbol->st_value);
	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		at = ((void *(*)(void))at)();
	return at;
}

void *gw_image_function(const struct gw_image *image, const char *name, const char *version)
{
	struct wanted wanted = { .name = name, .version = version };

	return find(image, &wanted);
}

void *gw_image_object(const struct gw_image *image, const char *name)
{
	struct wanted wanted = { .name = name, .object = true };

	return find(image, &wanted);
}

/*
 * How many symbols may be looked at for undefined ones. A GNU hash table has those before what it holds; one that holds nothing does not say
 * how many there are, and neither does anything else: then the string table, which follows the symbols in files as linkers write them.
 */
static size_t import_bound(const struct gw_image *image, uintptr_t end)
{
	uintptr_t start = (uintptr_t)image->symbols, strings = (uintptr_t)image->strings;

	if (image->gnu_hash && image->gnu_hash[1] > 1)
		return image->gnu_hash[1];
	if (image->sysv_hash)
		return image->sysv_hash[1];
	if (strings > start && strings < end)
		end = strings;
	return end > start ? (end - start) / sizeof(Elf64_Sym) : 0;
}

void gw_image_imports(const struct gw_image *image, uintptr_t end, bool (*visit)(const char *name, void *data), void *data)
{
	size_t i, count = import_bound(image, end);

	for (i = 1; i < count; i++) {
		const Elf64_Sym *symbol = &image->symbols[i];

		if ((uintptr_t)(symbol + 1) > end)
			return;
		if (symbol->st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL || !symbol->st_name ||
		    symbol->st_name >= image->strings_size)
			continue;
		if (!visit(image->strings + symbol->st_name, data))
			return;
	}
}

const char *gw_image_needed(const struct gw_image *image, unsigned n)
{
	const Elf64_Dyn *d;

	for (d = image->dynamic; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && !n--)
			return image->strings + d->d_un.d_val;
	return NULL;
}
