/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads members of a wheel. A library is inflated once to its end, which also checks it against its
 * checksum; only the ELF tables are kept, in a sparse memory file, so neither the disk nor much
 * memory is needed for half a gigabyte of kernels.
 */
#include "abi.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

#define CHUNK (1u << 20)
#define MAX_TEXT (64u << 20)  /* of a header or a metadata file */
#define MAX_KEPT (512u << 20) /* of a library's tables */
#define MAX_RANGES 64

struct range {
	uint64_t begin, end;
};

static int broken(zip_file_t *member, const char *path, struct abi_error *error)
{
	return gw_abi_fail(error, -EIO, "%.300s: the wheel is damaged or cut off here: %s", path,
			   member ? zip_file_strerror(member) : "cannot be opened");
}

int gw_unzip_text(void *zip, uint64_t index, const char *path, char **text, size_t *length,
		  struct abi_error *error)
{
	zip_file_t *member = zip_fopen_index(zip, index, 0);
	size_t room = 0;
	zip_int64_t got;

	*text = NULL;
	*length = 0;
	if (!member)
		return broken(NULL, path, error);
	do {
		if (room - *length < CHUNK / 16) {
			char *grown = room < MAX_TEXT ? realloc(*text, room = 2 * room + CHUNK / 8)
						      : NULL;

			if (!grown) {
				zip_fclose(member);
				return gw_abi_fail(error, -EFBIG, "%.300s: too large", path);
			}
			*text = grown;
		}
		got = zip_fread(member, *text + *length, room - *length - 1);
		*length += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	(*text)[*length] = '\0';
	if (got < 0) {
		int rc = broken(member, path, error);

		zip_fclose(member);
		return rc;
	}
	zip_fclose(member);
	return 0;
}

/* Writes the part of [at, at + length) that RANGES name. */
static int keep(int fd, const char *data, uint64_t at, uint64_t length, const struct range *ranges,
		size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t begin = ranges[i].begin > at ? ranges[i].begin : at;
		uint64_t end = ranges[i].end < at + length ? ranges[i].end : at + length;

		while (begin < end) {
			ssize_t n = pwrite(fd, data + (begin - at), end - begin, (off_t)begin);

			if (n < 0 && errno != EINTR)
				return -errno;
			begin += n > 0 ? (uint64_t)n : 0;
		}
	}
	return 0;
}

/* Inflates a member up to LIMIT (or its end, checking the checksum), keeping RANGES. */
static int inflate_ranges(zip_t *zip, uint64_t index, const char *path, int fd, uint64_t limit,
			  const struct range *ranges, size_t count, struct abi_error *error)
{
	zip_file_t *member = zip_fopen_index(zip, index, 0);
	char *chunk = malloc(CHUNK);
	zip_int64_t got = 0;
	uint64_t at = 0;
	int rc = chunk && member ? 0 : broken(NULL, path, error);

	while (!rc && at < limit && (got = zip_fread(member, chunk, CHUNK)) > 0) {
		rc = keep(fd, chunk, at, (uint64_t)got, ranges, count);
		if (rc)
			gw_abi_fail(error, rc, "%.300s: no memory for its tables: %s", path,
				    strerror(-rc));
		at += (uint64_t)got;
	}
	if (!rc && got < 0)
		rc = broken(member, path, error);
	free(chunk);
	if (member)
		zip_fclose(member);
	return rc;
}

/* Does TYPE hold what abi_elf.c reads, names included? */
static bool wanted(uint32_t type)
{
	return type == SHT_DYNSYM || type == SHT_DYNAMIC || type == SHT_GNU_versym ||
	       type == SHT_GNU_verdef;
}

static void add_range(struct range *ranges, size_t *count, const Elf64_Shdr *section, uint64_t size)
{
	if (*count < MAX_RANGES && section->sh_offset <= size &&
	    section->sh_size <= size - section->sh_offset)
		ranges[(*count)++] =
			(struct range){section->sh_offset, section->sh_offset + section->sh_size};
}

/* The ranges of the sections that matter, from the section headers that FD already holds. */
static int find_ranges(int fd, const Elf64_Ehdr *ehdr, uint64_t size, struct range *ranges,
		       size_t *count)
{
	Elf64_Shdr *sections = calloc(ehdr->e_shnum, sizeof(*sections));
	ssize_t bytes = (ssize_t)(ehdr->e_shnum * sizeof(*sections));

	*count = 0;
	if (!sections || pread(fd, sections, (size_t)bytes, (off_t)ehdr->e_shoff) != bytes) {
		free(sections);
		return -EIO;
	}
	for (unsigned i = 0; i < ehdr->e_shnum; i++) {
		if (!wanted(sections[i].sh_type))
			continue;
		add_range(ranges, count, &sections[i], size);
		if (sections[i].sh_link < ehdr->e_shnum)
			add_range(ranges, count, &sections[sections[i].sh_link], size);
	}
	free(sections);
	return 0;
}

static int read_ehdr(zip_t *zip, uint64_t index, Elf64_Ehdr *ehdr)
{
	zip_file_t *member = zip_fopen_index(zip, index, 0);
	zip_int64_t got = member ? zip_fread(member, ehdr, sizeof(*ehdr)) : -1;

	if (member)
		zip_fclose(member);
	return got == (zip_int64_t)sizeof(*ehdr) && !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
	       ehdr->e_ident[EI_CLASS] == ELFCLASS64 && ehdr->e_shentsize == sizeof(Elf64_Shdr);
}

int gw_unzip_library(void *zip, uint64_t index, const char *path, struct abi_error *error)
{
	struct range ranges[MAX_RANGES];
	uint64_t size, last = 0, kept = 0;
	size_t count = 0;
	zip_stat_t status;
	Elf64_Ehdr ehdr;
	int fd, rc;

	if (zip_stat_index(zip, index, 0, &status) || !(status.valid & ZIP_STAT_SIZE))
		return broken(NULL, path, error);
	size = status.size;
	if (!read_ehdr(zip, index, &ehdr))
		return gw_abi_fail(error, -ENOEXEC,
				   "%.300s: no 64-bit ELF file, or the wheel is damaged", path);
	if (ehdr.e_shoff > size || ehdr.e_shnum * sizeof(Elf64_Shdr) > size - ehdr.e_shoff)
		return gw_abi_fail(error, -ENOEXEC, "%.300s: broken ELF file: section headers",
				   path);
	fd = memfd_create("gangway", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size)) {
		rc = gw_abi_fail(error, -errno, "%.300s: no memory file: %s", path,
				 strerror(errno));
		goto fail;
	}
	ranges[0] = (struct range){0, sizeof(ehdr)};
	ranges[1] = (struct range){ehdr.e_shoff, ehdr.e_shoff + ehdr.e_shnum * sizeof(Elf64_Shdr)};
	rc = inflate_ranges(zip, index, path, fd, UINT64_MAX, ranges, 2, error);
	if (rc)
		goto fail;
	rc = find_ranges(fd, &ehdr, size, ranges, &count);
	for (size_t i = 0; !rc && i < count; i++) {
		last = ranges[i].end > last ? ranges[i].end : last;
		kept += ranges[i].end - ranges[i].begin;
	}
	if (rc || kept > MAX_KEPT) {
		rc = gw_abi_fail(error, -ENOEXEC, "%.300s: broken ELF file: section headers", path);
		goto fail;
	}
	rc = inflate_ranges(zip, index, path, fd, last, ranges, count, error);
	if (!rc)
		return fd;
fail:
	if (fd >= 0)
		close(fd);
	return rc;
}
