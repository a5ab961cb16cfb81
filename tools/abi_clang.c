/* SPDX-License-Identifier: Apache-2.0 */
/* Turns what libclang found in a header into facts: functions, types with all that they use,
 * integer macros. */
#include "abi_clang.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define MACRO_PREFIX "gangway_macro_"

/* A set or map of names; the head of a uthash table. */
struct gw_names {
	UT_hash_handle hh;
	char *value;
	char key[];
};

static struct gw_names *find(struct gw_names *head, const char *key)
{
	struct gw_names *name = NULL;

	HASH_FIND_STR(head, key, name);
	return name;
}

/* False when KEY was there already. */
static bool add(struct gw_names **head, const char *key, const char *value)
{
	struct gw_names *name;

	if (find(*head, key))
		return false;
	name = malloc(sizeof(*name) + strlen(key) + 1);
	if (!name || !(name->value = strdup(value)))
		obstack_alloc_failed_handler();
	strcpy(name->key, key);
	HASH_ADD_STR(*head, key, name);
	return true;
}

static void clear(struct gw_names **head)
{
	struct gw_names *name, *next;

	HASH_ITER(hh, *head, name, next)
	{
		HASH_DEL(*head, name);
		free(name->value);
		free(name);
	}
}

/* A libclang string as one of ours. */
static const char *take(struct gw_clang *reader, CXString string)
{
	const char *text = clang_getCString(string);
	const char *kept = gw_facts_text(reader->facts, "%s", text ? text : "");

	clang_disposeString(string);
	return kept;
}

/* "HEADER:LINE" of a cursor; false when it is in no file, or in our own main file. */
static bool place(CXCursor cursor, char *source, size_t size)
{
	CXFile file;
	unsigned line;
	CXString path;
	const char *text, *slash;
	bool known;

	clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, NULL, NULL);
	if (!file)
		return false;
	path = clang_getFileName(file);
	text = clang_getCString(path);
	slash = text ? strrchr(text, '/') : NULL;
	known = text && !strstr(text, "gangway-import.c");
	if (known)
		snprintf(source, size, "%s:%u", slash ? slash + 1 : text, line);
	clang_disposeString(path);
	return known;
}

bool gw_clang_own(struct gw_clang *reader, CXCursor cursor, char *source, size_t size)
{
	char name[256];
	char *colon;

	if (!place(cursor, source, size))
		return false;
	snprintf(name, sizeof(name), "%s", source);
	colon = strrchr(name, ':');
	if (colon)
		*colon = '\0';
	return gw_rule_has_header(reader->rule, name);
}

/*
 * A type as clang spells it. Types without a name are spelled with the place where they stand,
 * which would make facts out of line numbers: they become `struct {…}`.
 */
static const char *spell(struct gw_clang *reader, CXType type)
{
	const char *text = take(reader, clang_getTypeSpelling(type));
	const char *begin = strstr(text, "(unnamed"), *end, *qualified;

	if (!begin)
		begin = strstr(text, "(anonymous");
	end = begin ? strchr(begin, ')') : NULL;
	if (!end)
		return text;
	qualified = strstr(text, "struct ") ? "struct" : strstr(text, "union ") ? "union" : "enum";
	return gw_facts_text(reader->facts, "%s {…}%s", qualified, end + 1);
}

/* What a record or enum is called: by its typedef, else by its tag; NULL when by neither. */
static const char *call(struct gw_clang *reader, CXCursor declaration)
{
	const char *usr = take(reader, clang_getCursorUSR(declaration));
	struct gw_names *alias = find(reader->aliases, usr);
	const char *tag;

	if (alias)
		return gw_facts_text(reader->facts, "%s", alias->value);
	tag = take(reader, clang_getCursorSpelling(declaration));
	return *tag && !strchr(tag, '(') ? tag : NULL;
}

void gw_clang_alias(struct gw_clang *reader, CXCursor cursor)
{
	CXType type = clang_getTypedefDeclUnderlyingType(cursor);
	const char *name = take(reader, clang_getCursorSpelling(cursor)), *tag, *usr;
	CXCursor declaration;

	if (type.kind == CXType_Elaborated)
		type = clang_Type_getNamedType(type);
	if (type.kind != CXType_Record && type.kind != CXType_Enum)
		return;
	declaration = clang_getTypeDeclaration(type);
	usr = take(reader, clang_getCursorUSR(declaration));
	tag = take(reader, clang_getCursorSpelling(declaration));
	if (!add(&reader->aliases, usr, name) && !strcmp(tag, name)) {
		/* `typedef enum X {…} Y; typedef enum X X;`: the name that is both wins */
		struct gw_names *alias = find(reader->aliases, usr);

		free(alias->value);
		alias->value = strdup(name);
	}
}

