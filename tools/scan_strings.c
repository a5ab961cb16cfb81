/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the strings of one file (scan_strings.h). Whatever is looked for starts its string, so one pass looks at each byte that follows a
 * zero byte, and at more only where that one is the first letter of something.
 */
#include "scan_strings.h"

#include <ctype.h>
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>
#include "elf_section.h"
#include "mapping.h"

#define MAX_NAME 64
/* How many strings are looked at that may be a name, the text of a copy, or PTX: far more than any library has. */
#define MAX_NAMES (1u << 18)
#define MAX_MARKS (1u << 22)
#define MAX_PTX (1u << 16)
/* Bytes of one file that are looked through: a sparse file is as long as it likes. */
#define MAX_BYTES (UINT64_C(1) << 30)
#define WINDOW ((size_t)1 << 24) /* bytes that are kept in memory at a time */

struct walk {
	struct gw_strings *out;
	const struct gw_known *known;
	bool first[256]; /* what something may begin with */
	const struct gw_known_line *mark[GW_STRINGS_MARKS];
	size_t mark_count;
	uint64_t budget; /* bytes that sections may have together: no two share any */
	size_t names, marks, ptx;
};

static void note_name(struct walk *walk, const char *at, size_t room)
{
	struct gw_strings *out = walk->out;
	size_t length = strnlen(at, room < MAX_NAME ? room : MAX_NAME);
	char stem[GW_KNOWN_STEM];
	const char *version;

	if (length == room || length == MAX_NAME || !gw_known_family(walk->known, at, stem, &version))
		return;
	for (size_t i = 0; i < out->name_count; i++)
		if (strcmp(out->name[i], at) == 0)
			return;
	if (out->name_count < GW_STRINGS_NAMES)
		out->name[out->name_count++] = at;
}

static void note_mark(struct walk *walk, const char *at, size_t room)
{
	struct gw_strings *out = walk->out;

	for (size_t i = 0; i < walk->mark_count; i++) {
		const struct gw_known_line *line = walk->mark[i];
		size_t length = strlen(line->rest), known = 0;

		if (*at != *line->rest || length > room || memcmp(at, line->rest, length) != 0)
			continue;
		while (known < out->mark_count && out->mark[known] != line)
			known++;
		if (known == out->mark_count)
			out->mark[out->mark_count++] = line;
		return;
	}
}

/* A line of PTX text: the value behind DIRECTIVE at its start; NULL. */
static const char *directive(const char *at, const char *end, const char *name)
{
	size_t length = strlen(name);

	return (size_t)(end - at) > length && memcmp(at, name, length) == 0 && isblank((unsigned char)at[length]) ? at + length + 1 : NULL;
}

/* PTX begins with comments, then ".version 8.2", then ".target sm_90a". */
static void note_ptx(struct walk *walk, const char *at, size_t room)
{
	const char *end = at + (room < 1024 ? room : 1024), *value;
	struct gw_fatbin_code code = {.kind = GW_FATBIN_PTX, .count = 1}, *newest = &walk->out->ptx;

	for (unsigned lines = 0; lines < 24 && at < end; lines++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		if (!next || memchr(at, '\0', (size_t)(next - at)))
			return;
		if ((value = directive(at, end, ".version")) && isdigit((unsigned char)*value)) {
			code.major = (unsigned)(*value - '0');
			code.minor = value + 2 < end && value[1] == '.' && isdigit((unsigned char)value[2]) ? (unsigned)(value[2] - '0') : 0;
		} else if ((value = directive(at, end, ".target")) && code.major) {
			char text[16];
			size_t length = 0;

			while (value < end && length < sizeof text - 1 && (isalnum((unsigned char)*value) || *value == '_'))
				text[length++] = *value++;
			text[length] = '\0';
			if (!gw_gpu_parse(&code.gpu, text))
				return;
			code.count += newest->count;
			if (newest->count && (newest->major > code.major || (newest->major == code.major && newest->minor > code.minor)))
				newest->count++;
			else
				*newest = code;
			return;
		} else if (*at != '/' && *at != '\n' && *at != '\r') {
			return;
		}
		at = next + 1;
	}
}

static void look_at(struct walk *walk, const char *at, size_t room)
{
	if (*at == '/' || *at == '.') {
		if (room > 2 && (at[1] == '/' || at[1] == 'v') && walk->ptx++ < MAX_PTX)
			note_ptx(walk, at, room);
		return;
	}
	if (*at == 'l') {
		if (room > 3 && memcmp(at, "lib", 3) == 0 && walk->names++ < MAX_NAMES)
			note_name(walk, at, room);
		return;
	}
	if (walk->marks++ < MAX_MARKS)
		note_mark(walk, at, room);
}

/* The strings that begin in a section's bytes from BEGIN to END, which is not behind SIZE. */
static void read_window(struct walk *walk, const unsigned char *bytes, size_t begin, size_t end, size_t size)
{
	const bool *first = walk->first;
	const __m128i zero = _mm_setzero_si128();
	size_t at = begin;

	if (!at && first[bytes[at]])
		look_at(walk, (const char *)bytes, size);
	at += !at;
	/* Sixteen at a time: most bytes stand in the middle of something. */
	for (; end - at > sizeof(__m128i); at += sizeof(__m128i)) {
		__m128i before = _mm_loadu_si128((const __m128i *)(bytes + at - 1));
		unsigned starts = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(before, zero));

		for (; starts; starts &= starts - 1) {
			size_t i = at + (unsigned)__builtin_ctz(starts);

			if (first[bytes[i]])
				look_at(walk, (const char *)bytes + i, size - i);
		}
	}
	for (; at < end; at++)
		if (!bytes[at - 1] && first[bytes[at]])
			look_at(walk, (const char *)bytes + at, size - at);
}

static void read_bytes(struct walk *walk, const unsigned char *bytes, size_t size)
{
	if (size > walk->budget)
		size = (size_t)walk->budget;
	walk->budget -= size;
	for (size_t at = 0; at < size;) {
		size_t end = size - at < WINDOW ? size : at + WINDOW;

		read_window(walk, bytes, at, end, size);
		if (size > WINDOW)
			gw_mapping_forget(bytes + at, end - at);
		at = end;
	}
}

void gw_strings_read(struct gw_strings *strings, const struct gw_known *known, const struct gw_elf *elf)
{
	struct walk walk = {.out = strings, .known = known, .first = {['/'] = true, ['.'] = true, ['l'] = true}};
	size_t sections = gw_elf_section_count(elf);
	const struct gw_known_line *line;

	*strings = (struct gw_strings){.unread = !sections};
	gw_elf_bytes(elf, &walk.budget);
	if (walk.budget > MAX_BYTES)
		walk.budget = MAX_BYTES;
	for (size_t at = 0; walk.mark_count < GW_STRINGS_MARKS && (line = gw_known_next(known, "static", &at));) {
		walk.mark[walk.mark_count++] = line;
		walk.first[(unsigned char)*line->rest] = true;
	}
	for (size_t i = 1; i < sections; i++) {
		struct gw_elf_section section;

		/* The loader maps it, and nobody executes it. */
		if (gw_elf_section_read(elf, i, &section) && section.bytes && section.type == SHT_PROGBITS && (section.flags & SHF_ALLOC) &&
		    !(section.flags & SHF_EXECINSTR) && !gw_elf_section_is_for_gpu(&section) && strncmp(section.name, ".eh_frame", 9) != 0 &&
		    strcmp(section.name, ".gcc_except_table") != 0)
			read_bytes(&walk, section.bytes, section.size);
	}
}
