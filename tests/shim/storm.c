/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads call a library through a facade, while another thread opens and closes a plug-in that calls it from its constructor, and
 * the main thread forks in the middle. Prints how many calls of each function it made, for storm.py to compare with what arrived.
 *
 *	storm THREADS CALLS PLUGIN TRANSA [sanitized]
 *
 * sanitized: the child allocates nothing and leaves by _exit. A sanitizer's allocator may have been locked by another thread when the
 * process forked, and what other threads held then looks leaked to the child.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lt.h"

static long rounds;		/* a thread's; four calls each */
static int attribute;
static const char *plugin;
static atomic_long failures, finished;
static atomic_int stop;

static void one_round(int value)
{
	lt_desc desc = NULL;
	int got = -1;
	size_t written = 0;

	errno = 4711;
	if (cublasLtMatmulDescCreate(&desc, 68, 0) ||
	    cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)) ||
	    cublasLtMatmulDescGetAttribute(desc, attribute, &got, sizeof(got), &written) ||
	    cublasLtMatmulDescDestroy(desc) || got != value || written != sizeof(got) || errno != 4711)
		atomic_fetch_add(&failures, 1);
}

static void *work(void *data)
{
	(void)data;
	for (long i = 0; i < rounds; i++)
		one_round((int)(i & 1));
	atomic_fetch_add(&finished, 1);
	return NULL;
}

static void *open_and_close(void *data)
{
	long *times = data;

	while (!atomic_load(&stop)) {
		void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);

		if (!handle || dlclose(handle))
			atomic_fetch_add(&failures, 1);
		++*times;
		usleep(1000);
	}
	return NULL;
}

static void be_a_child(lt_desc desc, int allocate)
{
	int value = 1, got;
	size_t written;

	for (int i = 0; i < 1000; i++)
		if (allocate)
			one_round(i & 1);
		else if (cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)) ||
			 cublasLtMatmulDescGetAttribute(desc, attribute, &got, sizeof(got), &written) || got != value)
			atomic_fetch_add(&failures, 1);
	if (!allocate)
		_exit(atomic_load(&failures) != 0);
	exit(atomic_load(&failures) != 0);
}

int main(int argc, char **argv)
{
	long count = argc > 4 ? atol(argv[1]) : 0, opened = 0;
	pthread_t threads[1024], opener;
	lt_desc before = NULL;
	int status;
	pid_t child;

	if (count < 1 || count > 1024)
		return 2;
	rounds = atol(argv[2]) / count / 4;
	plugin = argv[3];
	attribute = atoi(argv[4]);
	if (cublasLtMatmulDescCreate(&before, 68, 0))
		return 3;
	pthread_create(&opener, NULL, open_and_close, &opened);
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 3;
	child = fork();
	if (!child)
		be_a_child(before, argc < 6);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&stop, 1);
	pthread_join(opener, NULL);
	if (waitpid(child, &status, 0) != child || status || cublasLtMatmulDescDestroy(before))
		atomic_fetch_add(&failures, 1);
	printf("{\"rounds\":%ld,\"opened\":%ld,\"failures\":%ld,\"parent\":%d,\"child\":%d}\n", rounds * count, opened,
	       atomic_load(&failures), getpid(), child);
	return atomic_load(&failures) != 0;
}
