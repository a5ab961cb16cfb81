/* SPDX-License-Identifier: Apache-2.0 */
/* Which ids an older caller is shown for those that its release does not name (shim/lt_ids.c, shim/lt_proxy.c), on the real facts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include "gw_fn.h"
#include "lt_proxy.h"

#define MOST 2048

static const struct gw_family_data *lt = &gw_families[GW_FAMILY_cublasLt];

static const struct gw_release *oldest(void)
{
	return &lt->releases[0];
}

static const struct gw_release *newest(void)
{
	return &lt->releases[lt->release_count - 1];
}

/* Ids that the older of the two does not name, the oldest first; how many of WANTED there are. */
static uint32_t unknown_to_oldest(enum gw_lt_kind kind, uint32_t *ids, uint32_t wanted)
{
	uint32_t i, count = 0;

	for (i = 1; i < gw_lt_end(kind) && count < wanted; i++)
		if (!gw_lt_known(oldest(), kind, i) && gw_lt_known(newest(), kind, i))
			ids[count++] = i;
	return count;
}

static struct gw_lt_list list_of(const uint32_t *ids, uint32_t count, int32_t algorithm)
{
	return (struct gw_lt_list){ .caller = oldest(), .loaded = newest(), .kind = GW_LT_TILE, .algorithm = algorithm, .ids = ids,
				    .count = count };
}

static uint32_t meant(const struct gw_lt_list *list, uint32_t shown)
{
	bool lasting;
	uint32_t real = gw_lt_proxy_meant(list, shown, &lasting);

	assert_true(lasting || real == shown);
	return real;
}

static void every_release_knows_0_and_some_know_more_than_others(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < lt->release_count; i++) {
		assert_true(gw_lt_known(&lt->releases[i], GW_LT_TILE, 0));
		assert_false(gw_lt_known(&lt->releases[i], GW_LT_TILE, gw_lt_end(GW_LT_TILE)));
		assert_false(gw_lt_known(&lt->releases[i], GW_LT_TILE, -1));
	}
	for (int kind = 0; kind < GW_LT_KINDS; kind++) {
		bool more = false;

		for (uint32_t id = 0; id < gw_lt_end((enum gw_lt_kind)kind); id++)
			more |= gw_lt_known(newest(), (enum gw_lt_kind)kind, id) && !gw_lt_known(oldest(), (enum gw_lt_kind)kind, id);
		assert_true(more);
		assert_null(gw_lt_first((enum gw_lt_kind)kind, INT64_MAX));
	}
	assert_ptr_equal(gw_lt_first(GW_LT_TILE, 0), oldest());
}

