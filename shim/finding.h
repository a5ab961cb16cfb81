/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnoses with stable codes, each told once: to stderr, to the log, and to a file when asked. Never to stdout. */
#ifndef GW_FINDING_H
#define GW_FINDING_H

#include "line.h"

enum gw_finding {
	GW_FINDING_NO_TARGET,		/* a facade found no library to forward to */
	GW_FINDING_OPEN_FAILED,		/* it found one, and the loader refused it */
	GW_FINDING_ABSENT,		/* the loaded release lacks a function */
	GW_FINDING_PRIVATE,		/* a private function of a facade was called */
	GW_FINDING_ALGORITHM,		/* an algorithm that the loaded cublasLt does not accept was replaced */
	GW_FINDING_CONFIG,		/* an algorithm's setting that the loaded cublasLt lacks was refused */
	GW_FINDING_UNKNOWN_RELEASE,	/* a release that the database does not know */
	GW_FINDING_OTHER_BUILD,		/* facade and libgangway.so are of different builds */
	GW_FINDING_NO_PROVIDER,		/* an intercepted call that no mapped library can answer */
	GW_FINDING_LOG_FAILED,		/* the log cannot be written */
	GW_FINDING_DEEPBIND,		/* RTLD_DEEPBIND was cleared */
	GW_FINDING_ATTRIBUTE,		/* an attribute that the loaded release lacks was set */
	GW_FINDING_BLOCK_DROPPED,	/* a block whose contents are no longer kept was used */
	GW_FINDING_ATOMIC_SYNC,		/* a product that is to be synchronised, on a release that cannot */
	GW_FINDING_BUILT_FOR,		/* GANGWAY_BUILT_FOR cannot be read */
	GW_FINDING_KNOB,		/* an engine's knob is too new for the caller, and cannot be hidden */
	GW_FINDING_LACKING,		/* the loaded release lacks a constant that was asked for */
	GW_FINDING_TOO_WIDE,		/* a size that the loaded release's 32 bit function cannot take */
	GW_FINDING_NOT_CARRIED,		/* a missing function that others can carry in part: not this call */
	GW_FINDING_RNN,			/* a call of cuDNN 8's old RNN interface that 9 cannot carry */
	GW_FINDING_COUNT
};

/*
 * Tells finding WHICH about SUBJECT once in this process. TEXT says what happened, one line; the remedy is the code's own unless
 * REMEDY is given. Any thread; allocates nothing; errno kept. More than a few hundred different ones are counted, not told.
 */
void gw_finding_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
	__attribute__((nonnull(2, 3)));

/* GW_FINDING_ABSENT about FUNCTION of FAMILY; the remedy says how to find a release that has it. */
void gw_finding_tell_absent(const char *family, const char *function, const char *text) __attribute__((nonnull));

#endif
