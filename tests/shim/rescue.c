/* SPDX-License-Identifier: Apache-2.0 */
/*
 * int8 products of cublasLt, as old programs make them, on a library that refuses tiled orders (the fake one, which computes on host memory).
 * Every number is compared with a product worked out here. rescue LIBRARY MODE [ARGUMENT], where LIBRARY is the one that will answer.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_api.h"

extern int gwcuda_set(const char *name, long value);
extern long gwcuda_get(const char *name);
extern void gwcuda_capture(void *stream, uint64_t id);
extern void gwcuda_drop_graph(uint64_t id);

static int (*fake_set)(const char *, long);
static uint64_t (*fake_calls)(const char *);

static __thread uint64_t seed = 1;

static uint64_t number(uint64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % below;
}

static int64_t up(int64_t value, int64_t to)
{
	return (value + to - 1) / to * to;
}

/* Written from the measured formulas, apart from what the product uses. */
static int64_t at(int order, int64_t ld, int64_t row, int64_t column)
{
	int64_t b = column / 32, c = column % 32, r;

	switch (order) {
	case CUBLASLT_ORDER_COL: return row + column * ld;
	case CUBLASLT_ORDER_ROW: return column + row * ld;
	case CUBLASLT_ORDER_COL32: return b * ld + 32 * row + c;
	case CUBLASLT_ORDER_COL4_4R2_8C:
		r = row % 8;
		return b * ld + 256 * (row / 8) + 128 * (r % 2) + 16 * (c / 4) + 4 * (r / 2) + c % 4;
	default:
		r = row % 32;
		return b * ld + 1024 * (row / 32) + 32 * (2 * (4 * ((r % 8) / 2) + r / 8) + r % 2) + c;
	}
}

struct matrix {
	int order;
	int64_t rows, columns, ld, stride, size;	/* elements */
	char *data;
	size_t width;
};

static void make(struct matrix *m, int order, int64_t rows, int64_t columns, int64_t more, int batch, size_t width, int shift)
{
	int64_t tiles = up(columns, 32) / 32;

	*m = (struct matrix){ .order = order, .rows = rows, .columns = columns, .width = width };
	switch (order) {
	case CUBLASLT_ORDER_COL: m->ld = rows + more; m->stride = m->ld * columns; break;
	case CUBLASLT_ORDER_ROW: m->ld = columns + more; m->stride = m->ld * rows; break;
	case CUBLASLT_ORDER_COL32: m->ld = 32 * rows + 32 * more; m->stride = m->ld * tiles; break;
	case CUBLASLT_ORDER_COL4_4R2_8C: m->ld = 32 * up(rows, 8) + 256 * more; m->stride = m->ld * tiles; break;
	default: m->ld = 32 * up(rows, 32) + 1024 * more; m->stride = m->ld * tiles; break;
	}
	m->size = m->stride * batch;
	m->data = (char *)aligned_alloc(256, (size_t)up(m->size * (int64_t)width + 256 + shift, 256)) + shift;
	for (int64_t i = 0; i < m->size * (int64_t)width; i++)	/* the padding, too: none of it may count */
		m->data[i] = (char)number(256);
}

static void drop(struct matrix *m)
{
	free((char *)((uintptr_t)m->data & ~(uintptr_t)255));
}

static int64_t element(const struct matrix *m, int batch, int64_t row, int64_t column)
{
	int64_t i = batch * m->stride + at(m->order, m->ld, row, column);

	return m->width == 1 ? ((int8_t *)m->data)[i] : ((int32_t *)(void *)m->data)[i];
}

enum { HOST, DEVICE, ROWS, ROWS_HOST, POINTERS };

struct problem {
	int order[3], transpose[2], scaled, mode, batch, more, shift, beta, epilogue;
	int64_t m, n, k;
};

static cublasLtMatrixLayout_t layout(const struct matrix *m, cudaDataType_t type, int batch)
{
	cublasLtMatrixLayout_t made;
	cublasLtOrder_t order = (cublasLtOrder_t)m->order;

	if (cublasLtMatrixLayoutCreate(&made, type, (uint64_t)m->rows, (uint64_t)m->columns, m->ld) ||
	    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order) ||
	    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch) ||
	    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &m->stride, sizeof m->stride))
		exit(3);
	return made;
}

static int8_t narrow(float value)
{
	float rounded = nearbyintf(value);

	return (int8_t)(rounded > 127 ? 127 : rounded < -128 ? -128 : rounded);
}

