/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublasLtMatmul and cublasLtMatrixTransform of a fake library against products computed here, in another way: element by
 * element in plain rows and columns, packed and unpacked by the formulas of the vendor's header. Built once for each release.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "fake_api.h"
#include "test_matrix.h"

static cublasLtHandle_t handle;

struct problem {
	int compute, scale, type, out;		/* of A and B, of C and D */
	int order_a, order_b, order_c;
	bool trans_a, trans_b;
	size_t m, n, k;
	double alpha, beta;
	int epilogue;
};

static cublasLtMatmulDesc_t describe(const struct problem *p, const void *bias)
{
	int32_t trans_a = p->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N, trans_b = p->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
	int32_t epilogue = p->epilogue ? p->epilogue : CUBLASLT_EPILOGUE_DEFAULT;
	cublasLtMatmulDesc_t desc;

	assert_int_equal(cublasLtMatmulDescCreate(&desc, (cublasComputeType_t)p->compute, (cudaDataType_t)p->scale), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &trans_a, sizeof trans_a), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &trans_b, sizeof trans_b), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias), 0);
	return desc;
}

static double activated(int epilogue, double x)
{
	if (epilogue == CUBLASLT_EPILOGUE_RELU || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS)
		return x > 0 ? x : 0;
	if (epilogue == CUBLASLT_EPILOGUE_GELU || epilogue == CUBLASLT_EPILOGUE_GELU_BIAS)
		return x * 0.5 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * pow(x, 3))));
	return x;
}

static double expected(const struct problem *p, const struct matrix *a, const struct matrix *b, const struct matrix *c, size_t i,
		       size_t j, double bias)
{
	double sum = 0;

	for (size_t l = 0; l < p->k; l++)
		sum += (p->trans_a ? a->value[l * a->cols + i] : a->value[i * a->cols + l]) *
		       (p->trans_b ? b->value[j * b->cols + l] : b->value[l * b->cols + j]);
	sum = p->alpha * sum + p->beta * c->value[i * c->cols + j];
	if (p->epilogue && p->epilogue & CUBLASLT_EPILOGUE_BIAS)
		sum += bias;
	sum = activated(p->epilogue, sum);
	return p->out == CUDA_R_8I ? fmax(-128, fmin(127, nearbyint(sum))) : sum;
}

static void check(const struct problem *p)
{
	struct matrix a, b, c;
	double bias[64] = { 0 }, alpha = 0, beta = 0, tolerance = p->out == CUDA_R_16F || p->out == CUDA_R_16BF ? 1e-2 : 1e-5;
	char bias_data[64 * 8];
	cublasLtMatmulDesc_t desc;

	seed = 7;
	make(&a, p->type, p->order_a, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k);
	make(&b, p->type, p->order_b, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n);
	make(&c, p->out, p->order_c, p->m, p->n);
	pack(&a, p->type);
	pack(&b, p->type);
	pack(&c, p->out);
	for (size_t i = 0; i < p->m; i++) {
		bias[i] = next_number();
		put(bias_data, p->out == CUDA_R_8I ? p->scale : p->out, i, bias[i]);
	}
	put(&alpha, p->scale, 0, p->alpha);
	put(&beta, p->scale, 0, p->beta);
	desc = describe(p, bias_data);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a.data, a.layout, b.data, b.layout, &beta, c.data, c.layout, c.data,
					c.layout, NULL, NULL, 0, NULL), CUBLAS_STATUS_SUCCESS);
	for (size_t i = 0; i < p->m; i++)
		for (size_t j = 0; j < p->n; j++) {
			double want = expected(p, &a, &b, &c, i, j, bias[i]);
			double have = get(c.data, p->out, header_offset(c.order, i, j, c.ld));

			if (fabs(want - have) > tolerance * (1 + fabs(want)))
				fail_msg("(%zu, %zu): %g, expected %g", i, j, have, want);
		}
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
	drop(&a);
	drop(&b);
	drop(&c);
}

