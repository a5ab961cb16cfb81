/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See audit_line.h. A file is opened for each line: there are few, and a program may close every descriptor that
 * it does not know.
 */
#include "audit_line.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include "audit_system.h"

void gw_audit_add(struct gw_audit_line *line, const char *text)
{
	size_t length = strlen(text), room = sizeof line->text - line->length;

	if (length > room)
		length = room;
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

void gw_audit_add_json(struct gw_audit_line *line, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	gw_audit_add(line, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char out[7] = {*text};

		if (c == '"' || c == '\\')
			memcpy(out, (char[]){'\\', *text, 0}, 3);
		else if (c < 0x20)
			memcpy(out,
			       (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], 0}, 7);
		gw_audit_add(line, out);
	}
	gw_audit_add(line, "\"");
}

void gw_audit_add_number(struct gw_audit_line *line, unsigned long value)
{
	char digits[24];
	char *at = digits + sizeof digits - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	gw_audit_add(line, at);
}

void gw_audit_write(int file, struct gw_audit_line *line)
{
	if (line->length == sizeof line->text)
		line->text[line->length - 1] = '\n';
	if (gw_sys_write(file, line->text, line->length) < 0)
		return; /* nobody to tell: the program goes on without this line */
}

void gw_audit_append(const char *path, struct gw_audit_line *line)
{
	int file = *path ? (int)gw_sys_open(path,
					    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
					    0666)
			 : -1;

	if (file < 0)
		return;
	gw_audit_write(file, line);
	gw_sys_close(file);
}

const char *gw_audit_line_text(struct gw_audit_line *line)
{
	line->text[line->length < sizeof line->text ? line->length : line->length - 1] = '\0';
	return line->text;
}

/* Programs probe for the same name again and again: each outcome is told once. When the table is
 * full, every time. */
bool gw_audit_told_before(unsigned outcome, const char *name, const char *path)
{
	static uint64_t told[1024];
	static unsigned count;
	const unsigned room = sizeof told / sizeof *told;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + outcome;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	for (; path && *path; path++)
		hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	hash |= 1; /* 0 is an empty place */
	for (unsigned i = (unsigned)(hash >> 20) % room; told[i] != hash; i = (i + 1) % room)
		if (!told[i]) {
			if (count < room / 2) {
				told[i] = hash;
				count++;
			}
			return false;
		}
	return true;
}
