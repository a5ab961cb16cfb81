/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of the database text: what it takes, what it refuses and where it says the error is. */
#include "abi/db.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "# facts\nfamily\tf\nrelease\t1.2\tw1\nrelease\t1.9.3\tw2,w3\nrelease\t1.10\t-\n"

static int parse(struct abi_db *db, const char *text, struct abi_error *error)
{
	memset(db, 0, sizeof(*db));
	return abi_db_parse(db, "f.abi", text, strlen(text), error);
}

static void facts_come_with_columns_releases_and_source(void **state)
{
	struct abi_db db;
	struct abi_error error;
	const struct abi_family *family;
	const struct abi_fact *fact;

	(void)state;
	assert_int_equal(parse(&db, HEAD "enum\tE\tA\t-1\t1.2,1.10..\ta.h:7\nenum\tE\tB\t18446744073709551615\t1.2..1.9.3\tb.h:1\n"
				    "macro\tM\t3\t1.9.3..\ta.h:1\n", &error), 0);
	family = abi_db_family(&db, "f");
	assert_non_null(family);
	assert_null(abi_db_family(&db, "F"));
	assert_int_equal(family->release_count, 3);
	assert_int_equal(family->releases[1].part[1], 9);
	assert_string_equal(family->releases[1].wheels, "w2,w3");
	assert_int_equal(family->first[ABI_ENUM + 1] - family->first[ABI_ENUM], 2);
	assert_int_equal(family->first[ABI_MACRO + 1], 3);
	assert_int_equal(family->first[ABI_SONAME], 0);
	assert_int_equal(family->first[ABI_FUNCTION + 1], 0);
	fact = &family->facts[0];
	assert_string_equal(fact->column[2], "-1");
	assert_string_equal(fact->source, "a.h:7");
	assert_int_equal(fact->line, 6);
	assert_true(abi_set_has(&fact->releases, 0) && !abi_set_has(&fact->releases, 1) && abi_set_has(&fact->releases, 2));
	assert_true(abi_set_has(&family->facts[1].releases, 1) && !abi_set_has(&family->facts[1].releases, 2));
	assert_true(!abi_set_has(&family->facts[2].releases, 0) && abi_set_has(&family->facts[2].releases, 2));
	abi_db_finish(&db);
}

static void a_short_release_means_its_newest_build(void **state)
{
	struct abi_db db;
	struct abi_error error;
	const struct abi_family *family;

	(void)state;
	assert_int_equal(parse(&db, "family\tf\nrelease\t1\tw\nrelease\t1.2.3.4\tw\nrelease\t1.2.10.1\tw\nrelease\t1.20.1\tw\n",
			       &error), 0);
	family = abi_db_family(&db, "f");
	assert_int_equal(abi_family_release(family, "1.2"), 2);
	assert_int_equal(abi_family_release(family, "1.2.3"), 1);
	assert_int_equal(abi_family_release(family, "1.2.3.4"), 1);
	assert_int_equal(abi_family_release(family, "1"), 0);	/* given in full */
	assert_int_equal(abi_family_release(family, "1.20"), 3);
	assert_int_equal(abi_family_release(family, "1.3"), -ENOENT);
	assert_int_equal(abi_family_release(family, "2"), -ENOENT);
	assert_int_equal(abi_family_release(family, ""), -ENOENT);
	assert_int_equal(abi_family_release(family, "1.2."), -ENOENT);
	assert_int_equal(abi_family_release(family, "1.2.3.4.5"), -ENOENT);
	abi_db_finish(&db);
}

