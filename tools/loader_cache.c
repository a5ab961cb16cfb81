/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the loader's cache, /etc/ld.so.cache, in the format that glibc has written since 2.2
 * (loader.h). */
#include "loader.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "glibc-ld.so.cache1.1"
#define OLD_MAGIC "ld.so-1.7.0"
#define MAX_SIZE (64u << 20)
#define X86_64_LIBC6 0x0303 /* the flags of an x86-64 library for glibc */

struct header {
	char magic[20];
	uint32_t count, strings_size;
	uint8_t flags, padding[3];
	uint32_t extension, unused[3];
};

struct entry {
	int32_t flags;
	uint32_t name, path, version;
	uint64_t capability;
};

_Static_assert(sizeof(struct header) == 48 && sizeof(struct entry) == 24, "the file's own layout");

static int read_whole(const char *path, char **bytes, size_t *size)
{
	FILE *file = fopen(path, "re");
	size_t room = 0;
	int result = 0;

	*bytes = NULL;
	*size = 0;
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	do {
		char *more;

		room = room ? room * 2 : 1u << 16;
		more = room <= MAX_SIZE ? realloc(*bytes, room) : NULL;
		if (!more) {
			result = room <= MAX_SIZE ? -ENOMEM : -EFBIG;
			break;
		}
		*bytes = more;
		*size += fread(more + *size, 1, room - *size, file);
	} while (*size == room);
	if (!result && ferror(file))
		result = -EIO;
	fclose(file);
	return result;
}

/* Where the new format starts: an old one may stand before it. */
static size_t find_start(const char *bytes, size_t size)
{
	if (size >= sizeof OLD_MAGIC - 1 && memcmp(bytes, OLD_MAGIC, sizeof OLD_MAGIC - 1) == 0) {
		uint32_t count;
		size_t start;

		if (size < 16)
			return size;
		memcpy(&count, bytes + 12, sizeof count);
		start = 16 + (size_t)count * 12;
		return start > size ? size : (start + 7) & ~(size_t)7;
	}
	return 0;
}

static const char *text(const char *base, size_t size, uint32_t offset)
{
	return offset < size && memchr(base + offset, '\0', size - offset) ? base + offset : NULL;
}

int gw_loader_init(struct gw_loader *loader, const char *cache_file, char *error, size_t error_size)
{
	struct header header;
	size_t size, start;
	const char *base;
	int result;

	*loader = (struct gw_loader){0};
	result = read_whole(cache_file, &loader->cache_bytes, &size);
	if (result || !size) {
		if (result)
			snprintf(error, error_size, "%s: %s", cache_file, strerror(-result));
		goto finish;
	}
	start = find_start(loader->cache_bytes, size);
	result = -EINVAL;
	if (start > size || size - start < sizeof header ||
	    memcmp(loader->cache_bytes + start, MAGIC, 20) != 0) {
		snprintf(error, error_size,
			 "%s:0x%zx: is no cache of this system's loader; run ldconfig", cache_file,
			 start);
		goto finish;
	}
	base = loader->cache_bytes + start;
	size -= start;
	memcpy(&header, base, sizeof header);
	if (header.count > (size - sizeof header) / sizeof(struct entry)) {
		snprintf(error, error_size, "%s:0x%zx: ends before its last entry; run ldconfig",
			 cache_file, start + size);
		goto finish;
	}
	loader->cache = calloc(header.count + 1, sizeof *loader->cache);
	result = loader->cache ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < header.count && !result; i++) {
		struct gw_cache_entry *out = &loader->cache[loader->cache_count];
		struct entry entry;
		size_t place = sizeof header + i * sizeof entry;

		memcpy(&entry, base + place, sizeof entry);
		if (entry.flags != X86_64_LIBC6)
			continue;
		out->name = text(base, size, entry.name);
		out->path = text(base, size, entry.path);
		if (!out->name || !out->path) {
			snprintf(error, error_size,
				 "%s:0x%zx: an entry's name lies outside the file; run ldconfig",
				 cache_file, start + place);
			result = -EINVAL;
		}
		loader->cache_count++;
	}
finish:
	if (result)
		gw_loader_finish(loader);
	return result;
}
