/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrappers and thunks that abigen makes of the small database, between a recording stand-in for
 * shim/call.h and a small library that they believe to be the vendor's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_via.h"
#include "shim/call.h"
#include "shim/trace_write.h"

/* What gw_thunks.S writes; in libgangway.so its first member is the origin too. */
extern __thread struct gw_thread {
	uint32_t origin;
} gw_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));
__thread struct gw_thread gw_thread;

extern const char gw_thunks[] __attribute__((visibility("hidden")));

void alphaAsk(alphaHandle_t handle, alphaStatus_t *last);
alphaStatus_t alphaFind(const int asked, int64_t *found, alphaPerf_t *results);
alphaStatus_t alphaSetCallback(alphaCallback_t callback, void *user);
void alphaCount(int *counts, int64_t n, char flag);
alphaStatus_t alphaCreate(alphaHandle_t *handle, alphaMode_t mode);
alphaComplex alphaDot(int n, const alphaComplex *x, alphaComplex scale);
const char *alphaErrorString(alphaStatus_t status);
float alphaNorm(alphaHandle_t handle, double x);
alphaStatus_t alphaOld(alphaHandle_t handle);
size_t alphaVersion(void);

static struct {
	uint8_t flags, absent;
	void *real;
	uint32_t fn, origin;
	unsigned entered, left, exited, translated;
	union gw_value values[8], result;
	bool had_values;
	struct {
		void *array;
		int64_t count, most;
		size_t size, offset;
	} carried[4];
	unsigned carried_count;
	unsigned char written[256];
	unsigned claimed, published, counted, ended, wide;
	uint64_t claimed_result;
	bool failed;
} record;

void *gw_enter(struct gw_call *call, uint32_t fn, const void *caller)
{
	*call = (struct gw_call){
		.fn = fn, .caller = caller, .flags = record.flags, .absent = record.absent};
	record.fn = fn;
	record.origin = gw_thread.origin;
	gw_thread.origin = 0;
	record.entered++;
	return record.real;
}

void gw_exit(struct gw_call *call)
{
	assert_int_equal(call->fn, record.fn);
	record.exited++;
}

/* The caller's 2 is the loaded release's 3007, as in the small database. */
int32_t gw_status_out(const struct gw_call *call, int32_t status)
{
	(void)call;
	record.translated++;
	return status == 3007 ? 2 : status;
}

int32_t gw_status_in(const struct gw_call *call, int32_t status)
{
	(void)call;
	record.translated++;
	return status == 2 ? 3007 : status;
}

void gw_carried_out(const struct gw_call *call, void *array, int64_t count, int64_t most,
		    size_t size, size_t offset)
{
	assert_int_equal(call->fn, record.fn);
	assert_true(record.carried_count < 4);
	record.carried[record.carried_count].array = array;
	record.carried[record.carried_count].count = count;
	record.carried[record.carried_count].most = most;
	record.carried[record.carried_count].size = size;
	record.carried[record.carried_count++].offset = offset;
}

uint64_t gw_trace_now(void)
{
	return ++record.ended;
}

unsigned char *gw_trace_claim(struct gw_call *call, uint32_t length, uint64_t result)
{
	assert_int_equal(call->fn, record.fn);
	record.claimed = length;
	record.claimed_result = result;
	return record.written;
}

void gw_trace_publish(struct gw_call *call, unsigned char *to, uint32_t length)
{
	assert_int_equal(call->fn, record.fn);
	assert_ptr_equal(to, record.written);
	assert_int_equal(length, record.claimed);
	record.published++;
}

void gw_trace_long(struct gw_call *call, const union gw_value *values, uint64_t result)
{
	assert_int_equal(call->fn, record.fn);
	(void)result;
	record.wide++;
	record.values[0] = values[1];
}

void gw_trace_count(struct gw_call *call, bool failed)
{
	assert_int_equal(call->fn, record.fn);
	record.counted++;
	record.failed = failed;
}

void gw_leave(struct gw_call *call, const union gw_value *values, union gw_value result)
{
	record.had_values = values != NULL;
	if (values)
		memcpy(record.values, values,
		       gw_functions[call->fn].parameter_count * sizeof(*values));
	record.result = result;
	record.left++;
}

size_t gw_via_alpha_version(struct gw_call *gw_call, size_t (*gw_real)(void))
{
	assert_int_equal(gw_call->fn, GW_FN_alphaVersion);
	return gw_real() + 1000;
}

