/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of abi/treatment and abi/changes: words and their positions, and the checks that need no facts. */
#include "treatment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "gen.h"

static const struct {
	const char *word;
	size_t least, most; /* words, the keyword included; most 0: no limit */
	const char *form;
} grammar[TREATMENT_KIND_COUNT] = {
	[TREATMENT_SUITE] = {"suite", 3, 0, "suite NAME FAMILY…"},
	[TREATMENT_BRIDGE] =
		{"bridge", 5, 6,
		 "bridge FAMILY status=ENUM refuse=CONSTANT symbols=PREFIX [version=MACRO]"},
	[TREATMENT_GENERIC] = {"generic", 4, 4, "generic FAMILY status=ENUM refuse=CONSTANT"},
	[TREATMENT_FACADE] = {"facade", 5, 0, "facade SONAME FAMILY onto SONAME…"},
	[TREATMENT_METHOD] = {"method", 4, 6, "method FAMILY FUNCTION METHOD [NAME [always]]"},
	[TREATMENT_FOLD] = {"fold", 5, 5, "fold FAMILY FIRST LAST CONSTANT"},
	[TREATMENT_PRIVATE] = {"private", 5, 0, "private FAMILY SYMBOL same SONAME…"},
	[TREATMENT_CARRIES] = {"carries", 5, 6,
			       "carries FAMILY FUNCTION PARAMETER one|via|count=PARAMETER "
			       "[most=PARAMETER]"},
	[TREATMENT_CONSTANT] = {"constant", 3, 3, "constant NAME VALUE"},
	[TREATMENT_NARROW] = {"narrow", 5, 5, "narrow FAMILY SUFFIX else CONSTANT"},
	[TREATMENT_SPANS] = {"spans", 3, 4, "spans FAMILY ENUM|STRUCT [end=CONSTANT]"},
	[TREATMENT_TYPED] = {"typed", 4, 4, "typed FAMILY CONSTANT CONSTANT"},
	[TREATMENT_UNTIL] = {"until", 4, 4, "until FAMILY FUNCTION RELEASE"},
	[TREATMENT_CHANGE] = {"change", 7, 0,
			      "change FAMILY KIND NAME FORM HOW [values=V,…] [status=CONSTANT] "
			      "[finding=GW-NNN] TEXT…"},
};

void treatment_fail(const struct treatment *treatment, const struct treatment_line *line,
		    size_t word, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	/* A word too few: the error is where it should have stood. */
	if (word >= line->count) {
		const struct treatment_word *last = &line->words[line->count - 1];
		const char *kept = gen_format("%s", text);

		free(text);
		gen_fail(treatment->path, line->line, last->column + (unsigned)strlen(last->text),
			 "%s", kept);
	}
	const char *kept = gen_format("%s", text);
	free(text);
	gen_fail(treatment->path, line->line, line->words[word].column, "%s", kept);
}

static void split_words(struct treatment_line *line, char *text)
{
	size_t capacity = 0;

	for (const char *p = text; *p; p++)
		capacity += *p == ' ' || *p == '\t';
	line->words = gen_alloc((capacity + 1) * sizeof(*line->words));
	for (char *p = text; *p && *p != '#';) {
		size_t length = strcspn(p, " \t#");

		if (length) {
			line->words[line->count].text = gen_slice(p, length);
			line->words[line->count++].column = (unsigned)(p - text) + 1;
		} else {
			length = 1;
		}
		p += length;
	}
}

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	(void)strtol(text, &end, 10);
	return *text && !*end && !errno;
}

static void check_options(const struct treatment *treatment, const struct treatment_line *line)
{
	static const char *const known[] = {"status=", "refuse=", "symbols=", "version="};
	size_t required = line->kind == TREATMENT_BRIDGE ? 3 : 2,
	       allowed = line->kind == TREATMENT_BRIDGE ? 4 : 2;

	for (size_t w = 2; w < line->count; w++) {
		bool found = false;

		for (size_t k = 0; k < allowed; k++) {
			size_t length = strlen(known[k]);

			found |= !strncmp(line->words[w].text, known[k], length) &&
				 line->words[w].text[length];
		}
		if (!found)
			treatment_fail(
				treatment, line, w, "'%s' is no option of '%s': the form is `%s`",
				line->words[w].text, line->words[0].text, grammar[line->kind].form);
	}
	for (size_t k = 0; k < required; k++) {
		if (!treatment_option(line, gen_slice(known[k], strlen(known[k]) - 1)))
			treatment_fail(treatment, line, 0, "'%s' is missing: the form is `%s`",
				       known[k], grammar[line->kind].form);
	}
}

