/* SPDX-License-Identifier: Apache-2.0 */
/* Writes functions.md and facades.md: what people need to know of what was decided. */
#include "gen.h"

#include <string.h>

static void write_functions(const struct gen *gen)
{
	static const char *const methods[] = {"pass", "table", "via", "gone", "new"};
	FILE *file = gen_open(gen, "functions.md");

	fprintf(file,
		"# Bridged functions\n\nGenerated from abi/facts and abi/treatment; abi/README.md "
		"says what the methods mean.\n\n"
		"%zu functions.\n\n| function | family | declared by | method |\n| --- | --- | --- "
		"| --- |\n",
		gen->function_count);
	for (size_t i = 0; i < gen->function_count; i++) {
		const struct gen_function *function = &gen->functions[i];
		const struct abi_family *facts = gen->families[function->family].facts;

		fprintf(file, "| %s | %s | %s | %s%s%s%s |\n", function->name, facts->name,
			facts_ranges(facts, &function->releases),
			function->narrow ? "narrow" : methods[function->method], function->via ? " " : "",
			function->narrow ? function->narrow->name
			: function->via  ? function->via
					 : "",
			function->via_always ? " always" : "");
	}
	gen_close(file, "functions.md");
}

static size_t count_how(const struct gen_facade *facade, enum gw_facade_how how)
{
	size_t count = 0;

	for (size_t i = 0; i < facade->count; i++)
		count += facade->symbols[i].how == how;
	return count;
}

/* The name of this value, or NULL; a name that both releases know before another. */
static const char *name_of(const struct abi_family *facts, const struct abi_fact *constant,
			   size_t release)
{
	struct gen_range range = facts_named(facts, ABI_ENUM, constant->column[0]);
	const char *name = NULL;

	for (size_t i = 0; i < range.count; i++) {
		if (strcmp(range.first[i].column[2], constant->column[2]) ||
		    !abi_set_has(&range.first[i].releases, release))
			continue;
		if (!name || !strcmp(range.first[i].column[1], constant->column[1]))
			name = range.first[i].column[1];
	}
	return name;
}

static bool is_alias(const struct abi_family *facts, const struct abi_fact *constant,
		     const char *name, size_t release)
{
	struct gen_range range = facts_named(facts, ABI_ENUM, constant->column[0]);

	for (size_t i = 0; i < range.count; i++) {
		if (!strcmp(range.first[i].column[1], name) &&
		    !strcmp(range.first[i].column[2], constant->column[2]) &&
		    abi_set_has(&range.first[i].releases, release))
			return true;
	}
	return false;
}

/* The constant is there still, under another value. */
static bool moved_away(const struct abi_family *facts, const struct abi_fact *constant,
		       size_t release)
{
	struct gen_range range = facts_named(facts, ABI_ENUM, constant->column[0]);

	for (size_t i = 0; i < range.count; i++) {
		if (!strcmp(range.first[i].column[1], constant->column[1]) &&
		    abi_set_has(&range.first[i].releases, release))
			return true;
	}
	return false;
}

/*
 * A forwarded call carries the caller's numbers: a value that means something else in the newest
 * release is worth a warning, though the signature is the same.
 */
static size_t write_moved_constants(FILE *file, const struct gen_facade *facade)
{
	const struct abi_family *facts = facade->facts;
	struct gen_range range = facts_of(facts, ABI_ENUM);
	size_t newest = facts->release_count - 1, moved = 0;

	for (size_t i = 0; i < range.count; i++) {
		const struct abi_fact *fact = &range.first[i];
		const char *name;

		if (!abi_set_has(&fact->releases, facade->answer))
			continue;
		name = name_of(facts, fact, newest);
		/* An alias that the caller's release has already means the same there. */
		if (name ? !strcmp(name, fact->column[1]) ||
				    is_alias(facts, fact, name, facade->answer)
			 : !moved_away(facts, fact, newest))
			continue;
		fprintf(file, "- Warning: value %s of `%s` is `%s` in %s and %s in %s.\n",
			fact->column[2], fact->column[0], fact->column[1],
			facts->releases[facade->answer].version, name ? name : "nothing",
			facts->releases[newest].version);
		moved++;
	}
	return moved;
}

static void write_facade(FILE *file, const struct gen_facade *facade)
{
	size_t public_refused = 0;

	fprintf(file, "\n## %s\n\nFamily %s, onto", facade->soname, facade->family_name);
	for (size_t w = 4; w < facade->line->count; w++)
		fprintf(file, "%s %s", w > 4 ? "," : "", facade->line->words[w].text);
	fprintf(file, ". Answers version questions as %s; refuses with status %d.\n\n",
		facade->facts->releases[facade->answer].version, facade->refuse);
	fprintf(file,
		"| symbols | to a typed wrapper | forwarded | refused |\n| --- | --- | --- | --- "
		"|\n| %zu | %zu | %zu | %zu |\n\n",
		facade->count, count_how(facade, GW_FACADE_FUNCTION),
		count_how(facade, GW_FACADE_FORWARD), count_how(facade, GW_FACADE_REFUSE));
	for (size_t i = 0; i < facade->count; i++) {
		const struct gen_facade_symbol *symbol = &facade->symbols[i];

		if (symbol->how != GW_FACADE_REFUSE ||
		    !strncmp(symbol->why, "private", strlen("private")))
			continue;
		fprintf(file, "- `%s` is refused: %s.\n", symbol->name, symbol->why);
		public_refused++;
	}
	if (facade->family < 0)
		public_refused += write_moved_constants(file, facade);
	if (!public_refused)
		fputs("Every public function is answered or passed on.\n", file);
}

void emit_docs(const struct gen *gen)
{
	FILE *file = gen_open(gen, "facades.md");

	write_functions(gen);
	fputs("# Facades\n\nGenerated from abi/facts and abi/treatment. A private symbol (one that "
	      "no header declares) is there so that "
	      "loading succeeds,\nand is refused unless the treatment says that its interface is "
	      "the same.\n",
	      file);
	for (size_t i = 0; i < gen->facade_count; i++)
		write_facade(file, &gen->facades[i]);
	gen_close(file, "facades.md");
}
