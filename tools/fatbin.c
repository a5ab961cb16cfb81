/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the fat binaries of a file from header to header (fatbin.h). */
#include "fatbin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "elf_section.h"

/* The fat binary: this header, then entries, each a header of its own and its code. */
struct container {
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size; /* of what follows the header */
};

#define MAGIC 0xba55ed50u

/* What all releases have of an entry's header; more may follow, and header_size counts it. */
struct entry {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t size;
	uint32_t compressed_size, options;
	uint16_t minor, major; /* of PTX its version, of kernels that of their ELF format */
	uint32_t arch, name_offset, name_size;
	uint64_t flags, reserved, plain_size;
};

enum { KIND_PTX = 1, KIND_KERNELS = 2 };

#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_EXACT 0x100000u  /* sm_90a */
#define FLAG_FAMILY 0x200000u /* sm_100f */

/* More than any compiler makes, or any file has: what says more wants our time. */
#define MAX_CODES 128
#define MAX_ENTRIES (1u << 20)
/* Between two fat binaries there is padding. More zeros: a copy with holes, or no fat binary. */
#define MAX_GAP 4096

struct walk {
	struct gw_fatbin *out;
	size_t entries, room;
	uint64_t budget; /* bytes that sections may have together: no two share any */
};

static bool same(const struct gw_fatbin_code *a, const struct gw_fatbin_code *b)
{
	return a->kind == b->kind && a->gpu.arch == b->gpu.arch && a->gpu.variant == b->gpu.variant &&
	       a->major == b->major && a->minor == b->minor;
}

