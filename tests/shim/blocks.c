/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of parts that were built for different releases, which hand cublasLt's blocks to each other. blocks.py runs one case a
 * process: CASE OLD NEW [NEWEST], the parts' files. Every block lies between guards, which are looked at last. Ends with the line
 * that failed, or 0. Attributes and values are numbers here: no one header knows all of them, and blocks.py says whose they are.
 */
#include "blocks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };	/* in every release */
/* Attributes: MatmulDesc from 11.10, 11.11, 12.4 to 12.9; Preference of 11.x; MatrixLayout from 13.2. */
enum { TRANSA = 3, BIAS_POINTER = 8, SM_COUNT = 15, A_SCALE_POINTER = 17, FAST_ACCUM = 25, BIAS_DATA_TYPE = 26, CHUNKS = 27 };
enum { WORKSPACE = 1, EPILOGUE_MASK = 11, SM_COUNT_TARGET = 13, ROWS_ARRAY = 9, LD_WIDTH = 13 };

#define GUARD 512
#define GUARDED(name) \
	struct { unsigned char before[GUARD], block[256], after[GUARD]; } name __attribute__((aligned(64)))
#define EXPECT(condition) do { if (!(condition)) { fprintf(stderr, "line %d: %s\n", __LINE__, #condition); return __LINE__; } } while (0)

static const struct part *old, *new, *newest;

static void guard(void *guarded)
{
	memset(guarded, 0xa5, 2 * GUARD + 256);
}

/* SIZE bytes are the block's; all others are as they were. */
static int intact(const unsigned char *guarded, size_t size)
{
	size_t i;

	for (i = 0; i < 2 * GUARD + 256; i++)
		if ((i < GUARD || i >= GUARD + size) && guarded[i] != 0xa5)
			return 0;
	return 1;
}

static uint64_t read_back(const struct part *part, enum kind kind, void *block, int id, size_t size)
{
	uint64_t value = 0;
	size_t written = 0;

	return part->get(kind, block, id, &value, size, &written) || written != size ? UINT64_MAX : value;
}

static int set_number(const struct part *part, enum kind kind, void *block, int id, uint64_t value, size_t size)
{
	return part->set(kind, block, id, &value, size);
}

static int small_blocks_take_what_later_parts_set(void)
{
	GUARDED(first);
	GUARDED(second);
	size_t size = old->size[DESC];

	guard(&first);
	guard(&second);
	EXPECT(old->init(DESC, first.block) == OK);
	EXPECT(set_number(old, DESC, first.block, TRANSA, 1, 4) == OK);
	EXPECT(set_number(old, DESC, first.block, BIAS_POINTER, 0x7f0000001000, 8) == OK);
	EXPECT(read_back(new, DESC, first.block, BIAS_DATA_TYPE, 4) == 0xffffffff);	/* its default */
	EXPECT(set_number(new, DESC, first.block, A_SCALE_POINTER, 0x7f0000002000, 8) == OK);
	EXPECT(set_number(new, DESC, first.block, FAST_ACCUM, 1, 1) == OK);
	EXPECT(set_number(new, DESC, first.block, FAST_ACCUM, 1, 4) == INVALID_VALUE);
	EXPECT(new->set(DESC, first.block, FAST_ACCUM, NULL, 1) == INVALID_VALUE);
	EXPECT(read_back(new, DESC, first.block, A_SCALE_POINTER, 8) == 0x7f0000002000);
	EXPECT(read_back(new, DESC, first.block, FAST_ACCUM, 1) == 1);
	EXPECT(read_back(old, DESC, first.block, TRANSA, 4) == 1);
	EXPECT(read_back(old, DESC, first.block, BIAS_POINTER, 8) == 0x7f0000001000);
	/* A copy is a copy: with all that the first had, and on its own from then on. */
	memcpy(second.block, first.block, size);
	EXPECT(set_number(old, DESC, second.block, TRANSA, 0, 4) == OK);
	EXPECT(set_number(new, DESC, second.block, A_SCALE_POINTER, 0x7f0000003000, 8) == OK);
	EXPECT(read_back(old, DESC, first.block, TRANSA, 4) == 1 && read_back(old, DESC, second.block, TRANSA, 4) == 0);
	EXPECT(read_back(new, DESC, first.block, A_SCALE_POINTER, 8) == 0x7f0000002000);
	EXPECT(read_back(new, DESC, second.block, A_SCALE_POINTER, 8) == 0x7f0000003000);
	EXPECT(read_back(old, DESC, second.block, BIAS_POINTER, 8) == 0x7f0000001000);
	/* Initialised again it starts anew. */
	EXPECT(old->init(DESC, first.block) == OK);
	EXPECT(read_back(new, DESC, first.block, A_SCALE_POINTER, 8) == 0 && read_back(old, DESC, first.block, BIAS_POINTER, 8) == 0);
	EXPECT(read_back(new, DESC, second.block, A_SCALE_POINTER, 8) == 0x7f0000003000);
	EXPECT(intact((unsigned char *)&first, size) && intact((unsigned char *)&second, size));
	return 0;
}

