/* SPDX-License-Identifier: Apache-2.0 */
/* See subject.h. */
#include "subject.h"

#include <stdio.h>
#include <string.h>

static const struct {
	unsigned columns;
	bool library;
	char separator;
} shapes[ABI_KIND_COUNT] = {
	[ABI_SONAME] = {1, false, 0},
	[ABI_NODE] = {1, true, 0},
	[ABI_NEEDED] = {2, true, ':'},
	[ABI_EXPORT] = {2, true, ':'},
	[ABI_OTHERS] = {1, true, 0},
	[ABI_FUNCTION] = {1, false, 0},
	[ABI_ENUM] = {2, false, '.'},
	[ABI_STRUCT] = {1, false, 0},
	[ABI_FIELD] = {2, false, '.'},
	[ABI_TYPEDEF] = {1, false, 0},
	[ABI_MACRO] = {1, false, 0},
};

unsigned abi_subject_columns(enum abi_kind kind)
{
	return shapes[kind].columns;
}

bool abi_subject_in_library(enum abi_kind kind)
{
	return shapes[kind].library;
}

size_t abi_subject_stem(const char *soname)
{
	const char *so = strstr(soname, ".so");

	return so ? (size_t)(so - soname) : strlen(soname);
}

char *abi_subject(const struct abi_fact *fact)
{
	const char *first = fact->column[0], *second = "";
	size_t length = shapes[fact->kind].library ? abi_subject_stem(first) : strlen(first), rest = 0;
	char separator[2] = {shapes[fact->kind].separator, '\0'}, *name = NULL;

	if (separator[0]) {
		second = fact->column[1];
		/* a needed library's number moves as well: the major ones of one suite are no news */
		rest = fact->kind == ABI_NEEDED ? abi_subject_stem(second) : strlen(second);
	}
	if (asprintf(&name, "%.*s%s%.*s", (int)length, first, separator, (int)rest, second) < 0)
		return NULL;
	return name;
}

bool abi_subject_same(const struct abi_fact *a, const struct abi_fact *b)
{
	if (a->kind == ABI_NODE)
		return abi_subject_stem(a->column[1]) == abi_subject_stem(b->column[1]) &&
		       !strncmp(a->column[1], b->column[1], abi_subject_stem(a->column[1]));
	for (unsigned i = shapes[a->kind].columns; i < abi_kinds[a->kind].columns; i++)
		if (strcmp(a->column[i], b->column[i]))
			return false;
	return true;
}
