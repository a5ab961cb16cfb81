/* SPDX-License-Identifier: Apache-2.0 */
/* A table from a number of 64 bits to a small number, for what is looked up at each record: open addressing, nothing is ever taken out. */
#ifndef GW_TRACE_MAP_H
#define GW_TRACE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GW_TRACE_NONE UINT32_MAX

struct gw_trace_map {
	uint64_t *keys;
	uint32_t *values;	/* GW_TRACE_NONE: free */
	uint32_t capacity, count;	/* capacity: a power of two, or 0 */
};

static inline uint32_t gw_trace_map_slot(const struct gw_trace_map *map, uint64_t key)
{
	uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->capacity - 1);

	while (map->values[slot] != GW_TRACE_NONE && map->keys[slot] != key)
		slot = (slot + 1) & (map->capacity - 1);
	return slot;
}

static inline uint32_t gw_trace_map_get(const struct gw_trace_map *map, uint64_t key)
{
	return map->capacity ? map->values[gw_trace_map_slot(map, key)] : GW_TRACE_NONE;
}

/* false: no memory. */
static inline bool gw_trace_map_put(struct gw_trace_map *map, uint64_t key, uint32_t value)
{
	uint32_t slot;

	if ((map->count + 1) * 2 > map->capacity) {
		struct gw_trace_map larger = {.capacity = map->capacity ? map->capacity * 2 : 64};

		larger.keys = malloc(larger.capacity * sizeof(*larger.keys));
		larger.values = malloc(larger.capacity * sizeof(*larger.values));
		if (!larger.keys || !larger.values) {
			free(larger.keys);
			free(larger.values);
			return false;
		}
		memset(larger.values, 0xff, larger.capacity * sizeof(*larger.values));
		for (uint32_t i = 0; i < map->capacity; i++)
			if (map->values[i] != GW_TRACE_NONE) {
				slot = gw_trace_map_slot(&larger, map->keys[i]);
				larger.keys[slot] = map->keys[i];
				larger.values[slot] = map->values[i];
			}
		larger.count = map->count;
		free(map->keys);
		free(map->values);
		*map = larger;
	}
	slot = gw_trace_map_slot(map, key);
	map->count += map->values[slot] == GW_TRACE_NONE;
	map->keys[slot] = key;
	map->values[slot] = value;
	return true;
}

static inline void gw_trace_map_finish(struct gw_trace_map *map)
{
	free(map->keys);
	free(map->values);
	*map = (struct gw_trace_map){0};
}

#endif