static int layouts_are_never_written_beyond(void)
{
	GUARDED(layout);
	GUARDED(copy);
	int id;

	guard(&layout);
	guard(&copy);
	EXPECT(old->size[LAYOUT] < newest->size[LAYOUT]);
	EXPECT(old->init(LAYOUT, layout.block) == OK);
	for (id = ROWS_ARRAY; id <= LD_WIDTH; id++)
		EXPECT(read_back(newest, LAYOUT, layout.block, id, id < ROWS_ARRAY + 3 ? 8 : 4) == 0);
	for (id = ROWS_ARRAY; id < ROWS_ARRAY + 3; id++)
		EXPECT(set_number(newest, LAYOUT, layout.block, id, 0x7f0000000000u + (unsigned)id, 8) == OK);
	memcpy(copy.block, layout.block, old->size[LAYOUT]);
	for (id = ROWS_ARRAY; id < ROWS_ARRAY + 3; id++)
		EXPECT(read_back(newest, LAYOUT, copy.block, id, 8) == 0x7f0000000000u + (unsigned)id);
	EXPECT(read_back(old, LAYOUT, copy.block, 2, 8) == 2);	/* rows */
	EXPECT(intact((unsigned char *)&layout, old->size[LAYOUT]) && intact((unsigned char *)&copy, old->size[LAYOUT]));
	/* One of its own size needs nothing of the kind. */
	guard(&layout);
	EXPECT(newest->init(LAYOUT, layout.block) == OK);
	EXPECT(set_number(newest, LAYOUT, layout.block, ROWS_ARRAY, 0x7f0000000000u, 8) == OK);
	EXPECT(read_back(newest, LAYOUT, layout.block, ROWS_ARRAY, 8) == 0x7f0000000000u);
	EXPECT(layout.block[3] != 0xd7);
	return 0;
}

/* Everything that takes blocks takes tokens, and computes what it computes with the others. */
static int tokens_are_used_as_blocks(void)
{
	const float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 };
	float plain[4] = { 0 }, got[4] = { 0 }, scale = 1;
	GUARDED(desc);
	GUARDED(layout);
	GUARDED(preference);
	void *handle = old->handle();
	int count = 0, expected = 0;

	guard(&desc);
	guard(&layout);
	guard(&preference);
	EXPECT(handle && old->init(DESC, desc.block) == OK && old->init(LAYOUT, layout.block) == OK);
	EXPECT(old->init(PREFERENCE, preference.block) == OK);
	EXPECT(set_number(old, DESC, desc.block, TRANSA, 1, 4) == OK);
	EXPECT(set_number(old, PREFERENCE, preference.block, WORKSPACE, 1 << 20, 8) == OK);
	EXPECT(old->matmul(handle, desc.block, layout.block, a, b, plain) == OK && plain[0] == 17);
	EXPECT(old->heuristic(handle, desc.block, layout.block, preference.block, &expected) == OK && expected > 0);
	EXPECT(new->set(DESC, desc.block, A_SCALE_POINTER, &(void *){ &scale }, 8) == OK);
	EXPECT(set_number(newest, LAYOUT, layout.block, ROWS_ARRAY, 0x7f0000000000u, 8) == OK);
	EXPECT(set_number(newest, LAYOUT, layout.block, ROWS_ARRAY, 0, 8) == OK);
	EXPECT(set_number(old, PREFERENCE, preference.block, SM_COUNT_TARGET, 20, 4) == OK);
	EXPECT(old->heuristic(handle, desc.block, layout.block, preference.block, &count) == OK && count == expected);
	EXPECT(old->check(handle, desc.block, layout.block, preference.block) == OK);
	EXPECT(old->matmul(handle, desc.block, layout.block, a, b, got) == OK && !memcmp(got, plain, sizeof(got)));
	EXPECT(old->transform(handle, layout.block, a, got) == OK && !memcmp(got, a, sizeof(got)));
	EXPECT(read_back(old, PREFERENCE, preference.block, SM_COUNT_TARGET, 4) == 20);
	EXPECT(read_back(old, DESC, desc.block, SM_COUNT, 4) == 0);	/* the heuristic's own copy alone had it */
	EXPECT(intact((unsigned char *)&desc, old->size[DESC]) && intact((unsigned char *)&layout, old->size[LAYOUT]));
	EXPECT(intact((unsigned char *)&preference, old->size[PREFERENCE]));
	return 0;
}

