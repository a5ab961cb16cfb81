/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the importer: vendor headers include <math.h>; no declaration of it appears in their interfaces. */
#ifndef GW_STAND_IN_MATH_H
#define GW_STAND_IN_MATH_H

#include <stddef.h>

#endif
