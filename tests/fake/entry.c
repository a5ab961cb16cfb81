/* SPDX-License-Identifier: Apache-2.0 */
/* Counting, planned failures and the gwfake_* seam. Knows no function by name: the generated table holds them. */
#include "entry.h"

#include <stdlib.h>
#include <string.h>

static _Atomic long options[FAKE_OPTION_COUNT];
static const char *const option_names[FAKE_OPTION_COUNT] = { "refuse_tiled", "workspace", "runtime_error", "workspace_alignment" };

static int compare(const void *name, const void *entry)
{
	return strcmp(name, ((const struct fake_entry *)entry)->name);
}

static struct fake_entry *find(const char *name)
{
	return name ? bsearch(name, fake_entries, fake_entry_count, sizeof *fake_entries, compare) : NULL;
}

int fake_private(unsigned index)
{
	int status;

	return fake_enter(index, &status) ? status : fake_refusal;
}

long fake_option(enum fake_option option)
{
	return atomic_load_explicit(&options[option], memory_order_relaxed);
}

uint64_t gwfake_calls(const char *name)
{
	struct fake_entry *entry = find(name);

	return entry ? atomic_load(&entry->calls) : UINT64_MAX;
}

uint64_t gwfake_total(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < fake_entry_count; i++)
		sum += atomic_load_explicit(&fake_entries[i].calls, memory_order_relaxed);
	return sum;
}

int gwfake_fail_next(const char *name, int status)
{
	struct fake_entry *entry = find(name);

	if (!entry)
		return -1;
	atomic_store(&entry->fail, INT64_C(1) << 32 | (uint32_t)status);
	return 0;
}

void gwfake_reset(void)
{
	for (unsigned i = 0; i < fake_entry_count; i++) {
		atomic_store(&fake_entries[i].calls, 0);
		atomic_store(&fake_entries[i].fail, 0);
	}
	for (unsigned i = 0; i < FAKE_OPTION_COUNT; i++)
		atomic_store(&options[i], 0);
}

int gwfake_set(const char *option, long value)
{
	for (unsigned i = 0; i < FAKE_OPTION_COUNT; i++)
		if (option && !strcmp(option, option_names[i])) {
			atomic_store(&options[i], value);
			return 0;
		}
	return -1;
}

const char *gwfake_release(void)
{
	return fake_release;
}

const char *gwfake_soname(void)
{
	return fake_soname;
}
