/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls of the auditor, which has no C library: one of its own would be found, mapped
 * and relocated a second time for every program, and with the program's RPATH. Each returns what
 * the kernel does: a negative errno on failure. No errno, no TLS. libgangway.so has them, too, for
 * what it shares with the auditor.
 */
#ifndef GW_AUDIT_SYSTEM_H
#define GW_AUDIT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

long gw_sys_open(const char *path, int flags, int mode) __attribute__((nonnull));
long gw_sys_read(int file, void *buffer, size_t size) __attribute__((nonnull));
long gw_sys_write(int file, const void *buffer, size_t size) __attribute__((nonnull));
long gw_sys_close(int file);
long gw_sys_access(const char *path, int mode) __attribute__((nonnull));
long gw_sys_stat(const char *path, struct stat *info) __attribute__((nonnull));
long gw_sys_fstat(int file, struct stat *info) __attribute__((nonnull));
long gw_sys_getdents(int directory, void *buffer, size_t size) __attribute__((nonnull));
long gw_sys_getpid(void);
long gw_sys_readlink(const char *path, char *buffer, size_t size) __attribute__((nonnull));
long gw_sys_getcwd(char *buffer, size_t size) __attribute__((nonnull));

/* SIZE bytes of FILE, to be read; NULL when that fails. */
void *gw_sys_map(int file, size_t size);
void gw_sys_unmap(void *map, size_t size);

#endif
