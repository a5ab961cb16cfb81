/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fakegen DATABASE DIRECTORY RELEASE FAMILY…: writes the sources of the fake libraries of one release into DIRECTORY.
 * This file: arguments and what the other parts share. Runs at build time; all that it knows comes from the database.
 */
#include "fakegen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Which status a family answers with; the numbers are the database's. */
static const struct {
	const char *family, *status_enum, *refusal, *word;
} statuses[] = {
	{ "cublas", "cublasStatus_t", "CUBLAS_STATUS_NOT_SUPPORTED", "cublas" },
	{ "cublasLt", "cublasStatus_t", "CUBLAS_STATUS_NOT_SUPPORTED", "cublas" },
	{ "cudnn", "cudnnStatus_t", "CUDNN_STATUS_NOT_SUPPORTED", "cudnn" },
	{ "cusparse", "cusparseStatus_t", "CUSPARSE_STATUS_NOT_SUPPORTED", "cusparse" },
};

void gen_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("fakegen: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	exit(3);
}

FILE *gen_open(const struct gen *gen, const char *name)
{
	char path[4096];
	FILE *out;

	if (snprintf(path, sizeof path, "%s/%s", gen->directory, name) >= (int)sizeof path)
		gen_fail("%s/%s: path too long", gen->directory, name);
	out = fopen(path, "w");
	if (!out)
		gen_fail("%s: %s", path, strerror(errno));
	return out;
}

void gen_close(FILE *out, const char *name)
{
	if (ferror(out) | fclose(out))
		gen_fail("%s: cannot write", name);
}

static void add_family(struct gen *gen, const struct abi_db *db, const char *name)
{
	struct gen_family *family = &gen->families[gen->family_count];
	int release;

	if (gen->family_count == GEN_MAX_FAMILIES)
		gen_fail("more than %d families", GEN_MAX_FAMILIES);
	family->family = abi_db_family(db, name);
	if (!family->family)
		gen_fail("the database has no family '%s'", name);
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (!strcmp(statuses[i].family, name)) {
			family->status_enum = statuses[i].status_enum;
			family->refusal = statuses[i].refusal;
			family->word = statuses[i].word;
		}
	if (!family->status_enum)
		gen_fail("no fakes for family '%s': its status is unknown (statuses[] in fakegen.c)", name);
	release = abi_family_release(family->family, gen->version);
	if (release < 0)
		gen_fail("the database has no release %s of %s (gangway abi list)", gen->version, name);
	family->release = (size_t)release;
	gen->family_count++;
}

int main(int argc, char **argv)
{
	struct gen gen = { .family_count = 0 };
	struct abi_error error = { "" };
	struct abi_db db;

	if (argc < 5) {
		fputs("usage: fakegen DATABASE DIRECTORY RELEASE FAMILY...\n", stderr);
		return 2;
	}
	if (abi_db_load(&db, argv[1], &error))
		gen_fail("%s", *error.text ? error.text : "cannot read the database");
	gen.directory = argv[2];
	gen.version = argv[3];
	for (int i = 4; i < argc; i++)
		add_family(&gen, &db, argv[i]);
	gen.version = gen.families[0].family->releases[gen.families[0].release].version;
	gen_header(&gen);
	gen_libraries(&gen);
	abi_db_finish(&db);
	return 0;
}
