/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of all files, by name: see report.h. Ticks become ns here. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include "cmd.h"

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
static json_t *json_of(const char *text)
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

static struct gw_row *row_of(struct gw_model *model, enum gw_table table, const char *format, ...) __attribute__((format(printf, 3, 4)));
static struct gw_row *row_of(struct gw_model *model, enum gw_table table, const char *format, ...)
{
	struct gw_row *row;
	va_list arguments;
	char *key;

	va_start(arguments, format);
	if (vasprintf(&key, format, arguments) < 0)
		key = NULL;
	va_end(arguments);
	row = key ? gw_model_row(model, table, key) : NULL;
	model->no_memory |= !row;
	free(key);
	return row;
}

/* Ticks become ns. Cheap calls are not timed each time: those that were not took MEAN ticks each, the function's own. */
static struct gw_sum in_ns(const struct gw_sum *ticks, double scale, double mean)
{
	struct gw_sum sum = *ticks;
	double others = ticks->timed < ticks->calls ? (double)(ticks->calls - ticks->timed) * mean : 0;

	sum.ticks = (uint64_t)(((double)ticks->ticks + others) * scale + 0.5);
	sum.shortest = (uint64_t)((double)ticks->shortest * scale + 0.5);
	sum.longest = (uint64_t)((double)ticks->longest * scale + 0.5);
	return sum;
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

static const char *name_of(const struct gw_trace_definitions *definitions, uint32_t fn, char room[32])
{
	if (fn < definitions->function_count && definitions->functions[fn].name)
		return definitions->functions[fn].name;
	snprintf(room, 32, "function %u", fn);
	return room;
}

static const char *family_of(const struct gw_trace_definitions *definitions, uint32_t fn)
{
	return fn < definitions->function_count && definitions->functions[fn].name ? definitions->functions[fn].family : "";
}

/* ROW is in one more process, unless it was found there before. */
static void count_process(struct gw_model *model, struct gw_row *row)
{
	row->processes += row->seen != model->files;
	row->seen = model->files;
}

struct context {
	struct gw_model *model;
	const struct gw_trace_definitions *definitions;
	struct gw_trace_file *file;
	double scale;
	const char *program;
	double *means;		/* ticks a call, by function: what is counted, else what is recorded */
	uint32_t mean_count;
};

static double mean_of(const struct context *c, uint64_t fn)
{
	return fn < c->mean_count ? c->means[fn] : 0;
}

static void add_function(struct context *c, uint32_t fn, const struct gw_sum *recorded, const struct gw_sum *counted)
{
	bool use_counted = counted->calls > recorded->calls;	/* as many: the records are what all other tables are made of */
	struct gw_sum sum = in_ns(use_counted ? counted : recorded, c->scale, use_counted ? 0 : mean_of(c, fn));
	char room[32];
	const char *name = name_of(c->definitions, fn, room);
	struct gw_row *row = row_of(c->model, GW_TABLE_FUNCTIONS, "%s", name);

	if (!row)
		return;
	if (!row->facts)
		row->facts = json_pack("{s:s,s:s}", "function", name, "family", family_of(c->definitions, fn));
	sum.gpu_calls = recorded->gpu_calls;
	sum.gpu_ns = recorded->gpu_ns;
	gw_sum_merge(&row->sum, &sum);
	row->recorded += recorded->calls;
	count_process(c->model, row);
}

/* Which algorithm a product was done with: {"id":66,"tile":20} as "id 66, tile 20". */
static void add_decision(struct context *c, const char *name, const struct gw_trace_shape *shape, const json_t *algorithm, const struct gw_sum *sum, uint64_t recorded)
{
	char text[400] = "";
	struct gw_row *row;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)algorithm, key, value)
	{
		size_t used = strlen(text);

		if (json_is_integer(value))
			snprintf(text + used, sizeof(text) - used, "%s%s %lld", used ? ", " : "", key, (long long)json_integer_value(value));
	}
	row = row_of(c->model, GW_TABLE_DECISIONS, "%s\x1f%s\x1f%.0f\x1f%s", name, shape->text, shape->workspace, text);
	if (!row)
		return;
	if (!row->facts) {
		row->facts = json_pack("{s:s,s:s,s:o,s:O}", "shape", shape->text, "function", name, "algorithm", json_of(text), "configuration", algorithm);
		if (shape->workspace >= 0)
			json_object_set_new(row->facts, "workspace", json_integer((json_int_t)shape->workspace));
	}
	gw_sum_merge(&row->sum, sum);
	row->recorded += recorded;
}

