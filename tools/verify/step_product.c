/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products through cuBLASLt as frameworks make them: descriptors, the heuristic's choice with a workspace, the call. One precision a step. C = A^T B,
 * since int8 and the 8 bit floats take no other form.
 */
#include "step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gw_lt.h"
#include "gw_signatures.h"
#include "gw_values.h"

#define WORKSPACE ((size_t)32 << 20)

enum { NAME = 128 };

enum epilogue { PLAIN, BIAS, GELU };

static const struct gw_format f64 = {.size = 8}, f32 = {.size = 4}, f16 = {.size = 2, .exponent = 5, .mantissa = 10},
			      bf16 = {.size = 2, .exponent = 8, .mantissa = 7}, e4m3 = {.size = 1, .exponent = 4, .mantissa = 3},
			      e5m2 = {.size = 1, .exponent = 5, .mantissa = 2}, i8 = {.size = 1, .is_integer = true},
			      i32 = {.size = 4, .is_integer = true};

/*
 * Limits: twice what rounding the result costs, and for wide results room for sums in another order. They are tight enough that another
 * precision is seen: single where double was asked for, TF32 where single was.
 */
static const struct product {
	const char *step, *name;
	const struct gw_format *a, *b, *c;
	int type_a, type_b, type_c, compute, scale;
	unsigned steps; /* of the inputs: such that each is exact in its format */
	double limit;
	int capability; /* of the GPU, at least */
	bool odd;       /* any size, not only multiples of 16 */
	enum epilogue last;
} products[] = {
	{"product-fp64", "", &f64, &f64, &f64, GW_VALUE_CUDA_R_64F, GW_VALUE_CUDA_R_64F, GW_VALUE_CUDA_R_64F, GW_VALUE_CUBLAS_COMPUTE_64F,
	 GW_VALUE_CUDA_R_64F, 0, 1e-14, 0, true, PLAIN},
	{"product-fp32", "", &f32, &f32, &f32, GW_VALUE_CUDA_R_32F, GW_VALUE_CUDA_R_32F, GW_VALUE_CUDA_R_32F, GW_VALUE_CUBLAS_COMPUTE_32F,
	 GW_VALUE_CUDA_R_32F, 1 << 23, 5e-6, 0, true, BIAS},
	{"product-tf32", "", &f32, &f32, &f32, GW_VALUE_CUDA_R_32F, GW_VALUE_CUDA_R_32F, GW_VALUE_CUDA_R_32F, GW_VALUE_CUBLAS_COMPUTE_32F_FAST_TF32,
	 GW_VALUE_CUDA_R_32F, 1 << 23, 2e-3, 0, true, PLAIN},
	{"product-fp16", "", &f16, &f16, &f16, GW_VALUE_CUDA_R_16F, GW_VALUE_CUDA_R_16F, GW_VALUE_CUDA_R_16F, GW_VALUE_CUBLAS_COMPUTE_32F,
	 GW_VALUE_CUDA_R_32F, 1 << 9, 1e-3, 0, true, GELU},
	{"product-bf16", "", &bf16, &bf16, &bf16, GW_VALUE_CUDA_R_16BF, GW_VALUE_CUDA_R_16BF, GW_VALUE_CUDA_R_16BF, GW_VALUE_CUBLAS_COMPUTE_32F,
	 GW_VALUE_CUDA_R_32F, 1 << 7, 8e-3, 80, true, GELU},
	{"product-int8", "", &i8, &i8, &i32, GW_VALUE_CUDA_R_8I, GW_VALUE_CUDA_R_8I, GW_VALUE_CUDA_R_32I, GW_VALUE_CUBLAS_COMPUTE_32I,
	 GW_VALUE_CUDA_R_32I, 0, 0, 75, false, PLAIN},
	{"product-fp8", "e4m3 ", &e4m3, &e4m3, &bf16, GW_VALUE_CUDA_R_8F_E4M3, GW_VALUE_CUDA_R_8F_E4M3, GW_VALUE_CUDA_R_16BF,
	 GW_VALUE_CUBLAS_COMPUTE_32F, GW_VALUE_CUDA_R_32F, 1 << 3, 8e-3, 89, false, PLAIN},
	{"product-fp8", "e4m3 by e5m2 ", &e4m3, &e5m2, &bf16, GW_VALUE_CUDA_R_8F_E4M3, GW_VALUE_CUDA_R_8F_E5M2, GW_VALUE_CUDA_R_16BF,
	 GW_VALUE_CUBLAS_COMPUTE_32F, GW_VALUE_CUDA_R_32F, 1 << 2, 8e-3, 89, false, PLAIN},
};

