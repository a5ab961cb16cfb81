/* SPDX-License-Identifier: Apache-2.0 */
/* Between abi_header.c, which parses headers, and abi_clang.c, which turns libclang's cursors into facts. */
#ifndef GW_ABI_CLANG_H
#define GW_ABI_CLANG_H

#include <clang-c/Index.h>
#include "abi.h"

#define GW_CLANG_FOLDER "/gangway-import"	/* where the headers seem to lie; nothing is there */

struct gw_names;

struct gw_clang {
	struct gw_facts *facts;
	const struct gw_family_rule *rule;
	const char *stand_ins, *include;
	CXIndex index;
	CXTranslationUnit unit;
	struct CXUnsavedFile *unsaved;	/* [0] is the main file */
	size_t unsaved_count;
	bool cxx;
	struct gw_names *functions;	/* seen so far, all headers */
	struct gw_names *types;		/* seen in this unit */
	struct gw_names *known;		/* facts about types made in C so far, all headers */
	struct gw_names *aliases;	/* tag (its USR) -> typedef, this unit */
	struct gw_names *macros;	/* of this header: name -> source */
	struct gw_names *covered;	/* headers that were read without an error */
	char *macro_lines;
};

void gw_clang_covered(struct gw_clang *reader, const char *path);
bool gw_clang_is_covered(const struct gw_clang *reader, const char *name);

/* Is the cursor in a header of the family? Then its source is written to SOURCE. */
bool gw_clang_own(struct gw_clang *reader, CXCursor cursor, char *source, size_t size);
void gw_clang_begin_unit(struct gw_clang *reader);
void gw_clang_finish(struct gw_clang *reader);
void gw_clang_alias(struct gw_clang *reader, CXCursor cursor);
void gw_clang_function(struct gw_clang *reader, CXCursor cursor, const char *source);
/* Facts about a type and about every type it uses. */
void gw_clang_type(struct gw_clang *reader, CXType type);
void gw_clang_macro(struct gw_clang *reader, CXCursor cursor, const char *source);
/* Adds the integer values out of a unit that was parsed with reader->macro_lines. */
void gw_clang_macro_values(struct gw_clang *reader, CXTranslationUnit unit);

#endif
