/* SPDX-License-Identifier: Apache-2.0 */
/* See mapping.h. The handler puts a page of zeros where the file has none any more; every reader checks what it reads anyway. */
#include "mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct gw_mapping_state {
	uintptr_t begin;
	size_t size;
	volatile bool cut;
	volatile size_t cut_at;
	struct gw_mapping_state *next;
};

static struct gw_mapping_state *first;
static size_t page;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;

	(void)context;
	for (struct gw_mapping_state *state = first; state; state = state->next) {
		void *whole = (void *)(at & ~(uintptr_t)(page - 1));

		if (at < state->begin || at - state->begin >= state->size)
			continue;
		if (mmap(whole, page, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			break;
		if (!state->cut || at - state->begin < state->cut_at)
			state->cut_at = at - state->begin;
		state->cut = true;
		errno = saved;
		return;
	}
	/* Not ours: as if nobody had asked. The instruction is tried again, and ends the process. */
	signal(number, SIG_DFL);
	errno = saved;
}

static void watch(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	if (page)
		return;
	page = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

static int map(struct gw_mapping *mapping, int file, size_t size)
{
	struct gw_mapping_state *state = calloc(1, sizeof *state);
	void *at = state ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;

	if (at == MAP_FAILED) {
		int why = state ? errno : ENOMEM;

		free(state);
		return -why;
	}
	watch();
	*state = (struct gw_mapping_state){.begin = (uintptr_t)at, .size = size, .next = first};
	first = state;
	mapping->bytes = at;
	mapping->size = size;
	mapping->state = state;
	return 0;
}

int gw_mapping_open(struct gw_mapping *mapping, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result = 0;
	struct stat info;

	*mapping = (struct gw_mapping){0};
	if (file < 0)
		return -errno;
	if (fstat(file, &info) != 0)
		result = -errno;
	else if (!S_ISREG(info.st_mode))
		result = -EINVAL;
	if (!result && info.st_size > 0)
		result = map(mapping, file, (size_t)info.st_size);
	close(file);
	if (!result) {
		mapping->device = info.st_dev;
		mapping->inode = info.st_ino;
	}
	return result;
}

void gw_mapping_close(struct gw_mapping *mapping)
{
	if (!mapping->bytes)
		return;
	for (struct gw_mapping_state **at = &first; *at; at = &(*at)->next)
		if (*at == mapping->state) {
			*at = mapping->state->next;
			break;
		}
	free(mapping->state);
	munmap((void *)(uintptr_t)mapping->bytes, mapping->size);
	*mapping = (struct gw_mapping){0};
}

bool gw_mapping_is_cut(const struct gw_mapping *mapping, size_t *at)
{
	if (!mapping->state || !mapping->state->cut)
		return false;
	*at = mapping->state->cut_at;
	return true;
}

void gw_mapping_forget(const unsigned char *bytes, size_t size)
{
	uintptr_t begin, end;

	if (!page || !size)
		return;
	begin = ((uintptr_t)bytes + page - 1) & ~(uintptr_t)(page - 1);
	end = ((uintptr_t)bytes + size) & ~(uintptr_t)(page - 1);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}
