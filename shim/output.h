/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes whole lines to stderr and to files, leaving no trace in the host: no SIGPIPE, no SIGXFSZ, errno kept, no low descriptor taken,
 * and never into a file that the program has since opened under our number.
 */
#ifndef GW_OUTPUT_H
#define GW_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include "line.h"

struct gw_output {
	const char *path;		/* opened, appending, at the first write; static memory */
	_Atomic int file;		/* descriptor + 1; 0: not open; -1: given up */
	_Atomic uint64_t device, inode;	/* of what we opened */
	_Atomic int error;		/* errno of the write that failed; 0: only a part was written */
	_Atomic uint64_t lost;		/* lines that could not be written */
};

/*
 * Between the two, what this thread writes raises neither SIGPIPE nor SIGXFSZ; RAISED: it failed in a way that does, and the signal is taken away. False:
 * nothing was blocked.
 */
struct gw_quiet {
	sigset_t before;
	bool had_pipe, had_size;
};
bool gw_quiet_begin(struct gw_quiet *quiet) __attribute__((nonnull));
void gw_quiet_end(struct gw_quiet *quiet, bool raised) __attribute__((nonnull));

/* ERROR in the C locale's words, without strerror, which may read translations from files. 0: a line that was written in part. */
void gw_output_reason(struct gw_line *line, int error) __attribute__((nonnull));

/* True when the line was written. LINE includes its newline. */
bool gw_output_write(struct gw_output *output, const char *line, size_t length) __attribute__((nonnull));
void gw_output_stderr(const char *line, size_t length) __attribute__((nonnull));

#endif
