/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control page: where `gangway run` asks for it, a memfd is made at the first vendor call and mapped over the table of levels, which has been read
 * without it so far. Other threads read that table all the time: what they find is the old page or the new one, with the same bytes.
 */
#include "trace_life.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "settings.h"
#include "table.h"

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1U
#endif
#define FIRST_DESCRIPTOR 200

static int file_of_page = -1;
static dev_t device;
static ino_t inode;

static void fill_head(void)
{
	struct gw_control *head = &gw_trace_control.head;

	head->version = GW_CONTROL_VERSION;
	head->size = sizeof(*head);
	head->pid = (uint32_t)getpid();
	head->function_count = GW_FN_COUNT;
	head->level_at = offsetof(struct gw_trace_control, level);
	head->every_at = offsetof(struct gw_trace_control, every);
	head->names_at = sizeof(gw_trace_control);
	memcpy(head->build_id, gw_build_id, strlen(gw_build_id) < sizeof(head->build_id) ? strlen(gw_build_id) + 1 : 0);
	memcpy(head->magic, GW_CONTROL_MAGIC, sizeof(head->magic));
}

/* FAMILY, NUL, NAME, NUL of each function. */
static bool write_names(int file)
{
	char buffer[4096];
	off_t at = sizeof(gw_trace_control);
	size_t used = 0;
	uint32_t fn;

	for (fn = 0; fn <= GW_FN_COUNT; fn++) {
		const char *family = fn < GW_FN_COUNT ? gw_families[gw_functions[fn].family].name : "", *name = fn < GW_FN_COUNT ? gw_function_name(fn) : "";
		size_t length = strlen(family) + 1, more = strlen(name) + 1;

		if (fn == GW_FN_COUNT || used + length + more > sizeof(buffer)) {
			if (pwrite(file, buffer, used, at) != (ssize_t)used)
				return false;
			at += (off_t)used;
			used = 0;
		}
		if (fn == GW_FN_COUNT)
			break;
		memcpy(buffer + used, family, length);
		memcpy(buffer + used + length, name, more);
		used += length + more;
	}
	gw_trace_control.head.names_size = (uint32_t)(at - (off_t)sizeof(gw_trace_control));
	return true;
}

void gw_trace_control_offer(void)
{
	struct stat status;
	int low, high, error = errno;

	if (file_of_page >= 0 || !gw_setting_on(GW_SETTING_CONTROL))
		return;
	low = (int)syscall(SYS_memfd_create, GW_CONTROL_NAME, MFD_CLOEXEC);
	if (low < 0)
		goto out;
	high = fcntl(low, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
	if (high >= 0) {
		close(low);
		low = high;
	}
	if (!write_names(low) || fstat(low, &status))
		goto close_file;
	fill_head();
	if (pwrite(low, &gw_trace_control, sizeof(gw_trace_control), 0) != (ssize_t)sizeof(gw_trace_control))
		goto close_file;
	if (mmap(&gw_trace_control, sizeof(gw_trace_control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, low, 0) == MAP_FAILED)
		goto close_file;
	file_of_page = low;
	device = status.st_dev;
	inode = status.st_ino;
	goto out;
close_file:
	close(low);
out:
	errno = error;
}

/* The parent's page is not the child's: it gets a copy of its own, which it offers at its first vendor call as the parent did. */
void gw_trace_control_forked(void)
{
	struct stat status;
	void *copy;
	int file = file_of_page;

	if (file < 0)
		return;
	file_of_page = -1;
	copy = mmap(NULL, sizeof(gw_trace_control), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy != MAP_FAILED) {
		memcpy(copy, &gw_trace_control, sizeof(gw_trace_control));
		((struct gw_trace_control *)copy)->head.pid = 0;
		if (mremap(copy, sizeof(gw_trace_control), sizeof(gw_trace_control), MREMAP_MAYMOVE | MREMAP_FIXED, &gw_trace_control) == MAP_FAILED)
			munmap(copy, sizeof(gw_trace_control));
	}
	if (!fstat(file, &status) && status.st_dev == device && status.st_ino == inode)
		close(file);
}
