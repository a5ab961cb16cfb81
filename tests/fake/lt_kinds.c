/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of each semi-opaque block and where the fake libraries keep them. Offsets are ours, chosen so that each
 * attribute lies within the oldest block that the real libraries were seen to accept it in; whether a release has the
 * attribute at all is the generated header's word.
 */
#include "lt_block.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct lt_attribute matmul_attributes[] = {
	{ CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, 4, 2, 8 },
	{ CUBLASLT_MATMUL_DESC_SCALE_TYPE, 4, 2, 10 },
	{ CUBLASLT_MATMUL_DESC_POINTER_MODE, 4, 2, 12 },
	{ CUBLASLT_MATMUL_DESC_TRANSA, 4, 2, 14 },
	{ CUBLASLT_MATMUL_DESC_TRANSB, 4, 2, 16 },
	{ CUBLASLT_MATMUL_DESC_TRANSC, 4, 2, 18 },
	{ CUBLASLT_MATMUL_DESC_FILL_MODE, 4, 2, 20 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE, 4, 2, 22 },
	{ CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8, 8, 24 },
	{ CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, 8, 8, 32 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, 8, 8, 40 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 8, 8, 48 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 8, 8, 56 },
	{ CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, 8, 8, 64 },
	{ CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, 4, 4, 72 },
	/* No header names it, every library accepts it: the one after SM_COUNT_TARGET. */
	{ CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET + 1, 4, 4, 76 },
#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
	{ CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, 8, 8, 96 },
	{ CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, 8, 8, 104 },
	{ CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, 8, 8, 112 },
	{ CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, 8, 8, 120 },
	{ CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, 8, 8, 128 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, 4, 4, 136 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, 8, 8, 144 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, 8, 8, 152 },
	{ CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1, 1, 160 },
	{ CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 4, 4, 164 },
#endif
#ifdef CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_ROWS
	{ CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_ROWS, 4, 4, 184 },
	{ CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_COLS, 4, 4, 188 },
	{ CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_IN_COUNTERS_POINTER, 8, 8, 192 },
	{ CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_OUT_COUNTERS_POINTER, 8, 8, 200 },
#endif
#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_MODE
	{ CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 4, 2, 208 },
	{ CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 4, 2, 210 },
	{ CUBLASLT_MATMUL_DESC_C_SCALE_MODE, 4, 2, 212 },
	{ CUBLASLT_MATMUL_DESC_D_SCALE_MODE, 4, 2, 214 },
	{ CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, 4, 2, 216 },
	{ CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, 4, 2, 218 },
	{ CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, 8, 8, 224 },
#ifdef CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR
	{ CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, 8, 8, 232 },
#else
	/* Libraries have something there before headers name it. */
	{ CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE + 1, 4, 4, 232 },
#endif
#endif
#ifdef CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE
	{ CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE, 8, 8, 240 },
	{ CUBLASLT_MATMUL_DESC_BETA_BATCH_STRIDE, 8, 8, 248 },
#endif
#ifdef CUBLASLT_MATMUL_DESC_BATCH_INVARIANCE_FLAGS
	{ CUBLASLT_MATMUL_DESC_BATCH_INVARIANCE_FLAGS, 4, 4, 220 },
#endif
};

static const struct lt_attribute layout_attributes[] = {
	{ CUBLASLT_MATRIX_LAYOUT_TYPE, 4, 2, 8 },
	{ CUBLASLT_MATRIX_LAYOUT_ORDER, 4, 2, 10 },
	{ CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4, 4, 12 },
	{ CUBLASLT_MATRIX_LAYOUT_ROWS, 8, 8, 16 },
	{ CUBLASLT_MATRIX_LAYOUT_COLS, 8, 8, 24 },
	{ CUBLASLT_MATRIX_LAYOUT_LD, 8, 8, 56 },
	{ CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8, 8, 40 },
	{ CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, 8, 8, 48 },
	/* The batch mode: every library accepts it, headers name it from 12.9 on. */
	{ CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET + 1, 4, 4, 32 },
#ifdef CUBLASLT_GROUPED_MATRIX_LAYOUT_ROWS_ARRAY
	/* The real ones write these whatever the block's size. */
	{ CUBLASLT_GROUPED_MATRIX_LAYOUT_ROWS_ARRAY, 8, 8, 64, .unchecked = true },
	{ CUBLASLT_GROUPED_MATRIX_LAYOUT_COLS_ARRAY, 8, 8, 72, .unchecked = true },
	{ CUBLASLT_GROUPED_MATRIX_LAYOUT_LD_ARRAY, 8, 8, 80, .unchecked = true },
	{ CUBLASLT_GROUPED_MATRIX_LAYOUT_ROWS_COLS_ARRAY_INTEGER_WIDTH, 4, 4, 88, .unchecked = true },
	{ CUBLASLT_GROUPED_MATRIX_LAYOUT_LD_ARRAY_INTEGER_WIDTH, 4, 4, 92, .unchecked = true },
#endif
};

