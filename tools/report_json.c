/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON (docs/report.md has the schema): the sums of the model, sorted, the most costly first. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include "cmd.h"

#define SCHEMA 1
#define MOST_SHOWN 5000		/* rows of a table; what is left out is told */

static int by_cost(const void *a, const void *b)
{
	const struct gw_row *x = *(struct gw_row *const *)a, *y = *(struct gw_row *const *)b;

	if (x->sum.ticks != y->sum.ticks)
		return x->sum.ticks > y->sum.ticks ? -1 : 1;
	if (x->sum.calls != y->sum.calls)
		return x->sum.calls > y->sum.calls ? -1 : 1;
	return strcmp(x->key, y->key);
}

/* The time that PART of the calls stay below, from the histogram; the middle of the step it falls into. */
static double percentile(const uint32_t *steps, double part)
{
	uint64_t all = 0, below = 0;

	for (unsigned s = 0; s < GW_SUM_STEPS; s++)
		all += steps[s];
	for (unsigned s = 0; s < GW_SUM_STEPS; s++) {
		below += steps[s];
		if (below && (double)below >= part * (double)all)
			return (gw_sum_step_begin(s) + gw_sum_step_begin(s + 1)) / 2;
	}
	return 0;
}

static void set(json_t *object, const char *member, uint64_t value)
{
	json_object_set_new(object, member, json_integer((json_int_t)value));
}

/* VALUE, to four digits. */
static double four_digits(double value)
{
	double unit = 1e-9;

	if (!(value > 0) || value > 1e18)
		return 0;
	while (value / unit >= 10000)
		unit *= 10;
	return (double)(uint64_t)(value / unit + 0.5) * unit;
}

static double within(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static void set_sum(json_t *object, const struct gw_row *row, enum gw_table table)
{
	const struct gw_sum *sum = &row->sum;

	set(object, "calls", sum->calls);
	set(object, "failures", sum->failures);
	set(object, "ns", sum->ticks);
	if (sum->timed) {
		set(object, "shortest_ns", sum->shortest);
		set(object, "longest_ns", sum->longest);
	}
	if (table == GW_TABLE_FUNCTIONS || table == GW_TABLE_SHAPES) {
		set(object, "recorded", row->recorded);
		set(object, "processes", row->processes);
	}
	if (row->steps) {
		double low = (double)sum->shortest, high = (double)sum->longest;

		json_object_set_new(object, "p50_ns", json_real(four_digits(within(percentile(row->steps, 0.5), low, high))));
		json_object_set_new(object, "p99_ns", json_real(four_digits(within(percentile(row->steps, 0.99), low, high))));
	}
	if (sum->gpu_calls) {
		set(object, "gpu_calls", sum->gpu_calls);
		set(object, "gpu_ns", sum->gpu_ns);
	}
}

static void set_rate(json_t *object, const struct gw_row *row, const struct gw_peaks *peaks)
{
	double flops = json_number_value(json_object_get(object, "flops")), rate, peak;
	char type[16] = "";

	gw_report_type(object, type);
	if (!(flops > 0) || !row->sum.gpu_ns)
		return;
	rate = flops * (double)row->sum.gpu_calls / (double)row->sum.gpu_ns / 1000;
	json_object_set_new(object, "tflops", json_real(four_digits(rate)));
	peak = gw_peaks_of(peaks, type);
	if (peak > 0)
		json_object_set_new(object, "of_peak", json_real(four_digits(rate / peak)));
}

static json_t *table_of(struct gw_model *model, enum gw_table table, const struct gw_peaks *peaks, json_t *left_out, const char *name)
{
	struct gw_row **rows = calloc(model->counts[table] + 1, sizeof(*rows)), *row, *next;
	json_t *array = json_array();
	size_t count = 0;

	if (!rows)
		return array;
	HASH_ITER(hh, model->tables[table], row, next) rows[count++] = row;
	qsort(rows, count, sizeof(*rows), by_cost);
	for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
		json_t *object = rows[i]->facts ? json_copy(rows[i]->facts) : json_object();

		if (table == GW_TABLE_FINDINGS || table == GW_TABLE_LIBRARIES) {
			if (table == GW_TABLE_FINDINGS)
				set(object, "times", rows[i]->sum.calls);
			set(object, "processes", rows[i]->processes);
		} else {
			set_sum(object, rows[i], table);
		}
		if (table == GW_TABLE_SHAPES)
			set_rate(object, rows[i], peaks);
		if (table == GW_TABLE_SEQUENCES && json_object_get(object, "gain"))
			set(object, "gain_ns", (uint64_t)((double)rows[i]->sum.ticks * json_number_value(json_object_get(object, "gain"))));
		json_array_append_new(array, object);
	}
	if (count > MOST_SHOWN)
		set(left_out, name, count - MOST_SHOWN);
	free(rows);
	return array;
}

