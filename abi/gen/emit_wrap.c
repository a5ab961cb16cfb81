/* SPDX-License-Identifier: Apache-2.0 */
/* Writes gw_wrap_FAMILY.c: a typed wrapper, as shim/call.h shows it, for each bridged function. */
#include "gen.h"

#include <string.h>

static void write_types(FILE *file, const struct gen_signature *signature)
{
	for (size_t i = 0; i < signature->count; i++)
		fprintf(file, "%s%s", i ? ", " : "", signature->parameters[i].type.spelling);
	if (!signature->count)
		fputs("void", file);
}

/* As passed, or, in what is translated, with the statuses in the loaded release's numbering. */
static void write_arguments(FILE *file, const struct gen_function *function, bool translated)
{
	const struct gen_signature *signature = &function->signature;

	for (size_t i = 0; i < signature->count; i++) {
		const struct gen_parameter *parameter = &signature->parameters[i];

		fprintf(file, "%s%s%s", i ? ", " : "",
			translated && parameter->status ? "gw_in_" : "", parameter->name);
	}
}

static void write_value(FILE *file, enum gw_class class, const char *name, unsigned size)
{
	switch (class) {
	case GW_CLASS_FLOAT:
	case GW_CLASS_DOUBLE:
		fprintf(file, "{.d = %s}", name);
		break;
	case GW_CLASS_POINTER:
	case GW_CLASS_STRING:
		fprintf(file, "{.p = (const void *)%s}", name);
		break;
	case GW_CLASS_STRUCT:
		fprintf(file, "{.i = %u}", size);
		break;
	case GW_CLASS_VOID:
		fputs("{.i = 0}", file);
		break;
	case GW_CLASS_UINT64:
		fprintf(file, "{.i = (int64_t)%s}", name);
		break;
	default:
		fprintf(file, "{.i = %s}", name);
	}
}

void emit_values_of(FILE *file, const struct gen_function *function, const char *indent)
{
	const struct gen_signature *signature = &function->signature;

	fprintf(file, "%sconst union gw_value gw_values[] = {\n", indent);
	for (size_t i = 0; i < signature->count; i++) {
		const struct gen_parameter *parameter = &signature->parameters[i];

		fprintf(file, "%s\t", indent);
		write_value(file, parameter->type.class, parameter->name, parameter->type.size);
		fputs(",\n", file);
	}
	fprintf(file, "%s};\n", indent);
}

static void write_report(FILE *file, const struct gen_function *function)
{
	const struct gen_signature *signature = &function->signature;

	fputs("\t\tif (gw_call.flags & GW_CALL_REPORT) {\n", file);
	if (signature->count)
		emit_values_of(file, function, "\t\t\t");
	fputs("\t\t\tconst union gw_value gw_answer = ", file);
	write_value(file, signature->result.class, "gw_result", signature->result.size);
	fprintf(file, ";\n\n\t\t\tgw_leave(&gw_call, %s, gw_answer);\n\t\t}\n",
		signature->count ? "gw_values" : "NULL");
}

static bool has_status_parameter(const struct gen_function *function)
{
	for (size_t i = 0; i < function->signature.count; i++) {
		if (function->signature.parameters[i].status)
			return true;
	}
	return false;
}

static void write_status_arguments(FILE *file, const struct gen_function *function)
{
	for (size_t i = 0; i < function->signature.count; i++) {
		const struct gen_parameter *parameter = &function->signature.parameters[i];

		if (parameter->status)
			fprintf(file,
				"\t\t%s gw_in_%s = (gw_call.flags & GW_CALL_TRANSLATE) ?\n"
				"\t\t\tgw_status_in(&gw_call, %s) : %s;\n",
				parameter->type.spelling, parameter->name, parameter->name,
				parameter->name);
	}
	if (has_status_parameter(function))
		fputc('\n', file);
}

static void write_carried(FILE *file, const struct gen_parameter *parameter, const char *size,
			  const char *offset)
{
	const struct gen_carrier *carrier = &parameter->carrier;
	const char *count = carrier->count ? gen_format("%s ? (int64_t)*%s : 0", carrier->count,
							carrier->count)
					   : "1",
		   *most = carrier->most ? gen_format("(int64_t)%s", carrier->most) : "INT64_MAX";

	fprintf(file, "\t\t\tgw_carried_out(&gw_call, %s, %s, %s,\n\t\t\t\t%s, %s);\n",
		parameter->name, count, most, size, offset);
}

/* What the library left behind pointers. It did so only if it succeeded: else it may not have
 * written the count either. */