static void add_shape(struct context *c, uint64_t key, const struct gw_sum *ticks, bool counted)
{
	const struct gw_trace_shape *shape = &c->definitions->shapes[(uint32_t)key];
	struct gw_sum sum = in_ns(ticks, c->scale, counted ? 0 : mean_of(c, key >> 32));
	char room[32];
	const char *name = name_of(c->definitions, (uint32_t)(key >> 32), room);
	struct gw_row *row = row_of(c->model, GW_TABLE_SHAPES, "%s\x1f%s\x1f%.0f", name, shape->text, shape->workspace);

	if (!row)
		return;
	if (!row->facts) {
		row->facts = json_copy(shape->json);
		json_object_del(row->facts, "def");
		json_object_del(row->facts, "id");
		json_object_del(row->facts, "algorithm");	/* one shape may have had several: decisions */
		json_object_set_new(row->facts, "function", json_string(name));
	}
	gw_sum_merge(&row->sum, &sum);
	row->recorded += counted ? 0 : ticks->calls;
	count_process(c->model, row);
	if (json_is_object(json_object_get(shape->json, "algorithm")))
		add_decision(c, name, shape, json_object_get(shape->json, "algorithm"), &sum, counted ? 0 : ticks->calls);
}

static void add_failure(struct context *c, uint64_t key, const struct gw_sum *ticks)
{
	uint32_t fn = (uint32_t)(key >> 48), at = key & 0xffff;
	int64_t status = (int64_t)(key >> 16 & 0xffffffff);
	uint64_t caller = at && at <= c->definitions->object_count ? c->definitions->objects[at - 1].low : 0;
	const char *constant = gw_trace_status_name(c->definitions, family_of(c->definitions, fn), caller, status);
	struct gw_sum sum = in_ns(ticks, c->scale, mean_of(c, key >> 48));
	char room[32], number[32];
	const char *name = name_of(c->definitions, fn, room);
	struct gw_row *row;

	snprintf(number, sizeof(number), "%lld", (long long)status);
	row = row_of(c->model, GW_TABLE_FAILURES, "%s\x1f%s", name, constant ? constant : number);
	if (row && !row->facts)
		row->facts = json_pack("{s:s,s:s}", "function", name, "status", constant ? constant : number);
	if (row)
		gw_sum_merge(&row->sum, &sum);
}

static void add_caller(struct context *c, uint64_t key, const struct gw_sum *ticks)
{
	struct gw_sum sum = in_ns(ticks, c->scale, mean_of(c, key >> 48));
	char room[32], site[400];
	const char *name = name_of(c->definitions, (uint32_t)(key >> 48), room);
	struct gw_row *row;

	gw_report_site(c->definitions, key & UINT64_C(0xffffffffffff), site, sizeof(site));
	row = row_of(c->model, GW_TABLE_CALLERS, "%s\x1f%s\x1f%s", c->program, site, name);
	if (row && !row->facts)
		row->facts = json_pack("{s:s,s:s,s:s}", "program", c->program, "caller", site, "function", name);
	if (row)
		gw_sum_merge(&row->sum, &sum);
}

static void add_stack(struct context *c, uint64_t key, const struct gw_sum *ticks)
{
	const struct gw_trace_stack *stack = &c->definitions->stacks[(uint32_t)key];
	struct gw_sum sum = in_ns(ticks, c->scale, mean_of(c, key >> 32));
	json_t *frames = json_array();
	char room[32], site[400], *path = NULL;
	const char *name = name_of(c->definitions, (uint32_t)(key >> 32), room);
	struct gw_row *row;
	size_t size = 0;
	FILE *memory = open_memstream(&path, &size);

	for (uint32_t i = stack->count; memory && i-- > 0;) {
		gw_report_site(c->definitions, stack->frames[i], site, sizeof(site));
		fprintf(memory, "%s;", site);
		json_array_append_new(frames, json_string(site));
	}
	if (memory)
		fclose(memory);
	row = row_of(c->model, GW_TABLE_STACKS, "%s\x1f%s%s", c->program, path ? path : "", name);
	if (row && !row->facts)
		row->facts = json_pack("{s:s,s:O,s:s}", "program", c->program, "frames", frames, "function", name);
	if (row)
		gw_sum_merge(&row->sum, &sum);
	json_decref(frames);
	free(path);
}

