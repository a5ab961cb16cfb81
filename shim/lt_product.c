/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_product.h. */
#include "lt_product.h"

#include <string.h>

#include "binding.h"
#include "gw_fn.h"
#include "gw_lt.h"
#include "gw_values.h"
#include "gw_via.h"
#include "lt_descriptor.h"

static void *target(struct gw_call *call, uint32_t fn)
{
	return gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, fn);
}

static bool get(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, int id, void *value, size_t size)
{
	return !gw_lt_native_get(call, kind, block, id, value, size);
}

/* Is the pointer or number behind ID, where the release has it at all, 0? */
static bool is_unset(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, int id, size_t size)
{
	uint64_t value = 0;

	return !get(call, kind, block, id, &value, size) || !value;
}

static bool read_matrix(struct gw_call *call, const void *layout, struct gw_lt_matrix *m, bool *plain)
{
	static const enum gw_lt_block_kind kind = GW_LT_MATRIX_LAYOUT;

	memset(m, 0, sizeof(*m));
	m->batch = 1;
	if (!layout || !get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_TYPE, &m->type, sizeof(m->type)) ||
	    !get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_ROWS, &m->rows, sizeof(m->rows)) ||
	    !get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_COLS, &m->cols, sizeof(m->cols)) ||
	    !get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_LD, &m->ld, sizeof(m->ld)))
		return false;
	get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_ORDER, &m->order, sizeof(m->order));
	get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &m->batch, sizeof(m->batch));
	get(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &m->stride, sizeof(m->stride));
	*plain &= is_unset(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, sizeof(int64_t)) &&
		  is_unset(call, kind, layout, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, sizeof(uint32_t));
	return true;
}

static bool read_desc(struct gw_call *call, const void *desc, struct gw_lt_terms *t)
{
	static const enum gw_lt_block_kind kind = GW_LT_MATMUL_DESC;
	static const int pointers[] = {
		GW_VALUE_CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, GW_VALUE_CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
		GW_VALUE_CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, GW_VALUE_CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
		GW_VALUE_CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, GW_VALUE_CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER,
		GW_VALUE_CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE, GW_VALUE_CUBLASLT_MATMUL_DESC_BETA_BATCH_STRIDE,
	};
	int32_t transpose = GW_VALUE_CUBLAS_OP_N, fill = GW_VALUE_CUBLAS_FILL_MODE_FULL, chunks;
	unsigned i;

	if (!desc || !get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &t->compute, sizeof(t->compute)) ||
	    !get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_SCALE_TYPE, &t->scale, sizeof(t->scale)))
		return false;
	t->epilogue = GW_VALUE_CUBLASLT_EPILOGUE_DEFAULT;
	t->bias_type = -1;
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_POINTER_MODE, &t->pointer_mode, sizeof(t->pointer_mode));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSA, &t->transpose[0], sizeof(t->transpose[0]));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSB, &t->transpose[1], sizeof(t->transpose[1]));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSC, &transpose, sizeof(transpose));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_FILL_MODE, &fill, sizeof(fill));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_EPILOGUE, &t->epilogue, sizeof(t->epilogue));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_BIAS_POINTER, &t->bias, sizeof(t->bias));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, &t->bias_stride, sizeof(t->bias_stride));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &t->bias_type, sizeof(t->bias_type));
	get(call, kind, desc, GW_VALUE_CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, &t->alpha_stride, sizeof(t->alpha_stride));
	t->plain &= transpose == GW_VALUE_CUBLAS_OP_N && fill == GW_VALUE_CUBLAS_FILL_MODE_FULL;
	for (i = 0; i < sizeof(pointers) / sizeof(*pointers); i++)
		t->plain &= is_unset(call, kind, desc, pointers[i], sizeof(void *));
	for (i = 0; i < 2; i++) {	/* a product that waits for others, or that others wait for */
		chunks = 0;
		get(call, kind, desc, i ? GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_COLS :
		    GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_ROWS, &chunks, sizeof(chunks));
		t->plain &= !chunks;
	}
	return true;
}

void gw_lt_terms_sizes(const struct gw_lt_terms *t, int64_t *m, int64_t *n, int64_t *k)
{
	*m = (int64_t)t->matrix[3].rows;
	*n = (int64_t)t->matrix[3].cols;
	*k = (int64_t)(t->transpose[0] == GW_VALUE_CUBLAS_OP_N ? t->matrix[0].cols : t->matrix[0].rows);
}

static bool fits(const struct gw_lt_terms *t)
{
	const struct gw_lt_matrix *a = &t->matrix[0], *b = &t->matrix[1], *c = &t->matrix[2], *d = &t->matrix[3];
	bool plain_a = t->transpose[0] == GW_VALUE_CUBLAS_OP_N, plain_b = t->transpose[1] == GW_VALUE_CUBLAS_OP_N;

	return (plain_a ? a->rows : a->cols) == d->rows && (plain_b ? b->cols : b->rows) == d->cols &&
	       (plain_a ? a->cols : a->rows) == (plain_b ? b->rows : b->cols) && c->rows == d->rows && c->cols == d->cols &&
	       a->batch == d->batch && b->batch == d->batch && c->batch == d->batch;
}

