/* SPDX-License-Identifier: Apache-2.0 */
/* The graph that shim/via_cudnn_gnn.c hands to a library: as long as that may read, whatever the caller's own length. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_via.h"
#include "span.h"

static const char *loaded;
static const void *given;
static unsigned char read[72];

static unsigned release(const char *version)
{
	const struct gw_family_data *data = &gw_families[GW_FAMILY_cudnn];
	uint32_t i;

	for (i = 0; i < data->release_count && strcmp(data->releases[i].version, version); i++)
		;
	return i;
}

bool gw_span_place(const struct gw_call *call, struct gw_span_place *place)
{
	(void)call;
	*place = (struct gw_span_place){ .first = release("9.26.1.1"), .last = release("9.26.1.1"), .loaded = release(loaded) };
	return true;
}

static cudnnStatus_t library(cudaStream_t stream, const cudnnGnnCscGraph_t *graph, const void *nodes, const void *edges, const void *concat,
			     void *output, void *positions, int node_dim, int edge_dim, int concat_dim, cudnnDataType_t type,
			     cudnnGnnAggOp_t op)
{
	(void)stream, (void)nodes, (void)edges, (void)concat, (void)output, (void)positions;
	(void)node_dim, (void)edge_dim, (void)concat_dim, (void)type, (void)op;
	given = graph;
	memcpy(read, graph, sizeof(read));
	return 0;
}

/* Whether the library is handed what lies beyond the 64 bytes of a caller of 9.26. */
static int is_read_beyond(const char *version)
{
	unsigned char graph[72];
	struct gw_call call = { 0 };

	loaded = version;
	memset(graph, 0x5a, sizeof(graph));
	gw_via_cudnn_gnn_forward(&call, library, NULL, (const cudnnGnnCscGraph_t *)(const void *)graph, NULL, NULL, NULL, NULL, NULL, 0, 0, 0,
				 (cudnnDataType_t)0, (cudnnGnnAggOp_t)0);
	assert_memory_equal(read, graph, 64);
	assert_true((given == graph) == (read[64] == 0x5a));
	return given == graph;
}

static void a_shorter_graph_is_copied_for_a_library_that_has_a_longer_one(void **state)
{
	(void)state;
	assert_false(is_read_beyond("9.28.1.4"));
}

/* 9.28.0, which the database does not have, is treated as 9.26.1.1, and has the longer graph. */
static void it_is_for_one_that_may_be_between_two_known_releases(void **state)
{
	(void)state;
	assert_false(is_read_beyond("9.26.1.1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shorter_graph_is_copied_for_a_library_that_has_a_longer_one),
		cmocka_unit_test(it_is_for_one_that_may_be_between_two_known_releases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
