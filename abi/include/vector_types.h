/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for the importer: the vectors that complex numbers are made of.
 * Source: vector_types.h of nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl.
 */
#ifndef GW_STAND_IN_VECTOR_TYPES_H
#define GW_STAND_IN_VECTOR_TYPES_H

struct __attribute__((aligned(8))) float2 {
	float x;
	float y;
};
typedef struct float2 float2;

struct __attribute__((aligned(16))) double2 {
	double x;
	double y;
};
typedef struct double2 double2;

#endif
