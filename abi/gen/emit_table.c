/* SPDX-License-Identifier: Apache-2.0 */
/* Writes gw_table.c: the data that shim/table.h describes. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

const char *emit_class(enum gw_class class)
{
	static const char *const names[] = {
		[GW_CLASS_VOID] = "VOID",       [GW_CLASS_INT32] = "INT32",
		[GW_CLASS_UINT32] = "UINT32",   [GW_CLASS_INT64] = "INT64",
		[GW_CLASS_UINT64] = "UINT64",   [GW_CLASS_INT8] = "INT8",
		[GW_CLASS_FLOAT] = "FLOAT",     [GW_CLASS_DOUBLE] = "DOUBLE",
		[GW_CLASS_POINTER] = "POINTER", [GW_CLASS_STRING] = "STRING",
		[GW_CLASS_STRUCT] = "STRUCT",
	};

	return names[class];
}

/* What gw_constant holds: the name in the newest release with this value; of several, the one that
 * most releases know. */
struct constant {
	int32_t value;
	int newest;
	size_t releases;
	const char *name;
};

static int by_worth(const void *a, const void *b)
{
	const struct constant *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->newest != y->newest)
		return x->newest > y->newest ? -1 : 1;
	if (x->releases != y->releases)
		return x->releases > y->releases ? -1 : 1;
	return strcmp(x->name, y->name);
}

static size_t count_releases(const struct abi_family *family, const struct abi_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < family->release_count; i++)
		count += abi_set_has(set, i);
	return count;
}

static void write_constant(FILE *file, int32_t value, const char *name)
{
	fprintf(file, "\t{%d, %u}, /* %s */\n", value, strings_add(name), name);
}

static size_t write_enum(const struct gen *gen, FILE *file, size_t id)
{
	const struct abi_family *owner = facts_owner(gen, NULL, ABI_ENUM, gen->enums[id]);
	struct gen_range range = facts_named(owner, ABI_ENUM, gen->enums[id]);
	struct constant *constants = gen_alloc(range.count * sizeof(*constants));
	size_t count = 0;

	for (size_t i = 0; i < range.count; i++)
		constants[i] = (struct constant){
			.value = (int32_t)strtoll(range.first[i].column[2], NULL, 10),
			.newest = facts_newest(owner, &range.first[i].releases),
			.releases = count_releases(owner, &range.first[i].releases),
			.name = range.first[i].column[1],
		};
	qsort(constants, range.count, sizeof(*constants), by_worth);
	fprintf(file, "\t/* %s */\n", gen->enums[id]);
	for (size_t i = 0; i < range.count; i++) {
		if (i && constants[i - 1].value == constants[i].value)
			continue;
		write_constant(file, constants[i].value, constants[i].name);
		count++;
	}
	return count;
}

static void write_enums(const struct gen *gen, FILE *file)
{
	size_t *counts = gen_alloc(gen->enum_count * sizeof(*counts)), first = 0;

	fputs("\nconst struct gw_constant gw_constants[] = {\n", file);
	for (size_t i = 0; i < gen->enum_count; i++)
		counts[i] = write_enum(gen, file, i);
	fputs("\t{0, 0}\n};\n\nconst struct gw_enum gw_enums[GW_ENUM_COUNT] = {\n", file);
	for (size_t i = 0; i < gen->enum_count; first += counts[i++])
		fprintf(file, "\t{%u, %zu, %zu}, /* %s */\n", strings_add(gen->enums[i]), first,
			counts[i], gen->enums[i]);
	fputs("};\n", file);
}

static void write_parameters(const struct gen *gen, FILE *file)
{
	fputs("\nconst struct gw_parameter gw_parameters[] = {\n", file);
	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_signature *signature = &gen->functions[i].signature;

		if (signature->count)
			fprintf(file, "\t/* %s */\n", gen->functions[i].name);
		for (size_t k = 0; k < signature->count; k++) {
			const struct gen_type *type = &signature->parameters[k].type;

			fprintf(file, "\t{%u, %d, GW_CLASS_%s, %u}, /* %s */\n",
				strings_add(signature->parameters[k].name),
				model_enum(gen, type->enum_name), emit_class(type->class),
				type->size, signature->parameters[k].name);
		}
	}
	fputs("\t{0, 0, 0, 0}\n};\n", file);
}

