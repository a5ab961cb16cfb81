/* SPDX-License-Identifier: Apache-2.0 */
/* See policy.h: a rule as the line that it would be read from. For the command alone. */
#include "policy.h"

#include <string.h>

struct writer {
	char *at, *end;
};

static void write_text(struct writer *w, const char *text)
{
	while (*text && w->at + 1 < w->end)
		*w->at++ = *text++;
	*w->at = 0;
}

static void write_number(struct writer *w, int64_t value, bool is_release)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t rest = (uint64_t)value;
	int i, last = 3;

	if (is_release) {
		while (last && !(value >> (48 - 16 * last) & 0xffff))
			last--;
		for (i = 0; i <= last; i++) {
			write_text(w, i ? "." : "");
			write_number(w, value >> (48 - 16 * i) & 0xffff, false);
		}
		return;
	}
	*--at = 0;
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	write_text(w, at);
}

/* The most release that "13.1" may mean ends in parts of all ones: shown as 13.1. */
static int64_t shown(int64_t most)
{
	int i;

	for (i = 0; i < 3 && (most >> (16 * i) & 0xffff) == 0xffff; i++)
		most &= ~((int64_t)0xffff << (16 * i));
	return most;
}

static void write_range(struct writer *w, const char *key, const struct gw_policy_range *range)
{
	bool is_release = !strcmp(key, "release");
	int64_t most = is_release ? shown(range->most) : range->most;

	if (range->least == INT64_MIN && range->most == INT64_MAX)
		return;
	write_text(w, " ");
	write_text(w, key);
	write_text(w, "=");
	if (range->least == most) {
		write_number(w, most, is_release);
		return;
	}
	if (range->least != INT64_MIN)
		write_number(w, range->least, is_release);
	write_text(w, "..");
	if (range->most != INT64_MAX)
		write_number(w, most, is_release);
}

void gw_policy_format(const struct gw_policy_rule *rule, char *text, size_t size)
{
	static const char *const effects[] = { "off", "on", "warn", "skip" };
	struct writer w = { text, text + size };

	if (!size)
		return;
	*text = 0;
	write_text(&w, rule->action == GW_POLICY_RESCUE ? "rescue " : "deny ");
	if (rule->action == GW_POLICY_RESCUE)
		write_text(&w, rule->name);
	else
		write_number(&w, rule->algorithm, false);
	write_text(&w, " ");
	write_text(&w, effects[rule->effect]);
	if (*rule->function) {
		write_text(&w, " function=");
		write_text(&w, rule->function);
	}
	if (*rule->family) {
		write_text(&w, " family=");
		write_text(&w, rule->family);
	}
	write_range(&w, "release", &rule->release);
	write_range(&w, "arch", &rule->arch);
	write_range(&w, "m", &rule->m);
	write_range(&w, "n", &rule->n);
	write_range(&w, "k", &rule->k);
	write_range(&w, "batch", &rule->batch);
}
