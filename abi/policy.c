/* SPDX-License-Identifier: Apache-2.0 */
/* See policy.h. */
#include "policy.h"

#include <string.h>

#include "redirect_table.h"

#define ANY ((struct gw_policy_range){ INT64_MIN, INT64_MAX })

static const struct {
	const char *name, *function;
} rescues[] = {
#define RESCUE(function, id, name) { name, #function },
	GW_RESCUES(RESCUE)
#undef RESCUE
};

/* A word of a line. */
struct word {
	const char *text;
	size_t length;
	unsigned column;
};

struct reader {
	const char *at, *line_end;
	const char *line;
	struct gw_policy_error *error;
};

const char *gw_policy_rescue_name(unsigned index)
{
	return index < sizeof(rescues) / sizeof(*rescues) ? rescues[index].name : NULL;
}

const char *gw_policy_rescue_function(unsigned index)
{
	return index < sizeof(rescues) / sizeof(*rescues) ? rescues[index].function : NULL;
}

int64_t gw_policy_release(const uint16_t part[4])
{
	/* 15 bits for the first: the number stays positive. */
	return (int64_t)(part[0] & 0x7fff) << 48 | (int64_t)part[1] << 32 | (int64_t)part[2] << 16 | part[3];
}

static bool fail(struct reader *r, unsigned column, const char *why)
{
	r->error->column = column;
	r->error->why = why;
	return false;
}

/* The next word; length 0 at the end of the line, or where a comment begins. */
static struct word next(struct reader *r)
{
	struct word word;

