/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library with two functions of cublasLt, whose answers tell which copy gave them. With a version script it is the vendor's, without
 * it a framework's stub. cublasLtGetVersion calls back whom small_call_back was told, as vendor libraries call loggers.
 */
#include <stddef.h>

#define SEEN __attribute__((visibility("default")))

SEEN size_t cublasLtGetVersion(void);
SEEN size_t cublasLtGetCudartVersion(void);
SEEN void small_call_back(void (*function)(void));

static void (*callback)(void);

size_t cublasLtGetVersion(void)
{
	if (callback)
		callback();
	return ANSWER;
}

#ifndef ONE_FUNCTION
size_t cublasLtGetCudartVersion(void)
{
	return ANSWER + 1;
}
#endif

void small_call_back(void (*function)(void))
{
	callback = function;
}
