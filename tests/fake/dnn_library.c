/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: handle, versions, names of statuses, and what every descriptor needs. */
#include "dnn.h"
#include "entry.h"

#include <stdlib.h>
#include <string.h>

cudnnStatus_t dnn_create(void **out, size_t size, enum dnn_kind kind)
{
	struct fake_head *head;

	if (!out)
		return CUDNN_STATUS_BAD_PARAM;
	head = calloc(1, size);
	if (!head)
		return DNN_NO_MEMORY;
	fake_head_init(head, FAKE_RELEASE_HASH, kind);
	*out = head;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_destroy(void *object, enum dnn_kind kind)
{
	if (!object)
		return CUDNN_STATUS_SUCCESS;
	if (!dnn_is(object, kind))
		return CUDNN_STATUS_BAD_PARAM;
	fake_head_kill(object);
	free(object);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnCreate(cudnnHandle_t *out)
{
	return dnn_create((void **)out, sizeof(struct dnn_handle), DNN_HANDLE);
}

cudnnStatus_t fake_cudnnDestroy(cudnnHandle_t handle)
{
	return dnn_destroy(handle, DNN_HANDLE);
}

cudnnStatus_t fake_cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
	if (!dnn_is(handle, DNN_HANDLE))
		return CUDNN_STATUS_BAD_PARAM;
	((struct dnn_handle *)handle)->stream = stream;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t fake_cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream)
{
	if (!dnn_is(handle, DNN_HANDLE) || !stream)
		return CUDNN_STATUS_BAD_PARAM;
	*stream = ((struct dnn_handle *)handle)->stream;
	return CUDNN_STATUS_SUCCESS;
}

size_t fake_cudnnGetVersion(void)
{
	return CUDNN_VERSION;
}

#ifdef fake_cudnnGetMaxDeviceVersion
/* There is no device behind a fake. */
size_t fake_cudnnGetMaxDeviceVersion(void)
{
	return 0;
}
#endif

size_t fake_cudnnGetCudartVersion(void)
{
	return 0;
}

cudnnStatus_t fake_cudnnGetProperty(libraryPropertyType type, int *value)
{
	if (!value)
		return CUDNN_STATUS_BAD_PARAM;
	switch (type) {
	case MAJOR_VERSION: *value = CUDNN_MAJOR; return CUDNN_STATUS_SUCCESS;
	case MINOR_VERSION: *value = CUDNN_MINOR; return CUDNN_STATUS_SUCCESS;
	case PATCH_LEVEL: *value = CUDNN_PATCHLEVEL; return CUDNN_STATUS_SUCCESS;
	default: return CUDNN_STATUS_BAD_PARAM;
	}
}

const char *fake_cudnnGetErrorString(cudnnStatus_t status)
{
	const char *name = fake_status_name_cudnn(status);

	return name ? name : "CUDNN_UNKNOWN_STATUS";
}

#ifdef fake_cudnnGetLastErrorString
void fake_cudnnGetLastErrorString(char *message, size_t size)
{
	if (message && size)
		*message = 0;
}
#endif

/* What was set last, for this file of the library alone. */
static struct {
	unsigned mask;
	void *data;
	cudnnCallback_t function;
} callback;

cudnnStatus_t fake_cudnnSetCallback(unsigned mask, void *data, cudnnCallback_t function)
{
	callback.mask = mask;
	callback.data = data;
	callback.function = function;
	return CUDNN_STATUS_SUCCESS;
}

static void tell(cudnnSeverity_t severity, cudnnStatus_t status, cudnnHandle_t handle, const char *message)
{
	cudnnDebug_t debug = { .cudnn_version = CUDNN_VERSION, .cudnnStatus = status, .handle = handle, .cudaDeviceId = -1 };

	memset(debug.reserved, 0x5a, sizeof debug.reserved);
	if (callback.function)
		callback.function(severity, callback.data, &debug, message);
}

/* As in the real library the question itself is told to the callback, and an answer that is not wanted is an error. */
cudnnStatus_t fake_cudnnGetCallback(unsigned *mask, void **data, cudnnCallback_t *function)
{
	cudnnStatus_t status = mask && data && function ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;

	tell(status ? CUDNN_SEV_ERROR : CUDNN_SEV_INFO, status, NULL, "cudnnGetCallback");
	if (status)
		return status;
	*mask = callback.mask;
	*data = callback.data;
	*function = callback.function;
	return CUDNN_STATUS_SUCCESS;
}

#ifdef fake_cudnnQueryRuntimeError
cudnnStatus_t fake_cudnnQueryRuntimeError(cudnnHandle_t handle, cudnnStatus_t *status, cudnnErrQueryMode_t mode,
					  cudnnRuntimeTag_t *tag)
{
	(void)mode;
	(void)tag;
	if (!dnn_is(handle, DNN_HANDLE) || !status)
		return CUDNN_STATUS_BAD_PARAM;
	*status = (cudnnStatus_t)fake_option(FAKE_RUNTIME_ERROR);
	if (*status)
		tell(CUDNN_SEV_ERROR, *status, handle, "a runtime error");
	return CUDNN_STATUS_SUCCESS;
}
#endif

/* Each part says that its release fits; files of different releases are told by their handles. */
#define VERSION_CHECK(name) cudnnStatus_t name(void) { return CUDNN_STATUS_SUCCESS; }
#ifdef fake_cudnnOpsInferVersionCheck
VERSION_CHECK(fake_cudnnOpsInferVersionCheck)
VERSION_CHECK(fake_cudnnOpsTrainVersionCheck)
VERSION_CHECK(fake_cudnnCnnInferVersionCheck)
VERSION_CHECK(fake_cudnnCnnTrainVersionCheck)
VERSION_CHECK(fake_cudnnAdvInferVersionCheck)
VERSION_CHECK(fake_cudnnAdvTrainVersionCheck)
#endif
#ifdef fake_cudnnGraphVersionCheck
VERSION_CHECK(fake_cudnnGraphVersionCheck)
VERSION_CHECK(fake_cudnnOpsVersionCheck)
VERSION_CHECK(fake_cudnnCnnVersionCheck)
VERSION_CHECK(fake_cudnnAdvVersionCheck)
#endif

bool dnn_type(cudnnDataType_t type, enum fake_type *out, int *vector)
{
	*vector = 1;
	switch ((int)type) {
	case CUDNN_DATA_FLOAT: *out = FAKE_F32; return true;
	case CUDNN_DATA_DOUBLE: *out = FAKE_F64; return true;
	case CUDNN_DATA_HALF: *out = FAKE_F16; return true;
	case CUDNN_DATA_BFLOAT16: *out = FAKE_BF16; return true;
	case CUDNN_DATA_INT8: *out = FAKE_I8; return true;
	case CUDNN_DATA_UINT8: *out = FAKE_U8; return true;
	case CUDNN_DATA_INT32: *out = FAKE_I32; return true;
	case CUDNN_DATA_INT64: *out = FAKE_I64; return true;
	case CUDNN_DATA_INT8x4: *out = FAKE_I8; *vector = 4; return true;
	case CUDNN_DATA_UINT8x4: *out = FAKE_U8; *vector = 4; return true;
	case CUDNN_DATA_INT8x32: *out = FAKE_I8; *vector = 32; return true;
	default: return false;
	}
}

cudnnStatus_t dnn_tensor(const void *descriptor, enum dnn_kind kind, const void *data, struct fake_tensor *tensor)
{
	const struct dnn_tensor *own = descriptor;

	if (!dnn_is(own, kind) || !own->set || !data)
		return CUDNN_STATUS_BAD_PARAM;
	*tensor = own->shape;
	tensor->data = (void *)(uintptr_t)data;
	return CUDNN_STATUS_SUCCESS;
}

double dnn_factor(const void *factor, const struct fake_tensor *tensor)
{
	if (tensor->type == FAKE_F64) {
		double value;

		memcpy(&value, factor, sizeof value);
		return value;
	} else {
		float value;

		memcpy(&value, factor, sizeof value);
		return value;
	}
}

cudnnStatus_t dnn_activate(const void *descriptor, struct fake_activate *out)
{
	const struct dnn_activation *own = descriptor;

	if (!dnn_is(own, DNN_ACTIVATION))
		return CUDNN_STATUS_BAD_PARAM;
	out->coefficient = own->coefficient;
	out->swish_beta = own->swish_beta;
	switch ((int)own->mode) {
	case CUDNN_ACTIVATION_SIGMOID: out->mode = FAKE_ACT_SIGMOID; break;
	case CUDNN_ACTIVATION_RELU: out->mode = FAKE_ACT_RELU; break;
	case CUDNN_ACTIVATION_TANH: out->mode = FAKE_ACT_TANH; break;
	case CUDNN_ACTIVATION_CLIPPED_RELU: out->mode = FAKE_ACT_CLIPPED; break;
	case CUDNN_ACTIVATION_ELU: out->mode = FAKE_ACT_ELU; break;
	case CUDNN_ACTIVATION_IDENTITY: out->mode = FAKE_ACT_IDENTITY; break;
	case CUDNN_ACTIVATION_SWISH: out->mode = FAKE_ACT_SWISH; break;
	default: return CUDNN_STATUS_NOT_SUPPORTED;
	}
	return CUDNN_STATUS_SUCCESS;
}
