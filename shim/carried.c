/* SPDX-License-Identifier: Apache-2.0 */
/* See call.h: statuses that a library has written into the caller's memory. Where they lie, the generated wrappers say. */
#include <string.h>

#include "call.h"

void gw_carried_out(const struct gw_call *call, void *array, int64_t count, int64_t most, size_t size, size_t offset)
{
	char *at;
	int64_t i;

	if (!array)
		return;
	at = (char *)array + offset;
	for (i = 0; i < count && i < most; i++, at += size) {
		int32_t status;

		memcpy(&status, at, sizeof(status));
		status = gw_status_out(call, status);
		memcpy(at, &status, sizeof(status));
	}
}