void gw_clang_begin_unit(struct gw_clang *reader)
{
	clear(&reader->types);
	clear(&reader->aliases);
	if (reader->cxx)
		return;
	clear(&reader->macros);
	free(reader->macro_lines);
	reader->macro_lines = NULL;
}

void gw_clang_finish(struct gw_clang *reader)
{
	reader->cxx = false;
	gw_clang_begin_unit(reader);
	clear(&reader->functions);
	clear(&reader->known);
	clear(&reader->covered);
}

void gw_clang_covered(struct gw_clang *reader, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (path)
		add(&reader->covered, slash ? slash + 1 : path, "");
}

bool gw_clang_is_covered(const struct gw_clang *reader, const char *name)
{
	return find(reader->covered, name);
}

/* In C++ a type that C facts describe already is not described again. */
static bool is_new(struct gw_clang *reader, const char *kind, const char *name)
{
	const char *key = gw_facts_text(reader->facts, "%s %s", kind, name);

	if (reader->cxx && find(reader->known, key))
		return false;
	add(&reader->known, key, "");
	return true;
}

struct constants {
	struct gw_clang *reader;
	const char *type;
	bool is_unsigned;
};

static enum CXChildVisitResult visit_constant(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct constants *constants = data;
	struct gw_clang *reader = constants->reader;
	const char *column[3] = {constants->type};
	char source[256];

	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_EnumConstantDecl ||
	    !place(cursor, source, sizeof(source)))
		return CXChildVisit_Continue;
	column[1] = take(reader, clang_getCursorSpelling(cursor));
	column[2] = constants->is_unsigned
			    ? gw_facts_text(reader->facts, "%llu",
					    clang_getEnumConstantDeclUnsignedValue(cursor))
			    : gw_facts_text(reader->facts, "%lld",
					    clang_getEnumConstantDeclValue(cursor));
	gw_facts_add(reader->facts, ABI_ENUM, source, column);
	return CXChildVisit_Continue;
}

static void enumeration(struct gw_clang *reader, CXCursor declaration)
{
	CXType type = clang_getCanonicalType(clang_getEnumDeclIntegerType(declaration));
	struct constants constants = {reader, call(reader, declaration), false};

	constants.is_unsigned = type.kind >= CXType_Bool && type.kind <= CXType_UInt128;
	if (!constants.type || is_new(reader, "enum", constants.type))
		clang_visitChildren(declaration, visit_constant, &constants);
}

struct fields {
	struct gw_clang *reader;
	const char *record, *prefix;
	long long base; /* bits */
};

static void record_fields(struct gw_clang *reader, CXType type, const char *record,
			  const char *prefix, long long base);

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data)
{
	const struct fields *fields = data;
	struct gw_clang *reader = fields->reader;
	CXType type = clang_getCursorType(cursor), record = clang_getCanonicalType(type);
	long long bits = fields->base + clang_Cursor_getOffsetOfField(cursor),
		  size = clang_Type_getSizeOf(type);
	const char *name = take(reader, clang_getCursorSpelling(cursor)),
		   *column[5] = {fields->record};
	char source[256];

	if (record.kind == CXType_Record && (!*name || strchr(name, '('))) {
		record_fields(reader, record, fields->record, fields->prefix, bits);
		return CXVisit_Continue;
	}
	if (!*name || !place(cursor, source, sizeof(source)))
		return CXVisit_Continue; /* unnamed bit-fields only pad */
	column[1] = gw_facts_text(reader->facts, "%s%s", fields->prefix, name);
	column[2] = gw_facts_text(reader->facts, "%lld", bits / 8);
	column[3] = gw_facts_text(reader->facts, "%lld",
				  size < 0 ? 0 : size); /* a flexible array has no size */
	column[4] = spell(reader, type);
	if (clang_Cursor_isBitField(cursor))
		column[4] = gw_facts_text(reader->facts, "%s : %d at bit %lld", column[4],
					  clang_getFieldDeclBitWidth(cursor), bits % 8);
	gw_facts_add(reader->facts, ABI_FIELD, source, column);
	if (record.kind == CXType_Record && strstr(column[4], "{…}"))
		record_fields(reader, record, fields->record,
			      gw_facts_text(reader->facts, "%s.", column[1]), bits);
	gw_clang_type(reader, type);
	return CXVisit_Continue;
}

