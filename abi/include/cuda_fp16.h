/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for the importer: 16-bit numbers (a class in C++, absent from C in some releases; two bytes in all).
 * Source: cuda_fp16.h of nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl.
 */
#ifndef GW_STAND_IN_CUDA_FP16_H
#define GW_STAND_IN_CUDA_FP16_H

typedef struct __attribute__((aligned(2))) __half {
	unsigned short x;
} __half;
typedef struct __attribute__((aligned(4))) __half2 {
	__half x;
	__half y;
} __half2;
typedef __half half;

#endif
