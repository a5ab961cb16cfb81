/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of fakegen share: one release of one or more families, as the database has it. */
#ifndef FAKE_FAKEGEN_H
#define FAKE_FAKEGEN_H

#include <stdbool.h>
#include <stdio.h>
#include "abi/db.h"

#define GEN_MAX_FAMILIES 4

struct gen_family {
	const struct abi_family *family;
	size_t release;
	const char *status_enum;	/* "cublasStatus_t" */
	const char *refusal;		/* the constant that answers what is not implemented */
	const char *word;		/* names the status-name function: "cublas" */
};

struct gen {
	struct gen_family families[GEN_MAX_FAMILIES];
	size_t family_count;
	const char *version;
	const char *directory;
};

/* Opens DIRECTORY/NAME for writing; exits with one message where it cannot. */
FILE *gen_open(const struct gen *gen, const char *name);
void gen_close(FILE *out, const char *name);
_Noreturn void gen_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline bool gen_has(const struct gen_family *family, const struct abi_fact *fact)
{
	return abi_set_has(&fact->releases, family->release);
}

/* The facts of one kind. */
#define GEN_EACH(fact, gen_family, kind) \
	for (const struct abi_fact *fact = (gen_family)->family->facts + (gen_family)->family->first[kind]; \
	     fact < (gen_family)->family->facts + (gen_family)->family->first[(kind) + 1]; fact++) \
		if (gen_has(gen_family, fact))

/* The declaration of a function NAME with parameters a0, a1, …. */
void gen_declaration(FILE *out, const char *prefix, const struct abi_fact *function);
/* "a0, a1" */
void gen_arguments(FILE *out, const struct abi_fact *function);

/* fake_api.h: types, constants and prototypes. */
void gen_header(const struct gen *gen);
/* One library file for each soname: its C file, assembly, version script; and libraries.txt. */
void gen_libraries(const struct gen *gen);

#endif
