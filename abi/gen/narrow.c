/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The `narrow` lines: functions of 64 bit integers that are carried by their namesakes of 32. Decides which, checks that nothing
 * but integers differs between the two, and writes gw_narrow.c, whose functions are `via` functions like those written by hand
 * (shim/narrow.h has what they call).
 */
#include "gen.h"

#include <string.h>

enum way { WAY_SAME, WAY_VALUE, WAY_RESULT, WAY_NONE };

/* An integer by value is checked and cut, one that is written through a pointer is widened after the call. An array that is read
 * is neither: nobody could say how long it is. */
static enum way way_of(const struct gen_type *wide, const struct gen_type *narrow)
{
	if (!strcmp(wide->canonical, narrow->canonical))
		return WAY_SAME;
	if (!strcmp(wide->canonical, "int64_t") && !strcmp(narrow->canonical, "int"))
		return WAY_VALUE;
	if (!strcmp(wide->canonical, "int64_t*") && !strcmp(narrow->canonical, "int*") &&
	    strncmp(wide->spelling, "const ", 6))
		return WAY_RESULT;
	return WAY_NONE;
}

static void check(const struct gen *gen, const struct gen_function *wide, const struct gen_function *narrow)
{
	const struct abi_family *facts = gen->families[wide->family].facts;

	if (wide->signature.count != narrow->signature.count || !wide->signature.count || !wide->returns_status ||
	    !narrow->returns_status)
		gen_fail(facts->path, wide->fact->line, facts_column(wide->fact, 2),
			 "%s cannot be narrowed to '%s': add a `method` line of its own", wide->name, narrow->name);
	for (size_t i = 0; i < wide->signature.count; i++) {
		const struct gen_parameter *a = &wide->signature.parameters[i], *b = &narrow->signature.parameters[i];

		if (way_of(&a->type, &b->type) == WAY_NONE)
			gen_fail(facts->path, wide->fact->line, facts_column(wide->fact, 2),
				 "%s: parameter '%s' is '%s' here and '%s' in '%s', which cannot be narrowed: add a "
				 "`method` line of its own",
				 wide->name, a->name, a->type.spelling, b->type.spelling, narrow->name);
	}
}

static void apply(struct gen *gen, const struct treatment_line *line, struct gen_function *function)
{
	const char *suffix = line->words[2].text;
	char *base = gen_slice(function->name, strlen(function->name) - strlen(suffix));
	int id = model_function(gen, base);

	if (id < 0 || gen->functions[id].family != function->family)
		treatment_fail(&gen->treatment, line, 2,
			       "there is no function '%s' that '%s' could be narrowed to: add a `method` line of its own",
			       base, function->name);
	check(gen, function, &gen->functions[id]);
	function->method = GW_METHOD_VIA;
	function->via = gen_format("gw_narrow_%s", function->name);
	function->narrow = &gen->functions[id];
	function->refusal = line->words[4].text;
}

void narrow_apply(struct gen *gen, const bool *treated)
{
	const struct treatment_line *line;

	for (size_t cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_NARROW, &cursor));) {
		int family = model_family(gen, line->words[1].text), value = gen_value(gen, line->words[4].text);
		size_t length = strlen(line->words[2].text), applied = 0;

		if (family < 0)
			treatment_fail(&gen->treatment, line, 1, "family '%s' has no `bridge` line",
				       line->words[1].text);
		if (value)
			treatment_fail(&gen->treatment, line, 4,
				       value < 0 ? "unknown constant '%s'" : "'%s' is not the same in all releases",
				       line->words[4].text);
		for (size_t i = 0; i < gen->function_count; i++) {
			struct gen_function *function = &gen->functions[i];
			size_t named = strlen(function->name);

			if (function->family != (size_t)family || treated[i] || named <= length ||
			    strcmp(function->name + named - length, line->words[2].text))
				continue;
			apply(gen, line, function);
			applied++;
		}
		if (!applied)
			treatment_fail(&gen->treatment, line, 2, "no function of family '%s' ends in '%s'",
				       line->words[1].text, line->words[2].text);
	}
}

