/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads GANGWAY_BUILT_FOR; see built.h.
 *
 *	libfoo.so:cublas=12.1.3.1,cudnn=8.9.7;*:cudnn=9.4.0.58
 *
 * Entries are separated by ";". The name is a file's name, or its path where it has a slash; "*" stands for any characters. A family takes what
 * is said of another one of its suite (cublasLt of cublas) when nothing is said of itself. The first entry that speaks of a family counts. A
 * release in short means all of that beginning; one that the database does not know, those next to it; "any" means that nothing is known.
 */
#include "built.h"

#include <string.h>

#include "gw_fn.h"
#include "table.h"

struct span {
	const char *at;
	size_t length;
};

static bool same(struct span span, const char *text)
{
	return strlen(text) == span.length && !memcmp(span.at, text, span.length);
}

static bool fits(struct span pattern, const char *text)
{
	const char *p = pattern.at, *end = pattern.at + pattern.length, *star = NULL, *from = NULL;

	while (*text) {
		if (p < end && *p == '*') {
			star = ++p;
			from = text;
		} else if (p < end && *p == *text) {
			p++, text++;
		} else if (star) {
			p = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

static bool names(struct span pattern, const char *path)
{
	const char *slash = memchr(pattern.at, '/', pattern.length) ? NULL : strrchr(path, '/');

	return fits(pattern, slash ? slash + 1 : path);
}

/* "12.1" -> {12, 1}, 2; 0 when it is no version. */
static unsigned parts_of(struct span text, unsigned part[4])
{
	unsigned count = 0;
	size_t i = 0;

	while (count < 4) {
		unsigned value = 0;
		size_t start = i;

		while (i < text.length && i - start < 6 && text.at[i] >= '0' && text.at[i] <= '9')
			value = value * 10 + (unsigned)(text.at[i++] - '0');
		if (i == start)
			return 0;
		part[count++] = value;
		if (i == text.length)
			return count;
		if (text.at[i++] != '.')
			return 0;
	}
	return 0;
}

static int compare(const struct gw_release *release, const unsigned part[4], unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (release->part[i] != part[i])
			return release->part[i] < part[i] ? -1 : 1;
	return 0;
}

/* All releases that begin so; where there are none, the next older and the next newer one. */
static void releases_of(unsigned family, const unsigned part[4], unsigned count, struct gw_built *built)
{
	const struct gw_family_data *data = &gw_families[family];
	uint32_t i, first = data->release_count, last = 0;

	for (i = data->release_count; i-- > 0;)
		if (compare(&data->releases[i], part, count) >= 0)
			first = i;
	for (i = 0; i < data->release_count; i++)
		if (compare(&data->releases[i], part, count) <= 0)
			last = i;
	if (first > last) {
		uint32_t newer = first < data->release_count ? first : last;

		first = last;
		last = newer;
	}
	*built = (struct gw_built){ .first = (uint16_t)first, .last = (uint16_t)last, .known = true };
}

static int family_named(struct span name)
{
	unsigned f;

	for (f = 0; f < GW_FAMILY_COUNT; f++)
		if (same(name, gw_families[f].name))
			return (int)f;
	return -1;
}

static struct span until(const char **at, const char *stops)
{
	struct span span = { *at, strcspn(*at, stops) };

	*at += span.length;
	return span;
}

struct reading {
	const char *at, *why;
	unsigned family;
	int own, suite;		/* found already: for the family itself, for another one of its suite */
	struct gw_built built;
};

/* FAMILY=RELEASE, here. */
static bool read_pair(struct reading *r, bool named)
{
	const char *start = r->at;
	int family = family_named(until(&r->at, "=,;"));
	struct gw_built built = { 0 };
	unsigned part[4], count = 0;
	struct span text;
	bool any;

	if (family < 0) {
		r->at = start;
		r->why = "an unknown family";
		return false;
	}
	if (*r->at != '=') {
		r->why = "'=' and a release are missing";
		return false;
	}
	start = ++r->at;
	text = until(&r->at, ",;");
	any = same(text, "any");
	if (!any && !(count = parts_of(text, part))) {
		r->at = start;
		r->why = "no release";
		return false;
	}
	if (!named || r->own || (family != (int)r->family && (r->suite || gw_families[family].suite != gw_families[r->family].suite)))
		return true;
	if (!any)
		releases_of(r->family, part, count, &built);
	*(family == (int)r->family ? &r->own : &r->suite) = 1;
	r->built = built;
	return true;
}

int gw_built_told(const char *value, const char *path, unsigned family, struct gw_built *built, const char **wrong, const char **why)
{
	struct reading r = { .at = value, .family = family };

	while (*r.at) {
		struct span pattern = until(&r.at, ":;");
		bool named = names(pattern, path);

		if (*r.at != ':' || !pattern.length) {
			r.why = "a file's name and ':' are missing";
			r.at = pattern.at;
			goto bad;
		}
		do {
			r.at++;
			if (!read_pair(&r, named))
				goto bad;
		} while (*r.at == ',');
		if (*r.at == ';')
			r.at++;
	}
	if (!r.own && !r.suite)
		return 0;
	*built = r.built;
	return 1;
bad:
	*wrong = r.at;
	*why = r.why;
	return -1;
}