static void check_method(const struct treatment *treatment, const struct treatment_line *line)
{
	static const char *const methods[] = {"pass", "table", "via", "gone", "new"};
	const char *method = line->words[3].text;
	bool via = !strcmp(method, "via"), found = false;

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		found |= !strcmp(method, methods[i]);
	if (!found)
		treatment_fail(treatment, line, 3,
			       "unknown method '%s': pass, table, via, gone or new", method);
	if (via && line->count < 5)
		treatment_fail(treatment, line, 4,
			       "`via` needs the name of the function that answers");
	if (!via && line->count > 4)
		treatment_fail(treatment, line, 4, "'%s' follows `%s`, which takes no name",
			       line->words[4].text, method);
	if (line->count > 5 && strcmp(line->words[5].text, "always"))
		treatment_fail(treatment, line, 5, "'%s' stands where `always` belongs",
			       line->words[5].text);
	if (!strcmp(line->words[2].text, "*") && strcmp(method, "pass") && strcmp(method, "table"))
		treatment_fail(treatment, line, 3, "a family's default is `pass` or `table`");
}

static void check_carries(const struct treatment *treatment, const struct treatment_line *line)
{
	const char *how = line->words[4].text;
	bool counted = !strncmp(how, "count=", 6) && how[6];

	if (!counted && strcmp(how, "one") && strcmp(how, "via"))
		treatment_fail(treatment, line, 4, "'%s' stands where %s belongs: the form is `%s`",
			       how, "`one`, `via` or `count=PARAMETER`",
			       grammar[TREATMENT_CARRIES].form);
	if (line->count > 5 &&
	    (!counted || strncmp(line->words[5].text, "most=", 5) || !line->words[5].text[5]))
		treatment_fail(treatment, line, 5, "'%s' cannot follow `%s`: the form is `%s`",
			       line->words[5].text, how, grammar[TREATMENT_CARRIES].form);
}

/* Where one of a few words must stand. */
static void check_word(const struct treatment *treatment, const struct treatment_line *line,
		       size_t word, const char *const *known, const char *what)
{
	const char *list = known[0];

	for (size_t i = 0; known[i]; i++) {
		if (!strcmp(known[i], line->words[word].text))
			return;
		if (i)
			list = gen_format("%s%s%s", list, known[i + 1] ? ", " : " or ", known[i]);
	}
	treatment_fail(treatment, line, word, "unknown %s '%s': %s", what, line->words[word].text,
		       list);
}

static bool is_finding(const char *text)
{
	return !strncmp(text, "GW-", 3) && strspn(text + 3, "0123456789") == 3 && !text[6];
}

static void check_change(const struct treatment *treatment, const struct treatment_line *line)
{
	static const char *const kinds[] = {"soname", "node", "needed", "export", "others",
					    "function", "enum", "struct", "field", "typedef",
					    "macro", NULL};
	static const char *const forms[] = {"appears", "vanishes", "changes", "reuses", NULL};
	static const char *const hows[] = {"unchanged", "translated", "emulated", "refused", NULL};
	const char *finding = treatment_option(line, "finding");
	size_t word = 6;

	check_word(treatment, line, 2, kinds, "kind");
	check_word(treatment, line, 4, forms, "form");
	check_word(treatment, line, 5, hows, "treatment");
	while (word < line->count && strchr(line->words[word].text, '='))
		word++;
	for (size_t w = 6; w < word; w++) {
		const char *text = line->words[w].text;

		if ((strncmp(text, "values=", 7) || !text[7]) &&
		    (strncmp(text, "status=", 7) || !text[7]) && strncmp(text, "finding=", 8))
			treatment_fail(treatment, line, w,
				       "'%s' is no option of 'change': the form is `%s`", text,
				       grammar[TREATMENT_CHANGE].form);
		if (!strncmp(text, "finding=", 8) && !is_finding(finding))
			treatment_fail(treatment, line, w, "'%s' is no finding, such as GW-303",
				       finding);
	}
	if (word == line->count)
		treatment_fail(treatment, line, word, "no text says what is done: the form is `%s`",
			       grammar[TREATMENT_CHANGE].form);
	for (; word < line->count; word++) {
		if (!strncmp(line->words[word].text, "GW-", 3))
			treatment_fail(treatment, line, word, "'%s' has a place of its own: finding=",
				       line->words[word].text);
	}
}

