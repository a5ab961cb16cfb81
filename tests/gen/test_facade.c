/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facade that abigen makes of the small database: its slots, the registers that its resolver
 * keeps, and that a debugger, a profiler or an exception can unwind through it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "stand_in.h"

/* Symbols of the facade, under signatures that fill every argument register and some of the stack.
 */
double alphaCount(long a, long b, long c, long d, long e, long f, double g, double h, double i,
		  double j, double k, double l, double m, double n, long o, double p);
int alphaCreate(char *buffer, size_t size, const char *format, ...);
int alphaOld(int value);
int alphaNorm(int value);

/* Found by its name in a backtrace. */
int caller_of_a_facade(void) __attribute__((visibility("default"), noinline));

static unsigned asked;
static const struct gw_facade *facade;
static uint32_t symbol;
static void *answer;
static bool unwound, aligned;

static void *bind(const struct gw_facade *of, uint32_t index)
{
	void *frames[64];
	int count = backtrace(frames, 64);

	for (int i = 0; i < count; i++) {
		Dl_info info;

		if (dladdr(frames[i], &info) && info.dli_sname &&
		    !strcmp(info.dli_sname, "caller_of_a_facade"))
			unwound = true;
	}
	aligned = (uintptr_t)__builtin_frame_address(0) % 16 == 0;
	asked++;
	facade = of;
	symbol = index;
	return answer;
}

static int fresh(void **state)
{
	(void)state;
	stand_in_bind = bind;
	asked = 0;
	unwound = false;
	return 0;
}

static double weigh(long a, long b, long c, long d, long e, long f, double g, double h, double i,
		    double j, double k, double l, double m, double n, long o, double p)
{
	return (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) + 7 * g + 8 * h + 9 * i +
	       10 * j + 11 * k + 12 * l + 13 * m + 14 * n + (double)(15 * o) + 16 * p;
}

static void arguments_in_registers_and_on_the_stack_survive_the_first_call(void **state)
{
	(void)state;
	answer = (void *)(uintptr_t)weigh;
	for (int i = 0; i < 2; i++) {
		double got = alphaCount(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);

		assert_true(got == weigh(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
	}
	assert_int_equal(asked, 1);
	assert_true(aligned);
	assert_string_equal(facade->soname, "libalpha.so.1");
	assert_string_equal(facade->symbols[symbol].name, "alphaCount");
	assert_ptr_equal(facade->slots[symbol], answer);
}

/* A variadic function learns from al how many arguments are in vector registers; this one tells. */
int vector_arguments(char *, size_t, const char *, ...) __attribute__((visibility("hidden")));
__asm__(".text\n"
	".type vector_arguments, @function\n"
	"vector_arguments:\n\t"
	"movzbl %al, %eax\n\t"
	"ret\n\t"
	".size vector_arguments, . - vector_arguments");

static void the_number_of_vector_arguments_survives(void **state)
{
	(void)state;
	answer = (void *)(uintptr_t)vector_arguments;
	assert_int_equal(alphaCreate(NULL, 0, "", 1, 2.5, 3.5), 2);
	assert_int_equal(asked, 1);
}

static int twice(int value)
{
	return 2 * value;
}

int caller_of_a_facade(void)
{
	int value = alphaOld(21);

	/* Not the last thing here, or it would be a jump and no frame of ours would be left. */
	__asm__ volatile("" ::: "memory");
	return value;
}

static void a_backtrace_reaches_the_caller_through_the_resolver(void **state)
{
	(void)state;
	answer = (void *)(uintptr_t)twice;
	assert_int_equal(caller_of_a_facade(), 42);
	assert_true(unwound);
}

static void an_answer_that_is_not_kept_is_asked_for_again(void **state)
{
	(void)state;
	stand_in_keeps = false;
	answer = (void *)(uintptr_t)twice;
	assert_int_equal(alphaNorm(4), 8);
	assert_int_equal(alphaNorm(5), 10);
	stand_in_keeps = true;
	assert_int_equal(asked, 2);
}

static void the_descriptor_says_how_each_symbol_is_answered(void **state)
{
	(void)state;
	assert_non_null(facade);
	for (uint32_t i = 0; i < facade->symbol_count; i++) {
		const struct gw_facade_symbol *one = &facade->symbols[i];
		bool private = !strcmp(one->name, "_ZN5alpha6hiddenEv"),
		     same = !strcmp(one->name, "alphaPrivateSame");

		assert_int_equal(one->how, private ? GW_FACADE_REFUSE
					   : same  ? GW_FACADE_FORWARD
						   : GW_FACADE_FUNCTION);
		assert_int_equal(one->fn >= 0, !private && !same);
		assert_true(!i || strcmp(facade->symbols[i - 1].name, one->name) < 0);
	}
	assert_string_equal(facade->answer_version, "1.1");
	assert_int_equal(facade->refuse, 2);
	assert_string_equal(facade->targets[0], "libalpha.so.2");
	assert_null(facade->targets[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			arguments_in_registers_and_on_the_stack_survive_the_first_call, fresh),
		cmocka_unit_test_setup(the_number_of_vector_arguments_survives, fresh),
		cmocka_unit_test_setup(an_answer_that_is_not_kept_is_asked_for_again, fresh),
		cmocka_unit_test_setup(a_backtrace_reaches_the_caller_through_the_resolver, fresh),
		cmocka_unit_test(the_descriptor_says_how_each_symbol_is_answered),
	};

	return cmocka_run_group_tests_name("facade", tests, NULL, NULL);
}
