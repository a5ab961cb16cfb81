/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first call of the process is made by two threads at once: one inside a constructor, with the loader's lock held, one outside it.
 * Whoever waits for a lock of ours while the other waits for the loader's hangs here; SIGALRM then tells.
 *
 *	deadlock PLUGIN
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lt.h"

static pthread_barrier_t barrier;

static void *call(void *data)
{
	size_t *version = data;

	pthread_barrier_wait(&barrier);
	*version = cublasLtGetVersion();
	return NULL;
}

int main(int argc, char **argv)
{
	size_t version[4] = { 0 };
	pthread_t threads[4];
	void *handle;

	if (argc < 2)
		return 2;
	alarm(60);
	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, call, &version[i]);
	pthread_barrier_wait(&barrier);
	handle = dlopen(argv[1], RTLD_NOW);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	for (int i = 0; i < 4; i++)
		if (!version[i] || version[i] != cublasLtGetVersion())
			return 1;
	return !handle;
}
