/* SPDX-License-Identifier: Apache-2.0 */
/* The store behind tokens (shim/lt_block.c), alone: sharing, copies, eviction, the check, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "lt_block.c"	/* not linked: one test looks at how slots are chosen */

#define THREADS 4
#define ROUNDS 20000u

struct block {
	unsigned char byte[GW_LT_BLOCK_LEAST];
};

/* A record whose every byte follows from NUMBER. */
static struct gw_lt_record numbered(uint64_t number)
{
	struct gw_lt_record record;
	size_t i;

	memset(&record, 0, sizeof(record));
	for (i = 0; i < sizeof(record.native); i += sizeof(number))
		memcpy(record.native + i, &number, sizeof(number));
	record.kind = GW_LT_MATMUL_DESC;
	return record;
}

static struct block token_of(const struct gw_lt_record *record)
{
	struct block block;

	memset(&block, 0x5a, sizeof(block));
	assert_true(gw_lt_block_write(&block, record));
	assert_true(gw_lt_block_is_token((enum gw_lt_block_kind)record->kind, &block));
	return block;
}

static void assert_holds(const struct block *block, const struct gw_lt_record *record)
{
	struct gw_lt_record read;

	assert_true(gw_lt_block_read(block, &read));
	assert_memory_equal(&read, record, offsetof(struct gw_lt_record, extra) + record->extras * sizeof(*record->extra));
}

static void equal_contents_share_a_token_and_a_copy_by_assignment_is_one(void **state)
{
	struct gw_lt_record record = numbered(1);
	struct block first = token_of(&record), second = token_of(&record), copy = first;

	(void)state;
	assert_memory_equal(&first, &second, sizeof(first));
	assert_holds(&copy, &record);
}

static void a_change_makes_another_record_and_the_copies_before_keep_theirs(void **state)
{
	struct gw_lt_record before = numbered(2), after = before;
	struct block first = token_of(&before), copy = first;

	(void)state;
	assert_true(gw_lt_record_put(&after, 7, 42, 4));
	assert_true(gw_lt_block_write(&first, &after));
	assert_holds(&first, &after);
	assert_holds(&copy, &before);
}

static void nothing_is_written_beyond_the_token(void **state)
{
	struct gw_lt_record record = numbered(3);
	struct block block;
	size_t i;

	(void)state;
	memset(&block, 0xa5, sizeof(block));
	assert_true(gw_lt_block_write(&block, &record));
	for (i = GW_LT_TOKEN; i < sizeof(block); i++)
		assert_int_equal(block.byte[i], 0xa5);
}

static void extras_are_sorted_replaced_and_removed_without_a_trace(void **state)
{
	struct gw_lt_record record = numbered(4), untouched = record;
	uint32_t i;

	(void)state;
	for (i = GW_LT_EXTRAS; i-- > 0;)
		assert_true(gw_lt_record_put(&record, (int)(10 + i), i, 8));
	assert_false(gw_lt_record_put(&record, 9, 1, 4));
	assert_true(gw_lt_record_put(&record, 10, 77, 4));
	assert_int_equal(record.extras, GW_LT_EXTRAS);
	for (i = 0; i < GW_LT_EXTRAS; i++)
		assert_int_equal(record.extra[i].id, 10 + i);
	assert_int_equal(gw_lt_record_extra(&record, 10)->value, 77);
	assert_null(gw_lt_record_extra(&record, 9));
	for (i = 0; i < GW_LT_EXTRAS; i++)
		assert_true(gw_lt_record_put(&record, (int)(10 + i), 0, 0));
	assert_true(gw_lt_record_put(&record, 10, 0, 0));
	assert_memory_equal(&record, &untouched, sizeof(record));
}

