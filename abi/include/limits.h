/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the importer: vendor headers include <limits.h>; no declaration of it appears in their interfaces. */
#ifndef GW_STAND_IN_LIMITS_H
#define GW_STAND_IN_LIMITS_H

#include <stddef.h>

#endif