static int note(struct walk *walk, const struct entry *entry)
{
	struct gw_fatbin *out = walk->out;
	struct gw_fatbin_code code = {
		.kind = entry->kind == KIND_KERNELS ? GW_FATBIN_KERNELS
			: entry->kind == KIND_PTX   ? GW_FATBIN_PTX
						    : GW_FATBIN_OTHER,
		.gpu = {entry->arch, entry->flags & FLAG_EXACT	  ? 'a'
				     : entry->flags & FLAG_FAMILY ? 'f'
								  : '\0'},
		.compressed = (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0,
		.count = 1,
	};

	if (code.kind == GW_FATBIN_PTX) {
		code.major = entry->major;
		code.minor = entry->minor;
	}
	/* From the end: neighbours are alike. */
	for (size_t i = out->count; i-- > 0;)
		if (same(&out->code[i], &code)) {
			out->code[i].count++;
			out->code[i].compressed += code.compressed;
			return 0;
		}
	if (out->count == MAX_CODES) {
		out->incomplete = "it has more kinds of code than any compiler makes";
		return 0;
	}
	if (out->count == walk->room) {
		size_t room = walk->room ? 2 * walk->room : 32;
		void *more = realloc(out->code, room * sizeof *out->code);

		if (!more)
			return -ENOMEM;
		out->code = more;
		walk->room = room;
	}
	out->code[out->count++] = code;
	return 0;
}

static int walk_container(struct walk *walk, const unsigned char *bytes, uint64_t size)
{
	struct entry entry;
	int result = 0;

	walk->out->modules++;
	while (size >= sizeof entry && !result) {
		memcpy(&entry, bytes, sizeof entry);
		if (entry.header_size < sizeof entry || entry.header_size > size ||
		    entry.size > size - entry.header_size || walk->entries++ > MAX_ENTRIES) {
			walk->out->incomplete = "an entry of a fat binary is longer than that";
			return 0;
		}
		result = note(walk, &entry);
		bytes += entry.header_size + entry.size;
		size -= entry.header_size + entry.size;
	}
	return result;
}

static int walk_section(struct walk *walk, const unsigned char *bytes, uint64_t size)
{
	struct container header;
	uint64_t at = 0, gap = 0;
	int result = 0;

	if (size > walk->budget) {
		walk->out->incomplete = "its sections lie over each other";
		return 0;
	}
	walk->budget -= size;
	while (size - at >= sizeof header && !result) {
		memcpy(&header, bytes + at, sizeof header);
		if (header.magic != MAGIC) {
			at += 8;
			gap += 8;
			if (gap <= MAX_GAP)
				continue;
			walk->out->incomplete =
				"a section for fat binaries holds something else (a copy with holes "
				"has zeros there)";
			return 0;
		}
		gap = 0;
		if (header.header_size < sizeof header || header.header_size > size - at ||
		    header.size > size - at - header.header_size) {
			walk->out->incomplete = "a fat binary is longer than its section";
			return 0;
		}
		result = walk_container(walk, bytes + at + header.header_size, header.size);
		at += header.header_size + header.size;
		/* Each lies at a multiple of eight, whatever the last one's size. */
		at += -at & 7;
		if (at > size)
			break;
	}
	return result;
}

static int compare(const void *left, const void *right)
{
	const struct gw_fatbin_code *a = left, *b = right;
	const unsigned mine[] = {a->kind, a->gpu.arch, (unsigned char)a->gpu.variant, a->major,
				 a->minor};
	const unsigned other[] = {b->kind, b->gpu.arch, (unsigned char)b->gpu.variant, b->major,
				  b->minor};

	for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
		if (mine[i] != other[i])
			return mine[i] < other[i] ? -1 : 1;
	return 0;
}

int gw_fatbin_read(struct gw_fatbin *fatbin, const struct gw_elf *elf)
{
	struct walk walk = {.out = fatbin};
	size_t sections = gw_elf_section_count(elf);
	int result = 0;

	*fatbin = (struct gw_fatbin){0};
	gw_elf_bytes(elf, &walk.budget);
	if (!sections)
		fatbin->incomplete = "it has no section headers, which tell where they lie";
	for (size_t i = 1; i < sections && !result; i++) {
		struct gw_elf_section section;

		if (gw_elf_section_read(elf, i, &section) && section.bytes &&
		    (strcmp(section.name, ".nv_fatbin") == 0 ||
		     strcmp(section.name, "__nv_relfatbin") == 0))
			result = walk_section(&walk, section.bytes, section.size);
	}
	if (fatbin->count)
		qsort(fatbin->code, fatbin->count, sizeof *fatbin->code, compare);
	return result;
}

void gw_fatbin_finish(struct gw_fatbin *fatbin)
{
	free(fatbin->code);
	*fatbin = (struct gw_fatbin){0};
}

/* Kernels run on their generation, from their own minor number on; PTX on all that came later. */
static bool serves(const struct gw_fatbin_code *code, unsigned arch)
{
	unsigned its = code->gpu.arch;

	if (code->kind == GW_FATBIN_OTHER)
		return false;
	if (code->gpu.variant == 'a')
		return its == arch;
	if (code->gpu.variant == 'f' || code->kind == GW_FATBIN_KERNELS)
		return its / 10 == arch / 10 && its <= arch;
	return its <= arch;
}

enum gw_fatbin_fit gw_fatbin_fits(const struct gw_fatbin *fatbin, unsigned arch)
{
	enum gw_fatbin_fit fit = GW_FATBIN_NOTHING;

	for (size_t i = 0; i < fatbin->count; i++) {
		if (!serves(&fatbin->code[i], arch))
			continue;
		if (fatbin->code[i].kind == GW_FATBIN_KERNELS)
			return GW_FATBIN_READY;
		fit = GW_FATBIN_COMPILED;
	}
	return fit;
}

const struct gw_fatbin_code *gw_fatbin_newest_ptx(const struct gw_fatbin *fatbin, unsigned arch)
{
	const struct gw_fatbin_code *newest = NULL;

	for (size_t i = 0; i < fatbin->count; i++) {
		const struct gw_fatbin_code *code = &fatbin->code[i];

		if (code->kind == GW_FATBIN_PTX && (!arch || serves(code, arch)) &&
		    (!newest || code->major > newest->major ||
		     (code->major == newest->major && code->minor > newest->minor)))
			newest = code;
	}
	return newest;
}

bool gw_gpu_parse(struct gw_gpu *gpu, const char *text)
{
	char *end;
	unsigned long major, minor = 0;

	*gpu = (struct gw_gpu){0};
	if (strncmp(text, "sm_", 3) == 0)
		text += 3;
	if (*text < '1' || *text > '9')
		return false;
	major = strtoul(text, &end, 10);
	if (*end == '.') {
		if (end[1] < '0' || end[1] > '9' || major > 99)
			return false;
		minor = (unsigned long)(end[1] - '0');
		end += 2;
		major = major * 10 + minor;
	}
	if (*end == 'a' || *end == 'f')
		gpu->variant = *end++;
	gpu->arch = (unsigned)major;
	return !*end && major >= 10 && major < 1000;
}
