/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that abigen makes of the real facts. The numbers here were read by people from the
 * vendors' headers and release notes: they are what the database and the generator are held
 * against.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gw_fn.h"
#include "shim/table.h"

static const struct gw_family_data *const cudnn = &gw_families[GW_FAMILY_cudnn];

static const struct gw_numbering *numbering_of(const struct gw_family_data *family,
					       const char *version)
{
	for (uint32_t i = 0; i < family->release_count; i++) {
		if (!strncmp(family->releases[i].version, version, strlen(version)))
			return &family->numberings[family->releases[i].numbering];
	}
	fail_msg("no release %s of %s", version, family->name);
	return NULL;
}

static int32_t translate(const struct gw_numbering *from, const struct gw_numbering *to,
			 int32_t value)
{
	for (uint32_t i = 0; i < from->count; i++) {
		if (from->constants[i].value == value)
			return to->value_of[from->neutral_of[i]];
	}
	fail_msg("status %d has no name", value);
	return -1;
}

/* cuDNN 8 to 9: each status of 8.x, and what 9.x made of it. */
static const struct {
	const char *name;
	int32_t old, new;
} renumbered[] = {
	{"SUCCESS", 0, 0},
	{"NOT_INITIALIZED", 1, 1001},
	{"ALLOC_FAILED", 2, 4003},
	{"BAD_PARAM", 3, 2000},
	{"INTERNAL_ERROR", 4, 4000},
	{"INVALID_VALUE", 5, 2001},
	{"ARCH_MISMATCH", 6, 3007},
	{"MAPPING_ERROR", 7, 4006},
	{"EXECUTION_FAILED", 8, 5000},
	{"NOT_SUPPORTED", 9, 3000},
	{"LICENSE_ERROR", 10, 1005},
	{"RUNTIME_PREREQUISITE_MISSING", 11, 3008},
	{"RUNTIME_IN_PROGRESS", 12, 1006},
	{"RUNTIME_FP_OVERFLOW", 13, 1007},
	{"VERSION_MISMATCH", 14, 1002},
};

static void every_status_of_cudnn_8_has_its_cudnn_9_number_and_back(void **state)
{
	const struct gw_numbering *old = numbering_of(cudnn, "8.");

	(void)state;
	assert_int_equal(old->count, sizeof(renumbered) / sizeof(*renumbered));
	for (uint32_t r = 0; r < cudnn->release_count; r++) {
		const struct gw_numbering *new = &cudnn->numberings[cudnn->releases[r].numbering];

		for (size_t i = 0; i < old->count; i++) {
			assert_string_equal(gw_string(old->constants[i].name) + strlen("CUDNN_STATUS_"),
					    renumbered[i].name);
			assert_int_equal(old->constants[i].value, renumbered[i].old);
			if (cudnn->releases[r].part[0] < 9)
				continue;
			assert_int_equal(translate(old, new, renumbered[i].old), renumbered[i].new);
			assert_int_equal(translate(new, old, renumbered[i].new), renumbered[i].old);
		}
	}
}

static void a_finer_status_of_cudnn_9_folds_into_its_class(void **state)
{
	static const int32_t class_of[] = {0, 1, 3, 9, 4, 8}; /* by thousands: 8.x's number */
	const struct gw_numbering *old = numbering_of(cudnn, "8.");
	unsigned folded = 0;

	(void)state;
	for (uint32_t n = 0; n < cudnn->numbering_count; n++) {
		const struct gw_numbering *new = &cudnn->numberings[n];

		for (uint32_t i = 0; new != old &&i < new->count; i++) {
			int32_t value = new->constants[i].value, back = translate(new, old, value);
			bool known = false;

			for (size_t k = 0; k < sizeof(renumbered) / sizeof(*renumbered); k++)
				known |= renumbered[k].new == value;
			if (known)
				continue;
			assert_in_range(value, 1000, 5999);
			assert_int_equal(back, class_of[value / 1000]);
			folded++;
		}
	}
	assert_true(folded >= 29);
}

