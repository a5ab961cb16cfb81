/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that several sub-commands have, and what all say of wrong ones. Each function returns -1: go on; else the command's exit
 * status, after a complaint where it is not GW_EXIT_FINE.
 */
#ifndef GW_TOOLS_OPTION_H
#define GW_TOOLS_OPTION_H

#include <stdbool.h>
#include "abi/db.h"
#include "loader.h"
#include "python.h"

/* LOADER, here and below: below whose root names are looked up; NULL: the machine's own. */
bool gw_option_is_directory(const struct gw_loader *loader, const char *path) __attribute__((nonnull(2)));
/* --python DIRECTORY: adds it. */
int gw_option_python(const struct gw_loader *loader, struct gw_python_paths *paths, const char *directory)
	__attribute__((nonnull(2, 3)));
/* --library-path LIST: each has to be there, since one that is not is more likely misspelt than meant. */
int gw_option_library_path(const struct gw_loader *loader, const char *list) __attribute__((nonnull(2)));
/* The database of facts; without it, DB stays empty, and a complaint says that LESS is so. */
void gw_option_database(struct abi_db *db, const char *less) __attribute__((nonnull));
/* --help: prints TEXT. */
int gw_option_help(const char *text) __attribute__((nonnull));
/* COMMAND was given argv[optind - 1], of which getopt_long (with `:` before the short options) said WHAT. */
int gw_option_wrong(const char *command, int what, char **argv) __attribute__((nonnull));

#endif
