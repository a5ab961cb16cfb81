/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_table.h. */
#include "rnn_table.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "gw_values.h"

enum { CHUNKS = 64, SLOTS = 256, WINDOW = 16 };
enum { FREE = 0, MAKING = 1 };	/* keys that no descriptor has */

static _Atomic(struct gw_rnn *) chunks[CHUNKS];

/* Entries of a descriptor lie in the WINDOW slots from here on, in one of the chunks. */
static unsigned slot_of(uintptr_t key)
{
	return (unsigned)(((uint64_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 56) % SLOTS;
}

static struct gw_rnn *find_in(struct gw_rnn *chunk, uintptr_t key)
{
	unsigned i, at = slot_of(key);

	for (i = 0; i < WINDOW; i++) {
		struct gw_rnn *rnn = &chunk[(at + i) % SLOTS];

		if (atomic_load_explicit(&rnn->key, memory_order_acquire) == key)
			return rnn;
	}
	return NULL;
}

struct gw_rnn *gw_rnn_find(cudnnRNNDescriptor_t descriptor)
{
	uintptr_t key = (uintptr_t)descriptor;
	struct gw_rnn *chunk, *rnn;
	unsigned i;

	if (key <= MAKING)
		return NULL;
	for (i = 0; i < CHUNKS && (chunk = atomic_load_explicit(&chunks[i], memory_order_acquire)); i++)
		if ((rnn = find_in(chunk, key)))
			return rnn;
	return NULL;
}

/* The chunk, mapped when it is not there yet; NULL: no memory. errno kept. */
static struct gw_rnn *chunk_at(unsigned i)
{
	struct gw_rnn *chunk = atomic_load_explicit(&chunks[i], memory_order_acquire), *made;
	int error = errno;

	if (chunk)
		return chunk;
	made = mmap(NULL, SLOTS * sizeof(*made), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED) {
		errno = error;
		return NULL;
	}
	if (atomic_compare_exchange_strong(&chunks[i], &chunk, made))
		return made;
	munmap(made, SLOTS * sizeof(*made));
	errno = error;
	return chunk;
}

static struct gw_rnn *take_in(struct gw_rnn *chunk, uintptr_t key)
{
	unsigned i, at = slot_of(key);

	for (i = 0; i < WINDOW; i++) {
		struct gw_rnn *rnn = &chunk[(at + i) % SLOTS];
		uintptr_t key_there = FREE;

		if (atomic_compare_exchange_strong(&rnn->key, &key_there, MAKING))
			return rnn;
	}
	return NULL;
}

/* As a new descriptor of 8.x is: everything 0 but for these. */
static void begin(struct gw_rnn *rnn)
{
	memset((char *)rnn + offsetof(struct gw_rnn, generation), 0, sizeof(*rnn) - offsetof(struct gw_rnn, generation));
	rnn->generation = 1;
	rnn->settings.bias = GW_VALUE_CUDNN_RNN_DOUBLE_BIAS;
}

struct gw_rnn *gw_rnn_add(cudnnRNNDescriptor_t descriptor)
{
	struct gw_rnn *chunk, *rnn = gw_rnn_find(descriptor);
	unsigned i;

	if (rnn) {
		begin(rnn);
		return rnn;
	}
	if ((uintptr_t)descriptor <= MAKING)
		return NULL;
	for (i = 0; i < CHUNKS && (chunk = chunk_at(i)); i++) {
		rnn = take_in(chunk, (uintptr_t)descriptor);
		if (rnn) {
			begin(rnn);
			atomic_store_explicit(&rnn->key, (uintptr_t)descriptor, memory_order_release);
			return rnn;
		}
	}
	return NULL;
}

void gw_rnn_drop(struct gw_rnn *rnn)
{
	atomic_store_explicit(&rnn->key, FREE, memory_order_release);
}
