/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: reduction, and batch normalisation forward (inference and training). */
#include "dnn.h"

#include <math.h>

static bool how_of(cudnnReduceTensorOp_t op, enum fake_reduction *how)
{
	switch ((int)op) {
	case CUDNN_REDUCE_TENSOR_ADD: *how = FAKE_SUM; return true;
	case CUDNN_REDUCE_TENSOR_MUL: *how = FAKE_PRODUCT; return true;
	case CUDNN_REDUCE_TENSOR_MIN: *how = FAKE_MIN; return true;
	case CUDNN_REDUCE_TENSOR_MAX: *how = FAKE_MAX; return true;
	case CUDNN_REDUCE_TENSOR_AMAX: *how = FAKE_AMAX; return true;
	case CUDNN_REDUCE_TENSOR_AVG: *how = FAKE_MEAN; return true;
	case CUDNN_REDUCE_TENSOR_NORM1: *how = FAKE_NORM1; return true;
	case CUDNN_REDUCE_TENSOR_NORM2: *how = FAKE_NORM2; return true;
	case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: *how = FAKE_PRODUCT_NO_ZEROS; return true;
	default: return false;
	}
}

static cudnnStatus_t size_query(cudnnHandle_t handle, const void *descriptor, size_t *size)
{
	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(descriptor, DNN_REDUCE) || !size)
		return CUDNN_STATUS_BAD_PARAM;
	*size = 0;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetReductionIndicesSize(cudnnHandle_t handle, const cudnnReduceTensorDescriptor_t descriptor,
						const cudnnTensorDescriptor_t a, const cudnnTensorDescriptor_t c, size_t *size)
{
	(void)a;
	(void)c;
	return size_query(handle, descriptor, size);
}

cudnnStatus_t fake_cudnnGetReductionWorkspaceSize(cudnnHandle_t handle, const cudnnReduceTensorDescriptor_t descriptor,
						  const cudnnTensorDescriptor_t a, const cudnnTensorDescriptor_t c, size_t *size)
{
	(void)a;
	(void)c;
	return size_query(handle, descriptor, size);
}

cudnnStatus_t fake_cudnnReduceTensor(cudnnHandle_t handle, const cudnnReduceTensorDescriptor_t descriptor, void *indices,
				     size_t indices_size, void *workspace, size_t workspace_size, const void *alpha,
				     const cudnnTensorDescriptor_t ad, const void *a, const void *beta,
				     const cudnnTensorDescriptor_t cd, void *c)
{
	const struct dnn_reduce *own = (const struct dnn_reduce *)descriptor;
	struct fake_tensor in, out;
	enum fake_reduction how;
	cudnnStatus_t status = dnn_tensor(ad, DNN_TENSOR, a, &in);

	(void)indices;
	(void)indices_size;
	(void)workspace;
	(void)workspace_size;
	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(own, DNN_REDUCE) || !alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	if (!status)
		status = dnn_tensor(cd, DNN_TENSOR, c, &out);
	if (status)
		return status;
	if (own->indices != CUDNN_REDUCE_TENSOR_NO_INDICES || !how_of(own->op, &how))
		return CUDNN_STATUS_NOT_SUPPORTED;
	return dnn_status(fake_reduce(how, &in, &out, dnn_factor(alpha, &in), dnn_factor(beta, &in)));
}

/* The parameters of a normalisation share one descriptor. */
static cudnnStatus_t read_parameters(const void *descriptor, const void *const *data, struct fake_tensor *out, int count)
{
	cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

	for (int i = 0; !status && i < count; i++)
		status = dnn_tensor(descriptor, DNN_TENSOR, data[i], &out[i]);
	return status;
}

static void normalise(const struct fake_tensor *x, const struct fake_tensor *y, const struct fake_tensor *p, double epsilon,
		      double alpha, double beta)
{
	int at[FAKE_RANK] = { 0 };

	do {
		double value = (fake_get(x, at) - fake_get(&p[2], at)) / sqrt(fake_get(&p[3], at) + epsilon);

		fake_blend(y, at, value * fake_get(&p[0], at) + fake_get(&p[1], at), alpha, beta);
	} while (fake_next(x->dim, x->rank, at));
}