static void record_fields(struct gw_clang *reader, CXType type, const char *record,
			  const char *prefix, long long base)
{
	struct fields fields = {reader, record, prefix, base};

	clang_Type_visitFields(type, visit_field, &fields);
}

static void record(struct gw_clang *reader, CXType type)
{
	CXCursor declaration = clang_getTypeDeclaration(type),
		 definition = clang_getCursorDefinition(declaration);
	const char *column[2] = {call(reader, declaration)};
	char source[256];

	if (clang_Cursor_isNull(definition) || !column[0] ||
	    !place(definition, source, sizeof(source)) || !is_new(reader, "struct", column[0]))
		return;
	column[1] = gw_facts_text(reader->facts, "%lld", clang_Type_getSizeOf(type));
	gw_facts_add(reader->facts, ABI_STRUCT, source, column);
	record_fields(reader, type, column[0], "", 0);
}

static void type_definition(struct gw_clang *reader, CXType type)
{
	CXCursor declaration = clang_getTypeDeclaration(type);
	CXType underlying = clang_getTypedefDeclUnderlyingType(declaration);
	const char *column[2] = {take(reader, clang_getCursorSpelling(declaration)),
				 spell(reader, underlying)};
	char source[256];

	if (place(declaration, source, sizeof(source)) && is_new(reader, "typedef", column[0])) {
		if (strstr(column[1], "{…}"))
			column[1] =
				gw_facts_text(reader->facts, "%.*s %s",
					      (int)strcspn(column[1], " "), column[1], column[0]);
		gw_facts_add(reader->facts, ABI_TYPEDEF, source, column);
	}
	gw_clang_type(reader, underlying);
}

static void named_type(struct gw_clang *reader, CXType type)
{
	const char *usr = take(reader, clang_getCursorUSR(clang_getTypeDeclaration(type)));

	if (!add(&reader->types, usr, ""))
		return;
	if (type.kind == CXType_Typedef)
		type_definition(reader, type);
	else if (type.kind == CXType_Record)
		record(reader, type);
	else
		enumeration(reader, clang_getTypeDeclaration(type));
}

void gw_clang_type(struct gw_clang *reader, CXType type)
{
	CXType inner;

	switch (type.kind) {
	case CXType_Invalid:
		return;
	case CXType_Elaborated:
		gw_clang_type(reader, clang_Type_getNamedType(type));
		return;
	case CXType_Typedef:
	case CXType_Record:
	case CXType_Enum:
		named_type(reader, type);
		return;
	case CXType_Pointer:
		gw_clang_type(reader, clang_getPointeeType(type));
		return;
	default:
		break;
	}
	inner = clang_getResultType(type);
	if (inner.kind != CXType_Invalid) {
		gw_clang_type(reader, inner);
		for (int i = 0; i < clang_getNumArgTypes(type); i++)
			gw_clang_type(reader, clang_getArgType(type, (unsigned)i));
		return;
	}
	inner = clang_getArrayElementType(type);
	if (inner.kind == CXType_Invalid)
		inner = clang_getPointeeType(type);
	if (inner.kind == CXType_Invalid) {
		inner = clang_getCanonicalType(type);
		if (clang_equalTypes(inner, type))
			return;
	}
	gw_clang_type(reader, inner);
}

