/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which site-packages directories a program's Python will look through, worked out from files and
 * the environment: nothing is executed. What cannot be worked out is left out.
 */
#ifndef GW_TOOLS_PYTHON_H
#define GW_TOOLS_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

struct gw_python_paths {
	char **directory; /* each exists, none twice, in the order in which Python looks */
	size_t count;
};

void gw_python_paths_finish(struct gw_python_paths *paths) __attribute__((nonnull));

/*
 * PROGRAM: the file that will be executed, as found through PATH. A Python, or a script for one,
 * gives that Python's directories; any other program those of the active environment, else of the
 * first Python on PATH, because that is what its children are likely to be; and where the program
 * itself lies in a site-packages, that one too. 0 or -ENOMEM.
 */
int gw_python_paths_of_program(struct gw_python_paths *paths, const char *program)
	__attribute__((warn_unused_result, nonnull));

/* The Python that PROGRAM is, or is a script for, to free; NULL where it is none. */
char *gw_python_behind(const char *program) __attribute__((nonnull));

/* DIRECTORY: a site-packages, or the prefix of an environment. 0, -ENOENT (no such directory) or
 * -ENOMEM. */
int gw_python_paths_add_given(struct gw_python_paths *paths, const char *directory)
	__attribute__((warn_unused_result, nonnull));

#endif
