/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of call frame information (crash_cfi.h): what linkers write for stubs, and C libraries for signal frames. DWARF 5, 2.5. */
#include "crash_cfi.h"
#include "crash_memory.h"
#include "crash_read.h"

enum { DEPTH = 32, MOST_OPERATIONS = 512 };

/* DW_OP_*, those that stand for a value by themselves first. */
enum { OP_ADDR = 0x03, OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST8S = 0x0f, OP_CONSTU = 0x10, OP_CONSTS = 0x11, OP_DUP = 0x12, OP_DROP = 0x13, OP_OVER = 0x14,
       OP_PICK = 0x15, OP_SWAP = 0x16, OP_AND = 0x1a, OP_MINUS = 0x1c, OP_MUL = 0x1e, OP_NEG = 0x1f, OP_NOT = 0x20, OP_OR = 0x21, OP_PLUS = 0x22,
       OP_PLUS_UCONST = 0x23, OP_SHL = 0x24, OP_SHR = 0x25, OP_SHRA = 0x26, OP_XOR = 0x27, OP_EQ = 0x29, OP_GE = 0x2a, OP_GT = 0x2b, OP_LE = 0x2c, OP_LT = 0x2d,
       OP_NE = 0x2e, OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70, OP_NOP = 0x96 };

struct stack {
	uint64_t value[DEPTH];
	unsigned count;
	bool bad;
};

static void push(struct stack *stack, uint64_t value)
{
	if (stack->count == DEPTH)
		stack->bad = true;
	else
		stack->value[stack->count++] = value;
}

static uint64_t pop(struct stack *stack)
{
	if (!stack->count) {
		stack->bad = true;
		return 0;
	}
	return stack->value[--stack->count];
}

static uint64_t peek(struct stack *stack, uint64_t depth)
{
	if (depth >= stack->count) {
		stack->bad = true;
		return 0;
	}
	return stack->value[stack->count - 1 - depth];
}

/* Operations of two values; false: it is none. */
static bool combine(uint8_t what, struct stack *stack)
{
	uint64_t b, a, value;

	if (what != OP_AND && what != OP_MINUS && what != OP_MUL && (what < OP_OR || what > OP_NE || what == OP_PLUS_UCONST || what == 0x28))
		return false;
	b = pop(stack);
	a = pop(stack);
	switch (what) {
	case OP_AND: value = a & b; break;
	case OP_MINUS: value = a - b; break;
	case OP_MUL: value = a * b; break;
	case OP_OR: value = a | b; break;
	case OP_PLUS: value = a + b; break;
	case OP_SHL: value = b < 64 ? a << b : 0; break;
	case OP_SHR: value = b < 64 ? a >> b : 0; break;
	case OP_SHRA: value = (uint64_t)((int64_t)a >> (b < 64 ? b : 63)); break;
	case OP_XOR: value = a ^ b; break;
	case OP_EQ: value = a == b; break;
	case OP_GE: value = (int64_t)a >= (int64_t)b; break;
	case OP_GT: value = (int64_t)a > (int64_t)b; break;
	case OP_LE: value = (int64_t)a <= (int64_t)b; break;
	case OP_LT: value = (int64_t)a < (int64_t)b; break;
	default: value = a != b; break;
	}
	push(stack, value);
	return true;
}

static void load(struct stack *stack)
{
	uint64_t value = 0;

	if (!gw_crash_load(pop(stack), &value, sizeof(value)))
		stack->bad = true;
	push(stack, value);
}

static void constant(uint8_t what, struct gw_bytes *bytes, struct stack *stack)
{
	unsigned size = 1u << ((what - OP_CONST1U) / 2);

	push(stack, (what - OP_CONST1U) % 2 ? (uint64_t)gw_bytes_signed(bytes, size) : gw_bytes_number(bytes, size));
}

/* One operation of the others. */
static void operate(uint8_t what, struct gw_bytes *bytes, struct stack *stack)
{
	uint64_t a, b;

	switch (what) {
	case OP_NOP: break;
	case OP_ADDR: push(stack, gw_bytes_number(bytes, 8)); break;
	case OP_DEREF: load(stack); break;
	case OP_CONSTU: push(stack, gw_bytes_uleb(bytes)); break;
	case OP_CONSTS: push(stack, (uint64_t)gw_bytes_sleb(bytes)); break;
	case OP_DUP: push(stack, peek(stack, 0)); break;
	case OP_DROP: pop(stack); break;
	case OP_OVER: push(stack, peek(stack, 1)); break;
	case OP_PICK: push(stack, peek(stack, gw_bytes_number(bytes, 1))); break;
	case OP_SWAP:
		b = pop(stack);
		a = pop(stack);
		push(stack, b);
		push(stack, a);
		break;
	case OP_NEG: push(stack, -pop(stack)); break;
	case OP_NOT: push(stack, ~pop(stack)); break;
	case OP_PLUS_UCONST: push(stack, pop(stack) + gw_bytes_uleb(bytes)); break;
	default: stack->bad = true;
	}
}

bool gw_cfi_expression(const struct gw_cfi_rule *rule, const uintptr_t *registers, bool has_start, uintptr_t start, uintptr_t *value)
{
	struct gw_bytes bytes = { rule->expression, rule->expression_end, false };
	struct stack stack = { .count = 0 };
	unsigned count;

	if (has_start)
		push(&stack, start);
	for (count = 0; bytes.at < bytes.end && !bytes.bad && !stack.bad && count < MOST_OPERATIONS; count++) {
		uint8_t what = (uint8_t)gw_bytes_number(&bytes, 1);

		if (what >= OP_LIT0 && what <= OP_LIT31)
			push(&stack, (uint64_t)(what - OP_LIT0));
		else if (what >= OP_BREG0 && what < OP_BREG0 + GW_CFI_REGISTERS)
			push(&stack, registers[what - OP_BREG0] + (uint64_t)gw_bytes_sleb(&bytes));
		else if (what >= OP_CONST1U && what <= OP_CONST8S)
			constant(what, &bytes, &stack);
		else if (!combine(what, &stack))
			operate(what, &bytes, &stack);
	}
	*value = peek(&stack, 0);
	return bytes.at >= bytes.end && !bytes.bad && !stack.bad;
}
