/* SPDX-License-Identifier: Apache-2.0 */
/* See process.h. Opens files only in gw_process_command and gw_process_boot, which the log and the trace alone call. */
#include "process.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "thread.h"

const char gw_process_soname[] = "libgangway.so";

__thread struct gw_thread gw_thread;

const char *gw_process_program(void)
{
	static char path[1024];
	static _Atomic int state;	/* 0: nobody asked, 1: path holds it */
	char here[sizeof(path)];
	ssize_t length, i;

	if (atomic_load_explicit(&state, memory_order_acquire))
		return path;
	length = readlink("/proc/self/exe", here, sizeof(here) - 1);
	if (length <= 0)
		return "?";
	/* Two threads may copy the same bytes at once. */
	for (i = 0; i < length; i++)
		__atomic_store_n(&path[i], here[i], __ATOMIC_RELAXED);
	atomic_store_explicit(&state, 1, memory_order_release);
	return path;
}

int32_t gw_process_tid(void)
{
	return (int32_t)syscall(SYS_gettid);
}

uint64_t gw_process_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static unsigned read_file(const char *path, char *buffer, unsigned size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (file < 0)
		return 0;
	got = read(file, buffer, size);
	close(file);
	return got > 0 ? (unsigned)got : 0;
}

unsigned gw_process_command(char *buffer, unsigned size)
{
	return read_file("/proc/self/cmdline", buffer, size);
}

bool gw_process_boot(char *buffer, unsigned size)
{
	unsigned length = read_file("/proc/sys/kernel/random/boot_id", buffer, size - 1);

	while (length && buffer[length - 1] == '\n')
		length--;
	buffer[length] = 0;
	return length != 0;
}

bool gw_process_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}
