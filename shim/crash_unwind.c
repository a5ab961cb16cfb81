/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_unwind.h. */
#include "crash_unwind.h"

#include <string.h>
#include <ucontext.h>

#include "crash_memory.h"
#include "crash_stack.h"
#include "objects.h"

#define NAME_LENGTH 512u
#define GUESS_WORDS 8192u
#define MOST_SYMBOLS 262144u

/* Registers of a ucontext_t by their DWARF numbers. */
static const uint8_t places[GW_CFI_REGISTERS] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11,
						  REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

/* As much as a row needs is too much for a small alternate stack. */
static struct gw_cfi_row row;
static struct gw_unwind caller;

void gw_unwind_start(struct gw_unwind *at, const void *context)
{
	const ucontext_t *interrupted = context;
	unsigned i;

	for (i = 0; i < GW_CFI_REGISTERS; i++)
		at->registers[i] = (uintptr_t)interrupted->uc_mcontext.gregs[places[i]];
	at->interrupted = true;
	at->unknown = 0;
}

/* False: it cannot be told, or nobody knows it. */
static bool recover(const struct gw_unwind *at, const struct gw_cfi_rule *rule, uintptr_t cfa, unsigned which, uintptr_t *value)
{
	uintptr_t place = cfa + (uintptr_t)rule->value;

	switch (rule->how) {
	case GW_CFI_SAME: *value = at->registers[which]; return !(at->unknown >> which & 1);
	case GW_CFI_AT: return gw_crash_load(place, value, sizeof(*value));
	case GW_CFI_IS: *value = place; return true;
	case GW_CFI_REGISTER:
		if ((uint64_t)rule->value >= GW_CFI_REGISTERS)
			return false;
		*value = at->registers[rule->value];
		return !(at->unknown >> rule->value & 1);
	case GW_CFI_AT_EXPRESSION:
		return gw_cfi_expression(rule, at->registers, true, cfa, &place) && gw_crash_load(place, value, sizeof(*value));
	case GW_CFI_IS_EXPRESSION: return gw_cfi_expression(rule, at->registers, true, cfa, value);
	default: return false;
	}
}

/* Code that nobody knows was called, or jumped to, a moment ago, most often through a NULL pointer: the return address is still on top. */
static enum gw_unwind_end leave_nowhere(struct gw_unwind *at)
{
	uintptr_t back = 0, sp = at->registers[GW_CFI_RSP];

	if (!at->interrupted || gw_crash_object_at(at->registers[GW_CFI_RA]) || !gw_crash_load(sp, &back, sizeof(back)) || !gw_crash_follows_call(back))
		return GW_UNWIND_LOST;
	at->registers[GW_CFI_RA] = back;
	at->registers[GW_CFI_RSP] = sp + sizeof(back);
	at->interrupted = false;
	return GW_UNWIND_ON;
}

enum gw_unwind_end gw_unwind_step(struct gw_unwind *at)
{
	/* A call may be a function's last instruction: what is behind it is another's. */
	uintptr_t address = at->registers[GW_CFI_RA] - !at->interrupted, cfa, sp = at->registers[GW_CFI_RSP];
	const struct gw_object *object = gw_crash_object_at(address);
	struct gw_cfi_space space = { 0 };
	unsigned i;