static void every_status_translates_to_itself_within_a_numbering(void **state)
{
	(void)state;
	for (int f = 0; f < GW_FAMILY_COUNT; f++) {
		for (uint32_t n = 0; n < gw_families[f].numbering_count; n++) {
			const struct gw_numbering *own = &gw_families[f].numberings[n];

			for (uint32_t i = 0; i < own->count; i++)
				assert_int_equal(translate(own, own, own->constants[i].value),
						 own->constants[i].value);
		}
	}
}

static void a_facade_answers_version_questions_as_the_newest_of_its_soname(void **state)
{
	static const struct {
		int family;
		const char *major;
		uint32_t number;
	} expected[] = {
		{GW_FAMILY_cublas, "11", 111103},   {GW_FAMILY_cublas, "12", 120903},
		{GW_FAMILY_cublasLt, "11", 111103}, {GW_FAMILY_cublasLt, "12", 120903},
		{GW_FAMILY_cudnn, "8", 8907},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct gw_family_data *family = &gw_families[expected[i].family];
		uint32_t number = 0;

		for (uint32_t r = 0; r < family->release_count; r++) {
			if (!strcmp(family->releases[r].soname_major, expected[i].major))
				number = family->releases[r].number;
		}
		assert_int_equal(number, expected[i].number);
	}
}

static void each_function_that_cudnn_9_dropped_is_carried(void **state)
{
	unsigned gone = 0, checks = 0, rnn = 0, algorithms = 0;

	(void)state;
	for (int fn = 0; fn < GW_FN_COUNT; fn++) {
		gone += gw_functions[fn].family == GW_FAMILY_cudnn &&
			gw_functions[fn].method == GW_METHOD_GONE;
		checks += gw_functions[fn].method == GW_METHOD_VIA &&
			  strstr(gw_function_name((uint32_t)fn), "VersionCheck");
		rnn += gw_functions[fn].method == GW_METHOD_VIA && strstr(gw_function_name((uint32_t)fn), "RNN");
		algorithms += gw_functions[fn].method == GW_METHOD_VIA && !strstr(gw_function_name((uint32_t)fn), "RNN") &&
			      (strstr(gw_function_name((uint32_t)fn), "AlgorithmDescriptor") ||
			       strstr(gw_function_name((uint32_t)fn), "AlgorithmPerformance") ||
			       strstr(gw_function_name((uint32_t)fn), "AlgorithmSpaceSize") ||
			       strstr(gw_function_name((uint32_t)fn), "SaveAlgorithm") ||
			       strstr(gw_function_name((uint32_t)fn), "RestoreAlgorithm"));
	}
	assert_int_equal(gone, 0);
	assert_int_equal(checks, 6);
	assert_int_equal(algorithms, 12);
	assert_int_equal(rnn, 37 + 6); /* with six that 9 has too */
	assert_int_equal(gw_functions[GW_FN_cudnnGetRNNParamsSize].method, GW_METHOD_VIA);
	assert_int_equal(gw_functions[GW_FN_cudnnGetVersion].method, GW_METHOD_VIA);
	assert_int_equal(gw_functions[GW_FN_cublasLtMatmulAlgoGetIds].method, GW_METHOD_PASS);
}

static void cublaslt_is_opened_before_cublas_and_from_one_directory(void **state)
{
	const struct gw_family_data *lt = &gw_families[GW_FAMILY_cublasLt],
				    *blas = &gw_families[GW_FAMILY_cublas];

	(void)state;
	assert_int_equal(lt->suite, blas->suite);
	assert_int_not_equal(lt->suite, cudnn->suite);
	assert_true(lt->suite_first && !blas->suite_first && cudnn->suite_first);
	assert_string_equal(lt->property_function, "cublasLtGetProperty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_status_of_cudnn_8_has_its_cudnn_9_number_and_back),
		cmocka_unit_test(a_finer_status_of_cudnn_9_folds_into_its_class),
		cmocka_unit_test(every_status_translates_to_itself_within_a_numbering),
		cmocka_unit_test(a_facade_answers_version_questions_as_the_newest_of_its_soname),
		cmocka_unit_test(each_function_that_cudnn_9_dropped_is_carried),
		cmocka_unit_test(cublaslt_is_opened_before_cublas_and_from_one_directory),
	};

	return cmocka_run_group_tests_name("real facts", tests, NULL, NULL);
}
