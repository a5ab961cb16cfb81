/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences that one fused call would have replaced: see trace_sequence.h. */
#include "trace_sequence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"

/* LINE's `name=value`, a new string; NULL without one. The last one, `source`, takes the rest of the line. */
static char *value_of(const char *line, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), " %s=", name);
	at = strstr(line, key);
	if (!at)
		return NULL;
	at += strlen(key);
	return strcmp(name, "source") ? strndup(at, strcspn(at, " ")) : strdup(at);
}

static bool add_step(struct gw_sequence_data *data, const char *line)
{
	struct gw_sequence_step *larger = realloc(data->steps, (data->step_count + 1) * sizeof(*larger)), *step;
	char word[64], function[128];

	if (!larger || sscanf(line, "step %63s %127s", word, function) != 2)
		return false;
	data->steps = larger;
	step = &larger[data->step_count++];
	*step = (struct gw_sequence_step){strdup(word), strdup(function), value_of(line, "reads"), value_of(line, "writes")};
	return step->word && step->function && step->writes;
}

static bool add_pattern(struct gw_sequence_data *data, const char *line)
{
	struct gw_sequence_pattern *larger = realloc(data->patterns, (data->pattern_count + 1) * sizeof(*larger)), *pattern;
	char words[GW_SEQUENCE_STEPS][64];
	char *gain = value_of(line, "gain");
	int count;

	if (!larger)
		return false;
	data->patterns = larger;
	pattern = &larger[data->pattern_count++];
	memset(pattern, 0, sizeof(*pattern));
	count = sscanf(line, "fused %63s %63s %63s", words[0], words[1], words[2]);
	for (int i = 0; i < count && !strchr(words[i], '='); i++)
		pattern->words[pattern->count++] = strdup(words[i]);
	pattern->gain = gain ? strtod(gain, NULL) : 0;
	free(gain);
	pattern->fused = value_of(line, "with");
	pattern->source = value_of(line, "source");
	return pattern->count >= 2 && pattern->fused;
}

int gw_sequence_load(struct gw_sequence_data *data)
{
	char *path = gw_data_path("sequences"), line[1024];
	FILE *file = path ? fopen(path, "re") : NULL;
	unsigned number = 0;
	int result = file ? 0 : -1;

	memset(data, 0, sizeof(*data));
	if (!file)
		gw_complain("%s: %s", path ? path : "share/gangway/sequences", strerror(path ? errno : ENOENT));
	while (!result && fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (!(strncmp(line, "step ", 5) == 0 && add_step(data, line)) && !(strncmp(line, "fused ", 6) == 0 && add_pattern(data, line))) {
			gw_complain("%s:%u: expected `step WORD FUNCTION [reads=NAME] writes=NAME` or `fused WORD WORD [WORD] [gain=PART] with=FUNCTION source=TEXT`",
				    path, number);
			result = -1;
		}
	}
	if (file)
		fclose(file);
	free(path);
	return result;
}

void gw_sequence_unload(struct gw_sequence_data *data)
{
	for (size_t i = 0; i < data->step_count; i++) {
		free(data->steps[i].word);
		free(data->steps[i].function);
		free(data->steps[i].reads);
		free(data->steps[i].writes);
	}
	for (size_t i = 0; i < data->pattern_count; i++) {
		for (unsigned w = 0; w < data->patterns[i].count; w++)
			free(data->patterns[i].words[w]);
		free(data->patterns[i].fused);
		free(data->patterns[i].source);
	}
	free(data->steps);
	free(data->patterns);
	memset(data, 0, sizeof(*data));
}

static int16_t parameter(const struct gw_trace_function *function, const char *name)
{
	for (uint32_t p = 0; name && p < function->parameter_count; p++)
		if (!strcmp(function->parameters[p].name, name) && function->parameters[p].class == GW_TRACE_POINTER)
			return (int16_t)p;
	return -1;
}

bool gw_sequences_init(struct gw_trace_sequences *sequences, const struct gw_sequence_data *data, const struct gw_trace_definitions *definitions)
{
	sequences->data = data;
	sequences->function_count = definitions->function_count;
	sequences->roles = calloc(definitions->function_count + 1, sizeof(*sequences->roles));
	if (!sequences->roles)
		return false;
	for (uint32_t f = 0; f < definitions->function_count; f++)
		for (size_t s = 0; definitions->functions[f].name && s < data->step_count; s++) {
			const struct gw_sequence_step *step = &data->steps[s];
			size_t first = 0;

			if (strcmp(step->function, definitions->functions[f].name) != 0)
				continue;
			while (strcmp(data->steps[first].word, step->word) != 0)
				first++;
			sequences->roles[f] = (struct gw_trace_role){(uint8_t)(first + 1), parameter(&definitions->functions[f], step->reads),
								    parameter(&definitions->functions[f], step->writes)};
		}
	return true;
}

