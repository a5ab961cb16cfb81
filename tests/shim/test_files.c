/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readers of files that come from outside, on files that lie: the loader's cache and ELF files. Each copy ends at a page that may not
 * be touched, so one byte too far is a crash.
 *
 *	test_files LIBRARY-THAT-CALLS-A-VENDOR LIBRARY-THAT-DOES-NOT
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "shim/deepbind.c"
#include "shim/ldcache.c"

static const char *calls_vendor, *calls_nobody;

static char *guarded(const void *content, size_t size)
{
	size_t space = (size + 4095) / 4096 * 4096;
	char *map = mmap(NULL, space + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(mprotect(map + space, 4096, PROT_NONE), 0);
	return memcpy(map + space - size, content, size);
}

static void release(char *at, size_t size)
{
	munmap((char *)((uintptr_t)at & ~(uintptr_t)4095), (size + 4095) / 4096 * 4096 + 4096);
}

static char *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *content;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	content = calloc(1, *size + 8);
	assert_int_equal(fread(content, 1, *size, file), *size);
	fclose(file);
	return content;
}

static void only_a_library_that_calls_the_vendor_matters(void **state)
{
	(void)state;
	assert_true(gw_deepbind_matters(calls_vendor));
	assert_false(gw_deepbind_matters(calls_nobody));
	assert_false(gw_deepbind_matters("/dev/null"));
	assert_false(gw_deepbind_matters("/"));
	assert_false(gw_deepbind_matters("/nowhere"));
}

static void a_mutated_library_is_read_within_its_bounds(void **state)
{
	size_t size, cut;
	char *content = load(calls_vendor, &size), *copy;
	const Elf64_Ehdr *header = (const void *)content;
	size_t table = header->e_shoff, end = table + header->e_shnum * sizeof(Elf64_Shdr);
	unsigned mattered = 0;

	(void)state;
	srand(3);
	for (int round = 0; round < 20000; round++) {
		cut = (round % 4 ? size : (size_t)rand() % size + 8) & ~(size_t)7;	/* a mapping begins at a page */
		copy = guarded(content, cut);
		for (int k = rand() % 4 + 1; k > 0 && round; k--) {
			size_t where = rand() % 2 ? (size_t)rand() % sizeof(*header) : table + (size_t)rand() % (end - table);

			if (where < cut)
				copy[where] = rand() % 3 ? (char)rand() : (char)0xff;
		}
		mattered += matters(&(struct file){ copy, cut });
		release(copy, cut);
	}
	assert_true(mattered > 0 && mattered < 20000);
	free(content);
}

static size_t make_cache(char *to, unsigned count)
{
	struct header header = { .count = count };
	size_t at = sizeof(header) + count * sizeof(struct entry), start = 0;

	memcpy(header.magic, MAGIC, sizeof(header.magic));
	memcpy(to, &header, sizeof(header));
	for (unsigned i = 0; i < count; i++) {
		struct entry entry = { .flags = i == 2 ? 0 : FLAG_X86_64_LIB6, .key = (uint32_t)at };

		at += (size_t)sprintf(to + at, "liba%u.so.1", i) + 1;
		entry.value = (uint32_t)at;
		at += (size_t)sprintf(to + at, "/lib/%u/liba.so.1", i) + 1;
		memcpy(to + sizeof(header) + start, &entry, sizeof(entry));
		start += sizeof(entry);
	}
	return at;
}

static void the_cache_answers_for_this_machine_alone(void **state)
{
	char cache[4096], path[64];
	size_t size = make_cache(cache, 4);

	(void)state;
	assert_true(find_in(cache, size, "liba3.so.1", path, sizeof(path)));
	assert_string_equal(path, "/lib/3/liba.so.1");
	assert_false(find_in(cache, size, "liba2.so.1", path, sizeof(path)));
	assert_false(find_in(cache, size, "liba9.so.1", path, sizeof(path)));
	assert_false(find_in(cache, size, "liba3.so.1", path, 8));
}

static void a_mutated_cache_is_read_within_its_bounds(void **state)
{
	char cache[4096], path[64], *copy;
	size_t size = make_cache(cache, 20), cut;
	unsigned found = 0;

	(void)state;
	srand(4);
	for (int round = 0; round < 50000; round++) {
		cut = (round % 2 ? size : (size_t)rand() % size + 8) & ~(size_t)7;
		copy = guarded(cache, cut);
		for (int k = rand() % 8; k > 0; k--)
			copy[(size_t)rand() % cut] = rand() % 2 ? (char)0xff : (char)rand();
		found += find_in(copy, cut, "liba19.so.1", path, sizeof(path));
		release(copy, cut);
	}
	assert_true(found > 0 && found < 50000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_library_that_calls_the_vendor_matters),
		cmocka_unit_test(a_mutated_library_is_read_within_its_bounds),
		cmocka_unit_test(the_cache_answers_for_this_machine_alone),
		cmocka_unit_test(a_mutated_cache_is_read_within_its_bounds),
	};

	if (argc < 3)
		return 2;
	calls_vendor = argv[1];
	calls_nobody = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