static void write_functions(const struct gen *gen, FILE *file)
{
	static const char *const methods[] = {"PASS", "TABLE", "VIA", "GONE", "NEW"};
	size_t first = 0;

	fputs("\nconst struct gw_function gw_functions[GW_FN_COUNT] = {\n", file);
	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_function *function = &gen->functions[i];
		const struct gen_type *result = &function->signature.result;

		fprintf(file,
			"\t{ /* %s */\n\t\t.name = %u, .family = GW_FAMILY_%s, .method = "
			"GW_METHOD_%s,\n",
			function->name, strings_add(function->name),
			gen->families[function->family].facts->name, methods[function->method]);
		if (function->signature.count)
			fprintf(file, "\t\t.parameters = %zu, .parameter_count = %zu,\n", first,
				function->signature.count);
		first += function->signature.count;
		fprintf(file,
			"\t\t.result_class = GW_CLASS_%s, .result_enum = %d, .returns_status = "
			"%d, .via_always = %d,\n\t\t.first = %d, .last = %d,\n\t},\n",
			emit_class(result->class), model_enum(gen, result->enum_name),
			function->returns_status, function->via_always,
			facts_oldest(gen->families[function->family].facts, &function->releases),
			facts_newest(gen->families[function->family].facts, &function->releases));
	}
	fputs("};\n", file);
}

static void write_numberings(FILE *file, const struct gen_family *family)
{
	const char *name = family->facts->name;

	for (size_t n = 0; n < family->numbering_count; n++) {
		const struct gen_numbering *numbering = &family->numberings[n];

		fprintf(file, "\nstatic const struct gw_constant %s_statuses_%zu[] = {\n", name, n);
		for (size_t i = 0; i < numbering->count; i++)
			write_constant(file, numbering->constants[i].value,
				       numbering->constants[i].name);
		fprintf(file, "};\n\nstatic const uint16_t %s_neutral_of_%zu[] = {\n", name, n);
		for (size_t i = 0; i < numbering->count; i++)
			fprintf(file, "\t%u,\n", numbering->neutral_of[i]);
		fprintf(file, "};\n\nstatic const int32_t %s_value_of_%zu[] = {\n", name, n);
		for (size_t i = 0; i < family->neutral_count; i++)
			fprintf(file, "\t%d,\n", numbering->value_of[i]);
		fputs("};\n", file);
		if (numbering->fold_count)
			fprintf(file, "\nstatic const struct gw_fold %s_folds_%zu[] = {\n", name, n);
		for (size_t i = 0; i < numbering->fold_count; i++)
			fprintf(file, "\t{%d, %d, %d},\n", numbering->folds[i].first,
				numbering->folds[i].last, numbering->folds[i].value);
		if (numbering->fold_count)
			fputs("};\n", file);
	}
	fprintf(file, "\nstatic const struct gw_numbering %s_numberings[] = {\n", name);
	for (size_t n = 0; n < family->numbering_count; n++) {
		const struct gen_numbering *numbering = &family->numberings[n];

		fprintf(file, "\t{%s_statuses_%zu, %s_neutral_of_%zu, %s_value_of_%zu, %zu, %zu, ",
			name, n, name, n, name, n, numbering->count, numbering->fold_count);
		if (numbering->fold_count)
			fprintf(file, "%s_folds_%zu},\n", name, n);
		else
			fputs("NULL},\n", file);
	}
	fputs("};\n", file);
}

/* What follows ".so." in the release's sonames; all its files agree, and the library of the
 * family's own name speaks for them. */
static const char *soname_major(const struct abi_family *family, size_t release)
{
	struct gen_range range = facts_of(family, ABI_SONAME);
	const char *best = "", *own = gen_format("lib%s.so.", family->name);

	for (size_t i = 0; i < range.count; i++) {
		const char *soname = range.first[i].column[0], *major = strstr(soname, ".so.");

		if (!major || !abi_set_has(&range.first[i].releases, release))
			continue;
		if (!*best || !strncmp(soname, own, strlen(own)))
			best = major + strlen(".so.");
	}
	return best;
}

/* Do two releases have the same enums and structs, to the last value and byte? */
static bool alike(const struct abi_family *family, size_t a, size_t b)
{
	static const enum abi_kind kinds[] = {ABI_ENUM, ABI_STRUCT, ABI_FIELD};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct gen_range range = facts_of(family, kinds[k]);

		for (size_t i = 0; i < range.count; i++) {
			if (abi_set_has(&range.first[i].releases, a) !=
			    abi_set_has(&range.first[i].releases, b))
				return false;
		}
	}
	return true;
}

static size_t oldest_alike(const struct abi_family *family, size_t release)
{
	size_t oldest = 0;

	while (!alike(family, oldest, release))
		oldest++;
	return oldest;
}

