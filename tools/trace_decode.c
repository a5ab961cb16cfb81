/* SPDX-License-Identifier: Apache-2.0 */
/* Records in words: see trace_decode.h. */
#include "trace_decode.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "out.h"
#include "report.h"

#define ADDRESS UINT64_C(0xffffffffffff)	/* of a caller */

void gw_trace_call_read(struct gw_trace_call *call, const struct gw_trace_definitions *d, const struct gw_trace_record *record)
{
	static const struct gw_trace_function nothing;
	uint64_t result;
	const char *status = NULL;

	memset(call, 0, sizeof(*call));
	call->record = record;
	call->function = record->fn < d->function_count && d->functions[record->fn].name ? &d->functions[record->fn] : &nothing;
	snprintf(call->unknown, sizeof(call->unknown), "function %u", record->fn);
	call->name = call->function->name ? call->function->name : call->unknown;
	call->family = call->function->family ? call->function->family : "";
	if (call->function->name)
		gw_trace_extras(call->function, record, &call->extra);
	call->ticks = gw_trace_duration(record, &call->extra);
	result = gw_trace_result_of(record, &call->extra);
	if (call->function->result == GW_TRACE_RESULT_STATUS) {
		call->failed = result != (uint64_t)call->function->success;
		status = gw_trace_status_name(d, call->family, record->caller & ADDRESS, (int64_t)result);
	}
	if (status)
		snprintf(call->result, sizeof(call->result), "%s", status);
	else if (call->function->result != GW_TRACE_RESULT_VOID)
		snprintf(call->result, sizeof(call->result), "%" PRIu64, result);
	gw_report_site(d, record->caller & ADDRESS, call->caller, sizeof(call->caller));
	if (record->flags & GW_TRACE_SHAPE) {
		uint32_t index = gw_trace_map_get(&d->shape_by_id, call->extra.shape);

		call->shape = index != GW_TRACE_NONE ? &d->shapes[index] : NULL;
	}
	if (record->flags & GW_TRACE_STACK) {
		uint32_t index = gw_trace_map_get(&d->stack_by_id, call->extra.stack);

		call->stack = index != GW_TRACE_NONE ? &d->stacks[index] : NULL;
	}
}

static void print_hex(FILE *out, const unsigned char *bytes, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		fprintf(out, "%02x", bytes[i]);
}

static void print_real(FILE *out, double value, bool quoted)
{
	const char *quote = quoted && !isfinite(value) ? "\"" : "";

	fprintf(out, "%s%.17g%s", quote, value, quote);
}

/* One argument; QUOTED: as JSON. false: the record ends before it. */
static bool print_value(FILE *out, const struct gw_trace_definitions *d, const struct gw_trace_call *call, const struct gw_trace_parameter *p, bool quoted)
{
	unsigned is_long = call->record->flags & GW_TRACE_LONG;
	uint32_t at = p->place[is_long], end = gw_trace_record_slots(call->record) * 64;
	const unsigned char *bytes = (const unsigned char *)call->record + at;
	const char *quote = quoted ? "\"" : "", *constant;
	uint64_t eight = 0;
	uint32_t four = 0;
	float real;
	double large;

	if (at + 4 > end ||
	    ((p->class == GW_TRACE_DOUBLE || p->class == GW_TRACE_POINTER || p->class == GW_TRACE_STRING || p->class == GW_TRACE_OTHER) && at + 8 > end) ||
	    (p->class == GW_TRACE_STRUCT && at + p->size > end) || ((p->class == GW_TRACE_INT64 || p->class == GW_TRACE_UINT64) && is_long && at + 8 > end))
		return false;
	memcpy(&four, bytes, 4);
	if (at + 8 <= end)
		memcpy(&eight, bytes, 8);
	switch (p->class) {
	case GW_TRACE_INT32:
	case GW_TRACE_UINT32:
		constant = gw_trace_enum_name(d, p->enumeration, p->class == GW_TRACE_INT32 ? (int64_t)(int32_t)four : (int64_t)four);
		if (constant)
			fprintf(out, "%s%s%s", quote, constant, quote);
		else if (p->class == GW_TRACE_INT32)
			fprintf(out, "%" PRId32, (int32_t)four);
		else
			fprintf(out, "%" PRIu32, four);
		break;
	case GW_TRACE_INT64:
		fprintf(out, "%" PRId64, is_long ? (int64_t)eight : (int64_t)(int32_t)four);
		break;
	case GW_TRACE_UINT64:
		fprintf(out, "%" PRIu64, is_long ? eight : four);
		break;
	case GW_TRACE_INT8:
		fprintf(out, "%d", (int)(int8_t)four);
		break;
	case GW_TRACE_FLOAT:
		memcpy(&real, bytes, 4);
		print_real(out, real, quoted);
		break;
	case GW_TRACE_DOUBLE:
		memcpy(&large, bytes, 8);
		print_real(out, large, quoted);
		break;
	case GW_TRACE_STRUCT:
		fputs(quote, out);
		print_hex(out, bytes, p->size);
		fputs(quote, out);
		break;
	default:
		if (eight)
			fprintf(out, "%s0x%" PRIx64 "%s", quote, eight, quote);
		else
			fprintf(out, "%s", quoted ? "null" : "NULL");
	}
	return true;
}

static void print_pointed(FILE *out, const struct gw_trace_call *call, const struct gw_trace_parameter *p, const char *format)
{
	uint32_t at = p->payload[call->record->flags & GW_TRACE_LONG], size = p->in ? p->in : p->out;

	if (!size || at + size > gw_trace_record_slots(call->record) * 64)
		return;
	fprintf(out, format, p->name);
	print_hex(out, (const unsigned char *)call->record + at, size);
}

void gw_trace_arguments(FILE *out, const struct gw_trace_definitions *d, const struct gw_trace_call *call)
{
	for (uint32_t i = 0; i < call->function->parameter_count; i++) {
		const struct gw_trace_parameter *p = &call->function->parameters[i];

		fputs(i ? ",\"" : "\"", out);
		gw_out_json(out, p->name);
		fputs("\":", out);
		if (!print_value(out, d, call, p, true))
			fputs("null", out);
		if ((p->in || p->out) && p->payload[call->record->flags & GW_TRACE_LONG] + (p->in ? p->in : p->out) <= gw_trace_record_slots(call->record) * 64) {
			print_pointed(out, call, p, ",\"*%s\":\"");
			fputc('"', out);
		}
	}
}

void gw_trace_arguments_text(FILE *out, const struct gw_trace_definitions *d, const struct gw_trace_call *call)
{
	for (uint32_t i = 0; i < call->function->parameter_count; i++) {
		const struct gw_trace_parameter *p = &call->function->parameters[i];

		fprintf(out, "%s%s=", i ? ", " : "", p->name);
		if (!print_value(out, d, call, p, false))
			fputs("?", out);
		print_pointed(out, call, p, ", *%s=");
	}
}
