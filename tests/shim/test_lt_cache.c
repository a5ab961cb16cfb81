/* SPDX-License-Identifier: Apache-2.0 */
/* The capacity of cublasLt's cache (shim/via_lt_cache.c), on a library that rounds up to 32 and whose arithmetic overflows. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include "binding.h"
#include "call.h"
#include "gw_types.h"
#include "gw_via.h"

static size_t capacity;

static cublasStatus_t library_get(size_t *out)
{
	if (!out)
		return 7;
	*out = capacity;
	return 0;
}

static cublasStatus_t library_set(size_t value)
{
	capacity = (value + 31) / 32 * 32;
	return 0;
}

void *gw_binding_target(struct gw_binding *binding, uint32_t fn)
{
	(void)binding;
	assert_int_equal(fn, GW_FN_cublasLtHeuristicsCacheGetCapacity);
	return (void *)library_get;
}

static struct gw_call caller(int release)
{
	static struct gw_binding binding[2];
	struct gw_binding *one = &binding[release > GW_UNTIL_cublasLtHeuristicsCacheSetCapacity];

	one->caller_last = release < 0 ? NULL : &gw_families[GW_FAMILY_cublasLt].releases[release];
	return (struct gw_call){.binding = one};
}

static size_t set_and_get(struct gw_call call, size_t value)
{
	size_t now = 77;

	assert_int_equal(gw_via_lt_set_capacity(&call, library_set, value), 0);
	assert_int_equal(gw_via_lt_get_capacity(&call, library_get, &now), 0);
	return now;
}

static void an_old_caller_reads_what_it_set(void **state)
{
	struct gw_call old = caller(GW_UNTIL_cublasLtHeuristicsCacheSetCapacity);

	(void)state;
	assert_true(set_and_get(old, 100) == 100 && capacity == 128);
	assert_true(set_and_get(old, 1) == 1 && capacity == 32);
	assert_true(set_and_get(old, 0) == 0 && capacity == 0);
	assert_int_equal(gw_via_lt_get_capacity(&old, library_get, NULL), 7);
}

static void a_number_that_overflows_does_not_turn_the_cache_off(void **state)
{
	struct gw_call old = caller(GW_UNTIL_cublasLtHeuristicsCacheSetCapacity);

	(void)state;
	assert_true(set_and_get(old, 100) == 100);
	assert_true(set_and_get(old, SIZE_MAX) == SIZE_MAX);
	assert_int_equal(capacity, 128);
}

static void what_another_part_set_since_counts(void **state)
{
	struct gw_call old = caller(GW_UNTIL_cublasLtHeuristicsCacheSetCapacity);
	size_t now;

	(void)state;
	assert_true(set_and_get(old, 100) == 100);
	library_set(640);
	assert_int_equal(gw_via_lt_get_capacity(&old, library_get, &now), 0);
	assert_int_equal(now, 640);
}

static void a_newer_or_unknown_caller_gets_the_librarys_number(void **state)
{
	(void)state;
	assert_int_equal(set_and_get(caller(GW_UNTIL_cublasLtHeuristicsCacheSetCapacity + 1), 100), 128);
	assert_int_equal(set_and_get(caller(-1), 100), 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_caller_reads_what_it_set),
		cmocka_unit_test(a_number_that_overflows_does_not_turn_the_cache_off),
		cmocka_unit_test(what_another_part_set_since_counts),
		cmocka_unit_test(a_newer_or_unknown_caller_gets_the_librarys_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
