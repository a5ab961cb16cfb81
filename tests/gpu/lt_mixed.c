/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lt_mixed PLUG-IN: a program built against an old cuBLASLt keeps a MatmulDesc in a block of its header's size, and a plug-in built against a later one
 * (lt_mixed_later.c) sets in it what the old header has no name for: scale factors of 8-bit numbers, the bias's type. The product has to be, bit
 * for bit, that of a descriptor which the plug-in made alone. One line a case; exit status 0 when all are right.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cublasLt.h>

#include "lt_mixed.h"
#include "lt_numbers.h"
#include "memory.h"

enum { GUARD = 64, WORKSPACE = 4 << 20, D_SIZE = MIXED_M * MIXED_N * 4 };

static const struct mixed_later *later;
static cublasLtHandle_t handle;
static void *a, *b, *c, *d, *bias, *workspace, *two, *three;
static int bad;

struct guarded {
	unsigned char before[GUARD];
	cublasLtMatmulDescOpaque_t desc;
	unsigned char after[GUARD];
};

static int intact(const struct guarded *block)
{
	int i;

	for (i = 0; i < GUARD; i++)
		if (block->before[i] != 0xa5 || block->after[i] != 0xa5)
			return 0;
	return 1;
}

/* The bits of D, or 0 and the status. */
static uint64_t multiply(cublasLtMatmulDesc_t desc, int c_type, int d_type, int *status)
{
	static unsigned char host[D_SIZE];
	cublasLtMatmulHeuristicResult_t result;
	cublasLtMatmulPreference_t preference;
	void *layout[4] = {NULL};
	uint64_t room = WORKSPACE;
	float one = 1, half = 0.5f;
	int found = 0;

	memset(host, 0x5a, sizeof(host));
	memory_put(d, host, sizeof(host));
	if (later->layout(&layout[0], later->narrow, MIXED_K, MIXED_M) || later->layout(&layout[1], later->narrow, MIXED_K, MIXED_N) ||
	    later->layout(&layout[2], c_type, MIXED_M, MIXED_N) || later->layout(&layout[3], d_type, MIXED_M, MIXED_N) ||
	    cublasLtMatmulPreferenceCreate(&preference) ||
	    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof(room))) {
		*status = -2;
		return 0;
	}
	*status = cublasLtMatmulAlgoGetHeuristic(handle, desc, layout[0], layout[1], layout[2], layout[3], preference, 1, &result, &found);
	if (!*status)
		*status = cublasLtMatmul(handle, desc, &one, a, layout[0], b, layout[1], &half, c, layout[2], d, layout[3], &result.algo, workspace,
					 WORKSPACE, 0);
	if (!*status)
		*status = memory_wait();
	if (*status)
		return 0;
	memory_get(host, d, sizeof(host));
	return numbers_hash(0, host, sizeof(host));
}

static int make(struct guarded *block, int epilogue)
{
	int32_t transposed = CUBLAS_OP_T, value = epilogue;
	cublasLtMatmulDesc_t desc = &block->desc;

	memset(block, 0xa5, sizeof(*block));
	return cublasLtMatmulDescInit(desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) ||
	       cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)) ||
	       cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, sizeof(value)) ||
	       (epilogue == CUBLASLT_EPILOGUE_BIAS &&
		cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias)));
}

static void one(const char *what, int epilogue, int c_type, int d_type, int bias_type, int copied)
{
	struct guarded block, other;
	cublasLtMatmulDesc_t native = later->desc(epilogue, bias);
	uint64_t expected, plain, got;
	int set, wanted_status, plain_status, status;

	if (!native || make(&block, epilogue) || make(&other, epilogue)) {
		printf("%s: no descriptor\n", what);
		bad = 1;
		return;
	}
	plain = multiply(&other.desc, c_type, d_type, &plain_status);
	wanted_status = later->scales(native, two, three);
	if (!wanted_status && bias_type >= 0)
		wanted_status = later->bias_type(native, bias_type);
	expected = multiply(native, c_type, d_type, wanted_status ? &set : &wanted_status);
	set = later->scales(&block.desc, two, three);
	if (!set && bias_type >= 0)
		set = later->bias_type(&block.desc, bias_type);
	if (copied) {
		memset(&other, 0xa5, sizeof(other));
		other.desc = block.desc;
		memset(&block.desc, 0, sizeof(block.desc));
	}
	got = multiply(copied ? &other.desc : &block.desc, c_type, d_type, &status);
	printf("%s: set %d, product %d (its own: %d), %s, without scale factors %s, around it %s\n", what, set, status, wanted_status,
	       got == expected ? "same bits" : "OTHER BITS", plain == got ? "THE SAME" : "others",
	       intact(&block) && intact(&other) ? "nothing written" : "WRITTEN");
	bad |= set || status || got != expected || plain == got || !intact(&block) || !intact(&other);
}

static void *numbers(const char *type, uint64_t seed, size_t size)
{
	void *host = malloc(size), *device = memory_take(size);

	numbers_fill(type, seed, host, size);
	memory_put(device, host, size);
	free(host);
	return device;
}

int main(int argc, char **argv)
{
	const float factors[2] = {2, 3};
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

	later = library ? dlsym(library, "mixed_later") : NULL;
	if (!later) {
		printf("usage: lt_mixed PLUG-IN: %s\n", argc == 2 ? dlerror() : "");
		return 2;
	}
	memory_open();
	a = numbers("R_8F_E4M3", 1, MIXED_K * MIXED_M);
	b = numbers("R_8F_E4M3", 2, MIXED_K * MIXED_N);
	c = numbers("R_16F", 3, MIXED_M * MIXED_N * 2);
	bias = numbers("R_16F", 4, MIXED_M * 4);
	d = memory_take(D_SIZE);
	workspace = memory_take(WORKSPACE);
	two = memory_take(256), three = memory_take(256);
	memory_put(two, &factors[0], sizeof(float));
	memory_put(three, &factors[1], sizeof(float));
	if (cublasLtCreate(&handle))
		return 4;
	printf("header %d, its block %zu bytes\n", CUBLAS_VERSION, sizeof(cublasLtMatmulDescOpaque_t));
	one("scale factors", CUBLASLT_EPILOGUE_DEFAULT, CUDA_R_16F, CUDA_R_16F, -1, 0);
	one("scale factors, copied by assignment", CUBLASLT_EPILOGUE_DEFAULT, CUDA_R_16F, CUDA_R_16F, -1, 1);
	one("scale factors and bias", CUBLASLT_EPILOGUE_BIAS, CUDA_R_16F, CUDA_R_16F, -1, 0);
	one("scale factors and the bias's type", CUBLASLT_EPILOGUE_BIAS, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 0);
	one("the same, narrow result", CUBLASLT_EPILOGUE_BIAS, CUDA_R_16F, later->narrow, CUDA_R_16F, 1);
	printf("%s\n", bad ? "not right" : "all right");
	return bad;
}
