/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublasLt: algorithms. Three of them, all computing the same, differing in the workspace that they need (id 0 none, each
 * further one more), in what they can be configured with (id 0 with ids that every release knows, id 1 with the newest ones, too, id 2
 * with all) and in their capabilities. Deterministic, so that tests can tell what a heuristic must answer. An algorithm names the
 * release that made it; reading and writing its configuration looks at nothing, as with the real libraries, and the check and the
 * product refuse one of another release, and ids that it does not list.
 */
#include "lt_problem.h"

#include <string.h>

#include "cuda.h"
#include "handle.h"

enum { ALGORITHMS = 3 };

static const size_t workspaces[ALGORITHMS] = { 0, 1 << 16, 1 << 22 };

/* What each can be configured with: up to LAST, every one or some. */
struct ids {
	uint32_t id[(int)CUBLASLT_MATMUL_TILE_END + (int)CUBLASLT_MATMUL_STAGES_END];
	size_t count;
};

static void add(struct ids *ids, uint32_t id)
{
	for (size_t i = 0; i < ids->count && i < 4; i++)	/* what is named stands first */
		if (ids->id[i] == id)
			return;
	ids->id[ids->count++] = id;
}

static void list(struct ids *ids, int algorithm, uint32_t a, uint32_t b, uint32_t c, uint32_t last)
{
	ids->count = 0;
	add(ids, a);
	add(ids, b);
	add(ids, c);
	for (uint32_t id = 1; algorithm == 2 && id <= last; id++)
		add(ids, id);
	if (algorithm == 1)
		add(ids, last);
}

static void list_tiles(struct ids *ids, int algorithm)
{
	list(ids, algorithm, CUBLASLT_MATMUL_TILE_8x8, CUBLASLT_MATMUL_TILE_64x64, CUBLASLT_MATMUL_TILE_128x128, CUBLASLT_MATMUL_TILE_END - 1);
}

static void list_stages(struct ids *ids, int algorithm)
{
	list(ids, algorithm, CUBLASLT_MATMUL_STAGES_UNDEFINED, CUBLASLT_MATMUL_STAGES_16x1, CUBLASLT_MATMUL_STAGES_16x2,
	     CUBLASLT_MATMUL_STAGES_END - 1);
}

static bool holds(const struct ids *ids, uint32_t id)
{
	for (size_t i = 0; i < ids->count; i++)
		if (ids->id[i] == id)
			return true;
	return false;
}

size_t lt_algo_workspace(const struct lt_algo *algo)
{
	return workspaces[algo->id] * (size_t)(algo->split_k > 1 ? algo->split_k : 1);
}

