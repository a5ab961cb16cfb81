/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a wheel's RECORD, a line at a time, whatever its size (doctor_read.h). */
#include "doctor_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 8192
#define MAX_LINES (4u << 20)
#define MAX_PATH 1024 /* more than any wheel has; what hostile ones make us keep is bounded by it */

/* The next field of a line of comma-separated values, unquoted in place; NULL where quotes do not close, or there is none. */
static char *next_field(char **at)
{
	char *start = *at, *out = *at, *in = *at;

	if (!in)
		return NULL;
	if (*in != '"') {
		in += strcspn(in, ",");
		*at = *in ? in + 1 : NULL;
		*in = '\0';
		return start;
	}
	for (in++; *in != '"' || in[1] == '"'; in++) {
		if (!*in)
			return NULL;
		in += *in == '"';
		*out++ = *in;
	}
	if (in[1] && in[1] != ',')
		return NULL;
	*at = in[1] ? in + 2 : NULL;
	*out = '\0';
	return start;
}

static const char *read_line(char *text, gw_record_visit *visit, void *context)
{
	char *at = text, *path = next_field(&at), *hash = next_field(&at), *size = next_field(&at), *end;
	struct gw_record_line line = {path, NULL, 0};

	if (!path || !*path || !hash || !size || at)
		return "is no `path,hash,size`";
	if (strlen(path) > MAX_PATH)
		return "has a path that is too long";
	/* RECORD itself, and what is made after the installation, has none */
	if (*hash && strncmp(hash, "sha256=", 7) != 0 && !strchr(hash, '='))
		return "has a hash without its kind";
	if (strncmp(hash, "sha256=", 7) != 0)
		return visit(context, &line);
	hash += 7;
	if (strspn(hash, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != GW_RECORD_HASH ||
	    strspn(hash + GW_RECORD_HASH, "=") != strlen(hash + GW_RECORD_HASH))
		return "has a hash that is none of sha256";
	hash[GW_RECORD_HASH] = '\0';
	errno = 0;
	line.size = strtoull(size, &end, 10);
	if (!isdigit((unsigned char)*size) || *end || errno)
		return "has a size that is no number";
	line.hash = hash;
	return visit(context, &line);
}

const char *gw_record_read(FILE *stream, gw_record_visit *visit, void *context, unsigned *number)
{
	char line[MAX_LINE];
	const char *wrong = NULL;

	/* What follows a broken line is mostly broken, too. */
	for (*number = 0; !wrong && fgets(line, sizeof line, stream);) {
		size_t length = strlen(line);

		if (++*number > MAX_LINES)
			return "is one line too many";
		if (!length || (line[length - 1] != '\n' && !feof(stream)))
			return "is too long, or holds bytes that are no text";
		line[strcspn(line, "\r\n")] = '\0';
		if (*line)
			wrong = read_line(line, visit, context);
	}
	if (!wrong && ferror(stream)) {
		++*number;
		return strerror(errno);
	}
	return wrong;
}
