/* SPDX-License-Identifier: Apache-2.0 */
/* What one file adds to the tables of the model: see report_rows.h. */
#include "report_rows.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

static double mean_of(const struct gw_rows *c, uint64_t fn)
{
	return fn < c->mean_count ? c->means[fn] : 0;
}

void gw_rows_function(struct gw_rows *c, uint32_t fn, const struct gw_sum *recorded, const struct gw_sum *counted)
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
static void add_decision(struct gw_rows *c, const char *name, const struct gw_trace_shape *shape, const json_t *algorithm,
			 const struct gw_sum *sum, uint64_t recorded)
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
		row->facts = json_pack("{s:s,s:s,s:o,s:O}", "shape", shape->text, "function", name, "algorithm", gw_model_text(text), "configuration", algorithm);
		if (shape->workspace >= 0)
			json_object_set_new(row->facts, "workspace", json_integer((json_int_t)shape->workspace));
	}
	gw_sum_merge(&row->sum, sum);
	row->recorded += recorded;
}

static void add_shape(struct gw_rows *c, uint64_t key, const struct gw_sum *ticks, bool counted)
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

static void add_failure(struct gw_rows *c, uint64_t key, const struct gw_sum *ticks)
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

static void add_caller(struct gw_rows *c, uint64_t key, const struct gw_sum *ticks)
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

static void add_stack(struct gw_rows *c, uint64_t key, const struct gw_sum *ticks)
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

static void add_redirect(struct gw_rows *c, uint64_t key, const struct gw_sum *ticks)
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

static void add_sequence(struct gw_rows *c, uint64_t key, const struct gw_sum *ticks)
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

static void add_findings(struct gw_rows *c)
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

static void add_libraries(struct gw_rows *c)
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

void gw_rows_steps(struct gw_rows *c, const struct gw_trace_sums *sums, uint32_t fn)
{
	char room[32];
	struct gw_row *row = sums->steps[fn] ? row_of(c->model, GW_TABLE_FUNCTIONS, "%s", name_of(c->definitions, fn, room)) : NULL;

	if (row && !row->steps)
		row->steps = calloc(GW_SUM_STEPS, sizeof(*row->steps));
	for (unsigned s = 0; row && row->steps && s < GW_SUM_STEPS; s++)
		row->steps[s] += sums->steps[fn][s];
}

void gw_rows_tables(struct gw_rows *c, const struct gw_trace_sums *sums)
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

/* Shapes: of each, what was counted or what was recorded, whichever is more. */
void gw_rows_shapes(struct gw_rows *c, const struct gw_sum_table *recorded, const struct gw_sum_table *counted)
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

void gw_rows_definitions(struct gw_rows *c)
{
	add_findings(c);
	add_libraries(c);
}
