/* SPDX-License-Identifier: Apache-2.0 */
/* Names out of files are bytes, which may mean anything to a terminal, and nothing in JSON: how they are shown. */
#ifndef GW_TOOLS_TEXT_H
#define GW_TOOLS_TEXT_H

/* A copy, to free, of the same length, with `?` for each byte that is no UTF-8 or of a control character; NULL without memory. */
char *gw_text_clean(const char *text) __attribute__((nonnull));

#endif
