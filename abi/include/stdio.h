/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the importer: vendor headers pass FILE pointers and look no further. */
#ifndef GW_STAND_IN_STDIO_H
#define GW_STAND_IN_STDIO_H

#include <stddef.h>

typedef struct _IO_FILE FILE;

#endif
