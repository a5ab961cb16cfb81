/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the `spans` tables: what a number means to a caller, and which number that is for the loaded release. Read-only, any thread. */
#ifndef GW_SPAN_H
#define GW_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "gw_fn.h"
#include "table.h"

struct gw_call;

/* Who calls and who answers, as indices into the family's releases. A caller of which nothing is known may be of any of its soname. */
struct gw_span_place {
	unsigned first, last;	/* the caller's */
	unsigned loaded;
};

/* False where the loaded release is not known: then nothing is translated. */
bool gw_span_place(const struct gw_call *call, struct gw_span_place *place) __attribute__((nonnull));

/*
 * What VALUE means in all releases from FIRST to LAST that have it; NULL when none has, or they disagree and TYPE (what is passed with it; -1:
 * not known) does not decide.
 */
const struct gw_span *gw_span_meaning(enum gw_spans_id list, int32_t value, unsigned first, unsigned last, int type);

/* The number of that name in RELEASE; what VALUE is there; NULL when it has none. */
const struct gw_span *gw_span_named(enum gw_spans_id list, uint32_t name, unsigned release);
const struct gw_span *gw_span_at(enum gw_spans_id list, int32_t value, unsigned release);

/* The oldest release that is newer than RELEASE and has VALUE; NULL when there is none. */
const struct gw_span *gw_span_later(enum gw_spans_id list, int32_t value, unsigned release);

#endif
