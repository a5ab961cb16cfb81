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

/* (Functions are exported, so that the report can name them: nothing here is static.) */
extern int cudnnSetCallback(unsigned mask, void *data, void (*function)(void));
extern int cudnnGetCallback(unsigned *mask, void **data, void (**function)(void));

static sigjmp_buf back;
static struct sigaction old[65];
static char own_stack[65536];
static volatile int zero;

void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(99);
}

void multiply(cublasHandle_t handle, const float *a)
{
	static const float b[16];
	static float c[16];
	const float one = 1, none = 0;

	cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 4, b, 4, &none, c, 4);
}

cublasHandle_t handle(void)
{
	cublasHandle_t made = NULL;

	if (cublasCreate_v2(&made))
		_exit(98);
	return made;
}

void below(void (*crash)(void))
{
	unsigned mask;
	void *data;
	void (*function)(void);

	cudnnSetCallback(~0u, NULL, crash);
	cudnnGetCallback(&mask, &data, &function);
}

void null_write(void) { *(volatile int *)(uintptr_t)(unsigned)zero = 1; }
void divide(void) { zero = 7 / zero; }
void illegal(void) { __builtin_trap(); }
void raise_segv(void) { raise(SIGSEGV); }

__attribute__((noinline)) int recurse(volatile char *above)
{
	volatile char here[512];

	here[0] = above ? above[0] : 1;
	return recurse(here) + here[0];
}

void overflow(void) { zero = recurse(NULL); }

void wrong_handle(void)
{
	cublasDestroy_v2(handle());
	multiply((cublasHandle_t)0x1000, NULL);
}

void freed_handle(void)
{
	void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cublasDestroy_v2(handle());
	munmap(gone, 4096);
	multiply(gone, NULL);
}

void wrong_descriptor(void)
{
	cublasLtHandle_t lt = NULL;
	size_t written;
	int type;

	cublasLtCreate(&lt);
	cublasLtMatmulDescGetAttribute((cublasLtMatmulDesc_t)0x2000, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &type, sizeof(type), &written);
}

void null_pointer(void) { multiply(handle(), (const float *)(uintptr_t)16); }

void corrupted_heap(void)
{
	cublasHandle_t made = handle();

	((size_t *)made)[-1] = 0x11;	/* the size of the chunk */
	cublasDestroy_v2(made);
}

void truncated(void)
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

/* A chain whose frames are of different kinds: with a frame pointer and room of a changing size, without, and big. */
__attribute__((noinline)) void chain_c(int size)
{
	volatile char *room = __builtin_alloca((size_t)size);

	room[size - 1] = 1;
	multiply((cublasHandle_t)0x1000, NULL);
	room[0] = room[size - 1];
}

__attribute__((noinline)) void chain_b(int size)
{
	volatile char room[3000];

	room[size] = 1;
	chain_c(size + 40);
	room[0] = room[size];
}

__attribute__((noinline)) void chain_a(int size)
{
	chain_b(size + 1);
	say("");
}

void chain(void)
{
	cublasDestroy_v2(handle());
	chain_a(7);
}

/* What lies beyond the frame of the function that crashes is overwritten: its return address leads nowhere. */
__attribute__((noinline)) void smash(void)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);

	frame[0] = frame[1] = 0x4141414141414141;
	null_write();
}

void corrupted_stack(void) { below(smash); }

void null_function(void)
{
	void (*volatile nothing)(void) = NULL;

	nothing();
	say("");
}

void in_null_function(void) { below(null_function); }
void callback(void) { below(null_write); }
void in_abort(void) { below(abort); }
void in_fpe(void) { below(divide); }
void in_ill(void) { below(illegal); }
void in_overflow(void) { below(overflow); }
void in_raise(void) { below(raise_segv); }

void *thread_main(void *nothing)
{
	wrong_handle();
	return nothing;
}

void in_thread(void)
{
	pthread_t thread;

	cublasDestroy_v2(handle());
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
}

void child(void)
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

void outside_raise(void)
{
	cublasDestroy_v2(handle());
	raise(SIGABRT);
}

void outside_segv(void)
{
	cublasDestroy_v2(handle());
	null_write();
}

/* A vendor's memory, outside of any call. */
void outside_memory(void)
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
	{ "outside_memory", outside_memory }, { "chain", chain }, { "corrupted_stack", corrupted_stack }, { "null_function", in_null_function },
};

void jump(int number) { (void)number; say("jumped\n"); siglongjmp(back, 1); }

void leave(int number, siginfo_t *info, void *context)
{
	char here;

	(void)number, (void)context;
	say(info->si_code > 0 ? "fault\n" : "sent\n");
	say(&here >= own_stack && &here < own_stack + sizeof(own_stack) ? "own stack\n" : "other stack\n");
	_exit(42);
}

/* As crash collectors do: says its part, puts back what was there before, and lets the signal come again. */
void collect(int number)
{
	say("collected\n");
	sigaction(number, &old[number], NULL);
	raise(number);
}

void install(const char *name)
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
