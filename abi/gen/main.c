/* SPDX-License-Identifier: Apache-2.0 */
/* abigen's command line, its order of work, and the dependency file for the build. */
#include "gen.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"

static struct gen
	gen; /* static, so that a leak checker finds what it holds when an error ends the program */

static const char usage[] =
	"usage: abigen --facts DIR --treatment FILE --changes FILE --out DIR [--measured FILE] [--findings FILE] [--trace FILE] [--version TEXT] [--depfile FILE]\n"
	"Writes the C, assembly, version scripts and documentation that ARCHITECTURE.md lists into "
	"DIR.\n";

/* Differs whenever anything that the output depends on differs, so that parts of two builds notice
 * each other. */
static void make_build_id(const char *version, const char *measured)
{
	uint64_t hash = gen_hash(UINT64_C(0xcbf29ce484222325), version, strlen(version) + 1);

	for (size_t i = 0; i < gen.db.family_count; i++)
		hash = gen_hash_file(hash, gen.db.families[i].path);
	hash = gen_hash_file(hash, gen.treatment.path);
	if (measured)
		hash = gen_hash_file(hash, measured);
	if (gen.trace_path)
		hash = gen_hash_file(hash, gen.trace_path);
	snprintf(gen.build_id, sizeof(gen.build_id), "%.40s-%016llx", version,
		 (unsigned long long)hash);
}

static void write_depfile(const char *path, const char *measured, const char *findings)
{
	FILE *file = fopen(path, "w");

	if (!file)
		gen_fail(path, 0, 0, "cannot be written");
	fprintf(file, "%s/gw_fn.h: %s %s", gen.out, gen.treatment.path, gen.changes_file.path);
	for (size_t i = 0; i < gen.db.family_count; i++)
		fprintf(file, " %s", gen.db.families[i].path);
	fprintf(file, "%s%s", gen.trace_path ? " " : "", gen.trace_path ? gen.trace_path : "");
	fprintf(file, "%s%s%s%s\n", measured ? " " : "", measured ? measured : "", findings ? " " : "", findings ? findings : "");
	gen_close(file, path);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"facts", required_argument, NULL, 'f'},
		{"treatment", required_argument, NULL, 't'},
		{"changes", required_argument, NULL, 'c'},
		{"out", required_argument, NULL, 'o'},
		{"measured", required_argument, NULL, 'm'},
		{"findings", required_argument, NULL, 'n'},
		{"trace", required_argument, NULL, 'r'},
		{"version", required_argument, NULL, 'v'},
		{"depfile", required_argument, NULL, 'd'},
		{NULL, 0, NULL, 0},
	};
	const char *facts = NULL, *treatment = NULL, *changes = NULL, *version = "0", *depfile = NULL, *measured_path = NULL, *findings = NULL, *trace = NULL;
	struct measured measured;
	struct abi_error error = {{0}};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'f':
			facts = optarg;
			break;
		case 't':
			treatment = optarg;
			break;
		case 'c':
			changes = optarg;
			break;
		case 'o':
			gen.out = optarg;
			break;
		case 'm':
			measured_path = optarg;
			break;
		case 'n':
			findings = optarg;
			break;
		case 'r':
			trace = optarg;
			break;
		case 'v':
			version = optarg;
			break;
		case 'd':
			depfile = optarg;
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!facts || !treatment || !changes || !gen.out || optind < argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (abi_db_load(&gen.db, facts, &error)) {
		fprintf(stderr, "%s\n", *error.text ? error.text : facts);
		return 1;
	}
	treatment_load(&gen.treatment, treatment);
	treatment_load_changes(&gen.changes_file, changes);
	if (findings && abi_findings_load(&gen.findings, findings, &error)) {
		fprintf(stderr, "%s\n", *error.text ? error.text : findings);
		return 1;
	}
	if (trace)
		trace_load_enums(&gen, trace);
	model_build(&gen);
	if (trace)
		trace_load(&gen, trace);
	carry_build(&gen);
	status_build(&gen);
	facade_build(&gen);
	spans_build(&gen);
	differ_build(&gen);
	change_build(&gen);
	measured_load(&measured, &gen, measured_path);
	make_build_id(version, measured_path);
	emit_measured(&gen, &measured); /* adds strings: before the table; and what it refuses leaves nothing */
	emit_heads(&gen);
	emit_lt(&gen);
	emit_types(&gen);
	emit_table(&gen);
	emit_wrappers(&gen);
	emit_narrow(&gen);
	emit_values(&gen);
	emit_thunks(&gen);
	emit_interposer(&gen);
	emit_facades(&gen);
	emit_docs(&gen);
	emit_changes(&gen);
	if (findings)
		emit_findings(&gen);
	if (depfile)
		write_depfile(depfile, measured_path, findings);
	abi_findings_finish(&gen.findings);
	abi_db_finish(&gen.db);
	gen_release_memory();
	return 0;
}
