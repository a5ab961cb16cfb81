/* SPDX-License-Identifier: Apache-2.0 */
/* See json_text.h. */
#include "json_text.h"

#include <stdlib.h>
#include "text.h"

json_t *gw_json_text(const char *text)
{
	char *copy = text ? gw_text_clean(text) : NULL;
	json_t *value = copy ? json_string(copy) : json_null();

	free(copy);
	return value;
}
