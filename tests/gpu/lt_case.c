/* SPDX-License-Identifier: Apache-2.0 */
#include "lt_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lt_numbers.h"
#include "memory.h"
#include "lt.inc"

enum { M = 128, N = 64, K = 128, BATCH = 2, LONGEST = 16 /* bytes of an element */, WORKSPACE = 32 << 20 };
enum { VECTOR = 4096, MATRIX = K * M * LONGEST * BATCH };

static cublasLtHandle_t handle;
static unsigned char *outputs;		/* D, aux, bias, the two maxima: what a product may write */
static unsigned char *host;		/* the same on the host */
static void *workspace, *scales, *pointers[4];
enum { OUT_AUX = MATRIX, OUT_BIAS = 2 * MATRIX, OUT_MAX = OUT_BIAS + VECTOR * LONGEST, OUT_END = OUT_MAX + 512 };

static const char *name_of(const struct lt_named *list, int value)
{
	for (; list->name; list++)
		if (list->value == value)
			return list->name;
	return "-";
}

static int epilogue_has(int epilogue, const char *word)
{
	return strstr(name_of(lt_epilogues, epilogue), word) != NULL;
}

int lt_uses_bias(int epilogue)
{
	return epilogue_has(epilogue, "BIAS") || epilogue_has(epilogue, "BGRAD");
}

int lt_uses_aux(int epilogue)
{
	return epilogue_has(epilogue, "AUX") || epilogue_has(epilogue, "DRELU") || epilogue_has(epilogue, "DGELU");
}

int lt_type_bits(int type)
{
	return numbers_bits(name_of(lt_types, type));
}

int lt_is_complex(int type)
{
	return name_of(lt_types, type)[0] == 'C';
}

/* A device array of random numbers of a type, one for each role, made when first asked for. */
static void *input(int role, int type, size_t size)
{
	static void *made[8][64];
	void *numbers;

	if (made[role][type])
		return made[role][type];
	numbers = malloc(size);
	if (!numbers)
		exit(4);
	numbers_fill(name_of(lt_types, type), (uint64_t)role * 64 + (uint64_t)type, numbers, size);
	made[role][type] = memory_take(size);
	memory_put(made[role][type], numbers, size);
	free(numbers);
	return made[role][type];
}

void lt_open(void)
{
	float factors[VECTOR];
	size_t i;

	outputs = memory_take(OUT_END);
	workspace = memory_take(WORKSPACE);
	scales = memory_take(sizeof(factors));
	host = malloc(OUT_END);
	for (i = 0; i < VECTOR; i++)
		factors[i] = 0.5f + (float)(i % 5) * 0.25f;
	memory_put(scales, factors, sizeof(factors));
	for (i = 0; i < 4; i++)
		pointers[i] = memory_take(BATCH * sizeof(void *));
	if (!host || cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
		printf("cublasLtCreate failed\n");
		exit(4);
	}
}

struct blocks {
	cublasLtMatmulDescOpaque_t desc;
	cublasLtMatrixLayoutOpaque_t layout[4];
	cublasLtMatmulPreferenceOpaque_t preference;
};

struct descriptors {
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t layout[4];	/* A, B, C, D */
	cublasLtMatmulPreference_t preference;
	int status;				/* the first that was no success */
};

static void note(struct descriptors *all, cublasStatus_t status)
{
	if (!all->status)
		all->status = status;
}

#define SET(kind, object, attribute, type, ...) do { \
	type value_ = __VA_ARGS__; \
	note(all, cublasLt##kind##SetAttribute(object, attribute, &value_, sizeof(value_))); \
} while (0)

static int64_t leading(int order, int rows, int columns)
{
	if (order == CUBLASLT_ORDER_COL)
		return rows;
	if (order == CUBLASLT_ORDER_ROW)
		return columns;
	return 32 * rows;	/* rows are multiples of what each tiled order rounds up to */
}

