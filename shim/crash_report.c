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
#include "crash_frames.h"
#include "crash_memory.h"
#include "crash_release.h"
#include "crash_stack.h"
#include "crash_trail.h"
#include "crash_write.h"
#include "finding.h"
#include "line.h"
#include "log.h"
#include "objects.h"
#include "process.h"
#include "thread.h"

#define REPORTS 4u	/* a process */

/* What one thread is about; zero where nothing is known. */
struct crash {
	int number;
	const siginfo_t *info;
	uintptr_t pc, sp;
	const void *context;
	const struct gw_call *call;	/* the outermost call, which is under way */
	const struct gw_object *at;	/* what the instruction lies in */
};

static _Atomic int32_t writer;	/* the thread that writes; 0: nobody */
static _Atomic uint32_t reports;
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
		gw_line_text(gw_crash_line, gw_function_name(crash->call->fn));
		gw_line_text(gw_crash_line, " of ");
		gw_line_text(gw_crash_line, crash->call->binding->loaded ? crash->call->binding->path : "no library");
		gw_line_text(gw_crash_line, ", called by ");
		gw_crash_line_place((uintptr_t)crash->call->caller);
		gw_line_text(gw_crash_line, ", was ended by ");
	} else {
		gw_line_text(gw_crash_line, "outside of any call that was seen, ");
		gw_crash_line_object(crash->at);
		gw_line_text(gw_crash_line, " was ended by ");
	}
	gw_line_text(gw_crash_line, name_of(crash->number));
	if (crash->info->si_code > 0) {
		gw_line_text(gw_crash_line, " at address ");
		gw_line_hex(gw_crash_line, (uintptr_t)crash->info->si_addr);
		if (gw_objects_vendors((uintptr_t)crash->info->si_addr)) {
			gw_line_text(gw_crash_line, " (");
			gw_crash_line_place((uintptr_t)crash->info->si_addr);
			gw_line_char(gw_crash_line, ')');
		}
		gw_line_text(gw_crash_line, ", code ");
		gw_line_signed(gw_crash_line, crash->info->si_code);
		gw_line_text(gw_crash_line, ", in ");
		gw_crash_line_place(crash->pc);
	} else {
		gw_line_text(gw_crash_line, crash->number == SIGABRT ? ", which the program or a library raised" : ", which was sent");
	}
	gw_crash_line->text[gw_crash_line->length] = 0;
}

static void tell_calls(void)
{
	const struct gw_trail *trail = gw_thread.trail > 0 ? &gw_trails[gw_thread.trail - 1] : NULL;
	uint32_t i, count = trail ? trail->next : 0;

	if (count > GW_TRAIL_CALLS)
		count = GW_TRAIL_CALLS;
	gw_crash_line_start();
	gw_line_text(gw_crash_line, count ? "last calls of this thread, the newest first:" : "no calls of this thread are known");
	gw_crash_line_end();
	for (i = 1; i <= count; i++) {
		const struct gw_trail_call *call = &trail->calls[(trail->next - i) % GW_TRAIL_CALLS];

		gw_crash_line_start();
		gw_line_text(gw_crash_line, "  ");
		gw_line_text(gw_crash_line, call->fn < GW_FN_COUNT ? gw_function_name(call->fn) : "?");
		gw_line_text(gw_crash_line, " by ");
		gw_crash_line_place((uintptr_t)call->caller);
		gw_crash_line_end();
	}
}

static bool tell_library(const struct gw_object *object, void *data)
{
	const char *release;

	(void)data;
	if (object->role != GW_ROLE_VENDOR && object->role != GW_ROLE_FACADE)
		return true;
	release = gw_crash_release_of(object);
	gw_crash_line_start();
	gw_line_text(gw_crash_line, object->role == GW_ROLE_FACADE ? "facade " : "library ");
	gw_crash_line_object(object);
	if (object->family >= 0) {
		gw_line_text(gw_crash_line, " (");
		gw_line_text(gw_crash_line, gw_families[object->family].name);
		gw_line_char(gw_crash_line, ' ');
		gw_line_text(gw_crash_line, release ? release : "of a release that was not asked for");
		gw_line_char(gw_crash_line, ')');
	}
	gw_line_text(gw_crash_line, " at ");
	gw_line_hex(gw_crash_line, object->low);
	gw_crash_line_end();
	return true;
}

static void tell_findings(void)
{
	unsigned i;
	bool any = false;

	gw_crash_line_start();
	gw_line_text(gw_crash_line, "findings before:");
	for (i = 0; i < GW_FINDING_COUNT; i++)
		if (gw_finding_was_told((enum gw_finding)i)) {
			gw_line_char(gw_crash_line, ' ');
			gw_line_text(gw_crash_line, gw_finding_code((enum gw_finding)i));
			any = true;
		}
	if (!any)
		gw_line_text(gw_crash_line, " none");
	gw_crash_line_end();
}

static void write_report(const struct crash *crash)
{
	static char headline_text[1024];
	const char *code = gw_finding_code(GW_FINDING_CRASHED), *severity = gw_finding_severity(GW_FINDING_CRASHED);
	const char *remedy = gw_finding_remedy(GW_FINDING_CRASHED);

	gw_line_start(gw_crash_line, headline_text, sizeof(headline_text) - 1);
	headline(crash);
	gw_crash_write_begin(severity, code, headline_text, remedy);
	tell_calls();
	gw_objects_recorded(tell_library, NULL);
	tell_findings();
	gw_crash_frames_tell(crash->context, (uintptr_t)crash->call);
	gw_log_crash(code, severity, headline_text, remedy, gw_crash_write_list());
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
	crash.context = context;
	crash.pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
	crash.sp = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP];
	if (atomic_load(&reports) >= REPORTS || !may_matter(&crash) || !become_writer())
		return;
	if (atomic_fetch_add(&reports, 1) < REPORTS) {
		gw_crash_forget();
		gw_crash_objects_read();
		crash.at = gw_crash_object_at(crash.pc);
		write_report(&crash);
	}
	atomic_store(&writer, 0);
}
