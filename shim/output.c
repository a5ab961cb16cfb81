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

bool gw_quiet_begin(struct gw_quiet *quiet)
{
	sigset_t ours, pending;

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigpending(&pending);
	quiet->had_pipe = sigismember(&pending, SIGPIPE);
	quiet->had_size = sigismember(&pending, SIGXFSZ);
	return !pthread_sigmask(SIG_BLOCK, &ours, &quiet->before);
}

void gw_quiet_end(struct gw_quiet *quiet, bool raised)
{
	const struct timespec now = { 0, 0 };
	int error = errno;
	sigset_t taken;

	sigemptyset(&taken);
	if (!quiet->had_pipe)
		sigaddset(&taken, SIGPIPE);
	if (!quiet->had_size)
		sigaddset(&taken, SIGXFSZ);
	while (raised && sigtimedwait(&taken, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
	errno = error;
}

/* write(2) with SIGPIPE and SIGXFSZ held back for this thread, and taken away again if this write raised them. */
static ssize_t write_quietly(int file, const char *text, size_t length)
{
	struct gw_quiet quiet;
	ssize_t written;

	if (!gw_quiet_begin(&quiet))
		return -1;
	do
		written = write(file, text, length);
	while (written < 0 && errno == EINTR);
	gw_quiet_end(&quiet, written < 0 && (errno == EPIPE || errno == EFBIG));
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

/* In the C locale's words, and without strerror, which may read translations from files. */
static const char *reason(int error)
{
	switch (error) {
	case 0: return "only a part of a line could be written";
	case EACCES:
	case EPERM: return "permission denied";
	case ENOENT: return "no such file or directory";
	case ENOTDIR: return "a part of the path is no directory";
	case EISDIR: return "is a directory";
	case EROFS: return "read-only file system";
	case ENOSPC: return "no space left on device";
	case EDQUOT: return "disk quota exceeded";
	case EFBIG: return "file too large";
	case EPIPE: return "nobody reads it";
	case EMFILE:
	case ENFILE: return "too many open files";
	case EIO: return "input/output error";
	default: return NULL;
	}
}

void gw_output_reason(struct gw_line *line, int error)
{
	const char *why = reason(error);

	gw_line_text(line, why ? why : "errno ");
	if (!why)
		gw_line_signed(line, error);
}
