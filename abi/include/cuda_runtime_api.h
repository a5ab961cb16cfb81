/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for the importer: what cuda_runtime_api.h brings in, without the runtime's functions and language extensions.
 * Source: cuda_runtime_api.h of nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl.
 */
#ifndef GW_STAND_IN_CUDA_RUNTIME_API_H
#define GW_STAND_IN_CUDA_RUNTIME_API_H

#include "driver_types.h"
#include "library_types.h"

#ifndef CUDARTAPI
#define CUDARTAPI
#endif
#ifndef __host__
#define __host__
#define __device__
#endif

#endif
