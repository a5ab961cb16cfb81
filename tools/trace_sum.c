/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over records: see trace_sum.h. What runs at each record is here, and is short. */
#include "trace_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned gw_sum_step(uint64_t ns)
{
	unsigned octave = ns < 4 ? 2 : 63 - (unsigned)__builtin_clzll(ns), step;

	if (ns < 4)
		return (unsigned)ns;
	step = 4 * (octave - 1) + (unsigned)((ns >> (octave - 2)) & 3);
	return step < GW_SUM_STEPS ? step : GW_SUM_STEPS - 1;
}

double gw_sum_step_begin(unsigned step)
{
	return step < 4 ? step : ldexp(4 + step % 4, (int)(step / 4) - 1);
}

int64_t gw_trace_time(const struct gw_trace_file *file, uint64_t stamp)
{
	const struct gw_trace_head *head = &file->head;
	double scale = file->ns_per_tick > 0 ? file->ns_per_tick : 1;

	return (int64_t)head->start.realtime_ns + (int64_t)((double)(int64_t)(stamp - head->start.stamp) * scale);
}

void gw_trace_extras(const struct gw_trace_function *function, const struct gw_trace_record *record, struct gw_trace_extra *extra)
{
	static const struct {
		unsigned flag, place;
	} words[] = {
		{GW_TRACE_STACK, offsetof(struct gw_trace_extra, stack)}, {GW_TRACE_SHAPE, offsetof(struct gw_trace_extra, shape)},
		{GW_TRACE_SLOW, offsetof(struct gw_trace_extra, slow)}, {GW_TRACE_STATUS, offsetof(struct gw_trace_extra, status)},
		{GW_TRACE_REDIRECTED, offsetof(struct gw_trace_extra, redirect)}, {GW_TRACE_GPU, offsetof(struct gw_trace_extra, gpu)},
	};
	uint32_t at = function->end[record->flags & GW_TRACE_LONG], end = gw_trace_record_slots(record) * 64;

	memset(extra, 0, sizeof(*extra));
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (record->flags & words[i].flag && at + 8 <= end) {
			memcpy((char *)extra + words[i].place, (const char *)record + at, 8);
			at += 8;
		}
}

struct gw_sum *gw_sum_at(struct gw_sum_table *table, uint64_t key)
{
	uint32_t index = gw_trace_map_get(&table->map, key);

	if (index == GW_TRACE_NONE) {
		if ((table->count & (table->count - 1)) == 0) {
			struct gw_sum_key *larger = realloc(table->rows, (table->count ? 2 * (size_t)table->count : 1) * sizeof(*larger));

			if (!larger)
				return NULL;
			table->rows = larger;
		}
		if (!gw_trace_map_put(&table->map, key, table->count))
			return NULL;
		index = table->count++;
		table->rows[index] = (struct gw_sum_key){.key = key};
	}
	return &table->rows[index].sum;
}

void gw_sum_merge(struct gw_sum *into, const struct gw_sum *from)
{
	if (from->timed && (!into->timed || from->shortest < into->shortest))
		into->shortest = from->shortest;
	if (from->longest > into->longest)
		into->longest = from->longest;
	into->calls += from->calls;
	into->failures += from->failures;
	into->timed += from->timed;
	into->ticks += from->ticks;
	into->gpu_calls += from->gpu_calls;
	into->gpu_ns += from->gpu_ns;
}

static inline void add(struct gw_sum *sum, uint64_t weight, uint64_t ticks, bool failed, const struct gw_trace_extra *extra, bool gpu)
{
	sum->calls += weight;
	sum->failures += failed ? weight : 0;
	if (ticks) {
		sum->shortest = !sum->timed || ticks < sum->shortest ? ticks : sum->shortest;
		sum->longest = ticks > sum->longest ? ticks : sum->longest;
		sum->timed += weight;
		sum->ticks += ticks * weight;
	}
	if (gpu) {
		sum->gpu_calls += weight;
		sum->gpu_ns += extra->gpu * weight;
	}
}

