/* SPDX-License-Identifier: Apache-2.0 */
/* See deepbind.h. The file comes from outside: every offset meets the one range check. */
#include "deepbind.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"

struct file {
	const char *map;
	size_t size;
};

/* Records of LENGTH bytes together at OFFSET, or NULL: none lies where a processor word may not. */
static const void *at(const struct file *file, uint64_t offset, uint64_t length)
{
	return offset % sizeof(uint64_t) == 0 && offset <= file->size && length <= file->size - offset ? file->map + offset : NULL;
}

static const Elf64_Shdr *section(const struct file *file, const Elf64_Ehdr *header, unsigned index)
{
	if (header->e_shentsize != sizeof(Elf64_Shdr) || index >= header->e_shnum || header->e_shoff > file->size)
		return NULL;
	return at(file, header->e_shoff + (uint64_t)index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

/* Whoever asks the loader itself would get, from his own C library, a dlsym that we never see. */
static bool asks_loader(const char *name)
{
	return !strcmp(name, "dlsym") || !strcmp(name, "dlvsym");
}

static bool imports_ours(const struct file *file, const Elf64_Shdr *symbols, const Elf64_Shdr *strings)
{
	bool inside = strings->sh_offset <= file->size && strings->sh_size <= file->size - strings->sh_offset;
	const char *names = inside ? file->map + strings->sh_offset : NULL;
	uint64_t i, count = symbols->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *symbol = at(file, symbols->sh_offset, count * sizeof(Elf64_Sym));

	if (!names || !symbol || !strings->sh_size || names[strings->sh_size - 1])
		return false;
	for (i = 1; i < count; i++)
		if (symbol[i].st_shndx == SHN_UNDEF && symbol[i].st_name < strings->sh_size &&
		    (gw_name_find(names + symbol[i].st_name) >= 0 || asks_loader(names + symbol[i].st_name)))
			return true;
	return false;
}

static bool matters(const struct file *file)
{
	const Elf64_Ehdr *header = at(file, 0, sizeof(*header));
	const Elf64_Shdr *symbols, *strings;
	unsigned i;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_machine != EM_X86_64)
		return false;
	for (i = 0; (symbols = section(file, header, i)); i++)
		if (symbols->sh_type == SHT_DYNSYM && (strings = section(file, header, symbols->sh_link)))
			return imports_ours(file, symbols, strings);
	return false;
}

bool gw_deepbind_matters(const char *path)
{
	struct file file = { NULL, 0 };
	bool result = false;
	struct stat status;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *map;

	if (descriptor < 0)
		return false;
	if (!fstat(descriptor, &status) && S_ISREG(status.st_mode) && status.st_size > 0 &&
	    (map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0)) != MAP_FAILED) {
		file.map = map;
		file.size = (size_t)status.st_size;
		result = matters(&file);
		munmap(map, file.size);
	}
	close(descriptor);
	return result;
}