static json_t *line_of(const struct gw_model *model)
{
	const struct gw_sum_line *line = &model->line;
	static const char *const names[GW_SUM_FAMILIES] = {"cublas", "cublasLt", "cudnn", "cusparse", "cufft", "other"};
	json_t *calls = json_array(), *failures = json_array(), *busy = json_object();

	for (uint32_t i = 0; i < line->count; i++) {
		json_array_append_new(calls, json_integer((json_int_t)line->bins[i].calls));
		json_array_append_new(failures, json_integer((json_int_t)line->bins[i].failures));
	}
	for (unsigned f = 0; f < GW_SUM_FAMILIES; f++) {
		json_t *values = json_array();
		uint64_t any = 0;

		for (uint32_t i = 0; i < line->count; i++) {
			any |= line->bins[i].busy[f];
			json_array_append_new(values, json_integer((json_int_t)line->bins[i].busy[f]));
		}
		if (any)
			json_object_set(busy, names[f], values);
		json_decref(values);
	}
	return json_pack("{s:I,s:I,s:o,s:o,s:o}", "start_ns", (json_int_t)(line->first << line->shift), "step_ns", (json_int_t)1 << line->shift, "calls", calls,
			 "failures", failures, "busy_ns", busy);
}

static int by_place(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	static const char *const numbers[] = {"rank", "start_ns", "pid"};
	int order = strcmp(gw_trace_text(x, "host", ""), gw_trace_text(y, "host", ""));

	for (size_t i = 0; !order && i < sizeof(numbers) / sizeof(*numbers); i++) {
		json_int_t left = json_integer_value(json_object_get(x, numbers[i])), right = json_integer_value(json_object_get(y, numbers[i]));

		order = (left > right) - (left < right);
	}
	return order ? order : strcmp(gw_trace_text(x, "file", ""), gw_trace_text(y, "file", ""));
}

static json_t *sorted(const json_t *array, int compare(const void *, const void *))
{
	size_t count = json_array_size(array);
	json_t **list = calloc(count + 1, sizeof(*list)), *result = json_array();

	for (size_t i = 0; list && i < count; i++)
		list[i] = json_array_get(array, i);
	if (list)
		qsort(list, count, sizeof(*list), compare);
	for (size_t i = 0; list && i < count; i++)
		json_array_append(result, list[i]);
	free(list);
	return result;
}

static int by_file(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t left = json_integer_value(json_object_get(x, "offset")), right = json_integer_value(json_object_get(y, "offset"));
	int order = strcmp(gw_trace_text(x, "file", ""), gw_trace_text(y, "file", ""));

	return order ? order : (left > right) - (left < right);
}

static int by_stamp(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	static const char *const numbers[] = {"pid", "stamp", "mark"};
	int order = 0;

	for (size_t i = 0; !order && i < sizeof(numbers) / sizeof(*numbers); i++) {
		json_int_t left = json_integer_value(json_object_get(x, numbers[i])), right = json_integer_value(json_object_get(y, numbers[i]));

		order = (left > right) - (left < right);
	}
	return order ? order : strcmp(gw_trace_text(x, "text", ""), gw_trace_text(y, "text", ""));
}

static json_t *totals(struct gw_model *model)
{
	struct gw_sum all = {0};
	struct gw_row *row, *next;
	json_t *object = json_object();

	HASH_ITER(hh, model->tables[GW_TABLE_FUNCTIONS], row, next) gw_sum_merge(&all, &row->sum);
	set(object, "processes", json_array_size(model->processes));
	set(object, "calls", all.calls);
	set(object, "failures", all.failures);
	set(object, "records", model->records);
	set(object, "dropped", model->dropped);
	set(object, "overwritten", model->overwritten);
	set(object, "ns", all.ticks);
	if (all.gpu_calls)
		set(object, "gpu_ns", all.gpu_ns);
	set(object, "bytes", model->bytes);
	set(object, "damaged_places", model->damages);
	if (model->first <= model->last) {
		set(object, "first_ns", (uint64_t)model->first);
		set(object, "last_ns", (uint64_t)model->last);
	}
	return object;
}

json_t *gw_report_json(struct gw_model *model, const struct gw_peaks *peaks)
{
	static const struct {
		enum gw_table table;
		const char *name;
	} tables[] = {
		{GW_TABLE_FUNCTIONS, "functions"}, {GW_TABLE_SHAPES, "shapes"}, {GW_TABLE_FAILURES, "failures"}, {GW_TABLE_CALLERS, "callers"},
		{GW_TABLE_STACKS, "stacks"}, {GW_TABLE_REDIRECTS, "redirects"}, {GW_TABLE_FINDINGS, "findings"}, {GW_TABLE_LIBRARIES, "libraries"},
		{GW_TABLE_SEQUENCES, "sequences"}, {GW_TABLE_DECISIONS, "decisions"},
	};
	json_t *report = json_object(), *left_out = json_object();

	json_object_set_new(report, "schema", json_integer(SCHEMA));
	json_object_set_new(report, "gangway", json_string(GW_VERSION));
	json_object_set_new(report, "totals", totals(model));
	json_object_set_new(report, "processes", sorted(model->processes, by_place));
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		json_object_set_new(report, tables[i].name, table_of(model, tables[i].table, peaks, left_out, tables[i].name));
	json_object_set_new(report, "searches", sorted(model->searches, by_stamp));
	json_object_set_new(report, "levels", sorted(model->levels, by_stamp));
	json_object_set_new(report, "timeline", line_of(model));
	json_object_set_new(report, "problems", sorted(model->problems, by_file));
	json_object_set_new(report, "left_out", left_out);
	if (peaks && peaks->count)
		json_object_set_new(report, "peak", json_pack("{s:s,s:s}", "device", peaks->device, "source", peaks->source));
	json_object_set_new(report, "advice", json_array());
	gw_report_advise(report, model);
	return report;
}
