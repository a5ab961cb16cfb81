/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a wrapper that writes the trace: a record's bytes, laid out as abi/trace_format.h says, by straight-line code. */
#include "gen.h"

#include <string.h>

/* Bytes of a parameter in a record whose integers fit 4. */
static unsigned size_of(const struct gen_parameter *parameter)
{
	switch (parameter->type.class) {
	case GW_CLASS_POINTER:
	case GW_CLASS_STRING:
	case GW_CLASS_DOUBLE:
		return 8;
	case GW_CLASS_STRUCT:
		return (parameter->type.size + 3) / 4 * 4;
	default:
		return 4;
	}
}

static bool is_wide(const struct gen_parameter *parameter)
{
	return parameter->type.class == GW_CLASS_INT64 || parameter->type.class == GW_CLASS_UINT64;
}

static void write_result(FILE *file, const struct gen_type *result)
{
	switch (result->class) {
	case GW_CLASS_VOID:
	case GW_CLASS_STRUCT:
		fputs("0", file);
		break;
	case GW_CLASS_FLOAT:
	case GW_CLASS_DOUBLE:
		fputs("gw_trace_bits((double)gw_result)", file);
		break;
	case GW_CLASS_POINTER:
	case GW_CLASS_STRING:
		fputs("(uint64_t)(uintptr_t)gw_result", file);
		break;
	case GW_CLASS_INT64:
	case GW_CLASS_UINT64:
		fputs("(uint64_t)gw_result", file);
		break;
	default:
		fputs("(uint32_t)gw_result", file);
	}
}

/* Whether each integer of 8 bytes fits 4. */
static bool write_fits(FILE *file, const struct gen_signature *signature)
{
	bool any = false;

	for (size_t i = 0; i < signature->count; i++) {
		const struct gen_parameter *parameter = &signature->parameters[i];

		if (!is_wide(parameter))
			continue;
		fprintf(file, "%sgw_trace_fits%s(%s)", any ? " & " : "",
			parameter->type.class == GW_CLASS_INT64 ? "_signed" : "", parameter->name);
		any = true;
	}
	return any;
}

static void write_put(FILE *file, const struct gen_parameter *parameter, unsigned at)
{
	switch (parameter->type.class) {
	case GW_CLASS_POINTER:
	case GW_CLASS_STRING:
		fprintf(file, "\t\t\t\t\tgw_trace_put_8(gw_to + %u, (uint64_t)(uintptr_t)%s);\n", at, parameter->name);
		break;
	case GW_CLASS_DOUBLE:
	case GW_CLASS_FLOAT:
	case GW_CLASS_STRUCT:
		fprintf(file, "\t\t\t\t\t__builtin_memcpy(gw_to + %u, &%s, sizeof(%s));\n", at, parameter->name, parameter->name);
		break;
	default:
		fprintf(file, "\t\t\t\t\tgw_trace_put_4(gw_to + %u, (uint32_t)%s);\n", at, parameter->name);
	}
}

static void write_contents(FILE *file, const struct gen_function *function, unsigned at)
{
	for (size_t i = 0; i < function->signature.count; i++) {
		const struct gen_parameter *parameter = &function->signature.parameters[i];

		if (!parameter->kept)
			continue;
		fprintf(file, "\t\t\t\t\tif (%s%s)\n\t\t\t\t\t\tgw_trace_copy(gw_to + %u, %s, ",
			function->returns_status ? "!gw_result && " : "", parameter->name, at, parameter->name);
		if (parameter->kept_size)
			fprintf(file, "%s, %u);\n", parameter->kept_size, parameter->kept);
		else
			fprintf(file, "%u, %u);\n", parameter->kept, parameter->kept);
		at += parameter->kept;
	}
}

static unsigned length_of(const struct gen_signature *signature, unsigned *arguments)
{
	unsigned length = 0;

	*arguments = 0;
	for (size_t i = 0; i < signature->count; i++) {
		*arguments += size_of(&signature->parameters[i]);
		length += signature->parameters[i].kept;
	}
	return *arguments + length;
}

void trace_write_record(FILE *file, const struct gen_function *function)
{
	const struct gen_signature *signature = &function->signature;
	unsigned at = 0, arguments, length = length_of(signature, &arguments);
	bool wide;

	fputs("\t\tif (gw_call.flags & GW_CALL_TRACE) {\n", file);
	if (function->shape) {
		emit_values_of(file, function, "\t\t\t");
		fprintf(file, "\n\t\t\tgw_call.shape = gw_trace_shape_%s(&gw_call, gw_values);\n", function->shape);
	}
	fputs("\t\t\tif (gw_call.flags & GW_CALL_RECORD) {\n", file);
	fputs("\t\t\t\tunsigned char *gw_to = ", file);
	wide = false;
	for (size_t i = 0; i < signature->count; i++)
		wide |= is_wide(&signature->parameters[i]);
	if (wide) {
		fputs("!(", file);
		write_fits(file, signature);
		fputs(") ? NULL :\n\t\t\t\t\t", file);
	}
	fprintf(file, "gw_trace_claim(&gw_call, %u, ", length);
	write_result(file, &signature->result);
	fputs(");\n\n\t\t\t\tif (gw_to) {\n", file);
	for (size_t i = 0; i < signature->count; i++) {
		write_put(file, &signature->parameters[i], at);
		at += size_of(&signature->parameters[i]);
	}
	write_contents(file, function, arguments);
	fprintf(file, "\t\t\t\t\tgw_trace_publish(&gw_call, gw_to, %u);\n\t\t\t\t}", length);
	if (wide) {
		fputs(" else if (!(", file);
		write_fits(file, signature);
		fputs(")) {\n", file);
		if (!function->shape)
			emit_values_of(file, function, "\t\t\t\t\t");
		fputs("\n\t\t\t\t\tgw_trace_long(&gw_call, gw_values, ", file);
		write_result(file, &signature->result);
		fputs(");\n\t\t\t\t}", file);
	}
	fprintf(file, "\n\t\t\t}\n\t\t\tgw_trace_count(&gw_call, %s);\n\t\t}\n", function->returns_status ? "gw_result != 0" : "false");
}

void trace_write_table(const struct gen *gen, FILE *file)
{
	fputs("\nconst struct gw_trace_content gw_trace_contents[] = {\n", file);
	for (size_t i = 0; i < gen->function_count; i++)
		for (size_t k = 0; k < gen->functions[i].signature.count; k++) {
			const struct gen_parameter *parameter = &gen->functions[i].signature.parameters[k];
			size_t size = 0;

			if (!parameter->kept)
				continue;
			while (parameter->kept_size && strcmp(gen->functions[i].signature.parameters[size].name, parameter->kept_size) != 0)
				size++;
			fprintf(file, "\t{%zu, %zu, %u, %d, %d}, /* %s %s */\n", i, k, parameter->kept, parameter->kept_after,
				parameter->kept_size ? (int)size : 255, gen->functions[i].name, parameter->name);
		}
	fputs("\t{0xffff, 0, 0, 0, 0}\n};\n", file);
}
