/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a library computes on, for the programs here: a GPU's, through the driver's own library, which is opened, not linked;
 * plain memory where there is no GPU, for libraries that compute on the host. Any failure prints a line and ends the program.
 */
#ifndef GPU_MEMORY_H
#define GPU_MEMORY_H

#include <stddef.h>

/* True when there is a GPU; to be called once, before the rest. */
int memory_open(void);

/* 256 bytes aligned, filled with nothing in particular; never NULL; lives until the program ends. */
void *memory_take(size_t size);

/* All of them wait until the copy is made; the last two for the GPU's earlier work, too. */
void memory_put(void *device, const void *host, size_t size);
void memory_get(void *host, const void *device, size_t size);
/* 0, or the driver's error: what was started before failed, and nothing more can be done on this GPU by this process. */
int memory_wait(void);

#endif