static const struct problem single = {
	.compute = CUBLAS_COMPUTE_32F, .scale = CUDA_R_32F, .type = CUDA_R_32F, .out = CUDA_R_32F, .m = 13, .n = 9, .k = 21,
	.alpha = 1.5, .beta = -0.5,
};

static void products_of_each_transposition_are_right(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct problem p = single;

		p.trans_a = i & 1;
		p.trans_b = i & 2;
		check(&p);
	}
}

static void products_of_row_and_column_order_are_right(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct problem p = single;

		p.order_a = i & 1 ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
		p.order_b = i & 2 ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
		p.order_c = i & 4 ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
		check(&p);
	}
}

static void products_of_each_type_are_right(void **state)
{
	static const struct problem types[] = {
		{ .compute = CUBLAS_COMPUTE_64F, .scale = CUDA_R_64F, .type = CUDA_R_64F, .out = CUDA_R_64F },
		{ .compute = CUBLAS_COMPUTE_32F, .scale = CUDA_R_32F, .type = CUDA_R_16F, .out = CUDA_R_16F },
		{ .compute = CUBLAS_COMPUTE_32F, .scale = CUDA_R_32F, .type = CUDA_R_16F, .out = CUDA_R_32F },
		{ .compute = CUBLAS_COMPUTE_32F, .scale = CUDA_R_32F, .type = CUDA_R_16BF, .out = CUDA_R_16BF },
		{ .compute = CUBLAS_COMPUTE_16F, .scale = CUDA_R_16F, .type = CUDA_R_16F, .out = CUDA_R_16F },
		{ .compute = CUBLAS_COMPUTE_32I, .scale = CUDA_R_32I, .type = CUDA_R_8I, .out = CUDA_R_32I },
		{ .compute = CUBLAS_COMPUTE_32I, .scale = CUDA_R_32F, .type = CUDA_R_8I, .out = CUDA_R_8I },
	};

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct problem p = types[i];

		p.m = 8;
		p.n = 12;
		p.k = 20;
		p.trans_a = true;
		p.alpha = p.scale == CUDA_R_32I ? 1 : 0.25;
		p.beta = p.scale == CUDA_R_32I ? 0 : 0.5;
		check(&p);
	}
}

static void int8_products_of_the_tiled_orders_are_right(void **state)
{
	static const int orders[] = { CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct problem p = {
			.compute = CUBLAS_COMPUTE_32I, .scale = i & 1 ? CUDA_R_32F : CUDA_R_32I, .type = CUDA_R_8I,
			.out = i & 1 ? CUDA_R_8I : CUDA_R_32I, .order_a = CUBLASLT_ORDER_COL32, .order_b = orders[i / 2],
			.order_c = CUBLASLT_ORDER_COL32, .trans_b = true, .m = 24, .n = 40, .k = 64, .alpha = i & 1 ? 0.125 : 1,
		};

		check(&p);
	}
}

static void each_forward_epilogue_is_right(void **state)
{
	static const int epilogues[] = {
		CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,
		CUBLASLT_EPILOGUE_GELU_BIAS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof epilogues / sizeof *epilogues; i++) {
		struct problem p = single;

		p.alpha = 0.25;
		p.epilogue = epilogues[i];
		check(&p);
	}
}

