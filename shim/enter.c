/* SPDX-License-Identifier: Apache-2.0 */
/* See call.h: what happens before and after each intercepted call. The fast path takes no lock, allocates nothing, makes no system call. */
#include "call.h"

#include <errno.h>
#include <stddef.h>

#include "absent.h"
#include "binding.h"
#include "counts.h"
#include "crash_release.h"
#include "crash_trail.h"
#include "finding.h"
#include "line.h"
#include "log.h"
#include "objects.h"
#include "process.h"
#include "release.h"
#include "settings.h"
#include "thread.h"
#include "trace.h"

/* gw_call.nested */
enum { OUTERMOST, NESTED, PASSING };

static void tell_absent(const struct gw_binding *binding, uint32_t fn)
{
	char text[1024], remedy[256];
	struct gw_line line;

	if (!binding->loaded && atomic_load(&binding->told))
		return;
	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(fn));
	if (binding->loaded) {
		gw_line_text(&line, " does not exist in ");
		gw_line_text(&line, binding->path);
		if (binding->loaded_release) {
			gw_line_text(&line, " (");
			gw_line_text(&line, gw_families[binding->family].name);
			gw_line_char(&line, ' ');
			gw_line_text(&line, binding->loaded_release->version);
			gw_line_text(&line, " or near it)");
		}
		gw_line_text(&line, gw_functions[fn].returns_status ? "; the program was told 'not supported'" : "; it was answered 0");
	} else {
		gw_line_text(&line, " was called, but no mapped library defines it");
	}
	line.text[line.length] = 0;
	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_release_remedy(&line, GW_FINDING_ABSENT, fn);
	line.text[line.length] = 0;
	if (binding->loaded)
		gw_finding_tell(GW_FINDING_ABSENT, gw_function_name(fn), text, remedy);
	else
		gw_finding_tell(GW_FINDING_NO_PROVIDER, gw_function_name(fn), text, NULL);
}

static void *stand_in(struct gw_call *call, const struct gw_binding *binding, uint32_t fn)
{
	const struct gw_function *function = &gw_functions[fn];

	call->absent = 1;	/* told when the call ends: a `via` function may know the answer all the same */
	gw_thread.absent = function->returns_status ? binding->refuse : 0;
	return gw_absent_function(function->result_class);
}

static __attribute__((noinline)) void *find_out(struct gw_call *call, uint32_t fn, const void *caller)
{
	struct gw_thread *thread = &gw_thread;
	uintptr_t here = (uintptr_t)call;
	uint32_t origin = thread->origin;
	int error = errno;
	struct gw_object *object = NULL, *from = NULL;
	struct gw_binding *binding;
	uint8_t traced = GW_CONTROL_OFF;
	void *target;

	thread->origin = 0;
	call->fn = fn;
	call->caller = caller;
	call->flags = 0;
	call->absent = 0;
	/* A longjmp or exception left calls behind: their frames lay where ours is, or deeper, so none of them is still running. */
	if (thread->depth && here >= thread->outermost)
		thread->depth = 0;
	call->nested = thread->depth ? NESTED : OUTERMOST;
	if (call->nested == OUTERMOST) {
		traced = gw_trace_level(fn);
		if (traced == GW_CONTROL_UNDECIDED)
			traced = gw_trace_decide(fn);
		if (traced > GW_CONTROL_OFF && !gw_trace_ready())
			traced = GW_CONTROL_OFF;
	}
	if (origin) {
		unsigned family = gw_functions[fn].family;

		binding = gw_binding_of_origin(family, origin);
		if (binding->loaded) {
			from = gw_object_of(caller);
			binding = gw_binding_refine(binding, from);
			/* As in gw_binding_for_caller; a vendor's library and what no object holds are looked at each time. */
			if (from->identity && from->role != GW_ROLE_VENDOR)
				atomic_store_explicit(&from->through[family], gw_binding_by_origin(binding, origin), memory_order_release);
		}
	} else {
		object = gw_object_of(caller);
		binding = gw_binding_for_caller(object, fn);
	}
	call->binding = binding;
	target = gw_binding_target(binding, fn);
	/* Whoever names a facade's node is bound to it: what its target lacks is nowhere else, and `via` functions are called often. */
	if (!target && object && !(binding->facade && object->wants[binding->family][0]) && (target = gw_binding_elsewhere(&binding, object, fn)))
		call->binding = binding;
	if (object && (object->role == GW_ROLE_VENDOR || binding->stub))
		call->nested = PASSING;	/* the vendor's own call, or a framework's stub that will call in again */
	if (!target)
		target = stand_in(call, binding, fn);
	if (call->nested != PASSING) {
		if (thread->depth++ == 0)
			thread->outermost = here;
		gw_trail_note(thread, fn, caller);
	}
	if (thread->trail > 0 && call->nested == OUTERMOST && !atomic_load_explicit(&binding->loaded_release, memory_order_relaxed))
		gw_crash_release_ask(binding, fn);
	if (gw_functions[fn].via_always && call->nested == OUTERMOST && !atomic_load_explicit(&binding->asked, memory_order_acquire))
		gw_binding_ask(binding);
	call->flags = (uint8_t)((binding->translate ? GW_CALL_TRANSLATE : 0) | (atomic_load_explicit(&binding->differs, memory_order_relaxed) ? GW_CALL_VIA : 0));
	if ((call->absent && binding->loaded && call->nested != PASSING) || (gw_functions[fn].via_always && call->nested == OUTERMOST))
		call->flags |= GW_CALL_VIA;
	if (call->nested == OUTERMOST) {
		enum gw_log_level level = gw_log_level();

		if (level != GW_LOG_NOTHING)
			call->flags |= GW_CALL_REPORT;
		if (level == GW_LOG_CALLS)
			call->start = gw_process_now();
		if (traced > GW_CONTROL_OFF)
			gw_trace_enter(call, traced, object ? object : from);
	}
	errno = error;
	return target;
}