/* What 12.x and 13.x have not, with the defaults, sizes and errors of 11.x. */
static int preferences_of_11_live_on(void)
{
	static const struct { int id; uint64_t value; } defaults[] = { { 2, 1 }, { 4, 1 }, { 10, 3 }, { 11, 1 }, { 13, 0 } };
	void *preference;
	uint64_t value;
	size_t written, i;

	EXPECT(old->create(PREFERENCE, &preference) == OK);
	for (i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
		int id = defaults[i].id;

		EXPECT(read_back(old, PREFERENCE, preference, id, 4) == defaults[i].value);
		EXPECT(set_number(old, PREFERENCE, preference, id, defaults[i].value, 4) == OK);
		EXPECT(set_number(old, PREFERENCE, preference, id, 2 + i, 4) == OK);
		EXPECT(read_back(old, PREFERENCE, preference, id, 4) == 2 + i);
		EXPECT(set_number(old, PREFERENCE, preference, id, 2 + i, 8) == INVALID_VALUE);
		EXPECT(old->get(PREFERENCE, preference, id, &value, 8, &written) == INVALID_VALUE);
		EXPECT(old->get(PREFERENCE, preference, id, &value, 4, NULL) == OK);
		EXPECT(old->get(PREFERENCE, preference, id, NULL, 4, &written) == INVALID_VALUE);
		EXPECT(old->get(PREFERENCE, preference, id, NULL, 0, NULL) == INVALID_VALUE);
		EXPECT(old->get(PREFERENCE, preference, id, NULL, 0, &written) == OK && written == 4);
	}
	EXPECT(set_number(old, PREFERENCE, preference, WORKSPACE, 12345, 8) == OK);
	EXPECT(read_back(old, PREFERENCE, preference, WORKSPACE, 8) == 12345);
	EXPECT(read_back(old, PREFERENCE, preference, EPILOGUE_MASK, 4) == 5);
	EXPECT(old->destroy(PREFERENCE, preference) == OK);
	return 0;
}

