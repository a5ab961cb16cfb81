/* SPDX-License-Identifier: Apache-2.0 */
/* Policy files (docs/policy.md), for `gangway policy` and `gangway run`. */
#ifndef GW_TOOLS_POLICY_H
#define GW_TOOLS_POLICY_H

#include "abi/policy.h"

/*
 * Appends the lines of the file PATH to POLICY. GW_EXIT_FINE; GW_EXIT_FINDINGS when a line is wrong and GW_EXIT_FAILED when the file cannot be
 * read, after a complaint.
 */
int gw_policy_load(struct gw_policy *policy, const char *path) __attribute__((nonnull));

/* The same for a value of GANGWAY_RESCUE. */
int gw_policy_load_rescue(struct gw_policy *policy, const char *value) __attribute__((nonnull));

#endif
