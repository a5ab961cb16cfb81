/* SPDX-License-Identifier: Apache-2.0 */
/* Writes gw_lt.h: the constants and sizes that the shim's treatment of cublasLt algorithms needs, and which release knows which
 * algorithm attribute and which id of a tile, stage or shape. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#define FAMILY "cublasLt"

/* Enums whose constants are defined by name, those aside whose value moved. */
static const char *const named[] = {
	"cublasLt3mMode_t",	     "cublasLtEpilogue_t",	   "cublasLtMatmulAlgoCapAttributes_t", "cublasLtMatmulAlgoConfigAttributes_t",
	"cublasLtMatmulPreferenceAttributes_t", "cublasLtPointerModeMask_t", "cublasStatus_t",
};

static const char *const records[] = {
	"cublasLtMatmulAlgo_t", "cublasLtMatmulDescOpaque_t", "cublasLtMatmulHeuristicResult_t", "cublasLtMatrixLayoutOpaque_t",
};

/* As enum gw_lt_kind of shim/lt_ids.h. END counts the others; it is no id. */
static const struct {
	const char *name, *type;
} kinds[] = {
	{"TILE", "cublasLtMatmulTile_t"},
	{"STAGES", "cublasLtMatmulStages_t"},
	{"INNER_SHAPE", "cublasLtMatmulInnerShape_t"},
	{"CLUSTER_SHAPE", "cublasLtClusterShape_t"},
	{"CAPABILITY", "cublasLtMatmulAlgoCapAttributes_t"},
	{"CONFIG", "cublasLtMatmulAlgoConfigAttributes_t"},
};

static bool is_end(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, "_END");
}

static void write_enum(FILE *file, const struct gen *gen, const char *name)
{
	const struct abi_family *owner = facts_owner(gen, abi_db_family(&gen->db, FAMILY), ABI_ENUM, name);
	struct gen_range range = owner ? facts_named(owner, ABI_ENUM, name) : (struct gen_range){NULL, 0};

	for (size_t i = 0; i < range.count; i++) {
		const char *constant = range.first[i].column[1];
		bool moved = (i && !strcmp(range.first[i - 1].column[1], constant)) ||
			     (i + 1 < range.count && !strcmp(range.first[i + 1].column[1], constant));

		if (!moved)
			fprintf(file, "#define GW_%s %s\n", constant, range.first[i].column[2]);
	}
}

static void write_flags(FILE *file, const struct abi_family *family)
{
	static const char prefix[] = "CUBLASLT_NUMERICAL_IMPL_FLAGS_";
	struct gen_range range = facts_of(family, ABI_MACRO);

	for (size_t i = 0; i < range.count; i++) {
		if (!strncmp(range.first[i].column[0], prefix, sizeof(prefix) - 1))
			fprintf(file, "#define GW_%s UINT64_C(%s)\n", range.first[i].column[0], range.first[i].column[1]);
	}
}

/* The smallest size that a struct ever had, which may be read of any; its own size and its fields, where they never changed. */
static void write_record(FILE *file, const struct abi_family *family, const char *record)
{
	struct gen_range range = facts_named(family, ABI_STRUCT, record);
	struct gen_range fields = facts_named(family, ABI_FIELD, record);
	unsigned long least = 0;

	for (size_t i = 0; i < range.count; i++) {
		unsigned long size = strtoul(range.first[i].column[1], NULL, 10);

		least = !least || size < least ? size : least;
	}
	fprintf(file, "#define GW_LEAST_%s %lu\n", record, least);
	if (range.count != 1)
		return;
	fprintf(file, "#define GW_SIZE_%s %lu\n", record, least);
	for (size_t i = 0; i < fields.count; i++)
		fprintf(file, "#define GW_OFFSET_%s_%s %s\n", record, fields.first[i].column[1], fields.first[i].column[2]);
}

struct span {
	int first, last;
};

/* Neighbouring releases alone: a value that came again later would need more than two numbers. */
static void widen(struct span *span, const struct abi_family *family, const struct abi_fact *fact)
{
	for (int i = 0; i < (int)family->release_count; i++) {
		if (!abi_set_has(&fact->releases, (size_t)i))
			continue;
		if (span->last < 0)
			span->first = i;
		else if (i != span->last + 1)
			gen_fail(family->path, fact->line, facts_column(fact, 2), "%s has releases between those that know it that do not",
				 fact->column[1]);
		span->last = i;
	}
}

static size_t write_spans(FILE *file, const struct abi_family *family, const char *type)
{
	struct gen_range range = facts_named(family, ABI_ENUM, type);
	long most = -1;
	struct span *spans;

	for (size_t i = 0; i < range.count; i++) {
		long value = strtol(range.first[i].column[2], NULL, 10);

		if (!is_end(range.first[i].column[1]) && value > most)
			most = value;
		if (value < 0 || value > 0xffff)
			gen_fail(family->path, range.first[i].line, facts_column(&range.first[i], 2), "ids are 0 to 65535");
	}
	spans = gen_alloc((size_t)(most + 2) * sizeof(*spans));
	for (long i = 0; i <= most; i++)
		spans[i].last = -1;
	for (size_t i = 0; i < range.count; i++) {
		if (!is_end(range.first[i].column[1]))
			widen(&spans[strtol(range.first[i].column[2], NULL, 10)], family, &range.first[i]);
	}
	fprintf(file, "\t/* %s */\n", type);
	for (long i = 0; i <= most; i++)
		fprintf(file, "%s{%d, %d},%s", i % 8 ? " " : "\t", spans[i].last < 0 ? 0xffff : spans[i].first,
			spans[i].last < 0 ? 0 : spans[i].last, i % 8 == 7 || i == most ? "\n" : "");
	return (size_t)(most + 1);
}

static void write_tables(FILE *file, const struct abi_family *family)
{
	size_t count[sizeof(kinds) / sizeof(*kinds)], start = 0;

	fputs("\n#ifdef GW_LT_TABLES\n/* First and last release that has the value, as indices into the family's releases, by value. */\n"
	      "static const struct gw_lt_span gw_lt_spans[] = {\n",
	      file);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		count[i] = write_spans(file, family, kinds[i].type);
	fputs("\t{65535, 0}\n};\n\nstatic const struct gw_lt_range gw_lt_ranges[] = {\n", file);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		fprintf(file, "\t[GW_LT_%s] = {%zu, %zu},\n", kinds[i].name, start, count[i]);
		start += count[i];
	}
	fputs("};\n#endif\n", file);
}

void emit_lt(const struct gen *gen)
{
	const struct abi_family *family = abi_db_family(&gen->db, FAMILY);
	FILE *file = gen_open(gen, "gw_lt.h");

	fputs("/* Generated by abigen. Names and sizes of what cublasLt's algorithms are about; lt_ids.c alone wants the tables. */\n"
	      "#ifndef GW_LT_H\n#define GW_LT_H\n\n#include <stdint.h>\n\n",
	      file);
	if (family) {
		for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
			write_enum(file, gen, named[i]);
		write_flags(file, family);
		for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
			write_record(file, family, records[i]);
		write_tables(file, family);
	}
	fputs("\n#endif\n", file);
	gen_close(file, "gw_lt.h");
}
