/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who sees whom in a process that was mapped as a whole (loader_map.h). The loader adds an object that is opened RTLD_LOCAL, and all that it
 * needs, to the scopes of these objects alone. By which name somebody opened it is not known afterwards; so an object sees what it needs, and
 * what those need that need it: nothing more, and perhaps less.
 */
#include "loader_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* REACHES[a * n + b]: B is needed by A, or by what A needs. */
static void reach(const struct gw_map *map, bool *reaches, size_t from, size_t *stack)
{
	size_t n = map->all.count, depth = 1;

	stack[0] = from;
	reaches[from * n + from] = true;
	while (depth) {
		const struct gw_mapped *object = map->all.object[stack[--depth]];

		for (size_t i = 0; i < object->file->elf.needed_count; i++) {
			const struct gw_mapped *needed = object->needs[i].object;
			size_t b = needed ? needed->index : n;

			if (b < n && !reaches[from * n + b]) {
				reaches[from * n + b] = true;
				stack[depth++] = b;
			}
		}
	}
}

static int add_own(struct gw_map *map, const bool *reaches, size_t x)
{
	struct gw_mapped *object = map->all.object[x];
	size_t n = map->all.count;
	bool *seen = calloc(n, sizeof *seen);

	object->own.object = calloc(n, sizeof *object->own.object);
	if (!seen || !object->own.object) {
		free(seen);
		return -ENOMEM;
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; reaches[a * n + x] && b < n; b++)
			seen[b] |= reaches[a * n + b];
	for (size_t b = 0; b < n; b++)
		if (seen[b] && !map->all.object[b]->is_apart)
			object->own.object[object->own.count++] = map->all.object[b];
	free(seen);
	object->has_own = true;
	return 0;
}

int gw_map_set_scopes(struct gw_map *map, const enum gw_visibility *visibility)
{
	size_t n = map->all.count;
	bool *reaches = calloc(n, n);
	size_t *stack = calloc(n + 1, sizeof *stack);
	int result = reaches && stack ? 0 : -ENOMEM;

	map->global.count = 0;
	for (size_t i = 0; i < n && !result; i++) {
		struct gw_mapped *object = map->all.object[i];

		object->index = i;
		object->is_global = visibility[i] == GW_VISIBLE_TO_ALL;
		object->is_apart = visibility[i] == GW_VISIBLE_ELSEWHERE;
		if (object->is_global)
			map->global.object[map->global.count++] = object;
	}
	for (size_t i = 0; i < n && !result; i++)
		reach(map, reaches, i, stack);
	/* What was visible to all before may be needed by what is opened locally, and sees that then. */
	for (size_t i = 0; i < n && !result; i++)
		if (visibility[i] != GW_VISIBLE_ELSEWHERE)
			result = add_own(map, reaches, i);
	free(stack);
	free(reaches);
	return result;
}