static void parameters_keep_commas_inside_brackets(void **state)
{
	const char *cursor = "a: int, callback: void (*)(int, const char *), _: float *[2][3], last: unsigned long";
	static const char *const expected[][2] = {
		{"a", "int"}, {"callback", "void (*)(int, const char *)"}, {"_", "float *[2][3]"}, {"last", "unsigned long"}};
	struct abi_parameter parameter;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(abi_parameter_next(&cursor, &parameter));
		assert_int_equal(parameter.name_length, strlen(expected[i][0]));
		assert_memory_equal(parameter.name, expected[i][0], parameter.name_length);
		assert_int_equal(parameter.type_length, strlen(expected[i][1]));
		assert_memory_equal(parameter.type, expected[i][1], parameter.type_length);
	}
	assert_false(abi_parameter_next(&cursor, &parameter));
	cursor = "-";
	assert_false(abi_parameter_next(&cursor, &parameter));
}

static void hostile_parameters_end(void **state)
{
	static const char *const hostile[] = {",", ",,,", "a", "a: ", ": ", "((((", "))))", "a: ),b: (", "a: [,", ", "};
	struct abi_parameter parameter;

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		const char *cursor = hostile[i];
		int steps = 0;

		while (abi_parameter_next(&cursor, &parameter))
			assert_true(++steps < 10);
		assert_ptr_equal(cursor, hostile[i] + strlen(hostile[i]));
	}
}

static void each_error_has_its_place(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "f.abi:0:1: no `family` line"},
		{"# only\n", "f.abi:1:1: no `family` line"},
		{"family\tf", "f.abi:1:9: the file ends within a line (is it cut off?)"},
		{"family\n", "f.abi:1:1: the first line that is no comment must be `family`"},
		{"family\tf\nfamily\tg\n", "f.abi:2:1: a second `family` line"},
		{"release\t1\tw\n", "f.abi:1:1: the first line that is no comment must be `family`"},
		{"family\tf\nrelease\t1.x\tw\n", "f.abi:2:9: '1.x' is no release (at most four numbers with dots)"},
		{"family\tf\nrelease\t1.2.3.4.5\tw\n", "f.abi:2:9: '1.2.3.4.5' is no release (at most four numbers with dots)"},
		{"family\tf\nrelease\t99999999999\tw\n", "f.abi:2:9: '99999999999' is no release (at most four numbers with dots)"},
		{"family\tf\nrelease\t2\tw\nrelease\t1\tw\n", "f.abi:3:9: release 1 must stand before 2, once"},
		{"family\tf\nrelease\t2\tw\nrelease\t2.0\tw\n", "f.abi:3:9: release 2.0 must stand before 2, once"},
		{"family\tf\nrelease\t2\n", "f.abi:2:1: `release` needs VERSION and WHEEL"},
		{HEAD "macro\tM\t3\t1.2\ta.h:1\nrelease\t3\tw\n", "f.abi:7:1: `release` lines stand before all facts"},
		{HEAD "macros\tM\t3\t1.2\ta.h:1\n", "f.abi:6:1: unknown kind of line 'macros'"},
		{HEAD "\n", "f.abi:6:1: unknown kind of line ''"},
		{HEAD "macro\tM\t3x\t1.2\ta.h:1\n", "f.abi:6:9: '3x' is no number"},
		{HEAD "macro\tM\t\t1.2\ta.h:1\n", "f.abi:6:9: an empty column (write '-')"},
		{HEAD "macro\tM\t-\t1.2\ta.h:1\n", "f.abi:6:9: '-' is no number"},
		{HEAD "macro\tM\t99999999999999999999\t1.2\ta.h:1\n", "f.abi:6:9: '99999999999999999999' is no number"},
		{HEAD "macro\tM\t3\t1.2\n", "f.abi:6:1: `macro` needs 4 columns, here are 3"},
		{HEAD "macro\tM\t3\t1.2\ta.h:1\tmore\n", "f.abi:6:21: more columns than this kind of line has (4)"},
		{HEAD "macro\tM\t3\t1.3\ta.h:1\n", "f.abi:6:11: release '1.3' has no `release` line"},
		{HEAD "macro\tM\t3\t1.2,\ta.h:1\n", "f.abi:6:15: release '' has no `release` line"},
		{HEAD "macro\tM\t3\t1.2..1.3\ta.h:1\n", "f.abi:6:16: the end of range '1.2..1.3' has no `release` line"},
		{HEAD "macro\tM\t3\t1.10..1.2\ta.h:1\n", "f.abi:6:11: range '1.10..1.2' ends before it begins"},
		{HEAD "macro\tM\t3\t1.2..,1.10\ta.h:1\n", "f.abi:6:17: release 1.10 stands twice in this list"},
		{HEAD "macro\tM\t3\t1.2\ta\rh\n", "f.abi:6:16: a control character (byte 0x0d)"},
		{HEAD "macro\tM\t3\t1.2\ta\nenum\tE\tA\t1\t1.2\ta\n", "f.abi:7:1: `enum` lines stand before `macro` lines"},
		{HEAD "macro\tM\t3\t1.2\ta\nmacro\tM\t3\t1.10\ta\n", "f.abi:7:1: the same fact stands on line 6"},
		{HEAD "macro\tM\t10\t1.2\ta\nmacro\tM\t9\t1.10\ta\n", "f.abi:7:1: out of order: this line belongs before line 6"},
		{HEAD "macro\tM\t1\t1.2\ta\nmacro\tM\t-2\t1.10\ta\n", "f.abi:7:1: out of order: this line belongs before line 6"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct abi_db db;
		struct abi_error error;

		assert_int_not_equal(parse(&db, cases[i].text, &error), 0);
		assert_string_equal(error.text, cases[i].message);
		assert_int_equal(db.family_count, 0);
		abi_db_finish(&db);
	}
}

