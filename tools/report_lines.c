/* SPDX-License-Identifier: Apache-2.0 */
/* Single calls as JSON lines, CSV and text (docs/report.md has the members and columns). */
#include "report_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "out.h"

static void text(FILE *out, const char *member, const char *value)
{
	fprintf(out, ",\"%s\":", member);
	if (value) {
		fputc('"', out);
		gw_out_json(out, value);
		fputc('"', out);
	} else {
		fputs("null", out);
	}
}

static void jsonl_record(FILE *out, const struct gw_calls_process *process, const struct gw_calls_record *record)
{
	const struct gw_trace_call *call = &record->call;
	char site[400];

	fprintf(out, "{\"kind\":\"%s\"", record->mark ? "mark" : "call");
	text(out, "host", process->host);
	if (process->rank >= 0)
		fprintf(out, ",\"rank\":%ld", process->rank);
	else
		fputs(",\"rank\":null", out);
	fprintf(out, ",\"pid\":%u,\"tid\":%u,\"thread\":%" PRIu64 ",\"record\":%" PRIu64 ",\"time_ns\":%" PRId64, process->file->head.pid, record->tid, record->thread,
		record->number, record->time);
	if (record->mark) {
		text(out, "text", gw_calls_mark_text(process, record->mark_number));
		fputs("}\n", out);
		return;
	}
	if (record->ns)
		fprintf(out, ",\"ns\":%" PRIu64, record->ns);
	else
		fputs(",\"ns\":null", out);
	if (call->record->flags & GW_TRACE_GPU)
		fprintf(out, ",\"gpu_ns\":%" PRIu64, call->extra.gpu);
	else
		fputs(",\"gpu_ns\":null", out);
	text(out, "function", call->name);
	text(out, "family", call->family);
	fputs(",\"arguments\":{", out);
	gw_trace_arguments(out, process->definitions, call);
	fputc('}', out);
	text(out, "result", *call->result ? call->result : NULL);
	fprintf(out, ",\"failed\":%s,\"nested\":%s", call->failed ? "true" : "false", call->record->flags & GW_TRACE_NESTED ? "true" : "false");
	text(out, "caller", call->caller);
	text(out, "shape", call->shape ? call->shape->text : NULL);
	if (call->record->flags & GW_TRACE_REDIRECTED)
		fprintf(out, ",\"redirect\":%" PRIu64, call->extra.redirect);
	if (call->stack) {
		fputs(",\"stack\":[", out);
		for (uint32_t i = 0; i < call->stack->count; i++) {
			gw_report_site(process->definitions, call->stack->frames[i], site, sizeof(site));
			fprintf(out, "%s\"", i ? "," : "");
			gw_out_json(out, site);
			fputc('"', out);
		}
		fputc(']', out);
	}
	fputs("}\n", out);
}

static void csv_begin(FILE *out)
{
	fputs("host,rank,pid,tid,thread,record,time_ns,ns,gpu_ns,function,family,result,failed,nested,caller,shape,arguments\n", out);
}

static void csv_record(FILE *out, const struct gw_calls_process *process, const struct gw_calls_record *record)
{
	const struct gw_trace_call *call = &record->call;
	char *arguments = NULL, rank[24] = "", ns[24] = "", gpu[24] = "";
	size_t size = 0;
	FILE *memory;

	if (record->mark)
		return;
	if (process->rank >= 0)
		snprintf(rank, sizeof(rank), "%ld", process->rank);
	if (record->ns)
		snprintf(ns, sizeof(ns), "%" PRIu64, record->ns);
	if (call->record->flags & GW_TRACE_GPU)
		snprintf(gpu, sizeof(gpu), "%" PRIu64, call->extra.gpu);
	gw_out_csv(out, process->host);
	fprintf(out, ",%s,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%s,%s,", rank, process->file->head.pid, record->tid, record->thread, record->number,
		record->time, ns, gpu);
	gw_out_csv(out, call->name);
	fprintf(out, ",%s,%s,%d,%d,", call->family, call->result, call->failed, (call->record->flags & GW_TRACE_NESTED) != 0);
	gw_out_csv(out, call->caller);
	fputc(',', out);
	gw_out_csv(out, call->shape ? call->shape->text : "");
	fputc(',', out);
	memory = open_memstream(&arguments, &size);
	if (memory) {
		fputc('{', memory);
		gw_trace_arguments(memory, process->definitions, call);
		fputc('}', memory);
		fclose(memory);
		gw_out_csv(out, arguments);
	}
	free(arguments);
	fputc('\n', out);
}

static void text_process(FILE *out, const struct gw_calls_process *process)
{
	fprintf(out, "%s pid %u %s", process->host, process->file->head.pid, process->program);
	if (process->rank >= 0)
		fprintf(out, " rank %ld", process->rank);
	fputc('\n', out);
}

static void text_record(FILE *out, const struct gw_calls_process *process, const struct gw_calls_record *record)
{
	const struct gw_trace_call *call = &record->call;

	fprintf(out, "%10" PRIu64 " %14.6f ms %6u ", record->number, (double)(record->time - process->base) / 1e6, record->tid);
	if (record->mark) {
		fprintf(out, "-- %s\n", gw_calls_mark_text(process, record->mark_number));
		return;
	}
	fprintf(out, "%s%s(", call->record->flags & GW_TRACE_NESTED ? "  " : "", call->name);
	gw_trace_arguments_text(out, process->definitions, call);
	fprintf(out, ") = %s", *call->result ? call->result : "void");
	if (record->ns)
		fprintf(out, ", %" PRIu64 " ns", record->ns);
	if (call->record->flags & GW_TRACE_GPU)
		fprintf(out, ", %" PRIu64 " ns on the device", call->extra.gpu);
	if (call->shape)
		fprintf(out, ", %s", call->shape->text);
	fprintf(out, ", from %s\n", call->caller);
}

const struct gw_calls_writer gw_calls_jsonl = {.record = jsonl_record};
const struct gw_calls_writer gw_calls_csv = {.begin = csv_begin, .record = csv_record};
const struct gw_calls_writer gw_calls_text = {.process = text_process, .record = text_record};
