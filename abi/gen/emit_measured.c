/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes gw_lt_attribute.h: the tables of shim/lt_attribute.h, and the sizes that their shape
 * depends on.
 */
#include "measured.h"

#include <stdlib.h>
#include <string.h>

#define FAMILY "cublasLt"

static void write_set(FILE *file, const struct abi_family *family, const struct abi_set *set)
{
	fputc('{', file);
	for (size_t i = 0; i < (family->release_count + 63) / 64; i++)
		fprintf(file, "%sUINT64_C(0x%llx)", i ? ", " : "", (unsigned long long)set->bits[i]);
	fputc('}', file);
}

/* The header's constant for the attribute in one of the releases that have it, or NULL. */
static const struct abi_fact *named(const struct abi_family *family,
				    const struct measured_attribute *attribute)
{
	struct gen_range range =
		facts_named(family, ABI_ENUM, measured_kinds[attribute->kind].attributes);

	for (size_t i = 0; i < range.count; i++) {
		const struct abi_fact *fact = &range.first[i];

		if (strtoul(fact->column[2], NULL, 10) != attribute->id)
			continue;
		for (size_t r = 0; r < family->release_count; r++) {
			if (abi_set_has(&fact->releases, r) && abi_set_has(&attribute->releases, r))
				return fact;
		}
	}
	return NULL;
}

static void write_attribute(FILE *file, const struct abi_family *family,
			    const struct measured_attribute *attribute)
{
	const struct abi_fact *fact = named(family, attribute);
	const char *name = fact ? fact->column[1]
				: gen_format("attribute %u of %s", attribute->id,
					     measured_kinds[attribute->kind].block);

	fprintf(file, "\t{%u, GW_LT_%s, %u, %u, %u, %d, %d, UINT64_C(0x%llx), ", strings_add(name),
		measured_kinds[attribute->kind].name, attribute->id, attribute->size,
		attribute->given,
		facts_oldest(family, fact ? &fact->releases : &attribute->releases),
		facts_newest(family, &attribute->releases), (unsigned long long)attribute->value);
	write_set(file, family, &attribute->releases);
	fprintf(file, "}, /* %s */\n", name);
}

static void write_attributes(FILE *file, const struct abi_family *family,
			     const struct measured *measured)
{
	fputs("static const struct gw_lt_attribute gw_lt_attributes[] = {\n", file);
	for (size_t i = 0; i < measured->attribute_count; i++)
		write_attribute(file, family, &measured->attributes[i]);
	fprintf(file, "\t{0, GW_LT_BLOCK_KINDS, 0, 0, 0, 0, 0, 0, {0}}\n};\n\n"
		      "/* Where the attributes with an id begin. */\n"
		      "static const uint16_t gw_lt_attribute_first[GW_LT_BLOCK_KINDS][%d] = {\n",
		MEASURED_IDS);
	for (unsigned kind = 0; kind < MEASURED_KINDS; kind++) {
		fprintf(file, "\t[GW_LT_%s] = {", measured_kinds[kind].name);
		for (unsigned id = 0; id < MEASURED_IDS; id++) {
			size_t at = 0;

			while (at < measured->attribute_count &&
			       (measured->attributes[at].kind != kind || measured->attributes[at].id != id))
				at++;
			fprintf(file, "%s%zu", id ? ", " : "", at);
		}
		fputs("},\n", file);
	}
	fputs("};\n\n", file);
}

struct room {
	int format_at;
	unsigned format;
	uint64_t beyond;
};

/* What a block of the release's own size has at its format's place, and what smaller ones lack unseen. */
static struct room room_of(const struct abi_family *family, const struct measured *measured,
			   unsigned kind, size_t release)
{
	struct gen_range sizes = facts_named(family, ABI_STRUCT, measured_kinds[kind].block);
	struct room room = {-1, 0, 0};
	unsigned long own = 0;

	for (size_t i = 0; i < sizes.count; i++) {
		if (abi_set_has(&sizes.first[i].releases, release))
			own = strtoul(sizes.first[i].column[1], NULL, 10);
	}
	for (size_t i = 0; i < measured->block_count; i++) {
		const struct measured_block *block = &measured->blocks[i];

		if (block->kind != kind || !abi_set_has(&block->releases, release))
			continue;
		room.beyond |= block->beyond;
		if (block->size == own) {
			room.format_at = block->format_at;
			room.format = block->format;
			if (block->beyond)
				gen_fail(measured->path, block->line, 0,
					 "the release's own block lacks attributes");
		}
	}
	if (room.beyond && room.format_at < 0)
		gen_fail(measured->path, 0, 0, "no block of the size that %s has in release %s",
			 measured_kinds[kind].block, family->releases[release].version);
	return room;
}

