/* SPDX-License-Identifier: Apache-2.0 */
/* See sha256.h. */
#include "sha256.h"

#include <nettle/base64.h>

void gw_sha256_text(struct sha256_ctx *sum, char text[44])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sum, sizeof digest, digest);
	base64_encode_raw(text, sizeof digest, digest);
	for (int i = 0; i < 43; i++)
		text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
	text[43] = '\0';	/* where the padding was */
}
