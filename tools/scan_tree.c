/* SPDX-License-Identifier: Apache-2.0 */
/* The programs and libraries below a directory (scan_tree.h). */
#include "scan_tree.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is it an ELF program or library of this machine? Others are no matter here. */
static bool is_ours(const char *path)
{
	unsigned char head[20];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t count = 0;

	if (file >= 0) {
		count = read(file, head, sizeof head);
		close(file);
	}
	return count == sizeof head && memcmp(head, ELFMAG, SELFMAG) == 0 &&
	       head[EI_CLASS] == ELFCLASS64 && (head[18] | head[19] << 8) == EM_X86_64 &&
	       (head[16] == ET_EXEC || head[16] == ET_DYN) && !head[17];
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int gw_scan_tree(const char *directory, gw_scan_tree_visit *visit, void *context)
{
	char *path = strdup(directory);
	char *const paths[] = {path, NULL};
	FTS *tree = path ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
	FTSENT *entry;

	if (!tree) {
		free(path);
		return -errno;
	}
	while ((entry = fts_read(tree)))
		if (entry->fts_info == FTS_F && entry->fts_statp->st_size >= 64 &&
		    is_ours(entry->fts_path))
			visit(context, entry->fts_path);
	fts_close(tree);
	free(path);
	return 0;
}
