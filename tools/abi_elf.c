/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a library's SONAME, needed libraries and dynamic symbols through libelf, which checks every
 * range. */
#include "abi.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
#define MAX_VERSIONS 32768 /* of one file: what 15 bits can number */

struct elf_reader {
	Elf *elf;
	const char *path;
	struct abi_error *error;
	struct gw_library *library;
	const char *versions[MAX_VERSIONS]; /* by index in .gnu.version */
	unsigned functions[MAX_VERSIONS];   /* how many defined functions bear it */
	bool own[MAX_VERSIONS];             /* defined here, and not the file's base */
};

static const char *copy(struct gw_library *library, const char *text)
{
	return text ? obstack_copy0(&library->strings, text, strlen(text)) : NULL;
}

static int broken(struct elf_reader *reader, const char *what)
{
	return gw_abi_fail(reader->error, -ENOEXEC, "%.400s: broken ELF file: %s", reader->path,
			   what);
}

/* The first section of TYPE and its data; NULL when there is none, or it cannot be read. */
static Elf_Data *section(struct elf_reader *reader, unsigned type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(reader->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
			return elf_getdata(scn, NULL);
	return NULL;
}

static int read_dynamic(struct elf_reader *reader)
{
	struct gw_library *library = reader->library;
	GElf_Shdr shdr;
	Elf_Data *data = section(reader, SHT_DYNAMIC, &shdr);
	GElf_Dyn dyn;

	if (!data)
		return broken(reader, "no dynamic section (it is no shared library, or cut off)");
	for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *text;

		if (dyn.d_tag != DT_SONAME && dyn.d_tag != DT_NEEDED)
			continue;
		text = elf_strptr(reader->elf, shdr.sh_link, dyn.d_un.d_val);
		if (!text)
			return broken(reader, "a name in its dynamic section");
		text = copy(library, text);
		if (dyn.d_tag == DT_SONAME) {
			library->soname = text;
			continue;
		}
		library->needed = reallocarray(library->needed, library->needed_count + 1,
					       sizeof(*library->needed));
		if (!library->needed)
			return -ENOMEM;
		library->needed[library->needed_count++] = text;
	}
	return 0;
}

/* Version definitions. Offsets only grow, so a hostile chain ends. */
static int read_definitions(struct elf_reader *reader)
{
	GElf_Shdr shdr;
	Elf_Data *data = section(reader, SHT_GNU_verdef, &shdr);
	GElf_Verdef def;
	GElf_Verdaux aux;

	for (size_t at = 0; data; at += def.vd_next) {
		const char *name;
		unsigned index;

		if (at > INT32_MAX || !gelf_getverdef(data, (int)at, &def) ||
		    !gelf_getverdaux(data, (int)(at + def.vd_aux), &aux))
			return broken(reader, "a version definition");
		name = elf_strptr(reader->elf, shdr.sh_link, aux.vda_name);
		if (!name)
			return broken(reader, "a version's name");
		index = def.vd_ndx & (MAX_VERSIONS - 1);
		reader->versions[index] = copy(reader->library, name);
		reader->own[index] = !(def.vd_flags & VER_FLG_BASE) && index > VER_NDX_GLOBAL;
		if (!def.vd_next)
			break;
	}
	return 0;
}

