/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See crash.h. sigaction is not hooked: a handler that the program installs later replaces ours and is told of ours as the earlier one,
 * so that one which hands on, as Python's faulthandler does, reaches us. A signal that the program ignores stays ignored.
 */
#include "crash.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crash_report.h"
#include "process.h"
#include "settings.h"

#define ALTERNATE 65536u

static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction earlier[SIGNALS];
static _Atomic int state;	/* 0: not begun, 1: being begun, 2: handlers are installed, 3: not wanted */
static char alternate[ALTERNATE] __attribute__((aligned(64)));

static struct sigaction *earlier_of(int number)
{
	unsigned i;

	for (i = 0; i < SIGNALS - 1 && signals[i] != number; i++)
		;
	return &earlier[i];
}

/*
 * The same signal with the same details is left pending for this thread, which the kernel hands out when our handler returns: at the
 * instruction that was interrupted, with its registers, which is what a core then holds.
 */
static void end_as_without_us(int number, siginfo_t *info)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	pid_t thread = gw_process_tid();

	sigaction(number, &standard, NULL);
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, info) && info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), thread, number);	/* a fault comes again by itself */
}

static void handle(int number, siginfo_t *info, void *context)
{
	const struct sigaction *before = earlier_of(number);
	int error = errno;

	gw_crash_report(number, info, context);
	errno = error;
	if (!(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL) {
		end_as_without_us(number, info);
		errno = error;
		return;
	}
	/* Ours was installed with the flags and the mask of that one: it finds what it would have found. */
	if (before->sa_flags & (int)SA_RESETHAND) {
		struct sigaction standard = { .sa_handler = SIG_DFL };

		sigaction(number, &standard, NULL);
	}
	if (before->sa_flags & SA_SIGINFO)
		before->sa_sigaction(number, info, context);
	else
		before->sa_handler(number);
}

static void install(unsigned i)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (sigaction(signals[i], NULL, &earlier[i]))
		return;
	if (!(earlier[i].sa_flags & SA_SIGINFO) && earlier[i].sa_handler == SIG_IGN)
		return;
	if (earlier[i].sa_flags & SA_SIGINFO || earlier[i].sa_handler != SIG_DFL) {
		ours.sa_flags = SA_SIGINFO | (earlier[i].sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART));
		ours.sa_mask = earlier[i].sa_mask;
	}
	ours.sa_sigaction = handle;
	sigaction(signals[i], &ours, NULL);
}

/* Other threads' stacks are left alone: their owners may free them, and one stack cannot serve two threads. */
static void give_alternate_stack(void)
{
	stack_t now, ours = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	if (gw_process_tid() == getpid() && !sigaltstack(NULL, &now) && now.ss_flags & SS_DISABLE)
		sigaltstack(&ours, NULL);
}

bool gw_crash_begin(void)
{
	int expected = 0;
	unsigned i;

	if (atomic_compare_exchange_strong(&state, &expected, 1)) {
		expected = gw_setting_on(GW_SETTING_CRASH) && !gw_setting_on(GW_SETTING_DISABLE) ? 2 : 3;
		if (expected == 2) {
			gw_crash_report_prepare();
			for (i = 0; i < SIGNALS; i++)
				install(i);
		}
		atomic_store_explicit(&state, expected, memory_order_release);
	}
	if (expected == 3)
		return false;
	give_alternate_stack();
	return true;
}

void gw_crash_forked(void)
{
	int now = 1;

	atomic_compare_exchange_strong(&state, &now, 0);	/* the thread that was at it is the parent's */
	gw_crash_report_forked();
}
