/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of JSON lines: what it prints is what a reader gets back, whatever the bytes, and it never leaves its buffer. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shim/line.h"

static json_t *read_back(const struct gw_line *line)
{
	json_t *value = json_loadb(line->text, line->length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

	assert_non_null(value);
	return value;
}

static void numbers_are_read_back_to_nine_digits(void **state)
{
	char buffer[64], expected[64];
	struct gw_line line;
	json_t *value;

	(void)state;
	srand(1);
	for (int i = 0; i < 200000; i++) {
		union {
			uint32_t bits;
			float number;
		} one = { .bits = (uint32_t)rand() << 16 ^ (uint32_t)rand() };

		gw_line_start(&line, buffer, sizeof(buffer));
		gw_line_double(&line, one.number);
		value = json_loadb(line.text, line.length, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
		assert_non_null(value);
		if (!isfinite(one.number)) {
			assert_true(json_is_null(value));
		} else if ((float)json_number_value(value) != one.number) {
			snprintf(expected, sizeof(expected), "%.9g", (double)one.number);
			print_error("%.*s is not %s\n", (int)line.length, line.text, expected);
			fail();
		}
		json_decref(value);
	}
}

static void whole_numbers_are_exact_at_their_limits(void **state)
{
	static const int64_t values[] = { 0, 1, -1, 9, 10, -10, INT64_MAX, INT64_MIN };
	char buffer[64], expected[64];
	struct gw_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		gw_line_start(&line, buffer, sizeof(buffer));
		gw_line_signed(&line, values[i]);
		snprintf(expected, sizeof(expected), "%lld", (long long)values[i]);
		assert_int_equal(line.length, strlen(expected));
		assert_memory_equal(line.text, expected, line.length);
		gw_line_start(&line, buffer, sizeof(buffer));
		gw_line_hex(&line, (uint64_t)values[i]);
		snprintf(expected, sizeof(expected), "0x%llx", (unsigned long long)values[i]);
		assert_int_equal(line.length, strlen(expected));
		assert_memory_equal(line.text, expected, line.length);
	}
}

static void any_bytes_become_a_string_that_parses(void **state)
{
	char text[40], buffer[512];
	struct gw_line line;
	json_t *value;

	(void)state;
	srand(2);
	for (int i = 0; i < 200000; i++) {
		size_t length = (size_t)rand() % sizeof(text);

		for (size_t k = 0; k < length; k++)
			text[k] = (char)(rand() % 3 ? rand() : "\"\\\n\0\x7f\xe2\x82\xac\xf0\x9f"[rand() % 11]);
		gw_line_start(&line, buffer, sizeof(buffer));
		gw_line_string(&line, text, length);
		assert_false(line.cut);
		value = read_back(&line);
		assert_true(json_is_string(value));
		json_decref(value);
	}
}

static void a_good_string_comes_back_as_it_was(void **state)
{
	static const char text[] = "/tmp/\"quoted\"\\ \t\x7f\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
	char buffer[256];
	struct gw_line line;
	json_t *value;

	(void)state;
	gw_line_start(&line, buffer, sizeof(buffer));
	gw_line_string(&line, text, strlen(text));
	value = read_back(&line);
	assert_string_equal(json_string_value(value), text);
	json_decref(value);
}

static void a_full_buffer_is_cut_and_says_so(void **state)
{
	char text[300], buffer[64 + 1];
	struct gw_line line;

	(void)state;
	memset(text, 1, sizeof(text));
	for (size_t size = 1; size < sizeof(buffer); size++) {
		memset(buffer, 'x', sizeof(buffer));
		gw_line_start(&line, buffer, size);
		gw_line_key(&line, "key");
		gw_line_string(&line, text, sizeof(text));
		assert_true(line.cut);
		assert_true(line.length < size);
		assert_int_equal(buffer[size], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_back_to_nine_digits),
		cmocka_unit_test(whole_numbers_are_exact_at_their_limits),
		cmocka_unit_test(any_bytes_become_a_string_that_parses),
		cmocka_unit_test(a_good_string_comes_back_as_it_was),
		cmocka_unit_test(a_full_buffer_is_cut_and_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
