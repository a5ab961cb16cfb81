/* SPDX-License-Identifier: Apache-2.0 */
/* The element type behind a cudaDataType_t. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include "fake_api.h"
#include "number.h"

/* False for a type that the fake libraries do not compute with. */
static inline bool fake_cuda_type(int type, enum fake_type *out)
{
	switch (type) {
	case CUDA_R_64F: *out = FAKE_F64; return true;
	case CUDA_R_32F: *out = FAKE_F32; return true;
	case CUDA_R_16F: *out = FAKE_F16; return true;
	case CUDA_R_16BF: *out = FAKE_BF16; return true;
	case CUDA_R_8I: *out = FAKE_I8; return true;
	case CUDA_R_8U: *out = FAKE_U8; return true;
	case CUDA_R_32I: *out = FAKE_I32; return true;
	case CUDA_C_32F: *out = FAKE_C32; return true;
	case CUDA_C_64F: *out = FAKE_C64; return true;
#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
	case CUDA_R_8F_E4M3: *out = FAKE_E4M3; return true;
	case CUDA_R_8F_E5M2: *out = FAKE_E5M2; return true;
#endif
	default: return false;
	}
}

#endif
