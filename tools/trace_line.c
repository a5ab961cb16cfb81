/* SPDX-License-Identifier: Apache-2.0 */
/* A time line of bounded size: when it does not reach, each of its bins takes twice the time (trace_sum.h). */
#include "trace_sum.h"

#include <string.h>

#define FIRST_SHIFT 16		/* bins of 65 us to begin with */

static void add_bin(struct gw_sum_bin *into, const struct gw_sum_bin *from)
{
	into->calls += from->calls;
	into->failures += from->failures;
	for (unsigned f = 0; f < GW_SUM_FAMILIES; f++)
		into->busy[f] += from->busy[f];
}

/* Bins of SHIFT, at least the present one. */
static void widen(struct gw_sum_line *line, unsigned shift)
{
	unsigned more = shift - line->shift;
	int64_t first = more < 63 ? line->first >> more : 0;

	if (!more)
		return;
	for (uint32_t i = 0; i < line->count; i++) {
		struct gw_sum_bin bin = line->bins[i];
		int64_t place = ((line->first + i) >> (more < 63 ? more : 62)) - first;

		/* an earlier or the same place: what stood there was moved already */
		memset(&line->bins[i], 0, sizeof(bin));
		add_bin(&line->bins[place], &bin);
	}
	if (line->count)
		line->count = (uint32_t)(((line->first + line->count - 1) >> (more < 63 ? more : 62)) - first + 1);
	line->first = first;
	line->shift = shift;
}

/* The bin of TIME, made where there is none; the line widens where it has to. */
static struct gw_sum_bin *reach(struct gw_sum_line *line, int64_t time)
{
	if (!line->shift)
		line->shift = FIRST_SHIFT;
	for (;;) {
		int64_t at = time >> line->shift;

		if (!line->count) {
			line->first = at;
			line->count = 1;
			memset(&line->bins[0], 0, sizeof(line->bins[0]));
		}
		if (at >= line->first && at - line->first < (int64_t)line->count)
			return &line->bins[at - line->first];
		if (at >= line->first && at - line->first < GW_SUM_BINS) {
			memset(&line->bins[line->count], 0, (size_t)(at - line->first + 1 - line->count) * sizeof(line->bins[0]));
			line->count = (uint32_t)(at - line->first) + 1;
			return &line->bins[at - line->first];
		}
		if (at < line->first && line->first + line->count - at <= GW_SUM_BINS) {
			uint32_t more = (uint32_t)(line->first - at);

			memmove(&line->bins[more], &line->bins[0], line->count * sizeof(line->bins[0]));
			memset(&line->bins[0], 0, more * sizeof(line->bins[0]));
			line->first = at;
			line->count += more;
			return &line->bins[0];
		}
		if (line->shift >= 62)
			return &line->bins[0];
		widen(line, line->shift + 1);
	}
}

void gw_sum_line_add(struct gw_sum_line *line, int64_t start, uint64_t busy, unsigned family, bool failed, bool outer)
{
	struct gw_sum_bin *bin = reach(line, start);

	bin->calls++;
	bin->failures += failed;
	while (outer && busy) {
		int64_t end = (int64_t)((uint64_t)((start >> line->shift) + 1) << line->shift);
		uint64_t here = (uint64_t)(end - start) < busy ? (uint64_t)(end - start) : busy;

		/* what reaches beyond the line is rare, and long: it widens the line at its end once */
		bin->busy[family] += here;
		busy -= here;
		start = end;
		if (busy) {
			if (busy >> line->shift > GW_SUM_BINS)
				reach(line, start + (int64_t)(busy < (UINT64_C(1) << 62) ? busy : 0));
			bin = reach(line, start);
		}
	}
}

void gw_sum_line_merge(struct gw_sum_line *into, const struct gw_sum_line *from)
{
	if (!from->count)
		return;
	if (!into->shift)
		into->shift = from->shift;
	if (into->shift < from->shift)
		widen(into, from->shift);
	for (uint32_t i = 0; i < from->count; i++)
		add_bin(reach(into, (int64_t)((uint64_t)(from->first + i) << from->shift)), &from->bins[i]);
}
