/* SPDX-License-Identifier: Apache-2.0 */
/* Reads abi/families: which files of a wheel or toolkit make a family. abi/README.md has the
 * grammar. */
#include "abi.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int gw_abi_fail(struct abi_error *error, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return code;
}

/* "a,b" -> {"a", "b", NULL}, one block. */
static char **split_list(const char *text)
{
	size_t commas = 0;
	char **list, *copy;

	for (const char *c = text; *c; c++)
		commas += *c == ',';
	list = malloc((commas + 2) * sizeof(*list) + strlen(text) + 1);
	if (!list)
		return NULL;
	copy = strcpy((char *)(list + commas + 2), text);
	for (size_t i = 0; i <= commas; i++)
		list[i] = strsep(&copy, ",");
	list[commas + 1] = NULL;
	return list;
}

static int parse_word(struct gw_family_rule *rule, char *word, const char *path, unsigned line,
		      size_t column, struct abi_error *error)
{
	static const char *const keys[] = {"headers", "libraries", "symbols", "version"};
	char ***const values[] = {&rule->headers, &rule->libraries, &rule->symbols, &rule->version};
	char *equals = strchr(word, '=');

	for (size_t i = 0; equals && equals[1] && i < sizeof(keys) / sizeof(*keys); i++) {
		if (strlen(keys[i]) != (size_t)(equals - word) ||
		    strncmp(keys[i], word, strlen(keys[i])))
			continue;
		if (*values[i])
			return gw_abi_fail(error, -EINVAL, "%s:%u:%zu: `%s` stands twice", path,
					   line, column, keys[i]);
		*values[i] = split_list(equals + 1);
		return *values[i] ? 0 : -ENOMEM;
	}
	return gw_abi_fail(error, -EINVAL,
			   "%s:%u:%zu: '%s' is none of headers=, libraries=, symbols=, version=",
			   path, line, column, word);
}

static int parse_rule(struct gw_rules *rules, char *text, const char *path, unsigned line,
		      struct abi_error *error)
{
	struct gw_family_rule rule = {0}, *grown;
	char *at = text, *word;
	int rc = 0, words = 0;

	grown = reallocarray(rules->rule, rules->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	rules->rule = grown;
	while (!rc && (word = strsep(&at, " \t\n"))) {
		size_t column = (size_t)(word - text) + 1;

		if (!*word)
			continue;
		words++;
		if (words == 1 && strcmp(word, "family"))
			return gw_abi_fail(error, -EINVAL, "%s:%u:%zu: expected `family`, not '%s'",
					   path, line, column, word);
		if (words == 2)
			rc = (rule.name = strdup(word)) ? 0 : -ENOMEM;
		if (words > 2)
			rc = parse_word(&rule, word, path, line, column, error);
	}
	if (words)
		rules->rule[rules->count++] = rule;
	if (!rc && words &&
	    (!rule.name || !rule.headers || !rule.libraries || !rule.symbols || !rule.version))
		rc = gw_abi_fail(
			error, -EINVAL,
			"%s:%u:1: `family NAME` needs headers=, libraries=, symbols= and version=",
			path, line);
	return rc;
}

int gw_rules_load(struct gw_rules *rules, const char *path, struct abi_error *error)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	unsigned line = 0;
	int rc = 0;

	memset(rules, 0, sizeof(*rules));
	if (!file)
		return gw_abi_fail(error, -errno, "%s: %s", path, strerror(errno));
	while (!rc && getline(&text, &room, file) >= 0) {
		text[strcspn(text, "#")] = '\0';
		rc = parse_rule(rules, text, path, ++line, error);
	}
	if (!rc && ferror(file))
		rc = gw_abi_fail(error, -EIO, "%s: %s", path, strerror(errno));
	free(text);
	fclose(file);
	if (rc)
		gw_rules_finish(rules);
	return rc;
}

void gw_rules_finish(struct gw_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		free(rules->rule[i].name);
		free(rules->rule[i].headers);
		free(rules->rule[i].libraries);
		free(rules->rule[i].symbols);
		free(rules->rule[i].version);
	}
	free(rules->rule);
	memset(rules, 0, sizeof(*rules));
}

bool gw_rule_has_header(const struct gw_family_rule *rule, const char *base_name)
{
	for (char **h = rule->headers; *h; h++)
		if (!fnmatch(*h, base_name, 0))
			return true;
	return false;
}

bool gw_rule_has_library(const struct gw_family_rule *rule, const char *base_name)
{
	const char *so = strstr(base_name, ".so");
	char stem[256];

	if (!so || (so[3] && so[3] != '.') || (size_t)(so - base_name) >= sizeof(stem))
		return false;
	memcpy(stem, base_name, (size_t)(so - base_name));
	stem[so - base_name] = '\0';
	for (char **l = rule->libraries; *l; l++)
		if (!fnmatch(*l, stem, 0))
			return true;
	return false;
}

bool gw_rule_has_symbol(const struct gw_family_rule *rule, const char *symbol)
{
	for (char **s = rule->symbols; *s; s++)
		if (!strncmp(symbol, *s, strlen(*s)))
			return true;
	return false;
}
