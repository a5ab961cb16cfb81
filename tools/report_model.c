/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of all files, by name: see report.h. Ticks become ns here. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "report_rows.h"

#define MOST_ROWS 20000		/* of a table: what a process makes up new at each call must not eat all memory */
#define MOST_OBJECTS 1000	/* searches, levels */
#define MOST_PROBLEMS 10000

int gw_model_init(struct gw_model *model)
{
	memset(model, 0, sizeof(*model));
	pthread_mutex_init(&model->lock, NULL);
	model->processes = json_array();
	model->searches = json_array();
	model->problems = json_array();
	model->levels = json_array();
	model->first = INT64_MAX;
	model->last = INT64_MIN;
	return gw_sequence_load(&model->sequences);
}

void gw_model_finish(struct gw_model *model)
{
	for (unsigned t = 0; t < GW_TABLES; t++) {
		struct gw_row *row, *next;

		HASH_ITER(hh, model->tables[t], row, next)
		{
			HASH_DEL(model->tables[t], row);
			json_decref(row->facts);
			free(row->steps);
			free(row->key);
			free(row);
		}
	}
	json_decref(model->processes);
	json_decref(model->searches);
	json_decref(model->problems);
	json_decref(model->levels);
	gw_sequence_unload(&model->sequences);
	pthread_mutex_destroy(&model->lock);
}

struct gw_row *gw_model_row(struct gw_model *model, enum gw_table table, const char *key)
{
	struct gw_row *row = NULL;

	HASH_FIND_STR(model->tables[table], key, row);
	if (!row && model->counts[table] >= MOST_ROWS && strcmp(key, "others") != 0)
		return gw_model_row(model, table, "others");
	if (!row) {
		row = calloc(1, sizeof(*row));
		if (row)
			row->key = strdup(key);
		if (!row || !row->key) {
			free(row);
			model->no_memory = true;
			return NULL;
		}
		model->counts[table]++;
		HASH_ADD_KEYPTR(hh, model->tables[table], row->key, strlen(row->key), row);
	}
	return row;
}

/* TEXT as JSON: what is no UTF-8 (a path, a piece of a damaged file) loses its odd bytes. */
json_t *gw_model_text(const char *text)
{
	json_t *json = json_string(text);
	char *copy = json ? NULL : strdup(text);

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	if (!json)
		json = json_string(copy ? copy : "");
	free(copy);
	return json;
}

long gw_report_rank(const json_t *process)
{
	static const char *const names[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
	const json_t *environment = json_object_get(process, "environment");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const json_t *value = json_object_get(environment, names[i]);
		char *end;
		long rank;

		if (json_is_integer(value))
			return (long)json_integer_value(value);
		if (!json_is_string(value) || !*json_string_value(value))
			continue;
		rank = strtol(json_string_value(value), &end, 10);
		if (!*end && rank >= 0)
			return rank;
	}
	return -1;
}

void gw_report_site(const struct gw_trace_definitions *definitions, uint64_t address, char *site, size_t size)
{
	const struct gw_trace_object *object = gw_trace_object_at(definitions, address);
	const char *slash;

	if (!object) {
		snprintf(site, size, "0x%llx", (unsigned long long)address);
		return;
	}
	slash = strrchr(object->path, '/');
	snprintf(site, size, "%s+0x%llx", slash ? slash + 1 : object->path, (unsigned long long)(address - object->low));
}

/* What the threads that read one file found, in the first of their sums: a time in ticks is rounded once, however many there were. */
static void unite(struct gw_model *model, struct gw_trace_sums *sums, unsigned count)
{
	for (unsigned s = 1; s < count; s++) {
		struct gw_sum_table *into[] = {&sums->shapes, &sums->statuses, &sums->callers, &sums->stacks, &sums->redirects, &sums->patterns};
		const struct gw_sum_table *from[] = {&sums[s].shapes, &sums[s].statuses, &sums[s].callers, &sums[s].stacks, &sums[s].redirects, &sums[s].patterns};

		for (size_t t = 0; t < sizeof(into) / sizeof(*into); t++)
			for (uint32_t i = 0; i < from[t]->count; i++) {
				struct gw_sum *sum = gw_sum_at(into[t], from[t]->rows[i].key);

				if (sum)
					gw_sum_merge(sum, &from[t]->rows[i].sum);
				model->no_memory |= !sum;
			}
	}
}

void gw_model_problem(struct gw_model *model, const char *path, const struct gw_trace_problem *problem, bool unread)
{
	if (json_array_size(model->problems) < MOST_PROBLEMS)
		json_array_append_new(model->problems, json_pack("{s:o,s:I,s:s,s:o}", "file", gw_model_text(path), "offset", (json_int_t)problem->offset, "kind",
								 unread ? "unread" : problem->damage ? "damage" : "note", "text", gw_model_text(problem->text)));
	model->unread += unread;
}

static void keep(json_t *into, const json_t *from, const json_t *process)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)from, i, one)
		if (json_array_size(into) < MOST_OBJECTS) {
			json_t *copy = json_copy(one);

			json_object_del(copy, "def");
			json_object_set_new(copy, "pid", json_copy(json_object_get(process, "pid")));
			json_array_append_new(into, copy);
		}
}

