/* SPDX-License-Identifier: Apache-2.0 */
/* See findings.h. One pass over the lines; what belongs together is gathered in one block of memory as long as the file. */
#include "findings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_LENGTH 6

const char *const abi_severities[ABI_SEVERITY_COUNT] = {"note", "warning", "error"};

struct reader {
	struct abi_findings *findings;
	struct abi_error *error;
	const char *path;
	unsigned line;
	char *start;	/* of this line: columns are counted from here */
	char *out;	/* where the next gathered line goes; never behind what is read */
	size_t room;
	const char **last;	/* what the line before was added to; lines of one kind stand together */
};

__attribute__((format(printf, 3, 4))) static int fail(struct reader *r, const char *at, const char *format, ...)
{
	va_list arguments;
	int used = snprintf(r->error->text, sizeof(r->error->text), "%s:%u:%u: ", r->path, r->line,
			    at ? (unsigned)(at - r->start) + 1 : 1);

	va_start(arguments, format);
	if (used > 0 && (size_t)used < sizeof(r->error->text))
		vsnprintf(r->error->text + used, sizeof(r->error->text) - (size_t)used, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* Ends the word at *AT, and goes to the next one. */
static char *word(char **at)
{
	char *found = *at + strspn(*at, " ");

	*at = found + strcspn(found, " ");
	if (**at)
		*(*at)++ = '\0';
	return found;
}

static bool is_code(const char *text)
{
	return !strncmp(text, "GW-", 3) && strspn(text + 3, "0123456789") == 3 && !text[CODE_LENGTH];
}

static struct abi_finding *newest(struct reader *r)
{
	return r->findings->count ? &r->findings->finding[r->findings->count - 1] : NULL;
}

/* Is the block before complete? Told where the next one begins, or the file ends. */
static int check_complete(struct reader *r)
{
	const struct abi_finding *f = newest(r);
	const char *missing;

	if (!f || f->retired)
		return 0;
	missing = !f->cause ? "cause" : !f->remedy ? "remedy" : !f->text ? "text" : !f->examples ? "example" : !f->cures ? "cure" : NULL;
	return missing ? fail(r, NULL, "%s, which begins in line %u, has no `%s` line", f->code, f->line, missing) : 0;
}

static int begin(struct reader *r, char *rest, bool retired)
{
	const struct abi_finding *before;
	char *code, *severity, *name = NULL;
	struct abi_finding *f;
	size_t s = 0;
	int result = check_complete(r);

	if (result)
		return result;
	before = newest(r);
	code = word(&rest);
	severity = word(&rest);
	if (!retired)
		name = word(&rest);
	rest += strspn(rest, " ");
	if (!is_code(code))
		return fail(r, code, "'%s' is no code, such as GW-303", code);
	if (before && strcmp(before->code, code) >= 0)
		return fail(r, code, "%s stands behind %s: %s", code, before->code,
			    strcmp(before->code, code) ? "blocks are sorted by their codes" : "a code is used once");
	while (s < ABI_SEVERITY_COUNT && strcmp(abi_severities[s], severity))
		s++;
	if (s == ABI_SEVERITY_COUNT)
		return fail(r, severity, "'%s' is no severity: note, warning or error", severity);
	if (retired && !*rest)
		return fail(r, severity, "what %s was told of, and why it is no longer, is missing: the form is `retired CODE SEVERITY TEXT`", code);
	if (!retired && (!*name || name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] || *rest))
		return fail(r, name, "a name of capital letters ends the line: the form is `finding CODE SEVERITY NAME`");
	for (size_t i = 0; name && i < r->findings->count; i++)
		if (r->findings->finding[i].name && !strcmp(r->findings->finding[i].name, name))
			return fail(r, name, "%s is the name of %s", name, r->findings->finding[i].code);
	if (r->findings->count == r->room) {
		size_t room = r->room ? 2 * r->room : 64;

		f = realloc(r->findings->finding, room * sizeof(*f));
		if (!f)
			return -ENOMEM;
		r->findings->finding = f;
		r->room = room;
	}
	r->findings->finding[r->findings->count++] = (struct abi_finding){
		.code = code, .severity = (enum abi_severity)s, .name = name, .retired = retired ? rest : NULL, .line = r->line};
	return 0;
}

static int once(struct reader *r, const char **place, const char *keyword, const char *text)
{
	if (*place)
		return fail(r, NULL, "%s has a `%s` line already", newest(r)->code, keyword);
	if (!*text)
		return fail(r, NULL, "`%s` says nothing", keyword);
	*place = text;
	return 0;
}

/* Adds TEXT and an end of line to what *PLACE has. */
static int gather(struct reader *r, const char **place, const char *keyword, const char *text)
{
	size_t length = strlen(text);

	if (*place && r->last != place)
		return fail(r, NULL, "the `%s` lines of %s do not stand together", keyword, newest(r)->code);
	if (*place)
		r->out--;	/* the NUL behind the lines before */
	else
		*place = r->out;
	memcpy(r->out, text, length);
	memcpy(r->out + length, "\n", 2);
	r->out += length + 2;
	r->last = place;
	return 0;
}

static int check_example(struct reader *r, const char *text)
{
	const struct abi_finding *f = newest(r);
	const char *code = strstr(text, f->code);

	if (code && strstr(text, abi_severities[f->severity]))
		return 0;
	return fail(r, text, "an example of %s shows a message in full, with its code and '%s'", f->code, abi_severities[f->severity]);
}

static int read_line(struct reader *r, char *line)
{
	struct abi_finding *f = newest(r);
	size_t length = strcspn(line, " ");
	char *rest = line + length;
	int result;

	if (!*line || *line == '#')
		return 0;
	if (*rest)
		*rest++ = '\0';
	if (!strcmp(line, "finding") || !strcmp(line, "retired"))
		return begin(r, rest, *line == 'r');
	if (!f || f->retired)
		return fail(r, NULL, "'%s' stands where a block begins: `finding CODE SEVERITY NAME` or `retired CODE SEVERITY TEXT`", line);
	if (!strcmp(line, "cause"))
		return once(r, &f->cause, line, rest);
	if (!strcmp(line, "remedy"))
		return once(r, &f->remedy, line, rest);
	if (!strcmp(line, "text"))
		return gather(r, &f->text, line, rest);
	if (!strcmp(line, "cure"))
		return gather(r, &f->cures, line, rest);
	if (strcmp(line, "example"))
		return fail(r, NULL, "unknown line '%s': finding, cause, remedy, text, example, cure or retired", line);
	result = check_example(r, rest);
	return result ? result : gather(r, &f->examples, line, rest);
}

int abi_findings_parse(struct abi_findings *findings, const char *path, const char *text, size_t length, struct abi_error *error)
{
	struct reader r = {.findings = findings, .error = error, .path = path};
	char *copy, *next;
	int result = 0;

	*findings = (struct abi_findings){0};
	/* Twice as long: the lines as they are, and those that are gathered, with one NUL for each kind of a block. */
	copy = calloc(2, length + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	findings->storage = copy;
	r.out = copy + length + 1;
	for (char *line = copy; !result && line < copy + length; line = next) {
		size_t bytes = strcspn(line, "\n");

		r.line++;
		r.start = line;
		next = line + bytes + 1;
		if (line + bytes < copy + length && line[bytes] != '\n') {
			result = fail(&r, line + bytes, "a NUL byte");
			break;
		}
		line[bytes] = '\0';
		result = read_line(&r, line);
	}
	r.start = copy + length;
	if (!result)
		result = check_complete(&r);
	if (result)
		abi_findings_finish(findings);
	return result;
}

int abi_findings_load(struct abi_findings *findings, const char *path, struct abi_error *error)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t length;
	int result;

	*findings = (struct abi_findings){0};
	if (!file) {
		result = -errno;
		snprintf(error->text, sizeof(error->text), "%s: cannot be read: %s", path, strerror(-result));
		return result;
	}
	/* No text file has this byte. */
	length = getdelim(&text, &size, 0xff, file);
	if (ferror(file)) {
		result = errno ? -errno : -EIO;
		snprintf(error->text, sizeof(error->text), "%s: cannot be read: %s", path, strerror(-result));
	} else {
		result = abi_findings_parse(findings, path, length > 0 ? text : "", length > 0 ? (size_t)length : 0, error);
	}
	free(text);
	fclose(file);
	return result;
}

void abi_findings_finish(struct abi_findings *findings)
{
	free(findings->finding);
	free(findings->storage);
	*findings = (struct abi_findings){0};
}

const struct abi_finding *abi_findings_find(const struct abi_findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (!strcmp(findings->finding[i].code, code))
			return &findings->finding[i];
	return NULL;
}
