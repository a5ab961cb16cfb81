/* SPDX-License-Identifier: Apache-2.0 */
/* System calls (audit_system.h). */
#include "audit_system.h"

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

long gw_sys_readlink(const char *path, char *buffer, size_t size)
{
	return call(SYS_readlink, (long)path, (long)buffer, (long)size, 0, 0, 0);
}

long gw_sys_getcwd(char *buffer, size_t size)
{
	return call(SYS_getcwd, (long)buffer, (long)size, 0, 0, 0, 0);
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