static void a_token_with_any_bit_changed_is_no_token_or_refused(void **state)
{
	struct gw_lt_record record = numbered(5), read;
	struct block good = token_of(&record);
	size_t bit;

	(void)state;
	for (bit = 0; bit < 8 * GW_LT_TOKEN; bit++) {
		struct block bad = good;

		bad.byte[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (gw_lt_block_is_token(GW_LT_MATMUL_DESC, &bad))
			assert_false(gw_lt_block_read(&bad, &read));
	}
	assert_false(gw_lt_block_is_token(GW_LT_MATRIX_LAYOUT, &good));
	assert_false(gw_lt_block_is_token(GW_LT_MATMUL_DESC, NULL));
}

static void what_is_kept_is_bounded_and_what_went_is_refused(void **state)
{
	enum { MADE = 4 * GW_LT_RECORDS };
	struct block *block = calloc(MADE, sizeof(*block));
	struct gw_lt_record record, kept = numbered(6), read;
	struct block keep = token_of(&kept);
	unsigned i, left = 0;

	(void)state;
	assert_non_null(block);
	for (i = 0; i < MADE; i++) {
		record = numbered(1000 + i);
		block[i] = token_of(&record);
		if (i % GW_LT_WAYS == 0)
			assert_holds(&keep, &kept);	/* used again and again: never the oldest */
	}
	for (i = 0; i < MADE; i++) {
		record = numbered(1000 + i);
		if (!gw_lt_block_read(&block[i], &read))
			continue;
		assert_memory_equal(&read, &record, offsetof(struct gw_lt_record, extra));
		left++;
	}
	assert_in_range(left, GW_LT_RECORDS / 2, GW_LT_RECORDS);
	for (i = MADE - GW_LT_WAYS; i < MADE; i++) {
		record = numbered(1000 + i);
		assert_holds(&block[i], &record);
	}
	/* Made anew it is found again; the old token stays refused. */
	for (i = 0; gw_lt_block_read(&block[i], &read); i++)
		;
	record = numbered(1000 + i);
	keep = token_of(&record);
	assert_holds(&keep, &record);
	assert_false(gw_lt_block_read(&block[i], &read));
	free(block);
}

/* A thread that reads the clock, and looks at the slots after others have gone on. */
static void what_was_used_while_a_place_was_looked_for_is_not_the_oldest(void **state)
{
	uint32_t saved[GW_LT_WAYS], at;
	uint64_t version, had[GW_LT_WAYS];

	(void)state;
	for (at = 0; at < GW_LT_WAYS; at++) {
		had[at] = atomic_load(&versions[at]);
		saved[at] = atomic_load(&used[at]);
		atomic_store(&versions[at], 2);
		atomic_store(&used[at], atomic_load(&clock_now) - 5);
	}
	atomic_store(&used[3], atomic_load(&clock_now) - 9);
	atomic_store(&used[7], atomic_load(&clock_now) + 1);
	assert_int_equal(victim(0, &version), 3);
	for (at = 0; at < GW_LT_WAYS; at++) {
		atomic_store(&versions[at], had[at]);
		atomic_store(&used[at], saved[at]);
	}
}

static _Atomic unsigned wrong, found;

static void *work(void *data)
{
	uint64_t seed = (uint64_t)(uintptr_t)data;
	struct block block[16] = { 0 };
	uint64_t number[16] = { 0 };
	struct gw_lt_record record, read;
	unsigned i, at;

	for (i = 0; i < ROUNDS; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		at = (unsigned)(seed >> 33) % 16;
		if (number[at] && gw_lt_block_read(&block[at], &read)) {
			record = numbered(number[at]);
			wrong += memcmp(&read, &record, offsetof(struct gw_lt_record, extra)) != 0;
			found++;
		}
		number[at] = 1 + (seed >> 40) % 5000;	/* threads meet in some of them */
		record = numbered(number[at]);
		if (!gw_lt_block_write(&block[at], &record))
			number[at] = 0;
	}
	return NULL;
}

static void threads_read_whole_records_or_none(void **state)
{
	pthread_t thread[THREADS];
	uintptr_t i;

	(void)state;
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, work, (void *)(i + 1)), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(wrong, 0);
	assert_true(found > ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_contents_share_a_token_and_a_copy_by_assignment_is_one),
		cmocka_unit_test(a_change_makes_another_record_and_the_copies_before_keep_theirs),
		cmocka_unit_test(nothing_is_written_beyond_the_token),
		cmocka_unit_test(extras_are_sorted_replaced_and_removed_without_a_trace),
		cmocka_unit_test(a_token_with_any_bit_changed_is_no_token_or_refused),
		cmocka_unit_test(what_is_kept_is_bounded_and_what_went_is_refused),
		cmocka_unit_test(what_was_used_while_a_place_was_looked_for_is_not_the_oldest),
		cmocka_unit_test(threads_read_whole_records_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
