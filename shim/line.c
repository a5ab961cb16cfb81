/* SPDX-License-Identifier: Apache-2.0 */
/* See line.h. */
#include "line.h"

#include <math.h>
#include <string.h>

void gw_line_start(struct gw_line *line, char *buffer, size_t size)
{
	line->text = buffer;
	line->size = size;
	line->length = 0;
	line->cut = false;
}

void gw_line_char(struct gw_line *line, char c)
{
	if (line->length + 1 < line->size)
		line->text[line->length++] = c;
	else
		line->cut = true;
}

void gw_line_text(struct gw_line *line, const char *text)
{
	while (*text)
		gw_line_char(line, *text++);
}

void gw_line_unsigned(struct gw_line *line, uint64_t value)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		gw_line_char(line, digits[--n]);
}

void gw_line_signed(struct gw_line *line, int64_t value)
{
	if (value < 0)
		gw_line_char(line, '-');
	gw_line_unsigned(line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void gw_line_hex(struct gw_line *line, uint64_t value)
{
	int shift = 60;

	gw_line_text(line, "0x");
	while (shift && !(value >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		gw_line_char(line, "0123456789abcdef"[value >> shift & 15]);
}

void gw_line_double(struct gw_line *line, double value)
{
	int exponent = 0, i;
	char digits[18];
	uint64_t whole;

	if (isnan(value) || isinf(value)) {
		gw_line_text(line, "null");
		return;
	}
	if (value < 0) {
		gw_line_char(line, '-');
		value = -value;
	}
	if (value == 0) {
		gw_line_char(line, '0');
		return;
	}
	while (value >= 10) {
		value /= 10;
		exponent++;
	}
	while (value < 1) {
		value *= 10;
		exponent--;
	}
	whole = (uint64_t)(value * 1e8 + 0.5);	/* nine digits */
	if (whole >= 1000000000u) {
		whole /= 10;
		exponent++;
	}
	for (i = 8; i >= 0; i--) {
		digits[i] = (char)('0' + whole % 10);
		whole /= 10;
	}
	for (i = 8; i > 0 && digits[i] == '0'; i--)
		;
	gw_line_char(line, digits[0]);
	if (i > 0)
		gw_line_char(line, '.');
	for (int k = 1; k <= i; k++)
		gw_line_char(line, digits[k]);
	if (exponent) {
		gw_line_char(line, 'e');
		gw_line_signed(line, exponent);
	}
}

/* Length of the well-formed UTF-8 sequence at S, 0 when there is none: paths may hold any bytes, JSON may not. */
static unsigned utf8_length(const unsigned char *s, size_t left)
{
	unsigned n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
	unsigned i;

	if (!n || n > left)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void gw_line_string(struct gw_line *line, const char *text, size_t length)
{
	const unsigned char *s = (const void *)text, *end = s + length;

	gw_line_char(line, '"');
	while (s < end) {
		unsigned n = utf8_length(s, (size_t)(end - s));

		if (line->length + 8 >= line->size) {	/* never cut inside an escape or a character */
			line->cut = true;
			break;
		}
		if (!n) {
			gw_line_text(line, "\\ufffd");
			s++;
		} else if (n == 1 && (*s < 0x20 || *s == 0x7f)) {
			gw_line_text(line, "\\u00");
			gw_line_char(line, "0123456789abcdef"[*s >> 4]);
			gw_line_char(line, "0123456789abcdef"[*s & 15]);
			s++;
		} else {
			if (*s == '"' || *s == '\\')
				gw_line_char(line, '\\');
			while (n--)
				gw_line_char(line, (char)*s++);
		}
	}
	gw_line_char(line, '"');
}

void gw_line_key(struct gw_line *line, const char *key)
{
	char before = line->length ? line->text[line->length - 1] : '{';

	if (before != '{' && before != '[')
		gw_line_char(line, ',');
	gw_line_string(line, key, strlen(key));
	gw_line_char(line, ':');
}
