/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads abi/measured/cublasLt.abi (abi/README.md documents it): what was measured of cublasLt's
 * semi-opaque blocks. Every check is made here; an error ends the program (gen_fail).
 */
#ifndef GW_MEASURED_H
#define GW_MEASURED_H

#include "gen.h"

#define MEASURED_IDS 64 /* attributes of one kind of block, at most */

struct measured_kind {
	const char *name; /* as in enum gw_lt_block_kind of shim/lt_attribute.h, without GW_LT_ */
	const char *attributes, *block; /* the database's names of the enum and the struct */
};

#define MEASURED_KINDS 4
extern const struct measured_kind measured_kinds[MEASURED_KINDS];

struct measured_attribute {
	unsigned kind, id, size;
	bool given;     /* the default is what Init was given */
	uint64_t value; /* the default, little-endian */
	struct abi_set releases;
};

/* A block of SIZE bytes: where its format is and what that is, and the attributes in it. */
struct measured_block {
	unsigned kind, size;
	int format_at; /* -1: nothing tells blocks of different sizes apart */
	unsigned format;
	uint64_t held, beyond; /* beyond: accepted, though it lies outside */
	struct abi_set releases;
	unsigned line;
};

struct measured {
	const char *path;
	struct measured_attribute *attributes; /* in the file's order: by kind, id, size */
	struct measured_block *blocks;
	size_t attribute_count, block_count;
};

/* PATH NULL: nothing was measured. */
void measured_load(struct measured *measured, const struct gen *gen, const char *path);

void emit_measured(const struct gen *gen, const struct measured *measured); /* gw_lt_attribute.h */

#endif
