/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables of needed and defined versions (elf_read.h), and files both by index as the
 * loader does. */
#include "elf_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_MASK 0x7fffu
#define HIDDEN 0x8000u
#define MAX_VERSIONS (1u << 15) /* an index has 15 bits */

static int add(struct gw_elf_reader *reader, struct gw_elf_version **list, size_t *count,
	       const struct gw_elf_version *version, uint64_t address)
{
	struct gw_elf_version *more;

	if (*count == MAX_VERSIONS)
		return gw_elf_fail(reader, gw_elf_place(reader, address), "has too many versions");
	if ((*count & (*count - 1)) == 0) {
		more = realloc(*list, (*count ? *count * 2 : 1) * sizeof *more);
		if (!more)
			return -ENOMEM;
		*list = more;
	}
	(*list)[(*count)++] = *version;
	return 0;
}

/* Entries of VERNEED and VERDEF lead to the next by a distance that is never negative, so the
 * limit in add() and the end of the file end each walk. */
static int read_need(struct gw_elf_reader *reader, const Elf64_Verneed *need, uint64_t address)
{
	struct gw_elf *out = reader->out;
	const char *file = gw_elf_string(reader, need->vn_file);
	Elf64_Vernaux aux;
	int result;

	if (!file)
		return gw_elf_fail(reader, gw_elf_place(reader, address),
				   "a needed version has no file");
	for (address += need->vn_aux;; address += aux.vna_next) {
		const unsigned char *at = gw_elf_at(reader, address, sizeof aux);
		struct gw_elf_version version = {.file = file};

		if (!at)
			return gw_elf_fail(reader, gw_elf_place(reader, address),
					   "its table of needed versions is broken");
		memcpy(&aux, at, sizeof aux);
		version.node = gw_elf_string(reader, aux.vna_name);
		if (!version.node)
			return gw_elf_fail(reader, gw_elf_place(reader, address),
					   "a needed version has no name");
		version.hash = aux.vna_hash;
		version.index = aux.vna_other & INDEX_MASK;
		version.hidden = aux.vna_other & HIDDEN;
		version.weak = aux.vna_flags & VER_FLG_WEAK;
		result = add(reader, &out->needs, &out->need_count, &version, address);
		if (result || !aux.vna_next)
			return result;
	}
}

static int read_needs(struct gw_elf_reader *reader)
{
	uint64_t address = reader->needs_at;
	Elf64_Verneed need;
	unsigned count = 0;
	int result;

	if (!address)
		return 0;
	for (;; address += need.vn_next) {
		const unsigned char *at = gw_elf_at(reader, address, sizeof need);

		if (!at || ++count > MAX_VERSIONS)
			return gw_elf_fail(reader, gw_elf_place(reader, address),
					   "its table of needed versions is broken");
		memcpy(&need, at, sizeof need);
		result = read_need(reader, &need, address);
		if (result || !need.vn_next)
			return result;
	}
}

static int read_defines(struct gw_elf_reader *reader)
{
	struct gw_elf *out = reader->out;
	uint64_t address = reader->defines_at;
	Elf64_Verdef define;
	Elf64_Verdaux aux;
	int result;

	if (!address)
		return 0;
	for (;; address += define.vd_next) {
		const unsigned char *at = gw_elf_at(reader, address, sizeof define);
		struct gw_elf_version version = {0};

		if (at)
			memcpy(&define, at, sizeof define);
		if (at)
			at = gw_elf_at(reader, address + define.vd_aux, sizeof aux);
		if (!at)
			return gw_elf_fail(reader, gw_elf_place(reader, address),
					   "its table of defined versions is broken");
		memcpy(&aux, at, sizeof aux);
		version.node = gw_elf_string(reader, aux.vda_name);
		if (!version.node)
			return gw_elf_fail(reader, gw_elf_place(reader, address),
					   "a defined version has no name");
		version.hash = define.vd_hash;
		version.index = define.vd_ndx & INDEX_MASK;
		version.base = define.vd_flags & VER_FLG_BASE;
		result = add(reader, &out->defines, &out->define_count, &version, address);
		if (result || !define.vd_next)
			return result;
	}
}

static void file_by_index(struct gw_elf *out, const struct gw_elf_version *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!list[i].base)
			out->versions[list[i].index] = list[i];
}

int gw_elf_read_versions(struct gw_elf_reader *reader)
{
	struct gw_elf *out = reader->out;
	int result = read_needs(reader);
	unsigned highest = 0;

	if (!result)
		result = read_defines(reader);
	if (result)
		return result;
	for (size_t i = 0; i < out->need_count; i++)
		highest = out->needs[i].index > highest ? out->needs[i].index : highest;
	for (size_t i = 0; i < out->define_count; i++)
		highest = out->defines[i].index > highest ? out->defines[i].index : highest;
	if (!highest)
		return 0;
	out->versions = calloc(highest + 1u, sizeof *out->versions);
	if (!out->versions)
		return -ENOMEM;
	out->version_count = highest + 1u;
	file_by_index(out, out->needs, out->need_count);
	file_by_index(out, out->defines, out->define_count);
	return 0;
}
