/* SPDX-License-Identifier: Apache-2.0 */
/* cublas: mixed-type and grouped products, with 32 and, where the release has them, 64 bit integers. */
#include "blas.h"

#define STRIDE long long int
#define INT int
#define NAME(base) fake_##base
#include "blas_gemm_ex.h"
#ifdef fake_cublasGemmGroupedBatchedEx
#include "blas_grouped_ex.h"
#endif
#ifdef fake_cublasSgemmGroupedBatched
#define GROUPED fake_cublasSgemmGroupedBatched
#define TYPE float
#define ELEMENT FAKE_F32
#include "blas_grouped.h"
#define GROUPED fake_cublasDgemmGroupedBatched
#define TYPE double
#define ELEMENT FAKE_F64
#include "blas_grouped.h"
#endif
#undef INT
#undef NAME

#ifdef fake_cublasGemmEx_64
#define INT int64_t
#define NAME(base) fake_##base##_64
#include "blas_gemm_ex.h"
#ifdef fake_cublasGemmGroupedBatchedEx_64
#include "blas_grouped_ex.h"
#endif
#ifdef fake_cublasSgemmGroupedBatched_64
#define GROUPED fake_cublasSgemmGroupedBatched_64
#define TYPE float
#define ELEMENT FAKE_F32
#include "blas_grouped.h"
#define GROUPED fake_cublasDgemmGroupedBatched_64
#define TYPE double
#define ELEMENT FAKE_F64
#include "blas_grouped.h"
#endif
#endif
