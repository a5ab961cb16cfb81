/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which copy of a library that belongs with others (partners.h) answers a search: the one beside its partner, else the newest. Only where
 * that makes a difference; a path that a program names itself is never changed, and nothing is mapped that was not asked for. Parts of the
 * auditor: its rules for threads and memory hold (audit.h).
 */
#ifndef GW_AUDIT_PAIR_H
#define GW_AUDIT_PAIR_H

#include "audit.h"
#include "audit_line.h"
#include "copies.h"
#include "gw_findings.h"
#include "partners.h"

/* A mapped library of a set; not a facade. */
struct gw_audit_member {
	struct link_map *map;
	struct gw_partners_name name; /* in path */
	char path[GW_AUDIT_PATH];     /* absolute */
};

enum gw_audit_pairing { GW_AUDIT_PAIR_NONE, GW_AUDIT_PAIR_ANSWER, GW_AUDIT_PAIR_REFUSE };

/* audit_pair.c: NEEDER's search for NAME begins. ANSWER: PATH (GW_AUDIT_PATH bytes) is to answer it; REFUSE: nothing is. */
enum gw_audit_pairing gw_audit_pair(const char *name, struct link_map *needer, char *path) __attribute__((nonnull));

/* audit_members.c: what is mapped. */

/* MAP, not a facade, has come: tells what is wrong with it, with the findings that were kept for it. */
void gw_audit_member_add(struct link_map *map) __attribute__((nonnull));
void gw_audit_member_remove(const struct link_map *map) __attribute__((nonnull));
/* The member that MAP is; NULL when it is none. */
const struct gw_audit_member *gw_audit_member_of(const struct link_map *map) __attribute__((nonnull));
/* The first one mapped under its plain name, of the set and major release of NAME; NULL when there is none. */
const struct gw_audit_member *gw_audit_member_with(const struct gw_partners_name *name) __attribute__((nonnull));

/* The file that MAP is, the program itself included; "?" where nobody can tell. Valid until the next call. */
const char *gw_audit_path_of(const struct link_map *map) __attribute__((returns_nonnull));

/* audit_pair_tell.c: what is told. The paths' files are libraries of NAME's set. */

/* "PATH (RELEASE)", or the path alone where the release is not known. */
void gw_audit_add_copy(struct gw_audit_line *line, const char *path, const struct gw_partners_name *name) __attribute__((nonnull));
/*
 * Kept until the file that answers is mapped, since a search may only have asked whether it is: ANSWER takes the place of CHOICE, beside or
 * fitting ANCHOR; or, ANCHOR NULL, as the newest copy, for the reason WHY.
 */
void gw_audit_keep_partner(const char *name, const char *answer, const char *choice, const struct gw_audit_member *anchor)
	__attribute__((nonnull));
void gw_audit_keep_newest(const char *name, const char *answer, const char *choice, const char *why) __attribute__((nonnull));
void gw_audit_tell_kept(const char *path) __attribute__((nonnull));
void gw_audit_forget_kept(void);
/* Told at once. */
void gw_audit_tell_refused(const char *name, const char *choice, const struct gw_audit_member *anchor) __attribute__((nonnull));
void gw_audit_tell_mixed(const struct gw_audit_member *one, const struct gw_audit_member *other) __attribute__((nonnull));
void gw_audit_tell_second(const struct gw_audit_member *second, const struct gw_audit_member *first) __attribute__((nonnull));
/* NEEDER's search for NAME, a library of some set, has ended without a file. WHY: may be NULL. */
void gw_audit_tell_missing(const char *name, struct link_map *needer, const char *why) __attribute__((nonnull(1)));

#endif
