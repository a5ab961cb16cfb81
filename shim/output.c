/* SPDX-License-Identifier: Apache-2.0 */
/* See output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_DESCRIPTOR 200	/* programs count on getting the lowest free numbers, and close those they do not know */

/* write(2) with SIGPIPE and SIGXFSZ held back for this thread, and taken away again if this write raised them. */
static ssize_t write_quietly(int file, const char *text, size_t length)
{
	sigset_t ours, before, pending;
	const struct timespec now = { 0, 0 };
	bool had_pipe, had_size;
	ssize_t written;
	int error;

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigpending(&pending);
	had_pipe = sigismember(&pending, SIGPIPE);
	had_size = sigismember(&pending, SIGXFSZ);
	if (pthread_sigmask(SIG_BLOCK, &ours, &before))
		return -1;
	do
		written = write(file, text, length);
	while (written < 0 && errno == EINTR);
	error = errno;
	if (written < 0 && (error == EPIPE || error == EFBIG)) {
		sigset_t raised;

		sigemptyset(&raised);
		if (error == EPIPE && !had_pipe)
			sigaddset(&raised, SIGPIPE);
		if (error == EFBIG && !had_size)
			sigaddset(&raised, SIGXFSZ);
		while (sigtimedwait(&raised, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return written;
}

/*
 * A line that went out in part is taken back where nobody has appended since, so that the file ends with a whole one; a pipe keeps it.
 */
static void take_back(int file, ssize_t written)
{
	off_t end = lseek(file, 0, SEEK_CUR);
	struct stat status;

	if (end >= written && !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size == end &&
	    ftruncate(file, end - written))
		return;		/* then a torn line stays */
}

/* The program goes on without this output. Closing is left out: the number may be the program's by now. */
static void give_up(struct gw_output *output, int file)
{
	int expected = file + 1;

	atomic_compare_exchange_strong(&output->file, &expected, -1);
}

static int open_output(struct gw_output *output)
{
	struct stat status;
	int low = open(output->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	int file, expected = 0;

	if (low < 0)
		goto give_up;
	file = fcntl(low, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
	if (file >= 0)
		close(low);
	else
		file = low;
	/* O_NONBLOCK was for opening a FIFO that nobody reads. From here on a slow reader is waited for: no line is to be lost or torn. */
	if (fstat(file, &status) || fcntl(file, F_SETFL, O_APPEND)) {
		close(file);
		goto give_up;
	}
	atomic_store(&output->device, status.st_dev);
	atomic_store(&output->inode, status.st_ino);
	if (!atomic_compare_exchange_strong(&output->file, &expected, file + 1)) {
		close(file);	/* another thread was first */
		return expected - 1;
	}
	return file;
give_up:
	expected = 0;
	atomic_compare_exchange_strong(&output->file, &expected, -1);
	return -1;
}

bool gw_output_write(struct gw_output *output, const char *line, size_t length)
{
	int error = errno, file = atomic_load(&output->file) - 1, stale;
	struct stat status;
	ssize_t written = -1;

	if (file == -1)
		file = open_output(output);
	if (file >= 0 && (fstat(file, &status) || status.st_dev != atomic_load(&output->device) ||
			  status.st_ino != atomic_load(&output->inode))) {
		/* The program closed it, and may have opened its own file under this number: leave that one alone. */
		stale = file + 1;
		atomic_compare_exchange_strong(&output->file, &stale, 0);
		file = open_output(output);
	}
	if (file >= 0)
		written = write_quietly(file, line, length);
	if (written != (ssize_t)length) {
		if (file != -2)	/* given up before: errno tells of something else */
			atomic_store(&output->error, written < 0 ? errno : 0);
		if (written > 0)
			take_back(file, written);
		if (file >= 0)
			give_up(output, file);
		atomic_fetch_add(&output->lost, 1);
	}
	errno = error;
	return written == (ssize_t)length;
}

void gw_output_stderr(const char *line, size_t length)
{
	int error = errno;

	write_quietly(STDERR_FILENO, line, length);
	errno = error;
}
