/* SPDX-License-Identifier: Apache-2.0 */
/* The words of findings about faults (scan_fault.h). */
#include "scan_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 3 /* how many symbols a finding names */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool gw_fault_belongs(const struct gw_fault_group *group, const struct gw_fault *fault)
{
	return fault->kind == group->first->kind && fault->object == group->first->object &&
	       fault->named == group->first->named && (fault->named || !fault->version);
}

__attribute__((format(printf, 1, 2))) char *gw_fault_text(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return text;
}

char *gw_fault_described(struct gw_scan *scan, const char *path)
{
	char *release = gw_scan_release(scan, path, true);
	char *text = release ? gw_fault_text("%s (release %s)", path, release) : strdup(path);

	free(release);
	return text;
}

char *gw_fault_names(const struct gw_fault_group *group)
{
	char *text = NULL;
	size_t told = 0;

	for (size_t i = 0; i < group->faults->count && told < NAMED; i++) {
		const struct gw_fault *fault = &group->faults->fault[i];
		char *more;

		if (!gw_fault_belongs(group, fault))
			continue;
		more = gw_fault_text("%s%s%s", text ? text : "", text ? ", " : "", fault->name);
		free(text);
		text = more;
		told++;
	}
	if (text && group->count > told) {
		char *more = gw_fault_text("%s and %zu more%s", text, group->count - told, group->more ? " or yet more" : "");

		free(text);
		text = more;
	}
	return text;
}

char *gw_fault_reason(const struct gw_mapped *named)
{
	const char *needer = named->by ? base_of(named->by->file->path) : NULL;

	switch (named->rule) {
	case GW_RULE_LIBRARY_PATH:
		return named->by && named->by->file->elf.runpath
			       ? gw_fault_text("taken from LD_LIBRARY_PATH, which comes before the "
					 "RUNPATH of %s",
					 needer)
			       : strdup("taken from LD_LIBRARY_PATH");
	case GW_RULE_RPATH:
	case GW_RULE_RUNPATH:
		return gw_fault_text("taken from the %s of %s", gw_rule_name(named->rule),
			       base_of(named->owner ? named->owner->path : named->file->path));
	default:
		return named->by ? gw_fault_text("taken from %s", gw_rule_name(named->rule))
				 : strdup("mapped before");
	}
}
