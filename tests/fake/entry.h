/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every exported function of a fake library passes through, and the seam by which tests look inside: the gwfake_*
 * functions, which every fake library exports under the version node GWFAKE_1 for itself alone (look them up through the
 * library's own handle). Counters are atomic; any thread.
 */
#ifndef FAKE_ENTRY_H
#define FAKE_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fake_entry {
	const char *name;
	_Atomic uint64_t calls;
	_Atomic int64_t fail;	/* 0, or 1 << 32 | the status of the next call */
};

/* Generated for each library: its exported functions, sorted by name. */
extern struct fake_entry fake_entries[];
extern const unsigned fake_entry_count;
extern const char fake_release[];	/* "12.1.3.1" */
extern const char fake_soname[];
extern const int fake_refusal;		/* the release's NOT_SUPPORTED */

/* Counts the call of entry INDEX. True: it shall fail with *status. */
static inline bool fake_enter(unsigned index, int *status)
{
	struct fake_entry *entry = &fake_entries[index];
	int64_t fail;

	atomic_fetch_add_explicit(&entry->calls, 1, memory_order_relaxed);
	if (__builtin_expect(!atomic_load_explicit(&entry->fail, memory_order_relaxed), 1))
		return false;
	fail = atomic_exchange(&entry->fail, 0);
	*status = (int)(uint32_t)fail;
	return fail != 0;
}

/* For symbols whose signature nobody knows: counts, and answers the status. */
int fake_private(unsigned index);

/* What gwfake_set chose. */
enum fake_option {
	FAKE_REFUSE_TILED,	/* 1: products refuse the tiled int8 orders, as every Hopper kernel does */
	FAKE_WORKSPACE,		/* bytes that a product without an algorithm needs; 0 at first */
	FAKE_RUNTIME_ERROR,	/* the status that cuDNN's cudnnQueryRuntimeError finds, and tells the callback of */
	FAKE_WORKSPACE_ALIGNMENT,	/* bytes that a workspace has to be aligned to; 0: any */
	FAKE_OPTION_COUNT
};
long fake_option(enum fake_option option);

#define FAKE_SEAM __attribute__((visibility("default")))

/* Calls so far of NAME in this library; UINT64_MAX where it exports no such function. */
FAKE_SEAM uint64_t gwfake_calls(const char *name);
/* Calls so far of all functions of this library. */
FAKE_SEAM uint64_t gwfake_total(void);
/* The next call of NAME answers STATUS and does nothing. 0, or -1 where there is no such function. */
FAKE_SEAM int gwfake_fail_next(const char *name, int status);
/* Zeroes counters, planned failures and options. */
FAKE_SEAM void gwfake_reset(void);
/* "refuse_tiled", "workspace", "runtime_error", "workspace_alignment". 0, or -1 for an unknown name. */
FAKE_SEAM int gwfake_set(const char *option, long value);
FAKE_SEAM const char *gwfake_release(void);
FAKE_SEAM const char *gwfake_soname(void);

#endif
