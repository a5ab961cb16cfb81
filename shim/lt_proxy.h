/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids that stand for others. An algorithm of a newer release is configured with tiles and stages that an older caller's header does
 * not name, and a caller may use what it reads as an index into tables of its own. It is shown an id that its release has, and that the
 * algorithm itself cannot be configured with; when it writes that back, what it stands for is meant.
 *
 * Where the algorithm has no more unknown ids than there are such free ones, who stands for whom follows from the algorithm's list
 * alone, in increasing order: the same in each process, so that a configuration kept on disk means the same later. Else ids are given in the
 * order in which they are met, and remembered in fixed memory (8 KiB), never forgotten; when that or the free ids are used up, none is.
 * Any thread, no lock.
 */
#ifndef GW_LT_PROXY_H
#define GW_LT_PROXY_H

#include <stdbool.h>
#include <stdint.h>
#include "lt_ids.h"

/* What an algorithm can be configured with, as the loaded library lists it. */
struct gw_lt_list {
	const struct gw_release *caller, *loaded;
	enum gw_lt_kind kind;
	int32_t algorithm;		/* its id */
	const uint32_t *ids;
	uint32_t count;
};

/* What the caller is shown for REAL, which its release does not name; 0, which every release calls undefined, when there is none. */
uint32_t gw_lt_proxy_shown(const struct gw_lt_list *list, uint32_t real) __attribute__((nonnull));

/* What SHOWN stands for: SHOWN itself unless it was, or would be, shown for another. LASTING: it will never be shown for another. */
uint32_t gw_lt_proxy_meant(const struct gw_lt_list *list, uint32_t shown, bool *lasting) __attribute__((nonnull));

/* Whether LIST has ids that the caller's release does not name. */
bool gw_lt_proxy_needed(const struct gw_lt_list *list) __attribute__((nonnull));

#endif
