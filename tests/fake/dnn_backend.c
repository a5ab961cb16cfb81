/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn: a store of backend descriptors. Attributes that this release names are kept as they were set; an engine has every note of the release, and
 * every knob, in rising order, or, when its global index is odd, in falling order; a finalized kernel cache is cached. Nothing is computed.
 */
#include "dnn.h"
#include "entry.h"

#include <string.h>

#define ATTRIBUTES 16
#define ROOM 128

struct attribute {
	int name, type;
	int64_t count;
	char data[ROOM];
};

struct backend {
	struct fake_head head;
	int type;
	bool finalized;
	struct attribute attributes[ATTRIBUTES];
	unsigned count;
};

static bool is_known(const int *names, size_t count, int name)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] == name)
			return true;
	return false;
}

static bool is_attribute(int name)
{
	static const int names[] = { FAKE_CONSTANTS_cudnnBackendAttributeName_t };

	return is_known(names, sizeof(names) / sizeof(*names), name);
}

static size_t size_of(int type)
{
	switch (type) {
	case CUDNN_TYPE_BOOLEAN:
	case CUDNN_TYPE_CHAR: return 1;
	case CUDNN_TYPE_FRACTION: return 16;
	case CUDNN_TYPE_HANDLE:
	case CUDNN_TYPE_INT64:
	case CUDNN_TYPE_DOUBLE:
	case CUDNN_TYPE_VOID_PTR:
	case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
	default: return 4;
	}
}

static struct attribute *attribute_of(struct backend *backend, int name)
{
	for (unsigned i = 0; i < backend->count; i++)
		if (backend->attributes[i].name == name)
			return &backend->attributes[i];
	return NULL;
}

static cudnnStatus_t keep(struct backend *backend, int name, int type, int64_t count, const void *elements)
{
	struct attribute *attribute = attribute_of(backend, name);

	if (count < 0 || (size_t)count * size_of(type) > ROOM || (!attribute && backend->count == ATTRIBUTES))
		return CUDNN_STATUS_NOT_SUPPORTED;
	if (!attribute)
		attribute = &backend->attributes[backend->count++];
	*attribute = (struct attribute){ .name = name, .type = type, .count = count };
	memcpy(attribute->data, elements, (size_t)count * size_of(type));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *out)
{
	static const int types[] = { FAKE_CONSTANTS_cudnnBackendDescriptorType_t };
	cudnnStatus_t status;

	if (!is_known(types, sizeof(types) / sizeof(*types), (int)type))
		return CUDNN_STATUS_NOT_SUPPORTED;
	status = dnn_create((void **)out, sizeof(struct backend), DNN_BACKEND);
	if (!status)
		((struct backend *)*out)->type = (int)type;
	return status;
}

cudnnStatus_t fake_cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor)
{
	return dnn_destroy(descriptor, DNN_BACKEND);
}

cudnnStatus_t fake_cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
{
	if (!dnn_is(descriptor, DNN_BACKEND))
		return CUDNN_STATUS_BAD_PARAM;
	((struct backend *)descriptor)->finalized = true;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
					    cudnnBackendAttributeType_t type, int64_t count, const void *elements)
{
	if (!dnn_is(descriptor, DNN_BACKEND) || !elements || !is_attribute((int)name))
		return CUDNN_STATUS_BAD_PARAM;
	return keep(descriptor, (int)name, (int)type, count, elements);
}

/* As the library does: what fits is written, and the number of what there is. */
static cudnnStatus_t hand_out(const int *values, int64_t there, int64_t asked, int64_t *count, void *elements)
{
	if (count)
		*count = there;
	for (int64_t i = 0; i < there && i < asked && elements; i++)
		((int *)elements)[i] = values[i];
	return CUDNN_STATUS_SUCCESS;
}

