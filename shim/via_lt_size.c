/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header's inline functions pass the size that a struct had when the caller was compiled. Passed on as it is; what it tells of the
 * caller is remembered (built.h).
 */
#include "built.h"
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_via.h"
#include "objects.h"

static void note(const struct gw_call *call, enum gw_spans_id list, size_t size)
{
	gw_built_size(gw_object_of(call->caller), gw_functions[call->fn].family, list, size);
}

cublasStatus_t gw_via_lt_desc_size(struct gw_call *call, cublasStatus_t (*real)(cublasLtMatmulDesc_t, size_t, cublasComputeType_t, cudaDataType_t),
				   cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute, cudaDataType_t scale)
{
	note(call, GW_SPANS_cublasLtMatmulDescOpaque_t, size);
	return real(desc, size, compute, scale);
}

cublasStatus_t gw_via_lt_layout_size(struct gw_call *call,
				     cublasStatus_t (*real)(cublasLtMatrixLayout_t, size_t, cudaDataType, uint64_t, uint64_t, int64_t),
				     cublasLtMatrixLayout_t layout, size_t size, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	note(call, GW_SPANS_cublasLtMatrixLayoutOpaque_t, size);
	return real(layout, size, type, rows, cols, ld);
}

cublasStatus_t gw_via_lt_preference_size(struct gw_call *call, cublasStatus_t (*real)(cublasLtMatmulPreference_t, size_t),
					 cublasLtMatmulPreference_t preference, size_t size)
{
	note(call, GW_SPANS_cublasLtMatmulPreferenceOpaque_t, size);
	return real(preference, size);
}
