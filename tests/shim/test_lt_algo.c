/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of shim/lt_algo.h on a library that is made up here: its algorithms begin with a word that it knows, and it counts what it is
 * asked. What a whole process gets is tested by algorithms.py.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include "binding.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_lt.h"
#include "lt_algo.h"
#include "lt_ids.h"

#define OURS UINT64_C(0x1111)
#define CHOICE UINT64_C(0x2222)
#define ELSEWHERE UINT64_C(0x3333)

struct result {
	_Alignas(16) unsigned char bytes[GW_SIZE_cublasLtMatmulHeuristicResult_t];
};

static struct gw_binding binding = { .family = GW_FAMILY_cublasLt, .differs = true, .loaded = true, .path = "/libcublasLt.so" };
static struct gw_call call = { .binding = &binding };
static int checks, choices, findings, nothing, flags_unreadable;
static size_t needs;
static uint32_t alignment[4];
static uint64_t workspace_asked;
static uint64_t blocks[5][32];

static void put(void *result, uint64_t word, size_t workspace)
{
	struct result made = {{0}};

	memcpy(made.bytes, &word, sizeof(word));
	memcpy(made.bytes + GW_OFFSET_cublasLtMatmulHeuristicResult_t_workspaceSize, &workspace, sizeof(workspace));
	memcpy(result, &made, sizeof(made));
}

