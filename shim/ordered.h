/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells ThreadSanitizer of an order that it cannot see: glibc calls dl_iterate_phdr's callback with its list lock held, but takes that
 * lock with calls that the sanitizer does not follow. Nothing in any other build.
 */
#ifndef GW_ORDERED_H
#define GW_ORDERED_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GW_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define GW_THREAD_SANITIZER 1
#endif

#ifdef GW_THREAD_SANITIZER
void __tsan_acquire(void *lock);
void __tsan_release(void *lock);
#endif

/* For functions that read the loader's own strings inside that callback: it writes them under the same unseen lock. */
#ifdef GW_THREAD_SANITIZER
#define GW_READS_LOADER __attribute__((no_sanitize("thread"), noinline))
#else
#define GW_READS_LOADER
#endif

static inline void gw_ordered_begin(void *lock)
{
#ifdef GW_THREAD_SANITIZER
	__tsan_acquire(lock);
#else
	(void)lock;
#endif
}

static inline void gw_ordered_end(void *lock)
{
#ifdef GW_THREAD_SANITIZER
	__tsan_release(lock);
#else
	(void)lock;
#endif
}

#endif
