/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregation over graphs in cuDNN 9. The struct that describes a graph grew by a pointer at its end. A library that has the longer struct would
 * read beyond a caller's shorter one. These two functions are older than the pointer, which only functions that came with it
 * ask for: so all but a caller that surely has the longer one is given a copy with NULL there, which means "none".
 */
#include <stddef.h>
#include <string.h>

#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_via.h"
#include "span.h"

#define ROOM 256

struct graph {
	_Alignas(max_align_t) char copy[ROOM];
};

/* GRAPH, or a copy of it in ROOM that is as long as the loaded release's. */
static const cudnnGnnCscGraph_t *lengthen(const struct gw_call *call, const cudnnGnnCscGraph_t *graph, struct graph *room)
{
	enum gw_spans_id list = GW_SPANS_cudnnGnnCscGraph_t;
	const struct gw_span *sizes = gw_spans + gw_span_lists[list].first, *mine, *theirs = NULL;
	struct gw_span_place place;
	uint32_t i;

	if (!graph || call->absent || !gw_span_place(call, &place))
		return graph;
	/*
	 * The shortest that the caller may have, and the longest that the library may read: sizes only grow, and a library that the database does
	 * not know is treated as the release before it.
	 */
	for (mine = NULL, i = 0; i < gw_span_lists[list].count; i++) {
		if (!mine && sizes[i].last >= place.first)
			mine = &sizes[i];
		if (sizes[i].first <= place.loaded + 1 && place.loaded <= sizes[i].last)
			theirs = &sizes[i];
	}
	if (!mine || !theirs || mine->value >= theirs->value || theirs->value > ROOM)
		return graph;
	memset(room->copy, 0, (size_t)theirs->value);
	memcpy(room->copy, graph, (size_t)mine->value);
	return (const cudnnGnnCscGraph_t *)(const void *)room->copy;
}

cudnnStatus_t gw_via_cudnn_gnn_forward(struct gw_call *call,
				       cudnnStatus_t (*real)(cudaStream_t, const cudnnGnnCscGraph_t *, const void *, const void *, const void *,
							     void *, void *, int, int, int, cudnnDataType_t, cudnnGnnAggOp_t),
				       cudaStream_t stream, const cudnnGnnCscGraph_t *graph, const void *nodes, const void *edges,
				       const void *concat, void *output, void *positions, int node_dim, int edge_dim, int concat_dim,
				       cudnnDataType_t type, cudnnGnnAggOp_t op)
{
	struct graph room;

	return real(stream, lengthen(call, graph, &room), nodes, edges, concat, output, positions, node_dim, edge_dim, concat_dim, type, op);
}

cudnnStatus_t gw_via_cudnn_gnn_backward(struct gw_call *call,
					cudnnStatus_t (*real)(cudaStream_t, const cudnnGnnCscGraph_t *, const void *, const void *, void *, void *,
							      void *, int, int, int, cudnnDataType_t, cudnnGnnAggOp_t),
					cudaStream_t stream, const cudnnGnnCscGraph_t *graph, const void *output, const void *positions,
					void *nodes, void *edges, void *concat, int node_dim, int edge_dim, int concat_dim, cudnnDataType_t type,
					cudnnGnnAggOp_t op)
{
	struct graph room;

	return real(stream, lengthen(call, graph, &room), output, positions, nodes, edges, concat, node_dim, edge_dim, concat_dim, type, op);
}
