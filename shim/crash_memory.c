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

/* Pages that can be read; 1 is none's address. */
static uintptr_t known[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

void gw_crash_forget(void)
{
	unsigned i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		known[i] = 1;
}

static bool is_there(uintptr_t page)
{
	uintptr_t *slot = &known[(page / PAGE) % (sizeof(known) / sizeof(known[0]))];

	if (*slot == page)
		return true;
	if (!gw_crash_readable((const void *)page, 1))
		return false;
	*slot = page;
	return true;
}

/* Other functions' frames are read, which a sanitizer would take for a slip: no memcpy, which it watches. */
__attribute__((no_sanitize("address", "thread"))) bool gw_crash_load(uintptr_t address, void *value, size_t length)
{
	const volatile unsigned char *from = (const volatile unsigned char *)address;
	unsigned char *to = value;
	size_t i;

	if (address > UINTPTR_MAX - length || !is_there(address & ~(uintptr_t)(PAGE - 1)) || !is_there((address + length - 1) & ~(uintptr_t)(PAGE - 1)))
		return false;
	for (i = 0; i < length; i++)
		to[i] = from[i];
	return true;
}

const char *gw_crash_text(const char *text)
{
	return text && gw_crash_readable(text, 1) ? text : "?";
}