static void write_releases(FILE *file, const struct gen_family *family)
{
	const struct abi_family *facts = family->facts;
	struct gen_range sonames = facts_of(facts, ABI_SONAME);

	fprintf(file, "\nstatic const struct gw_release %s_releases[] = {\n", facts->name);
	for (size_t i = 0; i < facts->release_count; i++) {
		const struct abi_release *release = &facts->releases[i];

		fprintf(file, "\t{\"%s\", \"%s\", {%u, %u, %u, %u}, %zu, %zu, %d},\n", release->version,
			soname_major(facts, i), release->part[0], release->part[1],
			release->part[2], release->part[3], family->numbering_of[i],
			oldest_alike(facts, i), family->number_of[i]);
	}
	fprintf(file, "};\n\nstatic const char *const %s_sonames[] = {\n", facts->name);
	for (size_t i = 0; i < sonames.count; i++) {
		if (!i || strcmp(sonames.first[i - 1].column[0], sonames.first[i].column[0]))
			fprintf(file, "\t\"%s\",\n", sonames.first[i].column[0]);
	}
	fputs("\tNULL\n};\n", file);
}

static void write_families(const struct gen *gen, FILE *file)
{
	for (size_t i = 0; i < gen->family_count; i++) {
		write_numberings(file, &gen->families[i]);
		write_releases(file, &gen->families[i]);
	}
	fputs("\nconst struct gw_family_data gw_families[GW_FAMILY_COUNT] = {\n", file);
	for (size_t i = 0; i < gen->family_count; i++) {
		const struct gen_family *family = &gen->families[i];
		const char *name = family->facts->name;

		fprintf(file,
			"\t{\n\t\t.name = \"%s\", .releases = %s_releases, .numberings = "
			"%s_numberings,\n",
			name, name, name);
		fprintf(file,
			"\t\t.release_count = %zu, .numbering_count = %zu, .neutral_count = "
			"%zu,\n\t\t.refuse = {",
			family->facts->release_count, family->numbering_count,
			family->neutral_count);
		for (size_t n = 0; n < family->numbering_count; n++)
			fprintf(file, "%s%d", n ? ", " : "", family->numberings[n].refuse);
		fprintf(file,
			"},\n\t\t.suite = %u, .suite_first = %d, .suite_name = "
			"\"%s\",\n\t\t.sonames = %s_sonames,\n",
			family->suite, family->suite_first, family->suite_name, name);
		if (model_function(gen, gen_format("%sGetProperty", name)) >= 0)
			fprintf(file, "\t\t.property_function = \"%sGetProperty\",\n", name);
		fputs("\t},\n", file);
	}
	fputs("};\n", file);
}

static void write_spans(const struct gen *gen, FILE *file)
{
	size_t first = 0;

	fputs("\nconst struct gw_span gw_spans[] = {\n", file);
	for (size_t i = 0; i < gen->spans_count; i++) {
		fprintf(file, "\t/* %s */\n", gen->spans[i].name);
		for (size_t k = 0; k < gen->spans[i].count; k++) {
			const struct gen_span *span = &gen->spans[i].span[k];

			fprintf(file, "\t{%d, %u, %zu, %zu, %d}, /* %s */\n", span->value,
				strings_add(span->name), span->first, span->last, span->typed,
				span->name);
		}
	}
	fputs("\t{0, 0, 0, 0, 0}\n};\n\nconst struct gw_span_list gw_span_lists[] = {\n", file);
	for (size_t i = 0; i < gen->spans_count; first += gen->spans[i++].count)
		fprintf(file, "\t{%zu, %zu}, /* %s */\n", first, gen->spans[i].count,
			gen->spans[i].name);
	fputs("\t{0, 0}\n};\n", file);
}

void emit_table(const struct gen *gen)
{
	FILE *file = gen_open(gen, "gw_table.c");

	fputs("/* Generated by abigen: the data that shim/table.h describes. */\n#include "
	      "\"shim/table.h\"\n#include \"gw_fn.h\"\n",
	      file);
	write_enums(gen, file);
	write_parameters(gen, file);
	write_functions(gen, file);
	write_families(gen, file);
	write_spans(gen, file);
	trace_write_table(gen, file);
	strings_write(file);
	strings_finish();
	fprintf(file,
		"\n__attribute__((visibility(\"default\")))\nconst char gw_build_id[] = \"%s\";\n",
		gen->build_id);
	gen_close(file, "gw_table.c");
}
