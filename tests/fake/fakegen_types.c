/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fakegen: writes fake_api.h, the release's types, constants and prototypes under their real names, so that the compiler
 * checks the hand-written implementations against each release. Types of the CUDA runtime come from abi/include.
 */
#include "fakegen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names already written: families share types (cublasLt uses cublas's status). */
struct names {
	char **name;
	size_t count, room;
};

static bool known(const struct names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strncmp(names->name[i], name, length) && !names->name[i][length])
			return true;
	return false;
}

static void learn(struct names *names, const char *name, size_t length)
{
	if (names->count == names->room) {
		names->room = names->room ? 2 * names->room : 256;
		names->name = realloc(names->name, names->room * sizeof *names->name);
		if (!names->name)
			gen_fail("out of memory");
	}
	names->name[names->count] = strndup(name, length);
	if (!names->name[names->count++])
		gen_fail("out of memory");
}

/* Does the family's own header say so? The runtime's types come from the stand-in headers. */
static bool own(const struct abi_fact *fact)
{
	static const char *const headers[] = { "cublas", "nvblas", "cudnn", "cusparse" };

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		if (!strncmp(fact->source, headers[i], strlen(headers[i])))
			return true;
	return false;
}

static const char *typedef_of(const struct gen_family *family, const char *name)
{
	GEN_EACH(fact, family, ABI_TYPEDEF)
		if (!strcmp(fact->column[0], name))
			return fact->column[1];
	return NULL;
}

/* The tag of the struct or enum that NAME is a typedef of; NAME itself where it is none. */
static void print_tag(FILE *out, const struct gen_family *family, const char *word, const char *name)
{
	const char *type = typedef_of(family, name);
	size_t length = strlen(word);

	if (type && !strncmp(type, word, length) && type[length] == ' ')
		name = type + length + 1;
	fprintf(out, "%s %s", word, name);
}

/* Their names, for an implementation that wants to know whether a number has one. */
static void write_list(FILE *out, const struct gen_family *family, const char *name)
{
	const char *comma = "";

	if (*name == '-')
		return;
	fprintf(out, "#define FAKE_CONSTANTS_%s ", name);
	GEN_EACH(fact, family, ABI_ENUM) {
		if (!own(fact) || strcmp(fact->column[0], name))
			continue;
		fprintf(out, "%s%s", comma, fact->column[1]);
		comma = ", ";
	}
	fputs("\n\n", out);
}

static void write_enums(FILE *out, const struct gen_family *family, struct names *names)
{
	const char *open = NULL;
	bool skip = false;

	GEN_EACH(fact, family, ABI_ENUM) {
		if (!own(fact))
			continue;
		if (!open || strcmp(open, fact->column[0])) {
			if (open && !skip) {
				fprintf(out, "%s%s;\n\n", *open == '-' ? "}" : "} ", *open == '-' ? "" : open);
				write_list(out, family, open);
			}
			open = fact->column[0];
			skip = *open != '-' && known(names, open, strlen(open));
			if (!skip && *open != '-')
				learn(names, open, strlen(open));
			if (!skip) {
				if (*open == '-') {
					fputs("enum {\n", out);
				} else {
					fputs("typedef ", out);
					print_tag(out, family, "enum", open);
					fputs(" {\n", out);
				}
			}
		}
		if (!skip)
			fprintf(out, "\t%s = %s,\n#define %s %s\n", fact->column[1], fact->column[2], fact->column[1], fact->column[1]);
	}
	if (open && !skip) {
		fprintf(out, "} %s;\n\n", *open == '-' ? "" : open);
		write_list(out, family, open);
	}
}

static bool is_word(const char *text, size_t length)
{
	static const char *const words[] = {
		"const", "volatile", "void", "char", "signed", "unsigned", "short", "int", "long", "float", "double", "size_t", "bool",
		"_Bool", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "FILE", "restrict",
		"ptrdiff_t", "uintptr_t", "intptr_t",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && !strncmp(words[i], text, length))
			return true;
	return false;
}

/* Are all names in TYPE known? What follows `struct`, `enum` or `union` needs no declaration. */
static bool spelled(const struct names *names, const char *type)
{
	bool tag = false;

	for (const char *at = type; *at;) {
		size_t length = 0;

		while (isalnum((unsigned char)at[length]) || at[length] == '_')
			length++;
		if (!length) {
			at++;
			continue;
		}
		if (!tag && !isdigit((unsigned char)*at) && !is_word(at, length) && strncmp(at, "struct ", 7) && strncmp(at, "enum ", 5) &&
		    strncmp(at, "union ", 6) && !known(names, at, length))
			return false;
		tag = !strncmp(at, "struct ", 7) || !strncmp(at, "enum ", 5) || !strncmp(at, "union ", 6);
		at += length;
	}
	return true;
}

/* Prints a declarator: NAME in the place where C wants it. */
static void declare(FILE *out, const char *type, const char *name)
{
	const char *pointer = strstr(type, "(*"), *array = strchr(type, '[');

	if (pointer)
		fprintf(out, "%.*s%s%s", (int)(pointer + 2 - type), type, name, pointer + 2);
	else if (array)
		fprintf(out, "%.*s %s%s", (int)(array - type), type, name, array);
	else
		fprintf(out, "%s %s", type, name);
}

