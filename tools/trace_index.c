/* SPDX-License-Identifier: Apache-2.0 */
/* Which block is whose: see trace_index.h. */
#include "trace_index.h"

#include <stdlib.h>
#include <string.h>

#define WARM 65536	/* bytes of blocks that a part reads to know what was going on */
#define LEAST 16	/* blocks that make a part worth while */

static int by_thread(const void *a, const void *b)
{
	const struct gw_trace_index_entry *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

bool gw_trace_index_init(struct gw_trace_index *index, struct gw_trace_file *file)
{
	memset(index, 0, sizeof(*index));
	index->warm = (WARM + file->block_size - 1) / file->block_size;
	index->blocks = calloc(file->blocks + 1, sizeof(*index->blocks));
	index->counts = calloc(file->blocks + 1, sizeof(*index->counts));
	index->numbers = calloc(file->blocks + 1, sizeof(*index->numbers));
	if (!index->blocks || !index->counts || !index->numbers) {
		gw_trace_index_finish(index);
		return false;
	}
	for (uint32_t number = 0; number < file->blocks; number++) {
		struct gw_trace_block head;
		bool sound;

		gw_trace_pread(file, gw_trace_block_offset(file, number), &head, sizeof(head));
		if (gw_trace_is_free(&head))
			continue;
		sound = gw_trace_block_sound(file, number, &head, true);
		if (sound && head.kind == GW_TRACE_COUNTS) {
			index->counts[index->count_count++] = number;
		} else if (!sound || head.kind == GW_TRACE_RECORDS) {
			/* behind a damaged head may be records, of nobody knows which thread: one by itself */
			index->blocks[index->count++] = (struct gw_trace_index_entry){
				.thread = sound ? head.thread : UINT64_MAX - number, .sequence = head.sequence, .first = head.first, .number = number,
				.tid = head.tid,
			};
		} else if (head.kind > GW_TRACE_COUNTS) {
			index->unknown++;
		}
	}
	qsort(index->blocks, index->count, sizeof(*index->blocks), by_thread);
	for (uint32_t i = 0; i < index->count; i++) {
		index->numbers[i] = index->blocks[i].number;
		index->threads += !i || index->blocks[i].thread != index->blocks[i - 1].thread;
	}
	return true;
}

void gw_trace_index_finish(struct gw_trace_index *index)
{
	free(index->blocks);
	free(index->numbers);
	free(index->counts);
	memset(index, 0, sizeof(*index));
}

struct gw_sum_part *gw_trace_index_cut(const struct gw_trace_index *index, uint32_t pieces, uint32_t *count)
{
	struct gw_sum_part *parts = calloc(index->count + 1, sizeof(*parts));
	uint32_t size = index->count / (pieces ? pieces : 1) + 1;

	*count = 0;
	if (size < LEAST)
		size = LEAST;
	for (uint32_t i = 0; parts && i < index->count;) {
		uint32_t end = i, thread_end = i;
		struct gw_sum_part *part = &parts[*count];

		while (thread_end < index->count && index->blocks[thread_end].thread == index->blocks[i].thread)
			thread_end++;
		end = thread_end - i > size ? i + size : thread_end;
		while (part->warm < index->warm && i > part->warm && index->blocks[i - part->warm - 1].thread == index->blocks[i].thread)
			part->warm++;
		part->blocks = index->numbers + i - part->warm;
		part->count = end - i + part->warm;
		part->last = end == thread_end;
		++*count;
		i = end;
	}
	return parts;
}

bool gw_trace_counts_add(struct gw_trace_file *file, const struct gw_trace_definitions *definitions, uint32_t number, struct gw_sum *functions,
			 uint32_t count, struct gw_sum_table *shapes)
{
	unsigned char *block = malloc(file->block_size);
	uint64_t offset = gw_trace_block_offset(file, number);
	bool memory = block != NULL;

	if (!memory)
		return false;
	gw_trace_pread(file, offset, block, file->block_size);
	for (uint32_t at = sizeof(struct gw_trace_block); at + sizeof(struct gw_trace_count) <= file->block_size; at += sizeof(struct gw_trace_count)) {
		const struct gw_trace_count *entry = (const void *)(block + at);
		struct gw_sum sum = {
			.calls = entry->calls, .failures = entry->failures, .timed = entry->timed, .ticks = entry->ticks, .longest = entry->longest,
			.shortest = entry->shortest ? entry->shortest - 1 : 0,
		};
		struct gw_sum *into = NULL;

		if (!entry->calls)
			continue;
		/* written while it is read: one member may be ahead of another by the threads that are just at it */
		if (entry->fn >= count || entry->failures > entry->calls + 65536 || entry->timed > entry->calls + 65536) {
			gw_trace_note(file, true, offset + at, "a count is damaged: function %u, %llu calls, %llu failures", entry->fn,
				      (unsigned long long)entry->calls, (unsigned long long)entry->failures);
			continue;
		}
		if (!entry->shape) {
			into = &functions[entry->fn];
		} else {
			uint32_t shape = gw_trace_map_get(&definitions->shape_by_id, entry->shape);

			if (shape == GW_TRACE_NONE)
				continue;
			into = gw_sum_at(shapes, (uint64_t)entry->fn << 32 | shape);
			memory = memory && into;
		}
		if (into)
			gw_sum_merge(into, &sum);
	}
	free(block);
	return memory;
}