static void write_head(FILE *file, const struct gen_function *function)
{
	const struct gen_signature *wide = &function->signature, *narrow = &function->narrow->signature;

	fprintf(file, "\n%s(struct gw_call *gw_call,\n\t%s (*gw_real)(", type_declare(wide->result.spelling, function->via),
		wide->result.spelling);
	for (size_t i = 0; i < wide->count; i++)
		fprintf(file, "%s%s", i ? ", " : "", wide->parameters[i].type.spelling);
	fputs(")", file);
	for (size_t i = 0; i < wide->count; i++)
		fprintf(file, ",\n\t%s", type_declare(wide->parameters[i].type.spelling, wide->parameters[i].name));
	fprintf(file, ")\n{\n\t%s (*gw_narrow)(", narrow->result.spelling);
	for (size_t i = 0; i < narrow->count; i++)
		fprintf(file, "%s%s", i ? ", " : "", narrow->parameters[i].type.spelling);
	fprintf(file, ") =\n\t\tgw_narrow_target(gw_call, GW_FN_%s);\n", function->narrow->name);
}

static void write_body(FILE *file, const struct gen_function *function)
{
	const struct gen_signature *wide = &function->signature, *narrow = &function->narrow->signature;
	const char *handle = wide->parameters[0].name;
	enum way ways[UINT8_MAX];
	size_t results = 0;

	for (size_t i = 0; i < wide->count; i++) {
		ways[i] = way_of(&wide->parameters[i].type, &narrow->parameters[i].type);
		if (ways[i] == WAY_RESULT)
			fprintf(file, "\tstruct gw_wide gw_wide_%s;\n", wide->parameters[i].name);
		results += ways[i] == WAY_RESULT;
	}
	if (results)
		fprintf(file, "\t%s gw_result;\n", wide->result.spelling);
	fputs("\n\tif (!gw_narrow)\n\t\treturn gw_real(", file);
	for (size_t i = 0; i < wide->count; i++)
		fprintf(file, "%s%s", i ? ", " : "", wide->parameters[i].name);
	fputs(");\n", file);
	for (size_t i = 0; i < wide->count; i++) {
		if (ways[i] == WAY_VALUE)
			fprintf(file,
				"\tif (%s != (int)%s)\n\t\treturn gw_narrow_refuse(gw_call, \"%s\", %s, GW_VALUE_%s);\n",
				wide->parameters[i].name, wide->parameters[i].name, wide->parameters[i].name,
				wide->parameters[i].name, function->refusal);
	}
	fprintf(file, "\t%s gw_narrow(", results ? "gw_result =" : "return");
	for (size_t i = 0; i < wide->count; i++) {
		const char *name = wide->parameters[i].name;

		fputs(i ? ", " : "", file);
		if (ways[i] == WAY_VALUE)
			fprintf(file, "(int)%s", name);
		else if (ways[i] == WAY_RESULT)
			fprintf(file, "gw_wide_begin(&gw_wide_%s, gw_call, %s, %s)", name, handle, name);
		else
			fputs(name, file);
	}
	fputs(");\n", file);
	for (size_t i = 0; i < wide->count; i++) {
		if (ways[i] == WAY_RESULT)
			fprintf(file, "\tgw_result = gw_wide_end(&gw_wide_%s, gw_call, %s, gw_result);\n",
				wide->parameters[i].name, handle);
	}
	fprintf(file, "%s}\n", results ? "\treturn gw_result;\n" : "");
}

void emit_narrow(const struct gen *gen)
{
	FILE *file = gen_open(gen, "gw_narrow.c");

	fputs("/* Generated by abigen: functions of 64 bit integers, carried by those of 32 where the loaded release has no "
	      "others. */\n#include \"shim/narrow.h\"\n#include \"gw_fn.h\"\n#include \"gw_types.h\"\n#include "
	      "\"gw_values.h\"\n#include \"gw_via.h\"\n",
	      file);
	for (size_t i = 0; i < gen->function_count; i++) {
		if (!gen->functions[i].narrow)
			continue;
		write_head(file, &gen->functions[i]);
		write_body(file, &gen->functions[i]);
	}
	gen_close(file, "gw_narrow.c");
}
