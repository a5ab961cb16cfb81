/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls (audit_system.h), and those functions of <string.h> that the auditor and its
 * compiler use: there is no C library to get them from. Compiled freestanding, lest the compiler
 * make a call of memcpy out of memcpy.
 */
#include "audit_system.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The kernel fills the struct stat that the C library declares. */
_Static_assert(sizeof(struct stat) == 144, "struct stat is not the kernel's");

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

long gw_sys_open(const char *path, int flags, int mode)
{
	return call(SYS_open, (long)path, flags, mode, 0, 0, 0);
}

long gw_sys_read(int file, void *buffer, size_t size)
{
	return call(SYS_read, file, (long)buffer, (long)size, 0, 0, 0);
}

long gw_sys_write(int file, const void *buffer, size_t size)
{
	return call(SYS_write, file, (long)buffer, (long)size, 0, 0, 0);
}

long gw_sys_close(int file)
{
	return call(SYS_close, file, 0, 0, 0, 0, 0);
}

long gw_sys_access(const char *path, int mode)
{
	return call(SYS_access, (long)path, mode, 0, 0, 0, 0);
}

long gw_sys_stat(const char *path, struct stat *info)
{
	return call(SYS_stat, (long)path, (long)info, 0, 0, 0, 0);
}

long gw_sys_fstat(int file, struct stat *info)
{
	return call(SYS_fstat, file, (long)info, 0, 0, 0, 0);
}

long gw_sys_getdents(int directory, void *buffer, size_t size)
{
	return call(SYS_getdents64, directory, (long)buffer, (long)size, 0, 0, 0);
}

long gw_sys_getpid(void)
{
	return call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

void *gw_sys_map(int file, size_t size)
{
	long result = call(SYS_mmap, 0, (long)size, PROT_READ, MAP_PRIVATE, file, 0);

	return result < 0 && result > -4096 ? NULL : (void *)result;
}

void gw_sys_unmap(void *map, size_t size)
{
	call(SYS_munmap, (long)map, (long)size, 0, 0, 0, 0);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(byte) : "memory");
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size; size--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size; size--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int wanted)
{
	for (; *text != (char)wanted; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

char *strrchr(const char *text, int wanted)
{
	const char *last = NULL;

	do {
		if (*text == (char)wanted)
			last = text;
	} while (*text++);
	return (char *)last;
}

size_t strcspn(const char *text, const char *stop)
{
	size_t length = 0;

	while (text[length] && !strchr(stop, text[length]))
		length++;
	return length;
}

void *memmem(const void *in, size_t in_size, const void *wanted, size_t size)
{
	const char *at = in;

	for (; size <= in_size; at++, in_size--)
		if (!memcmp(at, wanted, size))
			return (void *)at;
	return NULL;
}

char *strstr(const char *in, const char *wanted)
{
	return memmem(in, strlen(in), wanted, strlen(wanted));
}
