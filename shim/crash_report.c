/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See crash_report.h. All that is said comes from our own records: the loader is not asked, since its lock may be held by whoever crashed.
 * The buffers are static, as an alternate stack may hold few KB; one thread at a time writes.
 */
#include "crash_report.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "binding.h"
#include "call.h"
#include "crash_memory.h"
#include "crash_release.h"
#include "crash_stack.h"
#include "crash_trail.h"
#include "finding.h"
#include "line.h"
#include "log.h"
#include "objects.h"
#include "process.h"
#include "thread.h"

#define REPORTS 4u	/* a process */
#define FRAMES 40u
#define OUTER_FRAMES 8u
#define DEEP 65536u	/* bytes of stack that are looked through */
#define OUTER 4096u	/* and around the call, where it lies further out */

/* What one thread is about; zero where nothing is known. */
struct crash {
	int number;
	const siginfo_t *info;
	uintptr_t pc, sp;
	const struct gw_call *call;	/* the outermost call, which is under way */
	const struct gw_object *at;	/* what the instruction lies in */
};

static _Atomic int32_t writer;	/* the thread that writes; 0: nobody */
static _Atomic uint32_t reports;
static char text[2048], json[24576];
static struct gw_line line, all;
static uintptr_t frames[FRAMES], outer_frames[OUTER_FRAMES];

static const char *name_of(int number)
{
	switch (number) {
	case SIGSEGV: return "SIGSEGV";
	case SIGBUS: return "SIGBUS";
	case SIGABRT: return "SIGABRT";
	case SIGFPE: return "SIGFPE";
	default: return "SIGILL";
	}
}

static void start(void)
{
	gw_line_start(&line, text, sizeof(text));
	gw_line_text(&line, "gangway:   ");
}

/* A whole line to where findings go; the log gets it as a member of a list, without what marks it as ours. */
static void end(void)
{
	const size_t mark = sizeof("gangway:   ") - 1;

	if (all.length + 2 * line.length < sizeof(json) - 8) {	/* a list that is cut would not parse */
		if (all.length)
			gw_line_char(&all, ',');
		gw_line_string(&all, line.text + mark, line.length - mark);
	}
	line.text[line.length++] = '\n';
	gw_finding_write(line.text, line.length);
}

static void object_name(const struct gw_object *object)
{
	gw_line_text(&line, object && object->identity ? *gw_crash_text(object->path) ? gw_crash_text(object->path) : gw_process_program() : "?");
}

static void place(uintptr_t address)
{
	const struct gw_object *object = gw_crash_object_at(address);

	if (object) {
		object_name(object);
		gw_line_char(&line, '+');
		address -= object->image.base ? object->image.base : object->low;
	}
	gw_line_hex(&line, address);
}

/* Is our handler, and the code that was interrupted, on an alternate stack? Then its depth says nothing about frames. */
static bool is_aside(uintptr_t sp)
{
	stack_t now;

	return !sigaltstack(NULL, &now) && now.ss_flags & SS_ONSTACK && sp - (uintptr_t)now.ss_sp < now.ss_size;
}

/* The call that this thread is inside of. What longjmp left behind is told by its place, and by what no call holds. */
static const struct gw_call *call_under_way(uintptr_t sp)
{
	const struct gw_call *call = (const struct gw_call *)gw_thread.outermost;

	if (!gw_thread.depth || !call || (sp >= (uintptr_t)call && !is_aside(sp)))
		return NULL;
	if (!gw_crash_readable(call, sizeof(*call)) || call->fn >= GW_FN_COUNT || !gw_binding_is(call->binding))
		return NULL;
	return call;
}

/* False: no business of ours. */
static bool may_matter(struct crash *crash)
{
	bool fault = crash->info->si_code > 0;	/* else sent, by whomever: the instruction is not to blame */
	bool memory = fault && (crash->number == SIGSEGV || crash->number == SIGBUS);

	crash->call = call_under_way(crash->sp);
	return crash->call || (fault && gw_objects_vendors(crash->pc)) || (memory && gw_objects_vendors((uintptr_t)crash->info->si_addr));
}

static void headline(const struct crash *crash)
{
	if (crash->call) {
		gw_line_text(&line, gw_function_name(crash->call->fn));
		gw_line_text(&line, " of ");
		gw_line_text(&line, crash->call->binding->loaded ? crash->call->binding->path : "no library");
		gw_line_text(&line, ", called by ");
		place((uintptr_t)crash->call->caller);
		gw_line_text(&line, ", was ended by ");
	} else {
		gw_line_text(&line, "outside of any call that was seen, ");
		object_name(crash->at);
		gw_line_text(&line, " was ended by ");
	}
	gw_line_text(&line, name_of(crash->number));
	if (crash->info->si_code > 0) {
		gw_line_text(&line, " at address ");
		gw_line_hex(&line, (uintptr_t)crash->info->si_addr);
		if (gw_objects_vendors((uintptr_t)crash->info->si_addr)) {
			gw_line_text(&line, " (");
			place((uintptr_t)crash->info->si_addr);
			gw_line_char(&line, ')');
		}
		gw_line_text(&line, ", code ");
		gw_line_signed(&line, crash->info->si_code);
		gw_line_text(&line, ", in ");
		place(crash->pc);
	} else {
		gw_line_text(&line, crash->number == SIGABRT ? ", which the program or a library raised" : ", which was sent");
	}
	line.text[line.length] = 0;
}

