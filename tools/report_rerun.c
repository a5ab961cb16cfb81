/* SPDX-License-Identifier: Apache-2.0 */
/* One record as a command line that runs it again (`gangway tune`), from the shape that its definition tells. */
#include "report_calls.h"

#include <stdlib.h>
#include <string.h>
#include "cmd.h"

static void quote(FILE *out, const char *text)
{
	if (*text && !text[strcspn(text, " \t\n\"'\\$`&|;<>()*?[]#~!{}")]) {
		fputs(text, out);
		return;
	}
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	fputc('\'', out);
}

/* Each member of the shape that says something, as an option of its name. */
static void print_shape(FILE *out, const json_t *shape)
{
	static const char *const own[] = {"def", "id", "function", "kind", "text", "flops"};
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)shape, name, value)
	{
		bool skip = false;
		char *text;

		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			skip |= !strcmp(own[i], name);
		if (skip || json_is_null(value))
			continue;
		fprintf(out, " --%s ", name);
		if (json_is_string(value)) {
			quote(out, json_string_value(value));
			continue;
		}
		text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		quote(out, text ? text : "");
		free(text);
	}
}

static int print(FILE *out, const struct gw_trace_definitions *definitions, const struct gw_trace_record *record, const char *path, uint64_t number)
{
	struct gw_trace_call call;

	gw_trace_call_read(&call, definitions, record);
	if (!call.shape) {
		gw_complain("%s: record %llu is a call of %s that has no shape: only what has one (a product, a convolution) can be run again", path,
			    (unsigned long long)number, call.name);
		return GW_EXIT_FAILED;
	}
	fputs("gangway tune --function ", out);
	quote(out, call.name);
	fputs(" --shape ", out);
	quote(out, call.shape->text);
	print_shape(out, call.shape->json);
	fputc('\n', out);
	return GW_EXIT_FINE;
}

int gw_report_rerun(FILE *out, const char *path, uint64_t number)
{
	_Alignas(8) unsigned char room[256 * 64];
	const struct gw_trace_record *record = (const void *)room;
	struct gw_trace_definitions definitions;
	struct gw_trace_file file;
	int result = GW_EXIT_FAILED;
	unsigned slots;
	char why[200];

	if (gw_trace_open(&file, path, why, sizeof(why))) {
		gw_complain("%s %s", path, why);
		return GW_EXIT_FAILED;
	}
	gw_trace_pread(&file, number < UINT64_MAX / 64 ? number * 64 : UINT64_MAX / 2, room, sizeof(room));
	slots = gw_trace_record_slots(record);
	if (number * 64 < file.head_size || !slots || gw_trace_record_kind_of(record) != GW_TRACE_CALL ||
	    (uint32_t)(record->mark >> 32) != gw_trace_check_words(record->mark & 0xffffffff, (const uint64_t *)(const void *)room + 1, slots * 8 - 1)) {
		gw_complain("%s: no call's record has the number %llu; `gangway report --calls %s` shows all", path, (unsigned long long)number, path);
	} else {
		gw_trace_define(&definitions, &file);
		result = print(out, &definitions, record, path, number);
		gw_trace_define_finish(&definitions);
	}
	gw_trace_close(&file);
	return result;
}
