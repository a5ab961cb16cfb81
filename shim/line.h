/* SPDX-License-Identifier: Apache-2.0 */
/* Builds one line of text or JSON in a caller's buffer, without stdio or allocation. What does not fit is cut, never overrun. */
#ifndef GW_LINE_H
#define GW_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_line {
	char *text;
	size_t size, length;	/* length < size always, so there is room for a final newline */
	bool cut;
};

void gw_line_start(struct gw_line *line, char *buffer, size_t size) __attribute__((nonnull));
void gw_line_text(struct gw_line *line, const char *text) __attribute__((nonnull));
void gw_line_char(struct gw_line *line, char c) __attribute__((nonnull));
void gw_line_signed(struct gw_line *line, int64_t value) __attribute__((nonnull));
void gw_line_unsigned(struct gw_line *line, uint64_t value) __attribute__((nonnull));
void gw_line_hex(struct gw_line *line, uint64_t value) __attribute__((nonnull));	/* 0x… */
void gw_line_double(struct gw_line *line, double value) __attribute__((nonnull));	/* %.9g; null where JSON has no number */
void gw_line_string(struct gw_line *line, const char *text, size_t length) __attribute__((nonnull));	/* quoted, escaped */
void gw_line_key(struct gw_line *line, const char *key) __attribute__((nonnull));	/* "key": with a comma before it where due */

#endif