cudnnStatus_t fake_cudnnBatchNormalizationForwardInference(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
							   const void *beta, const cudnnTensorDescriptor_t xd, const void *x,
							   const cudnnTensorDescriptor_t yd, void *y,
							   const cudnnTensorDescriptor_t pd, const void *scale, const void *bias,
							   const void *mean, const void *variance, double epsilon)
{
	const void *data[] = { scale, bias, mean, variance };
	struct fake_tensor in, out, parameters[4];
	cudnnStatus_t status = dnn_tensor(xd, DNN_TENSOR, x, &in);

	(void)mode;	/* the parameters' shape says it */
	if (!dnn_is(handle, DNN_HANDLE) || !alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	if (!status)
		status = dnn_tensor(yd, DNN_TENSOR, y, &out);
	if (!status)
		status = read_parameters(pd, data, parameters, 4);
	if (status)
		return status;
	if (in.rank != out.rank || in.rank != parameters[0].rank)
		return CUDNN_STATUS_BAD_PARAM;
	normalise(&in, &out, parameters, epsilon, dnn_factor(alpha, &in), dnn_factor(beta, &in));
	return CUDNN_STATUS_SUCCESS;
}

/* Mean and variance of X for each position of P, over what P does not have. */
static void moments(const struct fake_tensor *x, const struct fake_tensor *p, const int *at, double *mean, double *variance,
		    double *count)
{
	int inner[FAKE_RANK], in[FAKE_RANK] = { 0 }, from[FAKE_RANK];
	double sum = 0, squares = 0, n = 0;

	for (int i = 0; i < x->rank; i++)
		inner[i] = p->dim[i] == 1 ? x->dim[i] : 1;
	do {
		for (int i = 0; i < x->rank; i++)
			from[i] = at[i] + in[i];
		sum += fake_get(x, from);
		n++;
	} while (fake_next(inner, x->rank, in));
	do {
		for (int i = 0; i < x->rank; i++)
			from[i] = at[i] + in[i];
		squares += (fake_get(x, from) - sum / n) * (fake_get(x, from) - sum / n);
	} while (fake_next(inner, x->rank, in));
	*mean = sum / n;
	*variance = squares / n;
	*count = n;
}

cudnnStatus_t fake_cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
							  const void *beta, const cudnnTensorDescriptor_t xd, const void *x,
							  const cudnnTensorDescriptor_t yd, void *y,
							  const cudnnTensorDescriptor_t pd, const void *scale, const void *bias,
							  double factor, void *running_mean, void *running_variance,
							  double epsilon, void *saved_mean, void *saved_inverse)
{
	const void *data[] = { scale, bias };
	struct fake_tensor in, out, parameters[2], other;
	int at[FAKE_RANK] = { 0 };
	cudnnStatus_t status = dnn_tensor(xd, DNN_TENSOR, x, &in);

	(void)mode;
	if (!dnn_is(handle, DNN_HANDLE) || !alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	if (!status)
		status = dnn_tensor(yd, DNN_TENSOR, y, &out);
	if (!status)
		status = read_parameters(pd, data, parameters, 2);
	if (status)
		return status;
	if (in.rank != out.rank || in.rank != parameters[0].rank)
		return CUDNN_STATUS_BAD_PARAM;
	other = parameters[0];
	do {
		int inner[FAKE_RANK], step[FAKE_RANK] = { 0 }, from[FAKE_RANK];
		double mean, variance, count, inverse;

		moments(&in, &other, at, &mean, &variance, &count);
		inverse = 1 / sqrt(variance + epsilon);
		for (int i = 0; i < in.rank; i++)
			inner[i] = other.dim[i] == 1 ? in.dim[i] : 1;
		do {
			for (int i = 0; i < in.rank; i++)
				from[i] = at[i] + step[i];
			fake_blend(&out, from, (fake_get(&in, from) - mean) * inverse * fake_get(&parameters[0], at) +
				   fake_get(&parameters[1], at), dnn_factor(alpha, &in), dnn_factor(beta, &in));
		} while (fake_next(inner, in.rank, step));
		/* The running variance is the unbiased one; what is saved for the gradient is not. */
		other.data = running_mean;
		if (running_mean)
			fake_blend(&other, at, mean, factor, 1 - factor);
		other.data = running_variance;
		if (running_variance)
			fake_blend(&other, at, count > 1 ? variance * count / (count - 1) : variance, factor, 1 - factor);
		other.data = saved_mean;
		if (saved_mean)
			fake_blend(&other, at, mean, 1, 0);
		other.data = saved_inverse;
		if (saved_inverse)
			fake_blend(&other, at, inverse, 1, 0);
	} while (fake_next(other.dim, other.rank, at));
	return CUDNN_STATUS_SUCCESS;
}
