/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads trace files into the model: many files by one thread each, few files by all threads together. One file's damage, or lack of a clock's
 * speed, stops no other.
 */
#include "report.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cmd.h"

#define MOST_THREADS 64

struct scan {
	struct gw_model *model;
	const struct gw_trace_paths *paths;
	const struct gw_report_choice *choice;
	uint64_t bytes;		/* of all files */
	_Atomic uint64_t read;	/* of them, so far */
	_Atomic int64_t drawn;	/* when the bar was, ms */
	unsigned inside;	/* threads that share one file */
	atomic_size_t next;
	_Atomic double speed;	/* ns a tick, of a file that tells it: the machine's, most likely */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* SIZE more bytes were read. The bar comes when reading takes long, and goes when it is done. */
static void advance(struct scan *scan, uint64_t size)
{
	uint64_t done = atomic_fetch_add(&scan->read, size) + size;
	int64_t drawn = scan->drawn, now;

	if (!scan->choice->progress || !scan->bytes || (now = now_ms()) - drawn < 100 || !atomic_compare_exchange_strong(&scan->drawn, &drawn, now))
		return;
	if (done > scan->bytes)
		done = scan->bytes;
	fprintf(stderr, "\r[%-40.*s] %3.0f%% of %.1f GB", (int)(done * 40 / scan->bytes), "########################################",
		100.0 * (double)done / (double)scan->bytes,
		(double)scan->bytes / 1e9);
}

struct work {			/* the parts of one file */
	struct scan *scan;
	struct gw_trace_file *file;
	const struct gw_sum_part *parts;
	uint32_t count;
	atomic_uint next;
	atomic_bool failed;
};

struct worker {
	struct work *work;
	struct gw_trace_sums *sums;
	pthread_t thread;
	bool started;
};

static void *add_parts(void *argument)
{
	struct worker *worker = argument;
	struct work *work = worker->work;
	void *buffer = malloc(work->file->block_size);
	uint32_t part;

	if (!buffer)
		work->failed = true;
	while (buffer && (part = atomic_fetch_add(&work->next, 1)) < work->count) {
		gw_sums_add(worker->sums, &work->parts[part], buffer);
		advance(work->scan, (uint64_t)work->parts[part].count * work->file->block_size);
	}
	free(buffer);
	return NULL;
}

static bool matches(const struct gw_report_choice *choice, const struct gw_trace_function *function)
{
	char full[300];

	if (!function->name)
		return false;
	snprintf(full, sizeof(full), "%s:%s", function->family, function->name);
	for (size_t i = 0; i < choice->function_count; i++)
		if (!fnmatch(choice->functions[i], strchr(choice->functions[i], ':') ? full : function->name, 0))
			return true;
	return false;
}

static uint64_t stamp_of(const struct gw_trace_file *file, int64_t realtime)
{
	double ticks = (double)(realtime - (int64_t)file->head.start.realtime_ns) / file->ns_per_tick;
	double stamp = (double)file->head.start.stamp + ticks;

	return stamp <= 0 ? 0 : stamp >= 1.8e19 ? UINT64_MAX : (uint64_t)((int64_t)file->head.start.stamp + (int64_t)(ticks + (ticks < 0 ? -0.5 : 0.5)));
}

bool gw_report_choose(const struct gw_report_choice *choice, const struct gw_trace_file *file, const struct gw_trace_definitions *definitions,
		      uint32_t function_count, unsigned char *functions, struct gw_sum_choice *chosen)
{
	bool any = !choice->function_count;

	*chosen = (struct gw_sum_choice){.from = 0, .to = UINT64_MAX, .counts_hold = true};
	if (choice->function_count) {
		chosen->functions = functions;
		for (uint32_t f = 0; f < function_count; f++) {
			functions[f] = f < definitions->function_count && matches(choice, &definitions->functions[f]);
			any |= functions[f];
		}
	}
	if (choice->from != INT64_MIN)
		chosen->from = stamp_of(file, choice->from);
	if (choice->to != INT64_MAX)
		chosen->to = stamp_of(file, choice->to);
	chosen->counts_hold = choice->from == INT64_MIN && choice->to == INT64_MAX;
	return any;
}

/* Sums PARTS into SUMS, by as many threads as there are SUMS. */
static bool sum_parts(struct scan *scan, struct gw_trace_file *file, const struct gw_sum_part *parts, uint32_t count,
		      struct gw_trace_sums *sums, unsigned threads)
{
	struct work work = {.scan = scan, .file = file, .parts = parts, .count = count};
	struct worker workers[MOST_THREADS];

