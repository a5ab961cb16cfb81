/* SPDX-License-Identifier: Apache-2.0 */
/* See built_for.h. Which families there are, the build says (GW_BRIDGED). */
#include "built_for.h"

#include <stdbool.h>
#include <string.h>
#include "abi/db.h"

static bool is_family(const char *name, size_t length)
{
	for (const char *at = GW_BRIDGED; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
			return true;
	return false;
}

static const char *check_pair(const char **at)
{
	size_t length = strcspn(*at, "=,;");
	unsigned part[4];

	if (!is_family(*at, length))
		return "no family; there are " GW_BRIDGED;
	*at += length;
	if (**at != '=')
		return "'=' and a release are missing";
	length = strcspn(++*at, ",;");
	if (!(length == 3 && strncmp(*at, "any", 3) == 0) && !abi_version_parse(*at, length, part))
		return "no release, such as 12.1.3.1 or 12.1, nor `any`";
	*at += length;
	return NULL;
}

const char *gw_built_for_check(const char *value, const char **at)
{
	const char *why;

	*at = value;
	do {
		size_t length = strcspn(*at, ":;");

		if (!length || (*at)[length] != ':')
			return "a file's name and ':' are missing";
		*at += length;
		do {
			++*at;
			why = check_pair(at);
			if (why)
				return why;
		} while (**at == ',');
		if (**at == ';')
			++*at;
	} while (**at);
	return NULL;
}
