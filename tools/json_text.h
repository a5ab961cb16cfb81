/* SPDX-License-Identifier: Apache-2.0 */
/* Text out of files in JSON (text.h). */
#ifndef GW_TOOLS_JSON_TEXT_H
#define GW_TOOLS_JSON_TEXT_H

#include <jansson.h>

/* TEXT as it can be shown; null for NULL. */
json_t *gw_json_text(const char *text);

#endif
