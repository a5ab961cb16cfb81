/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: activation, softmax, pooling, and element-wise work on tensors. */
#include "dnn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_shape(const struct fake_tensor *a, const struct fake_tensor *b)
{
	return a->rank == b->rank && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim);
}

/* Can B be spread over A: equal, or 1, in each dimension? */
static bool spreads(const struct fake_tensor *a, const struct fake_tensor *b)
{
	for (int i = 0; i < a->rank; i++)
		if (b->dim[i] != a->dim[i] && b->dim[i] != 1)
			return false;
	return a->rank == b->rank;
}

/* Handle, factors and the tensors of an operation x -> y. */
static cudnnStatus_t read_pair(cudnnHandle_t handle, const void *alpha, const void *xd, const void *x, const void *beta,
			       const void *yd, const void *y, struct fake_tensor *in, struct fake_tensor *out)
{
	cudnnStatus_t status = dnn_tensor(xd, DNN_TENSOR, x, in);

	if (!dnn_is(handle, DNN_HANDLE) || !alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	return status ? status : dnn_tensor(yd, DNN_TENSOR, y, out);
}

cudnnStatus_t fake_cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor, const void *alpha,
					  const cudnnTensorDescriptor_t xd, const void *x, const void *beta,
					  const cudnnTensorDescriptor_t yd, void *y)
{
	struct fake_tensor in, out;
	struct fake_activate activate;
	int at[FAKE_RANK] = { 0 };
	cudnnStatus_t status = read_pair(handle, alpha, xd, x, beta, yd, y, &in, &out);

	if (!status)
		status = dnn_activate(descriptor, &activate);
	if (status)
		return status;
	if (!same_shape(&in, &out))
		return CUDNN_STATUS_BAD_PARAM;
	do
		fake_blend(&out, at, fake_activated(&activate, fake_get(&in, at)), dnn_factor(alpha, &in), dnn_factor(beta, &in));
	while (fake_next(out.dim, out.rank, at));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnActivationBackward(cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor, const void *alpha,
					   const cudnnTensorDescriptor_t yd, const void *y, const cudnnTensorDescriptor_t dyd,
					   const void *dy, const cudnnTensorDescriptor_t xd, const void *x, const void *beta,
					   const cudnnTensorDescriptor_t dxd, void *dx)
{
	struct fake_tensor in, out, din, dout;
	struct fake_activate activate;
	int at[FAKE_RANK] = { 0 };
	cudnnStatus_t status = read_pair(handle, alpha, xd, x, beta, yd, y, &in, &out);

	if (!status)
		status = dnn_tensor(dyd, DNN_TENSOR, dy, &dout);
	if (!status)
		status = dnn_tensor(dxd, DNN_TENSOR, dx, &din);
	if (!status)
		status = dnn_activate(descriptor, &activate);
	if (status)
		return status;
	if (!same_shape(&in, &out) || !same_shape(&in, &din) || !same_shape(&in, &dout))
		return CUDNN_STATUS_BAD_PARAM;
	do
		fake_blend(&din, at, fake_get(&dout, at) * fake_slope(&activate, fake_get(&in, at), fake_get(&out, at)),
			   dnn_factor(alpha, &in), dnn_factor(beta, &in));
	while (fake_next(din.dim, din.rank, at));
	return CUDNN_STATUS_SUCCESS;
}

/* The walk of a softmax: `outer` over the groups, `inner` over the members of one. */
static void split(const struct fake_tensor *t, cudnnSoftmaxMode_t mode, int *outer, int *inner)
{
	for (int i = 0; i < t->rank; i++) {
		bool member = i == 1 || (i > 1 && mode == CUDNN_SOFTMAX_MODE_INSTANCE);

		outer[i] = member ? 1 : t->dim[i];
		inner[i] = member ? t->dim[i] : 1;
	}
}

static void add(const int *a, const int *b, int rank, int *sum)
{
	for (int i = 0; i < rank; i++)
		sum[i] = a[i] + b[i];
}

cudnnStatus_t fake_cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
				       const void *alpha, const cudnnTensorDescriptor_t xd, const void *x, const void *beta,
				       const cudnnTensorDescriptor_t yd, void *y)
{
	struct fake_tensor in, out;
	int group[FAKE_RANK] = { 0 }, outer[FAKE_RANK], inner[FAKE_RANK], at[FAKE_RANK];
	cudnnStatus_t status = read_pair(handle, alpha, xd, x, beta, yd, y, &in, &out);

	if (status)
		return status;
	if (!same_shape(&in, &out))
		return CUDNN_STATUS_BAD_PARAM;
	split(&in, mode, outer, inner);
	do {
		int member[FAKE_RANK] = { 0 };
		double most = -INFINITY, sum = 0;

		do {
			add(group, member, in.rank, at);
			most = fmax(most, fake_get(&in, at));
		} while (fake_next(inner, in.rank, member));
		do {
			add(group, member, in.rank, at);
			sum += exp(fake_get(&in, at) - most);
		} while (fake_next(inner, in.rank, member));
		do {
			double value;

			add(group, member, in.rank, at);
			value = fake_get(&in, at) - most;
			fake_blend(&out, at, algo == CUDNN_SOFTMAX_LOG ? value - log(sum) : exp(value) / sum, dnn_factor(alpha, &in),
				   dnn_factor(beta, &in));
		} while (fake_next(inner, in.rank, member));
	} while (fake_next(outer, in.rank, group));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
					const void *alpha, const cudnnTensorDescriptor_t yd, const void *y,
					const cudnnTensorDescriptor_t dyd, const void *dy, const void *beta,
					const cudnnTensorDescriptor_t dxd, void *dx)
{
	struct fake_tensor out, dout, din;
	int group[FAKE_RANK] = { 0 }, outer[FAKE_RANK], inner[FAKE_RANK], at[FAKE_RANK];
	cudnnStatus_t status = read_pair(handle, alpha, yd, y, beta, dxd, dx, &out, &din);

	if (!status)
		status = dnn_tensor(dyd, DNN_TENSOR, dy, &dout);
	if (status)
		return status;
	if (!same_shape(&out, &din) || !same_shape(&out, &dout))
		return CUDNN_STATUS_BAD_PARAM;
	split(&out, mode, outer, inner);
	do {
		int member[FAKE_RANK] = { 0 };
		double sum = 0;

		do {
			add(group, member, out.rank, at);
			sum += fake_get(&dout, at) * (algo == CUDNN_SOFTMAX_LOG ? 1 : fake_get(&out, at));
		} while (fake_next(inner, out.rank, member));
		do {
			double value;

			add(group, member, out.rank, at);
			value = algo == CUDNN_SOFTMAX_LOG ? fake_get(&dout, at) - exp(fake_get(&out, at)) * sum :
				fake_get(&out, at) * (fake_get(&dout, at) - sum);
			fake_blend(&din, at, value, dnn_factor(alpha, &out), dnn_factor(beta, &out));
		} while (fake_next(inner, out.rank, member));
	} while (fake_next(outer, out.rank, group));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t descriptor, const void *alpha,
				       const cudnnTensorDescriptor_t xd, const void *x, const void *beta,
				       const cudnnTensorDescriptor_t yd, void *y)
{
	const struct dnn_pooling *own = (const struct dnn_pooling *)descriptor;
	struct fake_tensor in, out;
	cudnnStatus_t status = read_pair(handle, alpha, xd, x, beta, yd, y, &in, &out);

	if (status)
		return status;
	if (!dnn_is(own, DNN_POOLING) || !own->shape.rank)
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_status(fake_pool_forward(&own->shape, &in, &out, dnn_factor(alpha, &in), dnn_factor(beta, &in)));
}

