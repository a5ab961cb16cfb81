/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about cuDNN's backend descriptors: each attribute of the program's own header on each kind of descriptor, with each type;
 * then a few descriptors that are made whole as a program would, finalized and read back.
 */
#define S(status) named(e_cudnnStatus_t, (long long)(status))

static void backend_bytes(unsigned char *value, const struct constant *type)
{
	static cudnnBackendDescriptor_t tensor;

	memset(value, 0, 64);
	/* Handles and addresses are NULL, a descriptor is an empty tensor, a number is 1. */
	if (strstr(type->name, "HANDLE") || strstr(type->name, "VOID_PTR"))
		return;
	if (type->value == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
		if (!tensor)
			cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &tensor);
		memcpy(value, &tensor, sizeof(tensor));
	} else if (type->value == CUDNN_TYPE_FLOAT) {
		float one = 1;

		memcpy(value, &one, sizeof(one));
	} else if (type->value == CUDNN_TYPE_DOUBLE) {
		double one = 1;

		memcpy(value, &one, sizeof(one));
	} else {
		value[0] = 1;
	}
}

/* One attribute: what each type is answered with, types of the same answer together. */
static void backend_attribute(cudnnBackendDescriptor_t descriptor, const struct constant *kind, const struct constant *attribute)
{
	cudnnStatus_t answers[64], seen[64];
	const struct constant *type;
	unsigned char value[64];
	int count = 0, kinds = 0, i, j;

	for (type = e_cudnnBackendAttributeType_t; type->name; type++) {
		backend_bytes(value, type);
		/* What takes other descriptors than tensors ends the process, in some releases, when it is given one; so does a graph that
		 * is given a NULL handle. */
		if ((type->value == CUDNN_TYPE_BACKEND_DESCRIPTOR && (strncmp(kind->name, "CUDNN_BACKEND_OPERATION_", 24) || strstr(kind->name, "SDPA"))) ||
		    (type->value == CUDNN_TYPE_HANDLE && kind->value == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)) {
			answers[count++] = CUDNN_STATUS_NOT_SUPPORTED;
			continue;
		}
		answers[count++] = cudnnBackendSetAttribute(descriptor, (cudnnBackendAttributeName_t)attribute->value,
							    (cudnnBackendAttributeType_t)type->value, 1, value);
	}
	say("backend %s set %s\t", kind->name + 14, attribute->name + 11);
	for (i = 0; i < count; i++) {
		for (j = 0; j < kinds && seen[j] != answers[i]; j++)
			;
		if (j == kinds)
			seen[kinds++] = answers[i];
	}
	for (j = 0; j < kinds; j++) {
		int many = 0;

		for (i = 0; i < count; i++)
			many += answers[i] == seen[j];
		say("%s%s", j ? "; " : "", S(seen[j]));
		if (many > count / 2) {
			say(" else");
			continue;
		}
		for (i = 0; i < count; i++)
			if (answers[i] == seen[j])
				say(" %s", e_cudnnBackendAttributeType_t[i].name + 11);
	}
	say("\n");
}

static void backend_get(cudnnBackendDescriptor_t descriptor, const struct constant *kind, const struct constant *attribute)
{
	cudnnStatus_t answers[64], first = CUDNN_STATUS_SUCCESS;
	const struct constant *type;
	int count = 0, i, same = 1;

	for (type = e_cudnnBackendAttributeType_t; type->name; type++) {
		int64_t elements = 0;

		answers[count] = cudnnBackendGetAttribute(descriptor, (cudnnBackendAttributeName_t)attribute->value,
							  (cudnnBackendAttributeType_t)type->value, 0, &elements, NULL);
		if (!count)
			first = answers[0];
		same &= answers[count++] == first;
	}
	say("backend %s get %s\t", kind->name + 14, attribute->name + 11);
	if (same)
		say("%s", S(first));
	for (i = 0; !same && i < count; i++)
		if (answers[i] != first)
			say("%s %s; ", e_cudnnBackendAttributeType_t[i].name + 11, S(answers[i]));
	say("\n");
}

static void backend_kind(const struct constant *kind)
{
	cudnnBackendDescriptor_t descriptor = NULL;
	const struct constant *attribute;
	cudnnStatus_t status = cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)kind->value, &descriptor);

	say("backend %s create\t%s\n", kind->name + 14, S(status));
	if (status != CUDNN_STATUS_SUCCESS)
		return;
	for (attribute = e_cudnnBackendAttributeName_t; attribute->name; attribute++)
		backend_get(descriptor, kind, attribute);
	say("backend %s destroy\t%s\n", kind->name + 14, S(cudnnBackendDestroyDescriptor(descriptor)));
}

static void backend_kind_finalize(const struct constant *kind)
{
	cudnnBackendDescriptor_t descriptor = NULL;

	if (cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)kind->value, &descriptor) == CUDNN_STATUS_SUCCESS)
		say("backend %s finalize empty\t%s\n", kind->name + 14, S(cudnnBackendFinalize(descriptor)));
}

static void backend_kind_set(const struct constant *kind)
{
	const struct constant *attribute;

	for (attribute = e_cudnnBackendAttributeName_t; attribute->name; attribute++) {
		cudnnBackendDescriptor_t descriptor = NULL;

		if (cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)kind->value, &descriptor) != CUDNN_STATUS_SUCCESS)
			return;
		backend_attribute(descriptor, kind, attribute);
		cudnnBackendDestroyDescriptor(descriptor);
	}
}

static void backend_set(cudnnBackendDescriptor_t d, const char *what, int attribute, int type, int64_t count, const void *value)
{
	say("%s set %s %s\t%s\n", what, named(e_cudnnBackendAttributeName_t, attribute), named(e_cudnnBackendAttributeType_t, type),
	    S(cudnnBackendSetAttribute(d, attribute, type, count, value)));
}

