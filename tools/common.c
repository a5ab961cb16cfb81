/* SPDX-License-Identifier: Apache-2.0 */
/* What every program of tools/ shares (cmd.h): complaints, the end of standard output, data files.
 */
#include "cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text.h"

void gw_complain(const char *format, ...)
{
	char *text = NULL, *clean = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		clean = gw_text_clean(text);
	fprintf(stderr, "gangway: %s\n", clean ? clean : "out of memory");
	free(clean);
	free(text);
}

bool gw_is_near(const char *text, const char *name)
{
	while (*text && *text == *name)
		text++, name++;
	if (!*text && !*name)
		return true;
	if (*text && *name && text[1] == name[0] && text[0] == name[1] && !strcmp(text + 2, name + 2))
		return true;
	return (*text && !strcmp(text + 1, name)) || (*name && !strcmp(text, name + 1)) ||
	       (*text && *name && !strcmp(text + 1, name + 1));
}

int gw_finish_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	gw_complain("standard output: %s", strerror(errno));
	return GW_EXIT_FAILED;
}

char *gw_data_path(const char *name)
{
	/* beside the program; else it was not installed, and the build's own are taken */
	static const char *const places[] = {GW_BUILD_DATA, GW_BUILD_TABLES, GW_BUILD_TOOLS};
	char self[PATH_MAX], *path = NULL;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (length > 0) {
		self[length] = '\0';
		slash = strrchr(self, '/');
		if (slash) {
			*slash = '\0';
			if (asprintf(&path, "%s/%s/%s", self, gw_data_place, name) < 0)
				return NULL;
			if (!access(path, F_OK))
				return path;
			free(path);
		}
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (asprintf(&path, "%s/%s", places[i], name) < 0)
			return NULL;
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}
