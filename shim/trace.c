/* SPDX-License-Identifier: Apache-2.0 */
/* See trace.h: when the trace begins and ends in a process. Nothing is opened before the first vendor call. */
#include "trace_life.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "finding.h"
#include "line.h"
#include "output.h"
#include "settings.h"
#include "thread.h"

#define WAITS 20000u	/* times 50 microseconds */

struct gw_trace_life gw_trace_life;
struct gw_trace_control gw_trace_control;
static _Atomic uint32_t levels_state;	/* 0: nobody has asked, 1: being read, 2: read */

static void tell_failed(const char *path, int error)
{
	char text[1400];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "the trace ");
	gw_line_text(&line, path);
	gw_line_text(&line, " cannot be made: ");
	gw_output_reason(&line, error);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_TRACE_FAILED, path, text, NULL);
}

static void begin(void)
{
	const char *name = gw_setting(GW_SETTING_TRACE);
	char path[1024] = "";
	int error;

	/* Children that the C library knows nothing of (a raw clone) run no handler of ours: the kernel clears theirs. */
	madvise(&gw_trace_life, sizeof(gw_trace_life), MADV_WIPEONFORK);
	if (gw_trace_control.head.pid && gw_trace_control.head.pid != (uint32_t)getpid())
		gw_trace_control_forked();
	gw_trace_control_offer();
	if (!name && gw_trace_control.head.directory[0])
		name = gw_trace_control.head.directory;
	if (!name) {
		atomic_store(&gw_trace_life.state, GW_TRACE_FAILED);
		return;
	}
	gw_thread.trace_busy = 1;
	error = gw_trace_file_begin(name, path, sizeof(path));
	gw_thread.trace_busy = 0;
	if (error) {
		atomic_store(&gw_trace_life.state, GW_TRACE_FAILED);
		gw_trace_levels_all(GW_CONTROL_OFF);
		tell_failed(path, error);
		return;
	}
	gw_trace_define_process();
	gw_trace_share();
	gw_trace_define_level();
	atomic_store(&gw_trace_life.epoch, (uint32_t)getpid());
	atomic_store(&gw_trace_life.state, GW_TRACE_READY);
}

bool gw_trace_ready(void)
{
	uint32_t state = atomic_load_explicit(&gw_trace_life.state, memory_order_acquire), none = GW_TRACE_NONE;
	const struct timespec moment = { 0, 50000 };
	int error = errno;
	unsigned waits;

	if (state == GW_TRACE_NONE && atomic_compare_exchange_strong(&gw_trace_life.state, &none, GW_TRACE_BEGINNING))
		begin();
	/* Another thread opens the file, which waits for no one; a handler that interrupted it cannot wait for it. */
	for (waits = 0; waits < WAITS && !gw_thread.trace_busy; waits++) {
		if (atomic_load_explicit(&gw_trace_life.state, memory_order_acquire) != GW_TRACE_BEGINNING)
			break;
		nanosleep(&moment, NULL);
	}
	errno = error;
	return atomic_load_explicit(&gw_trace_life.state, memory_order_acquire) == GW_TRACE_READY;
}

uint8_t gw_trace_decide(uint32_t fn)
{
	const struct timespec moment = { 0, 50000 };
	uint32_t none = 0;
	unsigned waits;

	if (atomic_compare_exchange_strong(&levels_state, &none, 1)) {
		if (gw_setting(GW_SETTING_TRACE) && !gw_setting_on(GW_SETTING_DISABLE))
			gw_trace_levels_read();
		else
			gw_trace_levels_all(GW_CONTROL_OFF);
		if (!gw_setting_on(GW_SETTING_DISABLE))
			gw_trace_control_offer();
		atomic_store(&levels_state, 2);
	}
	for (waits = 0; waits < WAITS && atomic_load(&levels_state) != 2; waits++)
		nanosleep(&moment, NULL);
	return gw_trace_level(fn);
}

void gw_trace_forked(void)
{
	uint32_t state = atomic_load(&gw_trace_life.state);

	/* Where the kernel does not clear: the same by hand. This is the only thread. */
	if (state != GW_TRACE_NONE)
		memset(&gw_trace_life, 0, sizeof(gw_trace_life));
	gw_thread.trace_busy = 0;
	gw_thread.trace_epoch = 0;
	gw_thread.trace_counts = NULL;
	gw_thread.trace_next = gw_thread.trace_end = NULL;
	gw_trace_control_forked();
	if (state == GW_TRACE_FAILED && !gw_trace_control.head.directory[0])
		atomic_store(&gw_trace_life.state, GW_TRACE_FAILED);
	atomic_store(&levels_state, gw_trace_level(0) == GW_CONTROL_UNDECIDED ? 0 : 2);
}

void gw_trace_end(void)
{
	int error = errno;

	if (atomic_load(&gw_trace_life.state) == GW_TRACE_READY) {
		gw_trace_file_note_moment();
		if (!gw_trace_life.head->stopped)
			__atomic_store_n(&gw_trace_life.head->stopped, GW_TRACE_STOP_END, __ATOMIC_RELEASE);
	}
	errno = error;
}