cublasStatus_t lt_algo_check(const struct lt_algo *algo)
{
	struct ids tiles, stages;

	if (algo->release != FAKE_RELEASE_HASH || algo->id < 0 || algo->id >= ALGORITHMS)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (algo->split_k < 0 || algo->swizzle > 1 || algo->custom > 1)
		return CUBLAS_STATUS_INVALID_VALUE;
	/* The list of all, without writing it down at each product. */
	if (algo->id == 2)
		return algo->tile - 1 < CUBLASLT_MATMUL_TILE_END - 1 && algo->stages < CUBLASLT_MATMUL_STAGES_END ? CUBLAS_STATUS_SUCCESS :
												      CUBLAS_STATUS_INVALID_VALUE;
	list_tiles(&tiles, algo->id);
	list_stages(&stages, algo->id);
	return holds(&tiles, algo->tile) && holds(&stages, algo->stages) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* What each is, as its capabilities tell: one uses tensor operations, one Gauss's way with complex numbers. */
enum { TENSOR = 1, GAUSSIAN = 2 };

static uint64_t implementation(int id)
{
	uint64_t flags = CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F;

	flags |= id == TENSOR ? CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA : CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA;
	return id == GAUSSIAN ? flags | CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN : flags;
}

static uint32_t pointer_modes(int id)
{
	return CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE | (id == 2 ? CUBLASLT_POINTER_MODE_MASK_DEVICE_VECTOR : 0);
}

static uint32_t epilogues(int id)
{
	return CUBLASLT_EPILOGUE_RELU_BIAS | CUBLASLT_EPILOGUE_DEFAULT | (id == 1 ? 0 : CUBLASLT_EPILOGUE_GELU);
}

/* What the masks of an 11.x preference leave. Gauss's way is a question for complex numbers alone. */
static bool masked_out(const void *preference, const void *desc, int id)
{
#ifdef CUBLASLT_MATMUL_PREF_MATH_MODE_MASK
	int64_t scale = lt_block_number(&lt_matmul, desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUDA_R_32F);
	bool complex_numbers = scale == CUDA_C_32F || scale == CUDA_C_64F;
	uint32_t pointers = (uint32_t)lt_block_number(&lt_preference, preference, CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, 0);
	uint32_t epilogue = (uint32_t)lt_block_number(&lt_preference, preference, CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, 0);

	return (id == TENSOR && !(lt_block_number(&lt_preference, preference, CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, 1) & 1)) ||
	       (id == GAUSSIAN && complex_numbers && !(lt_block_number(&lt_preference, preference, CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, 1) & 1)) ||
	       (pointers & ~pointer_modes(id)) || (epilogue & ~epilogues(id));
#else
	(void)preference;
	(void)desc;
	(void)id;
	return false;
#endif
}

static void make(int id, cublasLtMatmulAlgo_t *out)
{
	struct lt_algo algo = { .release = FAKE_RELEASE_HASH, .id = id, .split_k = 1 };

	algo.tile = id ? CUBLASLT_MATMUL_TILE_END - (unsigned)id : CUBLASLT_MATMUL_TILE_64x64;
	algo.stages = id ? CUBLASLT_MATMUL_STAGES_END - (unsigned)id : CUBLASLT_MATMUL_STAGES_UNDEFINED;
	algo.reduction = CUBLASLT_REDUCTION_SCHEME_NONE;
	memset(out, 0, sizeof *out);
	memcpy(out, &algo, sizeof algo);
}

static cublasStatus_t read_algo(const cublasLtMatmulAlgo_t *from, struct lt_algo *algo)
{
	if (!from)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(algo, from, sizeof *algo);
	return lt_algo_check(algo);
}

static void fill_result(cublasLtMatmulHeuristicResult_t *result, const struct lt_algo *algo)
{
	memset(result, 0, sizeof *result);
	memcpy(&result->algo, algo, sizeof *algo);
	result->workspaceSize = lt_algo_workspace(algo);
	result->state = CUBLAS_STATUS_SUCCESS;
	result->wavesCount = 1.0f;
}

cublasStatus_t fake_cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
						   cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
						   cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
						   cublasLtMatmulPreference_t preference, int requested,
						   cublasLtMatmulHeuristicResult_t results[], int *returned)
{
	struct fake_gemm gemm;
	cublasStatus_t status;
	uint64_t limit;
	int count = 0;

	if (!fake_head_is(handle, FAKE_RELEASE_HASH, LT_KIND_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!lt_block_valid(&lt_preference, preference) || requested <= 0 || !results || !returned)
		return CUBLAS_STATUS_INVALID_VALUE;
	*returned = 0;
	status = lt_problem(desc, a, b, c, d, &gemm);
	if (status)
		return status;
	limit = (uint64_t)lt_block_number(&lt_preference, preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0);
	/* The hungriest first: as with the real libraries, more workspace changes the first answer. */
	for (int id = ALGORITHMS - 1; id >= 0 && count < requested; id--) {
		cublasLtMatmulAlgo_t made;
		struct lt_algo algo;

		if (workspaces[id] > limit || masked_out(preference, desc, id))
			continue;
		make(id, &made);
		memcpy(&algo, &made, sizeof algo);
		fill_result(&results[count++], &algo);
	}
	*returned = count;
	return count ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t fake_cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
					     cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d,
					     int requested, int ids[], int *returned)
{
	struct lt_types types = { (int)compute, (int)scale, (int)a, (int)b, (int)c, (int)d };
	cublasStatus_t status;
	int count;

	if (!fake_head_is(handle, FAKE_RELEASE_HASH, LT_KIND_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (requested <= 0 || !ids || !returned)
		return CUBLAS_STATUS_INVALID_VALUE;
	status = lt_types_check(&types);
	count = status ? 0 : requested < ALGORITHMS ? requested : ALGORITHMS;
	for (int i = 0; i < count; i++)
		ids[i] = i;
	*returned = count;
	return status;
}

cublasStatus_t fake_cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
					   cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, int id,
					   cublasLtMatmulAlgo_t *algo)
{
	struct lt_types types = { (int)compute, (int)scale, (int)a, (int)b, (int)c, (int)d };
	cublasStatus_t status;

	if (!fake_head_is(handle, FAKE_RELEASE_HASH, LT_KIND_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (id < 0 || id >= ALGORITHMS || !algo)
		return CUBLAS_STATUS_INVALID_VALUE;
	status = lt_types_check(&types);
	if (!status)
		make(id, algo);
	return status;
}

cublasStatus_t fake_cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
					    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
					    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result)
{
	struct fake_gemm gemm;
	struct lt_algo own;
	cublasStatus_t status;

	if (!fake_head_is(handle, FAKE_RELEASE_HASH, LT_KIND_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	status = lt_problem(desc, a, b, c, d, &gemm);
	if (!status)
		status = read_algo(algo, &own);
	if (!status)
		fill_result(result, &own);
	return status;
}

#ifdef fake_cublasLtMatmulAlgoGetHeuristicForStream
cublasStatus_t fake_cublasLtMatmulAlgoGetHeuristicForStream(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
							    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
							    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
							    cublasLtMatmulPreference_t preference, int requested,
							    cublasLtMatmulHeuristicResult_t results[], int *returned,
							    cudaStream_t stream)
{
	(void)stream;
	return fake_cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, d, preference, requested, results, returned);
}

cublasStatus_t fake_cublasLtMatmulAlgoCheckForStream(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
						     cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
						     cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
						     const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result,
						     cudaStream_t stream)
{
	(void)stream;
	return fake_cublasLtMatmulAlgoCheck(handle, desc, a, b, c, d, algo, result);
}
#endif

/* Where an algorithm keeps a configuration attribute; size 0: no such attribute. */
struct place {
	size_t offset, size;
};

#define PLACE(member) (struct place){ offsetof(struct lt_algo, member), sizeof(((struct lt_algo *)0)->member) }

static struct place place_of(int id)
{
	switch (id) {
	case CUBLASLT_ALGO_CONFIG_ID: return PLACE(id);
	case CUBLASLT_ALGO_CONFIG_TILE_ID: return PLACE(tile);
	case CUBLASLT_ALGO_CONFIG_SPLITK_NUM: return PLACE(split_k);
	case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME: return PLACE(reduction);
	case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING: return PLACE(swizzle);
	case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION: return PLACE(custom);
	case CUBLASLT_ALGO_CONFIG_STAGES_ID: return PLACE(stages);
#ifdef CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID
	case CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID: return PLACE(inner_shape);
#endif
#ifdef CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID
	case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID: return PLACE(cluster_shape);
#endif
	default: return (struct place){ 0, 0 };
	}
}

/* Capabilities are those of an algorithm that this release made; the real libraries refuse others likewise. */
static bool own_algo(const cublasLtMatmulAlgo_t *from)
{
	struct lt_algo algo;

	if (!from)
		return false;
	memcpy(&algo, from, sizeof algo);
	return algo.release == FAKE_RELEASE_HASH;
}

/* Any value is kept, as the real libraries do: the check refuses it, or the product. */
cublasStatus_t fake_cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t id,
							 const void *value, size_t size)
{
	struct place place = place_of((int)id);

	if (!algo || !value || !place.size || size != place.size || id == CUBLASLT_ALGO_CONFIG_ID)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy((char *)algo + place.offset, value, size);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t answer(const void *from, size_t have, void *value, size_t size, size_t *written)
{
	if ((size && !value) || (!size && !written) || (size && size != have))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (size)
		memcpy(value, from, have);
	if (written)
		*written = have;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
							 cublasLtMatmulAlgoConfigAttributes_t id, void *value, size_t size,
							 size_t *written)
{
	struct place place = place_of((int)id);

	if (!algo || !place.size)
		return CUBLAS_STATUS_INVALID_VALUE;
	return answer((const char *)algo + place.offset, place.size, value, size, written);
}

/* Lists are the exception to the exact size: as much as fits is written. */
static cublasStatus_t answer_list(const uint32_t *list, size_t bytes, void *value, size_t size, size_t *written)
{
	if ((size && !value) || (!size && !written))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (size) {
		bytes = size < bytes ? size - size % sizeof *list : bytes;
		memcpy(value, list, bytes);
	}
	if (written)
		*written = bytes;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoCapAttributes_t id,
						      void *value, size_t size, size_t *written)
{
	int32_t on = 1, most = 1;
	uint32_t mask, alignment = 1;
	struct lt_algo own;
	struct ids ids;
	uint64_t flags;

	if (!own_algo(algo))
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(&own, algo, sizeof own);
	switch ((int)id) {
	case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT: case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
	case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT: case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
		return answer(&on, sizeof on, value, size, written);
	case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
		return answer(&most, sizeof most, value, size, written);
	case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
		return answer(&on, sizeof on, value, size, written);
	case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT: case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
		mask = id == CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT;
		return answer(&mask, sizeof mask, value, size, written);
	case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
		mask = CUBLASLT_REDUCTION_SCHEME_MASK;
		return answer(&mask, sizeof mask, value, size, written);
	case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
		mask = pointer_modes(own.id);
		return answer(&mask, sizeof mask, value, size, written);
	case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
		mask = epilogues(own.id);
		return answer(&mask, sizeof mask, value, size, written);
#ifdef CUBLASLT_ALGO_CAP_MATHMODE_IMPL
	case CUBLASLT_ALGO_CAP_MATHMODE_IMPL: case CUBLASLT_ALGO_CAP_GAUSSIAN_IMPL:
		on = own.id == (id == CUBLASLT_ALGO_CAP_MATHMODE_IMPL ? TENSOR : GAUSSIAN);
		return answer(&on, sizeof on, value, size, written);
#endif
#ifdef CUBLASLT_ALGO_CAP_ATOMIC_SYNC
	case CUBLASLT_ALGO_CAP_ATOMIC_SYNC:
		return answer(&on, sizeof on, value, size, written);
#endif
#ifdef CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT
	case CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT: case CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT:
		return answer(&on, sizeof on, value, size, written);
#endif
#ifdef CUBLASLT_ALGO_CAP_POINTER_ARRAY_GROUPED_SUPPORT
	case CUBLASLT_ALGO_CAP_POINTER_ARRAY_GROUPED_SUPPORT:
		return answer(&on, sizeof on, value, size, written);
#endif
	case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
		flags = implementation(own.id);
		return answer(&flags, sizeof flags, value, size, written);
	case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES: case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
	case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES: case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
		return answer(&alignment, sizeof alignment, value, size, written);
	case CUBLASLT_ALGO_CAP_TILE_IDS:
		list_tiles(&ids, own.id);
		return answer_list(ids.id, ids.count * sizeof *ids.id, value, size, written);
	case CUBLASLT_ALGO_CAP_STAGES_IDS:
		list_stages(&ids, own.id);
		return answer_list(ids.id, ids.count * sizeof *ids.id, value, size, written);
	default:
		return CUBLAS_STATUS_INVALID_VALUE;
	}
}
