/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the web page share. */
#ifndef GW_TOOLS_REPORT_HTML_H
#define GW_TOOLS_REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

const char *gw_html_time(double ns, char room[32]);		/* "1.23 ms" */
const char *gw_html_count(double value, char room[40]);		/* "1,234,567" */
double gw_html_number(const json_t *object, const char *member);

/* Pictures: the time line, and callers as a flame graph. Nothing where there is nothing to show. */
void gw_html_line(FILE *out, const json_t *report) __attribute__((nonnull));
void gw_html_flame(FILE *out, const json_t *report) __attribute__((nonnull));

#endif
