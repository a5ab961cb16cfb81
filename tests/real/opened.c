/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opened LIBRARY FUNCTION…: opens the library as Python does, calls each function with a block of memory, and says what it answered.
 * `=N` behind a function's name: it has to answer at least N, as a framework's check of cuDNN's version does.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *library = NULL;

	for (int i = 1; i < argc; i++) {
		static void *block[64];
		char *least = strchr(argv[i], '=');
		long (*function)(void *);
		long answer;

		if (strchr(argv[i], '/') || strncmp(argv[i], "lib", 3) == 0) {
			library = dlopen(argv[i], RTLD_NOW);
			if (!library) {
				printf("no: %s\n", dlerror());
				return 1;
			}
			continue;
		}
		if (least)
			*least++ = '\0';
		*(void **)&function = dlsym(library, argv[i]);
		if (!function) {
			printf("none: %s\n", dlerror());
			return 1;
		}
		answer = function(block);
		if (least && answer < atol(least)) {
			printf("compiled against %s but found %ld\n", least, answer);
			return 1;
		}
		printf("%s answered\n", argv[i]);
		fflush(stdout);
	}
	puts("opened");
	return 0;
}