static void add_redirect(struct context *c, uint64_t key, const struct gw_sum *ticks)
{
	struct gw_sum sum = in_ns(ticks, c->scale, 0);
	const json_t *redirect = NULL;
	struct gw_row *row;
	char number[32];
	json_t *one;
	size_t i;

	json_array_foreach(c->definitions->redirects, i, one)
		if ((uint64_t)json_integer_value(json_object_get(one, "id")) == key)
			redirect = one;
	snprintf(number, sizeof(number), "redirect %llu", (unsigned long long)key);
	row = row_of(c->model, GW_TABLE_REDIRECTS, "%s", gw_trace_text(redirect, "text", number));
	if (row && !row->facts) {
		row->facts = redirect ? json_copy((json_t *)redirect) : json_object();
		json_object_del(row->facts, "def");
		json_object_del(row->facts, "id");
		if (!json_object_get(row->facts, "text"))
			json_object_set_new(row->facts, "text", json_string(number));
	}
	if (row)
		gw_sum_merge(&row->sum, &sum);
}

static void add_sequence(struct context *c, uint64_t key, const struct gw_sum *ticks)
{
	const struct gw_sequence_pattern *pattern = &c->model->sequences.patterns[key >> 32];
	uint32_t shape = (uint32_t)key;
	const char *text = shape < c->definitions->shape_count ? c->definitions->shapes[shape].text : "";
	struct gw_sum sum = in_ns(ticks, c->scale, 0);
	char steps[256] = "";
	struct gw_row *row;

	for (unsigned w = 0; w < pattern->count; w++) {
		strncat(steps, w ? " + " : "", sizeof(steps) - strlen(steps) - 1);
		strncat(steps, pattern->words[w], sizeof(steps) - strlen(steps) - 1);
	}
	row = row_of(c->model, GW_TABLE_SEQUENCES, "%s\x1f%s", steps, text);
	if (row && !row->facts) {
		row->facts = json_pack("{s:s,s:s,s:s,s:s}", "sequence", steps, "shape", text, "fused", pattern->fused, "source", pattern->source ? pattern->source : "");
		if (pattern->gain > 0)
			json_object_set_new(row->facts, "gain", json_real(pattern->gain));
	}
	if (row)
		gw_sum_merge(&row->sum, &sum);
}

static void add_findings(struct context *c)
{
	json_t *one;
	size_t i;

	json_array_foreach(c->definitions->findings, i, one)
	{
		const char *code = gw_trace_text(one, "code", "?"), *text = gw_trace_text(one, "text", "");
		struct gw_row *row = row_of(c->model, GW_TABLE_FINDINGS, "%s\x1f%s", code, text);

		if (!row)
			return;
		if (!row->facts)
			row->facts = json_pack("{s:s,s:s,s:s,s:s}", "code", code, "severity", gw_trace_text(one, "severity", "note"), "text", text, "remedy",
					       gw_trace_text(one, "remedy", ""));
		row->sum.calls++;
		count_process(c->model, row);
	}
}

static void add_libraries(struct context *c)
{
	for (uint32_t i = 0; i < c->definitions->object_count; i++) {
		const struct gw_trace_object *object = &c->definitions->objects[i];
		struct gw_row *row;

		if (!object->family)
			continue;
		row = row_of(c->model, GW_TABLE_LIBRARIES, "%s\x1f%s\x1f%s", object->family, object->path, object->build_id ? object->build_id : "");
		if (!row)
			return;
		if (!row->facts) {
			row->facts = json_pack("{s:s,s:s}", "family", object->family, "path", object->path);
			if (object->build_id)
				json_object_set_new(row->facts, "build_id", json_string(object->build_id));
			if (object->soname)
				json_object_set_new(row->facts, "soname", json_string(object->soname));
		}
		/* not each process asked for it */
		if (object->release)
			json_object_set_new(row->facts, "release", json_string(object->release));
		count_process(c->model, row);
	}
}

