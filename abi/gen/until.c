/* SPDX-License-Identifier: Apache-2.0 */
/* The `until` lines: the last release in which a function behaves as its `via` function says that old ones do. Checks them, and writes them
 * into gw_via.h. */
#include "gen.h"

#include <string.h>

/* The release that LINE names, as an index among the family's; ends the program at what is unknown. */
static size_t release_of(const struct gen *gen, const struct treatment_line *line)
{
	int family = model_family(gen, line->words[1].text), function = model_function(gen, line->words[2].text);
	const struct abi_family *facts;

	if (family < 0)
		treatment_fail(&gen->treatment, line, 1, "family '%s' has no `bridge` line", line->words[1].text);
	if (function < 0 || gen->functions[function].family != (size_t)family || !gen->functions[function].via)
		treatment_fail(&gen->treatment, line, 2, "no function '%s' of family '%s' has a `via` line", line->words[2].text,
			       line->words[1].text);
	facts = gen->families[family].facts;
	for (size_t i = 0; i < facts->release_count; i++)
		if (!strcmp(facts->releases[i].version, line->words[3].text))
			return i;
	treatment_fail(&gen->treatment, line, 3, "family '%s' has no release '%s'", line->words[1].text, line->words[3].text);
}

void until_check(const struct gen *gen)
{
	const struct treatment_line *line;

	for (size_t cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_UNTIL, &cursor));)
		release_of(gen, line);
}

void until_write(const struct gen *gen, FILE *file)
{
	const struct treatment_line *line;

	for (size_t cursor = 0; (line = treatment_next(&gen->treatment, TREATMENT_UNTIL, &cursor));)
		fprintf(file, "\n#define GW_UNTIL_%s %zu /* %s */\n", line->words[2].text, release_of(gen, line), line->words[3].text);
}
