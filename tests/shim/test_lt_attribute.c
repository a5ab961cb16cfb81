/* SPDX-License-Identifier: Apache-2.0 */
/* shim/lt_attribute.h on the tables of this build: what lies beyond a block that the caller made. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include "gw_fn.h"
#include "lt_attribute.h"

/* MatrixLayout from 13.2 on: ids that a block of 64 bytes lacks, and the byte that tells (abi/measured/cublasLt.abi). */
enum { OLD = 8, ROWS_ARRAY = 9, LD_WIDTH = 13, FORMAT_AT = 38 };

static const struct gw_release *newest(void)
{
	const struct gw_family_data *family = &gw_families[GW_FAMILY_cublasLt];

	return &family->releases[family->release_count - 1];
}

static void what_a_small_layout_lacks_is_beyond_it(void **state)
{
	unsigned char block[112] = { 0 };

	(void)state;
	assert_true(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, newest()));
	assert_true(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, LD_WIDTH, block, newest()));
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, OLD, block, newest()));
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, &gw_families[GW_FAMILY_cublasLt].releases[0]));
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, NULL));
	block[FORMAT_AT] = 1;
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, newest()));
}

/* A library that is newer than the database is taken for the newest in it; formats grow with the blocks. */
static void a_block_of_a_later_format_has_room_for_what_an_earlier_one_has(void **state)
{
	unsigned char block[112] = { 0 };

	(void)state;
	block[FORMAT_AT] = 2;
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, newest()));
}

static const struct gw_release *release(const char *version)
{
	const struct gw_family_data *data = &gw_families[GW_FAMILY_cublasLt];
	uint32_t i;

	for (i = 0; i < data->release_count; i++)
		if (!strcmp(data->releases[i].version, version))
			return &data->releases[i];
	return NULL;
}

static void an_unknown_library_may_write_beyond_a_block_as_the_next_known_one_does(void **state)
{
	unsigned char block[64] = { 0 };

	(void)state;
	assert_true(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, release("13.10.0.20")));
	assert_true(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, release("13.2.2.2")));
	/* What 13.2.0 is treated as, which does so, too. */
	assert_true(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, release("13.1.2.11")));
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, release("13.0.2.14")));
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, OLD, block, release("13.1.2.11")));
	block[FORMAT_AT] = 1;	/* a longer one */
	assert_false(gw_lt_attribute_is_beyond(GW_LT_MATRIX_LAYOUT, ROWS_ARRAY, block, release("13.1.2.11")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_small_layout_lacks_is_beyond_it),
		cmocka_unit_test(an_unknown_library_may_write_beyond_a_block_as_the_next_known_one_does),
		cmocka_unit_test(a_block_of_a_later_format_has_room_for_what_an_earlier_one_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