static int add_symbol(struct elf_reader *reader, const GElf_Sym *sym, unsigned version, size_t link)
{
	struct gw_library *library = reader->library;
	unsigned bind = GELF_ST_BIND(sym->st_info), type = GELF_ST_TYPE(sym->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);
	const char *name = elf_strptr(reader->elf, link, sym->st_name);
	unsigned index = version & (MAX_VERSIONS - 1);
	struct gw_symbol *symbol;

	if (!name)
		return broken(reader, "a symbol's name");
	if (!*name || bind == STB_LOCAL ||
	    (sym->st_shndx != SHN_UNDEF &&
	     (visibility == STV_HIDDEN || visibility == STV_INTERNAL || index == VER_NDX_LOCAL)))
		return 0;
	if (strpbrk(name, "\t\n\r "))
		return broken(reader, "a symbol's name with blanks in it");
	symbol = &library->symbols[library->count++];
	symbol->name = copy(library, name);
	symbol->defined = sym->st_shndx != SHN_UNDEF;
	symbol->function = type == STT_FUNC || type == STT_GNU_IFUNC;
	symbol->node = symbol->defined && reader->own[index] ? reader->versions[index] : NULL;
	symbol->base = symbol->defined && !reader->own[index];
	if (symbol->defined && symbol->function)
		reader->functions[index]++;
	return 0;
}

static int read_symbols(struct elf_reader *reader)
{
	struct gw_library *library = reader->library;
	GElf_Shdr shdr, version_shdr;
	Elf_Data *symbols = section(reader, SHT_DYNSYM, &shdr);
	Elf_Data *versions = section(reader, SHT_GNU_versym, &version_shdr);
	size_t count;
	int rc = 0;

	if (!symbols || !shdr.sh_entsize)
		return broken(reader, "no dynamic symbols");
	count = symbols->d_size / sizeof(Elf64_Sym);
	if (count > INT32_MAX)
		return broken(reader, "too many dynamic symbols");
	library->symbols = calloc(count + 1, sizeof(*library->symbols));
	if (!library->symbols)
		return -ENOMEM;
	for (size_t i = 1; !rc && i < count; i++) {
		GElf_Versym version = VER_NDX_GLOBAL;
		GElf_Sym sym;

		if (!gelf_getsym(symbols, (int)i, &sym))
			return broken(reader, "a dynamic symbol");
		if (versions && !gelf_getversym(versions, (int)i, &version))
			return broken(reader, "a symbol's version");
		rc = add_symbol(reader, &sym, version, shdr.sh_link);
	}
	return rc;
}

/* The node that most functions bear; among equals the least by name. */
static void choose_node(struct elf_reader *reader)
{
	unsigned best = 0;

	for (unsigned i = 0; i < MAX_VERSIONS; i++) {
		if (!reader->own[i])
			continue;
		if (best && (reader->functions[i] < reader->functions[best] ||
			     (reader->functions[i] == reader->functions[best] &&
			      strcmp(reader->versions[i], reader->versions[best]) > 0)))
			continue;
		best = i;
	}
	reader->library->node = best ? reader->versions[best] : NULL;
}

int gw_library_read(struct gw_library *library, int fd, const char *path, struct abi_error *error)
{
	struct elf_reader *reader = calloc(1, sizeof(*reader));
	GElf_Ehdr ehdr;
	int rc = 0;

	memset(library, 0, sizeof(*library));
	obstack_init(&library->strings);
	if (!reader)
		return gw_abi_fail(error, -ENOMEM, "out of memory");
	*reader = (struct elf_reader){.path = path, .error = error, .library = library};
	elf_version(EV_CURRENT);
	reader->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!reader->elf || elf_kind(reader->elf) != ELF_K_ELF || !gelf_getehdr(reader->elf, &ehdr))
		rc = gw_abi_fail(error, -ENOEXEC, "%.400s: no ELF file", path);
	else if (ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_machine != EM_X86_64)
		rc = gw_abi_fail(error, -ENOEXEC, "%.400s: not a library for x86-64", path);
	if (!rc)
		rc = read_dynamic(reader);
	if (!rc)
		rc = read_definitions(reader);
	if (!rc)
		rc = read_symbols(reader);
	if (!rc)
		choose_node(reader);
	elf_end(reader->elf);
	free(reader);
	return rc;
}

void gw_library_finish(struct gw_library *library)
{
	free(library->needed);
	free(library->symbols);
	obstack_free(&library->strings, NULL);
	memset(library, 0, sizeof(*library));
}