static void add_steps(struct context *c, const struct gw_trace_sums *sums, uint32_t fn)
{
	char room[32];
	struct gw_row *row = sums->steps[fn] ? row_of(c->model, GW_TABLE_FUNCTIONS, "%s", name_of(c->definitions, fn, room)) : NULL;

	if (row && !row->steps)
		row->steps = calloc(GW_SUM_STEPS, sizeof(*row->steps));
	for (unsigned s = 0; row && row->steps && s < GW_SUM_STEPS; s++)
		row->steps[s] += sums->steps[fn][s];
}

static void add_tables(struct context *c, const struct gw_trace_sums *sums)
{
	for (uint32_t i = 0; i < sums->statuses.count; i++)
		add_failure(c, sums->statuses.rows[i].key, &sums->statuses.rows[i].sum);
	for (uint32_t i = 0; i < sums->callers.count; i++)
		add_caller(c, sums->callers.rows[i].key, &sums->callers.rows[i].sum);
	for (uint32_t i = 0; i < sums->stacks.count; i++)
		add_stack(c, sums->stacks.rows[i].key, &sums->stacks.rows[i].sum);
	for (uint32_t i = 0; i < sums->redirects.count; i++)
		add_redirect(c, sums->redirects.rows[i].key, &sums->redirects.rows[i].sum);
	for (uint32_t i = 0; i < sums->patterns.count; i++)
		add_sequence(c, sums->patterns.rows[i].key, &sums->patterns.rows[i].sum);
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

/* Shapes: of each, what was counted or what was recorded, whichever is more. */
static void add_shapes(struct context *c, const struct gw_sum_table *recorded, const struct gw_sum_table *counted)
{
	for (uint32_t i = 0; i < recorded->count; i++) {
		uint32_t other = gw_trace_map_get(&counted->map, recorded->rows[i].key);

		if (other == GW_TRACE_NONE || counted->rows[other].sum.calls <= recorded->rows[i].sum.calls)
			add_shape(c, recorded->rows[i].key, &recorded->rows[i].sum, false);
	}
	for (uint32_t i = 0; i < counted->count; i++) {
		uint32_t other = gw_trace_map_get(&recorded->map, counted->rows[i].key);

		if (other == GW_TRACE_NONE || counted->rows[i].sum.calls > recorded->rows[other].sum.calls) {
			struct gw_sum sum = counted->rows[i].sum;

			if (other != GW_TRACE_NONE) {
				sum.gpu_calls = recorded->rows[other].sum.gpu_calls;
				sum.gpu_ns = recorded->rows[other].sum.gpu_ns;
			}
			add_shape(c, counted->rows[i].key, &sum, true);
		}
	}
}

void gw_model_problem(struct gw_model *model, const char *path, const struct gw_trace_problem *problem, bool unread)
{
	if (json_array_size(model->problems) < MOST_PROBLEMS)
		json_array_append_new(model->problems, json_pack("{s:o,s:I,s:s,s:o}", "file", json_of(path), "offset", (json_int_t)problem->offset, "kind",
								 unread ? "unread" : problem->damage ? "damage" : "note", "text", json_of(problem->text)));
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

static json_t *process_of(struct context *c, const struct gw_trace_index *index, const struct gw_trace_sums *sums, unsigned count, uint64_t calls,
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
	object = json_pack("{s:o,s:s,s:I,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:s}", "file", json_of(c->file->path), "host",
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
	struct context c = {.model = model, .definitions = definitions, .file = file, .scale = file->ns_per_tick};
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
		add_function(&c, fn, &recorded, &counted[fn]);
		for (unsigned s = 0; s < count; s++)
			add_steps(&c, &sums[s], fn);
		use_counted = counted[fn].calls >= recorded.calls;
		counted_ticks += counted[fn].ticks;
		calls += use_counted ? counted[fn].calls : recorded.calls;
		failures += use_counted ? counted[fn].failures : recorded.failures;
	}
	unite(model, sums, count);
	add_shapes(&c, &sums->shapes, counted_shapes);
	add_tables(&c, sums);
	for (unsigned s = 0; s < count; s++) {
		gw_sum_line_merge(&model->line, &sums[s].line);
		model->no_memory |= sums[s].no_memory;
	}
	add_findings(&c);
	add_libraries(&c);
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
