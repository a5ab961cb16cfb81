/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash KIND [HANDLER]: crashes in the staged way inside a vendor call, or outside of any, after the handler was installed. Uses the fakes'
 * habits: pointers to device memory are host pointers, and cudnnGetCallback calls the callback that was set. crash.py runs it.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake_api.h"

extern int cudnnSetCallback(unsigned mask, void *data, void (*function)(void));
extern int cudnnGetCallback(unsigned *mask, void **data, void (**function)(void));

static sigjmp_buf back;
static struct sigaction old[65];
static char own_stack[65536];
static volatile int zero;

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(99);
}

static void multiply(cublasHandle_t handle, const float *a)
{
	static const float b[16];
	static float c[16];
	const float one = 1, none = 0;

	cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 4, b, 4, &none, c, 4);
}

static cublasHandle_t handle(void)
{
	cublasHandle_t made = NULL;

	if (cublasCreate_v2(&made))
		_exit(98);
	return made;
}

static void below(void (*crash)(void))
{
	unsigned mask;
	void *data;
	void (*function)(void);

	cudnnSetCallback(~0u, NULL, crash);
	cudnnGetCallback(&mask, &data, &function);
}

static void null_write(void) { *(volatile int *)(uintptr_t)(unsigned)zero = 1; }
static void divide(void) { zero = 7 / zero; }
static void illegal(void) { __builtin_trap(); }
static void raise_segv(void) { raise(SIGSEGV); }

__attribute__((noinline)) static int recurse(volatile char *above)
{
	volatile char here[512];

	here[0] = above ? above[0] : 1;
	return recurse(here) + here[0];
}

static void overflow(void) { zero = recurse(NULL); }

static void wrong_handle(void)
{
	cublasDestroy_v2(handle());
	multiply((cublasHandle_t)0x1000, NULL);
}

static void freed_handle(void)
{
	void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cublasDestroy_v2(handle());
	munmap(gone, 4096);
	multiply(gone, NULL);
}

static void wrong_descriptor(void)
{
	cublasLtHandle_t lt = NULL;
	size_t written;
	int type;

	cublasLtCreate(&lt);
	cublasLtMatmulDescGetAttribute((cublasLtMatmulDesc_t)0x2000, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &type, sizeof(type), &written);
}

static void null_pointer(void) { multiply(handle(), (const float *)(uintptr_t)16); }

static void corrupted_heap(void)
{
	cublasHandle_t made = handle();

	((size_t *)made)[-1] = 0x11;	/* the size of the chunk */
	cublasDestroy_v2(made);
}

static void truncated(void)
{
	FILE *file = tmpfile();
	void *mapped;

	if (!file || ftruncate(fileno(file), 4096))
		_exit(97);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
	if (ftruncate(fileno(file), 0))
		_exit(97);
	multiply(handle(), mapped);
}

static void callback(void) { below(null_write); }
static void in_abort(void) { below(abort); }
static void in_fpe(void) { below(divide); }
static void in_ill(void) { below(illegal); }
static void in_overflow(void) { below(overflow); }
static void in_raise(void) { below(raise_segv); }

static void *thread_main(void *nothing)
{
	wrong_handle();
	return nothing;
}

static void in_thread(void)
{
	pthread_t thread;

	cublasDestroy_v2(handle());
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
}

static void child(void)
{
	int status;
	pid_t pid;

	cublasDestroy_v2(handle());
	pid = fork();
	if (!pid) {
		wrong_handle();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("child: signal %d core %d\n", WTERMSIG(status), !!WCOREDUMP(status));
}

static void outside_raise(void)
{
	cublasDestroy_v2(handle());
	raise(SIGABRT);
}

static void outside_segv(void)
{
	cublasDestroy_v2(handle());
	null_write();
}

/* A vendor's memory, outside of any call. */
static void outside_memory(void)
{
	cublasDestroy_v2(handle());
	*(volatile char *)(uintptr_t)cublasGetStatusName(CUBLAS_STATUS_SUCCESS) = 0;
}

static const struct kind {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "wrong_handle", wrong_handle }, { "freed_handle", freed_handle }, { "wrong_descriptor", wrong_descriptor },
	{ "null_pointer", null_pointer }, { "corrupted_heap", corrupted_heap }, { "truncated", truncated }, { "callback", callback },
	{ "abort", in_abort }, { "fpe", in_fpe }, { "ill", in_ill }, { "overflow", in_overflow }, { "raise", in_raise },
	{ "thread", in_thread }, { "child", child }, { "outside_raise", outside_raise }, { "outside_segv", outside_segv },
	{ "outside_memory", outside_memory },
};

static void jump(int number) { (void)number; say("jumped\n"); siglongjmp(back, 1); }

static void leave(int number, siginfo_t *info, void *context)
{
	char here;

	(void)number, (void)context;
	say(info->si_code > 0 ? "fault\n" : "sent\n");
	say(&here >= own_stack && &here < own_stack + sizeof(own_stack) ? "own stack\n" : "other stack\n");
	_exit(42);
}

/* As crash collectors do: says its part, puts back what was there before, and lets the signal come again. */
static void collect(int number)
{
	say("collected\n");
	sigaction(number, &old[number], NULL);
	raise(number);
}

static void install(const char *name)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	struct sigaction action = { .sa_handler = SIG_DFL };
	stack_t stack = { .ss_sp = own_stack, .ss_size = sizeof(own_stack) };

	if (!strcmp(name, "jump")) {
		action.sa_handler = jump;
	} else if (!strcmp(name, "leave") || !strcmp(name, "stack")) {
		action.sa_sigaction = leave;
		action.sa_flags = SA_SIGINFO;
	} else if (!strcmp(name, "collect")) {
		action.sa_handler = collect;
		action.sa_flags = SA_RESTART;
	} else if (!strcmp(name, "once")) {
		action.sa_handler = collect;
		action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
	} else if (!strcmp(name, "ignore")) {
		action.sa_handler = SIG_IGN;
	}
	if (!strcmp(name, "stack")) {
		sigaltstack(&stack, NULL);
		action.sa_flags |= SA_ONSTACK;
	}
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, &old[signals[i]]);
}

int main(int argc, char **argv)
{
	const char *when = argc > 2 ? argv[2] : "";

	if (!strncmp(when, "late-", 5)) {	/* after the first vendor call, and so after gangway's */
		cublasDestroy_v2(handle());
		install(when + 5);
	} else if (*when) {
		install(when);
	}
	for (unsigned i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name) && !sigsetjmp(back, 1))
			kinds[i].run();
	cublasDestroy_v2(handle());
	say("went on\n");
	return 0;
}
