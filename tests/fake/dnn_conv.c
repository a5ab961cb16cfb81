/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: convolution forward, fused with bias and activation, and its gradients. */
#include "dnn.h"

size_t dnn_workspace(int algo);

/* Reads the three tensors and checks what all directions share. */
static cudnnStatus_t begin(cudnnHandle_t handle, const void *descriptor, const void *workspace, size_t size, int algo, int algos,
			   const struct dnn_convolution **convolution)
{
	*convolution = descriptor;
	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(descriptor, DNN_CONVOLUTION) || !(*convolution)->set || algo < 0 || algo >= algos)
		return CUDNN_STATUS_BAD_PARAM;
	if (dnn_workspace(algo) && (!workspace || size < dnn_workspace(algo)))
		return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t xd,
					   const void *x, const cudnnFilterDescriptor_t wd, const void *w,
					   const cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionFwdAlgo_t algo,
					   void *workspace, size_t size, const void *beta, const cudnnTensorDescriptor_t yd, void *y)
{
	const struct dnn_convolution *own;
	struct fake_tensor in, filter, out;
	cudnnStatus_t status = begin(handle, descriptor, workspace, size, (int)algo, CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &own);

	if (!status)
		status = dnn_tensor(xd, DNN_TENSOR, x, &in);
	if (!status)
		status = dnn_tensor(wd, DNN_FILTER, w, &filter);
	if (!status)
		status = dnn_tensor(yd, DNN_TENSOR, y, &out);
	if (status)
		return status;
	if (!alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_status(fake_convolve(&own->shape, &in, &filter, &out, dnn_factor(alpha, &in), dnn_factor(beta, &in), NULL, 0, NULL,
					NULL));
}

/* Since the statuses have finer codes, the real library fuses with nothing but identity and ReLU. */
static bool fusable(const struct fake_activate *activate)
{
#ifdef CUDNN_STATUS_NOT_SUPPORTED_SHAPE
	return activate->mode == FAKE_ACT_IDENTITY || activate->mode == FAKE_ACT_RELU;
#else
	(void)activate;
	return true;
#endif
}

cudnnStatus_t fake_cudnnConvolutionBiasActivationForward(cudnnHandle_t handle, const void *alpha1,
							 const cudnnTensorDescriptor_t xd, const void *x,
							 const cudnnFilterDescriptor_t wd, const void *w,
							 const cudnnConvolutionDescriptor_t descriptor,
							 cudnnConvolutionFwdAlgo_t algo, void *workspace, size_t size,
							 const void *alpha2, const cudnnTensorDescriptor_t zd, const void *z,
							 const cudnnTensorDescriptor_t bd, const void *b,
							 const cudnnActivationDescriptor_t ad, const cudnnTensorDescriptor_t yd,
							 void *y)
{
	const struct dnn_convolution *own;
	struct fake_tensor in, filter, out, addend, bias;
	struct fake_activate activate;
	cudnnStatus_t status = begin(handle, descriptor, workspace, size, (int)algo, CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &own);

	if (!status)
		status = dnn_tensor(xd, DNN_TENSOR, x, &in);
	if (!status)
		status = dnn_tensor(wd, DNN_FILTER, w, &filter);
	if (!status)
		status = dnn_tensor(yd, DNN_TENSOR, y, &out);
	if (!status)
		status = dnn_tensor(zd, DNN_TENSOR, z, &addend);
	if (!status)
		status = dnn_tensor(bd, DNN_TENSOR, b, &bias);
	if (!status)
		status = dnn_activate(ad, &activate);
	if (status)
		return status;
	if (!alpha1 || !alpha2 || bias.dim[1] != out.dim[1])
		return CUDNN_STATUS_BAD_PARAM;
	if (!fusable(&activate))
		return CUDNN_STATUS_NOT_SUPPORTED;
	return dnn_status(fake_convolve(&own->shape, &in, &filter, &out, dnn_factor(alpha1, &in), 0, &addend, dnn_factor(alpha2, &in),
					&bias, &activate));
}

cudnnStatus_t fake_cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha, const cudnnFilterDescriptor_t wd,
						const void *w, const cudnnTensorDescriptor_t dyd, const void *dy,
						const cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionBwdDataAlgo_t algo,
						void *workspace, size_t size, const void *beta, const cudnnTensorDescriptor_t dxd,
						void *dx)
{
	const struct dnn_convolution *own;
	struct fake_tensor in, filter, out;
	cudnnStatus_t status = begin(handle, descriptor, workspace, size, (int)algo, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT, &own);

	if (!status)
		status = dnn_tensor(dxd, DNN_TENSOR, dx, &in);
	if (!status)
		status = dnn_tensor(wd, DNN_FILTER, w, &filter);
	if (!status)
		status = dnn_tensor(dyd, DNN_TENSOR, dy, &out);
	if (status)
		return status;
	if (!alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_status(fake_convolve_data(&own->shape, &filter, &out, &in, dnn_factor(alpha, &in), dnn_factor(beta, &in)));
}

cudnnStatus_t fake_cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t xd,
						  const void *x, const cudnnTensorDescriptor_t dyd, const void *dy,
						  const cudnnConvolutionDescriptor_t descriptor,
						  cudnnConvolutionBwdFilterAlgo_t algo, void *workspace, size_t size,
						  const void *beta, const cudnnFilterDescriptor_t dwd, void *dw)
{
	const struct dnn_convolution *own;
	struct fake_tensor in, filter, out;
	cudnnStatus_t status = begin(handle, descriptor, workspace, size, (int)algo, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT, &own);

	if (!status)
		status = dnn_tensor(xd, DNN_TENSOR, x, &in);
	if (!status)
		status = dnn_tensor(dwd, DNN_FILTER, dw, &filter);
	if (!status)
		status = dnn_tensor(dyd, DNN_TENSOR, dy, &out);
	if (status)
		return status;
	if (!alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	return dnn_status(fake_convolve_filter(&own->shape, &in, &out, &filter, dnn_factor(alpha, &in), dnn_factor(beta, &in)));
}

cudnnStatus_t fake_cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t dyd,
						const void *dy, const void *beta, const cudnnTensorDescriptor_t dbd, void *db)
{
	struct fake_tensor out, bias;
	cudnnStatus_t status = dnn_tensor(dyd, DNN_TENSOR, dy, &out);

	if (!dnn_is(handle, DNN_HANDLE) || !alpha || !beta)
		return CUDNN_STATUS_BAD_PARAM;
	if (!status)
		status = dnn_tensor(dbd, DNN_TENSOR, db, &bias);
	if (status)
		return status;
	return dnn_status(fake_reduce(FAKE_SUM, &out, &bias, dnn_factor(alpha, &out), dnn_factor(beta, &out)));
}
