/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver [global:FILE|local:FILE|deepbind:FILE|call:FILE]…: opens each file with these flags, in order; `call` opens it RTLD_LOCAL and
 * runs its caller_run. An error of the loader is printed, and ends it with status 9.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		int flags;
	} how[] = {
		{"global:", RTLD_NOW | RTLD_GLOBAL}, {"local:", RTLD_NOW | RTLD_LOCAL},
		{"deepbind:", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND}, {"call:", RTLD_NOW | RTLD_LOCAL},
	};
	int i;

	for (i = 1; i < argc; i++) {
		size_t k = 0;
		void *handle;
		int (*run)(void);

		while (k < 3 && strncmp(argv[i], how[k].word, strlen(how[k].word)))
			k++;
		handle = dlopen(argv[i] + strlen(how[k].word), how[k].flags);
		if (!handle) {
			printf("%s\n", dlerror());
			return 9;
		}
		*(void **)&run = dlsym(handle, "caller_run");
		if (run && k >= 2 && run())
			return 8;
	}
	return 0;
}
