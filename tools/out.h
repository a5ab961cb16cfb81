/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is there when it is whole, and not before: written aside, then renamed. Or standard output. Errors are kept, and told once, at the end.
 */
#ifndef GW_TOOLS_OUT_H
#define GW_TOOLS_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gw_out {
	FILE *file;
	char *path, *aside;	/* NULL: standard output */
};

/* PATH: NULL or "-": standard output. 0, or -1 after a complaint. */
int gw_out_open(struct gw_out *out, const char *path) __attribute__((nonnull(1), warn_unused_result));
/* STATUS as it came, or GW_EXIT_FAILED after a complaint: then nothing is at PATH that was not there before. KEEP: false throws it away. */
int gw_out_close(struct gw_out *out, int status, bool keep) __attribute__((nonnull, warn_unused_result));

/* TEXT as the inside of a JSON string; what is no UTF-8 becomes U+FFFD. */
void gw_out_json(FILE *file, const char *text) __attribute__((nonnull));
/* TEXT for HTML, between tags or in a quoted attribute. */
void gw_out_html(FILE *file, const char *text) __attribute__((nonnull));
/* TEXT as a field of CSV. */
void gw_out_csv(FILE *file, const char *text) __attribute__((nonnull));

#endif