/* What is wrong with the product: elements, and bytes around D's that were written. */
static long check(const struct problem *p, const struct matrix *a, const struct matrix *b, const struct matrix *before, const struct matrix *d,
		  const float *alpha, const float *bias, float beta, int32_t whole_alpha, int32_t whole_beta)
{
	char *is_element = calloc((size_t)d->size + 1, 1);
	long wrong = 0;

	for (int l = 0; l < p->batch; l++)
		for (int64_t i = 0; i < p->m; i++)
			for (int64_t j = 0; j < p->n; j++) {
				int64_t sum = 0, expected;

				for (int64_t x = 0; x < p->k; x++)
					sum += element(a, l, p->transpose[0] ? x : i, p->transpose[0] ? i : x) *
					       element(b, l, p->transpose[1] ? j : x, p->transpose[1] ? x : j);
				if (p->scaled) {
					float value = (p->mode >= ROWS ? alpha[i] : alpha[0]) * (float)sum;

					if (p->beta)
						value += beta * (float)element(before, l, i, j);
					if (p->epilogue & 4)
						value += bias[i];
					expected = narrow((p->epilogue & 2) && value < 0 ? 0 : value);
				} else {
					expected = (int32_t)(whole_alpha * sum + (p->beta ? whole_beta * element(before, l, i, j) : 0));	/* wraps */
					expected = (p->epilogue & 2) && expected < 0 ? 0 : expected;
				}
				is_element[l * d->stride + at(d->order, d->ld, i, j)] = 1;
				if (element(d, l, i, j) != expected && ++wrong < 4)
					printf("(%d, %ld, %ld): %ld, not %ld\n", l, (long)i, (long)j, (long)element(d, l, i, j), (long)expected);
			}
	for (int64_t i = 0; i < d->size; i++)
		if (!is_element[i] && memcmp(d->data + i * (int64_t)d->width, before->data + i * (int64_t)d->width, d->width) && ++wrong < 4)
			printf("element %ld, which is no part of D, was written\n", (long)i);
	free(is_element);
	return wrong;
}

/* What a product is given beside its problem. */
static struct {
	bool ask;		/* the heuristic, within `limit` bytes, for an algorithm */
	size_t limit, size;
	char *workspace;
} extra;

static bool choose(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const cublasLtMatrixLayout_t layouts[3], cublasLtMatmulAlgo_t *algo)
{
	cublasLtMatmulHeuristicResult_t result;
	cublasLtMatmulPreference_t preference;
	int count = 0;

	if (cublasLtMatmulPreferenceCreate(&preference) ||
	    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &extra.limit, sizeof extra.limit) ||
	    cublasLtMatmulAlgoGetHeuristic(handle, desc, layouts[0], layouts[1], layouts[2], layouts[2], preference, 1, &result, &count) || !count)
		exit(3);
	cublasLtMatmulPreferenceDestroy(preference);
	*algo = result.algo;
	return true;
}

