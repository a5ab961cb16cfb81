/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes whole lines to stderr and to files, leaving no trace in the host: no SIGPIPE, no SIGXFSZ, errno kept, no low descriptor taken,
 * and never into a file that the program has since opened under our number.
 */
#ifndef GW_OUTPUT_H
#define GW_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

struct gw_output {
	const char *path;		/* opened, appending, at the first write; static memory */
	_Atomic int file;		/* descriptor + 1; 0: not open; -1: given up */
	_Atomic uint64_t device, inode;	/* of what we opened */
	_Atomic int error;		/* errno of the write that failed; 0: only a part was written */
	_Atomic uint64_t lost;		/* lines that could not be written */
};

/* True when the line was written. LINE includes its newline. */
bool gw_output_write(struct gw_output *output, const char *line, size_t length) __attribute__((nonnull));
void gw_output_stderr(const char *line, size_t length) __attribute__((nonnull));

#endif
