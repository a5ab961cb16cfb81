/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_stack.h. */
#include "crash_stack.h"

#include <stddef.h>

#include "crash_maps.h"
#include "crash_memory.h"
#include "objects.h"

#define OBJECTS 1024u
#define PAGE 4096u

/* A table of our own: the records are sparse, and each word of the stack is looked up. */
static const struct gw_object *objects[OBJECTS];
static unsigned object_count;

static bool keep(const struct gw_object *object, void *data)
{
	(void)data;
	if (object_count < OBJECTS)
		objects[object_count++] = object;
	return object_count < OBJECTS;
}

static bool is_known(uintptr_t address)
{
	return gw_crash_object_at(address) != NULL;
}

static bool keep_found(const struct gw_object *object)
{
	return keep(object, NULL);
}

void gw_crash_objects_read(void)
{
	object_count = 0;
	gw_objects_recorded(keep, NULL);
	gw_crash_maps_read(is_known, keep_found);
}

const struct gw_object *gw_crash_object_at(uintptr_t address)
{
	unsigned i;

	for (i = 0; i < object_count; i++)
		if (address >= objects[i]->low && address < objects[i]->high)
			return objects[i];
	return NULL;
}

/* A call of a distance, or through a register or memory in one of its encodings. */
bool gw_crash_follows_call(uintptr_t address)
{
	const unsigned char *p = (const unsigned char *)address;
	static const unsigned char lengths[] = { 2, 3, 4, 6, 7 };
	unsigned i;

	if (!gw_crash_object_at(address) || !gw_crash_readable(p - 8, 8))
		return false;
	if (p[-5] == 0xe8)
		return true;
	for (i = 0; i < sizeof(lengths); i++)
		if (p[-lengths[i]] == 0xff && (p[1 - lengths[i]] & 0x38) == 0x10)
			return true;
	return false;
}

/* Other functions' frames are read, which a sanitizer would take for a slip. */
__attribute__((no_sanitize("address"))) unsigned gw_crash_stack(uintptr_t sp, uintptr_t bytes, uintptr_t *found, unsigned space)
{
	uintptr_t at = (sp + 7) & ~(uintptr_t)7, end = at + bytes, known_page = 1;
	unsigned count = 0;

	while (at < end && count < space) {
		uintptr_t page = at & ~(uintptr_t)(PAGE - 1), word;

		if (page != known_page && !gw_crash_readable((const void *)at, 8)) {
			/* Where the stack has run over, it begins on the next page; elsewhere this is its end. */
			if (known_page != 1)
				break;
			at = page + PAGE;
			if (at >= end || !gw_crash_readable((const void *)at, 8))
				break;
			page = at;
		}
		known_page = page;
		word = *(const uintptr_t *)at;
		at += sizeof(word);
		if ((count && found[count - 1] == word) || !gw_crash_follows_call(word))
			continue;
		found[count++] = word;
	}
	return count;
}
