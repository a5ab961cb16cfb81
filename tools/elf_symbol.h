/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic symbols of one ELF file: finding a definition as the loader does, and listing what
 * its relocations refer to. */
#ifndef GW_TOOLS_ELF_SYMBOL_H
#define GW_TOOLS_ELF_SYMBOL_H

#include "elf_read.h"

/* A name to look for, as often as wanted: its hashes are worked out once. */
struct gw_elf_query {
	const char *name;
	const struct gw_elf_version *version; /* NULL: none is wanted */
	bool plt; /* for a call: an undefined symbol with an address is no answer */
	uint32_t hash, old_hash;
	size_t length; /* of the name */
	/* How many entries of tables may still be looked at, as a hostile file makes lookups as long as it likes; nothing is found any more
	 * once it is 0. NULL: no limit. */
	unsigned long *steps;
};

void gw_elf_query_init(struct gw_elf_query *query, const char *name,
		       const struct gw_elf_version *version) __attribute__((nonnull(1, 2)));

enum gw_elf_match {
	GW_ELF_ABSENT,
	GW_ELF_FOUND,
	GW_ELF_UNVERSIONED, /* found, without versions, where QUERY wants one: the loader gives up
			       when this file is the one that was to define the version */
};

/* INDEX gets the symbol's index where it was found. */
enum gw_elf_match gw_elf_find(const struct gw_elf *elf, const struct gw_elf_query *query,
			      uint32_t *index) __attribute__((nonnull));

/* The address of a symbol, as far from where the file's first byte is mapped. */
uint64_t gw_elf_value(const struct gw_elf *elf, uint32_t index) __attribute__((nonnull));

/* One symbol that relocations refer to. */
struct gw_elf_reference {
	uint32_t index;
	const char *name;
	const struct gw_elf_version *version; /* NULL: none */
	bool weak, defined;
	bool unique; /* STB_GNU_UNIQUE: whichever copy was asked for first serves the whole process
		      */
	bool own;    /* bound to this file whatever others define: local, hidden or protected */
	bool data;   /* some reference is resolved at load time, however calls are bound */
	bool call;   /* some reference may be resolved at the first call */
	bool plt, copy; /* how it is looked up */
};

/* Every symbol that a relocation names, in the order of the symbol table. 0 or -ENOMEM; LIST to be
 * freed. */
int gw_elf_references(const struct gw_elf *elf, struct gw_elf_reference **list, size_t *count)
	__attribute__((warn_unused_result, nonnull));

/* Is there a defined symbol whose name begins with PREFIX? */
bool gw_elf_exports_prefix(const struct gw_elf *elf, const char *prefix) __attribute__((nonnull));

#endif