	if (object)
		space = (struct gw_cfi_space){ object->low, object->high, object->frames };
	if (!gw_cfi_row(&space, address, &row))
		return leave_nowhere(at);
	if (row.rule[row.return_register].how == GW_CFI_UNDEFINED)
		return GW_UNWIND_OUTERMOST;
	if (row.cfa.how != GW_CFI_IS_EXPRESSION && at->unknown >> row.cfa_register & 1)
		return GW_UNWIND_LOST;
	if (row.cfa.how != GW_CFI_IS_EXPRESSION)
		cfa = at->registers[row.cfa_register] + (uintptr_t)row.cfa.value;
	else if (!gw_cfi_expression(&row.cfa, at->registers, false, 0, &cfa))
		return GW_UNWIND_LOST;
	caller = (struct gw_unwind){ .unknown = 0 };
	for (i = 0; i < GW_CFI_REGISTERS; i++)
		if (!recover(at, &row.rule[i], cfa, i, &caller.registers[i]))
			caller.unknown |= 1u << i;
	if (caller.unknown >> row.return_register & 1)
		return GW_UNWIND_LOST;
	if (row.rule[GW_CFI_RSP].how == GW_CFI_SAME)
		caller.registers[GW_CFI_RSP] = cfa;
	caller.unknown &= ~(1u << GW_CFI_RSP | 1u << GW_CFI_RA);
	caller.registers[GW_CFI_RA] = caller.registers[row.return_register];
	if (!caller.registers[GW_CFI_RA])
		return GW_UNWIND_OUTERMOST;
	/* Stacks grow downwards; a signal may have come on another one. A loop would have no end. */
	if (caller.registers[GW_CFI_RSP] <= sp && !row.is_signal)
		return GW_UNWIND_LOST;
	caller.interrupted = row.is_signal;
	*at = caller;
	return GW_UNWIND_ON;
}

bool gw_unwind_guess(struct gw_unwind *at)
{
	uintptr_t sp = (at->registers[GW_CFI_RSP] + 7) & ~(uintptr_t)7, word = 0;
	unsigned i;

	for (i = 0; i < GUESS_WORDS && gw_crash_load(sp + 8 * i, &word, sizeof(word)); i++) {
		if (!gw_crash_follows_call(word))
			continue;
		at->registers[GW_CFI_RA] = word;
		at->registers[GW_CFI_RSP] = sp + 8 * i + 8;
		at->interrupted = false;
		at->unknown = ~(1u << GW_CFI_RSP | 1u << GW_CFI_RA);
		return true;
	}
	return false;
}

/* A string that ends within the object, its bytes there. */
static bool is_name(uintptr_t at, uintptr_t end)
{
	unsigned char byte = 1;
	unsigned i;

	for (i = 0; i < NAME_LENGTH && at + i < end && gw_crash_load(at + i, &byte, 1) && byte; i++)
		;
	return i && !byte;
}

/* Where the symbols end at the latest: where any other table begins, or where what is mapped of the file ends. */
static uintptr_t end_of_symbols(const struct gw_object *object)
{
	const struct gw_image *image = &object->image;
	const void *const others[] = { image->strings, image->versions, image->defined, image->needed, image->gnu_hash, image->sysv_hash, image->dynamic };
	uintptr_t end = object->symbols_end;
	unsigned i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if ((uintptr_t)others[i] > (uintptr_t)image->symbols && (uintptr_t)others[i] < end)
			end = (uintptr_t)others[i];
	return end;
}

const char *gw_unwind_name(uintptr_t address, uintptr_t *begin)
{
	const struct gw_object *object = gw_crash_object_at(address);
	uintptr_t at, end, name;
	Elf64_Sym symbol;
	uint32_t count;

	if (!object || !object->image.symbols || !object->symbols_end)
		return NULL;
	at = (uintptr_t)object->image.symbols;
	end = end_of_symbols(object);
	for (count = 0; at + sizeof(symbol) <= end && count < MOST_SYMBOLS; at += sizeof(symbol), count++) {
		if (!gw_crash_load(at + 16, (char *)&symbol + 16, 8))	/* st_size */
			return NULL;
		if (!symbol.st_size)
			continue;
		if (!gw_crash_load(at + 8, (char *)&symbol + 8, 8))	/* st_value */
			return NULL;
		*begin = object->image.base + symbol.st_value;
		if (address < *begin || address - *begin >= symbol.st_size || !gw_crash_load(at, &symbol, 8))
			continue;
		name = (uintptr_t)object->image.strings + symbol.st_name;
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && symbol.st_name < object->image.strings_size &&
		    is_name(name, (uintptr_t)object->image.strings + object->image.strings_size))
			return (const char *)name;
	}
	return NULL;
}