cudnnStatus_t fake_cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t descriptor, const void *alpha,
					const cudnnTensorDescriptor_t yd, const void *y, const cudnnTensorDescriptor_t dyd,
					const void *dy, const cudnnTensorDescriptor_t xd, const void *x, const void *beta,
					const cudnnTensorDescriptor_t dxd, void *dx)
{
	const struct dnn_pooling *own = (const struct dnn_pooling *)descriptor;
	struct fake_tensor in, out, dout, din;
	cudnnStatus_t status = read_pair(handle, alpha, xd, x, beta, yd, y, &in, &out);

	if (!status)
		status = dnn_tensor(dyd, DNN_TENSOR, dy, &dout);
	if (!status)
		status = dnn_tensor(dxd, DNN_TENSOR, dx, &din);
	if (status)
		return status;
	if (!dnn_is(own, DNN_POOLING) || !own->shape.rank || !same_shape(&in, &din) || !same_shape(&out, &dout))
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_status(fake_pool_backward(&own->shape, &in, &dout, &din, dnn_factor(alpha, &in), dnn_factor(beta, &in)));
}

cudnnStatus_t fake_cudnnTransformTensor(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t xd, const void *x,
					const void *beta, const cudnnTensorDescriptor_t yd, void *y)
{
	struct fake_tensor in, out;
	int at[FAKE_RANK] = { 0 };
	cudnnStatus_t status = read_pair(handle, alpha, xd, x, beta, yd, y, &in, &out);

	if (status)
		return status;
	if (!same_shape(&in, &out))
		return CUDNN_STATUS_BAD_PARAM;
	do
		fake_blend(&out, at, fake_get(&in, at), dnn_factor(alpha, &in), dnn_factor(beta, &in));
	while (fake_next(out.dim, out.rank, at));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnAddTensor(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t ad, const void *a,
				  const void *beta, const cudnnTensorDescriptor_t cd, void *c)
{
	struct fake_tensor in, out;
	int at[FAKE_RANK] = { 0 };
	cudnnStatus_t status = read_pair(handle, alpha, ad, a, beta, cd, c, &in, &out);

	if (status)
		return status;
	if (!spreads(&out, &in))
		return CUDNN_STATUS_BAD_PARAM;
	do
		fake_blend(&out, at, fake_get(&in, at), dnn_factor(alpha, &in), dnn_factor(beta, &in));
	while (fake_next(out.dim, out.rank, at));
	return CUDNN_STATUS_SUCCESS;
}

static double operate(cudnnOpTensorOp_t op, double a, double b)
{
	switch (op) {
	case CUDNN_OP_TENSOR_MUL: return a * b;
	case CUDNN_OP_TENSOR_MIN: return fmin(a, b);
	case CUDNN_OP_TENSOR_MAX: return fmax(a, b);
	case CUDNN_OP_TENSOR_SQRT: return sqrt(a);
	case CUDNN_OP_TENSOR_NOT: return 1 - a;
	default: return a + b;
	}
}

cudnnStatus_t fake_cudnnOpTensor(cudnnHandle_t handle, const cudnnOpTensorDescriptor_t descriptor, const void *alpha1,
				 const cudnnTensorDescriptor_t ad, const void *a, const void *alpha2,
				 const cudnnTensorDescriptor_t bd, const void *b, const void *beta,
				 const cudnnTensorDescriptor_t cd, void *c)
{
	const struct dnn_op *own = (const struct dnn_op *)descriptor;
	struct fake_tensor x, y, out;
	int at[FAKE_RANK] = { 0 };
	bool unary;
	cudnnStatus_t status = read_pair(handle, alpha1, ad, a, beta, cd, c, &x, &out);

	if (status)
		return status;
	if (!dnn_is(own, DNN_OP) || !same_shape(&x, &out))
		return CUDNN_STATUS_BAD_PARAM;
	unary = own->op == CUDNN_OP_TENSOR_SQRT || own->op == CUDNN_OP_TENSOR_NOT;
	if (!unary) {
		status = dnn_tensor(bd, DNN_TENSOR, b, &y);
		if (status)
			return status;
		if (!alpha2 || !spreads(&x, &y))
			return CUDNN_STATUS_BAD_PARAM;
	}
	do
		fake_blend(&out, at, operate(own->op, dnn_factor(alpha1, &x) * fake_get(&x, at),
					     unary ? 0 : dnn_factor(alpha2, &x) * fake_get(&y, at)), 1, dnn_factor(beta, &x));
	while (fake_next(out.dim, out.rank, at));
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t fill(cudnnHandle_t handle, const void *yd, void *y, const void *value, bool scale)
{
	struct fake_tensor out;
	int at[FAKE_RANK] = { 0 };
	cudnnStatus_t status = dnn_tensor(yd, DNN_TENSOR, y, &out);

	if (!dnn_is(handle, DNN_HANDLE) || !value)
		return CUDNN_STATUS_BAD_PARAM;
	if (status)
		return status;
	do
		if (scale)
			fake_blend(&out, at, 0, 0, dnn_factor(value, &out));
		else
			fake_blend(&out, at, fake_load(value, out.type, 0).re, 1, 0);
	while (fake_next(out.dim, out.rank, at));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yd, void *y, const void *value)
{
	return fill(handle, yd, y, value, false);
}

cudnnStatus_t fake_cudnnScaleTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yd, void *y, const void *alpha)
{
	return fill(handle, yd, y, alpha, true);
}
