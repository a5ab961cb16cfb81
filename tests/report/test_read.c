/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of traces, on a small file that make.c wrote: any byte that is changed and any place where the file is cut off is told with its offset,
 * and all the rest is read. argv[1]: the file, argv[2]: one of a killed process.
 */
#include "tools/trace_index.h"
#include "tools/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define MOST 65536

const char gw_data_place[] = "../share/gangway";	/* of whoever links tools/common.c */

static const char *path, *killed;
static unsigned char original[1 << 20];
static size_t size;
static char copy[64];
static int copy_fd;

struct seen {
	int opened;
	size_t records, definitions, marks;
	size_t damages, notes;
	struct gw_trace_problem problems[GW_TRACE_PROBLEMS_KEPT];
	size_t kept;
	uint64_t starts[MOST];	/* offset of each record that was read */
	uint64_t slots[MOST];
	struct gw_trace_head head;
	uint32_t head_size, block_size, blocks;
};

static void look(const char *name, struct seen *seen)
{
	struct gw_trace_definitions definitions;
	struct gw_trace_index index;
	struct gw_trace_file file;
	char why[200];
	void *block;

	memset(seen, 0, offsetof(struct seen, starts));
	seen->opened = gw_trace_open(&file, name, why, sizeof(why));
	if (seen->opened)
		return;
	seen->head = file.head;
	seen->head_size = file.head_size;
	seen->block_size = file.block_size;
	seen->blocks = file.blocks;
	gw_trace_define(&definitions, &file);
	assert_false(definitions.no_memory);
	seen->definitions = definitions.count;
	assert_true(gw_trace_index_init(&index, &file));
	block = malloc(file.block_size);
	for (uint32_t i = 0; i < index.count; i++) {
		const struct gw_trace_record *record;
		struct gw_trace_cursor cursor;

		gw_trace_pread(&file, gw_trace_block_offset(&file, index.numbers[i]), block, file.block_size);
		gw_trace_cursor_init(&cursor, &file, index.numbers[i], block);
		while ((record = gw_trace_next_record(&cursor))) {
			if (seen->records < MOST) {
				seen->slots[seen->records] = gw_trace_record_slots(record);
				seen->starts[seen->records] = cursor.offset + cursor.position - 64 * gw_trace_record_slots(record);
			}
			seen->records++;
		}
	}
	free(block);
	gw_trace_index_finish(&index);
	gw_trace_define_finish(&definitions);
	seen->damages = file.problems.damages;
	seen->notes = file.problems.notes;
	seen->kept = file.problems.kept;
	if (seen->kept)
		memcpy(seen->problems, file.problems.list, seen->kept * sizeof(*seen->problems));
	gw_trace_close(&file);
}

static void put(const void *bytes, size_t count, size_t offset)
{
	assert_int_equal(pwrite(copy_fd, bytes, count, (off_t)offset), (ssize_t)count);
}

static void load(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t got = read(fd, original, sizeof(original));

	close(fd);
	assert_true(got > 4096 && got < (ssize_t)sizeof(original));
	size = (size_t)got;
	assert_int_equal(ftruncate(copy_fd, 0), 0);
	put(original, size, 0);
}

static void a_whole_file_is_read_without_a_word(void **state)
{
	static struct seen seen;

	(void)state;
	load(path);
	look(copy, &seen);
	assert_int_equal(seen.opened, 0);
	assert_int_equal(seen.damages + seen.notes, 0);
	assert_true(seen.records > 100);
	assert_true(seen.definitions > 20);
}

/* What changes while the file is written, and has no check: a change of it that makes sense cannot be told. */
static bool may_go_unseen(const struct seen *whole, size_t offset)
{
	size_t in_head = offset, in_block;
	const struct gw_trace_block *block;

	if (offset < whole->head_size)
		return (in_head >= offsetof(struct gw_trace_head, stopped) && in_head < offsetof(struct gw_trace_head, stop_errno)) ||
		       (in_head >= offsetof(struct gw_trace_head, moment_version) && in_head < offsetof(struct gw_trace_head, overwritten));
	in_block = (offset - whole->head_size) % whole->block_size;
	block = (const void *)(original + offset - in_block);
	if (in_block < sizeof(*block))
		return in_block >= offsetof(struct gw_trace_block, owner) && in_block < offsetof(struct gw_trace_block, reserved) &&
		       (in_block < offsetof(struct gw_trace_block, fill) || block->kind == GW_TRACE_DEFINITIONS);
	return block->kind == GW_TRACE_COUNTS;
}