static void backend_read(cudnnBackendDescriptor_t d, const char *what, int attribute, int type, int64_t room, size_t size)
{
	unsigned char out[OUT_SIZE];
	int64_t count = -7;

	blank(out);
	say("%s get %s %s\t%s", what, named(e_cudnnBackendAttributeName_t, attribute), named(e_cudnnBackendAttributeType_t, type),
	    S(cudnnBackendGetAttribute(d, attribute, type, room, &count, out)));
	say(" count %lld", (long long)count);
	say_out(out, size == 1 ? 'x' : 'i', size, NULL);
	say("\n");
}

static cudnnBackendDescriptor_t backend_tensor(const char *what, int64_t id, cudnnDataType_t type, int64_t n, int64_t c, int64_t h, int64_t w)
{
	int64_t dims[4] = {n, c, h, w}, strides[4] = {c * h * w, h * w, w, 1}, alignment = 16;
	cudnnBackendDescriptor_t d = NULL;

	cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &d);
	backend_set(d, what, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
	backend_set(d, what, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
	backend_set(d, what, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
	backend_set(d, what, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
	backend_set(d, what, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
	backend_read(d, what, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, 8);
	say("%s finalize\t%s\n", what, S(cudnnBackendFinalize(d)));
	backend_read(d, what, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 4);
	backend_read(d, what, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 8, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 2, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT32, 1, 4);
	backend_read(d, what, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_VECTOR_COUNT, CUDNN_TYPE_INT64, 1, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION, CUDNN_TYPE_INT64, 1, 8);
	backend_read(d, what, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, 1);
	backend_read(d, what, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, 1);
	backend_set(d, what, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
	return d;
}

/* x (*) w = y, then relu: a graph as far as it goes without a handle. */
static void backend_graph(void)
{
	cudnnBackendDescriptor_t x = backend_tensor("tensor x", 'x', CUDNN_DATA_HALF, 2, 8, 6, 6);
	cudnnBackendDescriptor_t w = backend_tensor("tensor w", 'w', CUDNN_DATA_HALF, 16, 8, 3, 3);
	cudnnBackendDescriptor_t y = backend_tensor("tensor y", 'y', CUDNN_DATA_HALF, 2, 16, 6, 6);
	cudnnBackendDescriptor_t z = backend_tensor("tensor z", 'z', CUDNN_DATA_HALF, 2, 16, 6, 6);
	cudnnBackendDescriptor_t convolution = NULL, pointwise = NULL, operation = NULL, relu = NULL, graph = NULL, got = NULL;
	cudnnBackendDescriptor_t operations[2];
	cudnnDataType_t compute = CUDNN_DATA_FLOAT;
	cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
	cudnnPointwiseMode_t relu_mode = CUDNN_POINTWISE_RELU_FWD;
	cudnnNanPropagation_t nan = CUDNN_PROPAGATE_NAN;
	int64_t dims = 2, ones[2] = {1, 1}, count = 0, axis = 1;
	double alpha = 1, beta = 0, clip = 6;

	cudnnBackendCreateDescriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, &convolution);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &dims);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, ones);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, ones);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, ones);
	backend_set(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, ones);
	say("convolution finalize\t%s\n", S(cudnnBackendFinalize(convolution)));
	backend_read(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 4);
	backend_read(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 3, 8);
	backend_read(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, 8);
	backend_read(convolution, "convolution", CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, 4);

	cudnnBackendCreateDescriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, &pointwise);
	backend_set(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &relu_mode);
	backend_set(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
	backend_set(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 1, &nan);
	backend_set(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 1, &clip);
	backend_set(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &axis);
	say("pointwise finalize\t%s\n", S(cudnnBackendFinalize(pointwise)));
	backend_read(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, 4);
	backend_read(pointwise, "pointwise", CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 1, 8);

	cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, &operation);
	backend_set(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &x);
	backend_set(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &w);
	backend_set(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &y);
	backend_set(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &convolution);
	backend_set(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_DOUBLE, 1, &alpha);
	backend_set(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_DOUBLE, 1, &beta);
	say("operation finalize\t%s\n", S(cudnnBackendFinalize(operation)));
	cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &got);
	say("operation get x\t%s", S(cudnnBackendGetAttribute(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
							    CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &got)));
	say(" count %lld\n", (long long)count);
	backend_read(got, "operation's x", CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, 8);
	backend_read(operation, "operation", CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_DOUBLE, 1, 8);

	cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, &relu);
	backend_set(relu, "relu", CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &pointwise);
	backend_set(relu, "relu", CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &y);
	backend_set(relu, "relu", CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &z);
	say("relu finalize\t%s\n", S(cudnnBackendFinalize(relu)));
	operations[0] = operation;
	operations[1] = relu;
	cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, &graph);
	backend_set(graph, "graph", CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, operations);
	say("graph finalize without handle\t%s\n", S(cudnnBackendFinalize(graph)));
	backend_read(graph, "graph", CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64, 1, 8);
}

/* Descriptors of one enum: each constant of the program's header, set and read back. */
static void backend_values(const struct constant *kind, int attribute, int type, const struct constant *values)
{
	for (; values->name; values++) {
		cudnnBackendDescriptor_t d = NULL;
		char what[128];
		int value = (int)values->value;

		if (cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)kind->value, &d) != CUDNN_STATUS_SUCCESS)
			return;
		snprintf(what, sizeof(what), "%s %s", kind->name + 14, values->name);
		backend_set(d, what, attribute, type, 1, &value);
		say("%s finalize\t%s\n", what, S(cudnnBackendFinalize(d)));
		backend_read(d, what, attribute, type, 1, 4);
		cudnnBackendDestroyDescriptor(d);
	}
}