static void add_to(struct gw_trace_sums *sums, struct gw_sum_table *table, uint64_t key, uint64_t weight, uint64_t ticks, bool failed,
		   const struct gw_trace_extra *extra, bool gpu)
{
	struct gw_sum *sum = gw_sum_at(table, key);

	if (sum)
		add(sum, weight, ticks, failed, extra, gpu);
	else
		sums->no_memory = true;
}

static void found(void *context, unsigned pattern, uint32_t shape, uint64_t ticks)
{
	struct gw_trace_sums *sums = context;
	struct gw_trace_extra none = {0};

	add_to(sums, &sums->patterns, (uint64_t)pattern << 32 | shape, 1, ticks, false, &none, false);
}

static bool is_failure(const struct gw_trace_function *function, const struct gw_trace_record *record, const struct gw_trace_extra *extra)
{
	return function->result == GW_TRACE_RESULT_STATUS && gw_trace_result_of(record, extra) != (uint64_t)function->success;
}

static void add_call(struct gw_trace_sums *sums, const struct gw_trace_record *record, uint64_t weight, struct gw_sequence_state *state, bool warm)
{
	static const struct gw_trace_function nothing;
	const struct gw_trace_definitions *definitions = sums->definitions;
	const struct gw_trace_function *function = record->fn < definitions->function_count ? &definitions->functions[record->fn] : &nothing;
	struct gw_trace_extra extra = {0};
	uint64_t ticks, fn = record->fn;
	uint32_t shape = GW_TRACE_NONE;
	bool failed, gpu;

	if (record->flags & ~(GW_TRACE_LONG | GW_TRACE_NESTED) && function->name)
		gw_trace_extras(function, record, &extra);
	ticks = gw_trace_duration(record, &extra);
	if (record->flags & GW_TRACE_SHAPE)
		shape = gw_trace_map_get(&definitions->shape_by_id, extra.shape);
	if (sums->sequences && record->fn < sums->sequences->function_count)
		gw_sequence_step(state, sums->sequences, record, function, shape, ticks, warm, found, sums);
	if (warm || record->start < sums->choice.from || record->start >= sums->choice.to ||
	    (sums->choice.functions && (fn >= sums->function_count || !sums->choice.functions[fn])))
		return;
	sums->records++;
	if (fn >= sums->function_count || !function->name) {
		sums->undefined++;
		if (fn >= sums->function_count)
			return;
	}
	failed = is_failure(function, record, &extra);
	gpu = record->flags & GW_TRACE_GPU;
	add(&sums->functions[fn], weight, ticks, failed, &extra, gpu);
	if (ticks) {
		uint64_t ns = (uint64_t)((double)ticks * sums->file->ns_per_tick);

		if (!sums->steps[fn] && !(sums->steps[fn] = calloc(GW_SUM_STEPS, sizeof(**sums->steps))))
			sums->no_memory = true;
		else
			sums->steps[fn][gw_sum_step(ns)]++;
		gw_sum_line_add(&sums->line, gw_trace_time(sums->file, record->start), ns * weight, sums->families[fn], failed, !(record->flags & GW_TRACE_NESTED));
		if (!(record->flags & GW_TRACE_NESTED))
			sums->outer_ticks += ticks * weight;
	} else {
		gw_sum_line_add(&sums->line, gw_trace_time(sums->file, record->start), 0, sums->families[fn], failed, false);
	}
	sums->earliest = record->start < sums->earliest ? record->start : sums->earliest;
	sums->latest = record->start + ticks > sums->latest ? record->start + ticks : sums->latest;
	if (shape != GW_TRACE_NONE)
		add_to(sums, &sums->shapes, fn << 32 | shape, weight, ticks, failed, &extra, gpu);
	if (record->flags & GW_TRACE_STACK) {
		uint32_t stack = gw_trace_map_get(&definitions->stack_by_id, extra.stack);

		if (stack != GW_TRACE_NONE)
			add_to(sums, &sums->stacks, fn << 32 | stack, weight, ticks, failed, &extra, gpu);
	}
	if (failed) {
		const struct gw_trace_object *object = gw_trace_object_at(definitions, record->caller & UINT64_C(0xffffffffffff));
		uint64_t at = object && object - definitions->objects < 0xffff ? (uint64_t)(object - definitions->objects) + 1 : 0;

		add_to(sums, &sums->statuses, fn << 48 | (gw_trace_result_of(record, &extra) & 0xffffffff) << 16 | at, weight, ticks, true, &extra, gpu);
	}
	if (record->flags & GW_TRACE_REDIRECTED)
		add_to(sums, &sums->redirects, extra.redirect, weight, ticks, failed, &extra, gpu);
	add_to(sums, &sums->callers, fn << 48 | (record->caller & UINT64_C(0xffffffffffff)), weight, ticks, failed, &extra, gpu);
}

