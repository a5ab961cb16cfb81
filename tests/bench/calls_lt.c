/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of cublasLt for calls.c, compiled with the declarations of the release that the caller is to be built for. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "fake_api.h"

enum which { TRANSFORM_GET, DESC_GET, DESC_SET, PREFERENCE_GET, PREFERENCE_SET, CONFIG_GET, CONFIG_SET, CAP_GET, CHECK, MATMUL, COUNT };

struct bench_function bench_functions[] = {
	[TRANSFORM_GET] = { "cublasLtMatrixTransformDescGetAttribute", (void *)cublasLtMatrixTransformDescGetAttribute, NULL },
	[DESC_GET] = { "cublasLtMatmulDescGetAttribute", (void *)cublasLtMatmulDescGetAttribute, NULL },
	[DESC_SET] = { "cublasLtMatmulDescSetAttribute", (void *)cublasLtMatmulDescSetAttribute, NULL },
	[PREFERENCE_GET] = { "cublasLtMatmulPreferenceGetAttribute", (void *)cublasLtMatmulPreferenceGetAttribute, NULL },
	[PREFERENCE_SET] = { "cublasLtMatmulPreferenceSetAttribute", (void *)cublasLtMatmulPreferenceSetAttribute, NULL },
	[CONFIG_GET] = { "cublasLtMatmulAlgoConfigGetAttribute", (void *)cublasLtMatmulAlgoConfigGetAttribute, NULL },
	[CONFIG_SET] = { "cublasLtMatmulAlgoConfigSetAttribute", (void *)cublasLtMatmulAlgoConfigSetAttribute, NULL },
	[CAP_GET] = { "cublasLtMatmulAlgoCapGetAttribute", (void *)cublasLtMatmulAlgoCapGetAttribute, NULL },
	[CHECK] = { "cublasLtMatmulAlgoCheck", (void *)cublasLtMatmulAlgoCheck, NULL },
	[MATMUL] = { "cublasLtMatmul", (void *)cublasLtMatmul, NULL },
	[COUNT] = { NULL, NULL, NULL },
};

static cublasLtHandle_t handle;
static cublasLtMatmulDesc_t desc;
static cublasLtMatrixLayout_t layout;
static cublasLtMatmulPreference_t preference, plain_preference;
static cublasLtMatrixTransformDesc_t transform;
static cublasLtMatmulHeuristicResult_t results[3];
static cublasLtMatmulAlgo_t known, newest, kept;
static unsigned char workspace[1 << 23];
static volatile int sink;

/* Through a volatile pointer, so that both ways are the same code. */
#define PICK(which, raw) (raw ? bench_functions[which].raw : bench_functions[which].own)

static void transform_get(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtMatrixTransformDesc_t, cublasLtMatrixTransformDescAttributes_t, void *, size_t, size_t *) =
		PICK(TRANSFORM_GET, raw);
	int32_t value;
	size_t written;

	while (count--)
		sink += (int)call(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, &value, sizeof(value), &written);
}

static void desc_get(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, void *, size_t, size_t *) = PICK(DESC_GET, raw);
	int32_t value;
	size_t written;

	while (count--)
		sink += (int)call(desc, CUBLASLT_MATMUL_DESC_TRANSA, &value, sizeof(value), &written);
}

static void desc_set(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void *, size_t) = PICK(DESC_SET, raw);
	int32_t value = 0;

	while (count--)
		sink += (int)call(desc, CUBLASLT_MATMUL_DESC_TRANSA, &value, sizeof(value));
}

static void get_preference(void *function, cublasLtMatmulPreference_t of, cublasLtMatmulPreferenceAttributes_t id, size_t size, long count)
{
	cublasStatus_t (*call)(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, void *, size_t, size_t *) = function;
	uint64_t value;
	size_t written;

	while (count--)
		sink += (int)call(of, id, &value, size, &written);
}

static void preference_get_plain(int raw, long count)
{
	get_preference(PICK(PREFERENCE_GET, raw), plain_preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8, count);
}

#ifdef CUBLASLT_MATMUL_PREF_MATH_MODE_MASK
static void preference_get_kept(int raw, long count)
{
	get_preference(PICK(PREFERENCE_GET, raw), preference, CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, 4, count);
}

static void preference_get_token(int raw, long count)
{
	get_preference(PICK(PREFERENCE_GET, raw), preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8, count);
}

static void preference_set_kept(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *, size_t) = PICK(PREFERENCE_SET, raw);
	uint32_t value = 0;

	while (count--) {
		value ^= 1;
		sink += (int)call(preference, CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, &value, sizeof(value));
	}
}

static void preference_set_plain(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *, size_t) = PICK(PREFERENCE_SET, raw);
	uint64_t value = 0;

	while (count--) {
		value ^= 1;
		sink += (int)call(plain_preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &value, sizeof(value));
	}
}
#endif

static void get_config(int raw, const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t id, long count)
{
	cublasStatus_t (*call)(const cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoConfigAttributes_t, void *, size_t, size_t *) =
		PICK(CONFIG_GET, raw);
	uint32_t value;
	size_t written;

	while (count--)
		sink += (int)call(algo, id, &value, sizeof(value), &written);
}

static void config_get_known(int raw, long count)
{
	get_config(raw, &known, CUBLASLT_ALGO_CONFIG_TILE_ID, count);
}

static void config_get_newest(int raw, long count)
{
	get_config(raw, &newest, CUBLASLT_ALGO_CONFIG_TILE_ID, count);
}

static void config_set(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoConfigAttributes_t, const void *, size_t) = PICK(CONFIG_SET, raw);
	cublasLtMatmulAlgo_t algo = known;
	uint32_t tile = CUBLASLT_MATMUL_TILE_64x64;

	while (count--)
		sink += (int)call(&algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof(tile));
}