/* The forward form keeps a mask, the backward form uses it: together they give the gradient of the ReLU. */
static void the_relu_mask_of_the_forward_product_gates_the_backward_one(void **state)
{
	enum { N = 4 };
	float a[N * N], one[N * N] = { 0 }, d[N * N], gradient[N * N], bias[N] = { 0 }, alpha = 1, beta = 0;
	unsigned char mask[64] = { 0 };
	void *aux = mask, *bias_pointer = bias;
	int64_t ld = 128;
	int32_t epilogue = CUBLASLT_EPILOGUE_RELU_AUX;
	cublasLtMatrixLayout_t layout;
	cublasLtMatmulDesc_t desc = describe(&single, NULL);

	(void)state;
	seed = 3;
	for (int i = 0; i < N * N; i++)
		a[i] = (float)next_number();
	for (int i = 0; i < N; i++)
		one[i * N + i] = 1;
	assert_int_equal(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, N, N, N), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a, layout, one, layout, &beta, d, layout, d, layout, NULL, NULL, 0, NULL),
			 0);
	epilogue = CUBLASLT_EPILOGUE_DRELU_BGRAD;
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_pointer, 8), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a, layout, one, layout, &beta, gradient, layout, gradient, layout, NULL,
					NULL, 0, NULL), 0);
	for (int i = 0; i < N; i++) {
		float sum = 0;

		for (int j = 0; j < N; j++) {
			assert_float_equal(d[j * N + i], a[j * N + i] > 0 ? a[j * N + i] : 0, 0);
			assert_float_equal(gradient[j * N + i], a[j * N + i] > 0 ? a[j * N + i] : 0, 0);
			sum += gradient[j * N + i];
		}
		assert_float_equal(bias[i], sum, 1e-6);
	}
	assert_int_equal(cublasLtMatrixLayoutDestroy(layout), 0);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
}

static void a_transform_to_each_order_and_back_gives_the_same_matrix(void **state)
{
	static const int orders[] = { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_COL32, CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4 };
	cublasLtMatrixTransformDesc_t desc;
	float one = 1, zero = 0;

	(void)state;
	assert_int_equal(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F), 0);
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct matrix from, to, back;
		cublasStatus_t status;

		seed = 11;
		make(&from, CUDA_R_8I, CUBLASLT_ORDER_ROW, 40, 48);
		make(&to, CUDA_R_8I, orders[i], 40, 48);
		make(&back, CUDA_R_8I, CUBLASLT_ORDER_ROW, 40, 48);
		pack(&from, CUDA_R_8I);
		assert_int_equal(cublasLtMatrixTransform(handle, desc, &one, from.data, from.layout, &zero, NULL, NULL, to.data, to.layout,
							 NULL), 0);
		for (size_t r = 0; r < 40; r++)
			for (size_t c = 0; c < 48; c++)
				assert_true(get(to.data, CUDA_R_8I, header_offset(orders[i], r, c, to.ld)) == from.value[r * 48 + c]);
		/* The real library never unpacks the two tiled weight orders. */
		status = cublasLtMatrixTransform(handle, desc, &one, to.data, to.layout, &zero, NULL, NULL, back.data, back.layout, NULL);
		assert_int_equal(status, i < 2 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED);
		if (!status)
			assert_memory_equal(from.data, back.data, 40 * 48);
		drop(&from);
		drop(&to);
		drop(&back);
	}
	assert_int_equal(cublasLtMatrixTransformDescDestroy(desc), 0);
}

static void a_batch_is_a_product_each(void **state)
{
	float a[2 * 4] = { 1, 2, 3, 4, 5, 6, 7, 8 }, b[2 * 4] = { 1, 0, 0, 1, 2, 0, 0, 2 }, c[2 * 4] = { 0 }, alpha = 1, beta = 0;
	static const float want[] = { 1, 2, 3, 4, 10, 12, 14, 16 };
	int32_t count = 2;
	int64_t stride = 4;
	cublasLtMatrixLayout_t layout;
	cublasLtMatmulDesc_t desc = describe(&single, NULL);

	(void)state;
	assert_int_equal(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 2, 2, 2), 0);
	assert_int_equal(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, 4), 0);
	assert_int_equal(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, 8), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a, layout, b, layout, &beta, c, layout, c, layout, NULL, NULL, 0, NULL), 0);
	assert_memory_equal(c, want, sizeof want);
	assert_int_equal(cublasLtMatrixLayoutDestroy(layout), 0);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
}

struct query {
	cublasLtMatrixLayout_t layout;
	cublasLtMatmulDesc_t desc;
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t results[8];
	int count;
};

static void ask(struct query *q, uint64_t workspace)
{
	assert_int_equal(cublasLtMatrixLayoutCreate(&q->layout, CUDA_R_32F, 4, 4, 4), 0);
	q->desc = describe(&single, NULL);
	assert_int_equal(cublasLtMatmulPreferenceCreate(&q->preference), 0);
	assert_int_equal(cublasLtMatmulPreferenceSetAttribute(q->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, 8), 0);
	assert_int_equal(cublasLtMatmulAlgoGetHeuristic(handle, q->desc, q->layout, q->layout, q->layout, q->layout, q->preference, 8,
							q->results, &q->count), 0);
}