static void a_byte_zero_is_an_error_with_its_place(void **state)
{
	static const char text[] = "family\tf\nrelease\t1\0\tw\n";
	struct abi_db db = {0};
	struct abi_error error;

	(void)state;
	assert_int_equal(abi_db_parse(&db, "f.abi", text, sizeof(text) - 1, &error), -EINVAL);
	assert_string_equal(error.text, "f.abi:2:10: a NUL byte");
	abi_db_finish(&db);
}

static void one_family_in_two_files_is_an_error_and_keeps_the_first(void **state)
{
	struct abi_db db;
	struct abi_error error;

	(void)state;
	assert_int_equal(parse(&db, HEAD, &error), 0);
	assert_int_equal(abi_db_parse(&db, "g.abi", HEAD, strlen(HEAD), &error), -EEXIST);
	assert_string_equal(error.text, "g.abi:1:1: family f is also in f.abi");
	assert_int_equal(db.family_count, 1);
	abi_db_finish(&db);
}

static void no_prefix_and_no_flipped_byte_of_a_file_crashes_the_reader(void **state)
{
	static const char text[] = HEAD "export\tlibf.so.1\tf_a@V\t1.2..\tlibf.so.1\nfunction\tg\tint\ta: int, b: char *\t1.2,1.10..\ta.h:3\n"
				   "struct\tS\t8\t1.9.3\ta.h:4\nfield\tS\tx\t0\t8\tlong\t1.9.3\ta.h:5\n";
	char copy[sizeof(text)];
	struct abi_error error;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		for (int bit = 0; bit < 9; bit++) {
			struct abi_db db = {0};

			memcpy(copy, text, sizeof(text));
			copy[i] = bit < 8 ? (char)(copy[i] ^ 1 << bit) : copy[i];
			refused += abi_db_parse(&db, "f.abi", copy, bit < 8 ? sizeof(text) - 1 : i, &error) != 0;
			abi_db_finish(&db);
		}
	}
	assert_true(refused > sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_come_with_columns_releases_and_source),
		cmocka_unit_test(a_short_release_means_its_newest_build),
		cmocka_unit_test(parameters_keep_commas_inside_brackets),
		cmocka_unit_test(hostile_parameters_end),
		cmocka_unit_test(each_error_has_its_place),
		cmocka_unit_test(a_byte_zero_is_an_error_with_its_place),
		cmocka_unit_test(one_family_in_two_files_is_an_error_and_keeps_the_first),
		cmocka_unit_test(no_prefix_and_no_flipped_byte_of_a_file_crashes_the_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
