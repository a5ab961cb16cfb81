/* SPDX-License-Identifier: Apache-2.0 */
/* Writes gw_types.h: for every type name that the bridged functions use, a typedef that travels in
 * the same registers. */
#include "gen.h"

#include <ctype.h>
#include <string.h>

struct writer {
	const struct gen *gen;
	const struct abi_family *family;
	size_t release;
	FILE *file;
	const char **done;
	size_t done_count, done_capacity;
};

/* True the first time. */
static bool first_time(struct writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->done_count; i++) {
		if (!strcmp(writer->done[i], name))
			return false;
	}
	if (writer->done_count == writer->done_capacity) {
		const char **more = gen_alloc(
			(writer->done_capacity = writer->done_capacity * 2 + 256) * sizeof(*more));

		if (writer->done_count)
			memcpy(more, writer->done, writer->done_count * sizeof(*more));
		writer->done = more;
	}
	writer->done[writer->done_count++] = name;
	return true;
}

static void define_names(struct writer *writer, const char *type);

/* What is only pointed to needs no more than its name. */
static void define_tag(struct writer *writer, const char *keyword, const char *tag)
{
	if (first_time(writer, gen_format("%s %s", keyword, tag)))
		fprintf(writer->file, "%s %s;\n", keyword, tag);
}

static void define_value(struct writer *writer, const struct gen_type *type);

/* The fields of one release; a struct that a sibling family describes may know other releases: then
 * its newest. */
static void define_fields(struct writer *writer, const struct gen_type *type, bool types_only)
{
	const struct abi_family *owner =
		facts_owner(writer->gen, writer->family, ABI_STRUCT, type->record);
	struct gen_range fields = facts_named(owner, ABI_FIELD, type->record);
	size_t release = owner == writer->family ? writer->release : owner->release_count - 1;

	for (size_t i = 0; i < fields.count; i++) {
		const struct abi_fact *field = &fields.first[i];
		struct gen_type inner;

		if (!abi_set_has(&field->releases, release))
			continue;
		inner = type_resolve(writer->gen, owner, release, field->column[4], field, 4);
		if (!types_only)
			fprintf(writer->file, "\t%s;\n",
				type_declare(inner.spelling, field->column[1]));
		else if (inner.class == GW_CLASS_STRUCT)
			define_value(writer, &inner);
		else
			define_names(writer, inner.spelling);
	}
}

/* What is passed by value needs its members: they decide the registers. */
static void define_value(struct writer *writer, const struct gen_type *type)
{
	if (!first_time(writer, gen_format("%s {", type->canonical)))
		return;
	if (type->record) {
		define_fields(writer, type, true);
		fprintf(writer->file, "%s {\n", type->canonical);
		define_fields(writer, type, false);
		fputs("};\n", writer->file);
	} else {
		fprintf(writer->file, "%s {\n\t%s x, y;\n} __attribute__((aligned(%u)));\n",
			type->canonical, type->size == 2 * sizeof(float) ? "float" : "double",
			type->size);
	}
	(void)first_time(writer, type->canonical);
}

/* Function pointers and arrays take the name in their middle; a plain function type before its
 * parameters. */
static void write_typedef(struct writer *writer, const char *name, const char *type)
{
	fprintf(writer->file, "typedef %s;\n", type_declare(type, name));
}

static char *without_enums(const char *type)
{
	char *text = gen_format("%s", "");

	for (const char *p = type, *found; *p; p = found) {
		found = strstr(p, "enum ");
		if (!found)
			return gen_format("%s%s", text, p);
		text = gen_format("%s%.*sint", text, (int)(found - p), p);
		found += strlen("enum ");
		while (isalnum((unsigned char)*found) || *found == '_')
			found++;
	}
	return text;
}

static void define_name(struct writer *writer, const char *name)
{
	const struct abi_fact *definition;
	const char *type;

	if (type_is_builtin(name) || !first_time(writer, name))
		return;
	definition = type_typedef(writer->gen, writer->family, writer->release, name);
	type = definition ? definition->column[1] : NULL;
	if (!type || !strcmp(type, name) || strstr(type, "{…}")) {
		bool is_enum = facts_owner(writer->gen, writer->family, ABI_ENUM, name) != NULL;

		if (!is_enum)
			define_tag(writer, "struct", name);
		fprintf(writer->file, "typedef %s%s %s;\n", is_enum ? "int" : "struct ",
			is_enum ? "" : name, name);
		return;
	}
	define_names(writer, type);
	write_typedef(writer, name, without_enums(type));
}

static void define_names(struct writer *writer, const char *type)
{
	const char *tag = NULL;

	for (const char *p = type; *p;) {
		size_t length = 0;
		const char *word;

		while (isalnum((unsigned char)p[length]) || p[length] == '_')
			length++;
		if (!length || isdigit((unsigned char)*p)) {
			p += length ? length : 1;
			continue;
		}
		word = gen_slice(p, length);
		p += length;
		if (tag) {
			if (strcmp(tag, "enum"))
				define_tag(writer, tag, word);
			tag = NULL;
		} else if (!strcmp(word, "struct") || !strcmp(word, "union") ||
			   !strcmp(word, "enum")) {
			tag = word;
		} else {
			define_name(writer, word);
		}
	}
}

static void define_type(struct writer *writer, const struct gen_type *type)
{
	if (type->class == GW_CLASS_STRUCT)
		define_value(writer, type);
	define_names(writer, type->spelling);
}

void emit_types(const struct gen *gen)
{
	struct writer writer = {.gen = gen, .file = gen_open(gen, "gw_types.h")};

	fputs("/* Generated by abigen. Types that travel as the vendors' types of the same names "
	      "do. */\n"
	      "#ifndef GW_TYPES_H\n#define GW_TYPES_H\n\n#include <stdbool.h>\n#include "
	      "<stddef.h>\n#include <stdint.h>\n\n",
	      writer.file);
	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_function *function = &gen->functions[i];

		writer.family = gen->families[function->family].facts;
		writer.release = (size_t)facts_newest(writer.family, &function->fact->releases);
		define_type(&writer, &function->signature.result);
		for (size_t k = 0; k < function->signature.count; k++)
			define_type(&writer, &function->signature.parameters[k].type);
	}
	fputs("\n#endif\n", writer.file);
	gen_close(writer.file, "gw_types.h");
}
