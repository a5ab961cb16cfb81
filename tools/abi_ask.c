/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a library in a child process and asks it for its version. Nothing of a vendor's
 * constructors, or of a crash in them, reaches the process that asks.
 */
#include "abi_ask.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 30000 /* half a gigabyte may have to come from a slow disk */

/* In the child: never returns. */
static void answer(int to, const char *path, const char *const needed[], size_t needed_count,
		   const char *function)
{
	struct gw_answer answer = {0};
	char beside[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
	int (*get)(int, int *);
	void *handle;

	if (quiet >= 0) {
		dup2(quiet, STDIN_FILENO);
		dup2(quiet, STDOUT_FILENO);
		dup2(quiet, STDERR_FILENO);
	}
	/* partners that lie beside it, which a search would not find; the last named needs the
	 * fewest */
	for (size_t i = needed_count; slash && i-- > 0;) {
		snprintf(beside, sizeof(beside), "%.*s/%s", (int)(slash - path), path, needed[i]);
		if (!access(beside, R_OK))
			(void)dlopen(beside, RTLD_LAZY | RTLD_GLOBAL);
	}
	handle = dlopen(path, RTLD_LAZY);
	get = handle ? (int (*)(int, int *))dlsym(handle, function) : NULL;
	if (!get)
		snprintf(answer.error, sizeof(answer.error), "%s", dlerror());
	for (int i = 0; get && i < 3; i++)
		answer.status |= get(i, &answer.part[i]);
	(void)!write(to, &answer, sizeof(answer));
	_exit(0); /* no destructors: some of them wait for a GPU that is not there */
}

static int wait_for(int from, struct gw_answer *out)
{
	struct pollfd poller = {.fd = from, .events = POLLIN};
	struct timespec start, now;
	long left = PATIENCE_MS;
	int rc;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		rc = poll(&poller, 1, (int)left);
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = PATIENCE_MS - (now.tv_sec - start.tv_sec) * 1000;
	} while (rc < 0 && errno == EINTR && left > 0);
	if (rc <= 0)
		return -ETIMEDOUT;
	return read(from, out, sizeof(*out)) == (ssize_t)sizeof(*out) ? 0 : -EPIPE;
}

int gw_ask_version(const char *path, const char *const needed[], size_t needed_count,
		   const char *function, struct gw_answer *out)
{
	int ends[2], rc, status = 0;
	char real[PATH_MAX];
	pid_t child;

	memset(out, 0, sizeof(*out));
	if (!realpath(path, real) || pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child)
		answer(ends[1], real, needed, needed_count, function);
	close(ends[1]);
	rc = child < 0 ? -errno : wait_for(ends[0], out);
	close(ends[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (rc == -ETIMEDOUT)
		snprintf(out->error, sizeof(out->error), "no answer within %d s",
			 PATIENCE_MS / 1000);
	else if (rc)
		snprintf(out->error, sizeof(out->error),
			 "the process that loaded it ended without an answer%s%s",
			 WIFSIGNALED(status) ? ": " : "",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
	return out->error[0] ? -EIO : 0;
}