static void write_carriers(const struct gen *gen, FILE *file, const struct gen_function *function)
{
	const struct abi_family *facts = gen->families[function->family].facts;

	for (size_t i = 0; i < function->signature.count; i++) {
		const struct gen_parameter *parameter = &function->signature.parameters[i];
		const char *record = parameter->carrier.record;
		struct gen_range fields = {0};

		if (!parameter->carrier.line || parameter->carrier.via)
			continue;
		fprintf(file,
			"\t\tif ((gw_call.flags & GW_CALL_TRANSLATE) && !gw_call.absent%s) {\n",
			function->returns_status ? " && !gw_result" : "");
		if (record)
			fields = facts_named(facts, ABI_FIELD, record);
		else
			write_carried(file, parameter, "sizeof(int32_t)", "0");
		for (size_t k = 0; k < fields.count; k++) {
			if (carry_is_status(gen, function->family, &fields.first[k]))
				write_carried(file, parameter, gen_format("GW_SIZE_%s", record),
					      gen_format("GW_OFFSET_%s_%s", record,
							 fields.first[k].column[1]));
		}
		fputs("\t\t}\n", file);
	}
}

/* The path that is taken when something watches or must be translated. */
static void write_watched(const struct gen *gen, FILE *file, const struct gen_function *function)
{
	const char *assign =
		function->signature.result.class == GW_CLASS_VOID ? "" : "gw_result = ";

	if (function->translates)
		write_status_arguments(file, function);
	if (function->via) {
		fprintf(file,
			"\t\tif (gw_call.flags & GW_CALL_VIA)\n\t\t\t%s%s(&gw_call, gw_real%s",
			assign, function->via, function->signature.count ? ", " : "");
		write_arguments(file, function, false);
		fputs(");\n\t\telse\n\t", file);
	}
	fprintf(file, "\t\t%sgw_real(", assign);
	write_arguments(file, function, function->translates);
	fputs(");\n\t\tif (gw_call.flags & GW_CALL_TIMED)\n\t\t\tgw_call.end = gw_trace_now();\n", file);
	write_carriers(gen, file, function);
	if (function->translates && function->returns_status)
		fputs("\t\tif ((gw_call.flags & GW_CALL_TRANSLATE) && !gw_call.absent)\n"
		      "\t\t\tgw_result = gw_status_out(&gw_call, gw_result);\n",
		      file);
	trace_write_record(file, function);
	write_report(file, function);
}

static void write_head(FILE *file, const struct gen_function *function)
{
	const struct gen_signature *signature = &function->signature;

	fprintf(file, "\nGW_WRAPPER %s(", type_declare(signature->result.spelling, function->name));
	for (size_t i = 0; i < signature->count; i++)
		fprintf(file, "%s%s", i ? ", " : "",
			type_declare(signature->parameters[i].type.spelling,
				     signature->parameters[i].name));
	fputs(signature->count ? ")" : "void)", file);
}

static void write_wrapper(const struct gen *gen, FILE *file, const struct gen_function *function)
{
	const struct gen_signature *signature = &function->signature;
	bool is_void = signature->result.class == GW_CLASS_VOID;

	write_head(file, function);
	fputs(";", file);
	write_head(file, function);
	fprintf(file, "\n{\n\tstruct gw_call gw_call;\n\t%s (*gw_real)(",
		signature->result.spelling);
	write_types(file, signature);
	fprintf(file, ") =\n\t\tgw_enter(&gw_call, GW_FN_%s, __builtin_return_address(0));\n",
		function->name);
	if (!is_void)
		fprintf(file, "\t%s;\n", type_declare(signature->result.spelling, "gw_result"));
	fprintf(file, "\n\tif (__builtin_expect(!gw_call.flags, 1)) {\n\t\t%sgw_real(",
		is_void ? "" : "gw_result = ");
	write_arguments(file, function, false);
	fputs(");\n\t} else {\n", file);
	write_watched(gen, file, function);
	fprintf(file, "\t}\n\tgw_exit(&gw_call);\n%s}\nGW_ALIAS(%s)\n",
		is_void ? "" : "\treturn gw_result;\n", function->name);
}

void emit_wrappers(const struct gen *gen)
{
	for (size_t i = 0; i < gen->family_count; i++) {
		const char *name = gen_format("gw_wrap_%s.c", gen->families[i].facts->name);
		FILE *file = gen_open(gen, name);

		fprintf(file, "/* Generated by abigen: the typed wrappers of family %s. */\n",
			gen->families[i].facts->name);
		fputs("#include \"shim/call.h\"\n#include \"shim/trace_write.h\"\n#include \"gw_fn.h\"\n#include "
		      "\"gw_types.h\"\n#include \"gw_via.h\"\n\n"
		      "#define GW_WRAPPER __attribute__((visibility(\"default\")))\n"
		      "/* gw_thunks.S jumps here: a name that no other object can take over. */\n"
		      "#define GW_ALIAS(name) extern __typeof__(name) gw_wrap_##name "
		      "__attribute__((alias(#name), visibility(\"hidden\")));\n",
		      file);
		for (size_t k = 0; k < gen->function_count; k++) {
			if (gen->functions[k].family == i)
				write_wrapper(gen, file, &gen->functions[k]);
		}
		gen_close(file, name);
	}
}
