/* SPDX-License-Identifier: Apache-2.0 */
/* The process that the shim finds itself in: its program, its thread ids, the settings it was started with. */
#ifndef GW_PROCESS_H
#define GW_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

extern const char gw_process_soname[];	/* "libgangway.so" */

/* Path of the running program, "?" when the kernel will not say. Static memory. */
const char *gw_process_program(void) __attribute__((returns_nonnull));

/* This thread's kernel id. A system call: for log lines only. */
int32_t gw_process_tid(void);

uint64_t gw_process_now(void);	/* CLOCK_MONOTONIC, ns */

/* Copies the command line, NUL-separated, at most SIZE bytes; returns how many. */
unsigned gw_process_command(char *buffer, unsigned size) __attribute__((nonnull));

/* The id that the kernel gave this start of the machine. False: it is not to be had. */
bool gw_process_boot(char *buffer, unsigned size) __attribute__((nonnull));

/* Is the program running as another user than the one who set its environment (setuid, file capabilities)? */
bool gw_process_secure(void);

#endif
