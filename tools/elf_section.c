/* SPDX-License-Identifier: Apache-2.0 */
/* Reads section headers (elf_section.h); every offset is checked against the file. */
#include "elf_section.h"

#include <string.h>

#define MAX_NAME 256 /* what is longer counts as no name */

static bool header_of(const struct gw_elf *elf, Elf64_Ehdr *header)
{
	uint64_t size;
	const unsigned char *bytes = gw_elf_bytes(elf, &size);

	if (size < sizeof *header)
		return false;
	memcpy(header, bytes, sizeof *header);
	return header->e_shentsize == sizeof(Elf64_Shdr) && header->e_shoff &&
	       header->e_shoff < size &&
	       (size - header->e_shoff) / sizeof(Elf64_Shdr) >= header->e_shnum;
}

size_t gw_elf_section_count(const struct gw_elf *elf)
{
	Elf64_Ehdr header;

	return header_of(elf, &header) ? header.e_shnum : 0;
}

static bool read_header(const struct gw_elf *elf, size_t index, Elf64_Ehdr *header,
			Elf64_Shdr *section)
{
	uint64_t size;
	const unsigned char *bytes = gw_elf_bytes(elf, &size);

	if (!header_of(elf, header) || index >= header->e_shnum)
		return false;
	memcpy(section, bytes + header->e_shoff + index * sizeof *section, sizeof *section);
	return section->sh_type == SHT_NOBITS ||
	       (section->sh_offset <= size && section->sh_size <= size - section->sh_offset);
}

bool gw_elf_section_read(const struct gw_elf *elf, size_t index, struct gw_elf_section *section)
{
	uint64_t size;
	const unsigned char *bytes = gw_elf_bytes(elf, &size);
	Elf64_Ehdr header;
	Elf64_Shdr at, names;

	if (!index || !read_header(elf, index, &header, &at))
		return false;
	*section = (struct gw_elf_section){.name = "",
					   .type = at.sh_type,
					   .flags = at.sh_flags,
					   .offset = at.sh_offset,
					   .size = at.sh_size};
	if (at.sh_type != SHT_NOBITS)
		section->bytes = bytes + at.sh_offset;
	if (read_header(elf, header.e_shstrndx, &header, &names) && names.sh_type != SHT_NOBITS &&
	    at.sh_name < names.sh_size) {
		uint64_t room = names.sh_size - at.sh_name;

		if (memchr(bytes + names.sh_offset + at.sh_name, '\0', room < MAX_NAME ? room : MAX_NAME))
			section->name = (const char *)bytes + names.sh_offset + at.sh_name;
	}
	return true;
}

bool gw_elf_section_is_for_gpu(const struct gw_elf_section *section)
{
	static const char *const names[] = {".nv_fatbin", "__nv_relfatbin", ".cask_resource"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(section->name, names[i]) == 0)
			return true;
	return false;
}
