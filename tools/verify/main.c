/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gangway-verify: small computations through the libraries that a program would get. `gangway verify` starts it, bare and under the shim, and
 * compares. Prints one line of JSON a step (docs/verify.md). Each step runs in a process of its own with a time limit; this one loads no library.
 */
#include "step.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DOING = 512 };

static const struct step {
	const char *name;
	void (*run)(const char *which);
} steps[] = {
	{"driver", gw_step_driver},
	{"runtime", gw_step_runtime},
	{"nvrtc", gw_step_nvrtc},
	{"product-fp64", gw_step_product},
	{"product-fp32", gw_step_product},
	{"product-tf32", gw_step_product},
	{"product-fp16", gw_step_product},
	{"product-bf16", gw_step_product},
	{"product-int8", gw_step_product},
	{"product-fp8", gw_step_product},
	{"cublas", gw_step_blas},
	{"convolution", gw_step_convolution},
	{"convolution-fused", gw_step_fused},
	{"convolution-graph", gw_step_graph},
	{"eigenvalues", gw_step_solver},
	{"nccl", gw_step_nccl},
};
enum { STEPS = sizeof steps / sizeof *steps };

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Libraries print what they like; standard output is for our lines. */
static _Noreturn void child(const struct step *step, char *doing, int out)
{
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(3);
	gw_report_start(step->name, doing, DOING, out);
	step->run(step->name);
	gw_end(GW_OK, "%s", "");
}

enum heard { NOTHING, A_LINE, TOO_LATE };

/* Copies what the child says until it ends or time is up. */
static enum heard listen_to(int in, double limit)
{
	enum heard heard = NOTHING;
	double end = seconds() + limit;

	for (;;) {
		struct pollfd wait = {.fd = in, .events = POLLIN};
		double left = end - seconds();
		static char text[1 << 16];
		ssize_t got;
		int ready;

		if (left <= 0)
			return TOO_LATE;
		ready = poll(&wait, 1, (int)(left * 1000) + 1);
		if (ready < 0 && errno != EINTR)
			return heard;
		if (ready <= 0)
			continue;
		got = read(in, text, sizeof text);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return heard;
		heard = A_LINE;
		fwrite(text, 1, (size_t)got, stdout);
	}
}

static void run(const struct step *step, char *doing, double limit)
{
	int ends[2], status;
	enum heard heard;
	char why[128];
	pid_t pid;

	doing[0] = '\0';
	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		snprintf(why, sizeof why, "no process for it: %s", strerror(errno));
		gw_report_lost(STDOUT_FILENO, step->name, GW_FAILED, "", why);
		return;
	}
	if (!pid) {
		close(ends[0]);
		setpgid(0, 0);
		child(step, doing, ends[1]);
	}
	setpgid(pid, pid);
	close(ends[1]);
	heard = listen_to(ends[0], limit);
	close(ends[0]);
	if (heard == TOO_LATE)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	fflush(stdout);
	if (heard == TOO_LATE) {
		snprintf(why, sizeof why, "not done after %g s", limit);
		gw_report_lost(STDOUT_FILENO, step->name, GW_HUNG, doing, why);
	} else if (WIFSIGNALED(status)) {
		snprintf(why, sizeof why, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
		gw_report_lost(STDOUT_FILENO, step->name, GW_CRASHED, doing, why);
	} else if (WEXITSTATUS(status) || heard == NOTHING) {
		snprintf(why, sizeof why, "the process ended itself with status %d", WEXITSTATUS(status));
		gw_report_lost(STDOUT_FILENO, step->name, GW_CRASHED, doing, why);
	}
}

static _Noreturn void usage(void)
{
	fputs("usage: gangway-verify [--list] [--library NAME=FILE]… [--limit SECONDS] [STEP…]\n"
	      "Part of `gangway verify`, which says more.\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	char *doing = mmap(NULL, DOING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double limit = 120;
	int first = 1;

	if (doing == MAP_FAILED)
		return 3;
	while (first < argc && argv[first][0] == '-') {
		if (!strcmp(argv[first], "--list")) {
			for (size_t i = 0; i < STEPS; i++)
				puts(steps[i].name);
			return fflush(stdout) ? 3 : 0;
		}
		if (first + 1 >= argc)
			usage();
		if (!strcmp(argv[first], "--library")) {
			if (!gw_library_told(argv[first + 1]))
				usage();
		} else if (!strcmp(argv[first], "--limit")) {
			limit = strtod(argv[first + 1], NULL);
		} else {
			usage();
		}
		first += 2;
	}
	for (size_t i = 0; i < STEPS; i++) {
		bool wanted = first >= argc;

		for (int k = first; k < argc; k++)
			wanted |= !strcmp(argv[k], steps[i].name);
		if (wanted)
			run(&steps[i], doing, limit);
	}
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
