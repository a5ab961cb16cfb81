/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size rules of the semi-opaque blocks, as the real libraries were seen to keep them (blocks.txt beside this file).
 * Built once against each release.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_api.h"

#ifndef BLOCKS
#define BLOCKS "blocks.txt"
#endif

enum { ROOM = 512, MOST = 64 };

/* Does LIST, such as "0-8,10-16", hold NUMBER? */
static bool holds(const char *list, int number)
{
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (number >= first && number <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/* Attribute ID is accepted with one of the sizes that attributes have. */
static bool accepted(cublasLtMatmulDesc_t desc, int id)
{
	static const size_t sizes[] = { 1, 4, 8 };
	int64_t zero = 0;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (!cublasLtMatmulDescSetAttribute(desc, (cublasLtMatmulDescAttributes_t)id, &zero, sizes[i]))
			return true;
	return false;
}

static void a_block_honours_the_attributes_that_were_measured_for_its_size(void **state)
{
	char line[256], release[32], list[128];
	FILE *file = fopen(BLOCKS, "r");
	unsigned size, checked = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		_Alignas(16) unsigned char block[ROOM];

		if (sscanf(line, "%31s %u %127s", release, &size, list) != 3 || strcmp(release, FAKE_RELEASE))
			continue;
		assert_int_equal(cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)block, size, CUBLAS_COMPUTE_32F, CUDA_R_32F),
				 CUBLAS_STATUS_SUCCESS);
		for (int id = 0; id < MOST; id++)
			if (accepted((cublasLtMatmulDesc_t)block, id) != holds(list, id))
				fail_msg("%s, %u bytes: attribute %d: expected %s", release, size, id, holds(list, id) ? "yes" : "no");
		checked++;
	}
	fclose(file);
	assert_true(checked == 3);
}

static void init_never_writes_beyond_the_size_it_is_told(void **state)
{
	(void)state;
	for (size_t size = 0; size <= 320; size += 8) {
		_Alignas(16) unsigned char block[ROOM];

		memset(block, 0xa5, sizeof block);
		cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)block, size, CUBLAS_COMPUTE_32F, CUDA_R_32F);
		cublasLtMatrixLayoutInit_internal((cublasLtMatrixLayout_t)block, size, CUDA_R_32F, 2, 2, 2);
		cublasLtMatmulPreferenceInit_internal((cublasLtMatmulPreference_t)block, size);
		for (size_t i = size; i < sizeof block; i++)
			assert_int_equal(block[i], 0xa5);
	}
}

static void init_never_writes_beyond_its_own_size(void **state)
{
	_Alignas(16) unsigned char block[ROOM];

	(void)state;
	memset(block, 0xa5, sizeof block);
	assert_int_equal(cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)block, sizeof block, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	for (size_t i = sizeof(cublasLtMatmulDescOpaque_t); i < sizeof block; i++)
		assert_int_equal(block[i], 0xa5);
}

static void too_small_a_block_is_refused_and_left_alone(void **state)
{
	_Alignas(16) unsigned char block[ROOM];

	(void)state;
	memset(block, 0xa5, sizeof block);
	assert_int_equal(cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)block, 48, CUBLAS_COMPUTE_32F, CUDA_R_32F),
			 CUBLAS_STATUS_INVALID_VALUE);
	assert_int_equal(cublasLtMatmulPreferenceInit_internal((cublasLtMatmulPreference_t)block, 56), CUBLAS_STATUS_INVALID_VALUE);
	assert_int_equal(cublasLtMatrixLayoutInit_internal((cublasLtMatrixLayout_t)block, 48, CUDA_R_32F, 2, 2, 2),
			 CUBLAS_STATUS_INVALID_VALUE);
	for (size_t i = 0; i < sizeof block; i++)
		assert_int_equal(block[i], 0xa5);
}

