/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for the importer: what vendor headers need of <stddef.h> on x86-64 Linux. */
#ifndef GW_STAND_IN_STDDEF_H
#define GW_STAND_IN_STDDEF_H

typedef unsigned long size_t;
typedef long ptrdiff_t;
#ifdef __cplusplus
#define NULL 0
#else
typedef int wchar_t;
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)

#endif
