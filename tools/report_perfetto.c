/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single calls as a Perfetto trace: the few messages of its schema (protos/perfetto/trace) that slices on tracks take, encoded by hand.
 * Times are ns since the first trace began.
 */
#include "report_calls.h"

#include <string.h>

/* Numbers of the schema's members: its own names, with the message before. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_TRACK_DESCRIPTOR = 60,
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	PROCESS_PID = 1, PROCESS_NAME = 6,
	THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,
	EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23,
	ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10,
	TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3,
	SEQUENCE = 1,		/* any number but 0: who wrote the packets */
};

struct message {		/* what does not fit is left out: strings are cut before */
	unsigned char bytes[8192];
	size_t size;
};

static void byte(struct message *m, unsigned value)
{
	if (m->size < sizeof(m->bytes))
		m->bytes[m->size++] = (unsigned char)value;
}

static void varint(struct message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		byte(m, (unsigned)(value & 0x7f) | 0x80);
	byte(m, (unsigned)value);
}

static void number(struct message *m, unsigned field, uint64_t value)
{
	varint(m, (uint64_t)field << 3);
	varint(m, value);
}

static void bytes(struct message *m, unsigned field, const void *data, size_t size)
{
	varint(m, (uint64_t)field << 3 | 2);
	varint(m, size);
	if (size > sizeof(m->bytes) - m->size)
		size = sizeof(m->bytes) - m->size;
	memcpy(m->bytes + m->size, data, size);
	m->size += size;
}

/* Strings of a schema are UTF-8: other bytes become '?'. */
static void string(struct message *m, unsigned field, const char *text)
{
	char copy[1024];
	size_t length = strlen(text), at = 0;

	for (size_t i = 0; i < length && at < sizeof(copy); i++)
		copy[at++] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	bytes(m, field, copy, at);
}

static void packet(FILE *out, const struct message *m)
{
	struct message head = {.size = 0};

	varint(&head, TRACE_PACKET << 3 | 2);
	varint(&head, m->size);
	fwrite(head.bytes, 1, head.size, out);
	fwrite(m->bytes, 1, m->size, out);
}

static uint64_t track(const struct gw_calls_process *p, uint64_t thread)
{
	return (uint64_t)p->ordinal << 32 | (thread & 0xffffffff);
}

static void describe(FILE *out, uint64_t uuid, uint64_t parent, unsigned field, const struct message *what)
{
	struct message m = {.size = 0}, descriptor = {.size = 0};

	number(&descriptor, TRACK_UUID, uuid);
	if (parent)
		number(&descriptor, TRACK_PARENT, parent);
	bytes(&descriptor, field, what->bytes, what->size);
	number(&m, PACKET_SEQUENCE, SEQUENCE);
	bytes(&m, PACKET_TRACK_DESCRIPTOR, descriptor.bytes, descriptor.size);
	packet(out, &m);
}

static void process(FILE *out, const struct gw_calls_process *p)
{
	struct message what = {.size = 0};
	char name[600], rank[32] = "";
	uint64_t last = 0;

	if (p->rank >= 0)
		snprintf(rank, sizeof(rank), " rank %ld", p->rank);
	snprintf(name, sizeof(name), "%.200s%s pid %u %.200s", p->host, rank, p->file->head.pid, p->program);
	/* numbered: pids of several hosts may be the same */
	number(&what, PROCESS_PID, p->ordinal);
	string(&what, PROCESS_NAME, name);
	describe(out, track(p, 0), 0, TRACK_PROCESS, &what);
	for (uint32_t i = 0; i < p->index->count; i++) {
		const struct gw_trace_index_entry *block = &p->index->blocks[i];
		const char *thread = gw_calls_thread_name(p, block->thread);

		if (i && block->thread == last)
			continue;
		last = block->thread;
		what.size = 0;
		number(&what, THREAD_PID, p->ordinal);
		number(&what, THREAD_TID, (uint64_t)p->ordinal * 1000000 + (block->thread & 0xfffff));
		snprintf(name, sizeof(name), "%.100s %u", thread ? thread : "thread", block->tid);
		string(&what, THREAD_NAME, name);
		describe(out, track(p, block->thread), track(p, 0), TRACK_THREAD, &what);
	}
}

static void annotate(struct message *event, const char *name, const char *value)
{
	struct message annotation = {.size = 0};

	string(&annotation, ANNOTATION_NAME, name);
	string(&annotation, ANNOTATION_STRING, value);
	bytes(event, EVENT_ANNOTATION, annotation.bytes, annotation.size);
}

static void annotate_number(struct message *event, const char *name, uint64_t value)
{
	struct message annotation = {.size = 0};

	string(&annotation, ANNOTATION_NAME, name);
	number(&annotation, ANNOTATION_UINT, value);
	bytes(event, EVENT_ANNOTATION, annotation.bytes, annotation.size);
}

static void emit(FILE *out, uint64_t time, const struct message *event)
{
	struct message m = {.size = 0};

	number(&m, PACKET_TIMESTAMP, time);
	number(&m, PACKET_SEQUENCE, SEQUENCE);
	bytes(&m, PACKET_TRACK_EVENT, event->bytes, event->size);
	packet(out, &m);
}

static void record(FILE *out, const struct gw_calls_process *p, const struct gw_calls_record *r)
{
	const struct gw_trace_call *call = &r->call;
	uint64_t time = r->time > p->base ? (uint64_t)(r->time - p->base) : 0;
	struct message event = {.size = 0};

	number(&event, EVENT_TYPE, r->mark ? TYPE_INSTANT : TYPE_BEGIN);
	number(&event, EVENT_TRACK, track(p, r->thread));
	string(&event, EVENT_NAME, r->mark ? gw_calls_mark_text(p, r->mark_number) : call->name);
	if (r->mark) {
		emit(out, time, &event);
		return;
	}
	string(&event, EVENT_CATEGORY, call->family);
	annotate_number(&event, "record", r->number);
	annotate(&event, "result", call->result);
	annotate(&event, "caller", call->caller);
	if (call->shape)
		annotate(&event, "shape", call->shape->text);
	if (call->record->flags & GW_TRACE_GPU)
		annotate_number(&event, "gpu_ns", call->extra.gpu);
	emit(out, time, &event);
	event.size = 0;
	number(&event, EVENT_TYPE, TYPE_END);
	number(&event, EVENT_TRACK, track(p, r->thread));
	emit(out, time + r->ns, &event);
}

const struct gw_calls_writer gw_calls_perfetto = {.process = process, .record = record};
