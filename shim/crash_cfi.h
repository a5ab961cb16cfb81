/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information of a mapped object (.eh_frame, found through .eh_frame_hdr, as compilers write them for x86-64): how to get from a function's
 * registers to its caller's. Reads memory alone, each byte only within the bounds that it is given and where the kernel says that it is there; what
 * it reads may be damaged. Keeps its state in static memory: for one thread at a time.
 *
 * libunwind would do this, too. It is not used: on the way it takes locks, maps memory and may call abort, and its archive needs liblzma.
 */
#ifndef GW_CRASH_CFI_H
#define GW_CRASH_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* Registers by their DWARF numbers for x86-64. */
enum { GW_CFI_RBP = 6, GW_CFI_RSP = 7, GW_CFI_RA = 16, GW_CFI_REGISTERS = 17 };

enum gw_cfi_how {
	GW_CFI_SAME,		/* the caller's is the same */
	GW_CFI_UNDEFINED,	/* nobody knows; of the return address: there is no caller */
	GW_CFI_AT,		/* it lies at CFA + value */
	GW_CFI_IS,		/* it is CFA + value */
	GW_CFI_REGISTER,	/* it is in register VALUE */
	GW_CFI_AT_EXPRESSION,	/* it lies where the expression says */
	GW_CFI_IS_EXPRESSION,	/* it is what the expression says */
};

struct gw_cfi_rule {
	enum gw_cfi_how how;
	int64_t value;
	uintptr_t expression, expression_end;
};

struct gw_cfi_row {
	struct gw_cfi_rule rule[GW_CFI_REGISTERS];
	struct gw_cfi_rule cfa;		/* GW_CFI_IS_EXPRESSION, else register + value: */
	unsigned cfa_register;
	unsigned return_register;
	bool is_signal;			/* the caller was interrupted, and made no call */
};

/* What may be read, and where .eh_frame_hdr begins. */
struct gw_cfi_space {
	uintptr_t low, high, header;
};

/* How things stand at the instruction ADDRESS. False: there is no such information, or none that can be used. */
bool gw_cfi_row(const struct gw_cfi_space *space, uintptr_t address, struct gw_cfi_row *row) __attribute__((nonnull));

/* What the expression of RULE comes to; START is on its stack first. Memory is read where it is there. False: it has no value. */
bool gw_cfi_expression(const struct gw_cfi_rule *rule, const uintptr_t *registers, bool has_start, uintptr_t start, uintptr_t *value)
	__attribute__((nonnull));

#endif
