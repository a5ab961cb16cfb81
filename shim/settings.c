/* SPDX-License-Identifier: Apache-2.0 */
/* See settings.h. Opens nothing, allocates nothing: the copy lives in a fixed buffer. */
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

#define SPACE 32768u	/* all values together; what does not fit counts as unset */

const struct gw_setting_info gw_settings_table[GW_SETTING_COUNT] = {
	[GW_SETTING_DISABLE] = { "GANGWAY_DISABLE", "1: everything off but the facades" },
	[GW_SETTING_LOG] = { "GANGWAY_LOG", "append one JSON line for each call and finding to this file" },
	[GW_SETTING_LOG_LEVEL] = { "GANGWAY_LOG_LEVEL",
		"calls (the default): every call; counts: findings, libraries and, at exit, how often each function was called" },
	[GW_SETTING_FINDINGS] = { "GANGWAY_FINDINGS", "append findings to this file, too" },
	[GW_SETTING_QUIET] = { "GANGWAY_QUIET", "1: no findings on stderr" },
	[GW_SETTING_LIBRARY_PATH] = { "GANGWAY_LIBRARY_PATH",
		"directories, separated by colons, where a facade looks first for its target" },
	[GW_SETTING_CUBLAS] = { "GANGWAY_CUBLAS",
		"the one directory that libcublas and libcublasLt come from; no other is tried" },
	[GW_SETTING_CUDNN] = { "GANGWAY_CUDNN", "the one directory that cuDNN comes from; no other is tried" },
	[GW_SETTING_CUSPARSE] = { "GANGWAY_CUSPARSE", "the one directory that libcusparse comes from; no other is tried" },
	[GW_SETTING_PYTHON_PATHS] = { "GANGWAY_PYTHON_PATHS",
		"site-packages directories, separated by colons, whose nvidia/*/lib may be used; `gangway run` sets it" },
	[GW_SETTING_FACADES] = { "GANGWAY_FACADES",
		"auto, off, or the sonames that facades may be offered for; `gangway run` sets it" },
	[GW_SETTING_FACADE_DIR] = { "GANGWAY_FACADE_DIR", "where the facades are; `gangway run` sets it" },
	[GW_SETTING_BUILT_FOR] = { "GANGWAY_BUILT_FOR",
		"which releases files were built for, as in `libfoo.so:cublas=12.1.3.1,cudnn=8.9.7;*:cudnn=9.4`" },
	[GW_SETTING_EXPLAIN] = { "GANGWAY_EXPLAIN",
		"1: say on stderr how each search ends that finds no file or the wrong one; `gangway run --explain` sets it" },
	[GW_SETTING_KEEP_DEEPBIND] = { "GANGWAY_KEEP_DEEPBIND",
		"1: leave RTLD_DEEPBIND alone; calls of libraries opened so are then not seen" },
	[GW_SETTING_PAIRING] = { "GANGWAY_PAIRING",
		"off: libraries that belong together are taken from wherever the loader finds them, and only told of; `--no-pairing` sets it" },
	[GW_SETTING_CRASH] = { "GANGWAY_CRASH",
		"1: write a report when the process crashes inside a vendor call; `gangway run` sets it, `--no-crash-report` sets 0" },
	[GW_SETTING_TRACE] = { "GANGWAY_TRACE", "write a trace (docs/trace.md) of each process that calls vendor libraries into this directory, or to this file" },
	[GW_SETTING_TRACE_LEVEL] = { "GANGWAY_TRACE_LEVEL",
		"what the trace holds: count (the default), brief, record, sample=N or off; `,FAMILY:LEVEL` and `,FUNCTION:LEVEL` may follow" },
	[GW_SETTING_TRACE_SIZE] = { "GANGWAY_TRACE_SIZE", "how large one process's trace may become, as in 64M or 2G; 256M is the default" },
	[GW_SETTING_TRACE_FULL] = { "GANGWAY_TRACE_FULL", "what happens then: ring (the default) overwrites the oldest records, stop records no more" },
	[GW_SETTING_CONTROL] = { "GANGWAY_CONTROL", "1: `gangway trace PID` may switch the trace while the process runs; `gangway run` sets it" },
	[GW_SETTING_POLICY] = { "GANGWAY_POLICY", "the policy file (docs/policy.md): what is done otherwise, in which cases; `gangway run --policy` sets it" },
	[GW_SETTING_RESCUE] = { "GANGWAY_RESCUE",
		"off: no call that the library refused is done otherwise; int8-order,…: those rescues alone; -int8-order,…: all but those; beats the policy" },
	[GW_SETTING_AUDITED] = { "LD_AUDIT", "the loader's own; tells whether gangway's auditor finds the facades" },
	[GW_SETTING_LOADER_PATH] = { "LD_LIBRARY_PATH", "the loader's own; a facade looks there for its target, as the loader would" },
	[GW_SETTING_PYTHONPATH] = { "PYTHONPATH", "Python's own; its nvidia/*/lib are looked through, too" },
	[GW_SETTING_VIRTUAL_ENV] = { "VIRTUAL_ENV", "Python's own; likewise its site-packages" },
	[GW_SETTING_CUDA_HOME] = { "CUDA_HOME", "the toolkit's own; its lib64 is looked through last" },
	[GW_SETTING_CUDA_PATH] = { "CUDA_PATH", "likewise" },
};

