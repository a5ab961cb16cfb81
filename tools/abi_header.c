/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what headers declare, through libclang. Each header is parsed alone, as a C program would
 * include it, then as C++ for the functions that C does not see (those with 16-bit float types).
 * Types of other headers are taken in as far as these interfaces use them. The headers come from
 * memory: nothing is unpacked to disk.
 */
#include "abi_clang.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct gw_clang *reader = data;
	char source[256];

	(void)parent;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_LinkageSpec:
	case CXCursor_UnexposedDecl:
		return CXChildVisit_Recurse;
	default:
		break;
	}
	if (!gw_clang_own(reader, cursor, source, sizeof(source)))
		return CXChildVisit_Continue;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_FunctionDecl:
		gw_clang_function(reader, cursor, source);
		break;
	case CXCursor_TypedefDecl:
	case CXCursor_EnumDecl:
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
		/* C++ adds functions and the types that they alone use, no second spelling of the
		 * rest */
		if (!reader->cxx)
			gw_clang_type(reader, clang_getCursorType(cursor));
		break;
	case CXCursor_MacroDefinition:
		if (!reader->cxx)
			gw_clang_macro(reader, cursor, source);
		break;
	default:
		break;
	}
	return CXChildVisit_Continue;
}

/* Tagged types are called as their typedef calls them: learn those before anything is named. */
static enum CXChildVisitResult visit_typedefs(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (clang_getCursorKind(cursor) == CXCursor_LinkageSpec ||
	    clang_getCursorKind(cursor) == CXCursor_UnexposedDecl)
		return CXChildVisit_Recurse;
	if (clang_getCursorKind(cursor) == CXCursor_TypedefDecl)
		gw_clang_alias(data, cursor);
	return CXChildVisit_Continue;
}

static int first_error(CXTranslationUnit unit, const char *name, struct abi_error *error)
{
	unsigned count = clang_getNumDiagnostics(unit);

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
		bool is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;

		if (is_error) {
			CXString text = clang_formatDiagnostic(diagnostic,
							       CXDiagnostic_DisplaySourceLocation |
								       CXDiagnostic_DisplayColumn);
			const char *line = clang_getCString(text);
			size_t prefix = strlen(GW_CLANG_FOLDER "/");

			if (!strncmp(line, GW_CLANG_FOLDER "/", prefix))
				line += prefix;
			gw_abi_fail(error, -EINVAL,
				    "%.400s (while reading %s as a program would include it; "
				    "--include DIR names real CUDA headers)",
				    line, name);
			clang_disposeString(text);
		}
		clang_disposeDiagnostic(diagnostic);
		if (is_error)
			return -EINVAL;
	}
	return 0;
}

/* The unit with NAME's header included, and LINES after it. NULL when libclang gives up. */
static CXTranslationUnit parse(struct gw_clang *reader, const char *name, const char *lines)
{
	const char *arguments[24] = {
		"-xc", "-std=gnu11",      "-target",           "x86_64-unknown-linux-gnu",
		"-w",  "-ferror-limit=0", ("-I" GW_CLANG_FOLDER)};
	const char *main_file = GW_CLANG_FOLDER "/gangway-import.c";
	char *text = NULL;
	int count = 7;
	CXTranslationUnit unit = NULL;

	if (reader->cxx) {
		arguments[0] = "-xc++";
		arguments[1] = "-std=gnu++14";
		main_file = GW_CLANG_FOLDER "/gangway-import.cpp";
	}
	if (reader->include) {
		arguments[count++] = "-isystem";
		arguments[count++] = reader->include;
	} else {
		arguments[count++] = "-nostdinc";
	}
	arguments[count++] = reader->include ? "-idirafter" : "-isystem";
	arguments[count++] = reader->stand_ins;
	if (asprintf(&text, "#include \"%s\"\n%s", name, lines) < 0)
		return NULL;
	reader->unsaved[0] = (struct CXUnsavedFile){main_file, text, strlen(text)};
	clang_parseTranslationUnit2(
		reader->index, main_file, arguments, count, reader->unsaved,
		(unsigned)reader->unsaved_count,
		CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing, &unit);
	free(text);
	return unit;
}

