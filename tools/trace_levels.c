/* SPDX-License-Identifier: Apache-2.0 */
/* See trace_levels.h. */
#include "trace_levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "abi/control_format.h"

bool gw_trace_level_parse(const char *text, size_t length, struct gw_trace_level_asked *level)
{
	static const struct {
		const char *name;
		uint8_t bits;
	} names[] = {
		{"off", GW_CONTROL_OFF},
		{"count", GW_CONTROL_COUNT},
		{"brief", GW_CONTROL_COUNT | GW_CONTROL_RECORD},
		{"record", GW_CONTROL_COUNT | GW_CONTROL_RECORD | GW_CONTROL_TIME},
	};
	unsigned long every = 0;

	level->every = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == length && strncmp(names[i].name, text, length) == 0) {
			level->bits = names[i].bits;
			return true;
		}
	if (length < 8 || length > 12 || strncmp(text, "sample=", 7) != 0)
		return false;
	for (size_t i = 7; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		every = every * 10 + (unsigned long)(text[i] - '0');
	}
	level->bits = GW_CONTROL_COUNT | GW_CONTROL_RECORD | GW_CONTROL_TIME | GW_CONTROL_SAMPLE;
	level->every = (uint16_t)every;
	return every > 0 && every <= UINT16_MAX;
}

const char *gw_trace_levels_check(const char *text)
{
	struct gw_trace_level_asked level;
	const char *word = text;

	do {
		size_t length = strcspn(word, ","), name = strcspn(word, ":,");
		const char *value = name < length ? word + name + 1 : word;

		if (name == 0 || !gw_trace_level_parse(value, length - (size_t)(value - word), &level))
			return word;
		word += length + (word[length] == ',');
	} while (*word);
	return NULL;
}

bool gw_trace_size_check(const char *text)
{
	char *end;
	unsigned long long size;

	errno = 0;
	size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	if (!size || errno)
		return false;
	switch (*end) {
	case 'k':
	case 'K':
		size >>= 10;
		end++;
		break;
	case 'M':
	case 'm':
	case 'G':
	case 'g':
		end++;
		break;
	default:
		size >>= 20;
	}
	return !*end && size;
}
