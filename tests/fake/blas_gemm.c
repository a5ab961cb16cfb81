/* SPDX-License-Identifier: Apache-2.0 */
/* cublas: the gemm functions of each element type, with 32 and, where the release has them, 64 bit integers. */
#include "blas.h"

#define STRIDE long long int

#define INT int

#define GEMM fake_cublasSgemm_v2
#define BATCHED fake_cublasSgemmBatched
#define STRIDED fake_cublasSgemmStridedBatched
#define TYPE float
#define ELEMENT FAKE_F32
#include "blas_gemm_typed.h"

#define GEMM fake_cublasDgemm_v2
#define BATCHED fake_cublasDgemmBatched
#define STRIDED fake_cublasDgemmStridedBatched
#define TYPE double
#define ELEMENT FAKE_F64
#include "blas_gemm_typed.h"

#define GEMM fake_cublasCgemm_v2
#define BATCHED fake_cublasCgemmBatched
#define STRIDED fake_cublasCgemmStridedBatched
#define TYPE cuComplex
#define ELEMENT FAKE_C32
#include "blas_gemm_typed.h"

#define GEMM fake_cublasZgemm_v2
#define BATCHED fake_cublasZgemmBatched
#define STRIDED fake_cublasZgemmStridedBatched
#define TYPE cuDoubleComplex
#define ELEMENT FAKE_C64
#include "blas_gemm_typed.h"

#define GEMM fake_cublasHgemm
#define BATCHED fake_cublasHgemmBatched
#define STRIDED fake_cublasHgemmStridedBatched
#define TYPE __half
#define ELEMENT FAKE_F16
#include "blas_gemm_typed.h"

#undef INT

#ifdef fake_cublasSgemm_v2_64

#define INT int64_t

#define GEMM fake_cublasSgemm_v2_64
#define BATCHED fake_cublasSgemmBatched_64
#define STRIDED fake_cublasSgemmStridedBatched_64
#define TYPE float
#define ELEMENT FAKE_F32
#include "blas_gemm_typed.h"

#define GEMM fake_cublasDgemm_v2_64
#define BATCHED fake_cublasDgemmBatched_64
#define STRIDED fake_cublasDgemmStridedBatched_64
#define TYPE double
#define ELEMENT FAKE_F64
#include "blas_gemm_typed.h"

#define GEMM fake_cublasCgemm_v2_64
#define BATCHED fake_cublasCgemmBatched_64
#define STRIDED fake_cublasCgemmStridedBatched_64
#define TYPE cuComplex
#define ELEMENT FAKE_C32
#include "blas_gemm_typed.h"

#define GEMM fake_cublasZgemm_v2_64
#define BATCHED fake_cublasZgemmBatched_64
#define STRIDED fake_cublasZgemmStridedBatched_64
#define TYPE cuDoubleComplex
#define ELEMENT FAKE_C64
#include "blas_gemm_typed.h"

#define GEMM fake_cublasHgemm_64
#define BATCHED fake_cublasHgemmBatched_64
#define STRIDED fake_cublasHgemmStridedBatched_64
#define TYPE __half
#define ELEMENT FAKE_F16
#include "blas_gemm_typed.h"

#undef INT

#endif
