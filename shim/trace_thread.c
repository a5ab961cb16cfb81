/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and records of one thread. Whatever a signal's handler may also do on the same thread is one instruction: adding to a counter, taking room for
 * a record. Where that is not enough, trace_busy says that a handler came in between, which then counts for all threads and records nothing.
 */
#include "trace_life.h"

#include <errno.h>
#include <string.h>

#include "binding.h"
#include "objects.h"
#include "process.h"
#include "thread.h"

#define LOAD(member) __atomic_load_n(&(member), __ATOMIC_RELAXED)
#define STORE(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELAXED)
#define CHEAP_SKIPS 63u		/* of 64 cheap calls one is timed */

/* Of a thread for which there is no block of its own: matches no function. */
static struct gw_trace_count nobodys[GW_TRACE_SLOTS] = { [0 ... GW_TRACE_SLOTS - 1] = { .fn = 0xffff } };

static inline void add(uint64_t *counter, uint64_t value)
{
	__asm__("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

static inline unsigned char *take_room(struct gw_thread *thread, uint64_t bytes)
{
	__asm__("xaddq %0, %1" : "+r"(bytes), "+m"(thread->trace_next) : : "cc");
	return (unsigned char *)bytes;
}

/* The slot with that index in one of the tables that all threads share; NULL: there is no block for it. */
static struct gw_trace_count *shared_slot(_Atomic(struct gw_trace_block *) *table, uint32_t index)
{
	_Atomic(struct gw_trace_block *) *place = &table[index / (GW_TRACE_SLOTS - 1)];
	struct gw_trace_block *block = atomic_load_explicit(place, memory_order_acquire), *other = NULL;

	if (!block) {
		block = gw_trace_file_claim(GW_TRACE_COUNTS, 0, 0, 0, 0);
		if (!block)
			return NULL;
		if (!atomic_compare_exchange_strong(place, &other, block))
			block = other;		/* ours stays empty */
	}
	return (struct gw_trace_count *)block + 1 + index % (GW_TRACE_SLOTS - 1);
}

void gw_trace_share(void)
{
	uint32_t fn;

	for (fn = 0; fn < GW_FN_COUNT; fn += GW_TRACE_SLOTS - 1)
		shared_slot(gw_trace_life.shared, fn);
}

static struct gw_trace_count *for_all(struct gw_call *call)
{
	struct gw_trace_count *slot = shared_slot(gw_trace_life.shared, call->fn);

	call->flags |= GW_CALL_SHARED;
	if (slot)
		__atomic_store_n(&slot->fn, (uint16_t)call->fn, __ATOMIC_RELAXED);
	return slot;
}

/* A block of counts for this thread, and its number. */
static void begin_thread(struct gw_thread *thread)
{
	uint32_t tid = (uint32_t)gw_process_tid();
	struct gw_trace_block *block;
	uint64_t number;

	thread->trace_next = thread->trace_end = NULL;
	thread->trace_epoch = atomic_load(&gw_trace_life.epoch);
	block = gw_trace_file_inherit(tid);
	if (!block) {
		number = atomic_fetch_add(&gw_trace_life.threads, 1) + 1;
		block = gw_trace_file_claim(GW_TRACE_COUNTS, tid, number, 0, 0);
	}
	thread->trace_counts = block ? (struct gw_trace_count *)block : nobodys;
}

static void define(struct gw_call *call)
{
	struct gw_binding *binding = (struct gw_binding *)(uintptr_t)call->binding;

	if (!atomic_load_explicit(&gw_trace_life.functions[call->fn], memory_order_relaxed))
		gw_trace_define_function(call->fn);
	if (atomic_load_explicit(&binding->traced, memory_order_relaxed) != atomic_load_explicit(&gw_trace_life.epoch, memory_order_relaxed))
		gw_trace_define_library(binding);
}

/* The slot of a function that this thread calls for the first time; or one of all threads' */
static __attribute__((noinline, cold)) struct gw_trace_count *find_slot(struct gw_call *call)
{
	struct gw_thread *thread = &gw_thread;
	struct gw_trace_count *slot = NULL;
	uint32_t i;
	int error = errno;

	if (!gw_trace_ready())
		return NULL;
	if (thread->trace_busy) {
		slot = for_all(call);
		errno = error;
		return slot;
	}
	thread->trace_busy = 1;
	if (!thread->trace_counts || thread->trace_epoch != atomic_load_explicit(&gw_trace_life.epoch, memory_order_relaxed))
		begin_thread(thread);
	define(call);
	gw_trace_define_level();
	for (i = 0; call->fn && thread->trace_counts != nobodys && i < GW_TRACE_SLOTS - 1; i++) {
		uint16_t none = 0;

		slot = &thread->trace_counts[1 + (call->fn - 1 + i) % (GW_TRACE_SLOTS - 1)];
		if (LOAD(slot->fn) == call->fn ||
		    __atomic_compare_exchange_n(&slot->fn, &none, (uint16_t)call->fn, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			goto found;
	}
	slot = for_all(call);	/* more functions than a block has room for; and number 0, which looks like an empty slot */
found:
	thread->trace_busy = 0;
	errno = error;
	return slot;
}

void gw_trace_enter(struct gw_call *call, uint8_t level, struct gw_object *object)
{
	struct gw_thread *thread = &gw_thread;
	uint32_t epoch = atomic_load_explicit(&gw_trace_life.epoch, memory_order_acquire);
	struct gw_trace_count *slot = NULL;
	uint16_t skip;

	if (__builtin_expect(thread->trace_epoch == epoch && thread->trace_counts != NULL, 1)) {
		slot = &thread->trace_counts[1 + (call->fn - 1) % (GW_TRACE_SLOTS - 1)];
		if (__builtin_expect(LOAD(slot->fn) != call->fn || !call->fn, 0))
			slot = NULL;
	}
	if (__builtin_expect(!slot, 0)) {
		slot = find_slot(call);
		if (!slot)
			return;
	}
	call->slot = slot;
	call->flags |= GW_CALL_TRACE;
	if (level & GW_CONTROL_SAMPLE) {
		uint16_t every = atomic_load_explicit(&gw_trace_control.every[call->fn], memory_order_relaxed);

		/* Full period, and no rhythm that a program's own could meet. */
		thread->trace_chance = (uint16_t)(thread->trace_chance * 25173u + 13849u);
		if (every > 1 && (uint32_t)thread->trace_chance * every >> 16)
			level &= (uint8_t)~(GW_CONTROL_RECORD | GW_CONTROL_TIME);
	}
	skip = LOAD(slot->skip);
	call->counted = !skip;
	if (skip)
		STORE(slot->skip, (uint16_t)(skip - 1));
	if (!skip || level & GW_CONTROL_TIME)
		call->flags |= GW_CALL_TIMED;
	if (level & GW_CONTROL_RECORD) {
		uint8_t family = gw_functions[call->fn].family;

		call->flags |= GW_CALL_RECORD;
		if (object && __builtin_expect(atomic_load_explicit(&object->traced[family], memory_order_relaxed) != epoch, 0))
			gw_trace_define_object(object, call->binding);
	}
	call->shape = 0;
	if (call->flags & (GW_CALL_RECORD | GW_CALL_TIMED))
		call->stamp = gw_trace_now();
}

/*
 * Returns how many calls this one stands for: itself, and those since the last one that was counted with its time. The block may be another
 * thread's that is gone; that it is gone the kernel says, which race detectors do not hear: hence atomics, though there is one writer.
 */
static uint64_t count_time(struct gw_trace_count *slot, uint64_t ticks, uint64_t end)
{
	uint32_t limit = atomic_load_explicit(&gw_trace_life.microsecond, memory_order_relaxed), average = LOAD(slot->average), shortest = LOAD(slot->shortest);
	bool known = LOAD(slot->timed) != 0;
	uint64_t weight = known && average < limit ? CHEAP_SKIPS + 1u : 1;
	uint32_t cut = ticks < UINT32_MAX / 2 ? (uint32_t)ticks : UINT32_MAX / 2;

	add(&slot->timed, 1);
	add(&slot->ticks, ticks * weight);
	STORE(slot->latest, end);
	if (ticks > LOAD(slot->longest))
		STORE(slot->longest, ticks);
	if (!shortest || cut + 1 < shortest)
		STORE(slot->shortest, cut + 1);
	average = known ? (uint32_t)((average * UINT64_C(7) + cut) / 8) : cut;
	STORE(slot->average, average);
	STORE(slot->skip, (uint16_t)(average < limit ? CHEAP_SKIPS : 0));
	return weight;
}

static void raise(uint64_t *most, uint64_t value)
{
	uint64_t known = __atomic_load_n(most, __ATOMIC_RELAXED);

	while (known < value && !__atomic_compare_exchange_n(most, &known, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* In a slot of all threads'. Each is timed that was asked for. */
static void count_for_all(struct gw_trace_count *slot, const struct gw_call *call, bool failed, uint64_t weight)
{
	uint64_t ticks = call->end - call->stamp;
	uint32_t shortest = __atomic_load_n(&slot->shortest, __ATOMIC_RELAXED);
	uint32_t cut = ticks < UINT32_MAX - 1 ? (uint32_t)ticks + 1 : UINT32_MAX;

	__atomic_fetch_add(&slot->calls, 1, __ATOMIC_RELAXED);
	if (failed)
		__atomic_fetch_add(&slot->failures, 1, __ATOMIC_RELAXED);
	if (!call->counted)
		return;
	__atomic_fetch_add(&slot->timed, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&slot->ticks, ticks * weight, __ATOMIC_RELAXED);
	raise(&slot->longest, ticks);
	raise(&slot->latest, call->end);
	while ((!shortest || cut < shortest) && !__atomic_compare_exchange_n(&slot->shortest, &shortest, cut, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void count_shape(const struct gw_call *call, bool failed, uint64_t weight)
{
	struct gw_trace_count *slot = shared_slot(gw_trace_life.shaped, call->shape);

	if (!slot)
		return;
	__atomic_store_n(&slot->fn, (uint16_t)call->fn, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->shape, call->shape, __ATOMIC_RELAXED);
	count_for_all(slot, call, failed, weight);
}

void gw_trace_count(struct gw_call *call, bool failed)
{
	struct gw_trace_count *slot = call->slot;
	uint64_t weight = 1;

	if (__builtin_expect(call->flags & GW_CALL_SHARED, 0)) {
		count_for_all(slot, call, failed, 1);
	} else {
		add(&slot->calls, 1);
		if (failed)
			add(&slot->failures, 1);
		if (call->counted)
			weight = count_time(slot, call->end - call->stamp, call->end);
	}
	if (call->shape)
		count_shape(call, failed, weight);
}

static uint64_t records_until(const struct gw_trace_block *block)
{
	const uint64_t *slot = (const uint64_t *)block;
	uint64_t count = 0;
	uint32_t at, slots;

	for (at = 1; at < GW_TRACE_SLOTS; at += slots) {
		uint64_t mark = slot[(size_t)at * 8];
		bool there = (uint16_t)mark == block->generation;

		slots = there && mark >> 16 & 0xff ? mark >> 16 & 0xff : 1;
		count += there;
	}
	return count;
}

/* The first record of this thread, or its block is full: the room in another one. */
static __attribute__((noinline, cold)) unsigned char *take_block(uint32_t bytes)
{
	struct gw_thread *thread = &gw_thread;
	struct gw_trace_block *block = NULL;
	uint64_t number, sequence = 0, first = 0;
	unsigned char *room = NULL;
	uint32_t tid;
	int error = errno;

	if (thread->trace_busy || !gw_trace_life.head || gw_trace_life.head->stopped == GW_TRACE_STOP_SPACE || gw_trace_life.head->stopped == GW_TRACE_STOP_LIMIT) {
		gw_trace_file_drop();
		return NULL;
	}
	thread->trace_busy = 1;
	if (thread->trace_end) {
		block = (struct gw_trace_block *)(thread->trace_end - GW_TRACE_BLOCK);
		number = block->thread;
		sequence = block->sequence + 1;
		first = block->first + records_until(block);
		tid = block->tid;
		thread->trace_next = thread->trace_end;
		__atomic_store_n(&block->owner, 0, __ATOMIC_RELEASE);
	} else {
		tid = (uint32_t)gw_process_tid();
		number = thread->trace_counts && thread->trace_counts != nobodys &&
					 ((struct gw_trace_block *)thread->trace_counts)->tid == tid ?
				 ((struct gw_trace_block *)thread->trace_counts)->thread :
				 atomic_fetch_add(&gw_trace_life.threads, 1) + 1;
	}
	block = gw_trace_file_claim(GW_TRACE_RECORDS, tid, number, sequence, first);
	if (block) {
		gw_trace_define_level();
		if (!sequence)
			gw_trace_define_thread(number, tid);
		thread->trace_end = (unsigned char *)block + GW_TRACE_BLOCK;
		room = (unsigned char *)block + sizeof(*block);
		thread->trace_next = room + bytes;
	} else {
		thread->trace_next = thread->trace_end = NULL;	/* its next blocks are another thread's in the file */
		gw_trace_file_drop();
	}
	thread->trace_busy = 0;
	errno = error;
	return room;
}

static inline unsigned char *find_room(uint32_t slots)
{
	struct gw_thread *thread = &gw_thread;
	uint64_t bytes = (uint64_t)slots * 64;
	unsigned char *room = take_room(thread, bytes);

	if (__builtin_expect(room + bytes > thread->trace_end, 0))
		return take_block((uint32_t)bytes);
	return room;
}

unsigned char *gw_trace_claim(struct gw_call *call, uint32_t length, uint64_t result)
{
	uint64_t ticks = call->flags & GW_CALL_TIMED ? call->end - call->stamp : 0;
	uint32_t flags = call->shape ? GW_TRACE_SHAPE : 0, extra = call->shape ? 8 : 0, slots, i;
	struct gw_trace_record *record;
	unsigned char *to;

	if (call->flags & GW_CALL_TIMED && !ticks)
		ticks = 1;
	if (__builtin_expect(ticks >= UINT32_MAX, 0)) {
		flags |= GW_TRACE_SLOW;
		extra += 8;
	}
	if (__builtin_expect(result > UINT16_MAX, 0)) {
		flags |= GW_TRACE_STATUS;
		extra += 8;
	}
	slots = (32 + length + extra + 63) / 64;
	record = (struct gw_trace_record *)find_room(slots);
	if (!record)
		return NULL;
	record->start = call->stamp;
	record->duration = flags & GW_TRACE_SLOW ? UINT32_MAX : (uint32_t)ticks;
	record->fn = (uint16_t)call->fn;
	record->flags = (uint16_t)flags;
	record->caller = ((uintptr_t)call->caller & UINT64_C(0xffffffffffff)) | result << 48;
	for (i = 0; i < 4; i++)
		record->words[i] = 0;
	for (i = 8; i < slots * 8; i++)
		((uint64_t *)record)[i] = 0;
	if (__builtin_expect(flags, 0)) {
		to = (unsigned char *)record->words + length;
		if (flags & GW_TRACE_SHAPE) {
			gw_trace_put_8(to, call->shape);
			to += 8;
		}
		if (flags & GW_TRACE_SLOW) {
			gw_trace_put_8(to, ticks);
			to += 8;
		}
		if (flags & GW_TRACE_STATUS)
			gw_trace_put_8(to, result);
	}
	return (unsigned char *)record->words;
}

static inline void publish(uint64_t *record, uint32_t slots, uint32_t kind)
{
	const struct gw_trace_block *block = (const struct gw_trace_block *)(gw_thread.trace_end - GW_TRACE_BLOCK);
	uint32_t low = block->generation | slots << 16 | kind << 24;
	uint32_t check = __builtin_expect(slots == 1, 1) ? gw_trace_check_words(low, record + 1, 7) : gw_trace_check_words(low, record + 1, slots * 8 - 1);

	__atomic_store_n(record, (uint64_t)check << 32 | low, __ATOMIC_RELEASE);
}

void gw_trace_publish(struct gw_call *call, unsigned char *to, uint32_t length)
{
	uint64_t *record = (uint64_t *)(to - offsetof(struct gw_trace_record, words));
	uint32_t flags = ((struct gw_trace_record *)record)->flags;

	(void)call;
	if (__builtin_expect(flags, 0))
		length += 8 * (uint32_t)__builtin_popcount(flags & (GW_TRACE_SHAPE | GW_TRACE_SLOW | GW_TRACE_STATUS));
	publish(record, (32 + length + 63) / 64, GW_TRACE_CALL);
}

void gw_trace_mark(uint32_t mark)
{
	struct gw_trace_record *record;
	unsigned i;

	if (!gw_thread.trace_end || gw_thread.trace_epoch != atomic_load(&gw_trace_life.epoch))
		return;		/* it has no records that a mark could stand among */
	if (gw_trace_life.head->stopped == GW_TRACE_STOP_SPACE || gw_trace_life.head->stopped == GW_TRACE_STOP_LIMIT)
		return;		/* and it will have no more: a mark is no call that was dropped */
	record = (struct gw_trace_record *)find_room(1);
	if (!record)
		return;
	for (i = 1; i < 8; i++)
		((uint64_t *)record)[i] = 0;
	record->start = gw_trace_now();
	record->words[0] = mark;
	publish((uint64_t *)record, 1, GW_TRACE_MARK);
}

/* Bytes of an argument in a record with GW_TRACE_LONG. */
static uint32_t long_size(const struct gw_parameter *parameter)
{
	switch (parameter->class) {
	case GW_CLASS_INT32:
	case GW_CLASS_UINT32:
	case GW_CLASS_INT8:
	case GW_CLASS_FLOAT:
		return 4;
	case GW_CLASS_STRUCT:
		return ((uint32_t)parameter->size + 3) / 4 * 4;
	default:
		return 8;
	}
}

void gw_trace_long(struct gw_call *call, const union gw_value *values, uint64_t result)
{
	const struct gw_function *function = &gw_functions[call->fn];
	const struct gw_trace_content *content, *first;
	uint32_t length = 0;
	unsigned char *to;
	unsigned i;

	for (i = 0; i < function->parameter_count; i++)
		length += long_size(&gw_parameters[function->parameters + i]);
	for (first = gw_trace_contents; first->fn < call->fn; first++)
		;
	for (content = first; content->fn == call->fn; content++)
		length += content->bytes;
	to = gw_trace_claim(call, length, result);
	if (!to)
		return;
	((struct gw_trace_record *)(to - offsetof(struct gw_trace_record, words)))->flags |= GW_TRACE_LONG;
	length = 0;
	for (i = 0; i < function->parameter_count; i++) {
		const struct gw_parameter *parameter = &gw_parameters[function->parameters + i];
		float narrow = (float)values[i].d;

		if (parameter->class == GW_CLASS_FLOAT)
			memcpy(to + length, &narrow, 4);
		else if (long_size(parameter) == 4)
			gw_trace_put_4(to + length, (uint32_t)values[i].i);
		else if (parameter->class != GW_CLASS_STRUCT)
			gw_trace_put_8(to + length, (uint64_t)values[i].i);
		length += long_size(parameter);
	}
	for (content = first; content->fn == call->fn; content++) {
		if (values[content->parameter].p && !(function->returns_status && result))
			gw_trace_copy(to + length, values[content->parameter].p,
				      content->size == 255 ? content->bytes : (size_t)values[content->size].i, content->bytes);
		length += content->bytes;
	}
	gw_trace_publish(call, to, length);
}