alphaStatus_t gw_via_alpha_set_callback(struct gw_call *gw_call,
					alphaStatus_t (*gw_real)(alphaCallback_t, void *),
					alphaCallback_t callback, void *user)
{
	assert_int_equal(gw_call->fn, GW_FN_alphaSetCallback);
	return gw_real(callback, (char *)user + 1);
}

static alphaStatus_t real_set_callback(alphaCallback_t callback, void *user)
{
	(void)callback;
	return (alphaStatus_t)(uintptr_t)user;
}

static void real_ask(alphaHandle_t handle, alphaStatus_t *last)
{
	(void)handle;
	*last = 3007;
}

static alphaStatus_t find_answer;

static alphaStatus_t real_find(const int asked, int64_t *found, alphaPerf_t *results)
{
	(void)results;
	*found = asked + 3;
	return find_answer;
}

static alphaStatus_t real_create(alphaHandle_t *handle, alphaMode_t mode)
{
	*handle = (alphaHandle_t)(uintptr_t)0x1234;
	return mode == 7 ? 3007 : 0;
}

static alphaStatus_t real_old(alphaHandle_t handle)
{
	(void)handle;
	return 3007;
}

static const char *real_error_string(alphaStatus_t status)
{
	return status == 3007 ? "three thousand and seven" : status == 2 ? "two" : "?";
}

static size_t real_version(void)
{
	return 7;
}

static float real_norm(alphaHandle_t handle, double x)
{
	return handle ? (float)(x / 2) : 0;
}

static alphaComplex real_dot(int n, const alphaComplex *x, alphaComplex scale)
{
	return (alphaComplex){x[n - 1].x * scale.x, x[n - 1].y * scale.y};
}

static int64_t counted;

static void real_count(int *counts, int64_t n, char flag)
{
	counted = n;
	counts[0] = flag;
}

static int fresh(void **state)
{
	(void)state;
	memset(&record, 0, sizeof(record));
	return 0;
}

#define REAL(function) ((void *)(uintptr_t)(function))

static void an_unwatched_call_is_only_passed_on(void **state)
{
	alphaHandle_t handle = NULL;

	(void)state;
	record.real = REAL(real_create);
	assert_int_equal(alphaCreate(&handle, 7), 3007);
	assert_int_equal((uintptr_t)handle, 0x1234);
	assert_int_equal(record.fn, GW_FN_alphaCreate);
	assert_int_equal(record.entered, 1);
	assert_int_equal(record.exited, 1);
	assert_int_equal(record.left + record.translated, 0);
}

static void a_returned_status_comes_out_as_the_caller_numbers_it(void **state)
{
	alphaHandle_t handle;

	(void)state;
	record.real = REAL(real_create);
	record.flags = GW_CALL_TRANSLATE;
	assert_int_equal(alphaCreate(&handle, 7), 2);
	assert_int_equal(record.exited, 1);
	assert_int_equal(record.left, 0);
}

static void what_is_gone_is_translated_as_its_family_is(void **state)
{
	(void)state;
	record.real = REAL(real_old);
	record.flags = GW_CALL_TRANSLATE;
	assert_int_equal(alphaOld(NULL), 2);
}

static void the_answer_for_an_absent_function_is_left_alone(void **state)
{
	(void)state;
	record.real = REAL(real_old);
	record.flags = GW_CALL_TRANSLATE;
	record.absent = 1;
	assert_int_equal(alphaOld(NULL), 3007);
	assert_int_equal(record.translated, 0);
}

static void a_status_passed_by_value_goes_in_translated_and_is_logged_as_passed(void **state)
{
	(void)state;
	record.real = REAL(real_error_string);
	record.flags = GW_CALL_TRANSLATE | GW_CALL_REPORT;
	assert_string_equal(alphaErrorString(2), "three thousand and seven");
	assert_int_equal(record.values[0].i, 2);
	assert_string_equal((const char *)record.result.p, "three thousand and seven");
	record.flags = GW_CALL_REPORT;
	assert_string_equal(alphaErrorString(2), "two");
}

static void a_via_function_answers_only_when_releases_differ(void **state)
{
	(void)state;
	record.real = REAL(real_version);
	assert_int_equal(alphaVersion(), 7);
	record.flags = GW_CALL_REPORT;
	assert_int_equal(alphaVersion(), 7);
	assert_false(record.had_values);
	record.flags = GW_CALL_VIA | GW_CALL_REPORT;
	assert_int_equal(alphaVersion(), 1007);
	assert_int_equal(record.result.i, 1007);
}

