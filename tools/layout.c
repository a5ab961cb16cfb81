/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the libraries that belong to this program (layout.h). */
#include "layout.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = {
	"../lib/gangway",
	"../lib64/gangway",
	"../lib/x86_64-linux-gnu/gangway",
	"../shim",
};

/* DIRECTORY/NAME by its real name where it exists, else NULL. */
static char *existing(const char *directory, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
		return NULL;
	return realpath(path, NULL);
}

int gw_layout_find(struct gw_layout *layout)
{
	char self[PATH_MAX], place[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	*layout = (struct gw_layout){0};
	if (length <= 0)
		return -ENOENT;
	self[length] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places && !layout->shim; i++) {
		snprintf(place, sizeof place, "%s/%s", self, places[i]);
		layout->shim = existing(place, "libgangway.so");
	}
	if (!layout->shim)
		return -ENOENT;
	layout->audit = existing(place, "libgangway-audit.so");
	layout->facades = existing(place, "facades");
	return 0;
}

void gw_layout_finish(struct gw_layout *layout)
{
	free(layout->shim);
	free(layout->audit);
	free(layout->facades);
	*layout = (struct gw_layout){0};
}
