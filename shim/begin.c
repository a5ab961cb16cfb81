/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when libgangway.so is mapped and when the process ends: settings are copied, counts are written. Opens no file and
 * starts no thread; a process that never meets a vendor library sees nothing else of us.
 */
#include <pthread.h>
#include <stddef.h>

#include "crash.h"
#include "crash_trail.h"
#include "log.h"
#include "objects.h"
#include "real.h"
#include "settings.h"
#include "trace.h"

static void forked(void)
{
	gw_log_forked();
	gw_objects_forked();
	gw_crash_forked();
	gw_trail_forked();
	gw_trace_forked();
}

static void __attribute__((constructor)) begin(void)
{
	gw_settings_read();
	gw_real();	/* while no other thread changes the list it is found in */
	/* Kept by the C library in memory of its own: no allocation before the first few dozen. */
	pthread_atfork(NULL, NULL, forked);
}

static void __attribute__((destructor)) end(void)
{
	gw_log_counts();
	gw_trace_end();
}
