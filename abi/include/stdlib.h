/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the importer: vendor headers include <stdlib.h>; no declaration of it appears in their interfaces. */
#ifndef GW_STAND_IN_STDLIB_H
#define GW_STAND_IN_STDLIB_H

#include <stddef.h>

#endif
