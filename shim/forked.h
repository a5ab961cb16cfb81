/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapped objects of a forked child. The C library (seen in 2.36) does not free the lock of dl_iterate_phdr in a child: where another
 * thread of the parent was inside dlopen, dlclose or an unwinder as the process forked, dl_iterate_phdr waits for ever. In such a child the list
 * cannot change either, since a change wants the same lock. So a child reads the list by itself, until the list has changed.
 */
#ifndef GW_FORKED_H
#define GW_FORKED_H

#include <link.h>

/* This process is a child that has just been forked. Called once, by its only thread. */
void gw_forked(void);

/* What dl_iterate_phdr does, without its counters (the size that EACH is told says so) where its lock may be lost. Any thread. */
void gw_forked_iterate(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data) __attribute__((nonnull(1)));

#endif
