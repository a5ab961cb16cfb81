/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace's file and its blocks. Pages are allocated on disk before anybody writes to them through the mapping, so a full disk is an error of
 * fallocate(2), never a SIGBUS.
 */
#include "trace_life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "finding.h"
#include "line.h"
#include "output.h"
#include "process.h"
#include "settings.h"
#include "table.h"

#define HEAD 4096u
#define FIRST_DESCRIPTOR 200
#define LOOKED_AT 256u		/* blocks, before a record is dropped */
#define KEPT_FREE 64u		/* blocks */
#define DRY 1000u		/* microseconds for which nobody looks again */
#define WAITS 20000u		/* times 50 microseconds: what a thread waits for another to allocate, at most */
#define DEFAULT_SIZE (256u << 20)
#define LEAST_SIZE (1u << 20)

static char path_of_file[1024];	/* not in the pages that are cleared: a child names its own */
static void *mapping;
static size_t mapped;

#ifndef __x86_64__
#error "the stamps are those of x86-64"
#endif

uint64_t gw_trace_now(void)
{
	return __builtin_expect(gw_trace_life.clock == GW_TRACE_CLOCK_TSC, 1) ? __builtin_ia32_rdtsc() : gw_process_now();
}

void gw_trace_file_moment(struct gw_trace_moment *moment)
{
	struct timespec real;

	moment->stamp = gw_trace_now();
	moment->monotonic_ns = gw_process_now();
	clock_gettime(CLOCK_REALTIME, &real);
	moment->realtime_ns = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec;
}

/* How many ticks a microsecond has is learnt as time passes. */
static void learn_rate(const struct gw_trace_moment *now)
{
	const struct gw_trace_moment *start = &gw_trace_life.head->start;
	uint64_t ns = now->monotonic_ns - start->monotonic_ns;

	if (gw_trace_life.clock == GW_TRACE_CLOCK_TSC && ns > 1000000)
		atomic_store_explicit(&gw_trace_life.microsecond, (uint32_t)((double)(now->stamp - start->stamp) * 1000 / (double)ns),
				      memory_order_relaxed);
}

