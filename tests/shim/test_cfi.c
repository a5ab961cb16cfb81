/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of frame data (shim/crash_cfi.h, crash_unwind.h) against the processor: a chain of calls is stepped through instruction by instruction, and from
 * each one unwinding has to arrive at the callers, whose return addresses the chain has noted itself. Then damaged frame data.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "crash_memory.h"
#include "crash_stack.h"
#include "crash_unwind.h"
#include "objects.h"

/* ---- what the shim's records are otherwise: all objects, as the loader lists them */

static struct gw_object objects[64];
static unsigned object_count;

static int note(struct dl_phdr_info *info, size_t size, void *data)
{
	struct gw_object *object = &objects[object_count++];

	(void)size, (void)data;
	object->low = UINTPTR_MAX;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			object->frames = start;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		object->low = start < object->low ? start : object->low;
		object->high = start + info->dlpi_phdr[i].p_memsz > object->high ? start + info->dlpi_phdr[i].p_memsz : object->high;
	}
	return object_count == sizeof(objects) / sizeof(objects[0]);
}

const struct gw_object *gw_crash_object_at(uintptr_t address)
{
	for (unsigned i = 0; i < object_count; i++)
		if (address >= objects[i].low && address < objects[i].high)
			return &objects[i];
	return NULL;
}

bool gw_crash_follows_call(uintptr_t address)
{
	return gw_crash_object_at(address) != NULL;
}

/* ---- the chain */

enum { DEPTH = 6 };
static uintptr_t noted[DEPTH];	/* return addresses, the outermost first */
static volatile unsigned depth;
static unsigned long steps, wrong, lost;
static volatile int sink;
static void *first_wrong;
static volatile bool stop;

#define NOTE() (noted[depth] = (uintptr_t)__builtin_return_address(0), depth++)