void gw_sequences_finish(struct gw_trace_sequences *sequences)
{
	free(sequences->roles);
	memset(sequences, 0, sizeof(*sequences));
}

static uint64_t pointer(const struct gw_trace_record *record, const struct gw_trace_function *function, int16_t which)
{
	uint64_t value = 0;
	uint32_t at;

	if (which < 0)
		return 0;
	at = function->parameters[which].place[record->flags & GW_TRACE_LONG];
	if (at + 8 <= gw_trace_record_slots(record) * 64)
		memcpy(&value, (const char *)record + at, 8);
	return value;
}

/* Is a pattern's beginning what CHAIN did? Sets its match where one is complete. */
static bool fits(const struct gw_sequence_data *data, struct gw_sequence_chain *chain)
{
	bool any = false;

	for (size_t p = 0; p < data->pattern_count; p++) {
		const struct gw_sequence_pattern *pattern = &data->patterns[p];
		unsigned same = 0;

		while (same < chain->count && same < pattern->count && !strcmp(pattern->words[same], data->steps[chain->steps[same]].word))
			same++;
		if (same < chain->count)
			continue;
		any = true;
		if (chain->count == pattern->count) {
			chain->matched = (uint8_t)(p + 1);
			chain->matched_ticks = chain->ticks;
		}
	}
	return any;
}

static void tell(struct gw_sequence_chain *chain, gw_sequence_found *found, void *context)
{
	if (chain->matched && !chain->counted)
		found(context, chain->matched - 1u, chain->shape, chain->matched_ticks);
	memset(chain, 0, sizeof(*chain));
}

void gw_sequence_step(struct gw_sequence_state *state, const struct gw_trace_sequences *sequences, const struct gw_trace_record *record,
		      const struct gw_trace_function *function, uint32_t shape, uint64_t ticks, bool warm, gw_sequence_found *found, void *context)
{
	const struct gw_trace_role *role = &sequences->roles[record->fn];
	struct gw_sequence_chain *oldest = &state->chains[0], *chain = NULL;
	uint64_t read, written;

	state->calls++;
	if (!role->step || record->flags & GW_TRACE_NESTED)
		return;
	read = pointer(record, function, role->reads);
	written = pointer(record, function, role->writes);
	for (unsigned i = 0; i < GW_SEQUENCE_CHAINS; i++) {
		struct gw_sequence_chain *c = &state->chains[i];

		/* what nobody went on with is over */
		if (c->count && state->calls - c->at > GW_SEQUENCE_APART) {
			c->counted |= warm;
			tell(c, found, context);
		}
		if (c->count && read && c->buffer == read)
			chain = c;
		if (c->at < oldest->at)
			oldest = c;
	}
	if (chain && chain->count < GW_SEQUENCE_STEPS) {
		struct gw_sequence_chain longer = *chain;

		longer.steps[longer.count++] = (uint8_t)(role->step - 1);
		longer.ticks += ticks;
		if (fits(sequences->data, &longer)) {
			longer.buffer = written ? written : read;
			longer.at = state->calls;
			*chain = longer;
			return;
		}
	}
	if (role->reads >= 0)
		return;		/* no step that begins a sequence */
	/* the buffer is written anew, or there is no more room: what was there is over */
	for (unsigned i = 0; i < GW_SEQUENCE_CHAINS; i++)
		if (state->chains[i].count && state->chains[i].buffer == written)
			oldest = &state->chains[i];
	oldest->counted |= warm;
	tell(oldest, found, context);
	*oldest = (struct gw_sequence_chain){.buffer = written, .at = state->calls, .ticks = ticks, .shape = shape, .steps = {(uint8_t)(role->step - 1)}, .count = 1};
}

void gw_sequence_end(struct gw_sequence_state *state, gw_sequence_found *found, void *context)
{
	for (unsigned i = 0; i < GW_SEQUENCE_CHAINS; i++)
		tell(&state->chains[i], found, context);
}
