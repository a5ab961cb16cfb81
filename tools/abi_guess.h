/* SPDX-License-Identifier: Apache-2.0 */
/* Which release a library file on disk belongs to. VERSION is written when the answer is true. */
#ifndef GW_ABI_GUESS_H
#define GW_ABI_GUESS_H

#include "abi_query.h"

bool gw_guess_wheel(const char *library, char *version, size_t size);
bool gw_guess_headers(const char *library, const struct gw_family_rule *rule, char *version, size_t size);

/* The known release with this soname whose exports are nearest, the newest among equals; -1 when no release has it. */
int gw_guess_exports(const struct abi_family *family, const char *soname, const char **exports, size_t count);

/* Is NAME among the sorted names? */
bool gw_guess_has(const char **exports, size_t count, const char *name, size_t length);

#endif
