/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fakegen: writes each library file of the release: a C file with its public functions, assembly for the symbols whose
 * signature nobody knows, a version script; and libraries.txt, which says how make-release links them:
 *
 *	SONAME FILE KIND [NEEDED-SIBLING]…
 *
 * in an order in which every sibling comes before what needs it. KIND names the implementation: lt, blas, dnn, front, none.
 */
#include "fakegen.h"

#include <stdlib.h>
#include <string.h>

struct symbol {
	char *name;		/* without its node */
	const char *node;	/* NULL: the file's own */
	const struct abi_fact *function;	/* NULL: private */
	const char *part;	/* the sibling that answers, in a front */
};

struct library {
	const struct gen_family *family;
	const char *soname, *file, *node, *kind;
	struct symbol *symbols;
	size_t count;
	bool written;
};

static const struct abi_fact *function_of(const struct gen *gen, const char *name)
{
	for (size_t i = 0; i < gen->family_count; i++)
		GEN_EACH(fact, &gen->families[i], ABI_FUNCTION)
			if (!strcmp(fact->column[0], name))
				return fact;
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void read_symbols(const struct gen *gen, struct library *library)
{
	size_t kept = 0;

	GEN_EACH(fact, library->family, ABI_EXPORT)
		library->count += !strcmp(fact->column[0], library->soname);
	library->symbols = calloc(library->count + 1, sizeof *library->symbols);
	if (!library->symbols)
		gen_fail("out of memory");
	library->count = 0;
	GEN_EACH(fact, library->family, ABI_EXPORT) {
		struct symbol *symbol = &library->symbols[library->count];
		const char *at = strchr(fact->column[1], '@');

		if (strcmp(fact->column[0], library->soname))
			continue;
		symbol->name = at ? strndup(fact->column[1], (size_t)(at - fact->column[1])) : strdup(fact->column[1]);
		if (!symbol->name)
			gen_fail("out of memory");
		symbol->node = at ? at + 1 : NULL;
		symbol->function = function_of(gen, symbol->name);
		library->count++;
	}
	qsort(library->symbols, library->count, sizeof *library->symbols, by_name);
	for (size_t i = 0; i < library->count; i++)
		if (!kept || strcmp(library->symbols[kept - 1].name, library->symbols[i].name))
			library->symbols[kept++] = library->symbols[i];
	library->count = kept;
}

static const char *node_of(const struct gen_family *family, const char *soname)
{
	GEN_EACH(fact, family, ABI_NODE)
		if (!strcmp(fact->column[0], soname) && strcmp(fact->column[1], "-"))
			return fact->column[1];
	return NULL;
}

/* The front of cuDNN is the file without a part in its name; it forwards to whichever sibling exports the same function. */
static const char *kind_of(const struct gen_family *family, const char *soname)
{
	if (!strcmp(family->family->name, "cublasLt"))
		return "lt";
	if (!strcmp(family->family->name, "cublas"))
		return strncmp(soname, "libcublas.", 10) ? "none" : "blas";
	if (strcmp(family->family->name, "cudnn"))
		return "none";
	return strncmp(soname, "libcudnn.", 9) ? "dnn" : "front";
}

static void find_parts(struct library *front, const struct library *libraries, size_t count)
{
	for (size_t s = 0; s < front->count; s++)
		for (size_t i = 0; i < count && !front->symbols[s].part; i++)
			if (&libraries[i] != front && libraries[i].family == front->family &&
			    bsearch(&front->symbols[s], libraries[i].symbols, libraries[i].count, sizeof(struct symbol), by_name))
				front->symbols[s].part = libraries[i].soname;
}

static bool variadic(const struct abi_fact *function)
{
	return strstr(function->column[2], "...") != NULL;
}

static void write_default(FILE *out, const struct library *library, const struct abi_fact *function)
{
	const char *type = function->column[1];

	if (!strcmp(type, library->family->status_enum))
		fprintf(out, "\treturn (%s)fake_refusal;\n", type);
	else if (strcmp(type, "void"))
		fprintf(out, "\t%s nothing;\n\n\tmemset((void *)&nothing, 0, sizeof nothing);\n\treturn nothing;\n", type);
}

/* What an entry does when a test planned its failure. */
static void write_enter(FILE *out, const struct library *library, const struct abi_fact *function, size_t index)
{
	fprintf(out, "\tint status;\n\n\tif (fake_enter(%zu, &status))", index);
	if (!strcmp(function->column[1], library->family->status_enum))
		fprintf(out, "\n\t\treturn (%s)status;\n", function->column[1]);
	else
		fputs("\n\t\t(void)status;\n", out);
}

static void write_implemented(FILE *out, const struct library *library, const struct symbol *symbol, size_t index)
{
	const struct abi_fact *function = symbol->function;

	fputs("__attribute__((weak)) ", out);
	gen_declaration(out, "fake_", function);
	fputs("\n{\n", out);
	write_default(out, library, function);
	fputs("}\n\n", out);
	gen_declaration(out, "", function);
	fputs("\n{\n", out);
	write_enter(out, library, function, index);
	if (variadic(function)) {
		write_default(out, library, function);
	} else {
		fprintf(out, "\t%sfake_%s(", strcmp(function->column[1], "void") ? "return " : "", function->column[0]);
		gen_arguments(out, function);
		fputs(");\n", out);
	}
	fputs("}\n\n", out);
}

static void write_forwarded(FILE *out, const struct library *library, const struct symbol *symbol, size_t index)
{
	const struct abi_fact *function = symbol->function;

	fprintf(out, "static void *_Atomic slot_%zu;\n\n", index);
	gen_declaration(out, "", function);
	fprintf(out, "\n{\n\t__typeof__(&%s) real = (__typeof__(&%s))fake_forward(&slot_%zu, \"%s\", \"%s\");\n", symbol->name,
		symbol->name, index, symbol->part, symbol->name);
	write_enter(out, library, function, index);
	fprintf(out, "\t%sreal(", strcmp(function->column[1], "void") ? "return " : "");
	gen_arguments(out, function);
	fputs(");\n}\n\n", out);
}

static void write_source(const struct gen *gen, const struct library *library)
{
	bool front = !strcmp(library->kind, "front");
	char name[256];
	FILE *out;

	snprintf(name, sizeof name, "%s.c", library->soname);
	out = gen_open(gen, name);
	fprintf(out, "/* Written by fakegen: %s of %s. */\n#include <string.h>\n#include \"fake_api.h\"\n#include \"entry.h\"\n",
		library->soname, gen->version);
	fputs(front ? "#include \"front.h\"\n\n" : "\n", out);
	fputs("struct fake_entry fake_entries[] = {\n", out);
	for (size_t i = 0; i < library->count; i++)
		fprintf(out, "\t{ .name = \"%s\" },\n", library->symbols[i].name);
	fprintf(out, "\t{ .name = \"\" },\n};\n\nconst unsigned fake_entry_count = %zu;\nconst char fake_release[] = \"%s\";\n"
		"const char fake_soname[] = \"%s\";\nconst int fake_refusal = %s;\n\n", library->count, gen->version, library->soname,
		library->family->refusal);
	for (size_t i = 0; i < library->count; i++) {
		const struct symbol *symbol = &library->symbols[i];

		if (!symbol->function)
			continue;
		if (symbol->part && !variadic(symbol->function))
			write_forwarded(out, library, symbol, i);
		else
			write_implemented(out, library, symbol, i);
	}
	gen_close(out, name);
}

/* Private symbols: the entry's number goes where fake_private expects it, the caller's arguments are not looked at. */
static void write_assembly(const struct gen *gen, const struct library *library)
{
	char name[256];
	FILE *out;

	snprintf(name, sizeof name, "%s.S", library->soname);
	out = gen_open(gen, name);
	fprintf(out, "/* Written by fakegen: private symbols of %s of %s. */\n\t.text\n", library->soname, gen->version);
	for (size_t i = 0; i < library->count; i++)
		if (!library->symbols[i].function)
			fprintf(out, "\t.globl %s\n\t.type %s, @function\n%s:\n\tendbr64\n\tmovl $%zu, %%edi\n\tjmp fake_private\n"
				"\t.size %s, . - %s\n", library->symbols[i].name, library->symbols[i].name,
				library->symbols[i].name, i, library->symbols[i].name, library->symbols[i].name);
	fputs("\t.section .note.GNU-stack, \"\", @progbits\n", out);
	gen_close(out, name);
}

static const char seam[] = "\t\tgwfake_calls;\n\t\tgwfake_total;\n\t\tgwfake_fail_next;\n\t\tgwfake_reset;\n\t\tgwfake_set;\n"
			   "\t\tgwfake_release;\n\t\tgwfake_soname;\n";

/* One node of the version script; the symbols that bear it. */
static void write_node(FILE *out, const struct library *library, const char *node)
{
	bool any = false;

	fprintf(out, "%s {\n", node);
	for (size_t i = 0; i < library->count; i++) {
		const char *own = library->symbols[i].node ? library->symbols[i].node : library->node;

		if (!own || strcmp(own, node))
			continue;
		fprintf(out, "%s\t\t%s;\n", any ? "" : "\tglobal:\n", library->symbols[i].name);
		any = true;
	}
	fprintf(out, "%s};\n", library->node && !strcmp(node, library->node) ? "\tlocal:\n\t\t*;\n" : "");
}

static void write_map(const struct gen *gen, const struct library *library)
{
	char name[256];
	FILE *out;

	snprintf(name, sizeof name, "%s.map", library->soname);
	out = gen_open(gen, name);
	if (!library->node) {
		fputs("{\n\tglobal:\n", out);
		for (size_t i = 0; i < library->count; i++)
			fprintf(out, "\t\t%s;\n", library->symbols[i].name);
		fprintf(out, "%s\tlocal:\n\t\t*;\n};\n", seam);
	} else {
		write_node(out, library, library->node);
		for (size_t i = 0; i < library->count; i++) {
			const char *node = library->symbols[i].node;
			bool seen = !node || !*node || !strcmp(node, library->node);

			for (size_t j = 0; j < i && !seen; j++)
				seen = library->symbols[j].node && !strcmp(library->symbols[j].node, node);
			if (!seen)
				write_node(out, library, node);
		}
		fprintf(out, "GWFAKE_1 {\n\tglobal:\n%s};\n", seam);
	}
	gen_close(out, name);
}

static struct library *sibling(struct library *libraries, size_t count, const char *soname)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(libraries[i].soname, soname))
			return &libraries[i];
	return NULL;
}