bool gw_lt_product_read(struct gw_call *call, const struct gw_lt_product *product, struct gw_lt_terms *terms)
{
	int i;

	memset(terms, 0, sizeof(*terms));
	terms->plain = true;
	if (!read_desc(call, product->desc, terms))
		return false;
	for (i = 0; i < 4; i++)
		if (!read_matrix(call, product->layout[i], &terms->matrix[i], &terms->plain))
			return false;
	return fits(terms);
}

bool gw_lt_make_desc(struct gw_call *call, struct gw_lt_block_room *room, int32_t compute, int32_t scale)
{
	int32_t (*init)(void *, size_t, int32_t, int32_t) = target(call, GW_FN_cublasLtMatmulDescInit_internal);

	memset(room, 0, sizeof(*room));
	return init && !init(room, sizeof(*room), compute, scale);
}

bool gw_lt_make_layout(struct gw_call *call, struct gw_lt_block_room *room, const struct gw_lt_matrix *m)
{
	int32_t (*init)(void *, size_t, int32_t, uint64_t, uint64_t, int64_t) = target(call, GW_FN_cublasLtMatrixLayoutInit_internal);
	enum gw_lt_block_kind kind = GW_LT_MATRIX_LAYOUT;

	memset(room, 0, sizeof(*room));
	if (!init || init(room, sizeof(*room), m->type, m->rows, m->cols, m->ld))
		return false;
	if (m->order && gw_lt_native_set(call, kind, room, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_ORDER, &m->order, sizeof(m->order)))
		return false;
	return m->batch == 1 ||
	       (!gw_lt_native_set(call, kind, room, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &m->batch, sizeof(m->batch)) &&
		!gw_lt_native_set(call, kind, room, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &m->stride, sizeof(m->stride)));
}

/* Status of the library; *COUNT results. */
static int32_t ask(struct gw_call *call, cublasLtHandle_t handle, void *desc, void *const layout[4], uint64_t workspace, const uint32_t alignment[4],
		   void *results, int most, int *count)
{
	static const int ids[] = { GW_VALUE_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, GW_VALUE_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
				   GW_VALUE_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, GW_VALUE_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES };
	int32_t (*init)(void *, size_t) = target(call, GW_FN_cublasLtMatmulPreferenceInit_internal);
	int32_t (*heuristic)(void *, void *, void *, void *, void *, void *, void *, int, void *, int *) =
		target(call, GW_FN_cublasLtMatmulAlgoGetHeuristic);
	enum gw_lt_block_kind kind = GW_LT_MATMUL_PREFERENCE;
	struct gw_lt_block_room preference = { { 0 } };
	int i;

	*count = 0;
	if (!init || !heuristic || init(&preference, sizeof(preference)) ||
	    gw_lt_native_set(call, kind, &preference, GW_VALUE_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)))
		return GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	for (i = 0; i < 4; i++)
		if (alignment[i] && gw_lt_native_set(call, kind, &preference, ids[i], &alignment[i], sizeof(alignment[i])))
			return GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	return heuristic(handle, desc, layout[0], layout[1], layout[2], layout[3], &preference, most, results, count);
}

static bool is_usable(const void *result)
{
	int32_t state;

	memcpy(&state, (const char *)result + GW_OFFSET_cublasLtMatmulHeuristicResult_t_state, sizeof(state));
	return !state;
}

int gw_lt_candidates(struct gw_call *call, cublasLtHandle_t handle, void *desc, void *const layout[4], uint64_t workspace,
		     const uint32_t alignment[4], void *results, int most)
{
	unsigned char (*result)[GW_SIZE_cublasLtMatmulHeuristicResult_t] = results;
	int count, kept = 0, i;

	if (ask(call, handle, desc, layout, workspace, alignment, results, most, &count))
		return 0;
	for (i = 0; i < count && i < most; i++)
		if (is_usable(result[i]))
			memmove(result[kept++], result[i], sizeof(*result));
	return kept;
}

int32_t gw_lt_choose(struct gw_call *call, cublasLtHandle_t handle, void *desc, void *const layout[4], uint64_t workspace,
		     const uint32_t alignment[4], cublasLtMatmulAlgo_t *algo)
{
	_Alignas(16) unsigned char result[GW_SIZE_cublasLtMatmulHeuristicResult_t] = { 0 };
	int count;
	int32_t status = ask(call, handle, desc, layout, workspace, alignment, result, 1, &count);

	if (!status && (count < 1 || !is_usable(result)))
		status = GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	if (!status)
		memcpy(algo, result, GW_SIZE_cublasLtMatmulAlgo_t);
	return status;
}

uint32_t gw_lt_alignment(const void *pointer)
{
	uint32_t low = (uint32_t)((uintptr_t)pointer & -(uintptr_t)pointer);

	return !low || low > 256 ? 256 : low;
}