static void tell_calls(void)
{
	const struct gw_trail *trail = gw_thread.trail > 0 ? &gw_trails[gw_thread.trail - 1] : NULL;
	uint32_t i, count = trail ? trail->next : 0;

	if (count > GW_TRAIL_CALLS)
		count = GW_TRAIL_CALLS;
	start();
	gw_line_text(&line, count ? "last calls of this thread, the newest first:" : "no calls of this thread are known");
	end();
	for (i = 1; i <= count; i++) {
		const struct gw_trail_call *call = &trail->calls[(trail->next - i) % GW_TRAIL_CALLS];

		start();
		gw_line_text(&line, "  ");
		gw_line_text(&line, call->fn < GW_FN_COUNT ? gw_function_name(call->fn) : "?");
		gw_line_text(&line, " by ");
		place((uintptr_t)call->caller);
		end();
	}
}

static bool tell_library(const struct gw_object *object, void *data)
{
	const char *release;

	(void)data;
	if (object->role != GW_ROLE_VENDOR && object->role != GW_ROLE_FACADE)
		return true;
	release = gw_crash_release_of(object);
	start();
	gw_line_text(&line, object->role == GW_ROLE_FACADE ? "facade " : "library ");
	object_name(object);
	if (object->family >= 0) {
		gw_line_text(&line, " (");
		gw_line_text(&line, gw_families[object->family].name);
		gw_line_char(&line, ' ');
		gw_line_text(&line, release ? release : "of a release that was not asked for");
		gw_line_char(&line, ')');
	}
	gw_line_text(&line, " at ");
	gw_line_hex(&line, object->low);
	end();
	return true;
}

static void tell_findings(void)
{
	unsigned i;
	bool any = false;

	start();
	gw_line_text(&line, "findings before:");
	for (i = 0; i < GW_FINDING_COUNT; i++)
		if (gw_finding_was_told((enum gw_finding)i)) {
			gw_line_char(&line, ' ');
			gw_line_text(&line, gw_finding_code((enum gw_finding)i));
			any = true;
		}
	if (!any)
		gw_line_text(&line, " none");
	end();
}

static void tell_frames(const uintptr_t *found, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++) {
		start();
		gw_line_text(&line, "  ");
		place(found[i]);
		end();
	}
}

static void tell_stack(const struct crash *crash)
{
	uintptr_t call = (uintptr_t)crash->call;
	unsigned count = gw_crash_stack(crash->sp, DEEP, frames, FRAMES);

	start();
	gw_line_text(&line, "addresses on the stack that follow a call, the innermost first; some may be left over from earlier calls:");
	end();
	tell_frames(&crash->pc, 1);
	tell_frames(frames, count);
	if (!call || call < crash->sp || (count < FRAMES && call < crash->sp + DEEP))
		return;
	start();
	gw_line_text(&line, "and where the call began:");
	end();
	tell_frames(outer_frames, gw_crash_stack(call, OUTER, outer_frames, OUTER_FRAMES));
}

static void write_report(const struct crash *crash)
{
	static char headline_text[1024];
	const char *code = gw_finding_code(GW_FINDING_CRASHED), *severity = gw_finding_severity(GW_FINDING_CRASHED);
	const char *remedy = gw_finding_remedy(GW_FINDING_CRASHED);

	gw_line_start(&line, headline_text, sizeof(headline_text) - 1);
	headline(crash);
	gw_line_start(&line, text, sizeof(text));
	gw_line_text(&line, "gangway: ");
	gw_line_text(&line, severity);
	gw_line_char(&line, ' ');
	gw_line_text(&line, code);
	gw_line_text(&line, ": ");
	gw_line_text(&line, headline_text);
	gw_line_text(&line, "; ");
	gw_line_text(&line, remedy);
	line.text[line.length++] = '\n';
	gw_finding_write(line.text, line.length);

	gw_line_start(&all, json, sizeof(json));
	tell_calls();
	gw_objects_recorded(tell_library, NULL);
	tell_findings();
	tell_stack(crash);
	all.text[all.length] = 0;
	gw_log_crash(code, severity, headline_text, remedy, json);
}

/* Waits for another thread's report to be whole: the process ends with whoever is first. */
static bool become_writer(void)
{
	int32_t self = gw_process_tid(), nobody = 0;
	const struct timespec moment = { 0, 10000000 };
	unsigned tries;

	for (tries = 0; tries < 200; tries++) {
		if (atomic_compare_exchange_strong(&writer, &nobody, self))
			return true;
		if (nobody == self)
			return false;	/* the report itself crashed */
		nobody = 0;
		nanosleep(&moment, NULL);
	}
	return false;
}

void gw_crash_report_prepare(void)
{
	gw_process_program();
	gw_log_level();
}

void gw_crash_report_forked(void)
{
	atomic_store(&writer, 0);
	atomic_store(&reports, 0);
}

void gw_crash_report(int number, const siginfo_t *info, const void *context)
{
	const ucontext_t *interrupted = context;
	struct crash crash = { .number = number, .info = info };

	if (!interrupted)
		return;
	crash.pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
	crash.sp = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP];
	if (atomic_load(&reports) >= REPORTS || !may_matter(&crash) || !become_writer())
		return;
	if (atomic_fetch_add(&reports, 1) < REPORTS) {
		gw_crash_objects_read();
		crash.at = gw_crash_object_at(crash.pc);
		write_report(&crash);
	}
	atomic_store(&writer, 0);
}
