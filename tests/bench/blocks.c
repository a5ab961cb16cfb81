/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one call costs that has a cublasLt block in it: run it without and with LD_PRELOAD=libgangway.so. A measurement, not a test.
 *
 *	blocks LIBCUBLASLT [ROUNDS]
 *
 * A block of 96 bytes is set and read as it is; then it is given an attribute that does not fit (which the library alone refuses, so
 * that these lines are missing without gangway), and set and read again. Median of 51 batches, ns of processor time a call.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 51
#define SMALL 96	/* bytes of the oldest block */

typedef int init_function(void *, size_t, int, int);
typedef int set_function(void *, int, const void *, size_t);
typedef int get_function(const void *, int, void *, size_t, size_t *);

static set_function *set;
static get_function *get;
static int status;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void set_one(void *block)
{
	int32_t value = 1;

	status |= set(block, 3, &value, sizeof(value));	/* TRANSA, in every release */
}

static void get_one(void *block)
{
	int32_t value;
	size_t written;

	status |= get(block, 3, &value, sizeof(value), &written);
}

static void measure(const char *what, void (*call)(void *), void *block, unsigned rounds)
{
	double took[BATCHES];
	unsigned i, k;

	for (i = 0; i < BATCHES; i++) {
		double start = now();

		for (k = 0; k < rounds; k++)
			call(block);
		took[i] = (now() - start) / rounds;
	}
	qsort(took, BATCHES, sizeof(*took), compare);
	printf("%-24s %7.1f ns%s\n", what, took[BATCHES / 2], status ? " (refused)" : "");
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 20000;
	init_function *init = library ? dlsym(library, "cublasLtMatmulDescInit_internal") : NULL;
	uint64_t block[SMALL / 8], scale = 0x1000;

	set = library ? dlsym(library, "cublasLtMatmulDescSetAttribute") : NULL;
	get = library ? dlsym(library, "cublasLtMatmulDescGetAttribute") : NULL;
	if (!init || !set || !get || init(block, sizeof(block), 68, 0)) {
		fprintf(stderr, "usage: blocks LIBCUBLASLT [ROUNDS]: %s\n", library ? "no such functions" : dlerror());
		return 2;
	}
	measure("set", set_one, block, rounds);
	measure("get", get_one, block, rounds);
	if (set(block, 17, &scale, sizeof(scale)))	/* A_SCALE_POINTER, which 96 bytes have no room for */
		return 0;
	measure("set, contents kept", set_one, block, rounds);
	measure("get, contents kept", get_one, block, rounds);
	return 0;
}
