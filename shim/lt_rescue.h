/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rescuers of cublasLtMatmul. Each may answer for a product that the library refused: true, and *STATUS is the answer; false, and nothing was
 * done that the program could see.
 */
#ifndef GW_LT_RESCUE_H
#define GW_LT_RESCUE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lt_product.h"
#include "redirect.h"

/* Asks the rescuers in turn, after the library answered *STATUS. True: one has answered, and *STATUS is the answer. */
bool gw_lt_rescue(struct gw_call *call, const struct gw_lt_product *product, int32_t *status) __attribute__((nonnull));

/*
 * Whether the library refused this very product before, and one of the rescuers did it, so that it need not be asked again: on some GPUs it
 * takes longer to refuse than the product takes. A load where nothing was ever rescued.
 */
extern _Atomic int gw_lt_rescued_any __attribute__((visibility("hidden")));
bool gw_lt_rescued_before(const struct gw_call *call, const struct gw_lt_product *product) __attribute__((nonnull));

/* A workspace that is not aligned as the library wants it: the part that is. */
bool gw_lt_rescue_workspace_alignment(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms,
				      enum gw_rescue rescue, int32_t *status) __attribute__((nonnull));

/* An algorithm that does not do, or none: the heuristic is asked anew, with the alignments and the workspace that there are. */
bool gw_lt_rescue_stale_algo(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue,
			     int32_t *status) __attribute__((nonnull));

/* int8 factors in an order, or with sizes and an alignment, that no kernel takes: through plain order. */
bool gw_lt_rescue_int8_order(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue,
			     int32_t *status) __attribute__((nonnull));
bool gw_lt_rescue_alignment(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue,
			    int32_t *status) __attribute__((nonnull));

#endif
