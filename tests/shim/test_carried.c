/* SPDX-License-Identifier: Apache-2.0 */
/* gw_carried_out (shim/carried.c): which bytes of the caller's memory it changes. A status is translated here by adding 1000. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include "call.h"

static const struct gw_call call;

int32_t gw_status_out(const struct gw_call *given, int32_t status)
{
	assert_ptr_equal(given, &call);
	return status + 1000;
}

enum { COUNT = 6, SIZE = 12, OFFSET = 5 };	/* lies askew, as a packed struct's field may */

static unsigned char memory[COUNT * SIZE];

/* How many elements hold a translated 7; anything else must be as it was put there. */
static int translated(void)
{
	unsigned char expected[sizeof(memory)];
	int32_t before = 7, after = 1007;
	int count = 0;

	memset(expected, 0xa5, sizeof(expected));
	for (int i = 0; i < COUNT; i++) {
		int is = !memcmp(memory + i * SIZE + OFFSET, &after, sizeof(after));

		memcpy(expected + i * SIZE + OFFSET, is ? &after : &before, sizeof(before));
		count += is;
		assert_true(!is || count == i + 1);
	}
	assert_memory_equal(memory, expected, sizeof(memory));
	return count;
}

static int fresh(void **state)
{
	int32_t status = 7;

	(void)state;
	memset(memory, 0xa5, sizeof(memory));
	for (int i = 0; i < COUNT; i++)
		memcpy(memory + i * SIZE + OFFSET, &status, sizeof(status));
	return 0;
}

static void as_many_as_were_returned_are_translated_and_no_byte_beside_them(void **state)
{
	(void)state;
	gw_carried_out(&call, memory, 4, INT64_MAX, SIZE, OFFSET);
	assert_int_equal(translated(), 4);
}

static void a_count_beyond_what_was_asked_for_is_not_believed(void **state)
{
	(void)state;
	gw_carried_out(&call, memory, INT64_MAX, 2, SIZE, OFFSET);
	assert_int_equal(translated(), 2);
}

static void nothing_is_translated_for_no_count_a_negative_one_or_no_room(void **state)
{
	(void)state;
	gw_carried_out(&call, memory, 0, COUNT, SIZE, OFFSET);
	gw_carried_out(&call, memory, -1, COUNT, SIZE, OFFSET);
	gw_carried_out(&call, memory, COUNT, 0, SIZE, OFFSET);
	gw_carried_out(&call, memory, COUNT, -1, SIZE, OFFSET);
	assert_int_equal(translated(), 0);
}

static void no_array_is_no_crash(void **state)
{
	(void)state;
	gw_carried_out(&call, NULL, COUNT, COUNT, SIZE, OFFSET);
	assert_int_equal(translated(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(as_many_as_were_returned_are_translated_and_no_byte_beside_them, fresh),
		cmocka_unit_test_setup(a_count_beyond_what_was_asked_for_is_not_believed, fresh),
		cmocka_unit_test_setup(nothing_is_translated_for_no_count_a_negative_one_or_no_room, fresh),
		cmocka_unit_test_setup(no_array_is_no_crash, fresh),
	};

	return cmocka_run_group_tests_name("carried", tests, NULL, NULL);
}
