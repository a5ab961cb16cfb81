/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublasLt's blocks in calls: setting, reading and destroying them, products, heuristics and checks. A block that is no token goes to
 * the library as it came, after one look at its first word; what needs more is in lt_descriptor.c.
 */
#include <stdbool.h>
#include <string.h>

#include "binding.h"
#include "call.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_values.h"
#include "gw_via.h"
#include "gw_lt.h"
#include "lt_algo.h"
#include "lt_deny.h"
#include "lt_descriptor.h"
#include "lt_rescue.h"

#define SUCCESS 0

typedef cublasStatus_t heuristic_function(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
					  cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
					  cublasLtMatmulHeuristicResult_t *, int *);
typedef cublasStatus_t check_function(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
				      cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *,
				      cublasLtMatmulHeuristicResult_t *);

/*
 * What the vendor's own libraries do with a library of their own release is between them. One that calls through a facade was built for
 * another, like any caller.
 */
static inline bool passes(const struct gw_call *call)
{
	return __builtin_expect(call->nested, 0) && !call->binding->facade;
}

cublasStatus_t gw_via_lt_matmul_desc_set(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void *, size_t),
	cublasLtMatmulDesc_t block, cublasLtMatmulDescAttributes_t id, const void *value, size_t size)
{
	cublasStatus_t status = SUCCESS;

	if (passes(call) || gw_lt_descriptor_plain(GW_LT_MATMUL_DESC, block, (int)id)) {
		status = real(block, id, value, size);
		if (__builtin_expect(status == SUCCESS || passes(call), 1))
			return status;
	}
	return gw_lt_descriptor_set(call, GW_LT_MATMUL_DESC, block, (int)id, value, size, status);
}

cublasStatus_t gw_via_lt_matmul_desc_get(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, void *, size_t, size_t *),
	cublasLtMatmulDesc_t block, cublasLtMatmulDescAttributes_t id, void *value, size_t size, size_t *written)
{
	cublasStatus_t status = SUCCESS;

	if (passes(call) || gw_lt_descriptor_plain(GW_LT_MATMUL_DESC, block, (int)id)) {
		status = real(block, id, value, size, written);
		if (__builtin_expect(status == SUCCESS || passes(call), 1))
			return status;
	}
	return gw_lt_descriptor_get(call, GW_LT_MATMUL_DESC, block, (int)id, value, size, written, status);
}

cublasStatus_t gw_via_lt_matmul_desc_destroy(struct gw_call *call, cublasStatus_t (*real)(cublasLtMatmulDesc_t), cublasLtMatmulDesc_t block)
{
	if (!passes(call) && gw_lt_block_is_token(GW_LT_MATMUL_DESC, block))
		gw_lt_descriptor_restore(call, GW_LT_MATMUL_DESC, block);
	return real(block);
}

cublasStatus_t gw_via_lt_matrix_layout_set(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, const void *, size_t),
	cublasLtMatrixLayout_t block, cublasLtMatrixLayoutAttribute_t id, const void *value, size_t size)
{
	cublasStatus_t status = SUCCESS;

	if (passes(call) || gw_lt_descriptor_plain(GW_LT_MATRIX_LAYOUT, block, (int)id)) {
		status = real(block, id, value, size);
		if (__builtin_expect(status == SUCCESS || passes(call), 1))
			return status;
	}
	return gw_lt_descriptor_set(call, GW_LT_MATRIX_LAYOUT, block, (int)id, value, size, status);
}

cublasStatus_t gw_via_lt_matrix_layout_get(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, void *, size_t, size_t *),
	cublasLtMatrixLayout_t block, cublasLtMatrixLayoutAttribute_t id, void *value, size_t size, size_t *written)
{
	cublasStatus_t status = SUCCESS;

	if (passes(call) || gw_lt_descriptor_plain(GW_LT_MATRIX_LAYOUT, block, (int)id)) {
		status = real(block, id, value, size, written);
		if (__builtin_expect(status == SUCCESS || passes(call), 1))
			return status;
	}
	return gw_lt_descriptor_get(call, GW_LT_MATRIX_LAYOUT, block, (int)id, value, size, written, status);
}

