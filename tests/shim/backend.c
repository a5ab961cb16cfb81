/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of some release of cuDNN that asks the graph interface for what differs between releases; all constants are its own header's.
 * What it prints must not depend on the release that answers, as far as its own release knows.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "fake_api.h"

#define MOST 64

static void *create(int type)
{
	cudnnBackendDescriptor_t descriptor = NULL;
	int status = cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)type, &descriptor);

	if (status)
		printf("create %d: %d\n", type, status);
	return descriptor;
}

#ifdef CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED
static void ask_cache(void)
{
	void *cache = create(CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR);
	char cached = 7;
	int64_t count = -1;
	int status = cudnnBackendFinalize(cache);

	printf("finalize: %d\n", status);
	status = cudnnBackendGetAttribute(cache, CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED, CUDNN_TYPE_BOOLEAN, 1, &count, &cached);
	printf("cached: %d %d %d\n", status, (int)count, cached);
#ifdef CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH
	cache = create(CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR);
	printf("graph of a cache: %d\n",
	       cudnnBackendSetAttribute(cache, CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &(void *){ cache }));
#endif
}
#endif

static void ask_notes(void *engine, const char *what, int name, int type)
{
	static const int64_t asks[] = { 0, 1, 3, MOST };

	for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
		int notes[MOST];
		int64_t count = -1;
		int status;

		memset(notes, -1, sizeof notes);
		status = cudnnBackendGetAttribute(engine, (cudnnBackendAttributeName_t)name, (cudnnBackendAttributeType_t)type, asks[i], &count,
						  asks[i] ? notes : NULL);
		printf("%s: %d, %d:", what, status, (int)count);
		for (int k = 0; k < count && k < asks[i]; k++)
			printf(" %d", notes[k]);
		puts("");
	}
}

static void ask_knobs(int64_t index)
{
	void *engine = create(CUDNN_BACKEND_ENGINE_DESCRIPTOR), *knobs[MOST];
	int64_t count = -1;
	int status = cudnnBackendSetAttribute(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);

	printf("set: %d\n", status);
	for (int i = 0; i < MOST; i++)
		knobs[i] = create(CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR);
	status = cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_KNOB_INFO, CUDNN_TYPE_BACKEND_DESCRIPTOR, MOST, &count, knobs);
	printf("knobs: %d, %d:", status, (int)count);
	for (int i = 0; i < count; i++) {
		int type = -1;
		int64_t one = 0;

		status = cudnnBackendGetAttribute(knobs[i], CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &one, &type);
		printf(" %d", status ? -status : type);
	}
	puts("");
}

#ifdef CUDNN_GNN_AGG_SUM
/* Nothing may be read behind the graph: there is nothing. */
static void aggregate(void)
{
	static const int offsets[] = { 0, 2, 3 }, indices[] = { 0, 2, 1 };
	static const float nodes[] = { 1, 10, 2, 20, 4, 40 };
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cudnnGnnCscGraph_t *graph = (cudnnGnnCscGraph_t *)(void *)(page + 4096 - sizeof *graph);
	float sums[4] = { 0 };
	int status;

	mprotect(page + 4096, 4096, PROT_NONE);
	*graph = (cudnnGnnCscGraph_t){ .cscOffsets = offsets, .cscIndices = indices, .nSrcNodes = 3, .nDstNodes = 2, .nIndices = 3,
				       .idxType = CUDNN_DATA_INT32 };
	status = cudnnGnnAggSimpleForward(NULL, graph, nodes, NULL, NULL, sums, NULL, 2, 0, 0, CUDNN_DATA_FLOAT, CUDNN_GNN_AGG_SUM);
	printf("sums: %d: %g %g %g %g\n", status, (double)sums[0], (double)sums[1], (double)sums[2], (double)sums[3]);
}
#endif

int main(void)
{
	void *engine = create(CUDNN_BACKEND_ENGINE_DESCRIPTOR);

	ask_notes(engine, "behavior", CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE);
	ask_notes(engine, "numerical", CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
	ask_knobs(0);
#ifdef ODD
	ask_knobs(1);
#endif
#ifdef CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED
	ask_cache();
#endif
#ifdef CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR
	printf("sdpa: %s\n", create(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR) ? "made" : "none");
#endif
#ifdef CUDNN_GNN_AGG_SUM
	aggregate();
#endif
	return 0;
}