static void a_block_begins_with_the_format_that_its_size_has(void **state)
{
	_Alignas(16) unsigned char small[96], own[sizeof(cublasLtMatmulDescOpaque_t)];
	uint32_t format;

	(void)state;
	assert_int_equal(cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)small, sizeof small, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	memcpy(&format, small, sizeof format);
	assert_int_equal(format, 3);
	assert_int_equal(cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)own, sizeof own, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	memcpy(&format, own, sizeof format);
	assert_true(sizeof own == 96 ? format == 3 : sizeof own == 184 ? format == 4 : format >= 5 && format <= 8);
}

static void a_copied_block_is_as_good_as_the_first(void **state)
{
	cublasLtMatmulDescOpaque_t first, second;
	int32_t trans = CUBLAS_OP_T, read = -1;
	size_t written = 0;

	(void)state;
	assert_int_equal(cublasLtMatmulDescInit_internal(&first, sizeof first, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(&first, CUBLASLT_MATMUL_DESC_TRANSA, &trans, sizeof trans), 0);
	second = first;
	memset(&first, 0, sizeof first);
	assert_int_equal(cublasLtMatmulDescGetAttribute(&second, CUBLASLT_MATMUL_DESC_TRANSA, &read, sizeof read, &written), 0);
	assert_int_equal(read, CUBLAS_OP_T);
	assert_int_equal(written, sizeof read);
	assert_int_equal(cublasLtMatmulDescGetAttribute(&first, CUBLASLT_MATMUL_DESC_TRANSA, &read, sizeof read, &written),
			 CUBLAS_STATUS_INVALID_VALUE);
}

static void attributes_want_their_exact_size(void **state)
{
	cublasLtMatmulDesc_t desc;
	int64_t value = 0;
	size_t written = 0;

	(void)state;
	assert_int_equal(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), 0);
	assert_int_equal(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &value, 8), CUBLAS_STATUS_INVALID_VALUE);
	assert_int_equal(cublasLtMatmulDescGetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, NULL, 0, &written), 0);
	assert_int_equal(written, 4);
	assert_int_equal(cublasLtMatmulDescGetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &value, 8, &written),
			 CUBLAS_STATUS_INVALID_VALUE);
	assert_int_equal(cublasLtMatmulDescDestroy(desc), 0);
}

static void a_preference_takes_what_its_release_names(void **state)
{
	cublasLtMatmulPreference_t preference;
	uint64_t bytes = 1 << 20, read = 0;
	uint32_t mask = 1;
	size_t written;

	(void)state;
	assert_int_equal(cublasLtMatmulPreferenceCreate(&preference), 0);
	assert_int_equal(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, 8), 0);
	assert_int_equal(cublasLtMatmulPreferenceGetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &read, 8, &written),
			 0);
	assert_true(read == bytes);
	/* 11: the epilogue mask, which went with major 12. */
#ifdef CUBLASLT_MATMUL_PREF_EPILOGUE_MASK
	assert_int_equal(cublasLtMatmulPreferenceSetAttribute(preference, (cublasLtMatmulPreferenceAttributes_t)11, &mask, 4), 0);
#else
	assert_int_equal(cublasLtMatmulPreferenceSetAttribute(preference, (cublasLtMatmulPreferenceAttributes_t)11, &mask, 4),
			 CUBLAS_STATUS_INVALID_VALUE);
#endif
	assert_int_equal(cublasLtMatmulPreferenceDestroy(preference), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_honours_the_attributes_that_were_measured_for_its_size),
		cmocka_unit_test(init_never_writes_beyond_the_size_it_is_told),
		cmocka_unit_test(init_never_writes_beyond_its_own_size),
		cmocka_unit_test(too_small_a_block_is_refused_and_left_alone),
		cmocka_unit_test(a_block_begins_with_the_format_that_its_size_has),
		cmocka_unit_test(a_copied_block_is_as_good_as_the_first),
		cmocka_unit_test(attributes_want_their_exact_size),
		cmocka_unit_test(a_preference_takes_what_its_release_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
