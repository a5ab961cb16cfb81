/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See crash_release.h. A front that opens its parts to answer, as cuDNN's does, is asked when they are there: else the question would change
 * what is mapped, or end a program that does without them. So every library is asked late, and one that crashes at its first call never was.
 */
#include "crash_release.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "binding.h"
#include "objects.h"
#include "release.h"

#define KNOWN 32u

static struct known {
	_Atomic uint64_t identity;	/* of the object; 0: free */
	uint32_t first;			/* the function that it was called for first */
	_Atomic int state;		/* 0: not asked, 1: being asked, 2: heard */
	char version[32];
} known[KNOWN];

static struct known *place_of(uint64_t identity, bool make, uint32_t fn)
{
	unsigned i;

	for (i = 0; i < KNOWN; i++) {
		uint64_t now = atomic_load_explicit(&known[i].identity, memory_order_acquire);

		if (now == identity)
			return &known[i];
		if (now)
			continue;
		if (!make)
			return NULL;
		if (atomic_compare_exchange_strong(&known[i].identity, &now, identity)) {
			known[i].first = fn;
			return &known[i];
		}
		if (now == identity)
			return &known[i];
	}
	return NULL;
}

struct parts {
	const struct gw_object *front;
	bool other;	/* another library of the same family is mapped */
};

static bool note_part(const struct gw_object *object, void *data)
{
	struct parts *parts = data;

	parts->other = object != parts->front && object->role == GW_ROLE_VENDOR && object->family == parts->front->family;
	return !parts->other;
}

/* A family of several files, one of which is asked for its release when a function needs that, and not before (`via … always`). */
static bool is_front(const struct gw_object *library)
{
	const char *const *sonames = gw_families[library->family].sonames;
	size_t stem = strcspn(sonames[0], ".");
	bool several = false, always = false;
	unsigned i;

	for (i = 1; sonames[i]; i++)
		several |= strcspn(sonames[i], ".") != stem || strncmp(sonames[i], sonames[0], stem);
	for (i = 0; several && i < GW_FN_COUNT; i++)
		always |= gw_functions[i].family == library->family && gw_functions[i].via_always;
	return always;
}

static bool may_ask(const struct gw_object *library)
{
	struct parts parts = { .front = library };

	if (!is_front(library))
		return true;
	gw_objects_recorded(note_part, &parts);
	return parts.other;
}

void gw_crash_release_ask(const struct gw_binding *binding, uint32_t fn)
{
	struct known *place;
	uint64_t identity;
	int expected = 0;

	if (!binding->loaded || binding->stub || !binding->library || binding->library->role != GW_ROLE_VENDOR ||
	    atomic_load(&binding->loaded_release))
		return;
	identity = atomic_load(&binding->library->identity);
	place = identity ? place_of(identity, true, fn) : NULL;
	if (!place || place->first == fn || atomic_load(&place->state) || !may_ask(binding->library))
		return;
	if (!atomic_compare_exchange_strong(&place->state, &expected, 1))
		return;
	gw_release_asked(binding->library, binding->family, place->version, sizeof(place->version));
	atomic_store_explicit(&place->state, 2, memory_order_release);
}

const char *gw_crash_release_of(const struct gw_object *object)
{
	const struct known *place = place_of(atomic_load(&((struct gw_object *)(uintptr_t)object)->identity), false, 0);
	const struct gw_binding *binding = object->family >= 0 ? atomic_load(&((struct gw_object *)(uintptr_t)object)->answers[object->family]) : NULL;
	const struct gw_release *release = binding ? atomic_load(&binding->loaded_release) : NULL;

	if (place && atomic_load_explicit(&place->state, memory_order_acquire) == 2 && *place->version)
		return place->version;
	return release ? release->version : NULL;
}
