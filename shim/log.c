/* SPDX-License-Identifier: Apache-2.0 */
/* See log.h. Each record is built on the stack and written with one write(2). */
#include "log.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "binding.h"
#include "counts.h"
#include "finding.h"
#include "gw_fn.h"
#include "line.h"
#include "objects.h"
#include "output.h"
#include "process.h"
#include "settings.h"

#define RECORD 8192u	/* bytes on the stack; longer records lose their tail, visibly */

static struct gw_output file;
_Atomic int gw_log_level_now;

static enum gw_log_level decide(void)
{
	const char *wanted = gw_setting(GW_SETTING_LOG_LEVEL);
	enum gw_log_level now = GW_LOG_NOTHING;

	__atomic_store_n(&file.path, gw_setting(GW_SETTING_LOG), __ATOMIC_RELAXED);
	if (gw_setting(GW_SETTING_LOG) && !gw_setting_on(GW_SETTING_DISABLE))
		now = wanted && !strcmp(wanted, "counts") ? GW_LOG_COUNTS : GW_LOG_CALLS;
	atomic_store_explicit(&gw_log_level_now, (int)now, memory_order_release);
	return now;
}

enum gw_log_level gw_log_level(void)
{
	int now = atomic_load_explicit(&gw_log_level_now, memory_order_acquire);

	return now ? (enum gw_log_level)now : decide();
}

static void tell_failed(void)
{
	char text[1024];
	struct gw_line line;
	int error = atomic_load(&file.error);

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "the log ");
	gw_line_text(&line, file.path);
	gw_line_text(&line, " cannot be written: ");
	gw_output_reason(&line, error);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_LOG_FAILED, file.path, text, NULL);
}

static void put(struct gw_line *line)
{
	gw_line_char(line, '}');
	if (line->cut) {	/* the record would not parse: say that there was one instead */
		line->length = 0;
		gw_line_text(line, "{\"type\":\"cut\"}");
		line->cut = false;
	}
	line->text[line->length++] = '\n';
	if (!gw_output_write(&file, line->text, line->length))	/* told once, whoever is first */
		tell_failed();
}

static void begin_sized(struct gw_line *line, char *buffer, size_t size, const char *type)
{
	gw_line_start(line, buffer, size);
	gw_line_char(line, '{');
	gw_line_key(line, "type");
	gw_line_string(line, type, strlen(type));
	gw_line_key(line, "pid");
	gw_line_signed(line, getpid());
}

static void begin(struct gw_line *line, char *buffer, const char *type)
{
	begin_sized(line, buffer, RECORD, type);
}

static void text_member(struct gw_line *line, const char *key, const char *text)
{
	gw_line_key(line, key);
	gw_line_string(line, text, strlen(text));
}

/* The first record of a process, a fork's child included: what it is. */
static void start_once(void)
{
	char buffer[RECORD], command[RECORD / 4], *p;
	struct gw_line line;
	unsigned length;

	if (!gw_counts_start())
		return;
	begin(&line, buffer, "start");
	gw_line_key(&line, "time_ns");
	gw_line_unsigned(&line, gw_process_now());
	text_member(&line, "build", gw_build_id);
	text_member(&line, "program", gw_process_program());
	gw_line_key(&line, "command");
	gw_line_char(&line, '[');
	length = gw_process_command(command, sizeof(command) - 1);
	command[length] = 0;
	for (p = command; p < command + length; p += strlen(p) + 1) {
		if (p != command)
			gw_line_char(&line, ',');
		gw_line_string(&line, p, strlen(p));
	}
	gw_line_char(&line, ']');
	put(&line);
}

static const char *constant_name(const struct gw_constant *constants, uint32_t count, int64_t value)
{
	const struct gw_constant *constant = gw_constant_find(constants, count, value);

	return constant ? gw_string(constant->name) : NULL;
}

static void put_value(struct gw_line *line, unsigned class, int enum_type, unsigned size, union gw_value value)
{
	const char *name = NULL;

	if (enum_type >= 0)
		name = constant_name(gw_constants + gw_enums[enum_type].constants, gw_enums[enum_type].count, value.i);
	if (name) {
		gw_line_string(line, name, strlen(name));
		return;
	}
	switch (class) {
	case GW_CLASS_FLOAT:
	case GW_CLASS_DOUBLE:
		gw_line_double(line, value.d);
		break;
	case GW_CLASS_POINTER:
	case GW_CLASS_STRING:
		if (!value.p) {
			gw_line_text(line, "null");
			break;
		}
		gw_line_char(line, '"');
		gw_line_hex(line, (uintptr_t)value.p);
		gw_line_char(line, '"');
		break;
	case GW_CLASS_STRUCT:
		gw_line_text(line, "\"struct of ");
		gw_line_unsigned(line, size);
		gw_line_text(line, " bytes\"");
		break;
	case GW_CLASS_UINT32:
	case GW_CLASS_UINT64:
		gw_line_unsigned(line, (uint64_t)value.i);
		break;
	default:
		gw_line_signed(line, value.i);
		break;
	}
}