cublasStatus_t gw_via_lt_matrix_layout_destroy(struct gw_call *call, cublasStatus_t (*real)(cublasLtMatrixLayout_t), cublasLtMatrixLayout_t block)
{
	if (!passes(call) && gw_lt_block_is_token(GW_LT_MATRIX_LAYOUT, block))
		gw_lt_descriptor_restore(call, GW_LT_MATRIX_LAYOUT, block);
	return real(block);
}

cublasStatus_t gw_via_lt_matmul_preference_set(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *, size_t),
	cublasLtMatmulPreference_t block, cublasLtMatmulPreferenceAttributes_t id, const void *value, size_t size)
{
	cublasStatus_t status = SUCCESS;

	if (passes(call) || gw_lt_descriptor_plain(GW_LT_MATMUL_PREFERENCE, block, (int)id)) {
		status = real(block, id, value, size);
		if (__builtin_expect(status == SUCCESS || passes(call), 1))
			return status;
	}
	return gw_lt_descriptor_set(call, GW_LT_MATMUL_PREFERENCE, block, (int)id, value, size, status);
}

cublasStatus_t gw_via_lt_matmul_preference_get(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, void *, size_t, size_t *),
	cublasLtMatmulPreference_t block, cublasLtMatmulPreferenceAttributes_t id, void *value, size_t size, size_t *written)
{
	cublasStatus_t status = SUCCESS;

	if (passes(call) || gw_lt_descriptor_plain(GW_LT_MATMUL_PREFERENCE, block, (int)id)) {
		status = real(block, id, value, size, written);
		if (__builtin_expect(status == SUCCESS || passes(call), 1))
			return status;
	}
	return gw_lt_descriptor_get(call, GW_LT_MATMUL_PREFERENCE, block, (int)id, value, size, written, status);
}

cublasStatus_t gw_via_lt_matmul_preference_destroy(struct gw_call *call, cublasStatus_t (*real)(cublasLtMatmulPreference_t), cublasLtMatmulPreference_t block)
{
	if (!passes(call) && gw_lt_block_is_token(GW_LT_MATMUL_PREFERENCE, block))
		gw_lt_descriptor_restore(call, GW_LT_MATMUL_PREFERENCE, block);
	return real(block);
}

/* What a product is about: a descriptor and the layouts of A, B, C and D. */
struct problem {
	void *desc, *layout[4];
};

struct problem_records {
	struct gw_lt_record desc, layout[4];
};

static bool has_tokens(const struct problem *problem)
{
	int i;

	for (i = 0; i < 4; i++)
		if (gw_lt_block_is_token(GW_LT_MATRIX_LAYOUT, problem->layout[i]))
			return true;
	return gw_lt_block_is_token(GW_LT_MATMUL_DESC, problem->desc);
}

/* Is the product to wait for counters, or to count? Where that is an extra, the library cannot. Without chunks, counters are not looked at. */
static bool is_synchronised(const struct problem *problem, const struct problem_records *records)
{
	return problem->desc == records->desc.native &&
	       (gw_lt_record_extra(&records->desc, GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_ROWS) ||
		gw_lt_record_extra(&records->desc, GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_COLS));
}

static void tell_synchronised(struct gw_call *call)
{
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "a product with CUBLASLT_MATMUL_DESC_ATOMIC_SYNC attributes was asked for, which ");
	gw_line_text(&line, call->binding->path);
	gw_line_text(&line, " cannot synchronise; it was refused as 'not supported' and not computed");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_ATOMIC_SYNC, gw_function_name(call->fn), text, NULL);
}

/* Puts the library's own blocks in the place of tokens. Status; NOT_SUPPORTED where the product must be synchronised. */
static cublasStatus_t open_problem(struct gw_call *call, struct problem *problem, struct problem_records *records)
{
	int i;

	if (!gw_lt_descriptor_open(call, GW_LT_MATMUL_DESC, &problem->desc, &records->desc))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	for (i = 0; i < 4; i++)
		if (!gw_lt_descriptor_open(call, GW_LT_MATRIX_LAYOUT, &problem->layout[i], &records->layout[i]))
			return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	return is_synchronised(problem, records) ? GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED : SUCCESS;
}

