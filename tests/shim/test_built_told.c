/* SPDX-License-Identifier: Apache-2.0 */
/* GANGWAY_BUILT_FOR: what is said of which file, and what is said of a value that cannot be read. Releases come from the tables. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gw_fn.h"
#include "shim/built.h"
#include "shim/table.h"

static const char *version(unsigned family, unsigned release)
{
	return gw_families[family].releases[release].version;
}

static unsigned newest(unsigned family)
{
	return gw_families[family].release_count - 1;
}

/* What the value made of FORMAT and two releases says of PATH. */
static int told(struct gw_built *built, const char *path, unsigned family, const char *format, const char *a, const char *b)
{
	const char *wrong = NULL, *why = NULL;
	char value[512];

	snprintf(value, sizeof value, format, a, b);
	*built = (struct gw_built){ 0 };
	return gw_built_told(value, path, family, built, &wrong, &why);
}

static void a_release_in_full_is_that_one_for_the_file_that_is_named(void **state)
{
	struct gw_built built;
	unsigned r;

	(void)state;
	for (r = 0; r <= newest(GW_FAMILY_cudnn); r++) {
		assert_int_equal(told(&built, "/x/libfoo.so", GW_FAMILY_cudnn, "libfoo.so:cudnn=%s", version(GW_FAMILY_cudnn, r), ""), 1);
		assert_true(built.known && built.first == r && built.last == r);
		assert_int_equal(told(&built, "/x/libfoo.so.1", GW_FAMILY_cudnn, "libfoo.so:cudnn=%s", version(GW_FAMILY_cudnn, r), ""), 0);
		assert_int_equal(told(&built, "/x/libfoo.so", GW_FAMILY_cublas, "libfoo.so:cudnn=%s", version(GW_FAMILY_cudnn, r), ""), 0);
	}
}

static void the_first_entry_that_fits_counts_and_patterns_may_be_paths(void **state)
{
	const char *a = version(GW_FAMILY_cudnn, 0), *b = version(GW_FAMILY_cudnn, 1);
	struct gw_built built;

	(void)state;
	assert_int_equal(told(&built, "/x/libfoo.so", GW_FAMILY_cudnn, "libfoo*:cudnn=%s;*:cudnn=%s", a, b), 1);
	assert_int_equal(built.first, 0);
	assert_int_equal(told(&built, "/x/other", GW_FAMILY_cudnn, "libfoo*:cudnn=%s;*:cudnn=%s", a, b), 1);
	assert_int_equal(built.first, 1);
	assert_int_equal(told(&built, "/x/torch/lib/a.so", GW_FAMILY_cudnn, "*/torch/*:cudnn=%s;*:cudnn=%s", a, b), 1);
	assert_int_equal(built.first, 0);
	assert_int_equal(told(&built, "/x/torch", GW_FAMILY_cudnn, "*/torch/*:cudnn=%s;", a, b), 0);
	assert_int_equal(told(&built, "/x/aXbXXc", GW_FAMILY_cudnn, "a*b*c:cudnn=%s", a, b), 1);
	assert_int_equal(told(&built, "/x/aXbXXcd", GW_FAMILY_cudnn, "a*b*c:cudnn=%s", a, b), 0);
}

static void a_family_takes_what_is_said_of_its_suite_unless_it_is_named(void **state)
{
	const char *a = version(GW_FAMILY_cublas, 0), *b = version(GW_FAMILY_cublasLt, 1);
	struct gw_built built;

	(void)state;
	assert_int_equal(told(&built, "p", GW_FAMILY_cublasLt, "p:cublas=%s", a, b), 1);
	assert_int_equal(built.last, 0);
	assert_int_equal(told(&built, "p", GW_FAMILY_cublasLt, "p:cublas=%s,cublasLt=%s", a, b), 1);
	assert_int_equal(built.last, 1);
	assert_int_equal(told(&built, "p", GW_FAMILY_cublas, "p:cublas=%s,cublasLt=%s", a, b), 1);
	assert_int_equal(built.last, 0);
}

static void a_beginning_means_all_that_begin_so_and_an_unknown_one_its_neighbours(void **state)
{
	const struct gw_release *releases = gw_families[GW_FAMILY_cudnn].releases;
	unsigned last = newest(GW_FAMILY_cudnn), r;
	struct gw_built built;
	char text[64];

	(void)state;
	for (r = 0; r <= last; r++) {
		snprintf(text, sizeof text, "%u", releases[r].part[0]);
		assert_int_equal(told(&built, "p", GW_FAMILY_cudnn, "p:cudnn=%s", text, ""), 1);
		assert_true(built.first <= r && r <= built.last);
		assert_true(!built.first || releases[built.first - 1].part[0] < releases[r].part[0]);
		assert_true(built.last == last || releases[built.last + 1].part[0] > releases[r].part[0]);
		snprintf(text, sizeof text, "%u.%u.%u.%u", releases[r].part[0], releases[r].part[1], releases[r].part[2], releases[r].part[3] + 1u);
		assert_int_equal(told(&built, "p", GW_FAMILY_cudnn, "p:cudnn=%s", text, ""), 1);
		assert_int_equal(built.first, r);
		assert_int_equal(built.last, r < last ? r + 1 : r);
	}
	assert_int_equal(told(&built, "p", GW_FAMILY_cudnn, "p:cudnn=0.1", "", ""), 1);
	assert_true(!built.first && !built.last);
	assert_int_equal(told(&built, "p", GW_FAMILY_cudnn, "p:cudnn=any;*:cudnn=%s", version(GW_FAMILY_cudnn, 0), ""), 1);
	assert_false(built.known);
}

static void a_value_that_cannot_be_read_says_where_and_why(void **state)
{
	static const struct {
		const char *value, *why;
		unsigned at;
	} rows[] = {
		{ "libfoo.so", "a file's name and ':' are missing", 0 },
		{ ":cudnn=1", "a file's name and ':' are missing", 0 },
		{ "p:cudnn=1;;", "a file's name and ':' are missing", 10 },
		{ "p:cufft=1", "an unknown family", 2 },
		{ "p:", "an unknown family", 2 },
		{ "p:cudnn", "'=' and a release are missing", 7 },
		{ "p:cudnn=", "no release", 8 },
		{ "p:cudnn=1.", "no release", 8 },
		{ "p:cudnn=1.2.3.4.5", "no release", 8 },
		{ "p:cudnn=x", "no release", 8 },
		{ "p:cudnn=1234567", "no release", 8 },
		{ "p:cudnn=1,", "an unknown family", 10 },
		{ "p:cudnn=1;q:cublas=1,cudnn=9 ", "no release", 27 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gw_built built = { 0 };
		const char *wrong = NULL, *why = "none";

		assert_int_equal(gw_built_told(rows[i].value, "other", GW_FAMILY_cudnn, &built, &wrong, &why), -1);
		assert_string_equal(why, rows[i].why);
		assert_int_equal(wrong - rows[i].value, rows[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_in_full_is_that_one_for_the_file_that_is_named),
		cmocka_unit_test(the_first_entry_that_fits_counts_and_patterns_may_be_paths),
		cmocka_unit_test(a_family_takes_what_is_said_of_its_suite_unless_it_is_named),
		cmocka_unit_test(a_beginning_means_all_that_begin_so_and_an_unknown_one_its_neighbours),
		cmocka_unit_test(a_value_that_cannot_be_read_says_where_and_why),
	};

	return cmocka_run_group_tests_name("built_told", tests, NULL, NULL);
}
