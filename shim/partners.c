/* SPDX-License-Identifier: Apache-2.0 */
/* See partners.h. */
#include "partners.h"

#include <string.h>

#include "partners_table.h"

#define HASH_LEAST 8 /* digits of a hash behind a stem; a part of a real name has fewer */

/* How much of STEM, LENGTH bytes, is left without "-HASH". */
static size_t without_hash(const char *stem, size_t length)
{
	size_t digits = 0;

	while (digits < length && ((stem[length - 1 - digits] >= '0' && stem[length - 1 - digits] <= '9') ||
				   (stem[length - 1 - digits] >= 'a' && stem[length - 1 - digits] <= 'f')))
		digits++;
	if (digits < HASH_LEAST || digits + 1 >= length || stem[length - 1 - digits] != '-')
		return length;
	return length - digits - 1;
}

static bool has_stem(const char *list, const char *stem, size_t length)
{
	const char *at = list;

	while (*at) {
		size_t here = strcspn(at, " ");
		bool open = at[here - 1] == '*';

		if (open ? length > here - 1 && !memcmp(at, stem, here - 1) : length == here && !memcmp(at, stem, length))
			return true;
		at += here + 1;
	}
	return false;
}

static bool is_number(const char *text, unsigned *dots)
{
	*dots = 0;
	for (; *text; text++) {
		if ((*text < '0' || *text > '9') && *text != '.')
			return false;
		*dots += *text == '.';
	}
	return true;
}

bool gw_partners_of(const char *name, struct gw_partners_name *result)
{
	const char *end = strncmp(name, "lib", 3) ? NULL : strstr(name, ".so");
	size_t length = end ? (size_t)(end - name) : 0, stem;
	unsigned dots;

	if (!end || (end[3] && end[3] != '.') || !is_number(end + 3, &dots))
		return false;
	stem = without_hash(name, length);
	for (const struct gw_partners *set = gw_partners_table; *set->name; set++) {
		if (!has_stem(set->stems, name, stem))
			continue;
		*result = (struct gw_partners_name){ .set = set, .stem = name, .stem_length = stem, .bundled = stem < length };
		result->version = end[3] ? end + 4 : end + 3;
		result->major_length = strcspn(result->version, ".");
		result->plain = !result->bundled && (dots == 1 || (set->minor && dots == 2));
		return true;
	}
	return false;
}

bool gw_partners_is_spare(const struct gw_partners_name *name)
{
	return has_stem(name->set->spare, name->stem, name->stem_length);
}

bool gw_partners_places(const struct gw_partners *set, bool (*visit)(const struct gw_partners_place *place, void *data), void *data)
{
	const char *at = set->told;

	while (*at) {
		size_t length = strcspn(at, " "), kind = strcspn(at, ":") + 1, stem = strcspn(at + kind, ":");
		struct gw_partners_place place = { .stem = at + kind, .stem_length = stem, .symbol = at + kind + stem + 1,
						   .symbol_length = length - kind - stem - 1, .data = *at == 'd' };

		if (visit(&place, data))
			return true;
		at += length + 1;
	}
	return false;
}

bool gw_partners_together(const struct gw_partners_name *a, const struct gw_partners_name *b)
{
	return a->set == b->set && a->major_length && a->major_length == b->major_length &&
	       !memcmp(a->version, b->version, a->major_length);
}

bool gw_partners_same_library(const struct gw_partners_name *a, const struct gw_partners_name *b)
{
	return gw_partners_together(a, b) && a->stem_length == b->stem_length && !memcmp(a->stem, b->stem, a->stem_length);
}

bool gw_partners_release_read(struct gw_partners_release *release, const char *text, size_t length, unsigned minimum)
{
	struct gw_partners_release read = { 0 };
	bool digit = false;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && digit) {
			digit = false;
		} else if (text[i] >= '0' && text[i] <= '9' && (digit || read.count < 4)) {
			if (!digit)
				read.count++;
			digit = true;
			if (read.number[read.count - 1] > 100000000)
				return false;
			read.number[read.count - 1] = read.number[read.count - 1] * 10 + (unsigned)(text[i] - '0');
		} else {
			return false;
		}
	}
	if (!digit || read.count < minimum)
		return false;
	*release = read;
	return true;
}

int gw_partners_release_compare(const struct gw_partners_release *a, const struct gw_partners_release *b)
{
	for (unsigned i = 0; i < a->count && i < b->count; i++)
		if (a->number[i] != b->number[i])
			return a->number[i] < b->number[i] ? -1 : 1;
	return 0;
}
