/* SPDX-License-Identifier: Apache-2.0 */
/* See refuse.h. */
#include "refuse.h"

#include <errno.h>

#include "binding.h"
#include "finding.h"
#include "line.h"
#include "release.h"

int32_t gw_refuse(struct gw_call *call, const char *why)
{
	const struct gw_binding *binding = call->binding;
	const struct gw_family_data *family = &gw_families[binding->family];
	char text[1024], remedy[256];
	struct gw_line line;
	int error = errno;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(call->fn));
	gw_line_text(&line, " was told 'not supported': ");
	gw_line_text(&line, binding->path);
	gw_line_text(&line, " has no such function, and ");
	gw_line_text(&line, why);
	line.text[line.length] = 0;
	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_release_remedy(&line, GW_FINDING_NOT_CARRIED, call->fn);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_NOT_CARRIED, gw_function_name(call->fn), text, remedy);
	call->absent = 0;
	errno = error;
	return binding->translate && binding->loaded_release ? family->refuse[binding->loaded_release->numbering] : binding->refuse;
}