static char space[SPACE];
static const char *values[GW_SETTING_COUNT];
static _Atomic int state;	/* 0: not read, 1: being read, 2: read */

/* Files of ours are named from where the program started, wherever it goes: writes that directory and a slash, or nothing. */
static size_t copy_origin(unsigned setting, const char *value, char *to, size_t size)
{
	int error = errno;
	size_t length = 0;

	if ((setting == GW_SETTING_LOG || setting == GW_SETTING_FINDINGS || setting == GW_SETTING_TRACE || setting == GW_SETTING_POLICY) &&
	    *value != '/' && getcwd(to, size)) {
		length = strlen(to);
		if (*to != '/' || length + 1 >= size)	/* a directory outside the root of this process has no such name */
			length = 0;
		else
			to[length++] = '/';
	}
	errno = error;
	return length;
}

static void copy_all(void)
{
	size_t used = 0;
	unsigned i;

	if (gw_process_secure())	/* somebody else's environment: obey none of it */
		return;
	for (i = 0; i < GW_SETTING_COUNT; i++) {
		const char *value = getenv(gw_settings_table[i].variable);
		size_t length = value ? strlen(value) + 1 : 0;

		size_t before;

		if (length <= 1 || length > SPACE - used)
			continue;
		before = copy_origin(i, value, space + used, SPACE - used);
		if (length > SPACE - used - before)
			continue;
		memcpy(space + used + before, value, length);
		values[i] = space + used;
		used += before + length;
	}
}

void gw_settings_read(void)
{
	int expected = 0;

	if (atomic_compare_exchange_strong(&state, &expected, 1)) {
		copy_all();
		atomic_store_explicit(&state, 2, memory_order_release);
	}
}

const char *gw_setting(enum gw_setting setting)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);

	if (now == 0)
		gw_settings_read();
	/*
	 * Another thread reads right now, which takes microseconds and waits for nothing, so waiting here cannot deadlock. It happens
	 * only where threads exist before the preload's constructor has run.
	 */
	while (atomic_load_explicit(&state, memory_order_acquire) != 2)
		__builtin_ia32_pause();
	return values[setting];
}

bool gw_setting_on(enum gw_setting setting)
{
	const char *value = gw_setting(setting);

	return value && strcmp(value, "0");
}

const char *gw_setting_of_suite(const char *suite)
{
	static const char prefix[] = "GANGWAY_";
	unsigned i;

	for (i = 0; i < GW_SETTING_COUNT; i++) {
		const char *name = gw_settings_table[i].variable;
		const char *s = suite;

		if (strncmp(name, prefix, sizeof(prefix) - 1))
			continue;
		name += sizeof(prefix) - 1;
		while (*s && toupper((unsigned char)*s) == *name)
			s++, name++;
		if (!*s && !*name)
			return gw_setting((enum gw_setting)i);
	}
	return NULL;
}