static bool fields_spelled(const struct gen_family *family, const struct names *names, const char *name)
{
	GEN_EACH(fact, family, ABI_FIELD)
		if (!strcmp(fact->column[0], name) && !strstr(fact->column[4], "{…}") && !spelled(names, fact->column[4]))
			return false;
	return true;
}

/* The member that begins at or after END, the first such; facts are sorted by name. NULL: none is left. */
static const struct abi_fact *next_field(const struct gen_family *family, const char *name, long long end)
{
	const struct abi_fact *next = NULL;

	GEN_EACH(fact, family, ABI_FIELD)
		if (!strcmp(fact->column[0], name) && !strchr(fact->column[1], '.') && atoll(fact->column[2]) >= end &&
		    (!next || atoll(fact->column[2]) < atoll(next->column[2])))
			next = fact;
	return next;
}

/* Members of a union overlap: one of them is written, which is enough for the size. */
static void write_struct(FILE *out, const struct gen_family *family, const struct abi_fact *record)
{
	const struct abi_fact *fact;

	fputs("typedef ", out);
	print_tag(out, family, "struct", record->column[0]);
	fputs(" {\n", out);
	for (long long end = 0; (fact = next_field(family, record->column[0], end));
	     end = atoll(fact->column[2]) + atoll(fact->column[3])) {
		fputc('\t', out);
		if (strstr(fact->column[4], "{…}") || !strncmp(fact->column[4], "union ", 6))
			fprintf(out, "int %s[%lld]", fact->column[1], atoll(fact->column[3]) / (long long)sizeof(int));
		else
			declare(out, fact->column[4], fact->column[1]);
		fputs(";\n", out);
	}
	fprintf(out, "} %s;\n", record->column[0]);
	fprintf(out, "_Static_assert(sizeof(%s) == %s, \"%s\");\n\n", record->column[0], record->column[1], record->column[0]);
}

/* One round over what is not yet written; returns how much it wrote. */
static size_t write_types(FILE *out, const struct gen_family *family, struct names *names)
{
	size_t before = names->count;

	GEN_EACH(fact, family, ABI_STRUCT) {
		const char *name = fact->column[0];

		if (!own(fact) || known(names, name, strlen(name)) || !fields_spelled(family, names, name))
			continue;
		write_struct(out, family, fact);
		learn(names, name, strlen(name));
	}
	GEN_EACH(fact, family, ABI_TYPEDEF) {
		const char *name = fact->column[0];
		bool record = false;

		if (!own(fact) || known(names, name, strlen(name)) || !spelled(names, fact->column[1]))
			continue;
		GEN_EACH(other, family, ABI_STRUCT)
			record |= !strcmp(other->column[0], name);
		if (record)
			continue;
		fputs("typedef ", out);
		declare(out, fact->column[1], name);
		fputs(";\n", out);
		learn(names, name, strlen(name));
	}
	return names->count - before;
}

static void write_macros(FILE *out, const struct gen_family *family, struct names *names)
{
	GEN_EACH(fact, family, ABI_MACRO) {
		const char *name = fact->column[0];

		bool own_name = !strncmp(name, "CUBLAS", 6) || !strncmp(name, "CUDNN", 5) || !strncmp(name, "CUSPARSE", 8);

		if (!own_name || known(names, name, strlen(name)))
			continue;
		fputs("#define ", out);
		fputs(name, out);
		fprintf(out, " %s\n", fact->column[1]);
		learn(names, name, strlen(name));
	}
}

/* The foreign types that the stand-in headers declare. */
static void learn_foreign(const struct gen_family *family, struct names *names)
{
	static const enum abi_kind kinds[] = { ABI_TYPEDEF, ABI_STRUCT, ABI_ENUM };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		GEN_EACH(fact, family, kinds[i])
			if (!own(fact) && !known(names, fact->column[0], strlen(fact->column[0])))
				learn(names, fact->column[0], strlen(fact->column[0]));
}

void gen_declaration(FILE *out, const char *prefix, const struct abi_fact *function)
{
	const char *cursor = function->column[2];
	struct abi_parameter parameter;
	unsigned count = 0;

	fprintf(out, "%s %s%s(", function->column[1], prefix, function->column[0]);
	while (abi_parameter_next(&cursor, &parameter)) {
		char *type = strndup(parameter.type, parameter.type_length), name[16];

		if (!type)
			gen_fail("out of memory");
		snprintf(name, sizeof name, "a%u", count);
		if (count++)
			fputs(", ", out);
		if (!strcmp(type, "...") && count == 1)
			fputs("void", out);	/* nothing but `...`: C knows no such parameters, and no caller passes any */
		else if (!strcmp(type, "..."))
			fputs(type, out);
		else
			declare(out, type, name);
		free(type);
	}
	fprintf(out, "%s)", count ? "" : "void");
}

void gen_arguments(FILE *out, const struct abi_fact *function)
{
	const char *cursor = function->column[2];
	struct abi_parameter parameter;

	for (unsigned count = 0; abi_parameter_next(&cursor, &parameter); count++)
		fprintf(out, "%sa%u", count ? ", " : "", count);
}

