/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of every object that a fake library allocates. It names its kind and the release that made it, so a handle or
 * descriptor of another release, or one already destroyed, is told from a good one.
 */
#ifndef FAKE_HANDLE_H
#define FAKE_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_head {
	uint64_t release;	/* FAKE_RELEASE_HASH of its maker */
	uint32_t kind;
	uint32_t alive;
};

#define FAKE_ALIVE 0x47576b21u

static inline void fake_head_init(struct fake_head *head, uint64_t release, uint32_t kind)
{
	head->release = release;
	head->kind = kind;
	head->alive = FAKE_ALIVE;
}

static inline bool fake_head_is(const void *object, uint64_t release, uint32_t kind)
{
	const struct fake_head *head = object;

	return head && !((uintptr_t)object % _Alignof(struct fake_head)) && head->release == release && head->kind == kind &&
	       head->alive == FAKE_ALIVE;
}

static inline void fake_head_kill(void *object)
{
	((struct fake_head *)object)->alive = 0;
}

#endif
