/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See crash_trail.h. Nobody tells us that a thread has ended, since a destructor of thread storage would be one more thing in the host;
 * so a ring whose owner the kernel does not know any more is free.
 */
#include "crash_trail.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crash.h"
#include "process.h"

struct gw_trail gw_trails[GW_TRAILS];

static bool is_gone(int32_t thread)
{
	return syscall(SYS_tgkill, getpid(), thread, 0) == -1 && errno == ESRCH;
}

static int32_t claim(void)
{
	int32_t self = gw_process_tid();
	unsigned pass, i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < GW_TRAILS; i++) {
			int32_t owner = atomic_load_explicit(&gw_trails[i].owner, memory_order_relaxed);

			if (owner && (!pass || !is_gone(owner)))
				continue;
			if (!atomic_compare_exchange_strong(&gw_trails[i].owner, &owner, self))
				continue;
			gw_trails[i].next = 0;
			return (int32_t)i + 1;
		}
	return -1;
}

void gw_trail_begin(struct gw_thread *thread)
{
	int error = errno;

	thread->trail = gw_crash_begin() ? claim() : -1;
	errno = error;
}

void gw_trail_forked(void)
{
	if (gw_thread.trail > 0)
		atomic_store(&gw_trails[gw_thread.trail - 1].owner, gw_process_tid());
}
