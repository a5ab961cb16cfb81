/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a type, as the database spells it, is to the calling convention: its typedefs resolved in
 * the release that declares it. No C parser: the database's types are those of a C header's
 * functions, already checked by a compiler.
 */
#include "gen.h"

#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 16 /* typedefs of typedefs; more is a loop */

struct place {
	const struct gen *gen;
	const struct abi_family *family;
	size_t release;
	const struct abi_fact *fact; /* for errors */
	unsigned column;
};

static const struct {
	const char *words;
	enum gw_class class;
} builtins[] = {
	{"void", GW_CLASS_VOID},
	{"int", GW_CLASS_INT32},
	{"signed int", GW_CLASS_INT32},
	{"int32_t", GW_CLASS_INT32},
	{"short", GW_CLASS_INT32},
	{"int16_t", GW_CLASS_INT32},
	{"unsigned int", GW_CLASS_UINT32},
	{"unsigned", GW_CLASS_UINT32},
	{"uint32_t", GW_CLASS_UINT32},
	{"unsigned short", GW_CLASS_UINT32},
	{"uint16_t", GW_CLASS_UINT32},
	{"unsigned char", GW_CLASS_UINT32},
	{"uint8_t", GW_CLASS_UINT32},
	{"_Bool", GW_CLASS_UINT32},
	{"bool", GW_CLASS_UINT32},
	{"char", GW_CLASS_INT8},
	{"signed char", GW_CLASS_INT8},
	{"int8_t", GW_CLASS_INT8},
	{"long", GW_CLASS_INT64},
	{"long long", GW_CLASS_INT64},
	{"int64_t", GW_CLASS_INT64},
	{"ptrdiff_t", GW_CLASS_INT64},
	{"unsigned long", GW_CLASS_UINT64},
	{"unsigned long long", GW_CLASS_UINT64},
	{"uint64_t", GW_CLASS_UINT64},
	{"size_t", GW_CLASS_UINT64},
	{"float", GW_CLASS_FLOAT},
	{"double", GW_CLASS_DOUBLE},
};

/* Words that are no typedef of a vendor's header: C's own, and those of stddef.h, stdint.h and
 * stdbool.h. */
bool type_is_builtin(const char *word)
{
	static const char *const parts[] = {"signed", "const", "volatile", "restrict",
					    "struct", "enum",  "union"};

	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		if (!strcmp(builtins[i].words, word))
			return true;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!strcmp(parts[i], word))
			return true;
	}
	return false;
}

bool type_is_integer(const char *canonical)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		if (!strcmp(builtins[i].words, canonical))
			return builtins[i].class == GW_CLASS_INT32 ||
			       builtins[i].class == GW_CLASS_UINT32 ||
			       builtins[i].class == GW_CLASS_INT64 ||
			       builtins[i].class == GW_CLASS_UINT64;
	}
	return false;
}

/*
 * The pairs of floats that CUDA passes by value. Their alignment, which decides where they lie on a
 * stack, is more than the database holds of a struct, so they are known here.
 */
static unsigned vector_size(const char *name)
{
	return !strcmp(name, "float2")    ? 2 * sizeof(float)
	       : !strcmp(name, "double2") ? 2 * sizeof(double)
					  : 0;
}

static const struct abi_fact *typedef_in(const struct abi_family *family, int release,
					 const char *name)
{
	struct gen_range range = facts_named(family, ABI_TYPEDEF, name);
	const struct abi_fact *best = NULL;
	int newest = -1;

	for (size_t i = 0; i < range.count; i++) {
		int last = facts_newest(family, &range.first[i].releases);

		if (release >= 0 && abi_set_has(&range.first[i].releases, (size_t)release))
			return &range.first[i];
		if (last > newest) {
			newest = last;
			best = &range.first[i];
		}
	}
	return best;
}

/* In this release; else in the newest that has it; else as a sibling family knows it. */
const struct abi_fact *type_typedef(const struct gen *gen, const struct abi_family *family,
				    size_t release, const char *name)
{
	const struct abi_fact *fact = typedef_in(family, (int)release, name);

	for (size_t i = 0; !fact && i < gen->db.family_count; i++)
		fact = typedef_in(&gen->db.families[i], -1, name);
	return fact;
}

static bool has_struct(const struct gen *gen, const char *name)
{
	return facts_owner(gen, NULL, ABI_STRUCT, name) || vector_size(name);
}

static char *canonical(const struct place *place, const char *type, unsigned depth);

