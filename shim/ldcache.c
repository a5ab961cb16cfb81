/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See ldcache.h. The format is glibc's (sysdeps/generic/dl-cache.h): "glibc-ld.so.cache1.1", entries of 24 bytes, strings after them,
 * offsets from the start of that header; an older "ld.so-1.7.0" part may stand before it.
 */
#include "ldcache.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_FILE "/etc/ld.so.cache"
#define MAGIC "glibc-ld.so.cache1.1"
#define OLD_MAGIC "ld.so-1.7.0"
#define FLAG_X86_64_LIB6 0x0303	/* ELF, libc6, x86-64 */

struct header {
	char magic[sizeof(MAGIC) - 1];
	uint32_t count, string_bytes;
	uint32_t unused[5];
};

struct entry {
	int32_t flags;
	uint32_t key, value, os_version;
	uint64_t hwcap;
};

static const char *string_at(const char *map, size_t size, uint32_t offset)
{
	return offset < size && memchr(map + offset, 0, size - offset) ? map + offset : NULL;
}

static bool find_in(const char *map, size_t size, const char *name, char *path, size_t path_size)
{
	const struct header *header = (const void *)map;
	const struct entry *entries = (const void *)(map + sizeof(*header));
	uint32_t i;

	if (size < sizeof(*header) || memcmp(header->magic, MAGIC, sizeof(MAGIC) - 1) ||
	    header->count > (size - sizeof(*header)) / sizeof(*entries))
		return false;
	for (i = 0; i < header->count; i++) {
		const char *key = string_at(map, size, entries[i].key), *value = string_at(map, size, entries[i].value);

		if (entries[i].flags != FLAG_X86_64_LIB6 || !key || !value || strcmp(key, name))
			continue;
		if (strlen(value) >= path_size)
			continue;
		strcpy(path, value);
		return true;
	}
	return false;
}

bool gw_ldcache_find(const char *name, char *path, size_t size)
{
	int file = open(CACHE_FILE, O_RDONLY | O_CLOEXEC);
	bool found = false;
	struct stat status;
	const char *map;
	size_t skip = 0;

	if (file < 0)
		return false;
	if (!fstat(file, &status) && status.st_size > 0 &&
	    (map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0)) != MAP_FAILED) {
		size_t bytes = (size_t)status.st_size;
		uint32_t old_count;

		if (bytes > sizeof(OLD_MAGIC) + 4 && !memcmp(map, OLD_MAGIC, sizeof(OLD_MAGIC) - 1)) {
			memcpy(&old_count, map + sizeof(OLD_MAGIC), 4);
			skip = (16 + (size_t)old_count * 12 + 7) & ~(size_t)7;
		}
		if (skip < bytes)
			found = find_in(map + skip, bytes - skip, name, path, size);
		munmap((void *)map, bytes);
	}
	close(file);
	return found;
}