static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	CXString path = clang_getFileName(file);

	(void)stack;
	if (depth)
		gw_clang_covered(data, clang_getCString(path));
	clang_disposeString(path);
}

static int read_header(struct gw_clang *reader, const char *name, struct abi_error *error)
{
	CXTranslationUnit unit;
	int rc = 0;

	for (int cxx = 0; !rc && cxx < 2; cxx++) {
		reader->cxx = cxx;
		unit = parse(reader, name, "");
		if (!unit)
			return gw_abi_fail(error, -EIO, "%s: libclang cannot read it", name);
		rc = first_error(unit, name, error);
		reader->unit = unit;
		gw_clang_begin_unit(reader);
		if (!rc) {
			clang_getInclusions(unit, visit_inclusion, reader);
			clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_typedefs,
					    reader);
			clang_visitChildren(clang_getTranslationUnitCursor(unit), visit, reader);
		}
		clang_disposeTranslationUnit(unit);
	}
	reader->cxx = false;
	if (!rc && reader->macro_lines && *reader->macro_lines) {
		unit = parse(reader, name, reader->macro_lines);
		if (!unit)
			return gw_abi_fail(error, -EIO, "%s: libclang cannot read it", name);
		gw_clang_macro_values(reader, unit);
		clang_disposeTranslationUnit(unit);
	}
	return rc;
}

/* How many of ERRORS stand at the same place as TEXT (up to the remark that first_error adds). */
static size_t count_same(const struct abi_error *errors, size_t count, const char *text)
{
	const char *remark = strstr(text, " (while reading ");
	size_t length = remark ? (size_t)(remark - text) : strlen(text), same = 0;

	for (size_t i = 0; i < count; i++)
		same += !strncmp(errors[i].text, text, length);
	return same;
}

/*
 * Reads all headers of the family. One that refuses to be included alone (cublas_api.h of some
 * releases) is fine when another one includes it the right way; otherwise its error is the result.
 */
static int read_all(struct gw_clang *reader, const struct gw_text *all, size_t count,
		    struct abi_error *error)
{
	struct abi_error *errors = calloc(count + 1, sizeof(*errors));
	size_t most = 0;
	int rc = 0;

	if (!errors)
		return gw_abi_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count; i++)
		if (gw_rule_has_header(reader->rule, all[i].name))
			(void)read_header(reader, all[i].name, &errors[i]);
	for (size_t i = 0; i < count; i++) {
		size_t times;

		if (!errors[i].text[0] || gw_clang_is_covered(reader, all[i].name))
			continue;
		/* what stops most headers is the cause, what stops one may be its refusal to stand
		 * alone */
		times = count_same(errors, count, errors[i].text);
		if (times > most)
			*error = errors[i];
		most = times > most ? times : most;
		rc = -EINVAL;
	}
	free(errors);
	return rc;
}

int gw_headers_read(struct gw_facts *facts, const struct gw_family_rule *rule, const struct gw_text *all,
		    size_t count, const char *stand_ins, const char *include,
		    struct abi_error *error)
{
	struct gw_clang reader = {
		.facts = facts, .rule = rule, .stand_ins = stand_ins, .include = include};
	char **paths = calloc(count + 1, sizeof(*paths));
	int rc = 0;

	reader.unsaved = calloc(count + 1, sizeof(*reader.unsaved));
	reader.index = clang_createIndex(0, 0);
	if (!paths || !reader.unsaved || !reader.index)
		rc = gw_abi_fail(error, -ENOMEM, "out of memory");
	reader.unsaved_count = 1;
	for (size_t i = 0; !rc && i < count; i++) {
		if (asprintf(&paths[i], GW_CLANG_FOLDER "/%s", all[i].name) < 0)
			rc = gw_abi_fail(error, -ENOMEM, "out of memory");
		else
			reader.unsaved[reader.unsaved_count++] =
				(struct CXUnsavedFile){paths[i], all[i].text, all[i].length};
	}
	if (!rc)
		rc = read_all(&reader, all, count, error);
	gw_clang_finish(&reader);
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
	free(reader.unsaved);
	if (reader.index)
		clang_disposeIndex(reader.index);
	return rc;
}
