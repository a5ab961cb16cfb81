/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a trace file, and its head: see trace_read.h. What it says of sizes is believed where its check does; else it is looked for. */
#include "trace_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u
#define LARGEST_HEAD (16 * PAGE)
#define LARGEST_BLOCK (256 * PAGE)	/* that is looked for where the head is damaged */
#define TICKS_PER_NS_MOST 100.0		/* no counter runs faster, or slower than the reverse: what says so is damaged */

void gw_trace_note(struct gw_trace_file *file, bool damage, uint64_t offset, const char *format, ...)
{
	struct gw_trace_problems *problems = &file->problems;
	va_list arguments;

	pthread_mutex_lock(&problems->lock);
	if (damage)
		problems->damages++;
	else
		problems->notes++;
	if (!problems->list)
		problems->list = calloc(GW_TRACE_PROBLEMS_KEPT, sizeof(*problems->list));
	if (problems->list && problems->kept < GW_TRACE_PROBLEMS_KEPT) {
		struct gw_trace_problem *problem = &problems->list[problems->kept++];

		problem->offset = offset;
		problem->damage = damage;
		va_start(arguments, format);
		vsnprintf(problem->text, sizeof(problem->text), format, arguments);
		va_end(arguments);
	}
	pthread_mutex_unlock(&problems->lock);
}

uint32_t gw_trace_check_bytes(uint64_t seed, const void *bytes, size_t size)
{
	uint64_t words[512];

	if (size <= sizeof(words)) {
		memset(words, 0, (size + 7) / 8 * 8);
		memcpy(words, bytes, size);
		return gw_trace_check_words(seed, words, (uint32_t)((size + 7) / 8));
	} else {
		uint64_t *copy = calloc((size + 7) / 8, 8);
		uint32_t check;

		if (!copy)
			return 0;
		memcpy(copy, bytes, size);
		check = gw_trace_check_words(seed, copy, (uint32_t)((size + 7) / 8));
		free(copy);
		return check;
	}
}

size_t gw_trace_pread(struct gw_trace_file *file, uint64_t offset, void *buffer, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = pread(file->fd, (char *)buffer + got, size - got, (off_t)(offset + got));

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			gw_trace_note(file, true, offset + got, "%s", strerror(errno));
		if (more <= 0)
			break;
		got += (size_t)more;
	}
	memset((char *)buffer + got, 0, size - got);
	return got;
}

uint64_t gw_trace_block_offset(const struct gw_trace_file *file, uint32_t number)
{
	return file->head_size + (uint64_t)number * file->block_size;
}

bool gw_trace_block_sound(struct gw_trace_file *file, uint32_t number, const struct gw_trace_block *block, bool note)
{
	uint64_t offset = gw_trace_block_offset(file, number);

	if (block->check != gw_trace_check_bytes(0, block, offsetof(struct gw_trace_block, check)) || !block->generation) {
		if (note)
			gw_trace_note(file, true, offset, "the head of block %u is damaged", number);
		return false;
	}
	if (note && block->fill && block->kind != GW_TRACE_DEFINITIONS)
		gw_trace_note(file, true, offset + offsetof(struct gw_trace_block, fill), "a block of no definitions says how far they fill it");
	for (size_t i = 0; note && i < sizeof(block->reserved) / sizeof(*block->reserved); i++)
		if (block->reserved[i])
			gw_trace_note(file, true, offset + offsetof(struct gw_trace_block, reserved) + 4 * i, "reserved bytes of block %u are not zero", number);
	return true;
}

static bool looks_like_a_block(struct gw_trace_file *file, uint64_t offset)
{
	struct gw_trace_block block;

	return gw_trace_pread(file, offset, &block, sizeof(block)) == sizeof(block) && block.kind && block.generation &&
	       block.check == gw_trace_check_bytes(0, &block, offsetof(struct gw_trace_block, check));
}