static void step(int number, siginfo_t *info, void *context)
{
	struct gw_unwind at;
	unsigned wanted = depth;
	enum gw_unwind_end end = GW_UNWIND_ON;

	(void)number, (void)info;
	if (stop) {
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
		return;
	}
	gw_crash_forget();
	gw_unwind_start(&at, context);
	steps++;
	/* What was noted has to come, the innermost first, whatever lies between; a function's first and last instructions are before its note and after it. */
	for (unsigned i = 0; i < 64 && wanted && (end = gw_unwind_step(&at)) == GW_UNWIND_ON; i++)
		if (at.registers[GW_CFI_RA] == noted[wanted - 1])
			wanted--;
	lost += end == GW_UNWIND_LOST;
	if (wanted && !first_wrong)
		first_wrong = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	wrong += wanted != 0;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void leaf(int size)
{
	volatile char *room = __builtin_alloca((size_t)size);
	int numbers[] = {5, 3, 9, 1};
	char text[64];

	NOTE();
	memset(text, size, sizeof(text));
	room[size - 1] = text[3];
	qsort(numbers, 4, sizeof(numbers[0]), compare);	/* through a stub of the linker's, and back into this file */
	sink += numbers[0] + room[size - 1] + (int)strtol("123", NULL, 10);
	depth--;
}

__attribute__((noinline)) static void third(int a, int b, int c, int d, int e, int f, int g, int h)
{
	NOTE();
	leaf(a + b + c + d + e + f + g + h);
	sink += a;
	depth--;
}

__attribute__((noinline)) static void second(int size)
{
	volatile char room[5000];

	NOTE();
	room[size] = 1;
	third(1, 2, 3, 4, 5, 6, size, 8);
	sink += room[size];
	depth--;
}

static bool stepping;

/* Off, the next step's handler does it. */
static void trap(bool on)
{
	stop = !on;
	if (on)
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static jmp_buf back;

__attribute__((noinline, noreturn)) static void leave(volatile char *room)
{
	NOTE();
	sink += room[0];
	trap(false);	/* within longjmp there are moments without a stack */
	longjmp(back, 1);
}

/* Its last instruction is the call: what stands behind it is another function's. */
__attribute__((noinline, noreturn)) static void end(int size)
{
	volatile char room[200];

	NOTE();
	room[size] = room[0] = 1;
	leave(room);
}

__attribute__((noinline)) static void first(int size)
{
	volatile unsigned here;

	NOTE();
	here = depth;
	for (int i = 0; i < 3; i++)
		second(size + i);
	if (!setjmp(back))
		end(size);
	depth = here;
	if (stepping)
		trap(true);
	depth--;
}

static void from_each_instruction_the_callers_are_found(void **state)
{
	struct sigaction action = { .sa_sigaction = step, .sa_flags = SA_SIGINFO };

	(void)state;
	first(10);	/* binds what is bound at the first call */
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	stepping = true;
	trap(true);
	first(10);
	trap(false);
	assert_true(steps > 500);
	if (wrong || lost)
		print_message("%lu of %lu wrong, %lu lost; first at %p (object %#lx)\n", wrong, steps, lost, first_wrong,
			      gw_crash_object_at((uintptr_t)first_wrong) ? gw_crash_object_at((uintptr_t)first_wrong)->low : 0);
	assert_int_equal(wrong, 0);
	assert_int_equal(lost, 0);
}

/* ---- what is read while a row is looked for lies within the bounds that were told (linked with --wrap) */

static struct gw_cfi_space bounds;
static unsigned long beyond;
bool __real_gw_crash_load(uintptr_t address, void *value, size_t length);
bool __wrap_gw_crash_load(uintptr_t address, void *value, size_t length);

bool __wrap_gw_crash_load(uintptr_t address, void *value, size_t length)
{
	if (bounds.high && (address < bounds.low || address + length > bounds.high))
		beyond++;
	return __real_gw_crash_load(address, value, length);
}

static bool bounded_row(const struct gw_cfi_space *space, uintptr_t address, struct gw_cfi_row *row)
{
	bool found;

	bounds = *space;
	found = gw_cfi_row(space, address, row);
	bounds.high = 0;
	return found;
}

/* ---- damaged data: a copy of this program's, in which all that counts from where it stands still fits */

static uint64_t seed = 1;

static uint32_t chance(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % below);
}

static const struct gw_object *own(void)
{
	return gw_crash_object_at((uintptr_t)&from_each_instruction_the_callers_are_found);
}

static void damaged_frame_data_is_refused_or_read_within_bounds(void **state)
{
	const struct gw_object *object = own();
	size_t size = object->high - object->low;
	uintptr_t code = (uintptr_t)&leaf - object->low;
	char *copy = malloc(size), *kept = malloc(size);
	struct gw_cfi_row row, right;
	struct gw_cfi_space space, there = { object->low, object->high, object->frames };
	unsigned long usable = 0;

	(void)state;
	assert_non_null(copy);
	assert_non_null(kept);
	memset(kept, 0, size);
	for (size_t i = 0; i + 8 <= size; i += 8)	/* there may be gaps */
		gw_crash_load(object->low + i, kept + i, 8);
	memcpy(copy, kept, size);
	space = (struct gw_cfi_space){ (uintptr_t)copy, (uintptr_t)copy + size, (uintptr_t)copy + (object->frames - object->low) };
	gw_crash_forget();
	assert_true(gw_cfi_row(&there, object->low + code, &right));
	assert_true(gw_cfi_row(&space, space.low + code, &row));
	assert_int_equal(row.cfa.value, right.cfa.value);
	for (unsigned i = 0; i < 200000; i++) {
		size_t frames = object->frames - object->low, at[4];
		uintptr_t value, registers[GW_CFI_REGISTERS];
		unsigned changes = 1 + chance(4);

		for (unsigned k = 0; k < changes; k++) {
			at[k] = frames + chance(chance(2) ? 64 : (uint32_t)(size - frames < 16384 ? size - frames : 16384));
			copy[at[k]] = (char)(chance(4) ? chance(256) : 0xff * chance(2));
		}
		if (bounded_row(&space, space.low + code + chance(2000), &row)) {
			usable++;
			for (unsigned k = 0; k < GW_CFI_REGISTERS; k++)
				registers[k] = space.low + chance((uint32_t)size);
			for (unsigned k = 0; k < GW_CFI_REGISTERS; k++)
				if (row.rule[k].how == GW_CFI_AT_EXPRESSION || row.rule[k].how == GW_CFI_IS_EXPRESSION)
					gw_cfi_expression(&row.rule[k], registers, true, space.low, &value);
			if (row.cfa.how == GW_CFI_IS_EXPRESSION)
				gw_cfi_expression(&row.cfa, registers, false, 0, &value);
		}
		for (unsigned k = 0; k < changes; k++)
			copy[at[k]] = kept[at[k]];
	}
	assert_true(usable > 1000);
	assert_int_equal(beyond, 0);
	/* the whole is still as it was */
	assert_memory_equal(copy, kept, size);
	free(copy);
	free(kept);
}

static void truncated_frame_data_is_refused(void **state)
{
	const struct gw_object *object = own();
	struct gw_cfi_row row;

	(void)state;
	for (uintptr_t end = object->frames; end < object->frames + 4096 && end < object->high; end++) {
		struct gw_cfi_space space = { object->low, end, object->frames };

		bounded_row(&space, (uintptr_t)&leaf, &row);
	}
	assert_int_equal(beyond, 0);
	assert_false(gw_cfi_row(&(struct gw_cfi_space){ object->low, object->frames + 12, object->frames }, (uintptr_t)&leaf, &row));
	assert_false(gw_cfi_row(&(struct gw_cfi_space){ 0, 0, 0 }, (uintptr_t)&leaf, &row));
	assert_false(gw_cfi_row(&(struct gw_cfi_space){ 0x1000, 0x2000, 0x1000 }, 0x1800, &row));
}

/* What linkers write for their stubs: the CFA depends on how far into a stub of 16 bytes it is. */
static void a_linkers_expression_has_its_value(void **state)
{
	static const unsigned char stub[] = { 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	static const unsigned char loop[] = { 0x12, 0x12, 0x12, 0x12 }, deep[] = { 0x06 }, odd[] = { 0xff }, cut[] = { 0x0e, 1, 2 };
	struct gw_cfi_rule rule = { .how = GW_CFI_IS_EXPRESSION, .expression = (uintptr_t)stub, .expression_end = (uintptr_t)stub + sizeof(stub) };
	uintptr_t registers[GW_CFI_REGISTERS] = { [GW_CFI_RSP] = 1000 }, value;

	(void)state;
	gw_crash_forget();
	for (unsigned i = 0; i < 16; i++) {
		registers[GW_CFI_RA] = 0x4000 + i;
		assert_true(gw_cfi_expression(&rule, registers, false, 0, &value));
		assert_int_equal(value, i < 11 ? 1008 : 1016);
	}
#define EXPRESSION(bytes) (&(struct gw_cfi_rule){ .expression = (uintptr_t)(bytes), .expression_end = (uintptr_t)(bytes) + sizeof(bytes) })
	assert_false(gw_cfi_expression(EXPRESSION(loop), registers, false, 0, &value));	/* nothing to copy */
	assert_true(gw_cfi_expression(EXPRESSION(loop), registers, true, 7, &value));
	assert_int_equal(value, 7);
	assert_false(gw_cfi_expression(EXPRESSION(deep), registers, true, 16, &value));	/* no memory there */
	assert_false(gw_cfi_expression(EXPRESSION(odd), registers, true, 0, &value));
	assert_false(gw_cfi_expression(EXPRESSION(cut), registers, true, 0, &value));
}

/* Instructions that compilers write seldom, in frame data of our own: the function begins 0x100 bytes behind the header, and has 0x40. */
static void rarer_instructions_are_obeyed(void **state)
{
	static _Alignas(4) unsigned char data[] = {
		0x01, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0x01, 0, 0, 0x2c, 0, 0, 0,		/* the header; its one row */
		/* 20: what is shared. CFA = rsp + 8, the return address at CFA - 8 */
		0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
		/* 44: the function's own; places count from themselves */
		0x2f, 0, 0, 0, 0x1c, 0, 0, 0, 0xcc, 0, 0, 0, 0x40, 0, 0, 0, 0,
		0x41, 0x0e, 16, 0x83, 2, 0x90, 3,	/* at 1: CFA = rsp + 16, rbx at CFA - 16, the return address at CFA - 24 */
		0x41, 0xc3, 0xd0, 0x0d, 6,		/* at 2: rbx and the return address as at first, CFA = rbp + 16 */
		0x02, 2, 0x0a, 0x09, 3, 12, 0x07, 13,	/* at 4: remembered; rbx is in r12, r13 nobody knows */
		0x03, 4, 0, 0x0b, 0x14, 12, 1,		/* at 8: as at 2; r12 is CFA - 8 */
		0x04, 8, 0, 0, 0, 0x06, 12,		/* at 16: r12 as at first */
	};
	struct gw_cfi_space space = { (uintptr_t)data, (uintptr_t)data + sizeof(data), (uintptr_t)data };
	uintptr_t function = (uintptr_t)data + 0x100;
	struct gw_cfi_row row;

	(void)state;
	gw_crash_forget();
	assert_true(gw_cfi_row(&space, function, &row));
	assert_true(row.cfa_register == GW_CFI_RSP && row.cfa.value == 8 && row.rule[GW_CFI_RA].how == GW_CFI_AT && row.rule[GW_CFI_RA].value == -8);
	assert_true(gw_cfi_row(&space, function + 1, &row));
	assert_true(row.cfa.value == 16 && row.rule[3].how == GW_CFI_AT && row.rule[3].value == -16 && row.rule[GW_CFI_RA].value == -24);
	assert_true(gw_cfi_row(&space, function + 2, &row));
	assert_true(row.cfa_register == GW_CFI_RBP && row.cfa.value == 16 && row.rule[3].how == GW_CFI_SAME);
	assert_int_equal(row.rule[GW_CFI_RA].value, -8);
	assert_true(gw_cfi_row(&space, function + 4, &row));
	assert_true(row.rule[3].how == GW_CFI_REGISTER && row.rule[3].value == 12 && row.rule[13].how == GW_CFI_UNDEFINED);
	assert_true(gw_cfi_row(&space, function + 8, &row));
	assert_true(row.rule[3].how == GW_CFI_SAME && row.rule[13].how == GW_CFI_SAME && row.rule[12].how == GW_CFI_IS && row.rule[12].value == -8);
	assert_true(gw_cfi_row(&space, function + 0x3f, &row));
	assert_true(row.rule[12].how == GW_CFI_SAME && row.rule[GW_CFI_RA].value == -8 && row.return_register == GW_CFI_RA && !row.is_signal);
	assert_false(gw_cfi_row(&space, function + 0x40, &row));
	assert_false(gw_cfi_row(&space, function - 1, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_each_instruction_the_callers_are_found),
		cmocka_unit_test(damaged_frame_data_is_refused_or_read_within_bounds),
		cmocka_unit_test(truncated_frame_data_is_refused),
		cmocka_unit_test(a_linkers_expression_has_its_value),
		cmocka_unit_test(rarer_instructions_are_obeyed),
	};

	dl_iterate_phdr(note, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
