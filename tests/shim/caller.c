/* SPDX-License-Identifier: Apache-2.0 */
/* A library that asks cublasLt through its own imports, and opens what its own search list finds. */
#include <dlfcn.h>
#include <stddef.h>

#include "lt.h"

size_t cublasLtGetCudartVersion(void);
__attribute__((visibility("default"))) size_t caller_version(void);
__attribute__((visibility("default"))) size_t caller_other(void);
__attribute__((visibility("default"))) void *caller_open(const char *name);

#ifndef OPENS_ONLY
size_t caller_version(void)
{
	size_t version = cublasLtGetVersion();

	__asm__ volatile("" : "+r"(version));	/* no sibling call: this library is the caller */
	return version;
}

size_t caller_other(void)
{
	size_t version = cublasLtGetCudartVersion();

	__asm__ volatile("" : "+r"(version));
	return version;
}
#endif

void *caller_open(const char *name)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	__asm__ volatile("" : "+r"(handle));
	return handle;
}
