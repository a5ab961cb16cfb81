/* SPDX-License-Identifier: Apache-2.0 */
/* Becomes gangway-import, which lies in PREFIX/libexec/gangway or, where we were built, beside this
 * program. */
#include "abi.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"

static const char *const places[] = {"../libexec/gangway/gangway-import", "gangway-import"};

/* The program's path, in PATH (PATH_MAX bytes); false where it is in neither place. */
static bool find(char *path)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (length <= 0)
		return false;
	self[length] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (snprintf(path, PATH_MAX, "%s/%s", self, places[i]) < PATH_MAX &&
		    !access(path, X_OK))
			return true;
	return false;
}

int gw_abi_import_start(const char *database, int argc, char **argv)
{
	char path[PATH_MAX];
	char **words = calloc((size_t)argc + 3, sizeof(*words));

	if (!words) {
		gw_complain("out of memory");
		return GW_EXIT_FAILED;
	}
	words[0] = path;
	words[1] = (char *)database;
	memcpy(words + 2, argv, (size_t)argc * sizeof(*words));
	if (!find(path))
		gw_complain("gangway-import is neither in ../libexec/gangway, seen from this "
			    "program, nor beside it; install "
			    "gangway as a whole");
	else if (execv(path, words))
		gw_complain("%s: %s", path, strerror(errno));
	free(words);
	return GW_EXIT_FAILED;
}
