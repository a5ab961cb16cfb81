/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target for the reader of traces: the input is a trace file. All that is read is used: sums by two threads' worth of parts, counts, each
 * call in words. Seeds: files that trace_make writes.
 *   clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -DGW_BUILD_DATA='"abi"' -DGW_BUILD_TABLES='"abi"' -DGW_BUILD_TOOLS='"tools"' \
 *         -DGW_VERSION='"0"' -I. -Itools tests/fuzz/fuzz_trace.c tools/trace_{block,decode,define,index,line,read,sequence,sum}.c tools/common.c \
 *         tools/out.c tools/report_{model,rows}.c -ljansson -lm
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/cmd.h"
#include "tools/report.h"
#include "tools/trace_decode.h"

#define MOST (1 << 20)	/* bytes of a block that are worth the time */

const char gw_data_place[] __attribute__((weak)) = "../share/gangway";	/* tests/fuzz/fuzz.c may have it */

static void use_records(struct gw_trace_file *file, const struct gw_trace_definitions *definitions, const struct gw_trace_index *index, FILE *nowhere)
{
	void *block = malloc(file->block_size);

	for (uint32_t i = 0; block && i < index->count; i++) {
		const struct gw_trace_record *record;
		struct gw_trace_cursor cursor;
		struct gw_trace_call call;

		gw_trace_pread(file, gw_trace_block_offset(file, index->numbers[i]), block, file->block_size);
		gw_trace_cursor_init(&cursor, file, index->numbers[i], block);
		while ((record = gw_trace_next_record(&cursor))) {
			gw_trace_call_read(&call, definitions, record);
			gw_trace_arguments(nowhere, definitions, &call);
			gw_trace_arguments_text(nowhere, definitions, &call);
		}
	}
	free(block);
}

static void use_sums(struct gw_trace_file *file, const struct gw_trace_definitions *definitions, const struct gw_trace_index *index)
{
	struct gw_sum_choice all = {.to = UINT64_MAX, .counts_hold = true};
	struct gw_sum_table shapes = {0};
	struct gw_trace_sequences sequences = {0};
	struct gw_trace_sums sums;
	struct gw_sum_part *parts;
	struct gw_model model;
	struct gw_sum *counted;
	uint32_t count;
	void *block = malloc(file->block_size);

	if (gw_model_init(&model))
		abort();
	parts = gw_trace_index_cut(index, 2, &count);
	if (!block || !parts || !gw_sequences_init(&sequences, &model.sequences, definitions) || !gw_sums_init(&sums, file, definitions, &sequences, &all))
		abort();
	for (uint32_t i = 0; i < count; i++)
		gw_sums_add(&sums, &parts[i], block);
	counted = calloc(sums.function_count + 1, sizeof(*counted));
	for (uint32_t i = 0; counted && i < index->count_count; i++)
		gw_trace_counts_add(file, definitions, index->counts[i], counted, sums.function_count, &shapes);
	if (counted)
		gw_model_add(&model, file, definitions, index, &sums, 1, counted, &shapes);
	free(counted);
	free(shapes.rows);
	gw_trace_map_finish(&shapes.map);
	gw_sums_finish(&sums);
	gw_sequences_finish(&sequences);
	gw_model_finish(&model);
	free(parts);
	free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct gw_trace_definitions definitions;
	struct gw_trace_index index;
	struct gw_trace_file file;
	char path[64], why[200] = "";
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	if (fd < 0 || !nowhere || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (gw_trace_open(&file, path, why, sizeof(why))) {
		if (!*why)
			abort();	/* an error that does not say why */
	} else {
		if (file.block_size <= MOST) {
			if (!(file.ns_per_tick > 0))
				file.ns_per_tick = 1;
			gw_trace_define(&definitions, &file);
			if (!gw_trace_index_init(&index, &file))
				abort();
			use_records(&file, &definitions, &index, nowhere);
			use_sums(&file, &definitions, &index);
			gw_trace_index_finish(&index);
			gw_trace_define_finish(&definitions);
		}
		gw_trace_close(&file);
	}
	close(fd);
	return 0;
}
