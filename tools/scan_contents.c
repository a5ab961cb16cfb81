/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file has of the vendor's libraries in itself (scan.h): static copies, which are recognised by texts that only the vendor's code has,
 * and the vendor's names, which it exports without being the vendor's library. A framework's stubs are such: each finds the real function at
 * its first call. Whoever asks for 'the next' function of that name may get the stub.
 */
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_text.h"
#include "elf_symbol.h"

/* Where fewer are exported, some library defines a few for itself. */
#define MANY 4

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *own_family(const struct gw_scan_walk *walk)
{
	const struct gw_elf *elf = &walk->first->file->elf;
	const char *family = elf->soname ? gw_scan_family_name(walk->scan, elf->soname) : NULL;

	return family ? family : gw_scan_family_name(walk->scan, base_of(elf->path));
}

/* What the compiler's version says of the copy's age, to free: "CUDA 11.3"; NULL where the file has no PTX. */
static char *toolkit_of(const struct gw_scan_walk *walk)
{
	json_t *item;
	size_t i;
	char *text = NULL;

	json_array_foreach(walk->built, i, item)
	{
		const char *family = json_string_value(json_object_get(item, "family"));

		const char *evidence = json_string_value(json_object_get(item, "evidence"));

		if (family && strcmp(family, "cuda") == 0 && !text && strncmp(evidence, "PTX", 3) == 0 &&
		    asprintf(&text, "CUDA %s", json_string_value(json_object_get(item, "min"))) < 0)
			text = NULL;
	}
	return text;
}

static json_t *list_static(struct gw_scan_walk *walk, const char *own)
{
	const struct gw_known *known = &walk->scan->known;
	json_t *list = json_array();
	char *toolkit = toolkit_of(walk), *reached = NULL;

	for (size_t i = 0; i < walk->strings.mark_count; i++) {
		const struct gw_known_line *mark = walk->strings.mark[i];
		const char *family = mark->word[1];
		char *evidence, *more;

		/* The vendor's libraries have parts of each other, which is their own matter. */
		if (own && strcmp(own, family) == 0)
			continue;
		if (asprintf(&evidence, "the text \"%s\"", mark->rest) < 0)
			continue;
		json_array_append_new(list, json_pack("{s:s,s:s?,s:o}", "family", family, "toolkit", toolkit, "evidence", gw_json_text(evidence)));
		free(evidence);
		if (own || !gw_known_is_reached(known, family))
			continue;
		if (asprintf(&more, "%s%s%s", reached ? reached : "", reached ? ", " : "", family) < 0)
			more = NULL;
		free(reached);
		reached = more;
	}
	if (reached)
		gw_scan_finding(walk->findings, GW_FINDING_STATIC_COPY, NULL, "%s contains a static copy of %s%s%s", walk->first->file->path, reached,
				toolkit ? "; its newest code for GPUs was compiled by " : "", toolkit ? toolkit : "");
	free(reached);
	free(toolkit);
	return list;
}

/* A lookup in a real file takes some tens of steps; a hostile one's hash chains are as long as it likes. */
#define MAX_STEPS 4000000u

/* STEPS: what is left of them, over all families. */
static size_t count_exports(const struct gw_elf *elf, const struct abi_family *family, unsigned long *steps)
{
	size_t count = 0;

	for (size_t f = family->first[ABI_FUNCTION]; *steps && f < family->first[ABI_FUNCTION + 1]; f++) {
		struct gw_elf_query query;
		uint32_t index;

		/* A function stands once for each of its declarations; and NVBLAS declares dgemm, as any BLAS does. */
		if (strncmp(family->facts[f].column[0], "cu", 2) != 0)
			continue;
		if (f > family->first[ABI_FUNCTION] && strcmp(family->facts[f].column[0], family->facts[f - 1].column[0]) == 0)
			continue;
		gw_elf_query_init(&query, family->facts[f].column[0], NULL);
		query.plt = true;
		query.steps = steps;
		count += gw_elf_find(elf, &query, &index) != GW_ELF_ABSENT;
	}
	return count;
}

/* A static copy's names are real functions, and told with it. */
static bool is_static(const struct gw_scan_walk *walk, const char *family)
{
	for (size_t i = 0; i < walk->strings.mark_count; i++)
		if (strcmp(walk->strings.mark[i]->word[1], family) == 0)
			return true;
	return false;
}

static json_t *list_exports(struct gw_scan_walk *walk, const char *own)
{
	const struct abi_db *db = &walk->scan->db;
	const struct gw_elf *elf = &walk->first->file->elf;
	json_t *list = json_object();
	unsigned long steps = MAX_STEPS;
	char *text = NULL;

	for (size_t i = 0; i < db->family_count && !own; i++) {
		size_t count = count_exports(elf, &db->families[i], &steps);
		char *more;

		if (count < MANY || is_static(walk, db->families[i].name))
			continue;
		json_object_set_new(list, db->families[i].name, json_integer((json_int_t)count));
		if (asprintf(&more, "%s%s%zu of %s", text ? text : "", text ? ", " : "", count, db->families[i].name) < 0)
			more = NULL;
		free(text);
		text = more;
	}
	if (text)
		gw_scan_finding(walk->findings, GW_FINDING_STUB_EXPORTER, NULL, "%s exports names of functions that are not its own: %s", elf->path, text);
	free(text);
	return list;
}

json_t *gw_scan_contents(struct gw_scan_walk *walk)
{
	const char *own = own_family(walk);

	return json_pack("{s:o,s:o}", "static", list_static(walk, own), "exports", list_exports(walk, own));
}
