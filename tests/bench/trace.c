/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attribute call in a loop, as trace.py measures it under each tracer.
 *
 *	trace CALLS [THREADS]     prints, of CALLS in blocks of 100: the median and the least ns a call; then of 100,000 calls timed one by one the 99.9th
 *	                          percentile, what two clock reads cost taken off
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void *preference;
int cublasLtMatmulPreferenceCreate(preference *made);
int cublasLtMatmulPreferenceSetAttribute(preference of, int attribute, const void *value, size_t size);

enum { BLOCK = 100, SINGLE = 100000, BYTES = 1 };

static long calls;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void *measure(void *data)
{
	double *result = data, *times = malloc((size_t)(calls / BLOCK + SINGLE) * sizeof(double)), clock = 1e9;
	size_t count = (size_t)(calls / BLOCK);
	preference own = NULL;

	if (!times || cublasLtMatmulPreferenceCreate(&own))
		abort();
	for (size_t i = 0; i < count; i++) {
		double start = now_ns();

		for (uint64_t k = 0; k < BLOCK; k++)
			cublasLtMatmulPreferenceSetAttribute(own, BYTES, &k, sizeof(k));
		times[i] = (now_ns() - start) / BLOCK;
	}
	qsort(times, count, sizeof(double), by_value);
	result[0] = times[count / 2];
	result[1] = times[0];
	for (size_t i = 0; i < SINGLE; i++) {
		double start = now_ns();
		uint64_t k = i;

		cublasLtMatmulPreferenceSetAttribute(own, BYTES, &k, sizeof(k));
		times[i] = now_ns() - start;
		start = now_ns();
		start = now_ns() - start;
		if (start < clock)
			clock = start;
	}
	qsort(times, SINGLE, sizeof(double), by_value);
	result[2] = times[SINGLE - SINGLE / 1000] - clock;
	free(times);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	double (*results)[3] = calloc((size_t)threads, sizeof(*results));
	pthread_t *id = calloc((size_t)threads, sizeof(*id));
	double wall = now_ns();

	calls = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
	if (calls < BLOCK || !results || !id)
		return 2;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, measure, results[i]))
			return 3;
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	wall = (now_ns() - wall) / threads;
	printf("%.2f %.2f %.0f %.2f\n", results[0][0], results[0][1], results[0][2], wall / (double)(calls + SINGLE));
	free(results);
	free(id);
	return 0;
}
