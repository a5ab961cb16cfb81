/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Debian's and conda's lists of what they installed (doctor_read.h). */
#include "doctor_read.h"

#include <errno.h>
#include <string.h>

#define MAX_LINE 8192
#define MAX_LINES (16u << 20)

/* The next line without its end; false at the end, or with WRONG set. CUT: what is beyond MAX_LINE does not matter. */
static bool next_line(FILE *stream, char line[MAX_LINE], unsigned *number, const char **wrong, bool cut)
{
	size_t length;
	int next = 0;

	if (!fgets(line, MAX_LINE, stream)) {
		if (ferror(stream)) {
			++*number;
			*wrong = strerror(errno);
		}
		return false;
	}
	length = strlen(line);
	/* Descriptions and lists of dependencies may be as long as they like. */
	if (cut && length == MAX_LINE - 1 && line[length - 1] != '\n') {
		while ((next = getc(stream)) != EOF && next != '\n' && next)
			;
		line[length - 1] = next ? '\n' : line[length - 1];
	}
	if (++*number > MAX_LINES)
		*wrong = "is one line too many";
	else if (!length || (line[length - 1] != '\n' && !feof(stream)))
		*wrong = "is too long, or holds bytes that are no text";
	line[strcspn(line, "\n")] = '\0';
	return !*wrong;
}

const char *gw_dpkg_list_read(FILE *stream, gw_list_visit *visit, void *context, unsigned *number)
{
	const char *wrong = NULL;
	char line[MAX_LINE];

	*number = 0;
	while (next_line(stream, line, number, &wrong, false)) {
		if (*line != '/')
			return "is no path";
		if (visit(context, line))
			return NULL;
	}
	return wrong;
}

/* The value of FIELD, where LINE is of it; a package's or version's has no blanks. */
static const char *value_of(const char *line, const char *field)
{
	size_t length = strlen(field);

	if (strncasecmp(line, field, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	return line + strspn(line, " \t");
}

const char *gw_dpkg_status_read(FILE *stream, gw_status_visit *visit, void *context, unsigned *number)
{
	char line[MAX_LINE], package[256] = "", version[256] = "";
	const char *wrong = NULL, *value;
	bool installed = false, more;

	*number = 0;
	do {
		more = next_line(stream, line, number, &wrong, true);
		if (wrong)
			return wrong;
		if (!more || !*line) {
			if (*package && *version && installed)
				visit(context, package, version);
			*package = *version = '\0';
			installed = false;
		} else if (*line != ' ' && *line != '\t' && !strchr(line, ':')) {
			return "is no `Field: value`";
		} else if ((value = value_of(line, "Package"))) {
			snprintf(package, sizeof package, "%s", value);
		} else if ((value = value_of(line, "Version"))) {
			snprintf(version, sizeof version, "%s", value);
		} else if ((value = value_of(line, "Status"))) {
			installed = strstr(value, " installed") != NULL;
		}
	} while (more);
	return NULL;
}

int gw_conda_read(struct gw_conda_package *package, const char *text, char *error, size_t error_size)
{
	json_error_t why;

	*package = (struct gw_conda_package){.all = gw_json_parse(text, &why)};
	if (!package->all) {
		snprintf(error, error_size, "%d: %s", why.line, why.text);
		return -1;
	}
	package->name = json_string_value(json_object_get(package->all, "name"));
	package->version = json_string_value(json_object_get(package->all, "version"));
	package->files = json_object_get(package->all, "files");
	if (package->name && (!package->files || json_is_array(package->files)))
		return 0;
	snprintf(error, error_size, "1: %s", package->name ? "its `files` are no list" : "names no package");
	json_decref(package->all);
	*package = (struct gw_conda_package){0};
	return -1;
}