	while (r->at < r->line_end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	if (r->at < r->line_end && *r->at == '#')
		r->at = r->line_end;
	word.text = r->at;
	word.column = (unsigned)(r->at - r->line) + 1;
	while (r->at < r->line_end && *r->at != ' ' && *r->at != '\t' && *r->at != '\r' && *r->at != '#')
		r->at++;
	word.length = (size_t)(r->at - word.text);
	return word;
}

static bool is(const struct word *word, const char *text)
{
	return word->length == strlen(text) && !memcmp(word->text, text, word->length);
}

static bool copy(char *to, const char *from, size_t length)
{
	if (!length || length >= GW_POLICY_NAME)
		return false;
	memcpy(to, from, length);
	to[length] = 0;
	return true;
}

static bool is_rescue(const char *text, size_t length)
{
	unsigned i;

	for (i = 0; i < sizeof(rescues) / sizeof(*rescues); i++)
		if (strlen(rescues[i].name) == length && !memcmp(rescues[i].name, text, length))
			return true;
	return length == 1 && *text == '*';
}

static bool is_function(const char *name)
{
	unsigned i;

	for (i = 0; i < sizeof(rescues) / sizeof(*rescues); i++)
		if (!strcmp(rescues[i].function, name))
			return true;
	return false;
}

/* Digits from *TEXT on, before END. */
static bool read_number(const char **text, const char *end, int64_t *value)
{
	const char *start = *text;

	for (*value = 0; *text < end && **text >= '0' && **text <= '9'; (*text)++) {
		if (*value > (INT64_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (**text - '0');
	}
	return *text > start;
}

/* 13, 13.1, 13.1.0 or 13.1.0.5: the least and the most release that it may mean. */
static bool read_release(const char **text, const char *end, int64_t *least, int64_t *most)
{
	uint16_t low[4] = { 0 }, high[4] = { 0x7fff, 0xffff, 0xffff, 0xffff };
	int64_t value;
	int i;

	for (i = 0; i < 4; i++) {
		if (!read_number(text, end, &value) || value > (i ? 0xffff : 0x7fff))
			return false;
		low[i] = high[i] = (uint16_t)value;
		if (*text + 1 >= end || **text != '.' || (*text)[1] == '.' || i == 3)
			break;
		(*text)++;
	}
	*least = gw_policy_release(low);
	*most = gw_policy_release(high);
	return true;
}

static bool read_bound(const char **text, const char *end, bool is_release, int64_t *least, int64_t *most)
{
	if (is_release)
		return read_release(text, end, least, most);
	if (!read_number(text, end, least))
		return false;
	*most = *least;
	return true;
}

/* N, A..B, A.. or ..B */
static bool read_range(const char *text, const char *end, bool is_release, struct gw_policy_range *range)
{
	int64_t least, most;
	bool dots;

	*range = ANY;
	if (text < end && *text != '.') {
		if (!read_bound(&text, end, is_release, &least, &most))
			return false;
		range->least = least;
		range->most = most;
		if (text == end)
			return true;
		range->most = INT64_MAX;
	} else if (end - text <= 2) {
		return false;
	}
	dots = end - text >= 2 && text[0] == '.' && text[1] == '.';
	if (!dots)
		return false;
	text += 2;
	if (text == end)
		return true;
	if (!read_bound(&text, end, is_release, &least, &most) || text != end)
		return false;
	range->most = most;
	return range->least <= range->most;
}

/* KEY=VALUE */
static bool read_condition(struct reader *r, const struct word *word, struct gw_policy_rule *rule)
{
	const struct {
		const char *key;
		struct gw_policy_range *range;
	} ranges[] = {
		{ "release", &rule->release }, { "arch", &rule->arch }, { "m", &rule->m }, { "n", &rule->n }, { "k", &rule->k }, { "batch", &rule->batch },
	};
	const char *equal = memchr(word->text, '=', word->length), *end = word->text + word->length, *value = equal ? equal + 1 : NULL;
	struct word key = { word->text, equal ? (size_t)(equal - word->text) : 0, word->column };
	unsigned column = equal ? word->column + (unsigned)key.length + 1 : word->column, i;

	if (!equal)
		return fail(r, word->column, "here a condition belongs, such as arch=90, or the end of the line");
	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (!is(&key, ranges[i].key))
			continue;
		if (ranges[i].range->least != INT64_MIN || ranges[i].range->most != INT64_MAX)
			return fail(r, word->column, "this condition stands twice in the line");
		if (!read_range(value, end, !i, ranges[i].range))
			return fail(r, column, i ? "no number or range, such as 64, 1..64 or 64.." : "no release or range, such as 13, 12.9..13.1 or 13.2..");
		return true;
	}
	if (is(&key, "function")) {
		if (*rule->function)
			return fail(r, word->column, "this condition stands twice in the line");
		return (copy(rule->function, value, (size_t)(end - value)) && (rule->action == GW_POLICY_DENY || is_function(rule->function))) ||
		       fail(r, column, "no function that is ever done otherwise: abi/redirects has the list");
	}
	if (is(&key, "family")) {
		if (*rule->family)
			return fail(r, word->column, "this condition stands twice in the line");
		return (copy(rule->family, value, (size_t)(end - value)) &&
			(!strcmp(rule->family, "cublas") || !strcmp(rule->family, "cublasLt") || !strcmp(rule->family, "cudnn"))) ||
		       fail(r, column, "no family: cublas, cublasLt or cudnn");
	}
	return fail(r, word->column, "no such condition: function, family, release, arch, m, n, k or batch");
}

static bool read_rescue(struct reader *r, struct gw_policy_rule *rule)
{
	struct word name = next(r), effect = next(r);

	if (!is_rescue(name.text, name.length) || !copy(rule->name, name.text, name.length))
		return fail(r, name.column, "no rescue of that name: abi/redirects has the list, and * means each");
	if (!is(&effect, "on") && !is(&effect, "off"))
		return fail(r, effect.column, "here `on` or `off` belongs: rescue NAME on|off [CONDITION…]");
	rule->effect = is(&effect, "on") ? GW_POLICY_ON : GW_POLICY_OFF;
	return true;
}

static bool read_deny(struct reader *r, struct gw_policy_rule *rule)
{
	struct word id = next(r), effect = next(r);
	const char *at = id.text;
	int64_t value;

	if (!read_number(&at, id.text + id.length, &value) || at != id.text + id.length || value > UINT32_MAX)
		return fail(r, id.column, "here the number of an algorithm belongs: deny NUMBER warn|skip|off [CONDITION…]");
	rule->algorithm = (uint32_t)value;
	if (!is(&effect, "warn") && !is(&effect, "skip") && !is(&effect, "off"))
		return fail(r, effect.column, "here `warn`, `skip` or `off` belongs: deny NUMBER warn|skip|off [CONDITION…]");
	rule->effect = is(&effect, "warn") ? GW_POLICY_WARN : is(&effect, "skip") ? GW_POLICY_SKIP : GW_POLICY_OFF;
	return true;
}

static void start(struct gw_policy_rule *rule, enum gw_policy_action action, unsigned line)
{
	memset(rule, 0, sizeof(*rule));
	rule->action = (uint8_t)action;
	rule->line = (uint16_t)line;
	rule->release = rule->arch = rule->m = rule->n = rule->k = rule->batch = ANY;
}

/* One line; *USED when it holds a rule. */
static bool read_line(struct reader *r, struct gw_policy_rule *rule, bool *used)
{
	struct word word = next(r);

	*used = word.length != 0;
	if (!*used)
		return true;
	if (!is(&word, "rescue") && !is(&word, "deny"))
		return fail(r, word.column, "no such line: `rescue NAME on|off` or `deny NUMBER warn|skip|off`");
	start(rule, is(&word, "rescue") ? GW_POLICY_RESCUE : GW_POLICY_DENY, r->error->line);
	if (rule->action == GW_POLICY_RESCUE ? !read_rescue(r, rule) : !read_deny(r, rule))
		return false;
	while ((word = next(r)).length)
		if (!read_condition(r, &word, rule))
			return false;
	return true;
}

bool gw_policy_parse(struct gw_policy *policy, const char *text, size_t length, struct gw_policy_error *error)
{
	const char *end = text + length;
	unsigned count = policy->count;
	struct reader r = { .error = error };

	error->line = 0;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text)), *nul;
		bool used;

