/* SPDX-License-Identifier: Apache-2.0 */
/* See policy.h. */
#include "policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cmd.h"

int gw_policy_load(struct gw_policy *policy, const char *path)
{
	static char text[GW_POLICY_TEXT + 1];
	struct gw_policy_error error;
	FILE *file = fopen(path, "re");
	size_t length = 0;
	int reason = 0;

	if (file) {
		length = fread(text, 1, sizeof text, file);
		reason = ferror(file) ? errno : 0;
		fclose(file);
	}
	if (!file || reason) {
		gw_complain("%s: %s", path, strerror(file ? reason : errno));
		return GW_EXIT_FAILED;
	}
	if (length > GW_POLICY_TEXT) {
		gw_complain("%s: a policy has at most %u bytes", path, GW_POLICY_TEXT);
		return GW_EXIT_FINDINGS;
	}
	if (gw_policy_parse(policy, text, length, &error))
		return GW_EXIT_FINE;
	gw_complain("%s:%u:%u: %s", path, error.line, error.column, error.why);
	return GW_EXIT_FINDINGS;
}

int gw_policy_load_rescue(struct gw_policy *policy, const char *value)
{
	struct gw_policy_error error;

	if (gw_policy_parse_rescue(policy, value, &error))
		return GW_EXIT_FINE;
	gw_complain("GANGWAY_RESCUE=%s: %s at character %u", value, error.why, error.column);
	return GW_EXIT_FINDINGS;
}
