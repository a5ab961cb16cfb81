/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A private directory of links to chosen facades, for LD_LIBRARY_PATH where there is no auditor. It
 * stays after the run, because the program replaces this process; the same choice uses the same
 * directory again.
 */
#ifndef GW_TOOLS_FACADE_LINKS_H
#define GW_TOOLS_FACADE_LINKS_H

/*
 * LIST: sonames joined by commas, each a file in FACADES. Returns the directory's path, to free;
 * NULL with errno set, and the path that failed in *WHERE (to free, may be NULL).
 */
char *gw_facade_links(const char *facades, const char *list, char **where) __attribute__((nonnull));

#endif
