/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products that the library takes with another algorithm, or with a workspace as it wants it: the program's blocks and memory stay as they are.
 * The heuristic is asked with what is really there: the alignment of each matrix, and the workspace that can be used.
 */
#include "lt_rescue.h"

#include "gw_lt.h"
#include "gw_values.h"
#include "lt_product.h"

#define ALIGNMENT 256u	/* of a workspace: cublasLtMatmul's documentation */

struct room {
	void *at;
	size_t size;
};

/* The part of the program's workspace that is aligned; none where it does not reach. */
static struct room usable(const struct gw_lt_product *p)
{
	size_t lost = (ALIGNMENT - (uintptr_t)p->workspace % ALIGNMENT) % ALIGNMENT;

	if (!p->workspace || p->size <= lost)
		return (struct room){ NULL, 0 };
	return (struct room){ (char *)p->workspace + lost, p->size - lost };
}

static int32_t multiply(const struct gw_lt_product *p, const cublasLtMatmulAlgo_t *algo, const struct room *room)
{
	return p->real(p->handle, p->desc, p->alpha, p->A, p->layout[0], p->B, p->layout[1], p->beta, p->C, p->layout[2], p->D, p->layout[3], algo,
		       room->at, room->size, p->stream);
}

/* Status; NOT_SUPPORTED where the heuristic has nothing, or chooses what was refused. */
static int32_t choose_anew(struct gw_call *call, const struct gw_lt_product *p, const struct room *room)
{
	_Alignas(16) unsigned char algo[GW_SIZE_cublasLtMatmulAlgo_t];
	const uint32_t alignment[4] = { gw_lt_alignment(p->A), gw_lt_alignment(p->B), gw_lt_alignment(p->C), gw_lt_alignment(p->D) };
	int32_t status = gw_lt_choose(call, p->handle, p->desc, p->layout, room->size, alignment, (cublasLtMatmulAlgo_t *)(void *)algo);

	return status ? status : multiply(p, (cublasLtMatmulAlgo_t *)(void *)algo, room);
}

bool gw_lt_rescue_workspace_alignment(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue,
			    int32_t *status)
{
	struct room room = usable(product);

	(void)terms;
	if (!product->workspace || (uintptr_t)product->workspace % ALIGNMENT == 0)
		return false;
	/* An algorithm that does not fit the part any more is stale-algo's. */
	if (multiply(product, product->algo, &room))
		return false;
	*status = 0;
	gw_redirect_tell(call, rescue, "its workspace is not aligned to 256 bytes", "; gangway passes the part of it that is");
	return true;
}

bool gw_lt_rescue_stale_algo(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue, int32_t *status)
{
	struct room room = usable(product);

	(void)terms;
	if (choose_anew(call, product, &room))
		return false;
	*status = 0;
	gw_redirect_tell(call, rescue, product->algo ? "its algorithm does not do for this problem, alignment or workspace" :
			 "no algorithm was given, and the library found none for aligned matrices", "; gangway asked the heuristic for one that does");
	return true;
}