/* The product, or what the rescuers make of it where the library refuses. */
static __attribute__((noinline)) cublasStatus_t refused(struct gw_call *call, const struct gw_lt_product *p, bool asked, cublasStatus_t status)
{
	int32_t answer = status;

	if (!asked && gw_lt_rescued_before(call, p) && gw_lt_rescue(call, p, &answer))
		return answer;
	if (!asked)
		status = p->real(p->handle, p->desc, p->alpha, p->A, p->layout[0], p->B, p->layout[1], p->beta, p->C, p->layout[2], p->D, p->layout[3],
				 p->algo, p->workspace, p->size, p->stream);
	answer = status;
	return status != SUCCESS && gw_lt_rescue(call, p, &answer) ? answer : status;
}

cublasStatus_t gw_via_lt_matmul(struct gw_call *call, gw_lt_matmul *real, cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
				const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc, const void *B,
				cublasLtMatrixLayout_t Bdesc, const void *beta, const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
				cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size,
				cudaStream_t stream)
{
	struct problem problem = { desc, { Adesc, Bdesc, Cdesc, Ddesc } };
	struct problem_records records;
	cublasLtMatmulAlgo_t *replacement = NULL;
	cublasStatus_t status = SUCCESS;
	bool asked;
	_Alignas(16) unsigned char room[GW_SIZE_cublasLtMatmulAlgo_t];

	if (passes(call))
		return real(handle, desc, alpha, A, Adesc, B, Bdesc, beta, C, Cdesc, D, Ddesc, algo, workspace, size, stream);
	if (__builtin_expect(has_tokens(&problem) || (algo && call->binding->differs), 0)) {
		if (has_tokens(&problem))
			status = open_problem(call, &problem, &records);
		if (status == GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED)
			tell_synchronised(call);
		if (status)
			return status;
		replacement = (cublasLtMatmulAlgo_t *)(void *)room;
		algo = gw_lt_algo_usable(call, &(struct gw_lt_problem){ .handle = handle, .operationDesc = problem.desc,
			.Adesc = problem.layout[0], .Bdesc = problem.layout[1], .Cdesc = problem.layout[2], .Ddesc = problem.layout[3],
			.workspaceSizeInBytes = size, .A = A, .B = B, .C = C, .D = D }, algo, replacement);
	}
	if (__builtin_expect(algo && atomic_load_explicit(&gw_lt_denies, memory_order_relaxed), 0)) {
		replacement = (cublasLtMatmulAlgo_t *)(void *)room;
		algo = gw_lt_deny(call, &(struct gw_lt_product){ real, handle, problem.desc, { problem.layout[0], problem.layout[1],
			problem.layout[2], problem.layout[3] }, alpha, A, B, beta, C, D, algo, workspace, size, stream }, replacement);
	}
	asked = __builtin_expect(!atomic_load_explicit(&gw_lt_rescued_any, memory_order_relaxed), 1);
	if (asked) {
		status = real(handle, problem.desc, alpha, A, problem.layout[0], B, problem.layout[1], beta, C, problem.layout[2], D,
			      problem.layout[3], algo, workspace, size, stream);
		if (__builtin_expect(status == SUCCESS, 1))
			return status;
	}
	return refused(call, &(struct gw_lt_product){ real, handle, problem.desc, { problem.layout[0], problem.layout[1], problem.layout[2],
		problem.layout[3] }, alpha, A, B, beta, C, D, algo, workspace, size, stream }, asked, status);
}

cublasStatus_t gw_via_lt_matrix_transform(struct gw_call *call,
	cublasStatus_t (*real)(cublasLtHandle_t, cublasLtMatrixTransformDesc_t, const void *, const void *, cublasLtMatrixLayout_t,
			       const void *, const void *, cublasLtMatrixLayout_t, void *, cublasLtMatrixLayout_t, cudaStream_t),
	cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc, const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
	const void *beta, const void *B, cublasLtMatrixLayout_t Bdesc, void *C, cublasLtMatrixLayout_t Cdesc, cudaStream_t stream)
{
	void *layout[3] = { Adesc, Bdesc, Cdesc };
	struct gw_lt_record record[3];
	int i;

	for (i = 0; i < 3 && !passes(call); i++)
		if (!gw_lt_descriptor_open(call, GW_LT_MATRIX_LAYOUT, &layout[i], &record[i]))
			return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	return real(handle, desc, alpha, A, layout[0], beta, B, layout[1], C, layout[2], stream);
}