static struct {
	void *library;
	cublasLtHandle_t handle;
	gw_signature_cublasLtMatmulDescSetAttribute *set;
	void *workspace;
} lt;

static void must(cublasStatus_t status, const char *call)
{
	gw_signature_cublasLtGetStatusString *text = (gw_signature_cublasLtGetStatusString *)gw_function_if_there(lt.library, "cublasLtGetStatusString");

	if (status != GW_VALUE_CUBLAS_STATUS_SUCCESS)
		gw_end(GW_FAILED, "%s answered %d%s%s", call, status, text ? ": " : "", text ? text(status) : "");
}

static void set(cublasLtMatmulDesc_t product, int attribute, const void *value, size_t size)
{
	gw_doing("cublasLtMatmulDescSetAttribute");
	must(lt.set(product, attribute, value, size), "cublasLtMatmulDescSetAttribute");
}

static cublasLtMatrixLayout_t layout(int type, unsigned rows, unsigned columns)
{
	cublasLtMatrixLayout_t made = NULL;

	must(GW_CALL(lt.library, cublasLtMatrixLayoutCreate)(&made, type, rows, columns, rows), "cublasLtMatrixLayoutCreate");
	return made;
}

static cublasLtMatmulDesc_t describe(const struct product *product, enum epilogue epilogue, void *bias)
{
	static const int32_t epilogues[] = {[BIAS] = GW_VALUE_CUBLASLT_EPILOGUE_BIAS, [GELU] = GW_VALUE_CUBLASLT_EPILOGUE_GELU_BIAS};
	int32_t transposed = GW_VALUE_CUBLAS_OP_T;
	cublasLtMatmulDesc_t made = NULL;

	must(GW_CALL(lt.library, cublasLtMatmulDescCreate)(&made, product->compute, product->scale), "cublasLtMatmulDescCreate");
	set(made, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
	if (epilogue) {
		set(made, GW_VALUE_CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogues[epilogue], sizeof epilogues[epilogue]);
		set(made, GW_VALUE_CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
	}
	return made;
}

/* The heuristic's first choice, then the product; D is C. */
static void multiply(const struct product *product, cublasLtMatmulDesc_t desc, const void *a, const void *b, void *c, const unsigned size[3])
{
	_Alignas(max_align_t) char found[GW_SIZE_cublasLtMatmulHeuristicResult_t] = "";
	char one[8] = "", zero[8] = "";
	const struct gw_format *scale = product->scale == GW_VALUE_CUDA_R_64F ? &f64 : product->scale == GW_VALUE_CUDA_R_32I ? &i32 : &f32;
	cublasLtMatrixLayout_t la = layout(product->type_a, size[2], size[0]), lb = layout(product->type_b, size[2], size[1]),
			       lc = layout(product->type_c, size[0], size[1]);
	cublasLtMatmulPreference_t preference = NULL;
	uint64_t most = WORKSPACE;
	int count = 0;
	cublasStatus_t status;

	gw_number_store(scale, one, 0, 1);
	must(GW_CALL(lt.library, cublasLtMatmulPreferenceCreate)(&preference), "cublasLtMatmulPreferenceCreate");
	must(GW_CALL(lt.library, cublasLtMatmulPreferenceSetAttribute)(preference, GW_VALUE_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
	     "cublasLtMatmulPreferenceSetAttribute");
	status = GW_CALL(lt.library, cublasLtMatmulAlgoGetHeuristic)(lt.handle, desc, la, lb, lc, lc, preference, 1,
								     (cublasLtMatmulHeuristicResult_t *)(void *)found, &count);
	must(status, "cublasLtMatmulAlgoGetHeuristic");
	if (!count)
		gw_end(GW_FAILED, "cublasLtMatmulAlgoGetHeuristic knows no algorithm");
	status = GW_CALL(lt.library, cublasLtMatmul)(
		lt.handle, desc, one, a, la, b, lb, zero, c, lc, c, lc,
		(const cublasLtMatmulAlgo_t *)(void *)(found + GW_OFFSET_cublasLtMatmulHeuristicResult_t_algo), lt.workspace, WORKSPACE, NULL);
	must(status, "cublasLtMatmul");
}

/* As cuBLASLt computes it. */
static double gelu(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static double *numbers(const struct product *product, const struct gw_format *format, size_t count, uint64_t seed, void **device)
{
	double *values = gw_room(count, sizeof *values);
	char *stored = gw_room(count, format->size);

	for (size_t i = 0; i < count; i++) {
		double value = gw_random(&seed, format->is_integer ? 127 : product->steps);

		values[i] = format->is_integer ? nearbyint(value * 127) : value;
		gw_number_store(format, stored, i, values[i]);
	}
	*device = gw_device_put(stored, count * format->size);
	return values;
}

static void try(const struct product *product, enum epilogue epilogue, const unsigned size[3], const char *what)
{
	size_t count = (size_t)size[0] * size[1];
	void *a_device, *b_device, *bias_device, *c_device = gw_device_room(count * product->c->size);
	double *a = numbers(product, product->a, (size_t)size[0] * size[2], 1, &a_device),
	       *b = numbers(product, product->b, (size_t)size[1] * size[2], 2, &b_device),
	       *bias = numbers(product, product->c, size[0], 3, &bias_device), *wanted = gw_room(count, sizeof *wanted), *got = gw_room(count, sizeof *got);
	char *raw = gw_room(count, product->c->size), *name = gw_room(1, NAME);

	snprintf(name, NAME, "%s%ux%ux%u%s", product->name, size[0], size[1], size[2], what);
	gw_part(name);
	gw_product(a, b, wanted, size[0], size[1], size[2]);
	for (size_t i = 0; epilogue && i < count; i++)
		wanted[i] = epilogue == GELU ? gelu(wanted[i] + bias[i % size[0]]) : wanted[i] + bias[i % size[0]];
	multiply(product, describe(product, epilogue, bias_device), a_device, b_device, c_device, size);
	gw_device_get(raw, c_device, count * product->c->size);
	for (size_t i = 0; i < count; i++)
		got[i] = gw_number_load(product->c, raw, i);
	gw_case(name, got, wanted, count, product->limit);
}

static void try_all(const struct product *product)
{
	static const unsigned even[3] = {64, 48, 96}, odd[3] = {33, 17, 29};

	try(product, PLAIN, even, "");
	if (product->odd)
		try(product, PLAIN, odd, "");
	if (product->last >= BIAS)
		try(product, BIAS, even, " + bias");
	if (product->last >= GELU)
		try(product, GELU, even, " + bias, GELU");
}

void gw_step_product(const char *which)
{
	bool any = false;

	lt.library = gw_library("cublasLt");
	lt.set = GW_CALL(lt.library, cublasLtMatmulDescSetAttribute);
	gw_device_open();
	must(GW_CALL(lt.library, cublasLtCreate)(&lt.handle), "cublasLtCreate");
	lt.workspace = gw_device_room(WORKSPACE);
	for (size_t i = 0; i < sizeof products / sizeof *products; i++)
		if (!strcmp(which, products[i].step) && gw_device_capability() >= products[i].capability) {
			try_all(&products[i]);
			any = true;
		}
	if (!any)
		gw_end(GW_NOT_HERE, "this GPU, of compute capability %d.%d, has no such products", gw_device_capability() / 10, gw_device_capability() % 10);
}
