/* SPDX-License-Identifier: Apache-2.0 */
/* See option.h. */
#include "option.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd.h"

/* PATH's name on this machine. */
static int host_of(const struct gw_loader *loader, const char *path, char host[PATH_MAX])
{
	if (loader)
		return gw_loader_host(loader, path, host);
	return snprintf(host, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

bool gw_option_is_directory(const struct gw_loader *loader, const char *path)
{
	char host[PATH_MAX];
	struct stat info;

	return host_of(loader, path, host) == 0 && stat(host, &info) == 0 && S_ISDIR(info.st_mode);
}

int gw_option_python(const struct gw_loader *loader, struct gw_python_paths *paths, const char *directory)
{
	char host[PATH_MAX];
	int result = host_of(loader, directory, host);

	if (!result)
		result = gw_python_paths_add_given(paths, host);
	if (!result)
		return -1;
	gw_complain("--python %s: %s", directory, strerror(-result));
	return GW_EXIT_FAILED;
}

int gw_option_library_path(const struct gw_loader *loader, const char *list)
{
	if (!*list) {
		gw_complain("--library-path: no directory is given");
		return GW_EXIT_USAGE;
	}
	for (size_t length; *list; list += length + (list[length] != '\0')) {
		char *directory;
		bool there;

		length = strcspn(list, ":;"); /* as the loader splits it */
		directory = strndup(list, length);
		there = !length || (directory && gw_option_is_directory(loader, directory));
		free(directory);
		if (!there) {
			gw_complain("--library-path %.*s: no such directory", (int)length, list);
			return GW_EXIT_FAILED;
		}
	}
	return -1;
}

void gw_option_database(struct abi_db *db, const char *less)
{
	struct abi_error error = {0};
	char *directory = gw_data_path("facts");

	if (!directory || abi_db_load(db, directory, &error) != 0)
		gw_complain("%s; %s", error.text[0] ? error.text : "there is no database of facts", less);
	free(directory);
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
