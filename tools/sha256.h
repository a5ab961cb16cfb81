/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, which libnettle computes, in the spelling of a wheel's RECORD. */
#ifndef GW_TOOLS_SHA256_H
#define GW_TOOLS_SHA256_H

#include <nettle/sha2.h>

/* The sum of all that was added, in base64 for file names, without the `=` at its end. SUM begins anew. */
void gw_sha256_text(struct sha256_ctx *sum, char text[44]) __attribute__((nonnull));

#endif
