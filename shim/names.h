/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a function by its exact name; every other name costs two comparisons of a character. */
#ifndef GW_NAMES_H
#define GW_NAMES_H

/* enum gw_fn, or -1. */
int gw_name_find(const char *name) __attribute__((nonnull));

#endif
