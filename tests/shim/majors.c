/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two libraries of one process, one built for an older major release (behind a facade), one for the newest (the real library): each asks
 * for the version and makes a descriptor, in turns. Built twice as a library (ask_NAME) and once as the program that opens both.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "lt.h"

#ifdef ASK
size_t ASK(lt_desc *desc, int *status);

size_t ASK(lt_desc *desc, int *status)
{
	size_t version = cublasLtGetVersion();

	/* Not as a sibling call: that would make this function's caller the caller (ARCHITECTURE.md, "Who calls"). */
	__asm__ volatile("" : "+r"(version));
	*status = cublasLtMatmulDescCreate(desc, 68, 0);
	if (!*status)
		*status = cublasLtMatmulDescDestroy(*desc);
	return version;
}
#else
int main(int argc, char **argv)
{
	for (int round = 0; round < 3; round++)
		for (int i = 1; i < argc; i++) {
			char name[32];
			void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			size_t (*ask)(lt_desc *, int *);
			lt_desc desc;
			int status;

			snprintf(name, sizeof(name), "ask_%d", i);
			if (!handle || !(ask = (size_t (*)(lt_desc *, int *))dlsym(handle, name))) {
				fprintf(stderr, "%s\n", dlerror());
				return 3;
			}
			printf("%zu", ask(&desc, &status));
			printf(" %d\n", status);
		}
	return 0;
}
#endif
