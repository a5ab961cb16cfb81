/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lt_foreign check|product KIND: hands cuBLASLt an algorithm that it did not make, as a program does that keeps algorithms on disk across
 * releases. KIND is one of: own (which it did make), zero, ones, random0…, word0… to word15 (its own with one of the 16 words replaced),
 * id1… (its own with another algorithm's number in the first word), other (its own for a product of other types).
 * One line: the status, and for a product whether the numbers are those of the library's own choice. One process for each: the library may crash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lt_case.h"
#include "lt_numbers.h"
#include "memory.h"

static const struct lt_case halves = {
	.a = CUDA_R_16F, .b = CUDA_R_16F, .c = CUDA_R_16F, .d = CUDA_R_16F, .compute = CUBLAS_COMPUTE_32F, .scale = CUDA_R_32F,
	.op_a = CUBLAS_OP_T, .epilogue = CUBLASLT_EPILOGUE_DEFAULT, .bias = LT_UNSET, .aux = LT_UNSET, .batch = LT_UNSET,
	.mode_a = LT_UNSET, .mode_b = LT_UNSET,
};

static void make(const char *kind, const cublasLtMatmulAlgo_t *own, cublasLtMatmulAlgo_t *algo)
{
	struct lt_case doubles = halves;
	struct lt_answer answer;
	uint32_t words[sizeof(*algo) / sizeof(uint32_t)];
	unsigned number = 0;

	memcpy(words, own, sizeof(words));
	if (!strcmp(kind, "zero")) {
		memset(words, 0, sizeof(words));
	} else if (!strcmp(kind, "ones")) {
		memset(words, 0xff, sizeof(words));
	} else if (sscanf(kind, "random%u", &number) == 1) {
		numbers_fill("R_8U", 77 + number, words, sizeof(words));
	} else if (sscanf(kind, "word%u", &number) == 1 && number < 16) {
		words[number] ^= 0x5bd1e995;
	} else if (sscanf(kind, "id%u", &number) == 1) {
		words[0] = number;
	} else if (!strcmp(kind, "other")) {
		doubles.a = doubles.b = doubles.c = doubles.d = doubles.scale = CUDA_R_64F;
		doubles.compute = CUBLAS_COMPUTE_64F;
		lt_run(&doubles, NULL, &answer);
		memcpy(words, &answer.algo, sizeof(words));
	} else if (strcmp(kind, "own")) {
		exit(2);
	}
	memcpy(algo, words, sizeof(words));
}

int main(int argc, char **argv)
{
	struct lt_answer own, answer;
	cublasLtMatmulAlgo_t algo;

	if (argc != 3)
		return 2;
	memory_open();
	lt_open();
	lt_run(&halves, NULL, &own);
	if (own.set || own.heuristic || own.product) {
		printf("its own algorithm: %d %d %d\n", own.set, own.heuristic, own.product);
		return 1;
	}
	make(argv[2], &own.algo, &algo);
	if (!strcmp(argv[1], "check")) {
		printf("%s: check says %d\n", argv[2], lt_check(&halves, &algo));
		return 0;
	}
	lt_run(&halves, &algo, &answer);
	printf("%s: product %d%s\n", argv[2], answer.product, answer.product ? "" : answer.bits == own.bits ? ", equal" : ", DIFFERENT");
	return 0;
}
