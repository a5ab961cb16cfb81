/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text that the auditor writes, each with one write: a line that does not fit is cut. */
#ifndef GW_AUDIT_LINE_H
#define GW_AUDIT_LINE_H

#include "audit.h"

struct gw_audit_line {
	size_t length;
	char text[4 * GW_AUDIT_PATH];
};

void gw_audit_add(struct gw_audit_line *line, const char *text) __attribute__((nonnull));
void gw_audit_add_json(struct gw_audit_line *line, const char *text) __attribute__((nonnull));
void gw_audit_add_number(struct gw_audit_line *line, unsigned long value) __attribute__((nonnull));
/* What was added so far, as a string. */
const char *gw_audit_line_text(struct gw_audit_line *line) __attribute__((nonnull, returns_nonnull));
void gw_audit_write(int file, struct gw_audit_line *line) __attribute__((nonnull));
/* To the end of the file PATH, which may be empty: then nowhere. */
void gw_audit_append(const char *path, struct gw_audit_line *line) __attribute__((nonnull));

/* Has this been asked with the same KIND, NAME and PATH (may be NULL) before? When the table is full, never. */
bool gw_audit_told_before(unsigned kind, const char *name, const char *path) __attribute__((nonnull(2)));

#endif