typedef cublasStatus_t check_with_stream(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
					 cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *,
					 cublasLtMatmulHeuristicResult_t *, cudaStream_t);
typedef cublasStatus_t heuristic_with_stream(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
					     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
					     cublasLtMatmulHeuristicResult_t *, int *, cudaStream_t);

static void *target(struct gw_call *call, uint32_t fn)
{
	return gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, fn);
}

static cublasStatus_t check(struct gw_call *call, check_function *plain, check_with_stream *with_stream, cudaStream_t stream,
			    cublasLtHandle_t handle, struct problem *problem, const cublasLtMatmulAlgo_t *algo,
			    cublasLtMatmulHeuristicResult_t *result)
{
	struct problem_records records;
	cublasStatus_t status = SUCCESS;

	if (!passes(call) && __builtin_expect(has_tokens(problem), 0))
		status = open_problem(call, problem, &records);
	if (status)
		return status;
	if (!passes(call) && call->binding->differs && algo && !gw_lt_algo_known(call, algo) && !gw_lt_algo_readable(call, algo))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	if (with_stream)
		return with_stream(handle, problem->desc, problem->layout[0], problem->layout[1], problem->layout[2],
				   problem->layout[3], algo, result, stream);
	return plain(handle, problem->desc, problem->layout[0], problem->layout[1], problem->layout[2], problem->layout[3], algo, result);
}

cublasStatus_t gw_via_lt_algo_check(struct gw_call *call, check_function *real, cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
				    cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
				    cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
				    cublasLtMatmulHeuristicResult_t *result)
{
	struct problem problem = { desc, { Adesc, Bdesc, Cdesc, Ddesc } };

	return check(call, real, NULL, NULL, handle, &problem, algo, result);
}

/* A release without the variant for a stream has the plain one, which asks the device that is current. */
cublasStatus_t gw_via_lt_algo_check_for_stream(struct gw_call *call, check_with_stream *real, cublasLtHandle_t handle,
					       cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
					       cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
					       const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result,
					       cudaStream_t stream)
{
	struct problem problem = { desc, { Adesc, Bdesc, Cdesc, Ddesc } };
	check_function *plain = call->absent ? target(call, GW_FN_cublasLtMatmulAlgoCheck) : NULL;

	if (plain)
		call->absent = 0;
	return check(call, plain, plain ? NULL : real, stream, handle, &problem, algo, result);
}

struct search {
	cublasLtHandle_t handle;
	struct problem problem;
	void *preference;
	int requested;
	cublasLtMatmulHeuristicResult_t *results;
	int *returned;
	heuristic_function *plain;
	heuristic_with_stream *with_stream;	/* NULL: the plain one */
	cudaStream_t stream;
};

static cublasStatus_t ask(void *data, int requested, cublasLtMatmulHeuristicResult_t *results, int *returned)
{
	const struct search *s = data;
	const struct problem *p = &s->problem;

	if (s->with_stream)
		return s->with_stream(s->handle, p->desc, p->layout[0], p->layout[1], p->layout[2], p->layout[3], s->preference,
				      requested, results, returned, s->stream);
	return s->plain(s->handle, p->desc, p->layout[0], p->layout[1], p->layout[2], p->layout[3], s->preference, requested, results,
			returned);
}

/* What the library answers, noted as its own; of that what MASKS allow. */
static cublasStatus_t search(struct gw_call *call, struct search *s, const struct gw_lt_masks *masks)
{
	if (passes(call) || (!masks->given && !call->binding->differs))
		return ask(s, s->requested, s->results, s->returned);
	return gw_lt_algo_heuristic(call, masks, ask, s, s->requested, s->results, s->returned);
}