/* The status; 100: it succeeded with wrong numbers. *CHANGED: something of D is not as it was. */
static int multiply(cublasLtHandle_t handle, const struct problem *p, cudaStream_t stream, int *changed)
{
	struct matrix a, b, d, before;
	float alpha[4096], bias[4096], beta = 0.5f;
	int32_t whole_alpha = p->beta ? 3 : 1, whole_beta = p->beta ? -2 : 0, one_batch = p->epilogue;
	const void *alpha_at = p->scaled ? (void *)alpha : (void *)&whole_alpha, *beta_at = p->scaled ? (void *)&beta : (void *)&whole_beta;
	cublasOperation_t transpose = CUBLAS_OP_T;
	cublasLtMatrixLayout_t layouts[3];
	cublasLtMatmulDesc_t desc;
	int status, pointer_mode = p->mode == HOST ? CUBLASLT_POINTER_MODE_HOST : p->mode == DEVICE ? CUBLASLT_POINTER_MODE_DEVICE :
		p->mode == ROWS ? CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO : CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
	float none = 0;
	cublasLtMatmulAlgo_t algo;
	const void *bias_at = bias;

	make(&a, p->order[0], p->transpose[0] ? p->k : p->m, p->transpose[0] ? p->m : p->k, p->more, p->batch, 1, p->shift);
	make(&b, p->order[1], p->transpose[1] ? p->n : p->k, p->transpose[1] ? p->k : p->n, p->more, p->batch, 1, p->shift);
	make(&d, p->order[2], p->m, p->n, p->more, p->batch, p->scaled ? 1 : 4, p->shift * 4);
	before = d;
	before.data = memcpy(malloc((size_t)d.size * d.width + 1), d.data, (size_t)d.size * d.width);
	for (int64_t i = 0; i < p->m; i++) {
		alpha[i] = (float)number(1000) / (float)(40000 * p->k) * (number(2) ? 1 : -1);
		bias[i] = (float)number(2000) / 20 - 50;
	}
	/* Ties: halves are exact. */
	if (p->scaled && number(3) == 0)
		for (int64_t i = 0; i < p->m; i++)
			alpha[i] = 0.5f;
	if (!p->scaled && !p->beta && p->mode == HOST)
		beta_at = &whole_beta;
	else if (!p->beta)
		beta_at = p->mode == ROWS ? NULL : p->scaled ? (void *)&none : (void *)&whole_beta;
	if (cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32I, p->scaled ? CUDA_R_32F : CUDA_R_32I) ||
	    (p->transpose[0] && cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose)) ||
	    (p->transpose[1] && cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &transpose, sizeof transpose)) ||
	    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &pointer_mode, sizeof pointer_mode) ||
	    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &one_batch, sizeof one_batch) ||
	    ((p->epilogue & 4) && cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_at, sizeof bias_at)))
		exit(3);
	layouts[0] = layout(&a, CUDA_R_8I, p->batch);
	layouts[1] = layout(&b, CUDA_R_8I, p->batch);
	layouts[2] = layout(&d, p->scaled ? CUDA_R_8I : CUDA_R_32I, p->batch);
	status = cublasLtMatmul(handle, desc, alpha_at, a.data, layouts[0], b.data, layouts[1], beta_at, d.data, layouts[2], d.data, layouts[2],
				extra.ask && choose(handle, desc, layouts, &algo) ? &algo : NULL, extra.workspace, extra.size, stream);
	*changed = memcmp(d.data, before.data, (size_t)d.size * d.width) != 0;
	if (!status && check(p, &a, &b, &before, &d, alpha, bias, beta, whole_alpha, whole_beta)) {
		printf("wrong: %ld x %ld x %ld, orders %d %d %d, transposed %d %d, scaled %d, mode %d, batch %d, more %d, shift %d, beta %d, epilogue %d\n",
		       (long)p->m, (long)p->n, (long)p->k, p->order[0], p->order[1], p->order[2], p->transpose[0], p->transpose[1], p->scaled, p->mode,
		       p->batch, p->more, p->shift, p->beta, p->epilogue);
		status = 100;
	}
	for (int i = 0; i < 3; i++)
		cublasLtMatrixLayoutDestroy(layouts[i]);
	cublasLtMatmulDescDestroy(desc);
	drop(&a);
	drop(&b);
	drop(&d);
	free(before.data);
	return status;
}

/* As bitsandbytes asks: COL32 times a weight order, which is transposed. */
static struct problem tiled(int weights, int scaled, int mode)
{
	return (struct problem){ .order = { CUBLASLT_ORDER_COL32, weights, CUBLASLT_ORDER_COL32 }, .transpose = { 0, 1 }, .scaled = scaled, .mode = mode,
				 .batch = 1, .m = 1 + (int64_t)number(180), .n = 1 + (int64_t)number(180), .k = 1 + (int64_t)number(180),
				 .epilogue = CUBLASLT_EPILOGUE_DEFAULT };
}

static int any(cublasLtHandle_t handle, struct problem p)
{
	int changed;

	return multiply(handle, &p, NULL, &changed);
}

static int orders(cublasLtHandle_t handle)
{
	static const int weights[] = { CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4 };
	static const int all[] = { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW, CUBLASLT_ORDER_COL32, CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4 };
	int good = 0, tried = 0;

	for (int w = 0; w < 2; w++)
		for (int how = 0; how < 3; how++)
			for (int i = 0; i < 40; i++, tried++)
				good += any(handle, tiled(weights[w], how > 0, how == 2 ? ROWS : HOST)) == 0;
	for (int i = 0; i < 600; i++, tried++) {
		struct problem p = tiled(weights[0], (int)number(2), (int)number(2));

		for (int o = 0; o < 3; o++)
			p.order[o] = all[number(o == 2 ? 3 : 5)];
		p.order[number(2)] = all[2 + number(3)];	/* one of them is refused */
		p.transpose[0] = (int)number(2);
		p.transpose[1] = (int)number(2);
		p.m = 1 + (int64_t)number(70);
		p.n = 1 + (int64_t)number(70);
		p.k = 1 + (int64_t)number(70);
		p.batch = 1 + (int)number(3);
		p.more = number(2) ? 0 : (int)number(9);
		p.shift = number(3) ? 0 : (int)number(16);
		if (p.scaled && p.batch == 1 && number(2))
			p.mode = number(2) ? ROWS : ROWS_HOST;
		p.beta = p.mode != ROWS && number(2);
		if (p.scaled && number(2))
			p.epilogue = number(2) ? CUBLASLT_EPILOGUE_RELU_BIAS : number(2) ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_RELU;
		good += any(handle, p) == 0;
	}
	/* Plain orders whose leading dimensions no kernel takes. */
	for (int i = 0; i < 40; i++, tried++) {
		struct problem p = tiled(CUBLASLT_ORDER_COL, (int)number(2), HOST);

		p.order[0] = p.order[1] = p.order[2] = CUBLASLT_ORDER_COL;
		p.m = 4 * p.m + 1;
		p.m = p.m > 200 ? 201 : p.m;
		good += any(handle, p) == 0;
	}
	printf("%d of %d exact\n", good, tried);
	return good != tried;
}

