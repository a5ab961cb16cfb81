/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a directory, read without a C library: for the auditor, and for what libgangway.so shares with it. */
#ifndef GW_DIRECTORY_LIST_H
#define GW_DIRECTORY_LIST_H

#include <stdbool.h>

/* Calls VISIT for each name in DIRECTORY but those that begin with a dot, until it returns false. False where it cannot be read. */
bool gw_directory_each(const char *directory, bool (*visit)(const char *name, void *data), void *data) __attribute__((nonnull(1, 2)));

#endif
