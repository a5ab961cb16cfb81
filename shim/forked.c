/* SPDX-License-Identifier: Apache-2.0 */
/* See forked.h. */
#include "forked.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ordered.h"

/* The list as it was when this process was forked; no last one: this is no such child, or its list has changed since. */
static const struct link_map *_Atomic last;
static unsigned count;

GW_READS_LOADER static const struct link_map *last_of(unsigned *length)
{
	const struct link_map *map, *found = NULL;

	*length = 0;
	for (map = _r_debug.r_map; map; map = map->l_next) {
		found = map;
		++*length;
	}
	return found;
}

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

/* The debugger's list is that of the program's namespace: are we in it? */
GW_READS_LOADER static bool is_ours(void)
{
	const struct link_map *map;

	for (map = _r_debug.r_map; map; map = map->l_next)
		if (map->l_ld == _DYNAMIC)
			return true;
	return false;
}

void gw_forked(void)
{
	unsigned length;
	const struct link_map *map = last_of(&length);

	count = length;
	atomic_store_explicit(&last, is_ours() ? map : NULL, memory_order_release);
}

/* One that a thread of the parent was closing may be unmapped, and still in the list. */
static bool is_mapped(uintptr_t address)
{
	unsigned char resident;

	return !mincore((void *)(address & -(uintptr_t)sysconf(_SC_PAGESIZE)), 1, &resident);
}

/* The program headers of an object, which lie behind its ELF header, where its first page is mapped. */
GW_READS_LOADER static bool describe(const struct link_map *map, struct dl_phdr_info *info)
{
	const Elf64_Ehdr *header = (const void *)map->l_addr;
	unsigned i;

	memset(info, 0, sizeof(*info));
	info->dlpi_addr = map->l_addr;
	info->dlpi_name = map->l_name;
	if (map == _r_debug.r_map) {
		info->dlpi_phdr = (const void *)getauxval(AT_PHDR);
		info->dlpi_phnum = (Elf64_Half)getauxval(AT_PHNUM);
	} else {
		if (!map->l_addr || !is_mapped(map->l_addr) || memcmp(header->e_ident, ELFMAG, SELFMAG))
			return false;
		info->dlpi_phdr = (const void *)(map->l_addr + header->e_phoff);
		info->dlpi_phnum = header->e_phnum;
	}
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == (uintptr_t)map->l_ld && is_mapped((uintptr_t)map->l_ld);
	return false;
}

GW_READS_LOADER static bool iterate(int (*each)(struct dl_phdr_info *, size_t, void *), void *data)
{
	const struct link_map *map, *was = atomic_load_explicit(&last, memory_order_acquire);
	struct dl_phdr_info info;
	int error = errno;
	unsigned length;

	if (!was)
		return false;
	if (last_of(&length) != was || length != count) {
		atomic_store_explicit(&last, NULL, memory_order_relaxed);	/* who changed it got the lock */
		return false;
	}
	for (map = _r_debug.r_map; map; map = map->l_next)
		if (describe(map, &info) && each(&info, offsetof(struct dl_phdr_info, dlpi_adds), data))
			break;
	errno = error;
	return true;
}

void gw_forked_iterate(int (*each)(struct dl_phdr_info *, size_t, void *), void *data)
{
	if (!iterate(each, data))
		dl_iterate_phdr(each, data);
}
