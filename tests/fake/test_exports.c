/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exports DATABASE SUITE RELEASE DIRECTORY: every fake library in DIRECTORY exports the functions that the database says the
 * real one exports, under the same version node, and nothing else but the gwfake_* seam. Read from the files, not from what
 * fakegen wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/db.h"

static const char *database, *suite, *release, *directory;

struct set {
	char **item;
	size_t count;
};

static void add(struct set *set, const char *item)
{
	set->item = realloc(set->item, (set->count + 1) * sizeof *set->item);
	assert_non_null(set->item);
	set->item[set->count] = strdup(item);
	assert_non_null(set->item[set->count++]);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void clear(struct set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->item[i]);
	free(set->item);
	*set = (struct set){ NULL, 0 };
}

/* "name@NODE" of each defined function of a library, without the seam and the node's own symbol. */
static void read_library(const char *file, struct set *set)
{
	char command[4096], line[4096], kind[32], where[32], name[2048];
	FILE *pipe;

	assert_true(snprintf(command, sizeof command, "LC_ALL=C readelf --dyn-syms --wide '%s/%s'", directory, file) <
		    (int)sizeof command);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof line, pipe)) {
		char *at;

		if (sscanf(line, "%*s %*s %*s %31s %*s %*s %31s %2047s", kind, where, name) != 3 || strcmp(kind, "FUNC") ||
		    !strcmp(where, "UND") || !strncmp(name, "gwfake_", 7))
			continue;
		at = strstr(name, "@@");
		if (at)
			memmove(at, at + 1, strlen(at));
		add(set, name);
	}
	assert_int_equal(pclose(pipe), 0);
}

static const char *node_of(const struct abi_family *family, size_t at, const char *soname)
{
	for (size_t i = family->first[ABI_NODE]; i < family->first[ABI_NODE + 1]; i++)
		if (abi_set_has(&family->facts[i].releases, at) && !strcmp(family->facts[i].column[0], soname))
			return family->facts[i].column[1];
	return "-";
}

static void read_facts(const struct abi_family *family, size_t at, const char *soname, struct set *set)
{
	const char *node = node_of(family, at, soname);
	char name[2048];

	for (size_t i = family->first[ABI_EXPORT]; i < family->first[ABI_EXPORT + 1]; i++) {
		const struct abi_fact *fact = &family->facts[i];

		if (!abi_set_has(&fact->releases, at) || strcmp(fact->column[0], soname))
			continue;
		if (strchr(fact->column[1], '@') || !strcmp(node, "-"))
			snprintf(name, sizeof name, "%s", fact->column[1]);
		else
			snprintf(name, sizeof name, "%s@%s", fact->column[1], node);
		add(set, name);
	}
}

static void compare_library(const struct abi_family *family, size_t at, const char *soname, const char *file)
{
	struct set have = { NULL, 0 }, want = { NULL, 0 };

	read_library(file, &have);
	read_facts(family, at, soname, &want);
	qsort(have.item, have.count, sizeof *have.item, compare);
	qsort(want.item, want.count, sizeof *want.item, compare);
	for (size_t i = 0, j = 0; i < have.count || j < want.count;) {
		int order = i == have.count ? 1 : j == want.count ? -1 : strcmp(have.item[i], want.item[j]);

		if (order < 0)
			fail_msg("%s exports %s, which the real one does not", file, have.item[i]);
		if (order > 0)
			fail_msg("%s lacks %s", file, want.item[j]);
		i++;
		j++;
	}
	clear(&have);
	clear(&want);
}

static void compare_family(const struct abi_db *db, const char *name)
{
	const struct abi_family *family = abi_db_family(db, name);
	int at;
	unsigned libraries = 0;

	assert_non_null(family);
	at = abi_family_release(family, release);
	assert_true(at >= 0);
	for (size_t i = family->first[ABI_SONAME]; i < family->first[ABI_SONAME + 1]; i++)
		if (abi_set_has(&family->facts[i].releases, (size_t)at)) {
			compare_library(family, (size_t)at, family->facts[i].column[0], family->facts[i].column[1]);
			libraries++;
		}
	assert_true(libraries > 0);
}

static void each_library_exports_what_the_real_one_does_and_nothing_else(void **state)
{
	struct abi_error error = { "" };
	struct abi_db db;

	(void)state;
	if (abi_db_load(&db, database, &error))
		fail_msg("%s", error.text);
	if (!strcmp(suite, "cublas"))
		compare_family(&db, "cublasLt");
	compare_family(&db, suite);
	abi_db_finish(&db);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_library_exports_what_the_real_one_does_and_nothing_else),
	};

	if (argc != 5) {
		fputs("usage: test_exports DATABASE SUITE RELEASE DIRECTORY\n", stderr);
		return 2;
	}
	database = argv[1];
	suite = argv[2];
	release = argv[3];
	directory = argv[4];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