/* Every allocation, load and launch fails once, and everything after it: the library's own answer, and D as it was. */
static int memory(cublasLtHandle_t handle)
{
	long refused = 0, after, rounds = 0;
	int changed, status;

	/* The second time without loading the kernels. */
	for (after = 0; after < 40 && rounds < 2; after++) {
		struct problem p = tiled(CUBLASLT_ORDER_COL32_2R_4R4, 1, ROWS);

		gwcuda_set("fail_after", after);
		status = multiply(handle, &p, NULL, &changed);
		gwcuda_set("fail_after", -1);
		if (status == CUBLAS_STATUS_NOT_SUPPORTED && !changed)
			refused++;
		else if (status)
			printf("after %ld: status %d, changed %d\n", after, status, changed);
		cublasLtDestroy(handle);
		cublasLtCreate(&handle);
		if (gwcuda_get("allocated") || gwcuda_get("events"))
			printf("after %ld: %ld blocks and %ld events are left\n", after, gwcuda_get("allocated"), gwcuda_get("events"));
		if (status)
			continue;
		printf("refused %ld times, then exact\n", refused);
		refused = 0;
		after = -1;
		rounds++;
	}
	return 0;
}

static void *stream_of(int i)
{
	return (void *)(uintptr_t)(0x1000 + 16 * i);
}

static void capture(cublasLtHandle_t handle)
{
	struct problem small = tiled(CUBLASLT_ORDER_COL4_4R2_8C, 0, HOST), big = small;
	int changed, status;

	small.m = small.n = small.k = 33;
	big.m = big.n = 1100;
	big.k = 40;
	gwcuda_capture(stream_of(1), 11);
	status = multiply(handle, &small, stream_of(1), &changed);
	printf("first met in a capture: %d, changed %d, loads %ld, allocated %ld\n", status, changed, gwcuda_get("loads"), gwcuda_get("allocated"));
	gwcuda_capture(stream_of(1), 0);
	printf("before a capture: %d\n", multiply(handle, &small, stream_of(1), &changed));
	gwcuda_capture(stream_of(2), 12);
	gwcuda_set("pending", 1);
	printf("while the block is in use: %d\n", multiply(handle, &small, stream_of(2), &changed));
	gwcuda_set("pending", 0);
	printf("afterwards: %d\n", multiply(handle, &small, stream_of(2), &changed));
	printf("again in the same capture: %d\n", multiply(handle, &small, stream_of(2), &changed));
	printf("too big for it: %d\n", multiply(handle, &big, stream_of(2), &changed));
	status = multiply(handle, &small, stream_of(3), &changed);
	printf("another stream, while one captures: %d, allocated %ld\n", status, gwcuda_get("allocated"));
	printf("the legacy stream, while one captures: %d\n", multiply(handle, &small, NULL, &changed));
	gwcuda_capture(stream_of(2), 0);
	cublasLtDestroy(handle);
	printf("the handle is gone, the graph is not: allocated %ld\n", gwcuda_get("allocated"));
	cublasLtCreate(&handle);
	gwcuda_drop_graph(12);
	gwcuda_capture(stream_of(4), 13);
	status = multiply(handle, &small, stream_of(4), &changed);
	printf("the graph is gone, its block in another capture: %d, allocated %ld\n", status, gwcuda_get("allocated"));
	gwcuda_capture(stream_of(4), 0);
	gwcuda_drop_graph(13);
	cublasLtDestroy(handle);
	printf("all gone: allocated %ld, violations %ld\n", gwcuda_get("allocated"), gwcuda_get("violations"));
}