static void statuses_behind_pointers_are_translated_where_the_facts_say_they_lie(void **state)
{
	alphaStatus_t last = 0;
	int64_t found = 0;
	char results[4]; /* not looked at here */

	(void)state;
	record.flags = GW_CALL_TRANSLATE;
	record.real = REAL(real_ask);
	alphaAsk(NULL, &last);
	assert_int_equal(record.carried_count, 1);
	assert_ptr_equal(record.carried[0].array, &last);
	assert_int_equal(record.carried[0].count, 1);
	assert_true(record.carried[0].size == sizeof(last) && !record.carried[0].offset);
	record.carried_count = 0;
	record.real = REAL(real_find);
	find_answer = 0;
	assert_int_equal(alphaFind(5, &found, (alphaPerf_t *)(void *)results), 0);
	assert_int_equal(record.carried_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_ptr_equal(record.carried[i].array, results);
		assert_int_equal(record.carried[i].count, 8);
		assert_int_equal(record.carried[i].most, 5);
		assert_int_equal(record.carried[i].size, 24);
		assert_int_equal(record.carried[i].offset, i ? 4 : 16);
	}
}

static void what_failed_was_absent_or_is_not_translated_left_no_statuses(void **state)
{
	int64_t found = 0;
	char results[4];

	(void)state;
	record.real = REAL(real_find);
	record.flags = GW_CALL_TRANSLATE | GW_CALL_REPORT;
	find_answer = 3007;
	assert_int_equal(alphaFind(5, &found, (alphaPerf_t *)(void *)results), 2);
	find_answer = 0;
	record.absent = 1;
	assert_int_equal(alphaFind(5, &found, (alphaPerf_t *)(void *)results), 0);
	record.absent = 0;
	record.flags = GW_CALL_VIA | GW_CALL_REPORT;
	assert_int_equal(alphaFind(5, &found, (alphaPerf_t *)(void *)results), 0);
	assert_int_equal(record.carried_count, 0);
}

static void a_carrier_that_is_treated_by_hand_is_left_to_its_via_function(void **state)
{
	(void)state;
	record.real = REAL(real_set_callback);
	record.flags = GW_CALL_TRANSLATE | GW_CALL_VIA;
	assert_int_equal(alphaSetCallback(NULL, (void *)(uintptr_t)3006), 2);
	assert_int_equal(record.carried_count, 0);
}

static void numbers_and_pairs_arrive_and_are_reported(void **state)
{
	const alphaComplex x[2] = {{1, 2}, {3, 4}};
	alphaComplex dot;
	int counts[2] = {0, 0};

	(void)state;
	record.flags = GW_CALL_REPORT | GW_CALL_TRANSLATE;
	record.real = REAL(real_norm);
	assert_true(alphaNorm((alphaHandle_t)(uintptr_t)8, 5) == 2.5f);
	assert_int_equal((uintptr_t)record.values[0].p, 8);
	assert_true(record.values[1].d == 5 && record.result.d == 2.5);
	record.real = REAL(real_dot);
	dot = alphaDot(2, x, (alphaComplex){10, 100});
	assert_true(dot.x == 30 && dot.y == 400);
	assert_int_equal(record.values[2].i, sizeof(alphaComplex));
	record.real = REAL(real_count);
	alphaCount(counts, INT64_C(-5000000000), -3);
	assert_true(counted == INT64_C(-5000000000) && counts[0] == -3);
	assert_true(record.values[1].i == INT64_C(-5000000000) && record.values[2].i == -3);
	assert_ptr_equal(record.values[0].p, counts);
}

static void a_recorded_call_is_laid_out_as_the_trace_format_says(void **state)
{
	int counts[4] = {0};
	int32_t small = 7, flag = -3;
	void *pointer = counts;

	(void)state;
	record.flags = GW_CALL_TRACE | GW_CALL_RECORD | GW_CALL_TIMED;
	record.real = REAL(real_count);
	alphaCount(counts, small, (char)flag);
	assert_int_equal(record.claimed, 16); /* 8, and 4 for each number that fits */
	assert_memory_equal(record.written, &pointer, 8);
	assert_memory_equal(record.written + 8, &small, 4);
	assert_memory_equal(record.written + 12, &flag, 4);
	assert_true(record.published == 1 && record.counted == 1 && record.ended == 1 && !record.failed && !record.wide);
	alphaCount(counts, INT64_C(-5000000000), -3);
	assert_true(record.published == 1 && record.counted == 2 && record.wide == 1);
	assert_true(record.values[0].i == INT64_C(-5000000000));
	record.flags = GW_CALL_TRACE;
	alphaCount(counts, small, (char)flag);
	assert_true(record.published == 1 && record.counted == 3 && record.ended == 2 && record.wide == 1);
}