static void set_layout(struct descriptors *all, const struct lt_case *lt, int i, int type, int order, int rows, int columns)
{
	SET(MatrixLayout, all->layout[i], CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t, order);
	SET(MatrixLayout, all->layout[i], CUBLASLT_MATRIX_LAYOUT_LD, int64_t, leading(order, rows, columns));
	if (lt->batch != LT_UNSET) {
		SET(MatrixLayout, all->layout[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t, BATCH);
		SET(MatrixLayout, all->layout[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t, (int64_t)rows * columns);
	}
#ifdef HAVE_CUBLASLT_MATRIX_LAYOUT_BATCH_MODE
	if (lt->batch > 0)
		SET(MatrixLayout, all->layout[i], CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, int32_t, lt->batch);
#endif
	if (lt->planar)
		SET(MatrixLayout, all->layout[i], CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, int64_t,
		    (int64_t)rows * columns * lt_type_bits(type) / 16 * (lt->batch == LT_UNSET ? 1 : BATCH));
}

static void set_scales(struct descriptors *all, const struct lt_case *lt)
{
#ifdef HAVE_CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
	static const struct {
		int bit, attribute;
	} wanted[] = {
		{LT_A_SCALE, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER}, {LT_B_SCALE, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER},
		{LT_C_SCALE, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER}, {LT_D_SCALE, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER},
		{LT_D_AMAX, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER}, {LT_AUX_SCALE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER},
		{LT_AUX_AMAX, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER},
	};
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (lt->given & wanted[i].bit)
			SET(MatmulDesc, all->desc, (cublasLtMatmulDescAttributes_t)wanted[i].attribute, void *,
			    wanted[i].bit == LT_D_AMAX ? outputs + OUT_MAX : wanted[i].bit == LT_AUX_AMAX ? outputs + OUT_MAX + 256 :
			    (unsigned char *)scales + 2048 * i);
	if (lt->given & LT_FAST_ACCUM)
		SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t, 1);
#endif
#ifdef HAVE_CUBLASLT_MATMUL_DESC_A_SCALE_MODE
	if (lt->mode_a != LT_UNSET)
		SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, int32_t, lt->mode_a);
	if (lt->mode_b != LT_UNSET)
		SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, int32_t, lt->mode_b);
#endif
	(void)all;
	(void)lt;
}

static void set_epilogue(struct descriptors *all, const struct lt_case *lt)
{
	int batched = lt->batch != LT_UNSET;

	SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, int32_t, lt->epilogue);
	if (lt_uses_bias(lt->epilogue)) {
		SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, void *, outputs + OUT_BIAS);
#ifdef HAVE_CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
		if (lt->bias != LT_UNSET)
			SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, int32_t, lt->bias);
#endif
		if (batched)
			SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, int64_t, K);
	}
	if (lt_uses_aux(lt->epilogue)) {
		SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, void *, outputs + OUT_AUX);
		SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t, M);
#ifdef HAVE_CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE
		if (lt->aux != LT_UNSET)
			SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, int32_t, lt->aux);
#endif
		if (batched)
			SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, int64_t, M * N);
	}
}

static void make(struct descriptors *all, struct blocks *blocks, const struct lt_case *lt)
{
	const int types[4] = {lt->a, lt->b, lt->c, lt->d};
	const int orders[4] = {lt->order_a, lt->order_b, lt->order_c, lt->order_c};
	const int rows[4] = {lt->op_a ? K : M, lt->op_b ? N : K, M, M}, columns[4] = {lt->op_a ? M : K, lt->op_b ? K : N, N, N};
	int i;

	memset(all, 0, sizeof(*all));
	if (lt->created) {
		note(all, cublasLtMatmulDescCreate(&all->desc, (cublasComputeType_t)lt->compute, (cudaDataType_t)lt->scale));
		note(all, cublasLtMatmulPreferenceCreate(&all->preference));
	} else {
		memset(blocks, 0xa5, sizeof(*blocks));
		all->desc = &blocks->desc;
		all->preference = &blocks->preference;
		note(all, cublasLtMatmulDescInit(all->desc, (cublasComputeType_t)lt->compute, (cudaDataType_t)lt->scale));
		note(all, cublasLtMatmulPreferenceInit(all->preference));
	}
	for (i = 0; i < 4; i++) {
		uint64_t r = (uint64_t)rows[i], c = (uint64_t)columns[i];

		if (lt->created) {
			note(all, cublasLtMatrixLayoutCreate(&all->layout[i], (cudaDataType_t)types[i], r, c, rows[i]));
		} else {
			all->layout[i] = &blocks->layout[i];
			note(all, cublasLtMatrixLayoutInit(all->layout[i], (cudaDataType_t)types[i], r, c, rows[i]));
		}
		if (all->status)
			return;
		set_layout(all, lt, i, types[i], orders[i], rows[i], columns[i]);
	}
	SET(MatmulPreference, all->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t, WORKSPACE);
	SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_TRANSA, int32_t, lt->op_a);
	SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_TRANSB, int32_t, lt->op_b);
	SET(MatmulDesc, all->desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, int32_t, lt->pointer_mode);
	set_epilogue(all, lt);
	set_scales(all, lt);
}

