/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls functions with one number for all arguments (FILL in the environment, else 0) and prints NAME and the answer, as an int. Compiled by refused.py, as a library with a header that lists functions
 * (IMPORTS), which it imports; and as the program: LIBRARY --imported THAT-LIBRARY, or LIBRARY --named FILE-OF-NAMES, which it looks up.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int call(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long,
		 long, long, long, long, long, long);

static void answer(const char *name, call *function)
{
	const char *fill = getenv("FILL");
	long x = fill ? atol(fill) : 0;

	printf("%s %d\n", name, function(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x));
	fflush(stdout);
}

#ifdef IMPORTS
struct import {
	const char *name;
	call *function;
};
#include IMPORTS

void call_imported(void)
{
	for (const struct import *import = imports; import->name; import++)
		answer(import->name, import->function);
}
#else
static int call_named(void *library, const char *path)
{
	FILE *names = fopen(path, "r");
	char name[4096];

	if (!names)
		return 3;
	while (fgets(name, sizeof(name), names)) {
		call *function;

		name[strcspn(name, "\n")] = '\0';
		*(void **)&function = dlsym(library, name);
		if (function)
			answer(name, function);
	}
	fclose(names);
	return 0;
}

static int call_imports(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*function)(void) = NULL;

	if (library)
		*(void **)&function = dlsym(library, "call_imported");
	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		return 4;
	}
	function();
	return 0;
}

int main(int argc, char **argv)
{
	void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;

	if (!library) {
		fprintf(stderr, "%s\n", argc > 3 ? dlerror() : "which library?");
		return 2;
	}
	return strcmp(argv[2], "--named") ? call_imports(argv[3]) : call_named(library, argv[3]);
}
#endif
