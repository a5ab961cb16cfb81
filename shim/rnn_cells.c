/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_cells.h. */
#include "rnn_cells.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNKS = 16, CELLS = 1024 };

static _Atomic(struct gw_cell *) chunks[CHUNKS];

static struct gw_cell *chunk_at(unsigned i)
{
	struct gw_cell *chunk = atomic_load_explicit(&chunks[i], memory_order_acquire), *made;
	int error = errno;

	if (chunk)
		return chunk;
	made = mmap(NULL, CELLS * sizeof(*made), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made != MAP_FAILED && !atomic_compare_exchange_strong(&chunks[i], &chunk, made))
		munmap(made, CELLS * sizeof(*made));
	else if (made != MAP_FAILED)
		chunk = made;
	errno = error;
	return chunk;
}

struct gw_cell *gw_cell_make(enum gw_cell_kind kind)
{
	struct gw_cell *chunk;
	unsigned i, k;

	for (i = 0; i < CHUNKS && (chunk = chunk_at(i)); i++) {
		for (k = 0; k < CELLS; k++) {
			uint32_t nobody = GW_CELL_FREE;

			if (atomic_load_explicit(&chunk[k].kind, memory_order_relaxed) != GW_CELL_FREE ||
			    !atomic_compare_exchange_strong(&chunk[k].kind, &nobody, GW_CELL_MAKING))
				continue;
			memset((char *)&chunk[k] + sizeof(chunk[k].kind), 0, sizeof(chunk[k]) - sizeof(chunk[k].kind));
			atomic_store_explicit(&chunk[k].kind, (uint32_t)kind, memory_order_release);
			return &chunk[k];
		}
	}
	return NULL;
}

struct gw_cell *gw_cell_of(const void *handle, enum gw_cell_kind kind)
{
	uintptr_t at = (uintptr_t)handle, first;
	struct gw_cell *chunk;
	unsigned i;

	for (i = 0; i < CHUNKS && (chunk = atomic_load_explicit(&chunks[i], memory_order_acquire)); i++) {
		first = (uintptr_t)chunk;
		if (at < first || at >= first + CELLS * sizeof(*chunk) || (at - first) % sizeof(*chunk))
			continue;
		chunk += (at - first) / sizeof(*chunk);
		return atomic_load_explicit(&chunk->kind, memory_order_acquire) == (uint32_t)kind ? chunk : NULL;
	}
	return NULL;
}

void gw_cell_free(struct gw_cell *cell)
{
	atomic_store_explicit(&cell->kind, GW_CELL_FREE, memory_order_release);
}
