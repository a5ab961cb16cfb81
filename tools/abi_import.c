/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway abi import`: reads wheels, unpacked ones and toolkits into the database, one
 * distribution at a time. */
#include "abi.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd.h"

struct import {
	const char *database, *stand_ins, *include;
	struct gw_rules rules;
};

/* One distribution as far as it is read: headers as text, libraries as symbols. */
struct content {
	struct gw_text *headers;
	size_t header_count;
	struct gw_library *libraries;
	size_t library_count;
	const char **declared,
		**wanted; /* sorted: functions of all headers; imports of all libraries */
	size_t declared_count, wanted_count;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool contains(const char **list, size_t count, const char *name)
{
	return count && bsearch(&name, list, count, sizeof(*list), by_text);
}

static int read_content(struct gw_source *source, struct content *content, struct abi_error *error)
{
	int rc = 0;

	content->headers = calloc(source->header_count + 1, sizeof(*content->headers));
	content->libraries = calloc(source->library_count + 1, sizeof(*content->libraries));
	if (!content->headers || !content->libraries)
		return gw_abi_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < source->header_count; i++) {
		struct gw_text *header = &content->headers[content->header_count++];

		header->name = source->headers[i].name;
		rc = gw_source_text(source, &source->headers[i], &header->text, &header->length,
				    error);
	}
	for (size_t i = 0; !rc && i < source->library_count; i++) {
		const struct gw_source_file *file = &source->libraries[i];
		int fd = gw_source_library(source, file, error);

		if (fd < 0)
			return fd;
		rc = gw_library_read(&content->libraries[content->library_count++], fd, file->path,
				     error);
		close(fd);
		content->wanted_count += content->libraries[i].count;
	}
	content->wanted = calloc(content->wanted_count + 1, sizeof(*content->wanted));
	if (!content->wanted)
		return gw_abi_fail(error, -ENOMEM, "out of memory");
	content->wanted_count = 0;
	for (size_t i = 0; !rc && i < content->library_count; i++)
		for (size_t s = 0; s < content->libraries[i].count; s++)
			if (!content->libraries[i].symbols[s].defined)
				content->wanted[content->wanted_count++] =
					content->libraries[i].symbols[s].name;
	qsort(content->wanted, content->wanted_count, sizeof(*content->wanted), by_text);
	return rc;
}

static void finish_content(struct content *content)
{
	for (size_t i = 0; i < content->header_count; i++)
		free(content->headers[i].text);
	for (size_t i = 0; i < content->library_count; i++)
		gw_library_finish(&content->libraries[i]);
	free(content->headers);
	free(content->libraries);
	free(content->declared);
	free(content->wanted);
}

static int by_symbol(const void *a, const void *b)
{
	const struct gw_symbol *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* `others`: how many there are, and a hash of their names. */
static void add_others(struct gw_facts *facts, const char *soname, const char *file,
		       const char **names, size_t count)
{
	const char *column[3] = {soname};

	column[1] = gw_facts_text(facts, "%zu", count);
	column[2] = gw_facts_text(facts, "%016llx", (unsigned long long)gw_abi_hash(names, count));
	gw_facts_add(facts, ABI_OTHERS, file, column);
}

static int add_exports(struct gw_facts *facts, const struct gw_family_rule *rule,
		       const struct content *content, const struct gw_library *library,
		       const char *soname, const char *file)
{
	const char **others = calloc(library->count + 1, sizeof(*others));
	size_t count = 0;

	if (!others)
		return -ENOMEM;
	qsort(library->symbols, library->count, sizeof(*library->symbols), by_symbol);
	for (size_t i = 0; i < library->count; i++) {
		const struct gw_symbol *symbol = &library->symbols[i];
		const char *column[2] = {soname, symbol->name};

		if (!symbol->defined || !symbol->function)
			continue;
		if (!gw_rule_has_symbol(rule, symbol->name) &&
		    !contains(content->declared, content->declared_count, symbol->name) &&
		    !contains(content->wanted, content->wanted_count, symbol->name)) {
			others[count++] = symbol->name;
			continue;
		}
		if (library->node && (!symbol->node || strcmp(symbol->node, library->node)))
			column[1] = gw_facts_text(facts, "%s@%s", symbol->name,
						  symbol->node ? symbol->node : "");
		gw_facts_add(facts, ABI_EXPORT, file, column);
	}
	add_others(facts, soname, file, others, count);
	free(others);
	return 0;
}

static int add_library(struct gw_facts *facts, const struct gw_family_rule *rule,
		       const struct content *content, const struct gw_library *library,
		       const struct gw_source *source, const char *name)
{
	const char *soname = library->soname ? library->soname : name;
	/* a toolkit's files bear longer names, with links of the soname leading to them */
	const char *file = source->version ? name : soname;
	const char *column[2] = {soname, file};

	gw_facts_add(facts, ABI_SONAME, file, column);
	column[1] = library->node;
	gw_facts_add(facts, ABI_NODE, file, column);
	for (size_t i = 0; i < library->needed_count; i++) {
		column[1] = library->needed[i];
		gw_facts_add(facts, ABI_NEEDED, file, column);
	}
	return add_exports(facts, rule, content, library, soname, file);
}

/* The release that the headers' macros name, for a toolkit; NULL when they do not. */
static const char *version_of(struct gw_facts *facts, const struct gw_family_rule *rule,
			      const struct gw_facts *all)
{
	const char *version = "";

	for (char **name = rule->version; *name; name++) {
		const char *value = NULL;

		for (size_t i = 0; !value && i < all->count; i++)
			if (all->fact[i].kind == ABI_MACRO &&
			    !strcmp(all->fact[i].column[0], *name))
				value = all->fact[i].column[1];
		if (!value)
			return NULL;
		version = gw_facts_text(facts, "%s%s%s", version, *version ? "." : "", value);
	}
	return version;
}

/* Headers of every family, and from them the sorted names of all functions that the distribution
 * declares. */
static int read_headers(const struct import *import, struct content *content,
			struct gw_facts *facts, struct abi_error *error)
{
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < import->rules.count; i++) {
		rc = gw_headers_read(&facts[i], &import->rules.rule[i], content->headers,
				     content->header_count, import->stand_ins, import->include,
				     error);
		count += facts[i].count;
	}
	content->declared = calloc(count + 1, sizeof(*content->declared));
	if (!content->declared)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < import->rules.count; i++)
		for (size_t f = 0; f < facts[i].count; f++)
			if (facts[i].fact[f].kind == ABI_FUNCTION)
				content->declared[content->declared_count++] =
					facts[i].fact[f].column[0];
	qsort(content->declared, content->declared_count, sizeof(*content->declared), by_text);
	return rc;
}

/* Both halves of a family must be there: one alone would write half a truth. */
static int check_halves(const struct gw_source *source, const struct gw_family_rule *rule, bool *present,
			struct abi_error *error)
{
	bool headers = false, libraries = false;

	for (size_t i = 0; i < source->header_count; i++)
		headers |= gw_rule_has_header(rule, source->headers[i].name);
	for (size_t i = 0; i < source->library_count; i++)
		libraries |= gw_rule_has_library(rule, source->libraries[i].name);
	*present = headers || libraries;
	if (headers == libraries)
		return 0;
	return gw_abi_fail(error, -ENOENT, "%.400s: has %s of family %s, but no %s", source->path,
			   headers ? "headers" : "libraries", rule->name,
			   headers ? "library" : "header");
}

static int store(const struct import *import, const struct gw_source *source,
		 const struct content *content, struct gw_facts *all, size_t family,
		 struct abi_error *error)
{
	const struct gw_family_rule *rule = &import->rules.rule[family];
	struct gw_facts *facts = &all[family];
	const char *version = source->version;
	int rc = 0;

	for (size_t i = 0; !rc && i < source->library_count; i++)
		if (gw_rule_has_library(rule, source->libraries[i].name))
			rc = add_library(facts, rule, content, &content->libraries[i], source,
					 source->libraries[i].name);
	/* families of one toolkit share headers: cublasLt's release is in cublas_api.h */
	for (size_t i = 0; !version && i < import->rules.count; i++)
		version = version_of(facts, rule, &all[i]);
	if (!rc && !version)
		rc = gw_abi_fail(error, -EINVAL,
				 "%.300s: no release of %s: neither a dist-info directory nor the "
				 "macros %s… in its headers",
				 source->path, rule->name, rule->version[0]);
	gw_facts_sort(facts);
	if (!rc)
		rc = gw_store_merge(import->database, rule->name, version, source->wheel, facts,
				    error);
	if (!rc)
		printf("%-10s %-14s %6zu facts  %s\n", rule->name, version, facts->count,
		       strcmp(source->wheel, "-") ? source->wheel : source->path);
	return rc;
}

static int import_source(const struct import *import, struct gw_source *source,
			 struct abi_error *error)
{
	size_t families = import->rules.count;
	struct gw_facts *facts = calloc(families, sizeof(*facts));
	bool *present = calloc(families, sizeof(*present));
	struct content content = {0};
	int rc = facts && present ? 0 : gw_abi_fail(error, -ENOMEM, "out of memory");

	for (size_t i = 0; facts && i < families; i++)
		gw_facts_init(&facts[i]);
	for (size_t i = 0; !rc && i < families; i++)
		rc = check_halves(source, &import->rules.rule[i], &present[i], error);
	if (!rc)
		rc = read_content(source, &content, error);
	if (!rc)
		rc = read_headers(import, &content, facts, error);
	for (size_t i = 0; !rc && i < families; i++)
		if (present[i])
			rc = store(import, source, &content, facts, i, error);
	for (size_t i = 0; facts && i < families; i++)
		gw_facts_finish(&facts[i]);
	finish_content(&content);
	free(facts);
	free(present);
	return rc;
}

static int import_path(const struct import *import, const char *path, struct abi_error *error)
{
	struct gw_sources sources;
	int rc = gw_sources_open(&sources, path, &import->rules, error);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < sources.count; i++)
		rc = import_source(import, sources.source[i], error);
	gw_sources_close(&sources);
	return rc;
}

static const char usage[] =
	"Usage: gangway abi [--database DIR] import [--include DIR] DIR-OR-WHEEL…\n"
	"\n"
	"Reads published releases into the database. Each may be a wheel, an unpacked wheel, a\n"
	"site-packages directory, or a toolkit with include/ and lib64/. The order does not "
	"matter, and\n"
	"importing one again changes nothing.\n"
	"\n"
	"  --include DIR  real CUDA headers, instead of the stand-ins that come with gangway\n";

int gw_abi_import(const char *database, int argc, char **argv)
{
	static const struct option options[] = {
		{"include", required_argument, NULL, 'i'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct import import = {.database = database};
	struct abi_error error = {""};
	char *rules = gw_data_path("families"), *stand_ins = gw_data_path("include");
	int option, rc = 0, status = GW_EXIT_FAILED;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'i')
			import.include = optarg;
		else {
			fputs(usage, option == 'h' ? stdout : stderr);
			status = option == 'h' ? GW_EXIT_FINE : GW_EXIT_USAGE;
			goto out;
		}
	}
	if (optind == argc) {
		fputs(usage, stderr);
		status = GW_EXIT_USAGE;
		goto out;
	}
	import.stand_ins = stand_ins;
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk, no reason
				     to die halfway */
	if (!rules || !stand_ins) {
		gw_complain("`families` and `include` are missing: is gangway fully installed?");
		goto out;
	}
	rc = gw_rules_load(&import.rules, rules, &error);
	if (!rc && mkdir(database, 0777) && errno != EEXIST)
		rc = gw_abi_fail(&error, -errno, "%.400s: %s", database, strerror(errno));
	for (int i = optind; !rc && i < argc; i++)
		rc = import_path(&import, argv[i], &error);
	if (rc)
		gw_complain("%s", error.text[0] ? error.text : strerror(-rc));
	else
		status = GW_EXIT_FINE;
	gw_rules_finish(&import.rules);
out:
	free(rules);
	free(stand_ins);
	return gw_finish_output(status);
}