/* Where a record that was read in WHOLE lies that has a byte at OFFSET; 0: nowhere. */
static uint64_t record_at(const struct seen *whole, size_t offset)
{
	for (size_t i = 0; i < whole->records; i++)
		if (offset >= whole->starts[i] && offset < whole->starts[i] + 64 * whole->slots[i])
			return whole->starts[i];
	return 0;
}

static void any_byte_that_is_changed_is_told_with_its_offset_and_the_rest_is_read(void **state)
{
	static struct seen whole, seen;
	static const unsigned char changes[] = {0x01, 0x80, 0xff};
	size_t unseen = 0;

	(void)state;
	load(path);
	look(copy, &whole);
	for (size_t offset = 0; offset < size; offset++) {
		unsigned char changed = original[offset] ^ changes[offset % sizeof(changes)];
		uint64_t record = record_at(&whole, offset), block = offset < whole.head_size ? 0 : offset - (offset - whole.head_size) % whole.block_size;
		bool near = false;

		put(&changed, 1, offset);
		look(copy, &seen);
		put(&original[offset], 1, offset);
		if (seen.opened) {
			fail_msg("a changed byte at offset %zu: the file cannot be opened", offset);
			continue;
		}
		if (seen.records != whole.records - (record != 0))
			fail_msg("a changed byte at offset %zu: %zu of %zu records are read", offset, seen.records, whole.records);
		if (seen.definitions + 1 < whole.definitions)
			fail_msg("a changed byte at offset %zu: %zu of %zu definitions are read", offset, seen.definitions, whole.definitions);
		for (size_t i = 0; i < seen.kept; i++)
			near |= record ? seen.problems[i].offset == record
			      : block ? seen.problems[i].offset >= block && seen.problems[i].offset <= offset && (seen.problems[i].offset + 1024 > offset)
				      : seen.problems[i].offset <= offset;
		if (!near && !may_go_unseen(&whole, offset))
			fail_msg("a changed byte at offset %zu (%02x for %02x) is not told: %zu problems, the first at %llu", offset, changed, original[offset], seen.kept,
				 seen.kept ? (unsigned long long)seen.problems[0].offset : 0);
		unseen += !near;
	}
	/* of the head and each block's head a few bytes, and the counts */
	assert_true(unseen < 120 + whole.block_size);
}

static void any_place_where_the_file_is_cut_off_is_told_and_what_is_before_is_read(void **state)
{
	static struct seen whole, seen;

	(void)state;
	load(path);
	look(copy, &whole);
	for (size_t end = size; end-- > 0;) {
		size_t before = 0;

		assert_int_equal(ftruncate(copy_fd, (off_t)end), 0);
		look(copy, &seen);
		/* whole but for bytes that were zero anyway */
		for (size_t i = 0; i < whole.records; i++) {
			size_t last = whole.starts[i] + 64 * whole.slots[i];

			while (last > end && !original[last - 1])
				last--;
			before += last <= end;
		}
		if (seen.opened) {
			/* less than its head, or nothing behind it */
			if (end > whole.head_size)
				fail_msg("cut off at %zu: cannot be opened", end);
			continue;
		}
		if (seen.records != before)
			fail_msg("cut off at %zu: %zu records are read, and %zu were before", end, seen.records, before);
		if (!seen.kept || !seen.damages)
			fail_msg("cut off at %zu: not told", end);
	}
}

static void a_call_that_was_unfinished_when_the_process_was_killed_is_no_damage(void **state)
{
	static struct seen seen;

	(void)state;
	load(killed);
	look(copy, &seen);
	assert_int_equal(seen.opened, 0);
	assert_int_equal(seen.damages, 0);
	assert_int_equal(seen.notes, 1);
	assert_non_null(strstr(seen.problems[0].text, "being recorded"));
}

