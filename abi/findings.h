/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads abi/findings (README.md documents it): what each diagnosis of gangway means, and how to end it. The same text serves abigen,
 * which makes the shim's tables of it, and `gangway explain`, which reads the installed copy.
 *
 * Ownership: abi_findings_load fills caller memory, every string lives until abi_findings_finish. Errors: as in db.h.
 */
#ifndef GW_ABI_FINDINGS_H
#define GW_ABI_FINDINGS_H

#include "db.h"

enum abi_severity { ABI_NOTE, ABI_WARNING, ABI_ERROR, ABI_SEVERITY_COUNT };
extern const char *const abi_severities[ABI_SEVERITY_COUNT];

struct abi_finding {
	const char *code;	/* "GW-303" */
	enum abi_severity severity;
	const char *name;	/* "ABSENT"; NULL of a retired one */
	const char *retired;	/* what it was told of, and why no more; NULL of one that is told */
	const char *cause, *remedy;	/* one line each, without an end */
	/* Lines, each ended by LF; an empty line of text ends a paragraph. Each example is one message, as a user sees it. */
	const char *text, *examples, *cures;
	unsigned line;		/* where its block begins */
};

struct abi_findings {
	struct abi_finding *finding;	/* by code */
	size_t count;
	char *storage;		/* private to findings.c */
};

int abi_findings_load(struct abi_findings *findings, const char *path, struct abi_error *error)
	__attribute__((warn_unused_result, nonnull));
/* The same from memory. PATH is for messages. The text is copied. */
int abi_findings_parse(struct abi_findings *findings, const char *path, const char *text, size_t length, struct abi_error *error)
	__attribute__((warn_unused_result, nonnull));
void abi_findings_finish(struct abi_findings *findings) __attribute__((nonnull));

/* By CODE in full, "GW-303"; NULL where there is none. */
const struct abi_finding *abi_findings_find(const struct abi_findings *findings, const char *code) __attribute__((nonnull));

#endif
