/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the importer: <stdbool.h>. */
#ifndef GW_STAND_IN_STDBOOL_H
#define GW_STAND_IN_STDBOOL_H

#ifndef __cplusplus
#define bool _Bool
#define true 1
#define false 0
#endif

#endif