/* The head is damaged: where are blocks? */
static bool find_blocks(struct gw_trace_file *file)
{
	for (uint32_t head = PAGE; head <= LARGEST_HEAD && head < file->size; head += PAGE) {
		if (!looks_like_a_block(file, head))
			continue;
		file->head_size = head;
		for (uint32_t size = PAGE; size <= LARGEST_BLOCK && head + size < file->size; size += PAGE)
			if (looks_like_a_block(file, head + size)) {
				file->block_size = size;
				return true;
			}
		file->block_size = file->size - head < LARGEST_BLOCK ? (uint32_t)((file->size - head + PAGE - 1) / PAGE * PAGE) : LARGEST_BLOCK;
		return true;
	}
	return false;
}

static bool plausible(const struct gw_trace_head *head)
{
	return head->head_size >= sizeof(*head) && head->head_size % PAGE == 0 && head->block_size >= PAGE && head->block_size % PAGE == 0 &&
	       head->block_size <= (1u << 28) && head->head_size <= (1u << 28);
}

static void read_speed(struct gw_trace_file *file)
{
	const struct gw_trace_head *head = &file->head;
	double ticks = (double)(int64_t)(head->now.stamp - head->start.stamp), ns = (double)(int64_t)(head->now.monotonic_ns - head->start.monotonic_ns);
	uint64_t offset = offsetof(struct gw_trace_head, now);

	if (head->clock == GW_TRACE_CLOCK_MONOTONIC) {
		file->ns_per_tick = 1;
		return;
	}
	if (head->clock != GW_TRACE_CLOCK_TSC)
		gw_trace_note(file, true, offsetof(struct gw_trace_head, clock), "unknown clock %u", head->clock);
	if (head->moment_version & 1)
		gw_trace_note(file, false, offsetof(struct gw_trace_head, moment_version), "the process ended while it wrote the time");
	if (ticks > 0 && ns > 0 && ticks / ns < TICKS_PER_NS_MOST && ns / ticks < TICKS_PER_NS_MOST)
		file->ns_per_tick = ns / ticks;
	else
		gw_trace_note(file, !(ticks == 0 && ns == 0), offset, "the head does not tell how fast the clock runs");
}

/* How many blocks to read: what the head says, unless the file says otherwise. */
static void count_blocks(struct gw_trace_file *file, bool sound)
{
	uint64_t fit = file->size > file->head_size ? (file->size - file->head_size + file->block_size - 1) / file->block_size : 0;
	uint64_t said = file->head.blocks, whole;

	if (sound && said > file->head.block_limit) {
		gw_trace_note(file, true, offsetof(struct gw_trace_head, blocks), "the head says %llu blocks, and the file never has more than %u",
			      (unsigned long long)said, file->head.block_limit);
		said = fit;
	}
	if (!sound)
		said = fit;
	whole = file->head_size + said * file->block_size;
	if (whole > file->size) {
		gw_trace_note(file, true, file->size, "the file ends here: %llu of its %llu blocks are missing, or are not whole",
			      (unsigned long long)(said - (file->size > file->head_size ? (file->size - file->head_size) / file->block_size : 0)),
			      (unsigned long long)said);
		said = fit;
	}
	while (said < fit && looks_like_a_block(file, file->head_size + said * file->block_size)) {
		/* a live file may have grown since its head was read; any other has a head that is wrong */
		said++;
		if (file->head.stopped == GW_TRACE_STOP_END)
			gw_trace_note(file, true, offsetof(struct gw_trace_head, blocks), "the head leaves out block %llu", (unsigned long long)said - 1);
	}
	file->blocks = said > UINT32_MAX ? UINT32_MAX : (uint32_t)said;
}

