/* SPDX-License-Identifier: Apache-2.0 */
/* cublas: handle, modes, versions, names of statuses, copies between `host` and `device`, which here are one. */
#include "blas.h"

#include <stdlib.h>
#include <string.h>

struct blas_handle *blas_handle(cublasHandle_t handle)
{
	struct blas_handle *own = (struct blas_handle *)handle;

	if (!fake_head_is(own, FAKE_RELEASE_HASH, BLAS_KIND_HANDLE) || own->owner != BLAS_OWNER)
		return NULL;
	return own;
}

cublasStatus_t fake_cublasCreate_v2(cublasHandle_t *out)
{
	struct blas_handle *handle;

	if (!out)
		return CUBLAS_STATUS_INVALID_VALUE;
	handle = calloc(1, sizeof *handle);
	if (!handle)
		return CUBLAS_STATUS_ALLOC_FAILED;
	fake_head_init(&handle->head, FAKE_RELEASE_HASH, BLAS_KIND_HANDLE);
	handle->owner = BLAS_OWNER;
	handle->pointer_mode = CUBLAS_POINTER_MODE_HOST;
	handle->atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
	handle->math = CUBLAS_DEFAULT_MATH;
#ifdef fake_cublasSetEmulationSpecialValuesSupport
	handle->special = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
#endif
	*out = (cublasHandle_t)handle;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasDestroy_v2(cublasHandle_t handle)
{
	if (!blas_handle(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	fake_head_kill(handle);
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	(void)handle;	/* the real one answers without a handle, too */
	if (!version)
		return CUBLAS_STATUS_INVALID_VALUE;
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasGetProperty(libraryPropertyType type, int *value)
{
	if (!value)
		return CUBLAS_STATUS_INVALID_VALUE;
	switch (type) {
	case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; return CUBLAS_STATUS_SUCCESS;
	case MINOR_VERSION: *value = CUBLAS_VER_MINOR; return CUBLAS_STATUS_SUCCESS;
	case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; return CUBLAS_STATUS_SUCCESS;
	default: return CUBLAS_STATUS_INVALID_VALUE;
	}
}

/* As in lt_library.c. */
size_t fake_cublasGetCudartVersion(void)
{
	return CUBLAS_VER_MAJOR * 1000;
}

const char *fake_cublasGetStatusName(cublasStatus_t status)
{
	return fake_status_name_cublas(status);
}

const char *fake_cublasGetStatusString(cublasStatus_t status)
{
	return fake_status_name_cublas(status);
}

/* Each setting of the handle has the same two functions around one member. */
#define SETTING(set, get, type, member) \
	cublasStatus_t set(cublasHandle_t handle, type value) \
	{ \
		struct blas_handle *own = blas_handle(handle); \
\
		if (!own) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		own->member = value; \
		return CUBLAS_STATUS_SUCCESS; \
	} \
\
	cublasStatus_t get(cublasHandle_t handle, type *value) \
	{ \
		struct blas_handle *own = blas_handle(handle); \
\
		if (!own) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		if (!value) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		*value = own->member; \
		return CUBLAS_STATUS_SUCCESS; \
	}

SETTING(fake_cublasSetStream_v2, fake_cublasGetStream_v2, cudaStream_t, stream)
SETTING(fake_cublasSetPointerMode_v2, fake_cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode)
SETTING(fake_cublasSetAtomicsMode, fake_cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(fake_cublasSetMathMode, fake_cublasGetMathMode, cublasMath_t, math)
SETTING(fake_cublasSetSmCountTarget, fake_cublasGetSmCountTarget, int, sm_count)
#ifdef fake_cublasSetEmulationStrategy
SETTING(fake_cublasSetEmulationStrategy, fake_cublasGetEmulationStrategy, cublasEmulationStrategy_t, strategy)
#endif
#ifdef fake_cublasSetEmulationSpecialValuesSupport
SETTING(fake_cublasSetEmulationSpecialValuesSupport, fake_cublasGetEmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, special)
SETTING(fake_cublasSetFixedPointEmulationMantissaControl, fake_cublasGetFixedPointEmulationMantissaControl, cudaEmulationMantissaControl, control)
SETTING(fake_cublasSetFixedPointEmulationMaxMantissaBitCount, fake_cublasGetFixedPointEmulationMaxMantissaBitCount, int, most_bits)
SETTING(fake_cublasSetFixedPointEmulationMantissaBitOffset, fake_cublasGetFixedPointEmulationMantissaBitOffset, int, bit_offset)
SETTING(fake_cublasSetFixedPointEmulationMantissaBitCountPointer, fake_cublasGetFixedPointEmulationMantissaBitCountPointer, int *, bit_count)
#endif

cublasStatus_t fake_cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size)
{
	struct blas_handle *own = blas_handle(handle);

	if (!own)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if ((uintptr_t)workspace % 256)
		return CUBLAS_STATUS_INVALID_VALUE;
	own->workspace = workspace;
	own->workspace_size = size;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLoggerConfigure(int on, int out, int error, const char *name)
{
	(void)on;
	(void)out;
	(void)error;
	(void)name;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t copy_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy)
{
	if (n < 0 || size <= 0 || incx <= 0 || incy <= 0 || (n && (!x || !y)))
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int64_t i = 0; i < n; i++)
		memcpy((char *)y + i * incy * size, (const char *)x + i * incx * size, (size_t)size);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t copy_matrix(int64_t rows, int64_t cols, int64_t size, const void *a, int64_t lda, void *b, int64_t ldb)
{
	if (rows < 0 || cols < 0 || size <= 0 || lda < rows || ldb < rows || (rows && cols && (!a || !b)))
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int64_t j = 0; j < cols; j++)
		memcpy((char *)b + j * ldb * size, (const char *)a + j * lda * size, (size_t)(rows * size));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy)
{
	return copy_vector(n, size, x, incx, y, incy);
}

cublasStatus_t fake_cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy)
{
	return copy_vector(n, size, x, incx, y, incy);
}

cublasStatus_t fake_cublasSetMatrix(int rows, int cols, int size, const void *a, int lda, void *b, int ldb)
{
	return copy_matrix(rows, cols, size, a, lda, b, ldb);
}

cublasStatus_t fake_cublasGetMatrix(int rows, int cols, int size, const void *a, int lda, void *b, int ldb)
{
	return copy_matrix(rows, cols, size, a, lda, b, ldb);
}

cublasStatus_t fake_cublasSetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t stream)
{
	(void)stream;
	return copy_vector(n, size, x, incx, y, incy);
}

cublasStatus_t fake_cublasGetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t stream)
{
	(void)stream;
	return copy_vector(n, size, x, incx, y, incy);
}

cublasStatus_t fake_cublasSetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *b, int ldb,
					 cudaStream_t stream)
{
	(void)stream;
	return copy_matrix(rows, cols, size, a, lda, b, ldb);
}

cublasStatus_t fake_cublasGetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *b, int ldb,
					 cudaStream_t stream)
{
	(void)stream;
	return copy_matrix(rows, cols, size, a, lda, b, ldb);
}
