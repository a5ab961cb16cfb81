/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else's interposer, preloaded before ours: counts a call and hands it to whoever comes next. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

__attribute__((visibility("default"))) size_t cublasLtGetVersion(void);
__attribute__((visibility("default"))) int next_calls;
__attribute__((visibility("default"))) int next_calls;

size_t cublasLtGetVersion(void)
{
	size_t (*next)(void) = (size_t (*)(void))dlsym(RTLD_NEXT, "cublasLtGetVersion");

	next_calls++;
	return next ? next() + 1000000 : 0;
}
