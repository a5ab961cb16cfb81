/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the loader's cache, /etc/ld.so.cache, in the format that glibc has written since 2.2, with
 * the names of glibc-hwcaps directories that 2.33 added (loader.h). */
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
#define EXTENSION_MAGIC 0xeaa42174u
#define TAG_CAPABILITIES 1
#define NAMED UINT64_C(0x40000000) /* the upper half of a capability that is an index of names */

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

struct section {
	uint32_t tag, flags, offset, size;
};

/* The whole file, and the part that offsets count from. */
struct reader {
	const char *file, *base;
	size_t size, start;
	struct section names; /* offsets of the names of glibc-hwcaps directories */
	char *error;
	size_t error_size;
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

static const char *text(const struct reader *reader, uint32_t offset)
{
	return offset < reader->size && memchr(reader->base + offset, '\0', reader->size - offset)
		       ? reader->base + offset
		       : NULL;
}

static int fail(const struct reader *reader, size_t place, const char *what)
{
	snprintf(reader->error, reader->error_size, "%s:0x%zx: %s; run ldconfig", reader->file,
		 reader->start + place, what);
	return -EINVAL;
}

/* Behind the strings there may be sections: how many, and then each. */
static int read_extension(struct reader *reader, uint32_t offset)
{
	uint32_t head[2];

	if (!offset)
		return 0;
	if (offset > reader->size || reader->size - offset < sizeof head)
		return fail(reader, offset, "its extension lies beyond its end");
	memcpy(head, reader->base + offset, sizeof head);
	if (head[0] != EXTENSION_MAGIC)
		return fail(reader, offset, "its extension does not begin as one");
	if (head[1] > (reader->size - offset - sizeof head) / sizeof(struct section))
		return fail(reader, offset,
			    "its extension has more sections than there is room for");
	for (uint32_t i = 0; i < head[1]; i++) {
		struct section section;
		size_t place = offset + sizeof head + i * sizeof section;

		memcpy(&section, reader->base + place, sizeof section);
		if (section.offset > reader->size || section.size > reader->size - section.offset)
			return fail(reader, place, "a section lies beyond its end");
		if (section.tag == TAG_CAPABILITIES)
			reader->names = section;
	}
	return 0;
}

/* The glibc-hwcaps name that a capability stands for; "" for an older kind, which is not used. */
static const char *capability(const struct reader *reader, uint64_t value)
{
	uint32_t index = (uint32_t)value, offset;
	const char *name;

	if (!value)
		return NULL;
	if (value >> 32 != NAMED || index >= reader->names.size / sizeof offset)
		return "";
	memcpy(&offset, reader->base + reader->names.offset + index * sizeof offset, sizeof offset);
	name = text(reader, offset);
	return name ? name : "";
}

static int read_entries(struct gw_cache *cache, const struct reader *reader, uint32_t count)
{
	cache->entry = calloc((size_t)count + 1, sizeof *cache->entry);
	if (!cache->entry)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct gw_cache_entry *out = &cache->entry[cache->count];
		struct entry entry;
		size_t place = sizeof(struct header) + i * sizeof entry;

		memcpy(&entry, reader->base + place, sizeof entry);
		if (entry.flags != X86_64_LIBC6)
			continue;
		out->name = text(reader, entry.name);
		out->path = text(reader, entry.path);
		if (!out->name || !out->path)
			return fail(reader, place, "an entry's name lies outside the file");
		out->capability = capability(reader, entry.capability);
		cache->count++;
	}
	return 0;
}

int gw_cache_read(struct gw_cache *cache, const char *file, char *error, size_t error_size)
{
	struct reader reader = {.file = file, .error = error, .error_size = error_size};
	struct header header;
	size_t size;
	int result;

	*cache = (struct gw_cache){0};
	result = read_whole(file, &cache->bytes, &size);
	if (result)
		snprintf(error, error_size, "%s: %s", file, strerror(-result));
	if (result || !size)
		goto finish;
	reader.start = find_start(cache->bytes, size);
	if (reader.start > size || size - reader.start < sizeof header ||
	    memcmp(cache->bytes + reader.start, MAGIC, 20) != 0) {
		result = fail(&reader, 0, "is no cache of this system's loader");
		goto finish;
	}
	reader.base = cache->bytes + reader.start;
	reader.size = size - reader.start;
	memcpy(&header, reader.base, sizeof header);
	if (header.count > (reader.size - sizeof header) / sizeof(struct entry)) {
		result = fail(&reader, reader.size, "ends before its last entry");
		goto finish;
	}
	result = read_extension(&reader, header.extension);
	if (!result)
		result = read_entries(cache, &reader, header.count);
finish:
	if (result || !size)
		gw_cache_finish(cache);
	return result;
}

/* How good a named directory is: 0 for the best; -1: this processor does not use it. */
static int rank(const struct gw_platform *platform, const char *name)
{
	for (size_t i = 0; i < platform->named_count; i++) {
		const char *own = strchr(platform->capability[i], '/') + 1;

		if (strncmp(own, name, strlen(name)) == 0 && own[strlen(name)] == '/')
			return (int)i;
	}
	return -1;
}

const char *gw_cache_find(const struct gw_cache *cache, const struct gw_platform *platform,
			  const char *name)
{
	const char *best = NULL;
	int best_rank = 0;

	/* The entries of one name stand together, those with capabilities before the plain one. */
	for (size_t i = 0; i < cache->count; i++) {
		const struct gw_cache_entry *entry = &cache->entry[i];
		int at;

		if (strcmp(entry->name, name) != 0)
			continue;
		if (!entry->capability)
			return best ? best : entry->path;
		at = rank(platform, entry->capability);
		if (at >= 0 && (!best || at < best_rank)) {
			best = entry->path;
			best_rank = at;
		}
	}
	return best;
}

void gw_cache_finish(struct gw_cache *cache)
{
	free(cache->entry);
	free(cache->bytes);
	*cache = (struct gw_cache){0};
}