static void finish(struct descriptors *all, const struct lt_case *lt)
{
	int i;

	if (!lt->created)
		return;
	for (i = 0; i < 4; i++)
		if (all->layout[i])
			cublasLtMatrixLayoutDestroy(all->layout[i]);
	if (all->desc)
		cublasLtMatmulDescDestroy(all->desc);
	if (all->preference)
		cublasLtMatmulPreferenceDestroy(all->preference);
}

/* Bytes of D and of aux that the case can write; the rest of the outputs stays out of the comparison. */
static size_t matrix_size(const struct lt_case *lt, int type)
{
	return (size_t)M * N * (size_t)lt_type_bits(type) / 8 * (lt->batch == LT_UNSET ? 1 : BATCH);
}

/* Poison where a product writes, numbers where it reads: BIAS and D… epilogues read the vector and the matrix beside D. */
static void prepare(const struct lt_case *lt)
{
	int aux = lt->aux == LT_UNSET ? lt->d : lt->aux, bias = lt->bias == LT_UNSET ? lt->d : lt->bias;

	memset(host, 0x5a, matrix_size(lt, lt->d));
	memory_put(outputs, host, matrix_size(lt, lt->d));
	if (lt_uses_aux(lt->epilogue)) {
		numbers_fill(name_of(lt_types, aux), 1000 + (uint64_t)aux, host, matrix_size(lt, aux));
		memory_put(outputs + OUT_AUX, host, matrix_size(lt, aux));
	}
	if (lt_uses_bias(lt->epilogue)) {
		numbers_fill(name_of(lt_types, bias), 2000 + (uint64_t)bias, host, 2 * K * LONGEST);
		memory_put(outputs + OUT_BIAS, host, 2 * K * LONGEST);
	}
	memset(host, 0, 512);
	if (lt->given & (LT_D_AMAX | LT_AUX_AMAX))
		memory_put(outputs + OUT_MAX, host, 512);
}

static uint64_t collect(const struct lt_case *lt)
{
	int aux = lt->aux == LT_UNSET ? lt->d : lt->aux;
	uint64_t bits;

	memory_get(host, outputs, matrix_size(lt, lt->d));
	bits = numbers_hash(0, host, matrix_size(lt, lt->d));
	if (lt_uses_aux(lt->epilogue)) {
		memory_get(host, outputs + OUT_AUX, matrix_size(lt, aux));
		bits = numbers_hash(bits, host, matrix_size(lt, aux));
	}
	if (lt_uses_bias(lt->epilogue)) {
		memory_get(host, outputs + OUT_BIAS, 2 * K * LONGEST);
		bits = numbers_hash(bits, host, 2 * K * LONGEST);
	}
	if (lt->given & (LT_D_AMAX | LT_AUX_AMAX)) {
		memory_get(host, outputs + OUT_MAX, 512);
		bits = numbers_hash(bits, host, 512);
	}
	return bits;
}

/* The four matrices as the product takes them: themselves, or device arrays of pointers to each of a batch. */
static void matrices(const struct lt_case *lt, void *at[4])
{
	const int types[4] = {lt->a, lt->b, lt->c, lt->d}, elements[4] = {M * K, K * N, M * N, M * N};
	int i, k;

	for (i = 0; i < 3; i++)
		at[i] = input(i, types[i], MATRIX);
	at[3] = outputs;
	for (i = 0; i < 4 && lt->batch > 0; i++) {
		unsigned char *each[BATCH];

		for (k = 0; k < BATCH; k++)
			each[k] = (unsigned char *)at[i] + (size_t)k * (size_t)elements[i] * (size_t)lt_type_bits(types[i]) / 8;
		memory_put(pointers[i], each, sizeof(each));
		at[i] = pointers[i];
	}
}

