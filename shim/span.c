/* SPDX-License-Identifier: Apache-2.0 */
/* See span.h. */
#include "span.h"

#include <stddef.h>

#include "binding.h"
#include "call.h"

bool gw_span_place(const struct gw_call *call, struct gw_span_place *place)
{
	const struct gw_binding *binding = call->binding;
	const struct gw_release *releases = gw_families[binding->family].releases;
	const struct gw_release *loaded = atomic_load_explicit(&binding->loaded_release, memory_order_acquire);
	const struct gw_release *first = binding->caller_first ? binding->caller_first : binding->major_first;
	const struct gw_release *last = binding->caller_last ? binding->caller_last : binding->major_last;

	if (!loaded || !first || !last)
		return false;
	place->first = (unsigned)(first - releases);
	place->last = (unsigned)(last - releases);
	place->loaded = (unsigned)(loaded - releases);
	return true;
}

static const struct gw_span *end_of(enum gw_spans_id list)
{
	return gw_spans + gw_span_lists[list].first + gw_span_lists[list].count;
}

/* The first span of LIST with VALUE or a greater one. */
static const struct gw_span *lower(enum gw_spans_id list, int32_t value)
{
	const struct gw_span *spans = gw_spans + gw_span_lists[list].first;
	uint32_t low = 0, high = gw_span_lists[list].count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (spans[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return spans + low;
}

const struct gw_span *gw_span_meaning(enum gw_spans_id list, int32_t value, unsigned first, unsigned last, int type)
{
	const struct gw_span *at, *found = NULL, *typed = NULL;
	bool several = false;

	for (at = lower(list, value); at < end_of(list) && at->value == value; at++) {
		if (at->last < first || at->first > last)
			continue;
		if (at->typed >= 0 && at->typed != type && type >= 0)
			continue;	/* it is not passed like that */
		if (at->typed >= 0 && at->typed == type)
			typed = at;
		several |= found && found->name != at->name;
		found = at;
	}
	return typed ? typed : several ? NULL : found;
}

const struct gw_span *gw_span_named(enum gw_spans_id list, uint32_t name, unsigned release)
{
	const struct gw_span *at;

	for (at = gw_spans + gw_span_lists[list].first; at < end_of(list); at++)
		if (at->name == name && at->first <= release && release <= at->last)
			return at;
	return NULL;
}

const struct gw_span *gw_span_at(enum gw_spans_id list, int32_t value, unsigned release)
{
	const struct gw_span *at;

	for (at = lower(list, value); at < end_of(list) && at->value == value; at++)
		if (at->first <= release && release <= at->last)
			return at;
	return NULL;
}

/* Sorted by release where the value is the same. */
const struct gw_span *gw_span_later(enum gw_spans_id list, int32_t value, unsigned release)
{
	const struct gw_span *at;

	for (at = lower(list, value); at < end_of(list) && at->value == value; at++)
		if (at->first > release)
			return at;
	return NULL;
}
