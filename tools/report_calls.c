/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call of each file, by host, rank and time. A file's records are put in order by a list of when and where (16 bytes a record), and read one by
 * one: what a ring overwrites meanwhile is left out.
 */
#include "report_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"

struct place {
	uint64_t start;
	uint32_t number, block;		/* offset / 64; index into the file's blocks */
};

struct order {			/* of files */
	const char *path;
	char *host;
	long rank;
	uint64_t start;
};

const char *gw_calls_mark_text(const struct gw_calls_process *process, uint64_t number)
{
	const json_t *lists[] = {process->definitions->findings, process->definitions->searches, process->definitions->redirects};
	json_t *one;
	size_t i;

	for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++)
		json_array_foreach((json_t *)lists[l], i, one)
			if ((uint64_t)json_integer_value(json_object_get(one, "mark")) == number)
				return gw_trace_text(one, "text", gw_trace_text(one, "code", ""));
	return "";
}

const char *gw_calls_thread_name(const struct gw_calls_process *process, uint64_t thread)
{
	char key[32];

	snprintf(key, sizeof(key), "%llu", (unsigned long long)thread);
	return gw_trace_text(json_object_get(process->definitions->threads, key), "name", NULL);
}

static int by_start(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool chosen(const struct gw_sum_choice *choice, const struct gw_trace_record *record, uint32_t function_count)
{
	if (record->start < choice->from || record->start >= choice->to)
		return false;
	if (gw_trace_record_kind_of(record) == GW_TRACE_MARK)
		return !choice->functions;
	return gw_trace_record_kind_of(record) == GW_TRACE_CALL && (!choice->functions || (record->fn < function_count && choice->functions[record->fn]));
}

/* Where the chosen records of FILE lie, in the order of time. NULL: no memory. */
static struct place *list(struct gw_trace_file *file, const struct gw_trace_index *index, const struct gw_sum_choice *choice,
			  uint32_t function_count, size_t *count)
{
	void *block = malloc(file->block_size);
	struct place *places = NULL;
	size_t room = 0;

	*count = 0;
	for (uint32_t i = 0; block && i < index->count; i++) {
		const struct gw_trace_record *record;
		struct gw_trace_cursor cursor;

		gw_trace_pread(file, gw_trace_block_offset(file, index->numbers[i]), block, file->block_size);
		gw_trace_cursor_init(&cursor, file, index->numbers[i], block);
		while ((record = gw_trace_next_record(&cursor))) {
			uint64_t offset = cursor.offset + cursor.position - 64 * gw_trace_record_slots(record);

			if (!chosen(choice, record, function_count))
				continue;
			if (*count == room) {
				struct place *larger = realloc(places, (room ? room * 3 / 2 : 4096) * sizeof(*larger));

				if (!larger) {
					free(places);
					free(block);
					return NULL;
				}
				room = room ? room * 3 / 2 : 4096;
				places = larger;
			}
			places[(*count)++] = (struct place){record->start, (uint32_t)(offset / 64), i};
		}
	}
	free(block);
	if (!places)
		places = calloc(1, sizeof(*places));
	if (places)
		qsort(places, *count, sizeof(*places), by_start);
	return places;
}

/* Reads the record at PLACE; false: it is not there any more. */
static bool read_place(struct gw_trace_file *file, const struct place *place, unsigned char *room)
{
	struct gw_trace_record *record = (void *)room;
	uint64_t offset = (uint64_t)place->number * 64;
	unsigned slots;

	gw_trace_pread(file, offset, room, 64);
	slots = gw_trace_record_slots(record);
	if (record->start != place->start || !slots)
		return false;
	if (slots > 1)
		gw_trace_pread(file, offset + 64, room + 64, (slots - 1) * 64);
	return (uint32_t)(record->mark >> 32) == gw_trace_check_words(record->mark & 0xffffffff, (uint64_t *)(void *)room + 1, slots * 8 - 1);
}

static void visit(FILE *out, const struct gw_calls_writer *writer, const struct gw_calls_process *process, const struct place *places, size_t count)
{
	_Alignas(8) static unsigned char room[256 * 64];

	for (size_t i = 0; i < count && !ferror(out); i++) {
		const struct gw_trace_index_entry *block = &process->index->blocks[places[i].block];
		const struct gw_trace_record *raw = (const void *)room;
		struct gw_calls_record record = {.number = places[i].number, .thread = block->thread, .tid = block->tid, .sample = 1};

		if (!read_place(process->file, &places[i], room))
			continue;
		record.time = gw_trace_time(process->file, raw->start);
		record.mark = gw_trace_record_kind_of(raw) == GW_TRACE_MARK;
		if (record.mark) {
			record.mark_number = raw->words[0];
		} else {
			gw_trace_call_read(&record.call, process->definitions, raw);
			record.ns = (uint64_t)((double)record.call.ticks * process->file->ns_per_tick + 0.5);
		}
		writer->record(out, process, &record);
	}
}

static int visit_file(FILE *out, const struct gw_calls_writer *writer, const char *path, const struct gw_report_choice *choice, unsigned ordinal, int64_t base,
		      bool *damaged)
{
	struct gw_trace_definitions definitions;
	struct gw_trace_file file;
	struct gw_trace_index index;
	struct gw_sum_choice what;
	struct gw_calls_process process = {.file = &file, .definitions = &definitions, .index = &index, .ordinal = ordinal, .base = base};
	unsigned char *functions;
	struct place *places = NULL;
	size_t count = 0;
	char why[200];
	int result = gw_trace_open(&file, path, why, sizeof(why));

	if (result)
		return 0;	/* told before */
	if (!(file.ns_per_tick > 0))
		file.ns_per_tick = 1;
	gw_trace_define(&definitions, &file);
	process.host = gw_trace_text(definitions.process, "host", "?");
	process.program = gw_trace_text(definitions.process, "program", "?");
	process.rank = gw_report_rank(definitions.process);
	functions = calloc(definitions.function_count + 1, 1);
	if (functions && gw_trace_index_init(&index, &file)) {
		bool any = gw_report_choose(choice, &file, &definitions, definitions.function_count, functions, &what);

		places = any ? list(&file, &index, &what, definitions.function_count, &count) : calloc(1, sizeof(*places));
		if (places && writer->process)
			writer->process(out, &process);
		if (places)
			visit(out, writer, &process, places, count);
		gw_trace_index_finish(&index);
	}
	if (!places) {
		gw_complain("%s: %s", path, strerror(ENOMEM));
		result = -1;
	}
	if (file.problems.damages)
		gw_complain("%s is damaged in %zu places, the first at offset %llu: %s", path, file.problems.damages,
			    (unsigned long long)file.problems.list[0].offset, file.problems.list[0].text);
	*damaged |= file.problems.damages > 0;
	free(places);
	free(functions);
	gw_trace_define_finish(&definitions);
	gw_trace_close(&file);
	return result;
}

static int by_place(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	if (!order)
		order = (x->rank > y->rank) - (x->rank < y->rank);
	if (!order)
		order = (x->start > y->start) - (x->start < y->start);
	return order ? order : strcmp(x->path, y->path);
}

/* Files that can be read, in their order; complains of the others. */
static struct order *order_files(const struct gw_trace_paths *paths, size_t *count, bool *unread)
{
	struct order *orders = calloc(paths->count + 1, sizeof(*orders));

	*count = 0;
	for (size_t i = 0; orders && i < paths->count; i++) {
		struct gw_trace_definitions definitions;
		struct gw_trace_file file;
		char why[200];

		if (gw_trace_open(&file, paths->paths[i], why, sizeof(why))) {
			gw_complain("%s %s", paths->paths[i], why);
			*unread = true;
			continue;
		}
		gw_trace_define(&definitions, &file);
		orders[(*count)++] = (struct order){paths->paths[i], strdup(gw_trace_text(definitions.process, "host", "?")), gw_report_rank(definitions.process),
						     file.head.start.realtime_ns};
		gw_trace_define_finish(&definitions);
		gw_trace_close(&file);
	}
	if (orders)
		qsort(orders, *count, sizeof(*orders), by_place);
	return orders;
}

int gw_report_calls(FILE *out, const struct gw_trace_paths *paths, const struct gw_report_choice *choice, enum gw_calls_form form)
{
	static const struct gw_calls_writer *const writers[] = {
		[GW_CALLS_JSONL] = &gw_calls_jsonl, [GW_CALLS_CSV] = &gw_calls_csv, [GW_CALLS_TEXT] = &gw_calls_text,
		[GW_CALLS_CHROME] = &gw_calls_chrome, [GW_CALLS_PERFETTO] = &gw_calls_perfetto,
	};
	const struct gw_calls_writer *writer = writers[form];
	bool unread = false, damaged = false;
	size_t count;
	struct order *orders = order_files(paths, &count, &unread);
	int64_t base = INT64_MAX;
	int result = orders && count ? GW_EXIT_FINE : GW_EXIT_FAILED;

	for (size_t i = 0; i < count; i++)
		base = (int64_t)orders[i].start < base ? (int64_t)orders[i].start : base;
	if (!result && writer->begin)
		writer->begin(out);
	for (size_t i = 0; !result && i < count; i++) {
		if (visit_file(out, writer, orders[i].path, choice, (unsigned)i + 1, base, &damaged))
			result = GW_EXIT_FAILED;
		if (choice->progress && count > 1)
			fprintf(stderr, "\r%zu of %zu files%s", i + 1, count, i + 1 == count ? "\r                        \r" : "");
	}
	if (!result && writer->end)
		writer->end(out);
	for (size_t i = 0; i < count; i++)
		free(orders[i].host);
	free(orders);
	return result ? result : unread || damaged ? GW_EXIT_FINDINGS : GW_EXIT_FINE;
}
