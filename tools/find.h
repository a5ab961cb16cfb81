/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding a program as a shell does, and looking at the first bytes of a file. Executes nothing.
 */
#ifndef GW_TOOLS_FIND_H
#define GW_TOOLS_FIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The file that execvp would run for NAME: NAME itself where it has a slash. Returns a string to
 * free; NULL with *STATUS 127 (not found) or 126 (found, not executable) as a shell answers,
 * -ENOMEM when there is no memory. REASON gets an errno value.
 */
char *gw_find_program(const char *name, int *status, int *reason) __attribute__((nonnull));

enum gw_program_kind {
	GW_PROGRAM_DYNAMIC, /* x86-64 with an interpreter: the preload works */
	GW_PROGRAM_STATIC,  /* x86-64 without one */
	GW_PROGRAM_32_BIT,  /* i386 or x32 */
	GW_PROGRAM_FOREIGN, /* another machine */
	GW_PROGRAM_SCRIPT,  /* #! */
	GW_PROGRAM_OTHER,   /* unreadable, or text without #!, or anything else */
};

enum gw_program_kind gw_find_program_kind(const char *path) __attribute__((nonnull));

/* The interpreter of a script, through `env` where it is named so, as a path to free; NULL when it
 * is none or cannot be found. */
char *gw_find_interpreter(const char *script) __attribute__((nonnull));

/* Will the kernel run this file with other rights, so that the loader ignores the environment? */
bool gw_find_gains_rights(const char *path) __attribute__((nonnull));

#endif
