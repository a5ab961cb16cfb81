/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_ids.h. */
#include "lt_ids.h"

#include <stddef.h>

#include "gw_fn.h"
#define GW_LT_TABLES
#include "gw_lt.h"

static const struct gw_lt_span *span_of(enum gw_lt_kind kind, int64_t value)
{
	const struct gw_lt_range *range = &gw_lt_ranges[kind];
	const struct gw_lt_span *span;

	if (value < 0 || value >= range->count)
		return NULL;
	span = &gw_lt_spans[range->start + value];
	return span->first <= span->last ? span : NULL;
}

bool gw_lt_known(const struct gw_release *release, enum gw_lt_kind kind, int64_t value)
{
	const struct gw_lt_span *span = span_of(kind, value);
	ptrdiff_t index = release - gw_families[GW_FAMILY_cublasLt].releases;

	return span && index >= span->first && index <= span->last;
}

uint32_t gw_lt_end(enum gw_lt_kind kind)
{
	return gw_lt_ranges[kind].count;
}

const struct gw_release *gw_lt_first(enum gw_lt_kind kind, int64_t value)
{
	const struct gw_lt_span *span = span_of(kind, value);

	return span ? &gw_families[GW_FAMILY_cublasLt].releases[span->first] : NULL;
}
