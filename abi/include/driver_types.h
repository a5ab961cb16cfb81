/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for the importer: the handles of the CUDA runtime that its libraries take.
 * Source: driver_types.h of nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl.
 */
#ifndef GW_STAND_IN_DRIVER_TYPES_H
#define GW_STAND_IN_DRIVER_TYPES_H

#include <stddef.h>
#include "vector_types.h"

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;

#endif
