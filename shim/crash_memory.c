/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See crash_memory.h. The kernel is asked by a system call that reads eight bytes and then refuses what it is told to do: it changes
 * nothing, needs no descriptor, and no sandbox that lets a C library live forbids it, as some do process_vm_readv.
 */
#include "crash_memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u

bool gw_crash_readable(const void *address, size_t length)
{
	uintptr_t page = (uintptr_t)address & ~(uintptr_t)(PAGE - 1), end = (uintptr_t)address + length;
	int error = errno;
	bool readable = end >= (uintptr_t)address;

	for (; readable && page < end; page += PAGE)
		readable = syscall(SYS_rt_sigprocmask, ~0, (void *)page, NULL, sizeof(uint64_t)) == -1 && errno != EFAULT;
	errno = error;
	return readable;
}

const char *gw_crash_text(const char *text)
{
	return text && gw_crash_readable(text, 1) ? text : "?";
}
