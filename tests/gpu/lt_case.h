/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One product of cuBLASLt, of sizes that never change, described by the enums of the header that this is compiled against; lt.inc, which
 * compile.py writes from that header, says which there are. Inputs come from a fixed generator: two programs, built against different
 * headers, that run the same case on the same library compute from the same numbers.
 */
#ifndef GPU_LT_CASE_H
#define GPU_LT_CASE_H

#include <stddef.h>
#include <stdint.h>
#include <cublasLt.h>

struct lt_named {
	const char *name;	/* without the enum's prefix */
	int value;
};

/* Each ends with a NULL name. */
extern const struct lt_named lt_types[], lt_computes[], lt_epilogues[], lt_orders[], lt_pointer_modes[], lt_batch_modes[], lt_scale_modes[];

enum { LT_UNSET = -1 };

/* Scale factors and the like that are handed over, as bits of lt_case.given. */
enum { LT_A_SCALE = 1, LT_B_SCALE = 2, LT_C_SCALE = 4, LT_D_SCALE = 8, LT_D_AMAX = 16, LT_AUX_SCALE = 32, LT_AUX_AMAX = 64, LT_FAST_ACCUM = 128 };

struct lt_case {
	int a, b, c, d;			/* types of the matrices */
	int compute, scale;
	int op_a, op_b;
	int order_a, order_b, order_c;	/* C and D have the same */
	int epilogue;
	int bias, aux;			/* their types, or LT_UNSET */
	int batch;			/* of lt_batch_modes, or LT_UNSET: one product */
	int pointer_mode;
	int given;
	int mode_a, mode_b;		/* of lt_scale_modes, or LT_UNSET */
	int planar;
	int created;			/* descriptors come from …Create, rather than lying on the caller's stack */
};

struct lt_answer {
	int set, heuristic, product;	/* statuses; product is LT_UNSET when there was no algorithm */
	cublasLtMatmulAlgo_t algo;	/* the heuristic's first */
	uint64_t bits;			/* of all that the product wrote */
};

/* Once, before all cases. */
void lt_open(void);

/* Bits of an element, 0: a type that no case uses. */
int lt_type_bits(int type);
int lt_is_complex(int type);

/* True when the epilogue reads or writes such a vector or matrix. */
int lt_uses_bias(int epilogue);
int lt_uses_aux(int epilogue);

/* Runs it with the heuristic's first algorithm, or with the one given. */
void lt_run(const struct lt_case *lt, const cublasLtMatmulAlgo_t *algo, struct lt_answer *answer);

/* What cublasLtMatmulAlgoCheck says of an algorithm for the case. */
int lt_check(const struct lt_case *lt, const cublasLtMatmulAlgo_t *algo);

/* The same text for the same case in a program of any header; at most size - 1 bytes. */
void lt_describe(const struct lt_case *lt, char *text, size_t size);

#endif
