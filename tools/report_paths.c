/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are meant: those that are named, and all *.gwt below named directories. */
#include "report.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"

static bool add(struct gw_trace_paths *paths, const char *path)
{
	if ((paths->count & (paths->count - 1)) == 0) {
		char **larger = realloc(paths->paths, (paths->count ? 2 * paths->count : 1) * sizeof(*larger));

		if (!larger)
			return false;
		paths->paths = larger;
	}
	paths->paths[paths->count] = strdup(path);
	return paths->paths[paths->count++] != NULL;
}

static bool is_trace(const char *name)
{
	size_t length = strlen(name), suffix = strlen(GW_TRACE_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, GW_TRACE_SUFFIX);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find(struct gw_trace_paths *paths, char *argument)
{
	char *roots[] = {argument, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	size_t before = paths->count;
	FTSENT *entry;
	int result = 0;

	if (!tree) {
		gw_complain("%s: %s", argument, strerror(errno));
		return -1;
	}
	while (!result && (entry = fts_read(tree))) {
		if (entry->fts_level == 0 && (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR)) {
			gw_complain("%s: %s", argument, strerror(entry->fts_errno));
			result = -1;
		} else if (entry->fts_info == FTS_DNR) {
			gw_complain("%s: %s", entry->fts_path, strerror(entry->fts_errno));
			result = entry->fts_level ? 0 : -1;
		} else if ((entry->fts_info == FTS_F && (!entry->fts_level || is_trace(entry->fts_name))) ||
			   (entry->fts_info == FTS_DEFAULT && !entry->fts_level)) {
			if (!add(paths, entry->fts_path)) {
				gw_complain("%s", strerror(ENOMEM));
				result = -1;
			}
		}
	}
	fts_close(tree);
	if (!result && before == paths->count) {
		gw_complain("%s: no trace (*" GW_TRACE_SUFFIX ") is below it", argument);
		result = -1;
	}
	if (paths->count > before)
		qsort(paths->paths + before, paths->count - before, sizeof(*paths->paths), by_name);
	return result;
}

int gw_trace_paths_find(struct gw_trace_paths *paths, char **arguments, size_t count)
{
	int result = 0;

	memset(paths, 0, sizeof(*paths));
	for (size_t i = 0; !result && i < count; i++)
		result = find(paths, arguments[i]);
	return result;
}

void gw_trace_paths_finish(struct gw_trace_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->paths[i]);
	free(paths->paths);
	memset(paths, 0, sizeof(*paths));
}