static void finish(struct query *q)
{
	assert_int_equal(cublasLtMatrixLayoutDestroy(q->layout), 0);
	assert_int_equal(cublasLtMatmulDescDestroy(q->desc), 0);
	assert_int_equal(cublasLtMatmulPreferenceDestroy(q->preference), 0);
}

static void an_algorithm_of_the_heuristic_runs_with_its_workspace_alone(void **state)
{
	static unsigned char workspace[1 << 23];
	float a[16] = { 1 }, b[16] = { 2 }, c[16] = { 0 }, alpha = 1, beta = 0;
	struct query q;

	(void)state;
	ask(&q, sizeof workspace);
	assert_true(q.count > 1);
	assert_true(q.results[0].workspaceSize > 0);
	assert_int_equal(cublasLtMatmul(handle, q.desc, &alpha, a, q.layout, b, q.layout, &beta, c, q.layout, c, q.layout,
					&q.results[0].algo, workspace, q.results[0].workspaceSize, NULL), 0);
	assert_float_equal(c[0], 2, 0);
	assert_int_equal(cublasLtMatmul(handle, q.desc, &alpha, a, q.layout, b, q.layout, &beta, c, q.layout, c, q.layout,
					&q.results[0].algo, workspace, q.results[0].workspaceSize - 1, NULL),
			 CUBLAS_STATUS_INVALID_VALUE);
	finish(&q);
	ask(&q, 0);
	for (int i = 0; i < q.count; i++)
		assert_int_equal(q.results[i].workspaceSize, 0);
	finish(&q);
}

static void an_algorithm_of_another_release_is_refused(void **state)
{
	float a[16] = { 1 }, alpha = 1, beta = 0, c[16];
	struct query q;

	(void)state;
	ask(&q, 0);
	q.results[0].algo.data[0] ^= 1;	/* where the fakes keep their release */
	assert_int_equal(cublasLtMatmul(handle, q.desc, &alpha, a, q.layout, a, q.layout, &beta, c, q.layout, c, q.layout,
					&q.results[0].algo, NULL, 0, NULL), CUBLAS_STATUS_INVALID_VALUE);
	finish(&q);
}

static void an_algorithm_keeps_its_configuration(void **state)
{
	uint32_t tile = CUBLASLT_MATMUL_TILE_128x128, read = 0;
	int32_t id = -1;
	size_t written;
	struct query q;

	(void)state;
	ask(&q, 0);
	assert_int_equal(cublasLtMatmulAlgoConfigSetAttribute(&q.results[0].algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof tile), 0);
	assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(&q.results[0].algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &read, sizeof read,
							      &written), 0);
	assert_int_equal(read, tile);
	assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(&q.results[0].algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id, &written), 0);
	assert_int_equal(id, 0);
	assert_int_equal(cublasLtMatmulAlgoCheck(handle, q.desc, q.layout, q.layout, q.layout, q.layout, &q.results[0].algo,
						 &q.results[1]), 0);
	tile = CUBLASLT_MATMUL_TILE_END;
	assert_int_equal(cublasLtMatmulAlgoConfigSetAttribute(&q.results[0].algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof tile), 0);
	assert_int_equal(cublasLtMatmulAlgoCheck(handle, q.desc, q.layout, q.layout, q.layout, q.layout, &q.results[0].algo,
						 &q.results[1]), CUBLAS_STATUS_INVALID_VALUE);
	finish(&q);
}

