/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads abi/treatment and abi/changes (abi/README.md documents them) into lines of words with their positions, and
 * checks what can be checked without the facts: known keywords, word counts, known methods,
 * numbers. An error ends the program (gen_fail).
 */
#ifndef GW_TREATMENT_H
#define GW_TREATMENT_H

#include <stdbool.h>
#include <stddef.h>

enum treatment_kind {
	TREATMENT_SUITE,
	TREATMENT_BRIDGE,
	TREATMENT_GENERIC,
	TREATMENT_FACADE,
	TREATMENT_METHOD,
	TREATMENT_FOLD,
	TREATMENT_PRIVATE,
	TREATMENT_CARRIES,
	TREATMENT_NARROW,
	TREATMENT_SPANS,
	TREATMENT_TYPED,
	TREATMENT_UNTIL,
	TREATMENT_CONSTANT,
	TREATMENT_CHANGE, /* in abi/changes, and alone there */
	TREATMENT_KIND_COUNT
};

struct treatment_word {
	const char *text;
	unsigned column; /* 1-based */
};

struct treatment_line {
	enum treatment_kind kind;
	unsigned line;
	size_t count;                 /* words, the keyword included */
	struct treatment_word *words; /* words[0] is the keyword */
};

struct treatment {
	const char *path;
	bool changes; /* a file of `change` lines */
	struct treatment_line *lines;
	size_t count;
};

void treatment_load(struct treatment *treatment, const char *path);
/* The same for a file of `change` lines, which stand in no other. */
void treatment_load_changes(struct treatment *changes, const char *path);

/* The next line of KIND after *cursor (start with 0), or NULL. */
const struct treatment_line *treatment_next(const struct treatment *treatment,
					    enum treatment_kind kind, size_t *cursor);

/* The value of word `NAME=value`, or NULL. */
const char *treatment_option(const struct treatment_line *line, const char *name);

/* An error at WORD of LINE. */
void treatment_fail(const struct treatment *treatment, const struct treatment_line *line,
		    size_t word, const char *format, ...)
	__attribute__((noreturn, format(printf, 4, 5)));

#endif
