/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for the importer: complex numbers.
 * Source: cuComplex.h of nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl.
 */
#ifndef GW_STAND_IN_CUCOMPLEX_H
#define GW_STAND_IN_CUCOMPLEX_H

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#endif