static char *canonical_name(const struct place *place, const char *word, unsigned depth)
{
	const struct abi_fact *definition;

	if (type_is_builtin(word))
		return gen_format("%s", word);
	definition = type_typedef(place->gen, place->family, place->release, word);
	if (definition && strcmp(definition->column[1], word) &&
	    !strstr(definition->column[1], "{…}"))
		return canonical(place, definition->column[1], depth + 1);
	if (facts_owner(place->gen, place->family, ABI_ENUM, word))
		return gen_format("enum %s", word);
	if (definition || has_struct(place->gen, word))
		return gen_format("struct %s", word);
	gen_fail(place->family->path, place->fact->line, facts_column(place->fact, place->column),
		 "%s: no `typedef`, `enum` or `struct` line says what '%s' is",
		 place->fact->column[0], word);
}

static char *canonical(const struct place *place, const char *type, unsigned depth)
{
	char *text = gen_format("%s", "");
	bool tag = false, word_before = false;

	if (depth > MAX_DEPTH)
		gen_fail(place->family->path, place->fact->line,
			 facts_column(place->fact, place->column),
			 "%s: the typedefs of '%s' go round in a circle", place->fact->column[0],
			 type);
	for (const char *p = type; *p;) {
		size_t length = 0;
		const char *word;

		while (isalnum((unsigned char)p[length]) || p[length] == '_')
			length++;
		if (!length) {
			if (*p != ' ') {
				text = gen_format("%s%c", text, *p);
				word_before = false;
			}
			p++;
			continue;
		}
		word = gen_slice(p, length);
		p += length;
		if (!strcmp(word, "const") || !strcmp(word, "volatile") ||
		    !strcmp(word, "restrict") || !strcmp(word, "__restrict"))
			continue;
		if (!tag && !isdigit((unsigned char)*word))
			word = canonical_name(place, word, depth);
		tag = !strcmp(word, "struct") || !strcmp(word, "enum") || !strcmp(word, "union");
		text = gen_format("%s%s%s", text, word_before ? " " : "", word);
		word_before = true;
	}
	return text;
}

char *type_canonical(const struct gen *gen, const struct abi_family *family, size_t release,
		     const char *spelling, const struct abi_fact *fact, unsigned column)
{
	const struct place place = {gen, family, release, fact, column};

	return canonical(&place, spelling, 0);
}

/* An enum's or struct's tag and its typedef name may differ: the database lists it under either. */
static const char *listed_name(const struct place *place, enum abi_kind kind, const char *spelling,
			       const char *tag)
{
	if (facts_owner(place->gen, place->family, kind, tag))
		return tag;
	for (unsigned depth = 0; spelling && depth < MAX_DEPTH; depth++) {
		const char *word = strncmp(spelling, "const ", 6) ? spelling : spelling + 6;
		const struct abi_fact *definition;

		if (facts_owner(place->gen, place->family, kind, word))
			return word;
		definition = type_typedef(place->gen, place->family, place->release, word);
		spelling = definition ? definition->column[1] : NULL;
	}
	return NULL;
}

static unsigned struct_size(const struct place *place, const char *tag, const char *name)
{
	const struct abi_family *owner =
		name ? facts_owner(place->gen, place->family, ABI_STRUCT, name) : NULL;
	unsigned size = vector_size(tag);

	if (owner)
		(void)sscanf(facts_named(owner, ABI_STRUCT, name).first->column[1], "%u", &size);
	if (!size || size > UINT8_MAX)
		gen_fail(place->family->path, place->fact->line,
			 facts_column(place->fact, place->column),
			 "%s: struct '%s' is passed by value, and no `struct` line gives its size",
			 place->fact->column[0], tag);
	return size;
}