static void each_thunk_sets_its_origin_and_reaches_its_function(void **state)
{
	(void)state;
	for (uint32_t origin = 1; origin <= GW_ORIGINS; origin++) {
		const char *row = gw_thunks + (size_t)(origin - 1) * GW_FN_COUNT * 16;
		float (*norm)(alphaHandle_t, double) =
			(void *)(uintptr_t)(row + GW_FN_alphaNorm * 16);
		size_t (*version)(void) = (void *)(uintptr_t)(row + GW_FN_alphaVersion * 16);

		record.real = REAL(real_norm);
		assert_true(norm((alphaHandle_t)(uintptr_t)8, 9) == 4.5f);
		assert_int_equal(record.fn, GW_FN_alphaNorm);
		assert_int_equal(record.origin, origin);
		record.real = REAL(real_version);
		assert_int_equal(version(), 7);
		assert_int_equal(record.fn, GW_FN_alphaVersion);
		assert_int_equal(record.origin, origin);
		assert_int_equal(alphaVersion(), 7);
		assert_int_equal(record.origin, 0);
	}
}

static const struct gw_parameter *parameter_of(int fn, uint32_t index)
{
	return &gw_parameters[gw_functions[fn].parameters + index];
}

static void the_tables_say_what_the_small_database_says(void **state)
{
	const struct gw_family_data *alpha = &gw_families[GW_FAMILY_alpha];
	const struct gw_enum *mode = &gw_enums[GW_ENUM_alphaMode_t];

	(void)state;
	for (int fn = 0; fn + 1 < GW_FN_COUNT; fn++)
		assert_true(strcmp(gw_function_name((uint32_t)fn), gw_function_name((uint32_t)fn + 1)) < 0);
	assert_string_equal(gw_string(parameter_of(GW_FN_alphaNorm, 0)->name), "argument1");
	assert_int_equal(parameter_of(GW_FN_alphaCreate, 1)->enum_type,
			 GW_ENUM_alphaMode_t);
	assert_int_equal(parameter_of(GW_FN_alphaDot, 2)->size, sizeof(alphaComplex));
	assert_int_equal(parameter_of(GW_FN_alphaCount, 2)->class, GW_CLASS_INT8);
	assert_true(gw_functions[GW_FN_alphaCreate].returns_status &&
		    !gw_functions[GW_FN_alphaNorm].returns_status);
	/* 1 was an end marker; the newest release that has the value names it. */
	assert_int_equal(mode->count, 3);
	assert_string_equal(gw_string(gw_constants[mode->constants + 1].name), "ALPHA_MODE_FAST");
	assert_string_equal(alpha->releases[2].soname_major, "2");
	assert_int_equal(alpha->releases[2].number, 20000);
	assert_int_equal(alpha->numbering_count, 2);
	/* 2001 has no name in 1.x: the `fold` line makes it 1. */
	assert_int_equal(alpha->numberings[1].constants[2].value, 2001);
	assert_int_equal(alpha->numberings[0].value_of[alpha->numberings[1].neutral_of[2]], 1);
	assert_int_equal(alpha->refuse[0], 2);
	assert_int_equal(alpha->refuse[1], 3007);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_unwatched_call_is_only_passed_on, fresh),
		cmocka_unit_test_setup(a_returned_status_comes_out_as_the_caller_numbers_it, fresh),
		cmocka_unit_test_setup(what_is_gone_is_translated_as_its_family_is, fresh),
		cmocka_unit_test_setup(the_answer_for_an_absent_function_is_left_alone, fresh),
		cmocka_unit_test_setup(
			a_status_passed_by_value_goes_in_translated_and_is_logged_as_passed, fresh),
		cmocka_unit_test_setup(a_via_function_answers_only_when_releases_differ, fresh),
		cmocka_unit_test_setup(
			statuses_behind_pointers_are_translated_where_the_facts_say_they_lie, fresh),
		cmocka_unit_test_setup(what_failed_was_absent_or_is_not_translated_left_no_statuses,
				       fresh),
		cmocka_unit_test_setup(
			a_carrier_that_is_treated_by_hand_is_left_to_its_via_function, fresh),
		cmocka_unit_test_setup(numbers_and_pairs_arrive_and_are_reported, fresh),
		cmocka_unit_test_setup(a_recorded_call_is_laid_out_as_the_trace_format_says, fresh),
		cmocka_unit_test_setup(each_thunk_sets_its_origin_and_reaches_its_function, fresh),
		cmocka_unit_test(the_tables_say_what_the_small_database_says),
	};

	return cmocka_run_group_tests_name("wrappers", tests, NULL, NULL);
}
