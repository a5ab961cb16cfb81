/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy: what to do about which calls. docs/policy.md has the grammar. Read by libgangway.so and by `gangway`, so: no allocation, no
 * stdio, no state; the caller's memory alone. Any thread.
 */
#ifndef GW_ABI_POLICY_H
#define GW_ABI_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GW_POLICY_RULES 128u
#define GW_POLICY_NAME 40u
#define GW_POLICY_TEXT 65536u	/* bytes that a file may have */

enum gw_policy_action { GW_POLICY_RESCUE, GW_POLICY_DENY };
enum gw_policy_effect { GW_POLICY_OFF, GW_POLICY_ON, GW_POLICY_WARN, GW_POLICY_SKIP };

struct gw_policy_range {
	int64_t least, most;
};

/* One line, as it was read. */
struct gw_policy_rule {
	uint8_t action, effect;
	uint16_t line;			/* 0: from the environment */
	uint32_t algorithm;		/* of `deny` */
	char name[GW_POLICY_NAME];	/* of `rescue`; "*": each */
	char function[GW_POLICY_NAME], family[GW_POLICY_NAME];	/* "": any */
	struct gw_policy_range release, arch, m, n, k, batch;	/* release: parts of 16 bits, the first one highest */
};

struct gw_policy {
	struct gw_policy_rule rules[GW_POLICY_RULES];
	unsigned count;
};

struct gw_policy_error {
	unsigned line, column;	/* from 1 on */
	const char *why;	/* static text */
};

/* What is asked about. A number of -1 is not known, and fits only where nothing is said of it. */
struct gw_policy_case {
	const char *name;	/* of the rescue; NULL: none */
	const char *function, *family;
	int64_t algorithm;
	int64_t release;	/* gw_policy_release */
	int64_t arch, m, n, k, batch;
};

/* The parts of a release as one number that compares as they do. */
int64_t gw_policy_release(const uint16_t part[4]) __attribute__((nonnull));

/* Appends the lines of TEXT. False, with *ERROR, and POLICY as it was, when one is none. */
bool gw_policy_parse(struct gw_policy *policy, const char *text, size_t length, struct gw_policy_error *error) __attribute__((nonnull));

/*
 * Appends what the value of GANGWAY_RESCUE says: `on`, `off`, or names separated by commas: those alone; with a `-` before a name, all but that
 * one. The error's column is the character's.
 */
bool gw_policy_parse_rescue(struct gw_policy *policy, const char *value, struct gw_policy_error *error) __attribute__((nonnull));

/* The last line that fits; NULL: none does. */
const struct gw_policy_rule *gw_policy_find(const struct gw_policy *policy, enum gw_policy_action action, const struct gw_policy_case *asked)
	__attribute__((nonnull));

/* RULE as a line, at most SIZE bytes with the NUL. */
void gw_policy_format(const struct gw_policy_rule *rule, char *text, size_t size) __attribute__((nonnull));

/* The rescues that there are: their names and functions, in the order of abi/redirects; NULL after the last. */
const char *gw_policy_rescue_name(unsigned index);
const char *gw_policy_rescue_function(unsigned index);

#endif