static cublasLtHandle_t shared_handle;
static int calls_a_thread = 60;

static void *work(void *number_of_thread)
{
	long bad = 0;
	int changed;

	seed = (uintptr_t)number_of_thread + 77;
	for (int i = 0; i < calls_a_thread; i++) {
		struct problem p = tiled(i & 1 ? CUBLASLT_ORDER_COL4_4R2_8C : CUBLASLT_ORDER_COL32_2R_4R4, i % 3 > 0, i % 3 == 2 ? ROWS : HOST);

		bad += multiply(shared_handle, &p, stream_of((int)number(4)), &changed) != 0;
	}
	return (void *)bad;
}

static void threads(cublasLtHandle_t handle)
{
	pthread_t thread[4];
	long bad = 0;

	shared_handle = handle;
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(thread[i], &result);
		bad += (long)result;
	}
	printf("%ld wrong of %d\n", bad, 4 * calls_a_thread);
	printf("at most 16 blocks: %s\n", gwcuda_get("allocated") <= 16 ? "yes" : "no");
	cublasLtDestroy(handle);
	printf("allocated %ld, events %ld\n", gwcuda_get("allocated"), gwcuda_get("events"));
}

/* The library's own status, and what becomes of it. */
static void algorithms(cublasLtHandle_t handle)
{
	struct problem p = tiled(CUBLASLT_ORDER_COL, 0, HOST);
	static _Alignas(256) char memory_of[1 << 21];

	p.order[0] = p.order[1] = p.order[2] = CUBLASLT_ORDER_COL;
	p.transpose[0] = 1;
	p.transpose[1] = 0;
	p.m = p.n = p.k = 64;
	extra.ask = true;
	extra.limit = extra.size = 1 << 20;
	extra.workspace = memory_of;
	printf("as it should be: %d\n", any(handle, p));
	extra.size = 0;
	printf("less workspace than was told: %d\n", any(handle, p));
	extra.size = 1 << 20;
	fake_set("workspace_alignment", 256);
	extra.workspace = memory_of + 16;
	extra.size = (1 << 20) + 512;
	printf("not aligned, big enough: %d\n", any(handle, p));
	extra.size = 1 << 20;
	printf("not aligned, too small for the algorithm then: %d\n", any(handle, p));
	extra.size = 64;
	extra.limit = 0;
	printf("not aligned, nothing of it can be used: %d\n", any(handle, p));
	extra.ask = false;
	printf("not aligned, no algorithm: %d\n", any(handle, p));
	fake_set("workspace_alignment", 0);
	fake_set("workspace", 1 << 22);
	extra.workspace = NULL;
	extra.size = 0;
	printf("no algorithm, and the library's own choice needs workspace: %d\n", any(handle, p));
}

static void denied(cublasLtHandle_t handle)
{
	struct problem p = tiled(CUBLASLT_ORDER_COL, 0, HOST);
	static _Alignas(256) char memory_of[1 << 23];
	int status, used;

	p.order[0] = p.order[1] = p.order[2] = CUBLASLT_ORDER_COL;
	p.transpose[0] = 1;
	p.transpose[1] = 0;
	p.m = p.n = p.k = 64;
	extra.ask = true;
	extra.limit = extra.size = sizeof memory_of;
	extra.workspace = memory_of;
	status = any(handle, p);
	memcpy(&used, memory_of, sizeof used);
	printf("%d: %d for 2\n", status, used);
}

int main(int argc, char **argv)
{
	cublasLtHandle_t handle;
	void *library;
	const char *mode = argv[2];

	if (argc < 3 || cublasLtCreate(&handle) || !(library = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD)))
		return 2;
	*(void **)&fake_set = dlsym(library, "gwfake_set");
	*(void **)&fake_calls = dlsym(library, "gwfake_calls");
	fake_set("refuse_tiled", 1);
	if (!strcmp(mode, "orders"))
		return orders(handle);
	if (!strcmp(mode, "memory"))
		return memory(handle);
	if (!strcmp(mode, "capture"))
		capture(handle);
	else if (!strcmp(mode, "algorithms"))
		algorithms(handle);
	else if (!strcmp(mode, "denied"))
		denied(handle);
	else if (!strcmp(mode, "threads"))
		threads(handle);
	else if (!strcmp(mode, "once"))
		printf("status %d\n", any(handle, tiled(CUBLASLT_ORDER_COL4_4R2_8C, 0, HOST)));
	else
		return 2;
	return 0;
}
