/* SPDX-License-Identifier: Apache-2.0 */
/* See text.h. */
#include "text.h"

#include <stddef.h>
#include <string.h>

/* How many bytes are one character that can be shown; 0 where these are none. */
static size_t character(const unsigned char *at)
{
	size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
	unsigned long value = length == 1 ? *at : *at & (0xffu >> (length + 1));

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80) /* the end, too */
			return 0;
		value = value << 6 | (at[i] & 0x3f);
	}
	if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000) || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff)
		return 0;
	/* Control characters: those of ASCII, and those that a terminal may take for `ESC [`. */
	return value < 0x20 || (value >= 0x7f && value < 0xa0) ? 0 : length;
}

char *gw_text_clean(const char *text)
{
	char *copy = strdup(text);

	for (char *at = copy; at && *at;) {
		size_t length = character((const unsigned char *)at);

		if (!length)
			*at = '?';
		at += length ? length : 1;
	}
	return copy;
}
