/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_attribute.h. Knows the tables' shape, and nothing of blocks that are kept. */
#include "lt_attribute.h"

#include <stddef.h>

#include "gw_fn.h"

#define GW_LT_ATTRIBUTE_TABLES
#include "gw_lt_attribute.h"

static bool has(const uint64_t *releases, const struct gw_release *release)
{
	size_t index = (size_t)(release - gw_families[GW_FAMILY_cublasLt].releases);

	return releases[index / 64] >> (index % 64) & 1;
}

const struct gw_lt_attribute *gw_lt_attribute_find(enum gw_lt_block_kind kind, int id, const struct gw_release *release)
{
	const struct gw_lt_attribute *attribute;

	if (id < 0 || id >= GW_LT_ATTRIBUTE_IDS || !release)
		return NULL;
	for (attribute = &gw_lt_attributes[gw_lt_attribute_first[kind][id]]; attribute->kind == kind && attribute->id == id; attribute++)
		if (has(attribute->releases, release))
			return attribute;
	return NULL;
}

bool gw_lt_attribute_same(const struct gw_lt_attribute *a, const struct gw_lt_attribute *b)
{
	return a && b && a->kind == b->kind && a->id == b->id && a->size == b->size;
}

bool gw_lt_attribute_is_newer(const struct gw_lt_attribute *attribute, const struct gw_release *release)
{
	return release && release - gw_families[GW_FAMILY_cublasLt].releases < attribute->newest;
}

const struct gw_release *gw_lt_attribute_since(const struct gw_lt_attribute *attribute)
{
	return &gw_families[GW_FAMILY_cublasLt].releases[attribute->first];
}

/* A library that is not in the database is treated as the release before it, and may have what the one after it has. */
static bool may_have(const uint64_t *releases, const struct gw_release *release)
{
	const struct gw_family_data *data = &gw_families[GW_FAMILY_cublasLt];

	return has(releases, release) || (release + 1 < data->releases + data->release_count && has(releases, release + 1));
}

bool gw_lt_attribute_is_beyond(enum gw_lt_block_kind kind, int id, const void *block, const struct gw_release *release)
{
	const struct gw_lt_room *room;

	if (id < 0 || id >= GW_LT_ATTRIBUTE_IDS || !release)
		return false;
	for (room = gw_lt_rooms; room->kind != GW_LT_BLOCK_KINDS; room++)
		if (room->kind == kind && (room->beyond >> id & 1) && may_have(room->releases, release))
			return ((const unsigned char *)block)[room->format_at] < room->format;	/* one of a later format is larger */
	return false;
}