/* All but the constant that marks the list's end, in rising order. */
static int64_t without(int *values, int64_t count, int end)
{
	int64_t kept = 0, at;

	for (int64_t i = 0; i < count; i++) {
		int value = values[i];

		if (value == end)
			continue;
		for (at = kept++; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	return kept;
}

#define LIST(values, name) int values[] = { FAKE_CONSTANTS_##name }; int64_t values##_count = (int64_t)(sizeof(values) / sizeof(*(values)))

static cudnnStatus_t knob_infos(struct backend *engine, int64_t asked, int64_t *count, void *elements)
{
	struct attribute *index = attribute_of(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
	cudnnBackendDescriptor_t *knobs = elements;
	LIST(types, cudnnBackendKnobType_t);

	types_count = without(types, types_count, CUDNN_KNOB_TYPE_COUNTS);
	if (count)
		*count = types_count;
	for (int64_t i = 0; i < types_count && i < asked && knobs; i++) {
		int type = types[index && index->data[0] % 2 ? types_count - 1 - i : i];

		if (!dnn_is(knobs[i], DNN_BACKEND) || ((struct backend *)knobs[i])->type != CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR)
			return CUDNN_STATUS_BAD_PARAM;
		keep(knobs[i], CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
	}
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t of_engine(struct backend *engine, int name, int type, int64_t asked, int64_t *count, void *elements, bool *answered)
{
	LIST(behaviors, cudnnBackendBehaviorNote_t);
	LIST(numerics, cudnnBackendNumericalNote_t);

	*answered = true;
	if (name == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE && type == CUDNN_TYPE_BEHAVIOR_NOTE)
		return hand_out(behaviors, without(behaviors, behaviors_count, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT), asked, count, elements);
	if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE && type == CUDNN_TYPE_NUMERICAL_NOTE)
		return hand_out(numerics, without(numerics, numerics_count, CUDNN_NUMERICAL_NOTE_TYPE_COUNT), asked, count, elements);
	if (name == CUDNN_ATTR_ENGINE_KNOB_INFO && type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
		return knob_infos(engine, asked, count, elements);
	*answered = false;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnBackendGetAttribute(const cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
					    cudnnBackendAttributeType_t type, int64_t asked, int64_t *count, void *elements)
{
	struct backend *backend = descriptor;
	struct attribute *attribute;
	bool answered = false;
	cudnnStatus_t status;

	if (!dnn_is(descriptor, DNN_BACKEND) || !is_attribute((int)name))
		return CUDNN_STATUS_BAD_PARAM;
#ifdef CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED
	if (backend->type == CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR && name == CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED) {
		if (type != CUDNN_TYPE_BOOLEAN || !backend->finalized || !elements || asked < 1)
			return CUDNN_STATUS_BAD_PARAM;
		*(char *)elements = 1;
		if (count)
			*count = 1;
		return CUDNN_STATUS_SUCCESS;
	}
#endif
	if (backend->type == CUDNN_BACKEND_ENGINE_DESCRIPTOR) {
		status = of_engine(backend, (int)name, (int)type, asked, count, elements, &answered);
		if (answered)
			return status;
	}
	attribute = attribute_of(backend, (int)name);
	if (!attribute || attribute->type != (int)type)
		return CUDNN_STATUS_BAD_PARAM;
	if (count)
		*count = attribute->count;
	if (elements)
		memcpy(elements, attribute->data, (size_t)(asked < attribute->count ? asked : attribute->count) * size_of((int)type));
	return CUDNN_STATUS_SUCCESS;
}

#ifdef fake_cudnnGnnAggSimpleForward
/* Sums of node features over the edges of each node, of float and 32 bit indices; a field beyond what the function needs must be empty. */
cudnnStatus_t fake_cudnnGnnAggSimpleForward(cudaStream_t stream, const cudnnGnnCscGraph_t *graph, const void *nodes, const void *edges,
					    const void *concat, void *output, void *positions, int node_dim, int edge_dim, int concat_dim,
					    cudnnDataType_t type, cudnnGnnAggOp_t op)
{
	cudnnGnnCscGraph_t whole;
	const int *offsets, *indices;

	(void)stream;
	if (!graph || !nodes || edges || concat || positions || edge_dim || concat_dim || type != CUDNN_DATA_FLOAT || op != CUDNN_GNN_AGG_SUM)
		return CUDNN_STATUS_NOT_SUPPORTED;
	memcpy(&whole, graph, sizeof(whole));
	if (sizeof(whole) > offsetof(cudnnGnnCscGraph_t, idxType) + 8 && ((void **)&whole)[sizeof(whole) / sizeof(void *) - 1])
		return CUDNN_STATUS_BAD_PARAM;
	offsets = whole.cscOffsets;
	indices = whole.cscIndices;
	for (int64_t n = 0; n < whole.nDstNodes; n++)
		for (int d = 0; d < node_dim; d++) {
			float sum = 0;

			for (int e = offsets[n]; e < offsets[n + 1]; e++)
				sum += ((const float *)nodes)[indices[e] * node_dim + d];
			((float *)output)[n * node_dim + d] = sum;
		}
	return CUDNN_STATUS_SUCCESS;
}
#endif