static const struct lt_attribute preference_attributes[] = {
	{ CUBLASLT_MATMUL_PREF_SEARCH_MODE, 4, 2, 8 },
	{ CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4, 2, 10 },
	{ CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, 4, 4, 12 },
	{ CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8, 8, 16 },
	{ CUBLASLT_MATMUL_PREF_IMPL_MASK, 8, 8, 24 },
	{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 4, 4, 32 },
	{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 4, 4, 36 },
	{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 4, 4, 40 },
	{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 4, 4, 44 },
#ifdef CUBLASLT_MATMUL_PREF_EPILOGUE_MASK
	{ CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, 4, 4, 48 },
	{ CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, 4, 4, 52 },
	{ CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, 4, 4, 56 },
	{ CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, 4, 4, 60 },
	{ CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET, 4, 4, 64 },
#endif
#ifdef CUBLASLT_MATMUL_PREF_GROUPED_AVERAGE_REDUCTION_DIM
	{ CUBLASLT_MATMUL_PREF_GROUPED_AVERAGE_REDUCTION_DIM, 8, 8, 64 },
	{ CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_ROWS, 8, 8, 72 },
	{ CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_COLS, 8, 8, 80 },
#endif
};

static const struct lt_attribute transform_attributes[] = {
	{ CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, 4, 2, 8 },
	{ CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, 4, 2, 10 },
	{ CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, 4, 2, 12 },
	{ CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, 4, 2, 14 },
};

static const uint16_t matmul_sizes[] = FAKE_SIZES_cublasLtMatmulDescOpaque_t;
static const uint16_t layout_sizes[] = FAKE_SIZES_cublasLtMatrixLayoutOpaque_t;
static const uint16_t preference_sizes[] = FAKE_SIZES_cublasLtMatmulPreferenceOpaque_t;
static const uint16_t transform_sizes[] = FAKE_SIZES_cublasLtMatrixTransformDescOpaque_t;

/*
 * `least`: what ends with the attributes that every block must have; measured on the real libraries.
 * The oldest known block has format 3; each size, and each later set of attributes within one size, is one more.
 */
enum {
	OLDEST_FORMAT = 3,
	LATER_SETS = 0
#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_MODE
	+ 1
#endif
#ifdef CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR
	+ 1
#endif
#ifdef CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE
	+ 1
#endif
};

const struct lt_kind lt_matmul = {
	.name = "matmul", .attributes = matmul_attributes, .attribute_count = COUNT(matmul_attributes),
	.sizes = matmul_sizes, .size_count = COUNT(matmul_sizes), .first_format = OLDEST_FORMAT,
	.newest_format = OLDEST_FORMAT + COUNT(matmul_sizes) - 1 + LATER_SETS, .mark = 0x4d44, .least = 56,
};

const struct lt_kind lt_layout = {
	.name = "layout", .attributes = layout_attributes, .attribute_count = COUNT(layout_attributes),
	.sizes = layout_sizes, .size_count = COUNT(layout_sizes), .first_format = OLDEST_FORMAT,
	.newest_format = OLDEST_FORMAT + COUNT(layout_sizes) - 1, .mark = 0x4c59, .least = 56, .size_at = 38,
};

const struct lt_kind lt_preference = {
	.name = "preference", .attributes = preference_attributes, .attribute_count = COUNT(preference_attributes),
	.sizes = preference_sizes, .size_count = COUNT(preference_sizes), .first_format = OLDEST_FORMAT,
	.newest_format = OLDEST_FORMAT + COUNT(preference_sizes) - 1, .mark = 0x5046, .least = FAKE_LEAST_cublasLtMatmulPreferenceOpaque_t,
};

const struct lt_kind lt_transform = {
	.name = "transform", .attributes = transform_attributes, .attribute_count = COUNT(transform_attributes),
	.sizes = transform_sizes, .size_count = COUNT(transform_sizes), .first_format = OLDEST_FORMAT,
	.newest_format = OLDEST_FORMAT + COUNT(transform_sizes) - 1, .mark = 0x5452, .least = 16,
};
