/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the database text (abi/README.md documents it) into memory. Knows nothing of ELF, headers or code generation.
 *
 * Ownership: abi_db_load fills caller memory, every string lives until abi_db_finish. Threads: one at a time per database.
 * Errors: 0 or -errno; the message with file:line:column is in struct abi_error.
 */
#ifndef GW_ABI_DB_H
#define GW_ABI_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_MAX_RELEASES 512	/* of one family; loading more is an error, not an overflow */
#define ABI_MAX_COLUMNS 6	/* of one fact, without RELEASES and SOURCE */

enum abi_kind {
	ABI_SONAME, ABI_NODE, ABI_NEEDED, ABI_EXPORT, ABI_OTHERS, ABI_FUNCTION, ABI_ENUM,
	ABI_STRUCT, ABI_FIELD, ABI_TYPEDEF, ABI_MACRO, ABI_KIND_COUNT
};

/* What one kind of line looks like. */
struct abi_kind_shape {
	const char *name;	/* the line's first word */
	unsigned columns;	/* without RELEASES and SOURCE */
	unsigned numbers;	/* bit i: column i is a decimal number */
};

extern const struct abi_kind_shape abi_kinds[ABI_KIND_COUNT];

/* A set of releases of one family, by index into abi_family.releases (oldest first). */
struct abi_set {
	uint64_t bits[ABI_MAX_RELEASES / 64];
};

struct abi_release {
	const char *version;
	unsigned part[4];	/* missing parts are 0 */
	const char *wheels;	/* comma-joined file names */
};

struct abi_fact {
	enum abi_kind kind;
	const char *column[ABI_MAX_COLUMNS];	/* in the order of the table in README.md; "-" stays "-" */
	struct abi_set releases;
	const char *source;
	unsigned line;		/* in the family's file */
};

struct abi_family {
	const char *name;
	const char *path;
	struct abi_release *releases;
	size_t release_count;
	struct abi_fact *facts;	/* in file order: grouped by kind, sorted */
	size_t fact_count;
	size_t first[ABI_KIND_COUNT + 1];	/* facts of kind k are [first[k], first[k + 1]) */
};

struct abi_db {
	struct abi_family *families;	/* sorted by name */
	size_t family_count;
	void *storage;		/* private to db.c */
};

struct abi_error {
	char text[512];		/* "file:line:column: what is wrong"; empty when there is none */
};

/* Reads every *.abi file of DIRECTORY. -ENOENT when there is none. */
int abi_db_load(struct abi_db *db, const char *directory, struct abi_error *error)
	__attribute__((warn_unused_result, nonnull));
/* Reads one file. PATH is for messages, too. */
int abi_db_load_file(struct abi_db *db, const char *path, struct abi_error *error)
	__attribute__((warn_unused_result, nonnull));
void abi_db_finish(struct abi_db *db);

/*
 * Adds one family's text to a database (one that is all zero bytes, or loaded). PATH is for messages. The text is copied.
 * After an error the database holds what it held before.
 */
int abi_db_parse(struct abi_db *db, const char *path, const char *text, size_t length, struct abi_error *error)
	__attribute__((warn_unused_result, nonnull));

const struct abi_family *abi_db_family(const struct abi_db *db, const char *name) __attribute__((nonnull));

/* Index of a release given in full, or in short ("12.1": its newest known build); -ENOENT when unknown. */
int abi_family_release(const struct abi_family *family, const char *version) __attribute__((nonnull));

/* "12.1.3.1" -> its numbers, missing ones 0; false when it is anything but one to four numbers with dots. */
bool abi_version_parse(const char *text, size_t length, unsigned part[4]) __attribute__((nonnull));
int abi_version_compare(const unsigned a[4], const unsigned b[4]) __attribute__((nonnull));

/* The order of facts in the file: by kind, then by columns. 0: the same fact. */
int abi_fact_compare(const struct abi_fact *a, const struct abi_fact *b) __attribute__((nonnull));

static inline bool abi_set_has(const struct abi_set *set, size_t release)
{
	return set->bits[release / 64] >> (release % 64) & 1;
}

static inline void abi_set_add(struct abi_set *set, size_t release)
{
	set->bits[release / 64] |= UINT64_C(1) << (release % 64);
}

/* One parameter of a function's PARAMETERS column: points into the column, nothing is copied. */
struct abi_parameter {
	const char *name, *type;
	size_t name_length, type_length;
};

/* Walks PARAMETERS: start with *cursor = column, returns false at the end. */
bool abi_parameter_next(const char **cursor, struct abi_parameter *parameter) __attribute__((nonnull));

#endif