void gw_clang_function(struct gw_clang *reader, CXCursor cursor, const char *source)
{
	const char *column[3] = {take(reader, clang_getCursorSpelling(cursor))}, *types = "";
	int count = clang_Cursor_getNumArguments(cursor);

	if (clang_getCursorLinkage(cursor) != CXLinkage_External ||
	    clang_isCursorDefinition(cursor))
		return;
	/* what C++ alone sees counts when it is a C function all the same, whose symbol is its name
	 */
	if (reader->cxx && (find(reader->functions, column[0]) ||
			    strcmp(take(reader, clang_Cursor_getMangling(cursor)), column[0])))
		return;
	column[1] = spell(reader, clang_getCursorResultType(cursor));
	column[2] = "";
	for (int i = 0; i < count; i++) {
		CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
		const char *name = take(reader, clang_getCursorSpelling(argument));
		const char *type = spell(reader, clang_getCursorType(argument));

		column[2] = gw_facts_text(reader->facts, "%s%s%s: %s", column[2], i ? ", " : "",
					  *name ? name : "_", type);
		types = gw_facts_text(reader->facts, "%s,%s", types, type);
	}
	/* `f()` without a prototype counts as variadic for libclang: it takes nothing that anybody
	 * could know of */
	if (clang_getCursorType(cursor).kind == CXType_FunctionProto &&
	    clang_isFunctionTypeVariadic(clang_getCursorType(cursor)))
		column[2] =
			gw_facts_text(reader->facts, "%s%s_: ...", column[2], count ? ", " : "");
	if (!reader->cxx)
		add(&reader->functions, column[0], "");
	/* a second declaration that differs in names alone is the same function */
	if (!add(&reader->functions,
		 gw_facts_text(reader->facts, "%s(%s) %s", column[0], types, column[1]), ""))
		return;
	gw_facts_add(reader->facts, ABI_FUNCTION, source, column);
	gw_clang_type(reader, clang_getCursorType(cursor));
}

/* Could this be an integer's expression? Braces and keywords would spoil the lines that ask clang.
 */
static bool is_expression(CXTranslationUnit unit, CXCursor cursor)
{
	CXToken *tokens = NULL;
	unsigned count = 0;
	bool good;

	clang_tokenize(unit, clang_getCursorExtent(cursor), &tokens, &count);
	good = count > 1;
	for (unsigned i = 1; good && i < count; i++) {
		CXTokenKind kind = clang_getTokenKind(tokens[i]);
		CXString string = clang_getTokenSpelling(unit, tokens[i]);
		const char *text = clang_getCString(string);

		good = text && kind != CXToken_Keyword && kind != CXToken_Comment &&
		       (kind != CXToken_Punctuation || !strpbrk(text, "{};#\\[],.")) &&
		       *text != '"';
		clang_disposeString(string);
	}
	clang_disposeTokens(unit, tokens, count);
	return good;
}

void gw_clang_macro(struct gw_clang *reader, CXCursor cursor, const char *source)
{
	const char *name = take(reader, clang_getCursorSpelling(cursor));
	char *lines = NULL;

	if (clang_Cursor_isMacroFunctionLike(cursor) || clang_Cursor_isMacroBuiltin(cursor) ||
	    !is_expression(reader->unit, cursor) || !add(&reader->macros, name, source))
		return;
	if (asprintf(&lines, "%sstatic const __typeof__((%s)) " MACRO_PREFIX "%s = (%s);\n",
		     reader->macro_lines ? reader->macro_lines : "", name, name, name) < 0)
		obstack_alloc_failed_handler();
	free(reader->macro_lines);
	reader->macro_lines = lines;
}

static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct gw_clang *reader = data;
	CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
	const char *name, *column[2];
	struct gw_names *macro;
	CXEvalResult result;

	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_VarDecl)
		return CXChildVisit_Continue;
	name = take(reader, clang_getCursorSpelling(cursor));
	if (strncmp(name, MACRO_PREFIX, strlen(MACRO_PREFIX)))
		return CXChildVisit_Continue;
	macro = find(reader->macros, name + strlen(MACRO_PREFIX));
	if (!macro ||
	    !((type.kind >= CXType_Bool && type.kind <= CXType_Int128) || type.kind == CXType_Enum))
		return CXChildVisit_Continue;
	result = clang_Cursor_Evaluate(cursor);
	if (result && clang_EvalResult_getKind(result) == CXEval_Int) {
		column[0] = macro->key;
		column[1] = clang_EvalResult_isUnsignedInt(result)
				    ? gw_facts_text(reader->facts, "%llu",
						    clang_EvalResult_getAsUnsigned(result))
				    : gw_facts_text(reader->facts, "%lld",
						    clang_EvalResult_getAsLongLong(result));
		gw_facts_add(reader->facts, ABI_MACRO, macro->value, column);
	}
	if (result)
		clang_EvalResult_dispose(result);
	return CXChildVisit_Continue;
}

void gw_clang_macro_values(struct gw_clang *reader, CXTranslationUnit unit)
{
	clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_macro, reader);
}