static void what_is_no_handle_or_no_block_is_refused(void **state)
{
	uint64_t nonsense[64] = { 1, 2, 3 };
	float a[16] = { 0 }, alpha = 1, beta = 0;
	struct query q;

	(void)state;
	ask(&q, 0);
	assert_int_equal(cublasLtMatmul((cublasLtHandle_t)nonsense, q.desc, &alpha, a, q.layout, a, q.layout, &beta, a, q.layout, a,
					q.layout, NULL, NULL, 0, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
	assert_int_equal(cublasLtMatmul(handle, (cublasLtMatmulDesc_t)nonsense, &alpha, a, q.layout, a, q.layout, &beta, a, q.layout, a,
					q.layout, NULL, NULL, 0, NULL), CUBLAS_STATUS_INVALID_VALUE);
	assert_int_equal(cublasLtMatmul(handle, q.desc, &alpha, a, (cublasLtMatrixLayout_t)nonsense, a, q.layout, &beta, a, q.layout, a,
					q.layout, NULL, NULL, 0, NULL), CUBLAS_STATUS_INVALID_VALUE);
	finish(&q);
}

/* The seam for tests, found through the library's own handle. */
static void *library(void)
{
	Dl_info info;
	void *opened;

	assert_int_not_equal(dladdr((void *)cublasLtCreate, &info), 0);
	opened = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(opened);
	return opened;
}

static void a_planned_failure_happens_once_and_calls_are_counted(void **state)
{
	void *lib = library();
	uint64_t (*calls)(const char *) = (uint64_t(*)(const char *))dlsym(lib, "gwfake_calls");
	int (*fail_next)(const char *, int) = (int (*)(const char *, int))dlsym(lib, "gwfake_fail_next");
	cublasLtMatmulDesc_t desc;
	uint64_t before = calls("cublasLtMatmulDescCreate");

	(void)state;
	assert_int_equal(fail_next("cublasLtMatmulDescCreate", CUBLAS_STATUS_ALLOC_FAILED), 0);
	assert_int_equal(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_ALLOC_FAILED);
	assert_int_equal(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
	assert_true(calls("cublasLtMatmulDescCreate") == before + 2);
	assert_true(calls("cublasLtNoSuchThing") == UINT64_MAX);
	assert_int_equal(fail_next("cublasLtNoSuchThing", 1), -1);
	dlclose(lib);
}

static void tiled_products_can_be_refused_as_new_gpus_do(void **state)
{
	void *lib = library();
	int (*set)(const char *, long) = (int (*)(const char *, long))dlsym(lib, "gwfake_set");
	struct matrix a, b, c;
	struct problem p = { .compute = CUBLAS_COMPUTE_32I, .scale = CUDA_R_32I, .trans_b = true };
	cublasLtMatmulDesc_t desc = describe(&p, NULL);
	int32_t alpha = 1, beta = 0;

	(void)state;
	make(&a, CUDA_R_8I, CUBLASLT_ORDER_COL32, 32, 32);
	make(&b, CUDA_R_8I, CUBLASLT_ORDER_COL4_4R2_8C, 32, 32);
	make(&c, CUDA_R_32I, CUBLASLT_ORDER_COL32, 32, 32);
	assert_int_equal(set("refuse_tiled", 1), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a.data, a.layout, b.data, b.layout, &beta, c.data, c.layout, c.data,
					c.layout, NULL, NULL, 0, NULL), CUBLAS_STATUS_NOT_SUPPORTED);
	assert_int_equal(set("refuse_tiled", 0), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a.data, a.layout, b.data, b.layout, &beta, c.data, c.layout, c.data,
					c.layout, NULL, NULL, 0, NULL), 0);
	drop(&a);
	drop(&b);
	drop(&c);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
	dlclose(lib);
}

enum { THREADS = 8, ROUNDS = 300 };

static void *call_often(void *wrong)
{
	for (int i = 0; i < ROUNDS; i++) {
		float a[4] = { 1, 2, 3, 4 }, unit[4] = { 1, 0, 0, 1 }, d[4] = { 0 }, alpha = 1, beta = 0;
		cublasLtMatmulDesc_t desc;
		cublasLtMatrixLayout_t layout;

		if (cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) ||
		    cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 2, 2, 2) ||
		    cublasLtMatmul(handle, desc, &alpha, a, layout, unit, layout, &beta, d, layout, d, layout, NULL, NULL, 0, NULL) ||
		    memcmp(a, d, sizeof a) || cublasLtMatrixLayoutDestroy(layout) || cublasLtMatmulDescDestroy(desc))
			atomic_fetch_add((_Atomic unsigned *)wrong, 1);
	}
	return NULL;
}