static inline struct gw_binding *remembered(const struct gw_object *object, unsigned family, uint32_t origin)
{
	uint64_t through = atomic_load_explicit(&((struct gw_object *)(uintptr_t)object)->through[family], memory_order_acquire);

	return through >> GW_THROUGH_SHIFT == origin ? gw_binding_through(through) : NULL;
}

void *gw_enter(struct gw_call *call, uint32_t fn, const void *caller)
{
	const struct gw_function *function = &gw_functions[fn];
	struct gw_thread *thread = &gw_thread;
	const struct gw_object *object = gw_object_known(caller);
	uint32_t origin = __atomic_load_n(&thread->origin, __ATOMIC_RELAXED);
	struct gw_binding *binding = !object ? NULL : origin ? remembered(object, function->family, origin) :
		atomic_load_explicit(&object->bindings[function->family], memory_order_acquire);
	void *target = binding ? atomic_load_explicit(&binding->target[fn], memory_order_acquire) : NULL;
	uint8_t traced = gw_trace_level(fn);

	/*
	 * A caller's second call of a function while nobody watches needs a few loads, and no function that could change errno. Origin and depth
	 * are read one by one: both at once would wait for the store that the last call's end made to the one.
	 */
	if (!target || target == gw_binding_nothing || __atomic_load_n(&thread->depth, __ATOMIC_RELAXED) || object->role == GW_ROLE_VENDOR ||
	    binding->stub || atomic_load_explicit(&gw_log_level_now, memory_order_relaxed) != GW_LOG_NOTHING ||
	    traced == GW_CONTROL_UNDECIDED || (function->via_always && !atomic_load_explicit(&binding->asked, memory_order_acquire)))
		return find_out(call, fn, caller);
	if (origin)
		thread->origin = 0;
	call->binding = binding;
	call->caller = caller;
	call->fn = fn;
	call->flags = (uint8_t)((binding->translate ? GW_CALL_TRANSLATE : 0) |
				(function->via_always || atomic_load_explicit(&binding->differs, memory_order_relaxed) ? GW_CALL_VIA : 0));
	call->nested = OUTERMOST;
	call->absent = 0;
	thread->depth = 1;
	thread->outermost = (uintptr_t)call;
	gw_trail_note(thread, fn, caller);
	if (traced != GW_CONTROL_OFF)
		gw_trace_enter(call, traced, (struct gw_object *)(uintptr_t)object);
	return target;
}

static __attribute__((noinline, cold)) void exit_absent(const struct gw_call *call)
{
	int error = errno;

	tell_absent(call->binding, call->fn);
	errno = error;
}

void gw_exit(struct gw_call *call)
{
	if (__builtin_expect(call->absent, 0))
		exit_absent(call);
	if (call->nested != PASSING && gw_thread.depth)
		gw_thread.depth--;
}

void gw_leave(struct gw_call *call, const union gw_value *values, union gw_value result)
{
	const struct gw_function *function = &gw_functions[call->fn];
	int error = errno;

	if (call->flags & GW_CALL_REPORT) {
		if (gw_log_level() == GW_LOG_CALLS)
			gw_log_call(call, values, result, gw_process_now() - call->start);
		gw_counts_call(call->fn);
		if (function->returns_status && result.i)
			gw_counts_failure(call->fn);
	}
	errno = error;
}

static int32_t translate(const struct gw_numbering *from, const struct gw_numbering *to, int32_t status)
{
	const struct gw_constant *constant = gw_constant_find(from->constants, from->count, status);
	uint32_t i;

	if (constant)
		return to->value_of[from->neutral_of[constant - from->constants]];
	/* A release newer than the database: by class, since the caller knows no such number. */
	for (i = 0; i < to->fold_count; i++)
		if (status >= to->folds[i].first && status <= to->folds[i].last)
			return to->folds[i].value;
	return status;
}

int32_t gw_status_out(const struct gw_call *call, int32_t status)
{
	const struct gw_binding *b = call->binding;

	if (!b->translate || call->absent)
		return status;
	return translate(b->loaded_numbering, b->caller_numbering, status);
}

int32_t gw_status_in(const struct gw_call *call, int32_t status)
{
	const struct gw_binding *b = call->binding;

	/* Within one soname a number means what it meant. */
	return b->translate && b->facade ? translate(b->caller_numbering, b->loaded_numbering, status) : status;
}