static void a_file_that_loses_its_end_while_it_is_read_is_no_crash(void **state)
{
	struct gw_trace_file file;
	char why[200], block[4096];

	(void)state;
	load(path);
	assert_int_equal(gw_trace_open(&file, copy, why, sizeof(why)), 0);
	assert_int_equal(ftruncate(copy_fd, 5000), 0);
	assert_int_equal(gw_trace_pread(&file, 4096, block, sizeof(block)), 904);
	assert_int_equal(block[4095], 0);
	gw_trace_close(&file);
}

static void what_is_no_trace_is_refused_with_a_reason(void **state)
{
	static const char text[] = "#!/bin/sh\necho no trace\n";
	struct gw_trace_file file;
	struct gw_trace_head head;
	uint64_t words[(offsetof(struct gw_trace_head, check) + 4) / 8];
	char why[200];

	(void)state;
	assert_int_equal(ftruncate(copy_fd, 0), 0);
	assert_int_equal(gw_trace_open(&file, copy, why, sizeof(why)), -ENODATA);
	put(text, sizeof(text), 0);
	assert_int_equal(gw_trace_open(&file, copy, why, sizeof(why)), -ENOEXEC);
	assert_non_null(strstr(why, "no gangway trace"));
	assert_int_equal(gw_trace_open(&file, "/nonexistent/x.gwt", why, sizeof(why)), -ENOENT);
	assert_int_equal(gw_trace_open(&file, "/dev", why, sizeof(why)), -ENOEXEC);
	load(path);
	memcpy(&head, original, sizeof(head));
	head.version = GW_TRACE_VERSION + 1;
	head.check = 0;
	memcpy(words, &head, sizeof(words));
	head.check = gw_trace_check_words(0, words, sizeof(words) / sizeof(*words));
	put(&head, sizeof(head), 0);
	assert_int_equal(gw_trace_open(&file, copy, why, sizeof(why)), -EPROTO);
	assert_non_null(strstr(why, "version 2"));
}

/* Each time a new step begins, the histogram's steps are in order, and a duration falls between the begin of its own and of the next. */
static void a_duration_falls_into_its_own_step_of_the_histogram(void **state)
{
	(void)state;
	for (unsigned step = 0; step + 1 < GW_SUM_STEPS; step++)
		assert_true(gw_sum_step_begin(step) < gw_sum_step_begin(step + 1));
	for (uint64_t ns = 0; ns < 100000; ns += 1 + ns / 50) {
		assert_true(gw_sum_step_begin(gw_sum_step(ns)) <= (double)ns);
		assert_true(gw_sum_step_begin(gw_sum_step(ns) + 1) > (double)ns);
	}
	assert_int_equal(gw_sum_step(UINT64_MAX), GW_SUM_STEPS - 1);
}

static void a_time_line_keeps_all_time_however_far_it_reaches(void **state)
{
	static struct gw_sum_line line, other;
	int64_t times[] = {1700000000000000000, 1700000000000000001, 1700000100000000000, 1699999999000000000, 1700009900000000000};
	uint64_t calls = 0, busy = 0;

	(void)state;
	memset(&line, 0, sizeof(line));
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		gw_sum_line_add(i % 2 ? &line : &other, times[i], 3000000000, 1, false, true);
	gw_sum_line_merge(&line, &other);
	for (uint32_t i = 0; i < line.count; i++) {
		calls += line.bins[i].calls;
		busy += line.bins[i].busy[1];
	}
	assert_int_equal(calls, 5);
	assert_int_equal(busy, 15000000000);
	assert_true(line.count <= GW_SUM_BINS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_file_is_read_without_a_word),
		cmocka_unit_test(any_byte_that_is_changed_is_told_with_its_offset_and_the_rest_is_read),
		cmocka_unit_test(any_place_where_the_file_is_cut_off_is_told_and_what_is_before_is_read),
		cmocka_unit_test(a_call_that_was_unfinished_when_the_process_was_killed_is_no_damage),
		cmocka_unit_test(a_file_that_loses_its_end_while_it_is_read_is_no_crash),
		cmocka_unit_test(what_is_no_trace_is_refused_with_a_reason),
		cmocka_unit_test(a_duration_falls_into_its_own_step_of_the_histogram),
		cmocka_unit_test(a_time_line_keeps_all_time_however_far_it_reaches),
	};

	if (argc != 3)
		return 2;
	path = argv[1];
	killed = argv[2];
	copy_fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(copy, sizeof(copy), "/proc/self/fd/%d", copy_fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
