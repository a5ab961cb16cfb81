/* SPDX-License-Identifier: Apache-2.0 */
/* The questions that abigen asks the database. Facts of a kind stand sorted by their columns, so a
 * name is found by bisection. */
#include "gen.h"

#include <string.h>

struct gen_range facts_of(const struct abi_family *family, enum abi_kind kind)
{
	return (struct gen_range){family->facts + family->first[kind],
				  family->first[kind + 1] - family->first[kind]};
}

struct gen_range facts_named(const struct abi_family *family, enum abi_kind kind, const char *name)
{
	struct gen_range all = facts_of(family, kind);
	size_t low = 0, high = all.count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(all.first[middle].column[0], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < all.count && !strcmp(all.first[end].column[0], name); end++)
		;
	return (struct gen_range){all.first + low, end - low};
}

/* The family whose facts describe NAME: its own before the others (cublasLt's status stands in
 * cublas_api.h). */
const struct abi_family *facts_owner(const struct gen *gen, const struct abi_family *family,
				     enum abi_kind kind, const char *name)
{
	if (family && facts_named(family, kind, name).count)
		return family;
	for (size_t i = 0; i < gen->db.family_count; i++) {
		if (facts_named(&gen->db.families[i], kind, name).count)
			return &gen->db.families[i];
	}
	return NULL;
}

int facts_newest(const struct abi_family *family, const struct abi_set *set)
{
	for (size_t i = family->release_count; i-- > 0;) {
		if (abi_set_has(set, i))
			return (int)i;
	}
	return -1;
}

int facts_oldest(const struct abi_family *family, const struct abi_set *set)
{
	for (size_t i = 0; i < family->release_count; i++) {
		if (abi_set_has(set, i))
			return (int)i;
	}
	return -1;
}

bool facts_empty(const struct abi_set *set)
{
	for (size_t i = 0; i < ABI_MAX_RELEASES / 64; i++) {
		if (set->bits[i])
			return false;
	}
	return true;
}

bool facts_equal(const struct abi_set *a, const struct abi_set *b)
{
	return !memcmp(a, b, sizeof(*a));
}

void facts_join(struct abi_set *set, const struct abi_set *other)
{
	for (size_t i = 0; i < ABI_MAX_RELEASES / 64; i++)
		set->bits[i] |= other->bits[i];
}

bool facts_soname(const struct abi_family *family, const char *soname, struct abi_set *releases)
{
	struct gen_range range = facts_named(family, ABI_SONAME, soname);

	*releases = (struct abi_set){0};
	for (size_t i = 0; i < range.count; i++)
		facts_join(releases, &range.first[i].releases);
	return range.count > 0;
}

unsigned facts_column(const struct abi_fact *fact, unsigned column)
{
	static const char *const kinds[ABI_KIND_COUNT] = {
		"soname", "node",   "needed", "export",  "others", "function",
		"enum",   "struct", "field",  "typedef", "macro",
	};
	size_t position = strlen(kinds[fact->kind]) + 2;

	for (unsigned i = 0; i < column; i++)
		position += strlen(fact->column[i]) + 1;
	return (unsigned)position;
}

/* "11.10.3.66 to 12.1.3.1, 13.0.0.19 on" */
char *facts_ranges(const struct abi_family *family, const struct abi_set *set)
{
	char *text = gen_format("%s", "");

	for (size_t i = 0; i < family->release_count; i++) {
		size_t first = i;
		const char *comma = *text ? ", " : "", *start = family->releases[i].version;

		if (!abi_set_has(set, i))
			continue;
		while (i + 1 < family->release_count && abi_set_has(set, i + 1))
			i++;
		if (i + 1 == family->release_count && first < i)
			text = gen_format("%s%s%s on", text, comma, start);
		else if (first < i)
			text = gen_format("%s%s%s to %s", text, comma, start,
					  family->releases[i].version);
		else
			text = gen_format("%s%s%s", text, comma, start);
	}
	return text;
}