static void threads_share_a_handle_and_no_call_is_lost(void **state)
{
	void *lib = library();
	uint64_t (*calls)(const char *) = (uint64_t(*)(const char *))dlsym(lib, "gwfake_calls"), before = calls("cublasLtMatmul");
	_Atomic unsigned wrong = 0;
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, &wrong), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(wrong, 0);
	assert_true(calls("cublasLtMatmul") == before + THREADS * ROUNDS);
	dlclose(lib);
}

#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
static void narrow_floats_are_scaled_in_and_out(void **state)
{
	/* e4m3: 1.0 is 0x38, 2.0 is 0x40, -1.5 is 0xbc, 448 is 0x7e */
	unsigned char a[16] = { 0x38, 0x40, 0xbc }, b[16] = { 0x40, 0x38, 0x38 };
	uint16_t c[1] = { 0 };
	unsigned char d[1] = { 0 };
	float alpha = 1, beta = 0, scale_a = 2, scale_d = 1000, amax = 0;
	const void *pa = &scale_a, *pd = &scale_d, *pm = &amax;
	struct problem p = single;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t la, lc, ld;

	(void)state;
	p.trans_a = true;
	desc = describe(&p, NULL);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &pa, sizeof pa), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, &pd, sizeof pd), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, &pm, sizeof pm), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&la, CUDA_R_8F_E4M3, 16, 1, 16), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&lc, CUDA_R_16BF, 1, 1, 1), 0);
	assert_int_equal(cublasLtMatrixLayoutCreate(&ld, CUDA_R_8F_E4M3, 1, 1, 1), 0);
	assert_int_equal(cublasLtMatmul(handle, desc, &alpha, a, la, b, la, &beta, c, lc, d, ld, NULL, NULL, 0, NULL), 0);
	/* 2 (1*2 + 2*1 - 1.5*1) = 5; times 1000 it saturates at the greatest e4m3 */
	assert_float_equal(amax, 5, 0);
	assert_int_equal(d[0], 0x7e);
	assert_int_equal(cublasLtMatrixLayoutDestroy(la), 0);
	assert_int_equal(cublasLtMatrixLayoutDestroy(lc), 0);
	assert_int_equal(cublasLtMatrixLayoutDestroy(ld), 0);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
}
#endif

static int create_handle(void **state)
{
	(void)state;
	return cublasLtCreate(&handle);
}

static int destroy_handle(void **state)
{
	(void)state;
	return cublasLtDestroy(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_of_each_transposition_are_right),
		cmocka_unit_test(products_of_row_and_column_order_are_right),
		cmocka_unit_test(products_of_each_type_are_right),
		cmocka_unit_test(int8_products_of_the_tiled_orders_are_right),
		cmocka_unit_test(each_forward_epilogue_is_right),
		cmocka_unit_test(the_relu_mask_of_the_forward_product_gates_the_backward_one),
		cmocka_unit_test(a_transform_to_each_order_and_back_gives_the_same_matrix),
		cmocka_unit_test(a_batch_is_a_product_each),
		cmocka_unit_test(an_algorithm_of_the_heuristic_runs_with_its_workspace_alone),
		cmocka_unit_test(an_algorithm_of_another_release_is_refused),
		cmocka_unit_test(an_algorithm_keeps_its_configuration),
		cmocka_unit_test(what_is_no_handle_or_no_block_is_refused),
		cmocka_unit_test(a_planned_failure_happens_once_and_calls_are_counted),
		cmocka_unit_test(tiled_products_can_be_refused_as_new_gpus_do),
		cmocka_unit_test(threads_share_a_handle_and_no_call_is_lost),
#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
		cmocka_unit_test(narrow_floats_are_scaled_in_and_out),
#endif
	};

	return cmocka_run_group_tests(tests, create_handle, destroy_handle);
}
