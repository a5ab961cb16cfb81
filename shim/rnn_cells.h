/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of 8.x that 9 has no more, behind handles of ours: algorithm descriptors, their performances, persistent plans. Memory: at most
 * 16 chunks of 1024 cells of 64 bytes, mapped as they are needed. Any thread.
 */
#ifndef GW_RNN_CELLS_H
#define GW_RNN_CELLS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum gw_cell_kind { GW_CELL_FREE, GW_CELL_MAKING, GW_CELL_ALGORITHM, GW_CELL_PERFORMANCE, GW_CELL_PLAN };

struct gw_cell {
	_Atomic uint32_t kind;	/* enum gw_cell_kind */
	int32_t number;		/* algorithm: its number; performance: its status; plan: its batch size */
	float time;		/* performance: milliseconds */
	size_t memory;		/* performance: bytes */
	void *algorithm;	/* performance: its descriptor, */
	struct gw_cell *own;	/* or the one that it was made with */
	char pad[24];
};

_Static_assert(sizeof(struct gw_cell) == 64, "cells are told apart by their address");

/* A zeroed cell of KIND; NULL: no memory, or all 16384 are taken. */
struct gw_cell *gw_cell_make(enum gw_cell_kind kind);

/* The cell behind HANDLE when it is one of KIND, else NULL. HANDLE may be anything. */
struct gw_cell *gw_cell_of(const void *handle, enum gw_cell_kind kind);

void gw_cell_free(struct gw_cell *cell) __attribute__((nonnull));

#endif
