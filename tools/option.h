/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that several sub-commands have, and what all say of wrong ones. Each function returns -1: go on; else the command's exit
 * status, after a complaint where it is not GW_EXIT_FINE.
 */
#ifndef GW_TOOLS_OPTION_H
#define GW_TOOLS_OPTION_H

#include "python.h"

/* --python DIRECTORY: adds it. */
int gw_option_python(struct gw_python_paths *paths, const char *directory) __attribute__((nonnull));
/* --library-path LIST: each has to be there, since one that is not is more likely misspelt than meant. */
int gw_option_library_path(const char *list) __attribute__((nonnull));
/* --help: prints TEXT. */
int gw_option_help(const char *text) __attribute__((nonnull));
/* COMMAND was given argv[optind - 1], of which getopt_long (with `:` before the short options) said WHAT. */
int gw_option_wrong(const char *command, int what, char **argv) __attribute__((nonnull));

#endif
