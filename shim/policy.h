/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy of this process: GANGWAY_POLICY's file, then GANGWAY_RESCUE, read once, when it is first asked, which is when a call was refused.
 * What cannot be read is told (GW-392), and none of it obeyed.
 */
#ifndef GW_SHIM_POLICY_H
#define GW_SHIM_POLICY_H

#include "abi/policy.h"

/* Never NULL; fixed memory, any thread, errno kept. */
const struct gw_policy *gw_policy(void) __attribute__((returns_nonnull));

#endif