void gw_sums_add(struct gw_trace_sums *sums, const struct gw_sum_part *part, void *buffer)
{
	struct gw_sequence_state state = {0};

	for (uint32_t i = 0; i < part->count; i++) {
		const struct gw_trace_block *head = buffer;
		const struct gw_trace_record *record;
		struct gw_trace_cursor cursor;
		uint64_t weight;

		gw_trace_pread(sums->file, gw_trace_block_offset(sums->file, part->blocks[i]), buffer, sums->file->block_size);
		gw_trace_cursor_init(&cursor, sums->file, part->blocks[i], buffer);
		cursor.quiet |= i < part->warm;
		weight = head->sample > 1 && gw_trace_block_sound(sums->file, part->blocks[i], head, false) ? head->sample : 1;
		while ((record = gw_trace_next_record(&cursor))) {
			if (gw_trace_record_kind_of(record) == GW_TRACE_CALL) {
				add_call(sums, record, weight, &state, i < part->warm);
			} else if (i >= part->warm) {
				sums->marks += gw_trace_record_kind_of(record) == GW_TRACE_MARK;
				sums->unknown_records += gw_trace_record_kind_of(record) != GW_TRACE_MARK;
			}
		}
		sums->sampled += weight > 1;
	}
	if (part->last && sums->sequences)
		gw_sequence_end(&state, found, sums);
}

/* The families of a file, in the order in which its functions name them. */
static void place_families(struct gw_trace_sums *sums)
{
	static const char *const known[] = {"cublas", "cublasLt", "cudnn", "cusparse", "cufft"};

	for (uint32_t f = 0; f < sums->function_count; f++) {
		sums->families[f] = GW_SUM_FAMILIES - 1;
		for (unsigned k = 0; f < sums->definitions->function_count && sums->definitions->functions[f].name && k < GW_SUM_FAMILIES - 1; k++)
			if (!strcmp(sums->definitions->functions[f].family, known[k]))
				sums->families[f] = (uint8_t)k;
	}
}

bool gw_sums_init(struct gw_trace_sums *sums, struct gw_trace_file *file, const struct gw_trace_definitions *definitions,
		  const struct gw_trace_sequences *sequences, const struct gw_sum_choice *choice)
{
	uint32_t count = file->head.function_count < 65535 ? file->head.function_count : 65535;

	memset(sums, 0, sizeof(*sums));
	if (count < definitions->function_count)
		count = definitions->function_count;
	sums->file = file;
	sums->definitions = definitions;
	sums->sequences = sequences;
	sums->choice = *choice;
	sums->earliest = UINT64_MAX;
	sums->function_count = count;
	sums->functions = calloc(count + 1, sizeof(*sums->functions));
	sums->steps = calloc(count + 1, sizeof(*sums->steps));
	sums->families = calloc(count + 1, sizeof(*sums->families));
	if (!sums->functions || !sums->steps || !sums->families) {
		gw_sums_finish(sums);
		return false;
	}
	place_families(sums);
	return true;
}

void gw_sums_finish(struct gw_trace_sums *sums)
{
	struct gw_sum_table *tables[] = {&sums->shapes, &sums->statuses, &sums->callers, &sums->stacks, &sums->redirects, &sums->patterns};

	for (uint32_t f = 0; sums->steps && f < sums->function_count; f++)
		free(sums->steps[f]);
	free(sums->steps);
	free(sums->functions);
	free(sums->families);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		free(tables[i]->rows);
		gw_trace_map_finish(&tables[i]->map);
	}
	memset(sums, 0, sizeof(*sums));
}
