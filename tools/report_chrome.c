/* SPDX-License-Identifier: Apache-2.0 */
/* Single calls as a Chrome trace ("JSON Array Format" with an object around it), for chrome://tracing, Perfetto and Speedscope. */
#include "report_calls.h"

#include <inttypes.h>
#include "out.h"

static bool any;

static void comma(FILE *out)
{
	fputs(any ? ",\n" : "\n", out);
	any = true;
}

static void begin(FILE *out)
{
	any = false;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
}

/* Processes are numbered: pids of several hosts may be the same. */
static void process(FILE *out, const struct gw_calls_process *p)
{
	uint64_t last = 0;

	comma(out);
	fprintf(out, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"", p->ordinal);
	gw_out_json(out, p->host);
	if (p->rank >= 0)
		fprintf(out, " rank %ld", p->rank);
	fprintf(out, " pid %u ", p->file->head.pid);
	gw_out_json(out, p->program);
	fputs("\"}}", out);
	for (uint32_t i = 0; i < p->index->count; i++) {
		const char *name = gw_calls_thread_name(p, p->index->blocks[i].thread);

		if (i && p->index->blocks[i].thread == last)
			continue;
		last = p->index->blocks[i].thread;
		comma(out);
		fprintf(out, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%" PRIu64 ",\"name\":\"thread_name\",\"args\":{\"name\":\"", p->ordinal, last);
		gw_out_json(out, name ? name : "thread");
		fprintf(out, " %u\"}}", p->index->blocks[i].tid);
	}
}

static void record(FILE *out, const struct gw_calls_process *p, const struct gw_calls_record *r)
{
	const struct gw_trace_call *call = &r->call;

	comma(out);
	fprintf(out, "{\"ph\":\"%s\",\"pid\":%u,\"tid\":%" PRIu64 ",\"ts\":%.3f,", r->mark ? "i" : "X", p->ordinal, r->thread, (double)(r->time - p->base) / 1000);
	if (r->mark) {
		fputs("\"s\":\"t\",\"name\":\"", out);
		gw_out_json(out, gw_calls_mark_text(p, r->mark_number));
		fputs("\"}", out);
		return;
	}
	fprintf(out, "\"dur\":%.3f,\"cat\":\"", (double)r->ns / 1000);
	gw_out_json(out, call->family);
	fputs("\",\"name\":\"", out);
	gw_out_json(out, call->name);
	fprintf(out, "\",\"args\":{\"record\":%" PRIu64 ",\"result\":\"", r->number);
	gw_out_json(out, call->result);
	fputs("\",\"caller\":\"", out);
	gw_out_json(out, call->caller);
	fputc('"', out);
	if (call->shape) {
		fputs(",\"shape\":\"", out);
		gw_out_json(out, call->shape->text);
		fputc('"', out);
	}
	if (call->record->flags & GW_TRACE_GPU)
		fprintf(out, ",\"gpu_ns\":%" PRIu64, call->extra.gpu);
	fputs(",\"arguments\":{", out);
	gw_trace_arguments(out, p->definitions, call);
	fputs("}}}", out);
}

static void end(FILE *out)
{
	fputs("\n]}\n", out);
}

const struct gw_calls_writer gw_calls_chrome = {begin, process, record, end};