static void a_few_unknown_ids_each_have_a_proxy_that_follows_from_the_list_alone(void **state)
{
	uint32_t ids[MOST] = { 1, 2, 5 }, back[MOST], count = 3 + unknown_to_oldest(GW_LT_TILE, ids + 3, 4), shown[4];
	struct gw_lt_list list = list_of(ids, count, 7), other;

	(void)state;
	assert_int_equal(count, 7);
	for (uint32_t i = 0; i < count; i++)
		back[i] = ids[count - 1 - i];
	other = list_of(back, count, 7);
	assert_true(gw_lt_proxy_needed(&list));
	for (int i = 0; i < 4; i++) {
		shown[i] = gw_lt_proxy_shown(&list, ids[3 + i]);
		assert_true(shown[i] && gw_lt_known(oldest(), GW_LT_TILE, shown[i]));
		assert_true(shown[i] != 1 && shown[i] != 2 && shown[i] != 5);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(shown[i], shown[k]);
		/* Whoever asks first what one stands for is told the same: nothing had to be remembered. */
		assert_int_equal(meant(&other, shown[i]), ids[3 + i]);
		assert_int_equal(gw_lt_proxy_shown(&other, ids[3 + i]), shown[i]);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(meant(&list, ids[i]), ids[i]);
	assert_int_equal(meant(&list, 0), 0);
}

static void a_list_without_unknown_ids_changes_nothing(void **state)
{
	uint32_t ids[] = { 1, 2, 3 };
	struct gw_lt_list list = list_of(ids, 3, 8);

	(void)state;
	assert_false(gw_lt_proxy_needed(&list));
	for (uint32_t id = 0; id < MOST; id++)
		assert_int_equal(meant(&list, id), id);
}

/* More unknown ids than free ones: those that are met first get them, and keep them; the rest are undefined. */
static void proxies_that_do_not_suffice_are_kept_by_those_that_came_first(void **state)
{
	uint32_t ids[MOST] = { 1, 2 }, count = 2 + unknown_to_oldest(GW_LT_TILE, ids + 2, MOST - 2), shown[MOST], free = 0, given = 0;
	struct gw_lt_list list = list_of(ids, count, 9);

	(void)state;
	for (uint32_t i = 3; i < gw_lt_end(GW_LT_TILE); i++)
		free += gw_lt_known(oldest(), GW_LT_TILE, i);
	assert_true(count - 2 > free);
	for (uint32_t i = 2; i < count; i++) {
		shown[i] = gw_lt_proxy_shown(&list, ids[i]);
		given += shown[i] != 0;
	}
	assert_int_equal(given, free);
	for (uint32_t i = 2; i < count; i++) {
		assert_int_equal(gw_lt_proxy_shown(&list, ids[i]), shown[i]);
		if (shown[i])
			assert_int_equal(meant(&list, shown[i]), ids[i]);
	}
	/* Another algorithm's are its own. */
	list.algorithm = 10;
	assert_int_equal(meant(&list, shown[2]), shown[2]);
}

static void an_algorithm_that_lists_all_that_the_caller_knows_has_no_proxy_left(void **state)
{
	uint32_t ids[MOST], count = 0;
	struct gw_lt_list list;

	(void)state;
	for (uint32_t i = 0; i < gw_lt_end(GW_LT_TILE); i++)
		ids[count++] = i;
	list = list_of(ids, count, 11);
	for (uint32_t i = 1; i < count; i++) {
		if (!gw_lt_known(oldest(), GW_LT_TILE, i))
			assert_int_equal(gw_lt_proxy_shown(&list, i), 0);
		assert_int_equal(meant(&list, i), i);
	}
}

static void an_id_beyond_all_that_is_known_has_a_proxy_too(void **state)
{
	uint32_t ids[] = { 1, 2, 1500 };
	struct gw_lt_list list = list_of(ids, 3, 12);
	uint32_t shown = gw_lt_proxy_shown(&list, 1500), unlisted;

	(void)state;
	assert_true(shown && gw_lt_known(oldest(), GW_LT_TILE, shown));
	assert_int_equal(meant(&list, shown), 1500);
	/* One that the list does not even hold gets what the list leaves. */
	unlisted = gw_lt_proxy_shown(&list, 1501);
	assert_true(unlisted && unlisted != shown);
	assert_int_equal(meant(&list, unlisted), 1501);
	assert_int_equal(gw_lt_proxy_shown(&list, UINT32_MAX), 0);
	assert_int_equal(meant(&list, UINT32_MAX), UINT32_MAX);
}

static uint32_t all[MOST], all_count;

static void *show_all(void *data)
{
	struct gw_lt_list list = list_of(all, all_count, 13);
	uint32_t *shown = data;

	for (uint32_t i = 2; i < all_count; i++)
		shown[i] = gw_lt_proxy_shown(&list, all[i]);
	return NULL;
}

/* No proxy ever stands for two ids, whichever thread came first. */
static void threads_that_need_proxies_at_once_agree(void **state)
{
	static uint32_t shown[4][MOST];
	pthread_t threads[4];
	struct gw_lt_list list;

	(void)state;
	all[0] = 1;
	all[1] = 2;
	all_count = 2 + unknown_to_oldest(GW_LT_TILE, all + 2, MOST - 2);
	list = list_of(all, all_count, 13);
	for (int t = 0; t < 4; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, show_all, shown[t]), 0);
	for (int t = 0; t < 4; t++)
		pthread_join(threads[t], NULL);
	for (int t = 0; t < 4; t++)
		for (uint32_t i = 2; i < all_count; i++)
			if (shown[t][i])
				assert_int_equal(meant(&list, shown[t][i]), all[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_release_knows_0_and_some_know_more_than_others),
		cmocka_unit_test(a_few_unknown_ids_each_have_a_proxy_that_follows_from_the_list_alone),
		cmocka_unit_test(a_list_without_unknown_ids_changes_nothing),
		cmocka_unit_test(proxies_that_do_not_suffice_are_kept_by_those_that_came_first),
		cmocka_unit_test(an_algorithm_that_lists_all_that_the_caller_knows_has_no_proxy_left),
		cmocka_unit_test(an_id_beyond_all_that_is_known_has_a_proxy_too),
		cmocka_unit_test(threads_that_need_proxies_at_once_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
