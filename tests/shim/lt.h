/* SPDX-License-Identifier: Apache-2.0 */
/* The few cublasLt functions that these programs call, in the calling convention of every release; no vendor header needed. */
#ifndef GW_TEST_LT_H
#define GW_TEST_LT_H

#include <stddef.h>

typedef void *lt_desc;

int cublasLtMatmulDescCreate(lt_desc *desc, int compute_type, int scale_type);
int cublasLtMatmulDescDestroy(lt_desc desc);
int cublasLtMatmulDescSetAttribute(lt_desc desc, int attribute, const void *value, size_t size);
int cublasLtMatmulDescGetAttribute(lt_desc desc, int attribute, void *value, size_t size, size_t *written);
size_t cublasLtGetVersion(void);

#endif