/* The masks of an 11.x preference, where the library has no place for them. */
static struct gw_lt_masks masks_of(const struct gw_lt_record *preference)
{
	static const struct { int id; uint32_t bit; } all[] = {
		{ GW_VALUE_CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, GW_LT_MATH_MODE },
		{ GW_VALUE_CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, GW_LT_GAUSSIAN_MODE },
		{ GW_VALUE_CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, GW_LT_POINTER_MODE },
		{ GW_VALUE_CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, GW_LT_EPILOGUE },
	};
	struct gw_lt_masks masks = { 0 };
	uint32_t *field[] = { &masks.math_mode, &masks.gaussian_mode, &masks.pointer_mode, &masks.epilogue };
	unsigned i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct gw_lt_extra *extra = gw_lt_record_extra(preference, all[i].id);

		if (extra) {
			masks.given |= all[i].bit;
			*field[i] = (uint32_t)extra->value;
		}
	}
	return masks;
}

/* The old preference for so many multiprocessors, carried by the descriptor, which says nothing of its own. Status. */
static cublasStatus_t set_sm_count(struct gw_call *call, struct problem *problem, struct gw_lt_record *record, int32_t count)
{
	int32_t now = 0;

	if (!problem->desc)
		return SUCCESS;	/* the library's to refuse */
	if (problem->desc != record->native && !gw_lt_descriptor_clone(call, GW_LT_MATMUL_DESC, problem->desc, record))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	problem->desc = record->native;
	gw_lt_native_get(call, GW_LT_MATMUL_DESC, record->native, GW_VALUE_CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, &now, sizeof(now));
	return now ? SUCCESS : gw_lt_native_set(call, GW_LT_MATMUL_DESC, record->native, GW_VALUE_CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET,
						&count, sizeof(count));
}

/* Tokens, and preferences that the library has no place for. */
static __attribute__((noinline)) cublasStatus_t search_opened(struct gw_call *call, struct search *s)
{
	struct problem_records records;
	struct gw_lt_record preference;
	const struct gw_lt_extra *sm_count = NULL;
	struct gw_lt_masks masks = { 0 };
	cublasStatus_t status = open_problem(call, &s->problem, &records);

	if (status == GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED && s->returned)
		*s->returned = 0;
	if (status)
		return status;
	if (!gw_lt_descriptor_open(call, GW_LT_MATMUL_PREFERENCE, &s->preference, &preference))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	if (s->preference == preference.native) {
		masks = masks_of(&preference);
		sm_count = gw_lt_record_extra(&preference, GW_VALUE_CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET);
	}
	if (sm_count)
		status = set_sm_count(call, &s->problem, &records.desc, (int32_t)sm_count->value);
	return status ? status : search(call, s, &masks);
}

static cublasStatus_t heuristic(struct gw_call *call, struct search *s)
{
	if (!passes(call) &&
	    __builtin_expect(has_tokens(&s->problem) || gw_lt_block_is_token(GW_LT_MATMUL_PREFERENCE, s->preference), 0))
		return search_opened(call, s);
	return search(call, s, &(struct gw_lt_masks){ 0 });
}

cublasStatus_t gw_via_lt_heuristic(struct gw_call *call, heuristic_function *real, cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
				   cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
				   cublasLtMatrixLayout_t Ddesc, cublasLtMatmulPreference_t preference, int requested,
				   cublasLtMatmulHeuristicResult_t *results, int *returned)
{
	struct search s = { handle, { desc, { Adesc, Bdesc, Cdesc, Ddesc } }, preference, requested, results, returned, real, NULL, NULL };

	return heuristic(call, &s);
}

cublasStatus_t gw_via_lt_heuristic_for_stream(struct gw_call *call, heuristic_with_stream *real, cublasLtHandle_t handle,
					      cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
					      cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
					      cublasLtMatmulPreference_t preference, int requested,
					      cublasLtMatmulHeuristicResult_t *results, int *returned, cudaStream_t stream)
{
	struct search s = { handle, { desc, { Adesc, Bdesc, Cdesc, Ddesc } }, preference, requested, results, returned, NULL, real, stream };

	if (call->absent && (s.plain = target(call, GW_FN_cublasLtMatmulAlgoGetHeuristic))) {
		call->absent = 0;
		s.with_stream = NULL;
	}
	return heuristic(call, &s);
}