static void write_rooms(FILE *file, const struct abi_family *family, const struct measured *measured,
			uint64_t special[MEASURED_KINDS])
{
	fputs("static const struct gw_lt_room gw_lt_rooms[] = {\n", file);
	for (unsigned kind = 0; kind < MEASURED_KINDS; kind++) {
		struct room last = {-1, 0, 0};
		struct abi_set set = {{0}};

		for (size_t r = 0; r <= family->release_count; r++) {
			struct room room = {-1, 0, 0};

			if (r < family->release_count)
				room = room_of(family, measured, kind, r);
			if (last.beyond && (room.beyond != last.beyond || room.format_at != last.format_at ||
					    room.format != last.format)) {
				fprintf(file, "\t{GW_LT_%s, %u, %d, UINT64_C(0x%llx), ",
					measured_kinds[kind].name, last.format, last.format_at,
					(unsigned long long)last.beyond);
				write_set(file, family, &set);
				fputs("},\n", file);
				memset(&set, 0, sizeof(set));
			}
			if (room.beyond)
				abi_set_add(&set, r);
			special[kind] |= room.beyond;
			last = room;
		}
	}
	fputs("\t{GW_LT_BLOCK_KINDS, 0, 0, 0, {0}}\n};\n\n", file);
}

/* Attributes that cannot be left to the library alone to accept or refuse. */
static void write_special(FILE *file, const struct measured *measured,
			  uint64_t special[MEASURED_KINDS])
{
	for (size_t i = 1; i < measured->attribute_count; i++) {
		const struct measured_attribute *one = &measured->attributes[i];

		if (one->kind == one[-1].kind && one->id == one[-1].id)
			special[one->kind] |= UINT64_C(1) << one->id;
	}
	fputs("const uint64_t gw_lt_attribute_special[GW_LT_BLOCK_KINDS] = {\n", file);
	for (unsigned kind = 0; kind < MEASURED_KINDS; kind++)
		fprintf(file, "\t[GW_LT_%s] = UINT64_C(0x%llx),\n", measured_kinds[kind].name,
			(unsigned long long)special[kind]);
	fputs("};\n", file);
}

/* The most bytes that a block ever had, and the least. */
static void write_sizes(FILE *file, const struct abi_family *family)
{
	unsigned long most = 0, least = ~0ul;

	for (unsigned kind = 0; kind < MEASURED_KINDS; kind++) {
		struct gen_range sizes = facts_named(family, ABI_STRUCT, measured_kinds[kind].block);

		for (size_t i = 0; i < sizes.count; i++) {
			unsigned long size = strtoul(sizes.first[i].column[1], NULL, 10);

			most = size > most ? size : most;
			least = size < least ? size : least;
		}
	}
	fprintf(file, "#define GW_LT_BLOCK_MOST %lu\n#define GW_LT_BLOCK_LEAST %lu\n", most, least);
}

void emit_measured(const struct gen *gen, const struct measured *measured)
{
	const struct abi_family *family = abi_db_family(&gen->db, FAMILY);
	uint64_t special[MEASURED_KINDS] = {0};
	FILE *file;

	if (!measured->path)
		return;
	file = gen_open(gen, "gw_lt_attribute.h");
	fputs("/* Generated by abigen. What is known of cublasLt's blocks; lt_attribute.c alone wants the tables. */\n"
	      "#ifndef GW_LT_ATTRIBUTE_H\n#define GW_LT_ATTRIBUTE_H\n\n",
	      file);
	write_sizes(file, family);
	fprintf(file, "#define GW_LT_ATTRIBUTE_IDS %d\n#define GW_LT_RELEASE_WORDS %zu\n\n#endif\n",
		MEASURED_IDS, (family->release_count + 63) / 64);
	fputs("\n#ifdef GW_LT_ATTRIBUTE_TABLES\n", file);
	write_attributes(file, family, measured);
	write_rooms(file, family, measured, special);
	write_special(file, measured, special);
	fputs("#endif\n", file);
	gen_close(file, "gw_lt_attribute.h");
}