static void check_line(const struct treatment *treatment, const struct treatment_line *line)
{
	if (line->count < grammar[line->kind].least)
		treatment_fail(treatment, line, line->count, "too few words: the form is `%s`",
			       grammar[line->kind].form);
	if (grammar[line->kind].most && line->count > grammar[line->kind].most)
		treatment_fail(treatment, line, grammar[line->kind].most,
			       "too many words: the form is `%s`", grammar[line->kind].form);
	switch (line->kind) {
	case TREATMENT_BRIDGE:
	case TREATMENT_GENERIC:
		check_options(treatment, line);
		break;
	case TREATMENT_FACADE:
	case TREATMENT_PRIVATE: {
		const char *middle = line->kind == TREATMENT_FACADE ? "onto" : "same";

		if (strcmp(line->words[3].text, middle))
			treatment_fail(treatment, line, 3, "'%s' stands where `%s` belongs",
				       line->words[3].text, middle);
		break;
	}
	case TREATMENT_SPANS:
		if (line->count > 3 && (strncmp(line->words[3].text, "end=", 4) || !line->words[3].text[4]))
			treatment_fail(treatment, line, 3, "'%s' is no option of 'spans': the form is `%s`", line->words[3].text,
				       grammar[line->kind].form);
		break;
	case TREATMENT_METHOD:
		check_method(treatment, line);
		break;
	case TREATMENT_CONSTANT:
		if (!is_number(line->words[2].text))
			treatment_fail(treatment, line, 2, "'%s' is no number", line->words[2].text);
		break;
	case TREATMENT_NARROW:
		if (strcmp(line->words[3].text, "else"))
			treatment_fail(treatment, line, 3, "'%s' stands where `else` belongs",
				       line->words[3].text);
		break;
	case TREATMENT_CARRIES:
		check_carries(treatment, line);
		break;
	case TREATMENT_CHANGE:
		check_change(treatment, line);
		break;
	case TREATMENT_FOLD:
		for (size_t w = 2; w < 4; w++) {
			if (!is_number(line->words[w].text))
				treatment_fail(treatment, line, w, "'%s' is no number",
					       line->words[w].text);
		}
		break;
	default:
		break;
	}
}

static void parse_line(struct treatment *treatment, unsigned number, char *text)
{
	struct treatment_line *line = &treatment->lines[treatment->count];

	*line = (struct treatment_line){.line = number};
	split_words(line, text);
	if (!line->count)
		return;
	while (line->kind < TREATMENT_KIND_COUNT &&
	       strcmp(line->words[0].text, grammar[line->kind].word))
		line->kind++;
	if (treatment->changes && line->kind != TREATMENT_CHANGE)
		treatment_fail(treatment, line, 0, "unknown line '%s': change alone stands here",
			       line->words[0].text);
	if (!treatment->changes && line->kind >= TREATMENT_CHANGE)
		treatment_fail(treatment, line, 0,
			       "unknown line '%s': suite, bridge, generic, facade, method, fold, "
			       "private, carries, narrow, until or constant",
			       line->words[0].text);
	check_line(treatment, line);
	treatment->count++;
}

static void load(struct treatment *treatment, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t capacity = 0, size = 0;
	unsigned number = 0;
	char *text = NULL;
	ssize_t length;

	if (!file)
		gen_fail(path, 0, 0, "cannot be read: %s", strerror(errno));
	treatment->path = path;
	while ((length = getline(&text, &size, file)) > 0) {
		if (treatment->count == capacity) {
			struct treatment_line *more =
				gen_alloc((capacity = capacity * 2 + 64) * sizeof(*more));

			if (treatment->count)
				memcpy(more, treatment->lines, treatment->count * sizeof(*more));
			treatment->lines = more;
		}
		if (text[length - 1] == '\n')
			text[length - 1] = '\0';
		parse_line(treatment, ++number, text);
	}
	free(text);
	fclose(file);
}

void treatment_load(struct treatment *treatment, const char *path)
{
	*treatment = (struct treatment){0};
	load(treatment, path);
}

void treatment_load_changes(struct treatment *changes, const char *path)
{
	*changes = (struct treatment){.changes = true};
	load(changes, path);
}

const struct treatment_line *treatment_next(const struct treatment *treatment,
					    enum treatment_kind kind, size_t *cursor)
{
	while (*cursor < treatment->count) {
		const struct treatment_line *line = &treatment->lines[(*cursor)++];

		if (line->kind == kind)
			return line;
	}
	return NULL;
}

const char *treatment_option(const struct treatment_line *line, const char *name)
{
	size_t length = strlen(name);

	for (size_t w = 2; w < line->count; w++) {
		if (!strncmp(line->words[w].text, name, length) &&
		    line->words[w].text[length] == '=')
			return line->words[w].text + length + 1;
	}
	return NULL;
}
