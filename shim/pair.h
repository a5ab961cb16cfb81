/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that belong together, where there is no auditor (audit_pair.h) and only names that are dlopened can be helped: the partner beside
 * the library that opens it. Any thread, nothing allocated, errno kept.
 */
#ifndef GW_PAIR_H
#define GW_PAIR_H

#include <stdbool.h>
#include "partners.h"

struct gw_object;

/*
 * Is CALLER a library of WANTED's set, and lies another file of that name beside it than FOUND, where its search would end (NULL: nowhere)?
 * Then PATH (GW_COPY_PATH bytes) gets that file, and a finding is told where it takes FOUND's place.
 */
bool gw_pair_find(const struct gw_partners_name *wanted, const struct gw_object *caller, const char *found, char *path)
	__attribute__((nonnull(1, 2, 4)));

/* CALLER's search for NAME, a library of some set, will end nowhere. */
void gw_pair_tell_missing(const char *name, const struct gw_object *caller) __attribute__((nonnull));

/* The loader has said TEXT of a library that it could not open, or of a name that it could not find: a finding where it is the former. */
void gw_pair_note_error(const char *text) __attribute__((nonnull));

#endif
