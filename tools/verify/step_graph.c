/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, bias and ReLU as one plan of cuDNN's graph interface: half, channels last. Of the heuristic's engines, the first that takes it. */
#include "step.h"

#include <stdio.h>

#include "gw_signatures.h"
#include "gw_values.h"
#include "tools/verify/convolution.h"

static const struct gw_convolution shape = {2, 16, 8, 8, 32};
static const struct gw_format f16 = {.size = 2, .exponent = 5, .mantissa = 10};

/* Names of tensors in the graph: any numbers. */
enum tensor { X = 1, F, CONVOLVED, BIAS, SUM, Y };
enum { ENGINES = 16 };

static void *dnn;
static cudnnHandle_t handle;

#define MUST(name, ...) gw_dnn_must(GW_CALL(dnn, name)(__VA_ARGS__), #name)

static cudnnBackendDescriptor_t create(int type)
{
	cudnnBackendDescriptor_t made = NULL;

	MUST(cudnnBackendCreateDescriptor, type, &made);
	return made;
}

static void set(cudnnBackendDescriptor_t descriptor, int attribute, int type, int64_t count, const void *values)
{
	MUST(cudnnBackendSetAttribute, descriptor, attribute, type, count, values);
}

static void set_descriptor(cudnnBackendDescriptor_t descriptor, int attribute, cudnnBackendDescriptor_t value)
{
	set(descriptor, attribute, GW_VALUE_CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void set_enum(cudnnBackendDescriptor_t descriptor, int attribute, int type, int value)
{
	set(descriptor, attribute, type, 1, &value);
}

static cudnnBackendDescriptor_t finish(cudnnBackendDescriptor_t descriptor)
{
	MUST(cudnnBackendFinalize, descriptor);
	return descriptor;
}

/* Channels last. One that is virtual exists within the plan alone. */
static cudnnBackendDescriptor_t tensor(int64_t id, int type, int64_t n, int64_t c, int64_t h, int64_t w, bool is_virtual)
{
	const int64_t dimensions[] = {n, c, h, w}, strides[] = {c * h * w, 1, c * w, c}, alignment = 16;
	cudnnBackendDescriptor_t made = create(GW_VALUE_CUDNN_BACKEND_TENSOR_DESCRIPTOR);

	set_enum(made, GW_VALUE_CUDNN_ATTR_TENSOR_DATA_TYPE, GW_VALUE_CUDNN_TYPE_DATA_TYPE, type);
	set(made, GW_VALUE_CUDNN_ATTR_TENSOR_DIMENSIONS, GW_VALUE_CUDNN_TYPE_INT64, 4, dimensions);
	set(made, GW_VALUE_CUDNN_ATTR_TENSOR_STRIDES, GW_VALUE_CUDNN_TYPE_INT64, 4, strides);
	set(made, GW_VALUE_CUDNN_ATTR_TENSOR_UNIQUE_ID, GW_VALUE_CUDNN_TYPE_INT64, 1, &id);
	set(made, GW_VALUE_CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, GW_VALUE_CUDNN_TYPE_INT64, 1, &alignment);
	if (is_virtual)
		set(made, GW_VALUE_CUDNN_ATTR_TENSOR_IS_VIRTUAL, GW_VALUE_CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
	return finish(made);
}

static cudnnBackendDescriptor_t result(int64_t id)
{
	/* What is between two operations has the precision in which they compute. */
	return tensor(id, id == Y ? GW_VALUE_CUDNN_DATA_HALF : GW_VALUE_CUDNN_DATA_FLOAT, shape.n, shape.o, shape.h, shape.w, id != Y);
}

static cudnnBackendDescriptor_t convolve(cudnnBackendDescriptor_t y)
{
	const int64_t two = 2, ones[] = {1, 1};
	const float one = 1, zero = 0;
	cudnnBackendDescriptor_t how = create(GW_VALUE_CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR), operation;

	set_enum(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_COMP_TYPE, GW_VALUE_CUDNN_TYPE_DATA_TYPE, GW_VALUE_CUDNN_DATA_FLOAT);
	set_enum(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_CONV_MODE, GW_VALUE_CUDNN_TYPE_CONVOLUTION_MODE, GW_VALUE_CUDNN_CROSS_CORRELATION);
	set(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, GW_VALUE_CUDNN_TYPE_INT64, 1, &two);
	set(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, GW_VALUE_CUDNN_TYPE_INT64, 2, ones);
	set(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, GW_VALUE_CUDNN_TYPE_INT64, 2, ones);
	set(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_DILATIONS, GW_VALUE_CUDNN_TYPE_INT64, 2, ones);
	set(how, GW_VALUE_CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, GW_VALUE_CUDNN_TYPE_INT64, 2, ones);
	finish(how);
	operation = create(GW_VALUE_CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
	set(operation, GW_VALUE_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, GW_VALUE_CUDNN_TYPE_FLOAT, 1, &one);
	set(operation, GW_VALUE_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, GW_VALUE_CUDNN_TYPE_FLOAT, 1, &zero);
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, how);
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
		       tensor(X, GW_VALUE_CUDNN_DATA_HALF, shape.n, shape.c, shape.h, shape.w, false));
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, tensor(F, GW_VALUE_CUDNN_DATA_HALF, shape.o, shape.c, 3, 3, false));
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
	return finish(operation);
}

static cudnnBackendDescriptor_t pointwise(int mode, cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b, cudnnBackendDescriptor_t y)
{
	cudnnBackendDescriptor_t how = create(GW_VALUE_CUDNN_BACKEND_POINTWISE_DESCRIPTOR), operation;

	set_enum(how, GW_VALUE_CUDNN_ATTR_POINTWISE_MODE, GW_VALUE_CUDNN_TYPE_POINTWISE_MODE, mode);
	set_enum(how, GW_VALUE_CUDNN_ATTR_POINTWISE_MATH_PREC, GW_VALUE_CUDNN_TYPE_DATA_TYPE, GW_VALUE_CUDNN_DATA_FLOAT);
	finish(how);
	operation = create(GW_VALUE_CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
	if (b)
		set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
	set_descriptor(operation, GW_VALUE_CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
	return finish(operation);
}

static cudnnBackendDescriptor_t graph(void)
{
	cudnnBackendDescriptor_t convolved = result(CONVOLVED), sum = result(SUM), made;
	const cudnnBackendDescriptor_t operations[] = {
		convolve(convolved),
		pointwise(GW_VALUE_CUDNN_POINTWISE_ADD, convolved, tensor(BIAS, GW_VALUE_CUDNN_DATA_HALF, 1, shape.o, 1, 1, false), sum),
		pointwise(GW_VALUE_CUDNN_POINTWISE_RELU_FWD, sum, NULL, result(Y)),
	};

	made = create(GW_VALUE_CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
	set(made, GW_VALUE_CUDNN_ATTR_OPERATIONGRAPH_HANDLE, GW_VALUE_CUDNN_TYPE_HANDLE, 1, &handle);
	set(made, GW_VALUE_CUDNN_ATTR_OPERATIONGRAPH_OPS, GW_VALUE_CUDNN_TYPE_BACKEND_DESCRIPTOR, 3, operations);
	return finish(made);
}

static bool try_plan(cudnnBackendDescriptor_t engine, cudnnBackendDescriptor_t *made, cudnnStatus_t *status)
{
	*made = create(GW_VALUE_CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
	set(*made, GW_VALUE_CUDNN_ATTR_EXECUTION_PLAN_HANDLE, GW_VALUE_CUDNN_TYPE_HANDLE, 1, &handle);
	set_descriptor(*made, GW_VALUE_CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
	*status = GW_CALL(dnn, cudnnBackendFinalize)(*made);
	return *status == GW_VALUE_CUDNN_STATUS_SUCCESS;
}

static cudnnBackendDescriptor_t plan(cudnnBackendDescriptor_t of)
{
	static const int modes[] = {GW_VALUE_CUDNN_HEUR_MODE_INSTANT, GW_VALUE_CUDNN_HEUR_MODE_FALLBACK};
	cudnnStatus_t status = GW_VALUE_CUDNN_STATUS_SUCCESS;
	int64_t tried = 0;

	for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
		cudnnBackendDescriptor_t heuristic = create(GW_VALUE_CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), engines[ENGINES], made;
		int64_t count = 0;

		set_descriptor(heuristic, GW_VALUE_CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, of);
		set_enum(heuristic, GW_VALUE_CUDNN_ATTR_ENGINEHEUR_MODE, GW_VALUE_CUDNN_TYPE_HEUR_MODE, modes[m]);
		finish(heuristic);
		for (size_t i = 0; i < ENGINES; i++)
			engines[i] = create(GW_VALUE_CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
		MUST(cudnnBackendGetAttribute, heuristic, GW_VALUE_CUDNN_ATTR_ENGINEHEUR_RESULTS, GW_VALUE_CUDNN_TYPE_BACKEND_DESCRIPTOR, ENGINES, &count,
		     engines);
		for (int64_t i = 0; i < count && i < ENGINES; i++, tried++)
			if (try_plan(engines[i], &made, &status))
				return made;
	}
	gw_end(GW_FAILED, "none of the %lld engines that the heuristic names takes the graph; the last answered %d", (long long)tried, status);
}

void gw_step_graph(const char *which)
{
	struct gw_tensors all;
	cudnnBackendDescriptor_t chosen, pack;
	int64_t size = 0, count = 0;
	void *room;

	(void)which;
	dnn = gw_dnn_open(&handle);
	all = gw_dnn_tensors(&shape, &f16, true);
	chosen = plan(graph());
	MUST(cudnnBackendGetAttribute, chosen, GW_VALUE_CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, GW_VALUE_CUDNN_TYPE_INT64, 1, &count, &size);
	room = size > 0 ? gw_device_room((size_t)size) : NULL;
	pack = create(GW_VALUE_CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
	set(pack, GW_VALUE_CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, GW_VALUE_CUDNN_TYPE_VOID_PTR, 4, (void *[]){all.x, all.f, all.bias, all.y});
	set(pack, GW_VALUE_CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, GW_VALUE_CUDNN_TYPE_INT64, 4, (const int64_t[]){X, F, BIAS, Y});
	set(pack, GW_VALUE_CUDNN_ATTR_VARIANT_PACK_WORKSPACE, GW_VALUE_CUDNN_TYPE_VOID_PTR, 1, &room);
	finish(pack);
	MUST(cudnnBackendExecute, handle, chosen, pack);
	gw_dnn_compare(&all, &shape, true, "half, channels last, with bias and ReLU", 2e-3);
}
