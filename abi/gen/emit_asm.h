/* SPDX-License-Identifier: Apache-2.0 */
/* What emit_facade.c needs of emit_asm.c: the assembly half of one facade. */
#ifndef GW_EMIT_ASM_H
#define GW_EMIT_ASM_H

#include "gen.h"

void emit_facade_entries(const struct gen *gen, const struct gen_facade *facade);

#endif
