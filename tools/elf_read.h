/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of an ELF file what the dynamic loader reads of it: through the program headers, as the
 * loader does, not through sections. Every offset is checked against the file before use; the file
 * stays mapped until gw_elf_finish, and nearly nothing is copied. elf_version.c has the tables of
 * versions, elf_symbol.c the symbols and the references to them.
 */
#ifndef GW_TOOLS_ELF_READ_H
#define GW_TOOLS_ELF_READ_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gw_elf_import {
	const char *name;
	const char *file; /* the soname whose version it needs; NULL where it needs none */
	const char *node; /* that version */
	bool weak;
};

/* A version that the object needs (file set) or defines, as the loader files it by its index. */
struct gw_elf_version {
	const char *node; /* NULL: nothing has this index */
	const char *file; /* who must define it; NULL where the object itself does */
	uint32_t hash;
	uint16_t index;
	bool hidden;
	bool weak; /* needed, and may be absent */
	bool base; /* defined: the object's own name, under which no symbol is versioned */
};

/* A table in the mapped file. Entries may lie unaligned: they are copied out. */
struct gw_elf_table {
	const unsigned char *bytes;
	uint64_t count;
};

/* All strings live until gw_elf_finish. */
struct gw_elf {
	char *path;
	dev_t device; /* with INODE, how the loader tells whether it has mapped the file */
	ino_t inode;
	unsigned type;                                      /* ET_EXEC or ET_DYN */
	const char *soname, *rpath, *runpath, *interpreter; /* NULL where absent */
	bool is_dynamic;                                    /* has a dynamic section */
	bool no_default;                                    /* DF_1_NODEFLIB */
	bool no_open;                                       /* DF_1_NOOPEN */
	bool is_pie;                                        /* DF_1_PIE */
	bool bind_now; /* DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW */
	bool symbolic; /* DT_SYMBOLIC or DF_SYMBOLIC */
	const char **needed;
	size_t needed_count;
	struct gw_elf_import *imports; /* undefined symbols, once gw_elf_list_imports was called */
	size_t import_count;
	struct gw_elf_version *needs; /* in the file's order */
	size_t need_count;
	struct gw_elf_version *defines;
	size_t define_count;
	struct gw_elf_version *versions; /* both, by index, as the loader files them */
	size_t version_count; /* 0: the loader takes the object for one without versions */
	struct gw_elf_table symbols,
		indices; /* the dynamic symbols, and the version index of each */
	struct gw_elf_table relocations, plt;
	struct gw_elf_table buckets, chain; /* of the newer hash table, else of the older */
	struct gw_elf_table bloom;
	uint32_t first_hashed, bloom_shift; /* of the newer */
	bool newer_hash;
	void *storage; /* private to elf_read.c */
};

/*
 * 0, or -errno with "FILE: what is wrong" (FILE:0xOFFSET where there is one) in ERROR: -ENOEXEC for
 * a file that is no whole x86-64 ELF object. PATH is what it is called in messages and
 * gw_elf.path, HOST the file that is opened (another one only below a --root).
 */
int gw_elf_read(struct gw_elf *elf, const char *path, const char *host, char *error,
		size_t error_size) __attribute__((warn_unused_result, nonnull));
void gw_elf_finish(struct gw_elf *elf) __attribute__((nonnull));

/* Fills imports, once. 0 or -ENOMEM. */
int gw_elf_list_imports(struct gw_elf *elf) __attribute__((warn_unused_result, nonnull));

/* The whole file, SIZE bytes of it, as long as ELF is. */
const unsigned char *gw_elf_bytes(const struct gw_elf *elf, uint64_t *size) __attribute__((nonnull));

/* A string of the dynamic string table; NULL where it is not wholly inside. */
const char *gw_elf_text(const struct gw_elf *elf, uint64_t index) __attribute__((nonnull));

/* What elf_read.c's parts share. */
struct gw_elf_reader {
	struct gw_elf *out;
	const unsigned char *bytes;
	uint64_t size; /* of the file */
	Elf64_Phdr *segments;
	size_t segment_count;
	const char *strings; /* the string table, cut behind its last 0 */
	uint64_t strings_size;
	/* values of the dynamic section; 0 where absent */
	uint64_t strings_at, strings_length, symbols_at, hash_at, gnu_hash_at, indices_at, needs_at,
		needs_count, defines_at, defines_count, rela_at, rela_size, plt_at, plt_size;
	char *error;
	size_t error_size;
};

#define GW_ELF_NOWHERE UINT64_MAX /* an error that no place in the file is to blame for */

/* Writes the error; -ENOEXEC. */
int gw_elf_fail(struct gw_elf_reader *reader, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4), nonnull));
/* The bytes that the loader would map at ADDRESS; NULL where the file has fewer than SIZE there. */
const unsigned char *gw_elf_at(const struct gw_elf_reader *reader, uint64_t address, uint64_t size)
	__attribute__((nonnull));
/* How many bytes of the file follow an address; 0 where it is not of the file. */
uint64_t gw_elf_room(const struct gw_elf_reader *reader, uint64_t address) __attribute__((nonnull));
/* The place in the file that an address stands for, for an error. */
uint64_t gw_elf_place(const struct gw_elf_reader *reader, uint64_t address)
	__attribute__((nonnull));
/* A string of the dynamic string table; NULL where it is not wholly inside. */
const char *gw_elf_string(const struct gw_elf_reader *reader, uint64_t index)
	__attribute__((nonnull));
/* elf_version.c, elf_symbol.c */
int gw_elf_read_versions(struct gw_elf_reader *reader) __attribute__((nonnull));
int gw_elf_read_symbols(struct gw_elf_reader *reader) __attribute__((nonnull));

#endif
