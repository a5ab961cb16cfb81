/* SPDX-License-Identifier: Apache-2.0 */
/* See directory_list.h. */
#include "directory_list.h"

#include <fcntl.h>
#include <stdint.h>

#include "audit_system.h"

/* The kernel's own record: struct linux_dirent64. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

bool gw_directory_each(const char *directory, bool (*visit)(const char *name, void *data), void *data)
{
	_Alignas(struct entry) char buffer[4 << 10];
	int file = (int)gw_sys_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	bool on = true;
	long count;

	if (file < 0)
		return false;
	while (on && (count = gw_sys_getdents(file, buffer, sizeof buffer)) > 0)
		for (long at = 0; on && at < count;) {
			struct entry *entry = (struct entry *)(buffer + at);

			at += entry->length;
			if (entry->name[0] != '.')
				on = visit(entry->name, data);
		}
	gw_sys_close(file);
	return true;
}
