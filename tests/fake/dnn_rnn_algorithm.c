/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn 8: algorithm descriptors, their performances, and the search for RNN algorithms, which always finds the descriptor's own. */
#include "dnn_rnn.h"

#include <string.h>

#ifdef fake_cudnnCreateAlgorithmDescriptor

struct dnn_algorithm {
	struct fake_head head;
	cudnnAlgorithm_t algorithm;
};

struct dnn_performance {
	struct fake_head head;
	cudnnAlgorithmDescriptor_t algorithm, own;
	cudnnStatus_t status;
	float time;
	size_t memory;
};

enum { SAVED = 72 };	/* bytes, in 8.9.7 */

cudnnStatus_t fake_cudnnCreateAlgorithmDescriptor(cudnnAlgorithmDescriptor_t *out)
{
	return dnn_create((void **)out, sizeof(struct dnn_algorithm), DNN_ALGORITHM);
}

cudnnStatus_t fake_cudnnDestroyAlgorithmDescriptor(cudnnAlgorithmDescriptor_t descriptor)
{
	return dnn_destroy(descriptor, DNN_ALGORITHM);
}

cudnnStatus_t fake_cudnnSetAlgorithmDescriptor(cudnnAlgorithmDescriptor_t descriptor, cudnnAlgorithm_t algorithm)
{
	if (!dnn_is(descriptor, DNN_ALGORITHM))
		return CUDNN_STATUS_BAD_PARAM;
	((struct dnn_algorithm *)descriptor)->algorithm = algorithm;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetAlgorithmDescriptor(const cudnnAlgorithmDescriptor_t descriptor, cudnnAlgorithm_t *algorithm)
{
	if (!dnn_is(descriptor, DNN_ALGORITHM) || !algorithm)
		return CUDNN_STATUS_BAD_PARAM;
	*algorithm = ((struct dnn_algorithm *)descriptor)->algorithm;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnCopyAlgorithmDescriptor(const cudnnAlgorithmDescriptor_t from, cudnnAlgorithmDescriptor_t to)
{
	if (!dnn_is(from, DNN_ALGORITHM) || !dnn_is(to, DNN_ALGORITHM))
		return CUDNN_STATUS_BAD_PARAM;
	((struct dnn_algorithm *)to)->algorithm = ((struct dnn_algorithm *)from)->algorithm;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetAlgorithmSpaceSize(cudnnHandle_t handle, cudnnAlgorithmDescriptor_t descriptor, size_t *size)
{
	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(descriptor, DNN_ALGORITHM) || !size)
		return CUDNN_STATUS_BAD_PARAM;
	*size = SAVED;
	return CUDNN_STATUS_SUCCESS;
}

static int build_number(void)
{
	const char *build = strrchr(FAKE_RELEASE, '.');
	int number = 0;

	for (; build && *++build;)
		number = number * 10 + *build - '0';
	return number;
}

cudnnStatus_t fake_cudnnSaveAlgorithm(cudnnHandle_t handle, cudnnAlgorithmDescriptor_t descriptor, void *space, size_t size)
{
	int words[3] = { CUDNN_VERSION, build_number(), 0 };

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(descriptor, DNN_ALGORITHM) || !space || size < SAVED)
		return CUDNN_STATUS_BAD_PARAM;
	memset(space, 0, SAVED);
	memcpy(space, words, sizeof words);
	memcpy((char *)space + sizeof words, &((struct dnn_algorithm *)descriptor)->algorithm, sizeof(cudnnAlgorithm_t));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnRestoreAlgorithm(cudnnHandle_t handle, void *space, size_t size, cudnnAlgorithmDescriptor_t descriptor)
{
	int words[3];

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(descriptor, DNN_ALGORITHM) || !space || size < SAVED)
		return CUDNN_STATUS_BAD_PARAM;
	memcpy(words, space, sizeof words);
	if (words[0] != CUDNN_VERSION || words[1] != build_number())
		return CUDNN_STATUS_BAD_PARAM;
	if (words[2])
		return CUDNN_STATUS_NOT_SUPPORTED;
	memcpy(&((struct dnn_algorithm *)descriptor)->algorithm, (char *)space + 3 * sizeof(int), sizeof(cudnnAlgorithm_t));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnCreateAlgorithmPerformance(cudnnAlgorithmPerformance_t *out, int count)
{
	for (int i = 0; i < count; i++) {
		struct dnn_performance *own;
		cudnnStatus_t status = dnn_create((void **)&out[i], sizeof *own, DNN_PERFORMANCE);

		if (status)
			return status;
		own = (struct dnn_performance *)out[i];
		fake_cudnnCreateAlgorithmDescriptor(&own->own);
		own->algorithm = own->own;
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnDestroyAlgorithmPerformance(cudnnAlgorithmPerformance_t *out, int count)
{
	for (int i = 0; i < count; i++) {
		if (dnn_is(out[i], DNN_PERFORMANCE))
			fake_cudnnDestroyAlgorithmDescriptor(((struct dnn_performance *)out[i])->own);
		dnn_destroy(out[i], DNN_PERFORMANCE);
		out[i] = NULL;
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetAlgorithmPerformance(cudnnAlgorithmPerformance_t performance, cudnnAlgorithmDescriptor_t algorithm,
						cudnnStatus_t status, float time, size_t memory)
{
	struct dnn_performance *own = (struct dnn_performance *)performance;

	if (!dnn_is(own, DNN_PERFORMANCE))
		return CUDNN_STATUS_BAD_PARAM;
	own->algorithm = algorithm;
	own->status = status;
	own->time = time;
	own->memory = memory;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetAlgorithmPerformance(const cudnnAlgorithmPerformance_t performance, cudnnAlgorithmDescriptor_t *algorithm,
						cudnnStatus_t *status, float *time, size_t *memory)
{
	const struct dnn_performance *own = (struct dnn_performance *)performance;

	if (!dnn_is(own, DNN_PERFORMANCE) || !algorithm || !status || !time || !memory)
		return CUDNN_STATUS_BAD_PARAM;
	*algorithm = own->algorithm;
	*status = own->status;
	*time = own->time;
	*memory = own->memory;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnSetRNNAlgorithmDescriptor(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnAlgorithmDescriptor_t algorithm)
{
	struct dnn_rnn *own = (struct dnn_rnn *)descriptor, next;
	cudnnStatus_t status;

	if (!dnn_is(handle, DNN_HANDLE) || !dnn_is(own, DNN_RNN) || !dnn_is(algorithm, DNN_ALGORITHM))
		return CUDNN_STATUS_BAD_PARAM;
	next = *own;
	memcpy(&next.algo, &((struct dnn_algorithm *)algorithm)->algorithm, sizeof next.algo);
	status = dnn_rnn_check(&next);
	if (!status)
		*own = next;
	return status;
}

#define COUNT(name) \
	cudnnStatus_t name(cudnnHandle_t handle, const cudnnRNNDescriptor_t descriptor, int *count) \
	{ \
		if (!dnn_is(descriptor, DNN_RNN) || !count) \
			return CUDNN_STATUS_BAD_PARAM; \
		*count = 1; \
		return CUDNN_STATUS_SUCCESS; \
	}
COUNT(fake_cudnnGetRNNForwardInferenceAlgorithmMaxCount)
COUNT(fake_cudnnGetRNNForwardTrainingAlgorithmMaxCount)
COUNT(fake_cudnnGetRNNBackwardDataAlgorithmMaxCount)
COUNT(fake_cudnnGetRNNBackwardWeightsAlgorithmMaxCount)

/* One result: what became of the call. */
static cudnnStatus_t found(cudnnRNNDescriptor_t descriptor, cudnnStatus_t status, size_t memory, int requested, int *returned,
			   cudnnAlgorithmPerformance_t *results)
{
	struct dnn_performance *own;

	if (requested < 1 || !returned || !results || !dnn_is(results[0], DNN_PERFORMANCE) || status == CUDNN_STATUS_BAD_PARAM)
		return CUDNN_STATUS_BAD_PARAM;
	own = (struct dnn_performance *)results[0];
	memcpy(&((struct dnn_algorithm *)own->own)->algorithm, &((struct dnn_rnn *)descriptor)->algo, sizeof(cudnnRNNAlgo_t));
	own->algorithm = own->own;
	own->status = status;
	own->time = status ? -1 : 0;
	own->memory = memory;
	*returned = 1;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnFindRNNForwardInferenceAlgorithmEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t d, const int n,
							   const cudnnTensorDescriptor_t *xd, const void *x, const cudnnTensorDescriptor_t hxd,
							   const void *hx, const cudnnTensorDescriptor_t cxd, const void *cx,
							   const cudnnFilterDescriptor_t wd, const void *w, const cudnnTensorDescriptor_t *yd,
							   void *y, const cudnnTensorDescriptor_t hyd, void *hy, const cudnnTensorDescriptor_t cyd,
							   void *cy, const float intensity, const int requested, int *returned,
							   cudnnAlgorithmPerformance_t *results, void *work, size_t work_size)
{
	return found(d, fake_cudnnRNNForwardInference(handle, d, n, xd, x, hxd, hx, cxd, cx, wd, w, yd, y, hyd, hy, cyd, cy, work, work_size),
		     work_size, requested, returned, results);
}

cudnnStatus_t fake_cudnnFindRNNForwardTrainingAlgorithmEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t d, const int n,
							  const cudnnTensorDescriptor_t *xd, const void *x, const cudnnTensorDescriptor_t hxd,
							  const void *hx, const cudnnTensorDescriptor_t cxd, const void *cx,
							  const cudnnFilterDescriptor_t wd, const void *w, const cudnnTensorDescriptor_t *yd,
							  void *y, const cudnnTensorDescriptor_t hyd, void *hy, const cudnnTensorDescriptor_t cyd,
							  void *cy, const float intensity, const int requested, int *returned,
							  cudnnAlgorithmPerformance_t *results, void *work, size_t work_size, void *reserve,
							  size_t reserve_size)
{
	return found(d, fake_cudnnRNNForwardTraining(handle, d, n, xd, x, hxd, hx, cxd, cx, wd, w, yd, y, hyd, hy, cyd, cy, work, work_size, reserve,
						     reserve_size), work_size, requested, returned, results);
}

cudnnStatus_t fake_cudnnFindRNNBackwardDataAlgorithmEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t d, const int n,
						       const cudnnTensorDescriptor_t *yd, const void *y, const cudnnTensorDescriptor_t *dyd,
						       const void *dy, const cudnnTensorDescriptor_t dhyd, const void *dhy,
						       const cudnnTensorDescriptor_t dcyd, const void *dcy, const cudnnFilterDescriptor_t wd,
						       const void *w, const cudnnTensorDescriptor_t hxd, const void *hx,
						       const cudnnTensorDescriptor_t cxd, const void *cx, const cudnnTensorDescriptor_t *dxd, void *dx,
						       const cudnnTensorDescriptor_t dhxd, void *dhx, const cudnnTensorDescriptor_t dcxd, void *dcx,
						       const float intensity, const int requested, int *returned,
						       cudnnAlgorithmPerformance_t *results, void *work, size_t work_size, void *reserve,
						       size_t reserve_size)
{
	return found(d, fake_cudnnRNNBackwardData(handle, d, n, yd, y, dyd, dy, dhyd, dhy, dcyd, dcy, wd, w, hxd, hx, cxd, cx, dxd, dx, dhxd, dhx, dcxd,
						  dcx, work, work_size, reserve, reserve_size), work_size, requested, returned, results);
}

cudnnStatus_t fake_cudnnFindRNNBackwardWeightsAlgorithmEx(cudnnHandle_t handle, const cudnnRNNDescriptor_t d, const int n,
							  const cudnnTensorDescriptor_t *xd, const void *x, const cudnnTensorDescriptor_t hxd,
							  const void *hx, const cudnnTensorDescriptor_t *yd, const void *y, const float intensity,
							  const int requested, int *returned, cudnnAlgorithmPerformance_t *results,
							  const void *work, size_t work_size, const cudnnFilterDescriptor_t dwd, void *dw,
							  const void *reserve, size_t reserve_size)
{
	return found(d, fake_cudnnRNNBackwardWeights(handle, d, n, xd, x, hxd, hx, yd, y, work, work_size, dwd, dw, reserve, reserve_size), work_size,
		     requested, returned, results);
}

#endif
