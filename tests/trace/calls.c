/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose trace tests/trace/trace.py reads: each says what it did, in memory that outlives it or on standard output.
 *
 *	calls numbered THREADS SHARED     until it is killed: sets numbers 1, 2, … on a preference a thread, after each its number in SHARED
 *	calls sum THREADS CALLS CHILDREN  threads, some of which die early and are replaced, make CALLS each; forked and executed children, too
 *	calls plain CALLS                 sets numbers on one preference; prints "done"
 *	calls alive THREADS CALLS         all threads alive at once; prints how much memory they took
 *	calls signals CALLS               a timer's handler makes calls in between
 *	calls wait FILE                   until FILE exists: one call a millisecond
 *	calls clone CALLS                 a child by raw clone(2) makes CALLS, too
 *	calls early THREADS               the first vendor call of the process is THREADS threads' at once
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

typedef void *preference;
int cublasLtMatmulPreferenceCreate(preference *made);
int cublasLtMatmulPreferenceDestroy(preference made);
int cublasLtMatmulPreferenceSetAttribute(preference of, int attribute, const void *value, size_t size);
size_t cublasLtGetVersion(void);

enum { BYTES = 1, NO_ATTRIBUTE = 77, MOST = 12000 };	/* CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES in every release */

static long calls_each;
static atomic_long handled;
static struct shared {
	_Atomic uint64_t done[64], of[64];
} *shared;
static atomic_int go, arrived;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static preference handlers;
static char *self;

static int set_number(preference of, uint64_t number)
{
	return cublasLtMatmulPreferenceSetAttribute(of, BYTES, &number, sizeof(number));
}

static preference create(void)
{
	preference made = NULL;

	if (cublasLtMatmulPreferenceCreate(&made) || !made)
		abort();
	return made;
}

static void *count_up(void *data)
{
	long thread = (long)(intptr_t)data;
	preference own = create();

	atomic_store(&shared->of[thread], (uint64_t)(uintptr_t)own);
	for (uint64_t i = 1;; i++) {
		if (set_number(own, i))
			abort();
		atomic_store_explicit(&shared->done[thread], i, memory_order_release);
		for (volatile int wait = 0; wait < 4000; wait++)	/* the reader of the test is slow */
			;
	}
	return NULL;
}

static int numbered(int threads, const char *path)
{
	int file = open(path, O_RDWR);
	pthread_t id;

	shared = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (shared == MAP_FAILED)
		return 3;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&id, NULL, count_up, (void *)(intptr_t)i))
			return 3;
	for (;;)
		pause();
}

/* CALLS of SetAttribute, every tenth of which fails. */
static void make_calls(long count)
{
	preference own = create();

	for (long i = 0; i < count; i++)
		if (!cublasLtMatmulPreferenceSetAttribute(own, i % 10 ? BYTES : NO_ATTRIBUTE, &i, sizeof(i)) != (i % 10 != 0))
			abort();
	cublasLtMatmulPreferenceDestroy(own);
}

static void *part(void *data)
{
	(void)data;
	make_calls(calls_each / 4);
	return NULL;
}

/* A thread whose work is done by four that come and go. */
static void *work(void *data)
{
	long number = (long)(intptr_t)data;
	pthread_t id;

	if (number % 4 == 0) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&id, NULL, part, NULL) || pthread_join(id, NULL))
				abort();
	} else {
		for (int i = 0; i < 4; i++)
			make_calls(calls_each / 4);
	}
	return NULL;
}

static int sum(int threads, long count, int children)
{
	pthread_t id[MOST];

	calls_each = count;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, work, (void *)(intptr_t)i))
			return 3;
	for (int i = 0; i < children; i++) {
		char number[32];
		pid_t child = fork();

		snprintf(number, sizeof(number), "%d", i);
		if (!child && i % 2) {
			execl(self, self, "plain", "500", (char *)NULL);
			_exit(3);
		}
		if (!child) {
			make_calls(400);
			_exit(0);
		}
		int status;
		if (waitpid(child, &status, 0) != child || status)
			return 3;
	}
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}

static long memory(const char *what)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kilobytes = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, what, strlen(what)))
			kilobytes = strtol(line + strlen(what), NULL, 10);
	if (file)
		fclose(file);
	return kilobytes;
}

static void *stay(void *data)
{
	(void)data;
	make_calls(calls_each);
	atomic_fetch_add(&arrived, 1);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return NULL;
}

static int alive(int threads, long count)
{
	static pthread_t id[MOST];
	pthread_attr_t attributes;

	calls_each = count;
	pthread_mutex_lock(&gate);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&id[i], &attributes, stay, NULL))
			return 4;
	while (atomic_load(&arrived) < threads)
		usleep(1000);
	printf("anonymous %ld file %ld\n", memory("RssAnon:"), memory("RssFile:") + memory("RssShmem:"));
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}

static void handler(int number)
{
	(void)number;
	set_number(handlers, 5);
	atomic_fetch_add(&handled, 1);
}

static int with_signals(long count)
{
	struct sigaction action = { .sa_handler = handler };
	struct itimerval timer = { { 0, 60 }, { 0, 60 } };

	handlers = create();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	make_calls(count);
	timer.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("%ld\n", atomic_load(&handled));
	return 0;
}

static int wait_for(const char *path)
{
	preference own = create();

	printf("ready\n");
	fflush(stdout);
	for (uint64_t i = 0; access(path, F_OK); i++) {
		set_number(own, i);
		usleep(1000);
	}
	return 0;
}

static int by_clone(long count)
{
	long child;
	int status;

	make_calls(count);
	child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!child) {
		make_calls(count);
		_exit(0);
	}
	return waitpid((pid_t)child, &status, 0) != child || status;
}

static void *at_once(void *data)
{
	(void)data;
	atomic_fetch_add(&arrived, 1);
	while (!atomic_load(&go))
		;
	cublasLtGetVersion();
	return NULL;
}

static int early(int threads)
{
	pthread_t id[MOST];

	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, at_once, NULL);
	while (atomic_load(&arrived) < threads)
		usleep(100);
	atomic_store(&go, 1);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long number = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	self = argv[0];
	if (!strcmp(what, "numbered"))
		return numbered((int)number, argv[3]);
	if (!strcmp(what, "sum"))
		return sum((int)number, strtol(argv[3], NULL, 10), argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0);
	if (!strcmp(what, "plain"))
		return make_calls(number), puts("done") < 0;
	if (!strcmp(what, "alive"))
		return alive((int)number, strtol(argv[3], NULL, 10));
	if (!strcmp(what, "signals"))
		return with_signals(number);
	if (!strcmp(what, "wait"))
		return wait_for(argv[2]);
	if (!strcmp(what, "clone"))
		return by_clone(number);
	if (!strcmp(what, "early"))
		return early((int)number);
	return 2;
}