static json_t *process_of(struct gw_rows *c, const struct gw_trace_index *index, const struct gw_trace_sums *sums, unsigned count, uint64_t calls,
			  uint64_t failures, uint64_t counted_ticks)
{
	static const char *const reasons[] = {"running", "limit", "space", "ended"};
	const struct gw_trace_head *head = &c->file->head;
	const json_t *process = c->definitions->process;
	uint64_t earliest = UINT64_MAX, latest = 0, records = 0, outer = 0;
	long rank = gw_report_rank(process);
	json_t *object;

	for (unsigned s = 0; s < count; s++) {
		earliest = sums[s].earliest < earliest ? sums[s].earliest : earliest;
		latest = sums[s].latest > latest ? sums[s].latest : latest;
		records += sums[s].records;
		outer += sums[s].outer_ticks;
	}
	if (!records)		/* counts do not tell which calls were nested */
		outer = counted_ticks;
	object = json_pack("{s:o,s:s,s:I,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:s}", "file", gw_model_text(c->file->path), "host",
			   gw_trace_text(process, "host", "?"), "pid", (json_int_t)head->pid, "program", c->program, "start_ns",
			   (json_int_t)head->start.realtime_ns, "calls", (json_int_t)calls, "failures", (json_int_t)failures, "records", (json_int_t)records,
			   "busy_ns", (json_int_t)((double)outer * c->scale), "dropped", (json_int_t)head->dropped, "overwritten",
			   (json_int_t)head->overwritten, "threads", (json_int_t)index->threads, "stopped",
			   head->stopped < 4 ? reasons[head->stopped] : "?");
	if (rank >= 0)
		json_object_set_new(object, "rank", json_integer(rank));
	if (earliest <= latest) {
		int64_t first = gw_trace_time(c->file, earliest), last = gw_trace_time(c->file, latest);

		json_object_set_new(object, "first_call_ns", json_integer(first));
		json_object_set_new(object, "last_call_ns", json_integer(last));
		c->model->first = first < c->model->first ? first : c->model->first;
		c->model->last = last > c->model->last ? last : c->model->last;
	}
	if (json_object_get(process, "command"))
		json_object_set(object, "command", json_object_get(process, "command"));
	if (head->stop_errno)
		json_object_set_new(object, "stop_errno", json_integer(head->stop_errno));
	c->model->records += records;
	return object;
}

void gw_model_add(struct gw_model *model, struct gw_trace_file *file, const struct gw_trace_definitions *definitions, const struct gw_trace_index *index,
		  struct gw_trace_sums *sums, unsigned count, const struct gw_sum *counted, struct gw_sum_table *counted_shapes)
{
	struct gw_rows c = {.model = model, .definitions = definitions, .file = file, .scale = file->ns_per_tick};
	const char *program = gw_trace_text(definitions->process, "program", "?"), *slash = strrchr(program, '/');
	uint64_t calls = 0, failures = 0, counted_ticks = 0;

	c.program = slash ? slash + 1 : program;
	c.means = calloc(sums->function_count + 1, sizeof(*c.means));
	c.mean_count = c.means ? sums->function_count : 0;
	pthread_mutex_lock(&model->lock);
	model->files++;
	for (uint32_t fn = 0; fn < sums[0].function_count; fn++) {
		struct gw_sum recorded = {0};
		bool use_counted;

		for (unsigned s = 0; s < count; s++)
			gw_sum_merge(&recorded, &sums[s].functions[fn]);
		if (!recorded.calls && !counted[fn].calls)
			continue;
		if (c.means && counted[fn].calls && counted[fn].calls >= recorded.calls)
			c.means[fn] = (double)counted[fn].ticks / (double)counted[fn].calls;
		else if (c.means && recorded.timed)
			c.means[fn] = (double)recorded.ticks / (double)recorded.timed;
		gw_rows_function(&c, fn, &recorded, &counted[fn]);
		for (unsigned s = 0; s < count; s++)
			gw_rows_steps(&c, &sums[s], fn);
		use_counted = counted[fn].calls >= recorded.calls;
		counted_ticks += counted[fn].ticks;
		calls += use_counted ? counted[fn].calls : recorded.calls;
		failures += use_counted ? counted[fn].failures : recorded.failures;
	}
	unite(model, sums, count);
	gw_rows_shapes(&c, &sums->shapes, counted_shapes);
	gw_rows_tables(&c, sums);
	for (unsigned s = 0; s < count; s++) {
		gw_sum_line_merge(&model->line, &sums[s].line);
		model->no_memory |= sums[s].no_memory;
	}
	gw_rows_definitions(&c);
	keep(model->searches, definitions->searches, definitions->process);
	keep(model->levels, definitions->levels, definitions->process);
	json_array_append_new(model->processes, process_of(&c, index, sums, count, calls, failures, counted_ticks));
	model->dropped += file->head.dropped;
	model->overwritten += file->head.overwritten;
	model->bytes += file->size;
	model->damages += file->problems.damages;
	model->notes += file->problems.notes;
	for (size_t i = 0; i < file->problems.kept; i++)
		gw_model_problem(model, file->path, &file->problems.list[i], false);
	model->no_memory |= definitions->no_memory || !c.means;
	pthread_mutex_unlock(&model->lock);
	free(c.means);
}