	for (unsigned i = 1; i < threads; i++) {
		workers[i] = (struct worker){.work = &work, .sums = &sums[i]};
		workers[i].started = pthread_create(&workers[i].thread, NULL, add_parts, &workers[i]) == 0;
	}
	workers[0] = (struct worker){.work = &work, .sums = &sums[0]};
	add_parts(&workers[0]);
	for (unsigned i = 1; i < threads; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
	return !work.failed;
}

static bool count(struct gw_trace_file *file, const struct gw_trace_definitions *definitions, const struct gw_trace_index *index,
		  const struct gw_sum_choice *choice, struct gw_sum *functions, uint32_t function_count, struct gw_sum_table *shapes)
{
	bool memory = true;

	for (uint32_t i = 0; choice->counts_hold && i < index->count_count; i++)
		memory &= gw_trace_counts_add(file, definitions, index->counts[i], functions, function_count, shapes);
	for (uint32_t f = 0; choice->functions && f < function_count; f++)
		if (!choice->functions[f])
			memset(&functions[f], 0, sizeof(functions[f]));
	for (uint32_t i = 0; choice->functions && i < shapes->count; i++)
		if (!choice->functions[shapes->rows[i].key >> 32])
			shapes->rows[i].sum.calls = 0;
	return memory;
}

static bool read_open(struct scan *scan, struct gw_trace_file *file)
{
	struct gw_trace_sums sums[MOST_THREADS];
	struct gw_trace_definitions definitions;
	struct gw_trace_sequences sequences = {0};
	struct gw_trace_index index;
	struct gw_sum_table counted_shapes = {0};
	struct gw_sum_part *parts = NULL;
	struct gw_sum_choice choice;
	struct gw_sum *counted = NULL;
	unsigned char *functions = NULL;
	uint32_t part_count = 0, function_count = 0;
	unsigned threads = 0;
	bool good;

	gw_trace_define(&definitions, file);
	good = gw_trace_index_init(&index, file) && gw_sequences_init(&sequences, &scan->model->sequences, &definitions) &&
	       (parts = gw_trace_index_cut(&index, 4 * scan->inside, &part_count));
	while (good && threads < scan->inside) {
		good = gw_sums_init(&sums[threads], file, &definitions, &sequences, &(struct gw_sum_choice){0});
		threads += good;
	}
	if (good) {
		function_count = sums[0].function_count;
		counted = calloc(function_count + 1, sizeof(*counted));
		functions = calloc(function_count + 1, 1);
		good = counted && functions;
	}
	if (good) {
		bool any = gw_report_choose(scan->choice, file, &definitions, function_count, functions, &choice);

		for (unsigned i = 0; i < threads; i++)
			sums[i].choice = choice;
		good = count(file, &definitions, &index, &choice, counted, function_count, &counted_shapes) &&
		       (!any || sum_parts(scan, file, parts, part_count, sums, threads));
	}
	if (good)
		gw_model_add(scan->model, file, &definitions, &index, sums, threads, counted, &counted_shapes);
	for (unsigned i = 0; i < threads; i++)
		gw_sums_finish(&sums[i]);
	free(counted);
	free(functions);
	free(parts);
	free(counted_shapes.rows);
	gw_trace_map_finish(&counted_shapes.map);
	gw_sequences_finish(&sequences);
	gw_trace_index_finish(&index);
	gw_trace_define_finish(&definitions);
	return good;
}

static void read_one(struct scan *scan, const char *path)
{
	struct gw_trace_problem problem = {0};
	struct gw_trace_file file;
	int result = gw_trace_open(&file, path, problem.text, sizeof(problem.text));

	if (result == -ENODATA && scan->choice->quiet)
		return;
	if (result) {
		pthread_mutex_lock(&scan->model->lock);
		gw_model_problem(scan->model, path, &problem, true);
		pthread_mutex_unlock(&scan->model->lock);
		return;
	}
	if (file.ns_per_tick > 0 && file.head.clock == GW_TRACE_CLOCK_TSC)
		scan->speed = file.ns_per_tick;
	else if (!(file.ns_per_tick > 0))
		file.ns_per_tick = scan->speed > 0 ? scan->speed : 1;
	if (!read_open(scan, &file)) {
		pthread_mutex_lock(&scan->model->lock);
		scan->model->no_memory = true;
		pthread_mutex_unlock(&scan->model->lock);
	}
	gw_trace_close(&file);
}

static void *read_files(void *argument)
{
	struct scan *scan = argument;
	size_t next;

	while ((next = atomic_fetch_add(&scan->next, 1)) < scan->paths->count)
		read_one(scan, scan->paths->paths[next]);
	return NULL;
}

int gw_report_scan(struct gw_model *model, const struct gw_trace_paths *paths, const struct gw_report_choice *choice)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = choice->threads ? choice->threads : processors > 0 ? (unsigned)processors : 1, outside = 1;
	struct scan scan = {.model = model, .paths = paths, .choice = choice};
	pthread_t others[MOST_THREADS];
	struct stat info;

	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	json_object_seed(0);	/* before there are threads */
	if (paths->count >= 2 * (size_t)threads)
		outside = threads;
	scan.inside = outside > 1 ? 1 : threads;
	for (size_t i = 0; choice->progress && i < paths->count; i++)
		scan.bytes += stat(paths->paths[i], &info) == 0 ? (uint64_t)info.st_size : 0;
	scan.drawn = now_ms() + 400;	/* none where half a second is enough */
	for (unsigned i = 1; i < outside; i++)
		if (pthread_create(&others[i], NULL, read_files, &scan)) {
			outside = i;
			break;
		}
	read_files(&scan);
	for (unsigned i = 1; i < outside; i++)
		pthread_join(others[i], NULL);
	if (choice->progress)
		fputs("\r\033[K", stderr);
	if (model->no_memory) {
		gw_complain("not enough memory for all of %zu traces", paths->count);
		return -1;
	}
	return 0;
}
