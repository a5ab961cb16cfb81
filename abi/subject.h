/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fact is about, whatever release says it, and what it says of that: how `gangway abi diff` and abigen tell the same thing
 * that changed from two things. Knows no release and no treatment.
 */
#ifndef GW_ABI_SUBJECT_H
#define GW_ABI_SUBJECT_H

#include "db.h"

/*
 * The name of what FACT is about, to be freed; NULL when out of memory. ENUM.CONSTANT, STRUCT.FIELD, LIBRARY:SYMBOL, LIBRARY:NEEDED, LIBRARY
 * (of a node or of other exports), else the first column. A LIBRARY is a soname up to `.so`: its number moves with each major release,
 * and all that it exports would differ.
 */
char *abi_subject(const struct abi_fact *fact) __attribute__((warn_unused_result, nonnull));

/* Two facts about one thing say the same of it. */
bool abi_subject_same(const struct abi_fact *a, const struct abi_fact *b) __attribute__((nonnull));

/* How many columns name the thing; the others are what is said of it. */
unsigned abi_subject_columns(enum abi_kind kind);

/* Does a fact of KIND stand for a library, by its soname? */
bool abi_subject_in_library(enum abi_kind kind);

/* The length of a soname up to `.so`. */
size_t abi_subject_stem(const char *soname) __attribute__((nonnull));

#endif