static cublasStatus_t check(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
			    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algo,
			    cublasLtMatmulHeuristicResult_t *result)
{
	uint64_t word;

	(void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d;
	checks++;
	memcpy(&word, algo, sizeof(word));
	if (word != OURS)
		return GW_CUBLAS_STATUS_INVALID_VALUE;
	put(result, word, needs);
	return 0;
}

static cublasStatus_t preference_init(cublasLtMatmulPreference_t preference, size_t size)
{
	(void)preference;
	assert_true(size >= 96);
	return 0;
}

static cublasStatus_t preference_set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
				     size_t size)
{
	(void)preference;
	if (attribute == GW_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
		memcpy(&workspace_asked, value, size);
	else
		memcpy(&alignment[attribute - GW_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value, size);
	return 0;
}

static cublasStatus_t heuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
				cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int requested,
				cublasLtMatmulHeuristicResult_t *results, int *returned)
{
	(void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference;
	choices++;
	assert_int_equal(requested, 1);
	if (nothing)
		return GW_CUBLAS_STATUS_NOT_SUPPORTED;
	put(results, CHOICE, 0);
	*returned = 1;
	return 0;
}

/* The capabilities of an algorithm are what its second word says: flags, pointer modes, epilogues. */
static cublasStatus_t capability(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoCapAttributes_t attribute, void *value, size_t size,
				 size_t *written)
{
	uint64_t flags;
	uint32_t masks[2];

	memcpy(&flags, (const char *)algo + 8, sizeof(flags));
	memcpy(masks, (const char *)algo + 16, sizeof(masks));
	*written = size;
	switch (attribute) {
	case GW_CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
		memcpy(value, &flags, size);
		return flags_unreadable ? GW_CUBLAS_STATUS_INVALID_VALUE : 0;
	case GW_CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
		memcpy(value, &masks[0], size);
		return 0;
	case GW_CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
		memcpy(value, &masks[1], size);
		return 0;
	default:
		return GW_CUBLAS_STATUS_INVALID_VALUE;
	}
}

/* The tile of an algorithm is its third word; it has no other ids. */
static cublasStatus_t config(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attribute, void *value, size_t size,
			     size_t *written)
{
	if (attribute != GW_CUBLASLT_ALGO_CONFIG_TILE_ID)
		return GW_CUBLAS_STATUS_INVALID_VALUE;
	assert_int_equal(size, 4);
	memcpy(value, (const char *)algo + 16, size);
	*written = size;
	return 0;
}

void *gw_binding_target(struct gw_binding *of, uint32_t fn)
{
	assert_ptr_equal(of, &binding);
	switch (fn) {
	case GW_FN_cublasLtMatmulAlgoCheck: return (void *)check;
	case GW_FN_cublasLtMatmulPreferenceInit_internal: return (void *)preference_init;
	case GW_FN_cublasLtMatmulPreferenceSetAttribute: return (void *)preference_set;
	case GW_FN_cublasLtMatmulAlgoGetHeuristic: return (void *)heuristic;
	case GW_FN_cublasLtMatmulAlgoConfigGetAttribute: return (void *)config;
	case GW_FN_cublasLtMatmulAlgoCapGetAttribute: return (void *)capability;
	default: return NULL;
	}
}

void gw_finding_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
{
	(void)remedy;
	assert_int_equal(which, GW_FINDING_ALGORITHM);
	assert_non_null(strstr(text, subject));
	findings++;
}

/* 64 bytes that begin with WORD; SERIAL makes one algorithm of many. */
struct algo {
	uint64_t word, serial, rest[6];
};

static const cublasLtMatmulAlgo_t *as_algo(const struct algo *algo)
{
	return (const cublasLtMatmulAlgo_t *)(const void *)algo;
}

static struct gw_lt_problem problem_of(size_t workspace)
{
	return (struct gw_lt_problem){ .handle = (void *)&binding, .operationDesc = (void *)blocks[0], .Adesc = (void *)blocks[1],
				       .Bdesc = (void *)blocks[2], .Cdesc = (void *)blocks[3], .Ddesc = (void *)blocks[4],
				       .workspaceSizeInBytes = workspace };
}

static int start(void **state)
{
	(void)state;
	checks = choices = findings = nothing = flags_unreadable = 0;
	needs = 0;
	binding.differs = true;
	binding.loaded_release = NULL;
	memset(alignment, 0, sizeof(alignment));
	return 0;
}

static const cublasLtMatmulAlgo_t *use(const struct gw_lt_problem *problem, const struct algo *algo, struct algo *replacement)
{
	return gw_lt_algo_usable(&call, problem, as_algo(algo), (cublasLtMatmulAlgo_t *)(void *)replacement);
}

static void what_the_library_made_is_used_without_a_question(void **state)
{
	struct algo algo = { .word = ELSEWHERE, .serial = 1 }, other;
	struct gw_lt_problem problem = problem_of(0);

	(void)state;
	gw_lt_algo_made(&call, as_algo(&algo));
	assert_true(gw_lt_algo_known(&call, as_algo(&algo)));
	assert_ptr_equal(use(&problem, &algo, &other), &algo);
	assert_null(gw_lt_algo_usable(&call, &problem, NULL, NULL));
	assert_int_equal(checks + choices, 0);
	algo.rest[5] ^= 1;
	assert_false(gw_lt_algo_known(&call, as_algo(&algo)));
}

static void where_the_releases_are_the_same_nothing_is_asked(void **state)
{
	struct algo algo = { .word = ELSEWHERE, .serial = 2 }, other;
	struct gw_lt_problem problem = problem_of(0);

	(void)state;
	binding.differs = false;
	assert_ptr_equal(use(&problem, &algo, &other), &algo);
	gw_lt_algo_made(&call, as_algo(&algo));
	assert_false(gw_lt_algo_known(&call, as_algo(&algo)));
	assert_int_equal(checks + choices, 0);
}

static void one_that_the_check_accepts_is_used_and_checked_once_for_a_problem(void **state)
{
	struct algo algo = { .word = OURS, .serial = 3 }, other;
	struct gw_lt_problem problem = problem_of(0);

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(use(&problem, &algo, &other), &algo);
	assert_int_equal(checks, 1);
	blocks[2][1]++;		/* another problem */
	assert_ptr_equal(use(&problem, &algo, &other), &algo);
	assert_int_equal(checks, 2);
	assert_int_equal(choices + findings, 0);
}

static void one_that_is_refused_is_replaced_by_the_heuristics_choice(void **state)
{
	struct algo algo = { .word = ELSEWHERE, .serial = 4 }, other = {0};
	struct gw_lt_problem problem = problem_of(4096);

	(void)state;
	problem.A = (void *)0x1010;
	problem.B = (void *)0x1002;
	problem.C = (void *)0x1080;
	problem.D = (void *)0x1100;
	for (int i = 0; i < 3; i++) {
		memset(&other, 0, sizeof(other));
		assert_ptr_equal(use(&problem, &algo, &other), &other);
		assert_int_equal(other.word, CHOICE);
	}
	assert_int_equal(checks, 1);
	assert_int_equal(choices, 1);
	assert_int_equal(findings, 1);
	assert_int_equal(workspace_asked, 4096);
	assert_int_equal(alignment[0], 16);
	assert_int_equal(alignment[1], 2);
	assert_int_equal(alignment[2], 128);
	assert_int_equal(alignment[3], 0);	/* as aligned as the default */
}

/* The choice for well aligned matrices may read more at once than others allow. */
static void what_was_chosen_for_some_matrices_is_not_used_for_less_aligned_ones(void **state)
{
	struct algo algo = { .word = ELSEWHERE, .serial = 8 }, other = {0};
	struct gw_lt_problem problem = problem_of(0);

	(void)state;
	problem.A = problem.B = problem.C = problem.D = (void *)0x1000;
	assert_ptr_equal(use(&problem, &algo, &other), &other);
	problem.B = (void *)0x1102;
	assert_ptr_equal(use(&problem, &algo, &other), &other);
	assert_int_equal(choices, 2);
	assert_int_equal(alignment[1], 2);
	problem.B = (void *)0x2302;	/* elsewhere, and aligned as before */
	assert_ptr_equal(use(&problem, &algo, &other), &other);
	assert_int_equal(choices, 2);
}

static void one_that_needs_more_workspace_than_there_is_is_replaced(void **state)
{
	struct algo algo = { .word = OURS, .serial = 5 }, other = {0};
	struct gw_lt_problem problem = problem_of(100);

	(void)state;
	needs = 101;
	assert_ptr_equal(use(&problem, &algo, &other), &other);
	problem.workspaceSizeInBytes = 101;
	assert_ptr_equal(use(&problem, &algo, &other), &algo);
}

static void where_the_heuristic_has_nothing_the_library_answers_for_itself(void **state)
{
	struct algo algo = { .word = ELSEWHERE, .serial = 6 }, other;
	struct gw_lt_problem problem = problem_of(0);

	(void)state;
	nothing = 1;
	assert_ptr_equal(use(&problem, &algo, &other), &algo);
	assert_int_equal(choices, 1);
	assert_int_equal(findings, 0);
}

/* The library's own check crashes on such a one. */
static void one_whose_tile_no_release_has_is_never_shown_to_the_library(void **state)
{
	struct algo algo = { .word = OURS, .serial = 7, .rest = { gw_lt_end(GW_LT_TILE) } }, other = {0};
	struct gw_lt_problem problem = problem_of(0);

	(void)state;
	binding.loaded_release = &gw_families[GW_FAMILY_cublasLt].releases[0];
	assert_false(gw_lt_algo_readable(&call, as_algo(&algo)));
	assert_ptr_equal(use(&problem, &algo, &other), &other);
	assert_int_equal(other.word, CHOICE);
	assert_int_equal(checks, 0);
	algo.serial++;
	nothing = 1;
	assert_null(use(&problem, &algo, &other));
	algo.rest[0] = 1;
	nothing = 0;
	assert_true(gw_lt_algo_readable(&call, as_algo(&algo)));
	assert_ptr_equal(use(&problem, &algo, &other), &algo);
	assert_int_equal(checks, 1);
}

/* Far more than are remembered: forgotten ones are checked again, never taken for others. */
static void forgotten_algorithms_are_checked_again(void **state)
{
	struct gw_lt_problem problem = problem_of(0);
	struct algo other;
	int remembered = 0;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		struct algo algo = { .word = OURS, .serial = 1000 + i };

		gw_lt_algo_made(&call, as_algo(&algo));
		assert_true(gw_lt_algo_known(&call, as_algo(&algo)));
	}
	for (uint64_t i = 0; i < 20000; i++) {
		struct algo algo = { .word = OURS, .serial = 1000 + i };

		remembered += gw_lt_algo_known(&call, as_algo(&algo));
	}
	assert_in_range(remembered, 1000, 4096);
	for (uint64_t i = 0; i < 20000; i++) {
		struct algo algo = { .word = OURS, .serial = 1000 + i }, foreign = { .word = ELSEWHERE, .serial = 50000 + i };

		assert_false(gw_lt_algo_known(&call, as_algo(&foreign)));
		assert_ptr_equal(use(&problem, &algo, &other), &algo);
		assert_ptr_equal(use(&problem, &foreign, &other), &other);
		assert_int_equal(other.word, CHOICE);
	}
}

/* Results of the made-up heuristic: serials 0 to COUNT - 1, every third of tensor operations, every fifth Gaussian. */
static struct result results[8];

struct answer {
	int count, asked, last;
};

static cublasStatus_t ask(void *data, int requested, cublasLtMatmulHeuristicResult_t *to, int *returned)
{
	struct answer *answer = data;

	answer->asked++;
	answer->last = requested;
	*returned = 0;
	for (int i = 0; i < answer->count && i < requested; i++) {
		struct algo algo = { .word = OURS };
		uint32_t masks[2] = { i % 2 ? 3u : 1u, 1u | (i % 4 ? 6u : 0u) };

		algo.serial = (i % 3 ? GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA : GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA) |
			      (i % 5 ? 0 : GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN);
		memcpy(&algo.rest[0], masks, sizeof(masks));
		algo.rest[1] = (uint64_t)i;
		put((struct result *)(void *)to + i, OURS, 0);
		memcpy((struct result *)(void *)to + i, &algo, sizeof(algo));
		++*returned;
	}
	return *returned ? 0 : GW_CUBLAS_STATUS_NOT_SUPPORTED;
}

/* The serials of what is left of the heuristic's COUNT results, when 8 are wanted. */
static const char *left(const struct gw_lt_masks *masks, struct answer *answer)
{
	static char text[128];
	int returned = 0;
	cublasStatus_t status;

	status = gw_lt_algo_heuristic(&call, masks, ask, answer, 8, (cublasLtMatmulHeuristicResult_t *)(void *)results, &returned);
	*text = 0;
	for (int i = 0; i < returned; i++) {
		struct algo algo;

		memcpy(&algo, &results[i], sizeof(algo));
		assert_true(gw_lt_algo_known(&call, as_algo(&algo)));
		sprintf(text + strlen(text), "%s%d", i ? " " : "", (int)algo.rest[1]);
	}
	if (status == GW_CUBLAS_STATUS_NOT_SUPPORTED)
		strcat(text, "not supported");
	else
		assert_int_equal(status, 0);
	return text;
}

static void masks_leave_what_they_allow_in_the_heuristics_order(void **state)
{
	static const struct {
		struct gw_lt_masks masks;
		int count, asked;
		const char *left;
	} rows[] = {
		{ { .given = 0 }, 100, 1, "0 1 2 3 4 5 6 7" },
		{ { .given = GW_LT_MATH_MODE, .math_mode = 1 }, 100, 1, "0 1 2 3 4 5 6 7" },
		{ { .given = GW_LT_MATH_MODE, .math_mode = 0 }, 7, 1, "1 2 4 5" },
		{ { .given = GW_LT_MATH_MODE, .math_mode = 0 }, 8, 2, "1 2 4 5 7" },
		{ { .given = GW_LT_MATH_MODE, .math_mode = 0 }, 100, 2, "1 2 4 5 7 8 10 11" },
		{ { .given = GW_LT_GAUSSIAN_MODE, .gaussian_mode = 0 }, 7, 1, "1 2 3 4 6" },
		{ { .given = GW_LT_GAUSSIAN_MODE, .gaussian_mode = 1 }, 7, 1, "0 1 2 3 4 5 6" },
		{ { .given = GW_LT_POINTER_MODE, .pointer_mode = 3 }, 6, 1, "1 3 5" },
		{ { .given = GW_LT_POINTER_MODE, .pointer_mode = 0 }, 6, 1, "0 1 2 3 4 5" },
		{ { .given = GW_LT_EPILOGUE, .epilogue = 4 }, 6, 1, "1 2 3 5" },
		{ { .given = GW_LT_EPILOGUE, .epilogue = 1 }, 6, 1, "0 1 2 3 4 5" },
		{ { .given = 15, .math_mode = 0, .gaussian_mode = 0, .pointer_mode = 3, .epilogue = 6 }, 100, 2, "1 7 11 13 17 19 23 29" },
		{ { .given = GW_LT_POINTER_MODE, .pointer_mode = 8 }, 100, 2, "not supported" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct answer answer = { .count = rows[i].count };

		assert_string_equal(left(&rows[i].masks, &answer), rows[i].left);
		assert_int_equal(answer.asked, rows[i].asked);
	}
}

static void an_algorithm_whose_capabilities_cannot_be_read_stays(void **state)
{
	struct gw_lt_masks masks = { .given = GW_LT_MATH_MODE, .math_mode = 0 };
	struct answer answer = { .count = 4 };

	(void)state;
	flags_unreadable = 1;
	assert_string_equal(left(&masks, &answer), "0 1 2 3");
}

static void a_heuristic_without_an_answer_says_so_itself(void **state)
{
	struct gw_lt_masks masks = { .given = GW_LT_MATH_MODE, .math_mode = 0 };
	struct answer answer = { .count = 0 };

	(void)state;
	assert_string_equal(left(&masks, &answer), "not supported");
	assert_int_equal(answer.asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_the_library_made_is_used_without_a_question, start),
		cmocka_unit_test_setup(where_the_releases_are_the_same_nothing_is_asked, start),
		cmocka_unit_test_setup(one_that_the_check_accepts_is_used_and_checked_once_for_a_problem, start),
		cmocka_unit_test_setup(one_that_is_refused_is_replaced_by_the_heuristics_choice, start),
		cmocka_unit_test_setup(what_was_chosen_for_some_matrices_is_not_used_for_less_aligned_ones, start),
		cmocka_unit_test_setup(one_that_needs_more_workspace_than_there_is_is_replaced, start),
		cmocka_unit_test_setup(where_the_heuristic_has_nothing_the_library_answers_for_itself, start),
		cmocka_unit_test_setup(one_whose_tile_no_release_has_is_never_shown_to_the_library, start),
		cmocka_unit_test_setup(forgotten_algorithms_are_checked_again, start),
		cmocka_unit_test_setup(masks_leave_what_they_allow_in_the_heuristics_order, start),
		cmocka_unit_test_setup(an_algorithm_whose_capabilities_cannot_be_read_stays, start),
		cmocka_unit_test_setup(a_heuristic_without_an_answer_says_so_itself, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