/* Statuses are named as the caller's release names them: two releases give one number to different ones. */
static void put_result(struct gw_line *line, const struct gw_call *call, union gw_value result)
{
	const struct gw_function *function = &gw_functions[call->fn];
	const struct gw_numbering *numbering = call->binding->caller_numbering;
	const char *name = NULL;

	if (function->returns_status && numbering)
		name = constant_name(numbering->constants, numbering->count, result.i);
	if (name)
		gw_line_string(line, name, strlen(name));
	else if (function->result_class == GW_CLASS_STRING && result.p)
		gw_line_string(line, result.p, strnlen(result.p, 256));
	else
		put_value(line, function->result_class, function->result_enum, 0, result);
}

static void put_caller(struct gw_line *line, const void *caller)
{
	const struct gw_object *object = gw_object_of(caller);
	char text[1200];
	struct gw_line where;

	gw_line_start(&where, text, sizeof(text));
	gw_line_text(&where, gw_object_path(object));
	gw_line_char(&where, '+');
	gw_line_hex(&where, (uintptr_t)caller - object->image.base);
	gw_line_key(line, "caller");
	gw_line_string(line, text, where.length);
}

void gw_log_call(const struct gw_call *call, const union gw_value *values, union gw_value result, uint64_t duration)
{
	const struct gw_function *function = &gw_functions[call->fn];
	char buffer[RECORD];
	struct gw_line line;
	unsigned i;

	start_once();
	begin(&line, buffer, "call");
	gw_line_key(&line, "t");
	gw_line_unsigned(&line, call->start);
	gw_line_key(&line, "tid");
	gw_line_signed(&line, gw_process_tid());
	text_member(&line, "function", gw_function_name(call->fn));
	text_member(&line, "family", gw_families[function->family].name);
	gw_line_key(&line, "arguments");
	gw_line_char(&line, '{');
	for (i = 0; i < function->parameter_count && values; i++) {
		const struct gw_parameter *parameter = &gw_parameters[function->parameters + i];

		gw_line_key(&line, gw_string(parameter->name));
		put_value(&line, parameter->class, parameter->enum_type, parameter->size, values[i]);
	}
	gw_line_char(&line, '}');
	if (function->result_class != GW_CLASS_VOID) {
		gw_line_key(&line, "result");
		put_result(&line, call, result);
	}
	gw_line_key(&line, "ns");
	gw_line_unsigned(&line, duration);
	put_caller(&line, call->caller);
	text_member(&line, "target", call->binding->path);
	put(&line);
}

void gw_log_finding(const char *code, const char *severity, const char *text, const char *remedy)
{
	char buffer[RECORD];
	struct gw_line line;

	if (gw_log_level() == GW_LOG_NOTHING)
		return;
	start_once();
	begin(&line, buffer, "finding");
	text_member(&line, "code", code);
	text_member(&line, "severity", severity);
	text_member(&line, "text", text);
	text_member(&line, "remedy", remedy);
	put(&line);
}

void gw_log_crash(const char *code, const char *severity, const char *text, const char *remedy, const char *report)
{
	static char buffer[4 * RECORD];
	struct gw_line line;

	if (gw_log_level() == GW_LOG_NOTHING)
		return;
	begin_sized(&line, buffer, sizeof(buffer), "finding");
	text_member(&line, "code", code);
	text_member(&line, "severity", severity);
	text_member(&line, "text", text);
	text_member(&line, "remedy", remedy);
	gw_line_key(&line, "report");
	gw_line_char(&line, '[');
	gw_line_text(&line, report);
	gw_line_char(&line, ']');
	put(&line);
}

void gw_log_library(const char *family, const char *soname, const char *path, const char *release)
{
	char buffer[RECORD];
	struct gw_line line;

	if (gw_log_level() == GW_LOG_NOTHING)
		return;
	start_once();
	begin(&line, buffer, "library");
	text_member(&line, "family", family);
	text_member(&line, "soname", soname);
	text_member(&line, "path", path);
	if (release)
		text_member(&line, "release", release);
	put(&line);
}

void gw_log_object(const char *path, const char *family, const char *min, const char *max, const char *evidence)
{
	char buffer[RECORD];
	struct gw_line line;

	if (gw_log_level() == GW_LOG_NOTHING)
		return;
	start_once();
	begin(&line, buffer, "object");
	text_member(&line, "path", path);
	text_member(&line, "family", family);
	text_member(&line, "min", min);
	text_member(&line, "max", max);
	text_member(&line, "evidence", evidence);
	put(&line);
}

void gw_log_counts(void)
{
	char buffer[RECORD];
	struct gw_line line;
	uint32_t fn;

	if (gw_log_level() == GW_LOG_NOTHING)
		return;
	for (fn = 0; fn < GW_FN_COUNT; fn++) {
		uint64_t calls = gw_counts_calls(fn);

		if (!calls)
			continue;
		start_once();
		begin(&line, buffer, "count");
		text_member(&line, "function", gw_function_name(fn));
		gw_line_key(&line, "calls");
		gw_line_unsigned(&line, calls);
		gw_line_key(&line, "failures");
		gw_line_unsigned(&line, gw_counts_failures(fn));
		put(&line);
	}
}

void gw_log_forked(void)
{
	gw_counts_reset();
}