static void get_capability(int raw, cublasLtMatmulAlgoCapAttributes_t id, long count)
{
	cublasStatus_t (*call)(const cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoCapAttributes_t, void *, size_t, size_t *) = PICK(CAP_GET, raw);
	int32_t value;
	size_t written;

	while (count--)
		sink += (int)call(&known, id, &value, sizeof(value), &written);
}

static void cap_get(int raw, long count)
{
	get_capability(raw, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT, count);
}

#ifdef CUBLASLT_ALGO_CAP_MATHMODE_IMPL
static void cap_get_dropped(int raw, long count)
{
	get_capability(raw, CUBLASLT_ALGO_CAP_MATHMODE_IMPL, count);
}
#endif

/* The check begins as the product does, and multiplies nothing. */
static void check(int raw, long count)
{
	cublasStatus_t (*call)(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
			       cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *, cublasLtMatmulHeuristicResult_t *) = PICK(CHECK, raw);

	cublasLtMatmulHeuristicResult_t answer;

	while (count--)
		sink += (int)call(handle, desc, layout, layout, layout, layout, &known, &answer);
}

static void multiply(int raw, const cublasLtMatmulAlgo_t *algo, long count)
{
	cublasStatus_t (*call)(cublasLtHandle_t, cublasLtMatmulDesc_t, const void *, const void *, cublasLtMatrixLayout_t, const void *,
			       cublasLtMatrixLayout_t, const void *, const void *, cublasLtMatrixLayout_t, void *, cublasLtMatrixLayout_t,
			       const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t) = PICK(MATMUL, raw);
	float alpha = 1, beta = 0, a = 2, b = 3, c = 0;

	while (count--)
		sink += (int)call(handle, desc, &alpha, &a, layout, &b, layout, &beta, &c, layout, &c, layout, algo, workspace,
				  sizeof(workspace), 0);
}

static void multiply_without(int raw, long count)
{
	multiply(raw, NULL, count);
}

static void multiply_known(int raw, long count)
{
	multiply(raw, &known, count);
}

static void multiply_kept(int raw, long count)
{
	multiply(raw, &kept, count);
}

/* What stands in for that one. */
static void multiply_first(int raw, long count)
{
	multiply(raw, &results[0].algo, count);
}

static void multiply_foreign(int raw, long count)
{
	static cublasLtMatmulAlgo_t foreign;	/* no library made it */

	multiply(raw, &foreign, count);
}

const struct bench_row bench_rows[] = {
	{ "MatrixTransformDescGetAttribute (passed on)", transform_get, NULL },
	{ "MatmulDescGetAttribute", desc_get, NULL },
	{ "MatmulDescSetAttribute", desc_set, NULL },
	{ "MatmulPreferenceGetAttribute", preference_get_plain, NULL },
#ifdef CUBLASLT_MATMUL_PREF_MATH_MODE_MASK
	{ "MatmulPreferenceGetAttribute of a token, the library's", preference_get_token, preference_get_plain },
	{ "MatmulPreferenceGetAttribute of a token, a dropped one", preference_get_kept, preference_get_plain },
	{ "MatmulPreferenceSetAttribute of a token, a dropped one", preference_set_kept, preference_set_plain },
#endif
	{ "AlgoConfigGetAttribute, an id that the caller knows", config_get_known, NULL },
	{ "AlgoConfigGetAttribute, the newest id", config_get_newest, NULL },
	{ "AlgoConfigSetAttribute", config_set, NULL },
	{ "AlgoCapGetAttribute", cap_get, NULL },
#ifdef CUBLASLT_ALGO_CAP_MATHMODE_IMPL
	{ "AlgoCapGetAttribute, a dropped one", cap_get_dropped, cap_get },
#endif
	{ "AlgoCheck", check, NULL },
	{ "Matmul 1x1 without an algorithm", multiply_without, NULL },
	{ "Matmul 1x1, an algorithm of the heuristic", multiply_known, NULL },
	{ "Matmul 1x1, an algorithm that was kept on disk", multiply_kept, NULL },
	{ "Matmul 1x1, an algorithm that has to be replaced", multiply_foreign, multiply_first },
	{ NULL, NULL, NULL },
};

const char *bench_prepare(void)
{
	uint64_t most = sizeof(workspace);
	uint32_t split = 1;
	int count = 0;

	if (cublasLtCreate(&handle))
		return "cublasLtCreate";
	if (cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) || cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 1, 1, 1) ||
	    cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F))
		return "making a descriptor";
	if (cublasLtMatmulPreferenceCreate(&preference) || cublasLtMatmulPreferenceCreate(&plain_preference) ||
	    cublasLtMatmulPreferenceSetAttribute(plain_preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most)))
		return "making a preference";
	if (cublasLtMatmulAlgoGetHeuristic(handle, desc, layout, layout, layout, layout, plain_preference, 3, results, &count) || count < 3)
		return "the heuristic";
	newest = results[1].algo;
	known = results[2].algo;
	/* Another that works and that nobody has seen: written into the bytes by the library itself. */
	kept = known;
	split = 2;
	if (((cublasStatus_t (*)(cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoConfigAttributes_t, const void *, size_t))
		     bench_functions[CONFIG_SET].raw)(&kept, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &split, sizeof(split)))
		return "splitting";
#ifdef CUBLASLT_MATMUL_PREF_MATH_MODE_MASK
	uint32_t mode = 1;

	if (cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, &mode, sizeof(mode)))
		return "the math mode mask";
#endif
	return NULL;
}
