/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that calls the vendor's libraries in one of the ways in which published binaries do (bindings.py says which, with -D),
 * and prints what they answer. Only calls that need no GPU. Knows nothing of gangway.
 *
 * IMPORT: plain calls, resolved by the loader. POINTERS: dlopen and dlsym, hidden. STUBS: the library exports the vendor's
 * names itself, calls them through its PLT, and its stubs find the real ones with dlopen and dlsym. VIA_CUBLAS: as POINTERS, but
 * the cublasLt names are asked of libcublas's handle.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS(X) \
	X(LT, size_t, cublasLtGetVersion, (void), ()) \
	X(LT, int, cublasLtMatmulDescCreate, (void **desc, int compute, int scale), (desc, compute, scale)) \
	X(LT, int, cublasLtMatmulDescDestroy, (void *desc), (desc)) \
	X(BLAS, const char *, cublasGetStatusName, (int status), (status)) \
	X(BLAS, const char *, cublasGetStatusString, (int status), (status)) \
	X(BLAS, int, cublasCreate_v2, (void **handle), (handle)) \
	X(DNN, size_t, cudnnGetVersion, (void), ()) \
	X(DNN, const char *, cudnnGetErrorString, (int status), (status)) \
	X(DNN, int, cudnnCreateTensorDescriptor, (void **desc), (desc)) \
	X(DNN, int, cudnnDestroyTensorDescriptor, (void *desc), (desc))

#if defined(IMPORT) || defined(STUBS)
#define DECLARE(library, type, name, parameters, arguments) type name parameters;
FUNCTIONS(DECLARE)
#endif

#ifndef IMPORT
#ifdef VIA_CUBLAS
#define LT CUBLAS_SONAME
#else
#define LT CUBLASLT_SONAME
#endif
#define BLAS CUBLAS_SONAME
#define DNN CUDNN_SONAME

static void *find(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	void *address = handle ? dlsym(handle, name) : NULL;

	if (!address) {
		printf("%s\n", dlerror());
		fflush(stdout);
		_Exit(9);
	}
	return address;
}
#endif

#ifdef STUBS
#define STUB(library, type, name, parameters, arguments) \
	__attribute__((visibility("default"))) type name parameters \
	{ \
		static type (*real) parameters; \
		if (!real) \
			real = (type (*) parameters)find(library, #name); \
		return real arguments; \
	}
FUNCTIONS(STUB)
#endif

#if defined(POINTERS) || defined(VIA_CUBLAS)
#define POINTER(library, type, name, parameters, arguments) static type (*p_##name) parameters;
FUNCTIONS(POINTER)
#endif

__attribute__((visibility("default"))) int caller_run(void)
{
	void *desc = NULL, *handle = NULL, *tensor = NULL;

#if defined(POINTERS) || defined(VIA_CUBLAS)
#define FIND(library, type, name, parameters, arguments) \
	*(void **)&p_##name = find(library, #name);
	FUNCTIONS(FIND)
#define CALL(name) p_##name
#else
#define CALL(name) name
#endif
	printf("cublasLtGetVersion %zu\n", CALL(cublasLtGetVersion)());
	printf("cublasLtMatmulDescCreate %d", CALL(cublasLtMatmulDescCreate)(&desc, 68, 0));
	printf(" %s\n", desc ? "made" : "NULL");
	printf("cublasLtMatmulDescDestroy %d\n", CALL(cublasLtMatmulDescDestroy)(desc));
	printf("cublasGetStatusName %s\n", CALL(cublasGetStatusName)(7));
	printf("cublasGetStatusString %s\n", CALL(cublasGetStatusString)(14));
	printf("cublasCreate_v2 %d\n", CALL(cublasCreate_v2)(&handle));
	printf("cudnnGetVersion %zu\n", CALL(cudnnGetVersion)());
	printf("cudnnGetErrorString %s\n", CALL(cudnnGetErrorString)(0));
	printf("cudnnCreateTensorDescriptor %d", CALL(cudnnCreateTensorDescriptor)(&tensor));
	printf(" %s\n", tensor ? "made" : "NULL");
	printf("cudnnDestroyTensorDescriptor %d\n", CALL(cudnnDestroyTensorDescriptor)(tensor));
	return 0;
}
