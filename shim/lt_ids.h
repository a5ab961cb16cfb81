/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which release of cublasLt knows which attribute of an algorithm, and which ids of tiles, stages and shapes. Read-only tables
 * that abigen made of the facts. Any thread.
 */
#ifndef GW_LT_IDS_H
#define GW_LT_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include "table.h"

enum gw_lt_kind {
	GW_LT_TILE, GW_LT_STAGES, GW_LT_INNER_SHAPE, GW_LT_CLUSTER_SHAPE,	/* ids that an algorithm is configured with */
	GW_LT_CAPABILITY,	/* attributes of cublasLtMatmulAlgoCapGetAttribute */
	GW_LT_CONFIG,		/* attributes of cublasLtMatmulAlgoConfig{Get,Set}Attribute */
	GW_LT_KINDS
};

/* The rows of the generated tables. */
struct gw_lt_span {
	uint16_t first, last;	/* releases, by index; first > last: none */
};
struct gw_lt_range {
	uint16_t start, count;
};

/* Whether the header of RELEASE, one of cublasLt's, names VALUE. */
bool gw_lt_known(const struct gw_release *release, enum gw_lt_kind kind, int64_t value) __attribute__((nonnull));

/* One more than the greatest value that any release names. */
uint32_t gw_lt_end(enum gw_lt_kind kind);

/* The oldest release that names VALUE; NULL when none does. */
const struct gw_release *gw_lt_first(enum gw_lt_kind kind, int64_t value);

#endif