static bool ready(struct library *libraries, size_t count, const struct library *library)
{
	GEN_EACH(fact, library->family, ABI_NEEDED) {
		struct library *other = sibling(libraries, count, fact->column[1]);

		if (!strcmp(fact->column[0], library->soname) && other && other != library && !other->written)
			return false;
	}
	return true;
}

static void write_list(const struct gen *gen, struct library *libraries, size_t count)
{
	FILE *out = gen_open(gen, "libraries.txt");
	bool force = false;

	for (size_t left = count; left;) {
		size_t before = left;

		for (size_t i = 0; i < count; i++) {
			struct library *library = &libraries[i];

			if (library->written || (!force && !ready(libraries, count, library)))
				continue;
			fprintf(out, "%s %s %s", library->soname, library->file, library->kind);
			GEN_EACH(fact, library->family, ABI_NEEDED) {
				struct library *other = sibling(libraries, count, fact->column[1]);

				if (!strcmp(fact->column[0], library->soname) && other && other != library && other->written)
					fprintf(out, " %s", other->soname);
			}
			fputc('\n', out);
			library->written = true;
			left--;
		}
		force = left == before;	/* siblings that need each other: the later one goes without */
	}
	gen_close(out, "libraries.txt");
}

void gen_libraries(const struct gen *gen)
{
	struct library *libraries = NULL;
	size_t count = 0;

	for (size_t i = 0; i < gen->family_count; i++)
		GEN_EACH(fact, &gen->families[i], ABI_SONAME) {
			libraries = realloc(libraries, (count + 1) * sizeof *libraries);
			if (!libraries)
				gen_fail("out of memory");
			libraries[count++] = (struct library){
				.family = &gen->families[i], .soname = fact->column[0], .file = fact->column[1],
				.node = node_of(&gen->families[i], fact->column[0]),
				.kind = kind_of(&gen->families[i], fact->column[0]),
			};
		}
	for (size_t i = 0; i < count; i++)
		read_symbols(gen, &libraries[i]);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(libraries[i].kind, "front"))
			find_parts(&libraries[i], libraries, count);
	for (size_t i = 0; i < count; i++) {
		write_source(gen, &libraries[i]);
		write_assembly(gen, &libraries[i]);
		write_map(gen, &libraries[i]);
	}
	write_list(gen, libraries, count);
	for (size_t i = 0; i < count; i++) {
		for (size_t s = 0; s < libraries[i].count; s++)
			free(libraries[i].symbols[s].name);
		free(libraries[i].symbols);
	}
	free(libraries);
}