struct gen_type type_resolve(const struct gen *gen, const struct abi_family *family, size_t release,
			     const char *spelling, const struct abi_fact *fact, unsigned column)
{
	const struct place place = {gen, family, release, fact, column};
	struct gen_type type = {.spelling = spelling, .canonical = canonical(&place, spelling, 0)};

	if (!strcmp(type.canonical, "char*")) {
		type.class = GW_CLASS_STRING;
		return type;
	}
	if (strpbrk(type.canonical, "*[(")) {
		type.class = GW_CLASS_POINTER;
		return type;
	}
	if (!strncmp(type.canonical, "enum ", 5)) {
		type.class = GW_CLASS_INT32;
		type.enum_name = listed_name(&place, ABI_ENUM, spelling, type.canonical + 5);
		return type;
	}
	if (!strncmp(type.canonical, "struct ", 7) || !strncmp(type.canonical, "union ", 6)) {
		const char *tag = strchr(type.canonical, ' ') + 1;

		type.class = GW_CLASS_STRUCT;
		type.record =
			vector_size(tag) ? NULL : listed_name(&place, ABI_STRUCT, spelling, tag);
		type.size = struct_size(&place, tag, type.record);
		return type;
	}
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		if (!strcmp(builtins[i].words, type.canonical)) {
			type.class = builtins[i].class;
			return type;
		}
	}
	gen_fail(family->path, fact->line, facts_column(fact, column),
		 "%s: type '%s' cannot be passed on", fact->column[0], spelling);
}

static const char *parameter_name(const struct gen_signature *signature, const char *name)
{
	if (!strcmp(name, "_"))
		return gen_format("argument%zu", signature->count + 1);
	for (size_t i = 0; i < signature->count; i++) {
		if (!strcmp(signature->parameters[i].name, name))
			return gen_format("%s_%zu", name, signature->count + 1);
	}
	return name;
}

/* An array parameter is a pointer; written so, its elements need no definition. */
static const char *decayed(const char *spelling)
{
	const char *open = strchr(spelling, '['), *close = open ? strchr(open, ']') : NULL;
	size_t before = open ? (size_t)(open - spelling) : 0;

	if (!close || strstr(spelling, "(*"))
		return spelling;
	while (before && spelling[before - 1] == ' ')
		before--;
	return close[1] ? gen_format("%.*s (*)%s", (int)before, spelling, close + 1)
			: gen_format("%.*s%s*", (int)before, spelling,
				     before && spelling[before - 1] == '*' ? "" : " ");
}

struct gen_signature type_signature(const struct gen *gen, const struct abi_family *family,
				    const struct abi_fact *fact)
{
	size_t release = (size_t)facts_newest(family, &fact->releases), count = 0;
	struct gen_signature signature = {
		.result = type_resolve(gen, family, release, fact->column[1], fact, 1)};
	const char *cursor = fact->column[2];
	struct abi_parameter parameter;

	while (abi_parameter_next(&cursor, &parameter))
		count++;
	if (count > UINT8_MAX)
		gen_fail(family->path, fact->line, facts_column(fact, 2), "%s: %zu parameters",
			 fact->column[0], count);
	/* `f()`: an old declaration without a prototype, which takes nothing. */
	if (count == 1 && strstr(fact->column[2], ": ..."))
		return signature;
	signature.parameters = gen_alloc(count * sizeof(*signature.parameters));
	cursor = fact->column[2];
	while (abi_parameter_next(&cursor, &parameter)) {
		struct gen_parameter *to = &signature.parameters[signature.count];

		to->type = type_resolve(gen, family, release,
					decayed(gen_slice(parameter.type, parameter.type_length)),
					fact, 2);
		/* What an argument points to is never followed. */
		if (to->type.class == GW_CLASS_STRING)
			to->type.class = GW_CLASS_POINTER;
		to->name = parameter_name(&signature,
					  gen_slice(parameter.name, parameter.name_length));
		signature.count++;
	}
	return signature;
}

char *type_canonical_signature(const struct gen_signature *signature)
{
	char *text = gen_format("%s(", signature->result.canonical);

	for (size_t i = 0; i < signature->count; i++)
		text = gen_format("%s%s%s", text, i ? "," : "",
				  signature->parameters[i].type.canonical);
	return gen_format("%s)", text);
}

/* `int` and `x` -> "int x"; `int[3]` -> "int x[3]"; `void (*)(int)` -> "void (*x)(int)". */
char *type_declare(const char *spelling, const char *name)
{
	const char *pointer = strstr(spelling, "(*"), *open = strpbrk(spelling, "[(");
	size_t length = strlen(spelling);

	if (pointer)
		return gen_format("%.*s%s%s", (int)(pointer + 2 - spelling), spelling, name,
				  pointer + 2);
	if (open) {
		size_t before = (size_t)(open - spelling);

		while (before && spelling[before - 1] == ' ')
			before--;
		return gen_format("%.*s%s%s%s", (int)before, spelling,
				  before && spelling[before - 1] == '*' ? "" : " ", name, open);
	}
	return gen_format("%s%s%s", spelling, length && spelling[length - 1] == '*' ? "" : " ",
			  name);
}