static void write_functions(FILE *out, const struct gen_family *family, struct names *names)
{
	GEN_EACH(fact, family, ABI_FUNCTION) {
		if (known(names, fact->column[0], strlen(fact->column[0])) || !own(fact))
			continue;
		learn(names, fact->column[0], strlen(fact->column[0]));
		fputs("__attribute__((visibility(\"default\"))) ", out);
		gen_declaration(out, "", fact);
		fputs(";\n__attribute__((visibility(\"hidden\"))) ", out);
		gen_declaration(out, "fake_", fact);
		fprintf(out, ";\n#define fake_%s fake_%s\n", fact->column[0], fact->column[0]);
	}
}

/* Sizes that releases up to this one gave a block and that are not above its own, ascending; and the least of all. */
static void write_sizes(FILE *out, const struct gen_family *family)
{
	GEN_EACH(record, family, ABI_STRUCT) {
		const char *name = record->column[0];
		long own_size = atol(record->column[1]), least = own_size, last = 0;
		size_t length = strlen(name);

		if (length < 8 || strcmp(name + length - 8, "Opaque_t"))
			continue;
		fprintf(out, "#define FAKE_SIZES_%s {", name);
		for (;;) {
			long next = own_size;

			for (size_t i = family->family->first[ABI_STRUCT]; i < family->family->first[ABI_STRUCT + 1]; i++) {
				const struct abi_fact *fact = &family->family->facts[i];
				long size = atol(fact->column[1]);

				if (strcmp(fact->column[0], name))
					continue;
				if (size < least)
					least = size;
				if (size > last && size < next)
					for (size_t r = 0; r <= family->release; r++)
						if (abi_set_has(&fact->releases, r))
							next = size;
			}
			fprintf(out, " %ld,", next);
			last = next;
			if (next == own_size)
				break;
		}
		fprintf(out, " }\n#define FAKE_LEAST_%s %ld\n", name, least);
	}
}

static int line_of(const struct abi_fact *fact)
{
	const char *colon = strrchr(fact->source, ':');

	return colon ? atoi(colon + 1) : 0;
}

/* Of several names of one value, the one that stands first in the header: later ones are kept for old callers. */
static bool is_first_name(const struct gen_family *family, const struct abi_fact *fact)
{
	GEN_EACH(other, family, ABI_ENUM)
		if (other != fact && !strcmp(other->column[0], fact->column[0]) && !strcmp(other->column[2], fact->column[2]) &&
		    line_of(other) < line_of(fact))
			return false;
	return true;
}

static void write_status_names(FILE *out, const struct gen_family *family, struct names *names)
{
	char name[64];

	snprintf(name, sizeof name, "fake_status_name_%s", family->word);
	if (known(names, name, strlen(name)))
		return;
	learn(names, name, strlen(name));
	fprintf(out, "static inline const char *%s(%s status)\n{\n\tswitch ((int)status) {\n", name, family->status_enum);
	GEN_EACH(fact, family, ABI_ENUM)
		if (!strcmp(fact->column[0], family->status_enum) && is_first_name(family, fact))
			fprintf(out, "\tcase %s: return \"%s\";\n", fact->column[1], fact->column[1]);
	fputs("\tdefault: return NULL;\n\t}\n}\n\n", out);
}

static uint64_t hash(const char *text)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	while (*text)
		value = (value ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return value;
}

void gen_header(const struct gen *gen)
{
	FILE *out = gen_open(gen, "fake_api.h");
	struct names names = { NULL, 0, 0 };
	size_t wrote;

	fputs("/* Written by fakegen. */\n#ifndef FAKE_API_H\n#define FAKE_API_H\n\n#include <stddef.h>\n#include <stdint.h>\n"
	      "#include <stdio.h>\n#include \"abi/include/library_types.h\"\n#include \"abi/include/driver_types.h\"\n"
	      "#include \"abi/include/cuComplex.h\"\n#include \"abi/include/cuda_fp16.h\"\n#include \"abi/include/cuda_bf16.h\"\n\n", out);
	fprintf(out, "#define FAKE_RELEASE \"%s\"\n#define FAKE_RELEASE_HASH UINT64_C(0x%016llx)\n\n", gen->version,
		(unsigned long long)hash(gen->version));
	for (size_t i = 0; i < gen->family_count; i++) {
		learn_foreign(&gen->families[i], &names);
		write_enums(out, &gen->families[i], &names);
	}
	do {
		wrote = 0;
		for (size_t i = 0; i < gen->family_count; i++)
			wrote += write_types(out, &gen->families[i], &names);
	} while (wrote);
	for (size_t i = 0; i < gen->family_count; i++) {
		write_macros(out, &gen->families[i], &names);
		write_functions(out, &gen->families[i], &names);
		write_sizes(out, &gen->families[i]);
		write_status_names(out, &gen->families[i], &names);
	}
	fputs("#endif\n", out);
	gen_close(out, "fake_api.h");
	for (size_t i = 0; i < names.count; i++)
		free(names.name[i]);
	free(names.name);
}