void gw_trace_file_note_moment(void)
{
	struct gw_trace_head *head = gw_trace_life.head;
	struct gw_trace_moment now;
	uint32_t version = __atomic_load_n(&head->moment_version, __ATOMIC_RELAXED);

	if (version & 1 || !__atomic_compare_exchange_n(&head->moment_version, &version, version + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;		/* another thread does it */
	gw_trace_file_moment(&now);
	__atomic_store_n(&head->now.stamp, now.stamp, __ATOMIC_RELAXED);
	__atomic_store_n(&head->now.monotonic_ns, now.monotonic_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&head->now.realtime_ns, now.realtime_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&head->moment_version, version + 2, __ATOMIC_RELEASE);
	learn_rate(&now);
}

void gw_trace_file_drop(void)
{
	struct gw_trace_head *head = gw_trace_life.head;

	if (head)
		__atomic_fetch_add(&head->dropped, 1, __ATOMIC_RELAXED);
}

/* Of the processor: does its counter run at one rate, through sleep and in all cores? The kernel asks the same bit. */
static uint32_t choose_clock(void)
{
	uint32_t a = 0x80000000u, b, c = 0, d;

	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	if (a < 0x80000007u)
		return GW_TRACE_CLOCK_MONOTONIC;
	a = 0x80000007u;
	c = 0;
	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return d >> 8 & 1 ? GW_TRACE_CLOCK_TSC : GW_TRACE_CLOCK_MONOTONIC;
}

/* Is the descriptor still the file that we opened? A program may close what it does not know, and open its own under the number. */
static bool is_ours(int file)
{
	struct stat status;

	return file >= 0 && !fstat(file, &status) && status.st_dev == gw_trace_life.device && status.st_ino == gw_trace_life.inode;
}

static int open_high(const char *path, int flags)
{
	int low = open(path, flags | O_RDWR | O_CLOEXEC | O_NOCTTY, 0666), high;

	if (low < 0)
		return -1;
	high = fcntl(low, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
	if (high < 0)
		return low;
	close(low);
	return high;
}

static int write_zeros(int file, off_t from, off_t to)
{
	static const char zeros[65536];

	while (from < to) {
		size_t wanted = to - from < (off_t)sizeof(zeros) ? (size_t)(to - from) : sizeof(zeros);
		ssize_t written = pwrite(file, zeros, wanted, from);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? errno : ENOSPC;
		from += written;
	}
	return 0;
}

/* 0, or why there is no room for these bytes. No signal is left for exceeding a limit. */
static int allocate(int file, off_t from, off_t to)
{
	struct gw_quiet quiet;
	struct rlimit limit;
	int error;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && (rlim_t)to > limit.rlim_cur)
		return EFBIG;
	if (!gw_quiet_begin(&quiet))
		return EAGAIN;
	do
		error = fallocate(file, 0, from, to - from) ? errno : 0;
	while (error == EINTR);
	if (error == EOPNOTSUPP || error == ENOSYS)
		error = write_zeros(file, from, to);
	gw_quiet_end(&quiet, error == EFBIG);
	return error;
}

static void tell(const char *what, int error)
{
	char text[1400];
	struct gw_line line;

	if (atomic_exchange(&gw_trace_life.told, 1))
		return;
	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "the trace ");
	gw_line_text(&line, path_of_file);
	gw_line_text(&line, what);
	if (error)
		gw_output_reason(&line, error);
	line.text[line.length] = 0;
	gw_finding_tell(error ? GW_FINDING_TRACE_SPACE : GW_FINDING_TRACE_FULL, path_of_file, text, NULL);
}

/* There is no room for block INDEX: the file stays as large as it is. */
static void stop_growing(uint32_t index, int error)
{
	uint32_t limit = atomic_load(&gw_trace_life.limit);
	bool goes_on = gw_trace_life.ring && index > 4;

	while (limit > index && !atomic_compare_exchange_weak(&gw_trace_life.limit, &limit, index))
		;
	gw_trace_life.head->stop_errno = error;
	if (!goes_on)
		gw_trace_life.head->stopped = GW_TRACE_STOP_SPACE;
	tell(goes_on ? " cannot grow, and what is oldest in it is overwritten: " : " cannot grow, and calls are recorded no more: ", error);
}

static bool grow(uint32_t index)
{
	uint32_t from = atomic_load(&gw_trace_life.allocated), limit = atomic_load(&gw_trace_life.limit);
	uint32_t to = index + GW_TRACE_STEP < limit ? index + GW_TRACE_STEP : limit;
	int error;

	if (!is_ours(gw_trace_life.file)) {
		int file = open_high(path_of_file, O_NOFOLLOW);

		if (!is_ours(file)) {
			if (file >= 0)
				close(file);
			stop_growing(index, EBADF);
			return false;
		}
		gw_trace_life.file = file;
	}
	error = allocate(gw_trace_life.file, (off_t)HEAD + (off_t)from * GW_TRACE_BLOCK, (off_t)HEAD + (off_t)to * GW_TRACE_BLOCK);
	if (error && to > index + 1) {
		to = index + 1;
		error = allocate(gw_trace_life.file, (off_t)HEAD + (off_t)from * GW_TRACE_BLOCK, (off_t)HEAD + (off_t)to * GW_TRACE_BLOCK);
	}
	if (error) {
		stop_growing(index, error);
		return false;
	}
	atomic_store(&gw_trace_life.allocated, to);
	return true;
}

/* Before the last allocated blocks are in use, so that hardly anybody ever waits. */
static void grow_ahead(uint32_t index)
{
	uint32_t allocated = atomic_load_explicit(&gw_trace_life.allocated, memory_order_relaxed), free_now = 0;

	if (index + GW_TRACE_STEP / 4 != allocated || allocated >= atomic_load_explicit(&gw_trace_life.limit, memory_order_relaxed) ||
	    !atomic_compare_exchange_strong(&gw_trace_life.allocating, &free_now, 1))
		return;
	if (allocated == atomic_load(&gw_trace_life.allocated))
		grow(allocated);
	atomic_store(&gw_trace_life.allocating, 0);
}

/* Are the pages of block INDEX there? One thread at a time allocates; the others need what it allocates. */
static bool is_allocated(uint32_t index)
{
	const struct timespec moment = { 0, 50000 };
	unsigned waits;

	for (waits = 0; waits < WAITS; waits++) {
		uint32_t free_now = 0;

		if (index < atomic_load_explicit(&gw_trace_life.allocated, memory_order_acquire))
			return true;
		if (index >= atomic_load_explicit(&gw_trace_life.limit, memory_order_relaxed))
			return false;
		if (atomic_compare_exchange_strong(&gw_trace_life.allocating, &free_now, 1)) {
			bool grown = index < atomic_load(&gw_trace_life.allocated) || grow(index);

			atomic_store(&gw_trace_life.allocating, 0);
			return grown;
		}
		nanosleep(&moment, NULL);
	}
	return false;
}

/* Where records stop before the file is full, what they stand for and the counts go on in the rest. */
static uint32_t limit_of(uint16_t kind)
{
	uint32_t limit = atomic_load_explicit(&gw_trace_life.limit, memory_order_relaxed);
	uint32_t rest = limit / 8 < KEPT_FREE ? limit / 8 : KEPT_FREE;

	return kind == GW_TRACE_RECORDS && !gw_trace_life.ring ? limit - rest : limit;
}

static struct gw_trace_block *fresh(uint16_t kind)
{
	uint32_t index = atomic_load_explicit(&gw_trace_life.claimed, memory_order_relaxed), known;

	do
		if (index >= limit_of(kind))
			return NULL;
	while (!atomic_compare_exchange_weak(&gw_trace_life.claimed, &index, index + 1));
	if (!is_allocated(index))
		return NULL;
	grow_ahead(index);
	known = __atomic_load_n(&gw_trace_life.head->blocks, __ATOMIC_RELAXED);
	while (known <= index && !__atomic_compare_exchange_n(&gw_trace_life.head->blocks, &known, index + 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return gw_trace_block_at(index);
}

static bool is_gone(uint32_t thread)
{
	return syscall(SYS_tgkill, getpid(), thread, 0) == -1 && errno == ESRCH;
}

static bool take(struct gw_trace_block *block, uint32_t owner, uint32_t tid)
{
	return __atomic_compare_exchange_n(&block->owner, &owner, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Blocks that may be looked at: what was claimed and is not allocated yet lies behind the file's end. */
static uint32_t count_blocks(void)
{
	uint32_t claimed = atomic_load(&gw_trace_life.claimed), allocated = atomic_load(&gw_trace_life.allocated);

	return claimed < allocated ? claimed : allocated;
}

/* How many records the block holds: those after the first that is not there are its next user's to find. */
static uint64_t records_in(const struct gw_trace_block *block)
{
	const uint64_t *slot = (const uint64_t *)block;
	uint64_t count = 0, mark;
	uint32_t at, slots;

	for (at = 1; at < GW_TRACE_SLOTS; at += slots ? slots : 1) {
		mark = slot[(size_t)at * 8];
		slots = 1;
		if ((uint16_t)mark != block->generation)
			continue;
		slots = mark >> 16 & 0xff;
		count++;
	}
	return count;
}

/* The oldest block of records that nobody writes to, about; as a last resort one whose thread is gone. */
static struct gw_trace_block *reuse(uint32_t tid)
{
	uint32_t count = count_blocks(), i;
	uint64_t now = gw_trace_now();

	if (now < atomic_load_explicit(&gw_trace_life.dry_until, memory_order_relaxed))
		return NULL;	/* just now there was none: looking again for each call would cost more than the calls */
	for (i = 0; i < LOOKED_AT && i < 2 * count; i++) {
		struct gw_trace_block *block = gw_trace_block_at(atomic_fetch_add(&gw_trace_life.hand, 1) % count);
		uint32_t owner = __atomic_load_n(&block->owner, __ATOMIC_RELAXED);

		if (__atomic_load_n(&block->kind, __ATOMIC_RELAXED) != GW_TRACE_RECORDS || (owner && (i < LOOKED_AT / 2 || !is_gone(owner))))
			continue;
		if (!take(block, owner, tid))
			continue;
		if (block->kind == GW_TRACE_RECORDS) {
			__atomic_fetch_add(&gw_trace_life.head->overwritten, records_in(block), __ATOMIC_RELAXED);
			return block;
		}
		__atomic_store_n(&block->owner, owner, __ATOMIC_RELEASE);
	}
	atomic_store_explicit(&gw_trace_life.dry_until, now + DRY * (uint64_t)atomic_load(&gw_trace_life.microsecond), memory_order_relaxed);
	return NULL;
}

static void write_head(struct gw_trace_block *block, uint16_t kind, uint32_t tid, uint64_t thread, uint64_t sequence, uint64_t first)
{
	struct gw_trace_block head = { .kind = kind, .tid = tid, .thread = thread, .sequence = sequence, .first = first, .sample = 1 };
	uint16_t generation = block->generation;

	/* Whoever reads a block whose head is half written finds a free one. */
	__atomic_store_n(&block->kind, GW_TRACE_FREE, __ATOMIC_RELEASE);
	head.generation = generation == UINT16_MAX ? 1 : (uint16_t)(generation + 1);
	head.check = gw_trace_check_words(0, (const uint64_t *)&head, 5);
	block->generation = head.generation;
	block->tid = tid;
	block->thread = thread;
	block->sequence = sequence;
	block->first = first;
	block->sample = head.sample;
	block->check = head.check;
	block->fill = 0;
	__atomic_store_n(&block->kind, kind, __ATOMIC_RELEASE);
}

struct gw_trace_block *gw_trace_file_claim(uint16_t kind, uint32_t tid, uint64_t thread, uint64_t sequence, uint64_t first)
{
	struct gw_trace_block *block = fresh(kind);

	if (block)
		__atomic_store_n(&block->owner, tid, __ATOMIC_RELEASE);
	else if (gw_trace_life.ring)
		block = reuse(tid);
	if (!block) {
		if (!gw_trace_life.ring && kind == GW_TRACE_RECORDS && !gw_trace_life.head->stopped) {
			gw_trace_life.head->stopped = GW_TRACE_STOP_LIMIT;
			tell(" has its full size, and calls are recorded no more", 0);
		}
		return NULL;
	}
	/* A block of records that becomes one of another kind: its bytes are no counts. */
	if (kind != GW_TRACE_RECORDS && block->generation)
		memset((char *)block + sizeof(*block), 0, GW_TRACE_BLOCK - sizeof(*block));
	write_head(block, kind, tid, thread, sequence, first);
	gw_trace_file_note_moment();
	return block;
}

struct gw_trace_block *gw_trace_file_inherit(uint32_t tid)
{
	uint32_t count = count_blocks(), i, checked = 0;

	for (i = 0; i < count && i < LOOKED_AT && checked < 8; i++) {
		struct gw_trace_block *block = gw_trace_block_at(atomic_fetch_add_explicit(&gw_trace_life.last_count, 1, memory_order_relaxed) % count);
		uint32_t owner = __atomic_load_n(&block->owner, __ATOMIC_RELAXED);

		if (__atomic_load_n(&block->kind, __ATOMIC_RELAXED) != GW_TRACE_COUNTS || !owner)
			continue;
		checked++;
		if (is_gone(owner) && take(block, owner, tid))
			return block;
	}
	return NULL;
}

/* DIRECTORY/gangway-HOST-PID-TIME.gwt, or the file that is named. */
static void name_file(const char *name, char *path, size_t size, bool again)
{
	struct gw_line line;
	struct stat status;
	struct timespec now;
	char host[65] = "host";
	unsigned i;

	clock_gettime(CLOCK_REALTIME, &now);
	gw_line_start(&line, path, size - 1);
	gw_line_text(&line, name);
	if (!stat(name, &status) && S_ISDIR(status.st_mode)) {
		gethostname(host, sizeof(host) - 1);
		for (i = 0; host[i] && host[i] != '.'; i++)
			if (host[i] == '/')
				host[i] = '_';
		host[i] = 0;
		gw_line_text(&line, "/gangway-");
		gw_line_text(&line, host);
		gw_line_char(&line, '-');
		gw_line_signed(&line, getpid());
		gw_line_char(&line, '-');
		gw_line_signed(&line, now.tv_sec);
		if (again) {
			gw_line_char(&line, '-');
			gw_line_signed(&line, now.tv_nsec);
		}
		gw_line_text(&line, GW_TRACE_SUFFIX);
	} else if (again) {	/* the one that was named is another process's */
		gw_line_char(&line, '.');
		gw_line_signed(&line, getpid());
		gw_line_char(&line, '-');
		gw_line_signed(&line, now.tv_nsec);
		gw_line_text(&line, GW_TRACE_SUFFIX);
	}
	path[line.length] = 0;
}

/* 64M, 2G, 500k, in bytes: what the whole file may have. */
static size_t size_wanted(void)
{
	const char *text = gw_setting(GW_SETTING_TRACE_SIZE);
	uint64_t size = 0;

	for (; text && *text >= '0' && *text <= '9' && size < UINT64_C(1) << 50; text++)
		size = size * 10 + (uint64_t)(*text - '0');
	if (text)
		size <<= *text == 'k' || *text == 'K' ? 10 : *text == 'M' || *text == 'm' ? 20 : *text == 'G' || *text == 'g' ? 30 : 0;
	if (!size)
		return DEFAULT_SIZE;
	return size < LEAST_SIZE ? LEAST_SIZE : size > UINT64_C(1) << 42 ? (size_t)1 << 42 : (size_t)size;
}

__attribute__((no_sanitize_thread)) static void write_file_head(uint32_t blocks)
{
	struct gw_trace_head *head = gw_trace_life.head;

	head->version = GW_TRACE_VERSION;
	head->head_size = HEAD;
	head->block_size = GW_TRACE_BLOCK;
	head->block_limit = blocks;
	head->pid = (uint32_t)getpid();
	head->clock = gw_trace_life.clock;
	head->ring = gw_trace_life.ring;
	head->function_count = GW_FN_COUNT;
	gw_trace_file_moment(&head->start);
	head->now = head->start;
	memcpy(head->magic, GW_TRACE_MAGIC, sizeof(head->magic));	/* for the check; a reader sees it with the check or not at all */
	head->check = gw_trace_check_words(0, (const uint64_t *)head, (offsetof(struct gw_trace_head, check) + 4) / 8);
}

/* In a child a race detector compares with threads that only its parent has. */
__attribute__((no_sanitize_thread)) int gw_trace_file_begin(const char *name, char *path, size_t size)
{
	const char *full = gw_setting(GW_SETTING_TRACE_FULL);
	size_t bytes = size_wanted();
	struct stat status;
	void *memory = MAP_FAILED;
	int file, error;

	if (mapping)		/* a parent's, which a child has no use for */
		munmap(mapping, mapped);
	mapping = NULL;
	name_file(name, path, size, false);
	file = open_high(path, O_CREAT | O_EXCL);
	if (file < 0 && errno == EEXIST) {
		name_file(name, path, size, true);
		file = open_high(path, O_CREAT | O_EXCL);
	}
	if (file < 0)
		return errno;
	if (fstat(file, &status) || !S_ISREG(status.st_mode)) {
		error = EINVAL;
		goto close_file;
	}
	error = allocate(file, 0, HEAD);
	if (error)
		goto close_file;
	for (; memory == MAP_FAILED && bytes >= LEAST_SIZE; bytes /= 2)	/* as much as an address space limit lets us have */
		memory = mmap(NULL, mapped = bytes / GW_TRACE_BLOCK * GW_TRACE_BLOCK + HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED) {
		error = errno;
		goto close_file;
	}
	mapping = memory;
	memcpy(path_of_file, path, strlen(path) < sizeof(path_of_file) ? strlen(path) + 1 : 0);
	gw_trace_life.head = memory;
	gw_trace_life.blocks = (unsigned char *)memory + HEAD;
	gw_trace_life.file = file;
	gw_trace_life.device = status.st_dev;
	gw_trace_life.inode = status.st_ino;
	gw_trace_life.ring = !full || strcmp(full, "stop");
	gw_trace_life.clock = choose_clock();
	atomic_store(&gw_trace_life.microsecond, gw_trace_life.clock == GW_TRACE_CLOCK_TSC ? 3000 : 1000);
	atomic_store(&gw_trace_life.limit, (uint32_t)((mapped - HEAD) / GW_TRACE_BLOCK));
	write_file_head((uint32_t)((mapped - HEAD) / GW_TRACE_BLOCK));
	return 0;
close_file:
	close(file);
	unlink(path);
	return error;
}
