/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GANGWAY_TRACE_LEVEL: LEVEL[,FAMILY:LEVEL|,FUNCTION:LEVEL]…, later ones over earlier ones. LEVEL is off, count, brief (records, of which those of
 * cheap functions are timed 1 in 64), record (each timed) or sample=N. tools/trace_levels.c reads the same.
 */
#include "trace_life.h"

#include <string.h>

#include "finding.h"
#include "line.h"
#include "settings.h"
#include "table.h"

struct level {
	uint8_t bits;
	uint16_t every;
};

static bool read_level(const char *text, size_t length, struct level *level)
{
	static const struct {
		const char *name;
		uint8_t bits;
	} names[] = {
		{ "off", GW_CONTROL_OFF },
		{ "count", GW_CONTROL_COUNT },
		{ "brief", GW_CONTROL_COUNT | GW_CONTROL_RECORD },
		{ "record", GW_CONTROL_COUNT | GW_CONTROL_RECORD | GW_CONTROL_TIME },
	};
	uint32_t every = 0;
	size_t i;

	level->every = 0;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length && !memcmp(names[i].name, text, length)) {
			level->bits = names[i].bits;
			return true;
		}
	if (length < 8 || memcmp(text, "sample=", 7))
		return false;
	for (i = 7; i < length && text[i] >= '0' && text[i] <= '9' && every < 100000; i++)
		every = every * 10 + (uint32_t)(text[i] - '0');
	level->bits = GW_CONTROL_COUNT | GW_CONTROL_RECORD | GW_CONTROL_TIME | GW_CONTROL_SAMPLE;
	level->every = (uint16_t)every;
	return i == length && every && every <= UINT16_MAX;
}

/* Other threads see a function's level undecided until it is what was asked for. One thread reads. */
static struct level asked[GW_FN_COUNT];

static void set(uint32_t fn, const struct level *level)
{
	asked[fn] = *level;
}

void gw_trace_levels_all(uint8_t bits)
{
	uint32_t fn;

	for (fn = 0; fn < GW_FN_COUNT; fn++)
		atomic_store_explicit(&gw_trace_control.level[fn], bits, memory_order_relaxed);
}

/* False: there is neither a family nor a function of that name. */
static bool set_named(const char *name, size_t length, const struct level *level)
{
	bool found = false;
	uint32_t fn;

	for (fn = 0; fn < GW_FN_COUNT; fn++) {
		const char *family = gw_families[gw_functions[fn].family].name, *own = gw_function_name(fn);

		if ((strlen(family) == length && !memcmp(family, name, length)) || (strlen(own) == length && !memcmp(own, name, length))) {
			set(fn, level);
			found = true;
		}
	}
	return found;
}

static void tell(const char *text, const char *word, size_t length)
{
	char what[512];
	struct gw_line line;

	gw_line_start(&line, what, sizeof(what) - 1);
	gw_line_text(&line, "GANGWAY_TRACE_LEVEL=");
	gw_line_text(&line, text);
	gw_line_text(&line, " has '");
	while (length--)
		gw_line_char(&line, *word++);
	gw_line_text(&line, "', which is no level of a family or function; it is left out");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_TRACE_LEVEL, text, what, NULL);
}

void gw_trace_levels_read(void)
{
	const char *text = gw_setting(GW_SETTING_TRACE_LEVEL), *word;
	struct level level = { .bits = GW_CONTROL_COUNT };
	uint32_t fn;

	for (fn = 0; fn < GW_FN_COUNT; fn++)
		set(fn, &level);
	for (word = text; word && *word;) {
		size_t length = strcspn(word, ","), name = strcspn(word, ":,");
		bool good = false;

		if (name < length) {
			good = read_level(word + name + 1, length - name - 1, &level) && set_named(word, name, &level);
		} else if (read_level(word, length, &level)) {
			for (fn = 0; fn < GW_FN_COUNT; fn++)
				set(fn, &level);
			good = true;
		}
		if (!good)
			tell(text, word, length);
		word += length + (word[length] == ',');
	}
	for (fn = 0; fn < GW_FN_COUNT; fn++) {
		atomic_store_explicit(&gw_trace_control.every[fn], asked[fn].every, memory_order_relaxed);
		atomic_store_explicit(&gw_trace_control.level[fn], asked[fn].bits, memory_order_release);
	}
}
