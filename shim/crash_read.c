/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_read.h. */
#include "crash_read.h"

#include "crash_memory.h"

uint64_t gw_bytes_number(struct gw_bytes *bytes, unsigned size)
{
	uint64_t value = 0;

	if (bytes->bad || bytes->at > bytes->end || bytes->end - bytes->at < size || !gw_crash_load(bytes->at, &value, size)) {
		bytes->bad = true;
		return 0;
	}
	bytes->at += size;
	return value;
}

int64_t gw_bytes_signed(struct gw_bytes *bytes, unsigned size)
{
	uint64_t value = gw_bytes_number(bytes, size);
	unsigned shift = 64 - 8 * size;

	return (int64_t)(value << shift) >> shift;
}

uint64_t gw_bytes_uleb(struct gw_bytes *bytes)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = gw_bytes_number(bytes, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !bytes->bad);
	return value;
}

int64_t gw_bytes_sleb(struct gw_bytes *bytes)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = gw_bytes_number(bytes, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !bytes->bad);
	if (shift < 64 && byte & 0x40)
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

void gw_bytes_skip(struct gw_bytes *bytes, uint64_t count)
{
	if (bytes->bad || bytes->at > bytes->end || count > bytes->end - bytes->at)
		bytes->bad = true;
	else
		bytes->at += count;
}
