/* SPDX-License-Identifier: Apache-2.0 */
/* See option.h. */
#include "option.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd.h"

int gw_option_python(struct gw_python_paths *paths, const char *directory)
{
	int result = gw_python_paths_add_given(paths, directory);

	if (!result)
		return -1;
	gw_complain("--python %s: %s", directory, strerror(-result));
	return GW_EXIT_FAILED;
}

int gw_option_library_path(const char *list)
{
	if (!*list) {
		gw_complain("--library-path: no directory is given");
		return GW_EXIT_USAGE;
	}
	for (size_t length; *list; list += length + (list[length] == ':')) {
		struct stat info;
		char *directory;
		bool there;

		length = strcspn(list, ":");
		directory = strndup(list, length);
		there = !length || (directory && stat(directory, &info) == 0 &&
				    S_ISDIR(info.st_mode));
		free(directory);
		if (!there) {
			gw_complain("--library-path %.*s: no such directory", (int)length, list);
			return GW_EXIT_FAILED;
		}
	}
	return -1;
}

int gw_option_help(const char *text)
{
	fputs(text, stdout);
	return gw_finish_output(GW_EXIT_FINE);
}

int gw_option_wrong(const char *command, int what, char **argv)
{
	gw_complain("%s: %s %s; `gangway %s --help` lists the options", command, argv[optind - 1],
		    what == ':' ? "needs a value" : "is no option, or takes no value", command);
	return GW_EXIT_USAGE;
}