/* What the heuristic answers under each of the masks; blocks.py compares it with what the part's own library says. */
static int masks_choose_as_on_their_own_release(void)
{
	static const int ids[] = { 2, 10, 11 };	/* not Gauss's way, 4: of these real numbers no library has an algorithm that goes it */
	void *desc, *layout, *preference, *handle = old->handle();
	unsigned i, value;

	EXPECT(handle && old->create(DESC, &desc) == OK && old->create(LAYOUT, &layout) == OK);
	for (i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		for (value = 0; value < 16; value++) {
			int count = -1, status;

			EXPECT(old->create(PREFERENCE, &preference) == OK && set_number(old, PREFERENCE, preference, WORKSPACE, 1 << 30, 8) == OK);
			EXPECT(set_number(old, PREFERENCE, preference, ids[i], value, 4) == OK);
			status = old->heuristic(handle, desc, layout, preference, &count);
			printf("%d %u: status %d, %d\n", ids[i], value, status, count);
			EXPECT(old->destroy(PREFERENCE, preference) == OK);
		}
	return 0;
}

/* The newest release has another attribute under the number of an old one. */
static int a_number_that_was_used_again_means_what_its_caller_means(void)
{
	GUARDED(block);

	guard(&block);
	EXPECT(newest->init(PREFERENCE, block.block) == OK);
	EXPECT(set_number(newest, PREFERENCE, block.block, SM_COUNT_TARGET, 0x1122334455667788, 8) == OK);
	EXPECT(set_number(old, PREFERENCE, block.block, SM_COUNT_TARGET, 33, 4) == OK);
	EXPECT(read_back(newest, PREFERENCE, block.block, SM_COUNT_TARGET, 8) == 0x1122334455667788);
	EXPECT(read_back(old, PREFERENCE, block.block, SM_COUNT_TARGET, 4) == 33);
	EXPECT(intact((unsigned char *)&block, newest->size[PREFERENCE]));
	return 0;
}

static int a_product_that_must_wait_is_refused(void)
{
	const float a[4] = { 1, 2, 3, 4 };
	float d[4] = { -1, -1, -1, -1 };
	void *desc, *layout, *preference, *handle = new->handle();
	int count = 9;

	EXPECT(handle && new->create(DESC, &desc) == OK && new->create(LAYOUT, &layout) == OK);
	EXPECT(new->create(PREFERENCE, &preference) == OK);
	EXPECT(set_number(new, DESC, desc, CHUNKS, 0, 4) == OK);
	EXPECT(new->heuristic(handle, desc, layout, preference, &count) == OK && count > 0);
	EXPECT(set_number(new, DESC, desc, CHUNKS, 2, 4) == OK && set_number(new, DESC, desc, CHUNKS + 2, 0x7f0000004000, 8) == OK);
	EXPECT(read_back(new, DESC, desc, CHUNKS, 4) == 2 && read_back(new, DESC, desc, CHUNKS + 2, 8) == 0x7f0000004000);
	EXPECT(new->heuristic(handle, desc, layout, preference, &count) == NOT_SUPPORTED && count == 0);
	EXPECT(new->matmul(handle, desc, layout, a, a, d) == NOT_SUPPORTED && d[0] == -1 && d[3] == -1);
	/* Counters alone are nothing to wait for: "default 0 (atomic synchronization disabled)". */
	EXPECT(set_number(new, DESC, desc, CHUNKS, 0, 4) == OK && read_back(new, DESC, desc, CHUNKS + 2, 8) == 0x7f0000004000);
	EXPECT(new->heuristic(handle, desc, layout, preference, &count) == OK && count > 0);
	EXPECT(new->matmul(handle, desc, layout, a, a, d) == OK && d[0] == 7);
	EXPECT(set_number(new, DESC, desc, CHUNKS + 1, 3, 4) == OK && new->matmul(handle, desc, layout, a, a, d) == NOT_SUPPORTED);
	EXPECT(set_number(new, DESC, desc, CHUNKS + 1, 0, 4) == OK && set_number(new, DESC, desc, CHUNKS + 2, 0, 8) == OK);
	EXPECT(new->matmul(handle, desc, layout, a, a, d) == OK && d[0] == 7);
	EXPECT(new->destroy(DESC, desc) == OK && new->destroy(LAYOUT, layout) == OK && new->destroy(PREFERENCE, preference) == OK);
	return 0;
}

/* More different blocks than are kept: those that went are refused, and can be destroyed and made anew. */
static int what_is_no_longer_kept_is_refused(void)
{
	void *created;
	GUARDED(first);
	GUARDED(other);
	uint64_t i;

	guard(&first);
	guard(&other);
	EXPECT(old->create(PREFERENCE, &created) == OK && set_number(old, PREFERENCE, created, EPILOGUE_MASK, 4, 4) == OK);
	EXPECT(old->init(DESC, first.block) == OK && set_number(new, DESC, first.block, A_SCALE_POINTER, 0x7000, 8) == OK);
	for (i = 0; i < 10000; i++) {
		EXPECT(old->init(DESC, other.block) == OK && set_number(new, DESC, other.block, A_SCALE_POINTER, 16 * i + 16, 8) == OK);
		EXPECT(read_back(new, DESC, other.block, A_SCALE_POINTER, 8) == 16 * i + 16);
	}
	EXPECT(set_number(old, DESC, first.block, TRANSA, 1, 4) == INVALID_VALUE);
	EXPECT(read_back(new, DESC, first.block, A_SCALE_POINTER, 8) == UINT64_MAX);
	EXPECT(old->destroy(PREFERENCE, created) == OK);
	EXPECT(old->init(DESC, first.block) == OK && set_number(old, DESC, first.block, TRANSA, 1, 4) == OK);
	EXPECT(intact((unsigned char *)&first, old->size[DESC]));
	return 0;
}

/*
 * `newest`'s own attributes on an older library: nothing is lost while they are at their defaults. KNOWN: it is known what `newest` was built
 * for; else the library may take a number as it has it itself.
 */
static int defaults_of(int known)
{
	static const struct { enum kind kind; int id; size_t size; uint64_t value; } later[] = {
		{ DESC, 38, 8, 0 }, { DESC, 39, 8, 0 }, { DESC, 41, 4, 0x8000 }, { PREFERENCE, 13, 8, 0 }, { PREFERENCE, 15, 8, 0 },
		{ LAYOUT, ROWS_ARRAY, 8, 0 }, { LAYOUT, LD_WIDTH, 4, 0 },
	};
	void *created[KINDS];
	int kind;
	size_t i;

	for (kind = 0; kind < KINDS; kind++)
		EXPECT(newest->create((enum kind)kind, &created[kind]) == OK);
	for (i = 0; i < sizeof(later) / sizeof(*later); i++) {
		GUARDED(own);
		void *blocks[] = { created[later[i].kind], own.block };
		int k;

		guard(&own);
		EXPECT(newest->init(later[i].kind, own.block) == OK);
		for (k = 0; k < 2; k++) {
			EXPECT(read_back(newest, later[i].kind, blocks[k], later[i].id, later[i].size) == later[i].value);
			EXPECT(set_number(newest, later[i].kind, blocks[k], later[i].id, later[i].value, later[i].size) == OK);
			EXPECT(set_number(newest, later[i].kind, blocks[k], later[i].id, later[i].value, 12 - later[i].size) == INVALID_VALUE ||
			       (!known && later[i].id == 38));
			EXPECT(set_number(newest, later[i].kind, blocks[k], later[i].id, 0x1000, later[i].size) == INVALID_VALUE);
			EXPECT(read_back(newest, later[i].kind, blocks[k], later[i].id, later[i].size) == later[i].value);
		}
		EXPECT(intact((unsigned char *)&own, newest->size[later[i].kind]));
	}
	for (kind = 0; kind < KINDS; kind++)
		EXPECT(newest->destroy((enum kind)kind, created[kind]) == OK);
	return 0;
}

static int defaults_that_the_library_does_not_know_are_accepted(void)
{
	return defaults_of(1);
}

static int so_they_are_from_who_may_be_as_old_as_the_library(void)
{
	return defaults_of(0);
}

static void *work(void *data)
{
	uint64_t i, base = (uint64_t)(uintptr_t)data << 32, size = old->size[DESC];
	unsigned char block[256], copy[256];

	for (i = 1; i < 3000; i++) {
		if (old->init(DESC, block) || set_number(new, DESC, block, A_SCALE_POINTER, base + i % 100, 8))
			return data;
		memcpy(copy, block, size);
		if (set_number(new, DESC, block, A_SCALE_POINTER, 1 + i % 100, 8) ||	/* shared with the others */
		    read_back(new, DESC, copy, A_SCALE_POINTER, 8) != base + i % 100 ||
		    read_back(new, DESC, block, A_SCALE_POINTER, 8) != 1 + i % 100)
			return data;
	}
	return NULL;
}

static int threads_do_not_meet(void)
{
	pthread_t thread[4];
	void *bad = NULL, *result;
	uintptr_t i;

	for (i = 0; i < 4; i++)
		EXPECT(!pthread_create(&thread[i], NULL, work, (void *)(i + 1)));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &result);
		bad = result ? result : bad;
	}
	EXPECT(!bad);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	{ "small", small_blocks_take_what_later_parts_set }, { "layouts", layouts_are_never_written_beyond },
	{ "used", tokens_are_used_as_blocks }, { "preferences", preferences_of_11_live_on },
	{ "reused", a_number_that_was_used_again_means_what_its_caller_means }, { "atomic", a_product_that_must_wait_is_refused },
	{ "dropped", what_is_no_longer_kept_is_refused }, { "threads", threads_do_not_meet },
	{ "masks", masks_choose_as_on_their_own_release }, { "newer", defaults_that_the_library_does_not_know_are_accepted },
	{ "maybe newer", so_they_are_from_who_may_be_as_old_as_the_library },
};

static const struct part *open_part(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	return library ? dlsym(library, "part") : NULL;
}

int main(int argc, char **argv)
{
	size_t i;

	old = argc > 4 ? open_part(argv[2]) : NULL;
	new = old ? open_part(argv[3]) : NULL;
	newest = new ? open_part(argv[4]) : NULL;
	for (i = 0; newest && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, argv[1]))
			return cases[i].run() ? 1 : 0;
	return 2;
}