static void check_rest(struct gw_trace_file *file)
{
	const struct gw_trace_head *head = &file->head;
	unsigned char page[PAGE];
	size_t from = sizeof(*head);

	if (head->stopped > GW_TRACE_STOP_END)
		gw_trace_note(file, true, offsetof(struct gw_trace_head, stopped), "unknown reason %u for having stopped", head->stopped);
	if (head->stop_errno && head->stopped != GW_TRACE_STOP_SPACE)
		gw_trace_note(file, true, offsetof(struct gw_trace_head, stop_errno), "an error (%d) is told, and the trace did not stop for one", head->stop_errno);
	if (head->overwritten && !head->ring)
		gw_trace_note(file, true, offsetof(struct gw_trace_head, overwritten), "records were overwritten, it says, and the file is no ring");
	for (uint64_t at = 0; at < file->head_size; at += PAGE, from = 0) {
		gw_trace_pread(file, at, page, PAGE);
		for (size_t i = from; i < PAGE; i++)
			if (page[i]) {
				gw_trace_note(file, true, at + i, "bytes of the head that are not used are not zero");
				break;
			}
	}
}

static int read_head(struct gw_trace_file *file, char *why, size_t why_size)
{
	struct gw_trace_head *head = &file->head;
	size_t got = gw_trace_pread(file, 0, head, sizeof(*head));
	bool magic = !memcmp(head->magic, GW_TRACE_MAGIC, sizeof(GW_TRACE_MAGIC)), sound;

	sound = got == sizeof(*head) && head->check == gw_trace_check_bytes(0, head, offsetof(struct gw_trace_head, check));
	if (!got) {
		snprintf(why, why_size, "is empty: the process that made it never called a library, or had no room");
		return -ENODATA;
	}
	if (magic && sound && head->version != GW_TRACE_VERSION) {
		snprintf(why, why_size, "is of version %u, and this gangway reads version %u: use the gangway that wrote it, or a newer one", head->version,
			 GW_TRACE_VERSION);
		return -EPROTO;
	}
	if (sound && magic && !plausible(head)) {
		snprintf(why, why_size, "says at offset %zu that its head has %u bytes and its blocks %u, which cannot be",
			 offsetof(struct gw_trace_head, head_size), head->head_size, head->block_size);
		return -EINVAL;
	}
	file->head_size = head->head_size;
	file->block_size = head->block_size;
	if (!magic && file->size > sizeof(GW_TRACE_MAGIC) && !memcmp(head->magic, "gangway trace\n", 14))
		gw_trace_note(file, true, 13, "CR LF became LF: the file was copied as text");
	if (!magic || !sound) {
		if (!find_blocks(file)) {
			snprintf(why, why_size, magic ? "ends or is damaged in its head, at offset %zu, and holds no block that could be read"
						      : "is no gangway trace (offset 0 has another mark), and holds no block of one", got < sizeof(*head) ? got : 0);
			return -ENOEXEC;
		}
		gw_trace_note(file, true, 0, "the head (bytes 0 to %zu) is damaged: what it says is believed as far as the blocks agree",
			      offsetof(struct gw_trace_head, check) + 4);
		sound = false;
	}
	read_speed(file);
	count_blocks(file, sound);
	check_rest(file);
	return 0;
}

int gw_trace_open(struct gw_trace_file *file, const char *path, char *why, size_t why_size)
{
	struct stat info;
	int result;

	memset(file, 0, sizeof(*file));
	pthread_mutex_init(&file->problems.lock, NULL);
	file->path = strdup(path);
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file->fd < 0 || !file->path || fstat(file->fd, &info)) {
		result = -errno;
		snprintf(why, why_size, "%s", strerror(errno));
	} else if (!S_ISREG(info.st_mode)) {
		result = -ENOEXEC;
		snprintf(why, why_size, "is no regular file");
	} else {
		file->size = (uint64_t)info.st_size;
		result = read_head(file, why, why_size);
	}
	if (result)
		gw_trace_close(file);
	return result;
}

void gw_trace_close(struct gw_trace_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	free(file->path);
	file->path = NULL;
	free(file->problems.list);
	file->problems.list = NULL;
	pthread_mutex_destroy(&file->problems.lock);
}