		error->line++;
		r.line = r.at = text;
		r.line_end = stop ? stop : end;
		if (count == GW_POLICY_RULES) {
			struct word word = next(&r);

			if (word.length)
				return fail(&r, word.column, "more lines than the 128 that there is room for");
		} else if (!read_line(&r, &policy->rules[count], &used)) {
			return false;
		} else {
			count += used;
		}
		nul = memchr(text, 0, (size_t)(r.line_end - text));
		if (nul)
			return fail(&r, (unsigned)(nul - text) + 1, "a NUL stands there: this is no text");
		text = r.line_end + 1;
	}
	policy->count = count;
	return true;
}

static void add_rescue(struct gw_policy *policy, const char *name, size_t length, bool on)
{
	struct gw_policy_rule *rule = &policy->rules[policy->count++];

	start(rule, GW_POLICY_RESCUE, 0);
	copy(rule->name, name, length);
	rule->effect = on ? GW_POLICY_ON : GW_POLICY_OFF;
}

bool gw_policy_parse_rescue(struct gw_policy *policy, const char *value, struct gw_policy_error *error)
{
	unsigned count = policy->count;
	const char *at = value;
	struct reader r = { .error = error };
	bool only = *value != '-';

	error->line = 1;
	if (count + 2 > GW_POLICY_RULES)
		return fail(&r, 1, "no room: the policy file has too many lines");
	if (!strcmp(value, "on") || !strcmp(value, "1") || !strcmp(value, "off") || !strcmp(value, "0")) {
		add_rescue(policy, "*", 1, !strcmp(value, "on") || !strcmp(value, "1"));
		return true;
	}
	if (only)
		add_rescue(policy, "*", 1, false);
	for (;;) {
		bool off = *at == '-';
		size_t length = strcspn(at += off, ",");

		if (!is_rescue(at, length)) {
			policy->count = count;
			return fail(&r, (unsigned)(at - value) + 1, "no rescue of that name; `on`, `off` or names, each with a `-` before it or none");
		}
		if (off == only || policy->count == GW_POLICY_RULES) {
			policy->count = count;
			return fail(&r, (unsigned)(at - value) + 1, off == only ? "names with a `-` and without stand in one list" : "too many names");
		}
		add_rescue(policy, at, length, !off);
		at += length;
		if (!*at)
			return true;
		at++;
	}
}

static bool fits(const struct gw_policy_range *range, int64_t value)
{
	if (range->least == INT64_MIN && range->most == INT64_MAX)
		return true;
	return value >= 0 && value >= range->least && value <= range->most;
}

const struct gw_policy_rule *gw_policy_find(const struct gw_policy *policy, enum gw_policy_action action, const struct gw_policy_case *asked)
{
	unsigned i;

	for (i = policy->count; i-- > 0;) {
		const struct gw_policy_rule *rule = &policy->rules[i];

		if (rule->action != action || (action == GW_POLICY_DENY && rule->algorithm != asked->algorithm) ||
		    (action == GW_POLICY_RESCUE && strcmp(rule->name, "*") && (!asked->name || strcmp(rule->name, asked->name))) ||
		    (*rule->function && strcmp(rule->function, asked->function)) || (*rule->family && strcmp(rule->family, asked->family)))
			continue;
		if (fits(&rule->release, asked->release) && fits(&rule->arch, asked->arch) && fits(&rule->m, asked->m) && fits(&rule->n, asked->n) &&
		    fits(&rule->k, asked->k) && fits(&rule->batch, asked->batch))
			return rule;
	}
	return NULL;
}