static int multiply(const struct lt_case *lt, struct descriptors *all, const cublasLtMatmulAlgo_t *algo)
{
	unsigned char alpha_host[LONGEST], beta_host[LONGEST];
	const char *scale = name_of(lt_types, lt->scale), *mode = name_of(lt_pointer_modes, lt->pointer_mode);
	const void *alpha = alpha_host, *beta = beta_host;
	void *at[4];
	int whole = strchr(scale, 'I') != NULL;

	numbers_scalar(scale, whole ? 1 : 1.25, alpha_host);
	numbers_scalar(scale, whole ? 1 : 0.5, beta_host);
	matrices(lt, at);
	if (strstr(mode, "DEVICE")) {
		alpha = input(5, lt->scale, VECTOR * LONGEST);
		if (!strstr(mode, "BETA_HOST"))
			beta = (const unsigned char *)alpha + 512;
	}
	return cublasLtMatmul(handle, all->desc, alpha, at[0], all->layout[0], at[1], all->layout[1], beta, at[2], all->layout[2],
			      at[3], all->layout[3], algo, workspace, WORKSPACE, 0);
}

void lt_run(const struct lt_case *lt, const cublasLtMatmulAlgo_t *algo, struct lt_answer *answer)
{
	struct descriptors all;
	struct blocks blocks;
	cublasLtMatmulHeuristicResult_t result;
	int found = 0, lost;

	memset(answer, 0, sizeof(*answer));
	memset(&result, 0, sizeof(result));
	answer->product = LT_UNSET;
	make(&all, &blocks, lt);
	answer->set = all.status;
	if (!all.status) {
		answer->heuristic = cublasLtMatmulAlgoGetHeuristic(handle, all.desc, all.layout[0], all.layout[1], all.layout[2],
								   all.layout[3], all.preference, 1, &result, &found);
		if (!answer->heuristic && found < 1)
			answer->heuristic = LT_UNSET;
		answer->algo = result.algo;
	}
	if (!all.status && !answer->heuristic) {
		prepare(lt);
		answer->product = multiply(lt, &all, algo ? algo : &result.algo);
		lost = memory_wait();
		if (lost) {
			char text[300];

			lt_describe(lt, text, sizeof(text));
			printf("driver error %d after: %s\n", lost, text);
			exit(5);
		}
		answer->bits = answer->product ? 0 : collect(lt);
	}
	finish(&all, lt);
}

int lt_check(const struct lt_case *lt, const cublasLtMatmulAlgo_t *algo)
{
	cublasLtMatmulHeuristicResult_t result;
	struct descriptors all;
	struct blocks blocks;
	int status;

	memset(&result, 0, sizeof(result));
	make(&all, &blocks, lt);
	status = all.status ? all.status : (int)cublasLtMatmulAlgoCheck(handle, all.desc, all.layout[0], all.layout[1], all.layout[2],
									 all.layout[3], algo, &result);
	finish(&all, lt);
	return status;
}

void lt_describe(const struct lt_case *lt, char *text, size_t size)
{
	static const char ops[] = "NTC";

	snprintf(text, size, "%s*%s+%s=%s %s/%s %c%c %s,%s,%s %s bias=%s aux=%s batch=%s %s given=%d scales=%s,%s%s%s",
		 name_of(lt_types, lt->a), name_of(lt_types, lt->b), name_of(lt_types, lt->c), name_of(lt_types, lt->d),
		 name_of(lt_computes, lt->compute), name_of(lt_types, lt->scale), ops[lt->op_a], ops[lt->op_b],
		 name_of(lt_orders, lt->order_a), name_of(lt_orders, lt->order_b), name_of(lt_orders, lt->order_c),
		 name_of(lt_epilogues, lt->epilogue), name_of(lt_types, lt->bias), name_of(lt_types, lt->aux),
		 lt->batch == LT_UNSET ? "-" : lt->batch ? "POINTER_ARRAY" : "STRIDED", name_of(lt_pointer_modes, lt->pointer_mode), lt->given,
		 name_of(lt_scale_modes, lt->mode_a), name_of(lt_scale_modes, lt->mode_b), lt->planar ? " planar" : "",
		 lt->created ? " created" : "");
}
